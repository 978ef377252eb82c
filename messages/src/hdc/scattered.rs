//! Messages with an address a lane.

use super::{Dc0, Dc1, ElementType};
use crate::{Operation, SurfaceIndex};
use bitfield_struct::bitfield;
use narrow::wide_u8;

/// Byte, dword and qword scattered reads and writes.
#[bitfield(u32)]
pub struct Scattered {
    /// The surface.
    #[bits(8, from = SurfaceIndex::from_bits, into = SurfaceIndex::into_bits)]
    pub surface: SurfaceIndex,
    /// Sixteen lanes (otherwise eight).
    pub simd16: bool,
    /// The field before it says how many lanes; always set for dwords and qwords, never for bytes.
    pub legacy_simd: bool,
    /// Bytes of a lane, or elements of it, as a power of two.
    #[bits(2)]
    pub size_log2: u8,
    #[bits(2)]
    __: u8,
    /// Which of them.
    #[bits(5, from = Dc0::from_bits, into = Dc0::into_bits)]
    pub message_type: Option<Dc0>,
    #[bits(13)]
    __: u16,
}

codes! {
    /// Lanes of a surface message; twice as many on Xe-HPC.
    pub enum ScatteredSimdMode {
        /// Two lanes of four channels.
        Simd4x2 = 0,
        /// 16.
        Simd16 = 1,
        /// 8.
        Simd8 = 2,
    }
}

codes! {
    /// Lanes of a typed message.
    pub enum SlotGroup {
        /// All that the message has.
        Simd4x2 = 0,
        /// The lower ones.
        Low = 1,
        /// The upper ones.
        High = 2,
    }
}

/// Untyped and typed surface reads and writes.
#[bitfield(u32)]
pub struct Surface {
    /// The surface.
    #[bits(8, from = SurfaceIndex::from_bits, into = SurfaceIndex::into_bits)]
    pub surface: SurfaceIndex,
    /// Channels that are left out, red first ("Channel Mask").
    #[bits(4)]
    pub disabled_channels: u8,
    /// Lanes of an untyped message.
    #[bits(2, from = ScatteredSimdMode::from_bits, into = ScatteredSimdMode::into_bits)]
    pub simd_mode: Option<ScatteredSimdMode>,
    /// Which of them.
    #[bits(5, from = Dc1::from_bits, into = Dc1::into_bits)]
    pub message_type: Option<Dc1>,
    #[bits(13)]
    __: u16,
}

impl Surface {
    /// Lanes of a typed message: the SIMD mode's field.
    pub const fn slot_group(self) -> Option<SlotGroup> {
        SlotGroup::from_bits(self.into_bits() >> 12 & 3)
    }

    /// The same, set.
    pub const fn with_slot_group(self, group: SlotGroup) -> Surface {
        self.with_simd_mode(ScatteredSimdMode::from_bits(group.code()))
    }

    /// Number of channels that are not left out.
    pub const fn channel_count(self) -> u32 {
        4 - self.disabled_channels().count_ones()
    }
}

rows! {
    /// What an atomic does to integers ("Atomic Integer Operation Type").
    pub enum AtomicOp: Operation {
        /// Compare and swap of twice the width.
        CmpXchgWide = 0: Operation::Cas,
        /// And.
        And = 1: Operation::And,
        /// Or.
        Or = 2: Operation::Or,
        /// Exclusive or.
        Xor = 3: Operation::Xor,
        /// Exchange.
        Xchg = 4: Operation::Store,
        /// Increment.
        Inc = 5: Operation::Inc,
        /// Decrement.
        Dec = 6: Operation::Dec,
        /// Add.
        Add = 7: Operation::Add,
        /// Subtract.
        Sub = 8: Operation::Sub,
        /// Subtract what is there from the operand.
        RevSub = 9: Operation::RevSub,
        /// Signed maximum.
        IMax = 10: Operation::SMax,
        /// Signed minimum.
        IMin = 11: Operation::SMin,
        /// Unsigned maximum.
        UMax = 12: Operation::UMax,
        /// Unsigned minimum.
        UMin = 13: Operation::UMin,
        /// Compare and swap.
        CmpXchg = 14: Operation::Cas,
        /// Decrement, new value returned.
        PreDec = 15: Operation::PreDec,
    }
}

rows! {
    /// What an atomic does to floats ("Atomic Float Operation Type").
    pub enum FloatAtomicOp: Operation {
        /// Maximum.
        FMax = 1: Operation::FMax,
        /// Minimum.
        FMin = 2: Operation::FMin,
        /// Compare and swap.
        FCmpXchg = 3: Operation::FCas,
        /// Add.
        FAdd = 4: Operation::FAdd,
        /// Subtract.
        FSub = 5: Operation::FSub,
        /// Add doubles.
        FAddWide = 6: Operation::FAdd,
        /// Subtract doubles.
        FSubWide = 7: Operation::FSub,
    }
}

/// Atomic operations.
#[bitfield(u32)]
pub struct Atomic {
    /// The surface.
    #[bits(8, from = SurfaceIndex::from_bits, into = SurfaceIndex::into_bits)]
    pub surface: SurfaceIndex,
    /// The operation: a code of [`AtomicOp`], or of [`FloatAtomicOp`] in the lower three bits.
    #[bits(4)]
    pub operation: u8,
    /// Eight lanes on a surface. At 64-bit addresses: of 64 bits (integers), sixteen lanes (floats and
    /// words). Typed: the upper slots.
    pub width: bool,
    /// The old value comes back.
    pub returns: bool,
    /// Which of them.
    #[bits(5, from = Dc1::from_bits, into = Dc1::into_bits)]
    pub message_type: Option<Dc1>,
    #[bits(13)]
    __: u16,
}

impl Atomic {
    /// The operation on integers.
    pub const fn integer(self) -> Option<AtomicOp> {
        AtomicOp::from_bits(wide_u8(self.operation()))
    }

    /// The operation on floats.
    pub const fn float(self) -> Option<FloatAtomicOp> {
        FloatAtomicOp::from_bits(wide_u8(self.operation()) & 7)
    }
}

/// Scattered read or write at 64-bit addresses.
#[bitfield(u32)]
pub struct A64Scattered {
    /// Always stateless.
    #[bits(8, from = SurfaceIndex::from_bits, into = SurfaceIndex::into_bits)]
    pub surface: SurfaceIndex,
    /// Elements.
    #[bits(2, from = ElementType::from_bits, into = ElementType::into_bits)]
    pub element: Option<ElementType>,
    /// Number of elements a lane, as a power of two.
    #[bits(2)]
    pub count_log2: u8,
    /// Sixteen lanes (otherwise eight).
    pub simd16: bool,
    #[bits(1)]
    __: u8,
    /// Which of them.
    #[bits(5, from = Dc1::from_bits, into = Dc1::into_bits)]
    pub message_type: Option<Dc1>,
    #[bits(13)]
    __: u16,
}

kinds!(Descriptor: Scattered, Surface, Atomic, A64Scattered);
