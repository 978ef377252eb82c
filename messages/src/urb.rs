//! The unified return buffer (volume 7, "URB").

use bitfield_struct::bitfield;

codes! {
    /// What is done ("URB UrbOpcode").
    pub enum UrbOpcode {
        /// Writes dwords, each lane at its place.
        WriteSimd8 = 7,
        /// Reads dwords, each lane at its place.
        ReadSimd8 = 8,
        /// Waits for writes.
        Fence = 9,
    }
}

/// A message to the unified return buffer.
#[bitfield(u32)]
pub struct Urb {
    /// Operation.
    #[bits(4, from = UrbOpcode::from_bits, into = UrbOpcode::into_bits)]
    pub opcode: Option<UrbOpcode>,
    /// Offset of what is accessed ("Global Offset").
    #[bits(11)]
    pub global_offset: u16,
    /// The payload has a mask of channels.
    pub channel_mask_present: bool,
    #[bits(1)]
    __: u8,
    /// The payload has an offset for each lane.
    pub per_slot_offset: bool,
    #[bits(14)]
    __: u16,
}

kinds!(Descriptor: Urb);
