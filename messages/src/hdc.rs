//! The data ports: data cache 0, data cache 1 and the read-only cache (volume 7, "Data Port Messages"; volume 2d,
//! `MSD_*`).

mod block;
mod scattered;

pub use block::{A64Block, A64BlockType, MediaBlock, MemoryFence, OwordBlock, OwordCount, ScratchBlock};
pub use scattered::{
    A64Scattered, Atomic, AtomicOp, ElementType, FloatAtomicOp, Scattered, SimdMode, SlotGroup, Surface,
};

use crate::Descriptor;
use bitfield_struct::bitfield;

codes! {
    /// Messages of data cache 0 (the read-only cache has the first of them).
    pub enum Dc0 {
        /// Owords, offset in owords.
        OwordBlockRead = 0x00,
        /// Owords, offset in bytes.
        UnalignedOwordBlockRead = 0x01,
        /// Two blocks of owords.
        OwordDualBlockRead = 0x02,
        /// Dwords, one offset a lane.
        DwordScatteredRead = 0x03,
        /// Bytes, one offset a lane.
        ByteScatteredRead = 0x04,
        /// Qwords, one offset a lane.
        QwordScatteredRead = 0x05,
        /// Fence.
        MemoryFence = 0x07,
        /// Owords.
        OwordBlockWrite = 0x08,
        /// Owords, offset in bytes.
        UnalignedOwordBlockWrite = 0x09,
        /// Two blocks of owords.
        OwordDualBlockWrite = 0x0a,
        /// Dwords.
        DwordScatteredWrite = 0x0b,
        /// Bytes.
        ByteScatteredWrite = 0x0c,
        /// Qwords.
        QwordScatteredWrite = 0x0d,
    }
}

codes! {
    /// Messages of data cache 1.
    pub enum Dc1 {
        /// Dwords of up to four channels.
        UntypedRead = 0x01,
        /// Atomic on dwords.
        UntypedAtomic = 0x02,
        /// Atomic on words (Gen12; SIMD4x2 before).
        UntypedAtomicHalf = 0x03,
        /// A rectangle of bytes.
        MediaBlockRead = 0x04,
        /// Texels.
        TypedRead = 0x05,
        /// Atomic on texels.
        TypedAtomic = 0x06,
        /// Atomic on texels of 16 bits (Gen12; SIMD4x2 before).
        TypedAtomicHalf = 0x07,
        /// Dwords of up to four channels.
        UntypedWrite = 0x09,
        /// A rectangle of bytes.
        MediaBlockWrite = 0x0a,
        /// Atomic on a counter.
        AtomicCounter = 0x0b,
        /// Atomic on a counter of 16 bits (SIMD4x2 before Gen12).
        AtomicCounterHalf = 0x0c,
        /// Texels.
        TypedWrite = 0x0d,
        /// Texels, with a status.
        TypedReadStatus = 0x0e,
        /// Bytes, dwords or qwords at 64-bit addresses.
        A64ScatteredRead = 0x10,
        /// [`Dc1::UntypedRead`] at 64-bit addresses.
        A64UntypedRead = 0x11,
        /// [`Dc1::UntypedAtomic`] at 64-bit addresses.
        A64Atomic = 0x12,
        /// [`Dc1::UntypedAtomicHalf`] at 64-bit addresses.
        A64AtomicHalf = 0x13,
        /// A block at a 64-bit address.
        A64BlockRead = 0x14,
        /// A block at a 64-bit address.
        A64BlockWrite = 0x15,
        /// [`Dc1::UntypedWrite`] at 64-bit addresses.
        A64UntypedWrite = 0x19,
        /// Bytes, dwords or qwords at 64-bit addresses.
        A64ScatteredWrite = 0x1a,
        /// Atomic on floats.
        UntypedAtomicFloat = 0x1b,
        /// Atomic on half floats.
        UntypedAtomicHalfFloat = 0x1c,
        /// Atomic on floats at 64-bit addresses.
        A64AtomicFloat = 0x1d,
        /// Atomic on half floats at 64-bit addresses.
        A64AtomicHalfFloat = 0x1e,
    }
}

codes! {
    /// Messages of the read-only cache.
    pub enum DcRo {
        /// Owords, offset in owords.
        OwordBlockRead = 0x00,
        /// Owords, offset in bytes.
        UnalignedOwordBlockRead = 0x01,
        /// Dwords, one offset a lane.
        DwordScatteredRead = 0x03,
        /// Writes without compression.
        UntypedUncompressedWrite = 0x09,
        /// Changes how texels are compressed.
        TypedCcsUpdate = 0x0c,
        /// Writes texels without compression.
        TypedUncompressedWrite = 0x0d,
        /// Changes how a page is compressed.
        A64PageCcsUpdate = 0x17,
        /// Changes how memory is compressed.
        A64UntypedCcs = 0x18,
        /// Writes without compression at 64-bit addresses.
        A64UntypedUncompressedWrite = 0x19,
    }
}

impl Dc1 {
    /// Whether addresses have 64 bits and no surface is named.
    pub const fn is_a64(self) -> bool {
        use Dc1::*;
        match self {
            A64ScatteredRead | A64UntypedRead | A64Atomic | A64AtomicHalf | A64BlockRead | A64BlockWrite
            | A64UntypedWrite | A64ScatteredWrite | A64AtomicFloat | A64AtomicHalfFloat => true,
            UntypedRead
            | UntypedAtomic
            | UntypedAtomicHalf
            | MediaBlockRead
            | TypedRead
            | TypedAtomic
            | TypedAtomicHalf
            | UntypedWrite
            | MediaBlockWrite
            | AtomicCounter
            | AtomicCounterHalf
            | TypedWrite
            | TypedReadStatus
            | UntypedAtomicFloat
            | UntypedAtomicHalfFloat => false,
        }
    }
}

/// The message type, whatever the rest means.
#[bitfield(u32)]
struct Port {
    #[bits(14)]
    __: u16,
    #[bits(4)]
    low_type: u8,
    /// The upper bit of the type; data cache 0: a scratch block.
    category: bool,
    #[bits(13)]
    __: u16,
}

impl Port {
    const fn message_type(self) -> u32 {
        self.low_type() as u32 | (self.category() as u32) << 4
    }
}

/// A message to data cache 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ToDc0 {
    /// A block of the thread's scratch memory, whose type has another place.
    Scratch,
    /// Anything else.
    Message(Dc0),
}

impl ToDc0 {
    /// What a descriptor asks data cache 0 for.
    pub const fn of(desc: Descriptor) -> Option<ToDc0> {
        let port = Port::from_bits(desc.into_bits());
        match Dc0::from_bits(port.message_type()) {
            _ if port.category() => Some(ToDc0::Scratch),
            Some(message) => Some(ToDc0::Message(message)),
            None => None,
        }
    }
}

impl Dc1 {
    /// What a descriptor asks data cache 1 for.
    pub const fn of(desc: Descriptor) -> Option<Dc1> {
        Dc1::from_bits(Port::from_bits(desc.into_bits()).message_type())
    }
}

impl DcRo {
    /// What a descriptor asks the read-only cache for.
    pub const fn of(desc: Descriptor) -> Option<DcRo> {
        DcRo::from_bits(Port::from_bits(desc.into_bits()).message_type())
    }
}

/// Whether a message is known to do nothing but read memory.
pub const fn dc0_only_reads(desc: Descriptor) -> bool {
    use Dc0::*;
    matches!(
        ToDc0::of(desc),
        Some(ToDc0::Message(
            OwordBlockRead
                | UnalignedOwordBlockRead
                | DwordScatteredRead
                | ByteScatteredRead
                | QwordScatteredRead
        ))
    )
}

/// The same of data cache 1.
pub const fn dc1_only_reads(desc: Descriptor) -> bool {
    use Dc1::*;
    matches!(
        Dc1::of(desc),
        Some(UntypedRead | MediaBlockRead | TypedRead | A64ScatteredRead | A64UntypedRead | A64BlockRead)
    )
}

/// The same of the read-only cache.
pub const fn dc_ro_only_reads(desc: Descriptor) -> bool {
    use DcRo::*;
    matches!(DcRo::of(desc), Some(OwordBlockRead | UnalignedOwordBlockRead | DwordScatteredRead))
}
