//! What all descriptors have in common.

use crate::{ExtendedLength, MessageLength, ResponseLength};
use bitfield_struct::bitfield;
use narrow::{as_index, const_u8, wide_u8};

/// A message descriptor of any kind ("Message Descriptor", volume 7).
#[bitfield(u32)]
#[derive(PartialEq, Eq, Hash)]
pub struct Descriptor {
    /// What the shared function is asked to do; a kind of message names the bits of it.
    #[bits(19)]
    pub function_control: u32,
    /// The payload starts with a header (where the shared function knows headers).
    pub header_present: bool,
    /// Registers of the response.
    #[bits(5, from = ResponseLength::from_bits, into = ResponseLength::into_bits)]
    pub response_length: ResponseLength,
    /// Registers of the payload, or of its first part.
    #[bits(4, from = MessageLength::from_bits, into = MessageLength::into_bits)]
    pub message_length: MessageLength,
    /// More of function control.
    #[bits(3)]
    pub function_control_high: u8,
}

/// Data of the sampler and of render targets are half floats.
const HALF_DATA: u32 = 1 << 30;
/// What some hardware takes of a descriptor in a register.
const SHORT: u32 = (1 << 29) - 1;

impl Descriptor {
    /// Whether data are half floats.
    pub const fn half_data(self) -> bool {
        self.into_bits() & HALF_DATA != 0
    }

    /// What hardware sees of a descriptor in a register that takes the highest bits from the word.
    pub const fn from_short_register(self, half_data: bool) -> Descriptor {
        Descriptor::from_bits(self.into_bits() & SHORT | if half_data { HALF_DATA } else { 0 })
    }

    /// The descriptor with its lengths.
    pub const fn with_lengths(self, message: MessageLength, response: ResponseLength) -> Descriptor {
        self.with_message_length(message).with_response_length(response)
    }

    /// The descriptor with its surface, for the shared functions that name one in the low byte.
    pub const fn with_surface(self, surface: SurfaceIndex) -> Descriptor {
        Descriptor::from_bits(self.into_bits() & !0xff | surface.into_bits())
    }

    /// The surface, for the shared functions that name one in the low byte.
    pub const fn surface(self) -> SurfaceIndex {
        SurfaceIndex::from_bits(self.into_bits() & 0xff)
    }

    /// The descriptor of a payload that much longer; a sum that the field cannot hold goes on into the bits above.
    pub const fn lengthened(self, more: MessageLength) -> Descriptor {
        Descriptor::from_bits(self.into_bits().wrapping_add(Descriptor::added_length(more)))
    }

    /// What must be added to a descriptor known at run time for its payload to be that much longer.
    pub const fn added_length(more: MessageLength) -> u32 {
        Descriptor::new().with_message_length(more).into_bits()
    }
}

/// An extended message descriptor. The low bits name the shared function up to Gen11, and the lengths stand here
/// before Xe-HPC ("Extended Message Descriptor", volume 7); what Xe-HPC puts here depends on the message
/// ([`lsc`](crate::lsc)).
#[bitfield(u32)]
#[derive(PartialEq, Eq, Hash)]
pub struct ExtendedDescriptor {
    /// The shared function (Gen8 to Gen11; a field of the instruction word later).
    #[bits(4)]
    pub target_function: u8,
    #[bits(1)]
    __: u8,
    /// The message ends the thread (Gen8 to Gen11).
    pub end_of_thread: bool,
    /// Registers of the second part of the payload.
    #[bits(5, from = ExtendedLength::from_bits, into = ExtendedLength::into_bits)]
    pub extended_length: ExtendedLength,
    /// Which surface, for a bindless message: a multiple of 64 bytes, counted in them, from bit 12 on.
    #[bits(21)]
    pub extended_function_control: u32,
}

impl ExtendedDescriptor {
    /// Bits that the instruction word has fields for: shared function and end of thread.
    const IN_WORD: u32 = 0x3f;

    /// What is left when the instruction word's own fields have taken the shared function and the end of thread.
    pub const fn outside_word(self) -> ExtendedDescriptor {
        ExtendedDescriptor::from_bits(self.into_bits() & !ExtendedDescriptor::IN_WORD)
    }

    /// Whether it says nothing that the instruction word has fields for.
    pub const fn is_outside_word(self) -> bool {
        self.into_bits() & ExtendedDescriptor::IN_WORD == 0
    }

    /// The descriptor of a message whose second payload has a length.
    pub const fn of_length(length: ExtendedLength) -> ExtendedDescriptor {
        ExtendedDescriptor::new().with_extended_length(length)
    }

    /// What an immediate has room for where the message names a surface by its state (Xe-HPC): all but the bits of
    /// shared function, end of thread and length.
    pub const fn surface_offset(self) -> ExtendedDescriptor {
        self.outside_word().with_extended_length(ExtendedLength::NONE)
    }

    /// Whether an immediate has room for all of it where the message names a surface by its state.
    pub const fn is_surface_offset(self) -> bool {
        self.surface_offset().into_bits() == self.into_bits()
    }

    /// Byte offset of a bindless surface's state.
    pub const fn surface_state(self) -> u32 {
        self.into_bits() >> 12 << 6
    }
}

// Lengths are what their fields can count.
const _: () = {
    assert!(MessageLength::MOST == (1 << Descriptor::MESSAGE_LENGTH_BITS) - 1, "the longest payload");
    assert!(ResponseLength::MOST == (1 << Descriptor::RESPONSE_LENGTH_BITS) - 1, "the longest response");
    assert!(
        ExtendedLength::MOST == (1 << ExtendedDescriptor::EXTENDED_LENGTH_BITS) - 1,
        "the longest second payload"
    );
};

/// The low byte of a descriptor that names a surface ("Binding Table Index").
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct SurfaceIndex(pub u8);

impl SurfaceIndex {
    /// The thread's scratch memory (Xe-HPC).
    pub const SCRATCH: SurfaceIndex = SurfaceIndex(0xfb);
    /// The extended descriptor names the surface's state.
    pub const BINDLESS: SurfaceIndex = SurfaceIndex(0xfc);
    /// The whole address space, not kept coherent with other caches.
    pub const STATELESS_INCOHERENT: SurfaceIndex = SurfaceIndex(0xfd);
    /// Memory that a thread group shares.
    pub const SHARED_LOCAL: SurfaceIndex = SurfaceIndex(0xfe);
    /// The whole address space.
    pub const STATELESS: SurfaceIndex = SurfaceIndex(0xff);

    /// Whether the index names no surface but the address space.
    pub const fn is_stateless(self) -> bool {
        matches!(self, SurfaceIndex::STATELESS | SurfaceIndex::STATELESS_INCOHERENT)
    }

    pub(crate) const fn into_bits(self) -> u32 {
        wide_u8(self.0)
    }

    pub(crate) const fn from_bits(bits: u32) -> SurfaceIndex {
        SurfaceIndex(const_u8(as_index(bits & 0xff)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_stand_where_the_manual_has_them() {
        let desc = Descriptor::new()
            .with_header_present(true)
            .with_lengths(MessageLength::new(9).unwrap(), ResponseLength::new(17).unwrap());
        assert_eq!(desc.into_bits(), 1 << 19 | 17 << 20 | 9 << 25);
        let ex = ExtendedDescriptor::of_length(ExtendedLength::new(31).unwrap()).with_target_function(12);
        assert_eq!(ex.into_bits(), 31 << 6 | 12);
        assert_eq!(Descriptor::added_length(MessageLength::ONE), 1 << 25);
    }
}
