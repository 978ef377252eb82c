//! The data ports: data cache 0, data cache 1 and the read-only cache (volume 7, "Data Port Messages"; volume 2d,
//! `MSD_*`).

mod block;
mod scattered;
mod types;

pub use block::{
    A64Block, A64BlockType, MediaBlock, MediaBlockSize, MemoryFence, OwordBlock, OwordCount, ScratchBlock,
};
pub use scattered::{
    A64Scattered, Atomic, AtomicOp, FloatAtomicOp, Scattered, ScatteredSimdMode, SlotGroup, Surface,
};
pub use types::{Addresses, DataPortMessage, Dc0, Dc1, DcRo, ElementType, Form};

use crate::{Descriptor, Effect};
use bitfield_struct::bitfield;
use narrow::wide_u8;

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
        wide_u8(self.low_type()) | if self.category() { 1 << 4 } else { 0 }
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

/// What a message to data cache 0 does, if it is known.
pub const fn dc0_effect(desc: Descriptor) -> Option<Effect> {
    match ToDc0::of(desc) {
        Some(ToDc0::Scratch) => Some(ScratchBlock::from_bits(desc.into_bits()).access().effect()),
        Some(ToDc0::Message(message)) => Some(message.row().effect),
        None => None,
    }
}

/// The same of data cache 1.
pub const fn dc1_effect(desc: Descriptor) -> Option<Effect> {
    match Dc1::of(desc) {
        Some(message) => Some(message.row().effect),
        None => None,
    }
}

/// The same of the read-only cache.
pub const fn dc_ro_effect(desc: Descriptor) -> Option<Effect> {
    match DcRo::of(desc) {
        Some(message) => Some(message.row().effect),
        None => None,
    }
}
