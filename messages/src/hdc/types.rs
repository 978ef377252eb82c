//! The message types of the data ports: a row says what a message does, how its descriptor and payload are laid out,
//! how memory is addressed, and its words in a listing. Scheduling, emulator, and listing read it, so a message in a form
//! that is here already is its row, and what makes it in lowering.
//!
//! Sources: volume 7, "Data Port Messages"; the words are the reference disassembler's.

use self::{
    Addresses::{A64, Surface, Texels},
    Form::{
        A64Block, A64Scattered, Compression, Counter, DualBlock, Fence, FloatAtomic, IntegerAtomic,
        MediaBlock, OwordBlock, Scattered, Typed, TypedAtomic, TypedStatus, UnalignedOwordBlock,
        Uncompressed, Untyped,
    },
};
use crate::Effect::{self, Atomic, Load, Order, Other, Store};

codes! {
    /// Elements of a scattered message; the codes are those at 64-bit addresses ("Scattered Block Size").
    pub enum ElementType {
        /// Bytes.
        Byte = 0,
        /// Dwords.
        Dword = 1,
        /// Qwords.
        Qword = 2,
    }
}

/// Layout of a message: which descriptor, and what stands in the payload and the response.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// [`OwordBlock`](super::OwordBlock), the header's offset in owords.
    OwordBlock,
    /// [`OwordBlock`](super::OwordBlock), the header's offset in bytes.
    UnalignedOwordBlock,
    /// Two blocks of owords.
    DualBlock,
    /// [`Scattered`](super::Scattered): an offset a lane, and behind it elements of this type.
    Scattered(ElementType),
    /// [`A64Scattered`](super::A64Scattered), whose descriptor names the elements.
    A64Scattered,
    /// [`Surface`](super::Surface): an address a lane, dwords of up to four channels.
    Untyped,
    /// [`Surface`](super::Surface): coordinates of texels a lane, up to four channels.
    Typed,
    /// The same, and a status comes back.
    TypedStatus,
    /// [`Atomic`](super::Atomic) on integers of so many bits.
    IntegerAtomic(u8),
    /// [`Atomic`](super::Atomic) on floats of so many bits.
    FloatAtomic(u8),
    /// [`Atomic`](super::Atomic) on texels of so many bits.
    TypedAtomic(u8),
    /// [`Atomic`](super::Atomic) on a counter of so many bits.
    Counter(u8),
    /// [`MediaBlock`](super::MediaBlock).
    MediaBlock,
    /// [`A64Block`](super::A64Block).
    A64Block,
    /// [`MemoryFence`](super::MemoryFence).
    Fence,
    /// [`Surface`](super::Surface), written without compression.
    Uncompressed,
    /// Changes how memory is compressed.
    Compression,
}

/// How a message says which memory it means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Addresses {
    /// Offsets of 32 bits in a surface.
    Surface,
    /// Addresses of 64 bits, and no surface.
    A64,
    /// Coordinates of texels in a surface.
    Texels,
}

impl Addresses {
    /// Bits of an address, or of a coordinate.
    pub const fn bits(self) -> u32 {
        match self {
            Surface | Texels => 32,
            A64 => 64,
        }
    }
}

/// What is known of a message type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DataPortMessage {
    /// What it does.
    pub effect: Effect,
    /// Its layout.
    pub form: Form,
    /// What it addresses memory by.
    pub addresses: Addresses,
    /// Its words in a listing, without what the descriptor adds.
    pub words: &'static str,
}

const fn message(effect: Effect, form: Form, addresses: Addresses, words: &'static str) -> DataPortMessage {
    DataPortMessage { effect, form, addresses, words }
}

#[rustfmt::skip]
rows! {
    /// Messages of data cache 0 (the read-only cache has the first of them).
    pub enum Dc0: DataPortMessage {
        /// Owords, offset in owords.
        OwordBlockRead = 0x00: message(Load, OwordBlock, Surface, "oword block read"),
        /// Owords, offset in bytes.
        UnalignedOwordBlockRead = 0x01: message(Load, UnalignedOwordBlock, Surface, "oword aligned block read"),
        /// Two blocks of owords.
        OwordDualBlockRead = 0x02: message(Load, DualBlock, Surface, "oword dual block read"),
        /// Dwords, one offset a lane.
        DwordScatteredRead = 0x03: message(Load, Scattered(ElementType::Dword), Surface, "dword gathering read"),
        /// Bytes, one offset a lane.
        ByteScatteredRead = 0x04: message(Load, Scattered(ElementType::Byte), Surface, "byte gathering read"),
        /// Qwords, one offset a lane.
        QwordScatteredRead = 0x05: message(Load, Scattered(ElementType::Qword), Surface, "qword gathering read"),
        /// Fence.
        MemoryFence = 0x07: message(Order, Fence, Surface, "fence"),
        /// Owords.
        OwordBlockWrite = 0x08: message(Store, OwordBlock, Surface, "oword block write"),
        /// Owords, offset in bytes.
        UnalignedOwordBlockWrite = 0x09: message(Store, UnalignedOwordBlock, Surface, "hword aligned block write"),
        /// Two blocks of owords.
        OwordDualBlockWrite = 0x0a: message(Store, DualBlock, Surface, "oword dual block write"),
        /// Dwords.
        DwordScatteredWrite = 0x0b: message(Store, Scattered(ElementType::Dword), Surface, "dword scattering write"),
        /// Bytes.
        ByteScatteredWrite = 0x0c: message(Store, Scattered(ElementType::Byte), Surface, "byte scattering write"),
        /// Qwords.
        QwordScatteredWrite = 0x0d: message(Store, Scattered(ElementType::Qword), Surface, "qword scattering write"),
    }
}

#[rustfmt::skip]
rows! {
    /// Messages of data cache 1.
    pub enum Dc1: DataPortMessage {
        /// Dwords of up to four channels.
        UntypedRead = 0x01: message(Load, Untyped, Surface, "untyped surface read"),
        /// Atomic on dwords.
        UntypedAtomic = 0x02: message(Atomic, IntegerAtomic(32), Surface, "untyped atomic int32"),
        /// Atomic on words (Gen12; SIMD4x2 before).
        UntypedAtomicHalf = 0x03: message(Atomic, IntegerAtomic(16), Surface, "untyped atomic int16"),
        /// A rectangle of bytes.
        MediaBlockRead = 0x04: message(Load, MediaBlock, Surface, "media block read"),
        /// Texels.
        TypedRead = 0x05: message(Load, Typed, Texels, "typed surface read"),
        /// Atomic on texels.
        TypedAtomic = 0x06: message(Atomic, TypedAtomic(32), Texels, "atomic 32-bit integer"),
        /// Atomic on texels of 16 bits (Gen12; SIMD4x2 before).
        TypedAtomicHalf = 0x07: message(Atomic, TypedAtomic(16), Texels, "atomic 16-bit integer"),
        /// Dwords of up to four channels.
        UntypedWrite = 0x09: message(Store, Untyped, Surface, "untyped surface write"),
        /// A rectangle of bytes.
        MediaBlockWrite = 0x0a: message(Store, MediaBlock, Surface, "media block write"),
        /// Atomic on a counter.
        AtomicCounter = 0x0b: message(Atomic, Counter(32), Surface, "typed atomic 32-bit counter"),
        /// Atomic on a counter of 16 bits (SIMD4x2 before Gen12).
        AtomicCounterHalf = 0x0c: message(Atomic, Counter(16), Surface, "typed atomic 16-bit counter"),
        /// Texels.
        TypedWrite = 0x0d: message(Store, Typed, Texels, "typed surface write"),
        /// Texels, with a status.
        TypedReadStatus = 0x0e: message(Load, TypedStatus, Texels, "typed surface read"),
        /// Bytes, dwords or qwords at 64-bit addresses.
        A64ScatteredRead = 0x10: message(Load, A64Scattered, A64, "gathering read"),
        /// [`Dc1::UntypedRead`] at 64-bit addresses.
        A64UntypedRead = 0x11: message(Load, Untyped, A64, "a64 untyped surface read"),
        /// [`Dc1::UntypedAtomic`] at 64-bit addresses.
        A64Atomic = 0x12: message(Atomic, IntegerAtomic(32), A64, "untyped a64 atomic"),
        /// [`Dc1::UntypedAtomicHalf`] at 64-bit addresses.
        A64AtomicHalf = 0x13: message(Atomic, IntegerAtomic(16), A64, "untyped a64 atomic int16"),
        /// A block at a 64-bit address.
        A64BlockRead = 0x14: message(Load, A64Block, A64, "read"),
        /// A block at a 64-bit address.
        A64BlockWrite = 0x15: message(Store, A64Block, A64, "write"),
        /// [`Dc1::UntypedWrite`] at 64-bit addresses.
        A64UntypedWrite = 0x19: message(Store, Untyped, A64, "a64 untyped surface write"),
        /// Bytes, dwords or qwords at 64-bit addresses.
        A64ScatteredWrite = 0x1a: message(Store, A64Scattered, A64, "scattering write"),
        /// Atomic on floats.
        UntypedAtomicFloat = 0x1b: message(Atomic, FloatAtomic(32), Surface, "float atomic"),
        /// Atomic on half floats.
        UntypedAtomicHalfFloat = 0x1c: message(Atomic, FloatAtomic(16), Surface, "untyped half-float atomic"),
        /// Atomic on floats at 64-bit addresses.
        A64AtomicFloat = 0x1d: message(Atomic, FloatAtomic(32), A64, "a64 float atomic"),
        /// Atomic on half floats at 64-bit addresses.
        A64AtomicHalfFloat = 0x1e: message(Atomic, FloatAtomic(16), A64, "a64 untyped half-float atomic"),
    }
}

#[rustfmt::skip]
rows! {
    /// Messages of the read-only cache.
    pub enum DcRo: DataPortMessage {
        /// Owords, offset in owords.
        OwordBlockRead = 0x00: message(Load, OwordBlock, Surface, "constant oword block read"),
        /// Owords, offset in bytes.
        UnalignedOwordBlockRead = 0x01: message(Load, UnalignedOwordBlock, Surface, "constant aligned oword block read"),
        /// Dwords, one offset a lane.
        DwordScatteredRead = 0x03: message(Load, Scattered(ElementType::Dword), Surface, "constant dword gathering read"),
        /// Writes without compression.
        UntypedUncompressedWrite = 0x09: message(Store, Uncompressed, Surface, "untyped surface uncompressed write"),
        /// Changes how texels are compressed.
        TypedCcsUpdate = 0x0c: message(Other, Compression, Texels, "typed surface CCS update message"),
        /// Writes texels without compression.
        TypedUncompressedWrite = 0x0d: message(Store, Uncompressed, Surface, "typed surface uncompressed write"),
        /// Changes how a page is compressed.
        A64PageCcsUpdate = 0x17: message(Other, Compression, A64, "A64 page CCS update operation"),
        /// Changes how memory is compressed.
        A64UntypedCcs = 0x18: message(Other, Compression, A64, "A64 untyped surface CCS operation"),
        /// Writes without compression at 64-bit addresses.
        A64UntypedUncompressedWrite = 0x19: message(Store, Uncompressed, A64, "A64 untyped surface uncompressed write"),
    }
}
