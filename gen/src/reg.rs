//! Registers: physical ones, and the variables that stand for them before allocation.

mod file;
mod sub;

pub use file::{FileByte, GrfNum};
pub use sub::{AddrSub, FlagSub};

use std::{
    fmt::{self, Debug, Formatter},
    hash::Hash,
    marker::PhantomData,
    num::NonZeroU32,
};

use narrow::{as_index, const_u8, low_u8, low_u16, to_index, wide_u8, wide_u16};

/// What a register may be at one stage of the pipeline.
pub trait Space: Copy + Eq + Ord + Hash + Debug + Default + 'static {
    /// How a not yet allocated register is named.
    type Var: Copy + Eq + Ord + Hash + Debug;

    /// Writes a variable's name (`V12`).
    fn write_var(var: Self::Var, f: &mut Formatter<'_>) -> fmt::Result;

    /// The position of a variable in the kernel's table, below 2^30.
    fn var_index(var: Self::Var) -> usize;

    /// The variable at a position, if there are any.
    fn var(index: u32) -> Option<Self::Var>;
}

/// Before allocation: operands may name variables.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Virtual;

/// After allocation, and all that a decoder produces: a variable cannot be expressed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Physical;

/// The type without values.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Never {}

impl Space for Virtual {
    type Var = VarId;

    fn var_index(var: VarId) -> usize {
        var.index()
    }

    #[inline]
    fn var(index: u32) -> Option<VarId> {
        Some(VarId(index))
    }

    fn write_var(var: VarId, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "V{}", var.0)
    }
}

impl Space for Physical {
    type Var = Never;

    fn var_index(var: Never) -> usize {
        match var {}
    }

    #[inline]
    fn var(_: u32) -> Option<Never> {
        None
    }

    fn write_var(var: Never, _: &mut Formatter<'_>) -> fmt::Result {
        match var {}
    }
}

/// Index of a basic block in [`Kernel::blocks`](crate::Kernel::blocks); blocks stand in layout order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct BlockId(pub u32);

narrow::index_type!(BlockId);

impl BlockId {
    /// The first block of a kernel.
    pub const FIRST: BlockId = BlockId(0);
    /// No block: behind all others.
    pub const NONE: BlockId = BlockId(u32::MAX);

    /// The next block in layout order, or one past the last.
    #[inline]
    pub const fn next(self) -> BlockId {
        BlockId(self.0 + 1)
    }

    /// The block before it in layout order.
    #[inline]
    pub fn previous(self) -> Option<BlockId> {
        self.0.checked_sub(1).map(BlockId)
    }

    /// The blocks from this one to one before another, in layout order.
    #[inline]
    pub fn up_to(self, end: BlockId) -> impl DoubleEndedIterator<Item = BlockId> + ExactSizeIterator {
        (self.0..end.0).map(BlockId)
    }
}

/// Index of a variable in [`Kernel::vars`](crate::Kernel::vars).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct VarId(pub u32);

narrow::index_type!(VarId);

/// An architecture register; the payload is its number (`acc1` is `Acc(1)`).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Arf {
    /// `null`: reads as undefined, writes are dropped.
    Null,
    /// `a0`: sixteen 16-bit address subregisters.
    Addr(u8),
    /// `acc0`, `acc1`, ... accumulators (`acc2` to `acc9` on Gen8..11 are the `mme` registers).
    Acc(u8),
    /// `f0`, `f1`, ...: 32 bits each.
    Flag(u8),
    /// `ce`: channel enable.
    ChannelEnable(u8),
    /// `msg`: message control.
    Msg(u8),
    /// `sp`: stack pointer.
    StackPointer(u8),
    /// `sr0`: state.
    State(u8),
    /// `cr0`: control.
    Control(u8),
    /// `n0`: notification counts.
    Notify(u8),
    /// `ip`: instruction pointer.
    Ip,
    /// `tdr0`: thread dependency.
    ThreadDep(u8),
    /// `tm0`: timestamp.
    Timestamp(u8),
    /// `fc0`..: flow control (mask stacks, per-channel ip).
    FlowControl(u8),
    /// `dbg0`: debug.
    Debug(u8),
}

impl Arf {
    /// The two halves of its number in an instruction word, on every platform: the kind of register, and
    /// which one of that kind. (Manuals, "Register File": "ARF Register".) How many of a kind there are is
    /// for the encoder to know.
    #[inline]
    pub const fn code(self) -> (u8, u8) {
        match self {
            Arf::Null => (0x0, 0),
            Arf::Addr(n) => (0x1, n),
            Arf::Acc(n) => (0x2, n),
            Arf::Flag(n) => (0x3, n),
            Arf::ChannelEnable(n) => (0x4, n),
            Arf::Msg(n) => (0x5, n),
            Arf::StackPointer(n) => (0x6, n),
            Arf::State(n) => (0x7, n),
            Arf::Control(n) => (0x8, n),
            Arf::Notify(n) => (0x9, n),
            Arf::Ip => (0xa, 0),
            Arf::ThreadDep(n) => (0xb, n),
            Arf::Timestamp(n) => (0xc, n),
            Arf::FlowControl(n) => (0xd, n),
            Arf::Debug(n) => (0xf, n),
        }
    }

    /// The register of a [`code`](Arf::code).
    #[inline]
    pub const fn from_code(kind: u8, number: u8) -> Option<Arf> {
        Some(match (kind, number) {
            (0x0, 0) => Arf::Null,
            (0x1, n) => Arf::Addr(n),
            (0x2, n) => Arf::Acc(n),
            (0x3, n) => Arf::Flag(n),
            (0x4, n) => Arf::ChannelEnable(n),
            (0x5, n) => Arf::Msg(n),
            (0x6, n) => Arf::StackPointer(n),
            (0x7, n) => Arf::State(n),
            (0x8, n) => Arf::Control(n),
            (0x9, n) => Arf::Notify(n),
            (0xa, 0) => Arf::Ip,
            (0xb, n) => Arf::ThreadDep(n),
            (0xc, n) => Arf::Timestamp(n),
            (0xd, n) => Arf::FlowControl(n),
            (0xf, n) => Arf::Debug(n),
            _ => return None,
        })
    }
}

/// The register an operand starts in.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Base<S: Space> {
    /// General register.
    Grf(GrfNum),
    /// Architecture register.
    Arf(Arf),
    /// Variable, before allocation.
    Var(S::Var),
}

/// A register and a byte offset into it.
///
/// In physical code the offset stays inside the register (GRF: less than the platform's GRF size);
/// in a variable it may reach anywhere within the variable's bytes. Flags and address registers count
/// in bytes too: `f0.1` is byte 2, `a0.3` is byte 6.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Reg<S: Space> {
    /// Where the operand starts, in one word: instructions are kept by the hundred thousand.
    base: Packed,
    /// Byte offset from there.
    pub byte: u32,
    space: PhantomData<S>,
}

/// A [`Base`]: the kind in the two highest bits, then the number; of an architecture register those are the
/// halves of its [`code`](Arf::code), in bits 8 to 15 and below. In the order of [`Base`], and never 0, so that what holds
/// a register or something else needs no more room.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Packed(NonZeroU32);

const GRF: u32 = 1 << NUMBER_BITS;
const ARF: u32 = 2 << NUMBER_BITS;
const VAR: u32 = 3 << NUMBER_BITS;
const NUMBER_BITS: u32 = 30;
const NUMBER: u32 = (1 << NUMBER_BITS) - 1;

impl Packed {
    const fn new(kind: u32, number: u32) -> Packed {
        match NonZeroU32::new(kind | number & NUMBER) {
            Some(bits) => Packed(bits),
            None => Packed(NonZeroU32::MAX),
        }
    }

    const fn arf(arf: Arf) -> Packed {
        let (kind, number) = arf.code();
        Packed::new(ARF, wide_u8(kind) << 8 | wide_u8(number))
    }

    const fn to_arf(self) -> Arf {
        let bits = self.0.get();
        match Arf::from_code(const_u8(as_index(bits >> 8 & 0xff)), const_u8(as_index(bits & 0xff))) {
            Some(arf) => arf,
            None => Arf::Null,
        }
    }
}

impl<S: Space> Reg<S> {
    /// The null register.
    pub const NULL: Reg<S> = Reg::arf(Arf::Null, 0);

    /// What starts at byte `byte` of `base`.
    pub fn new(base: Base<S>, byte: u32) -> Self {
        match base {
            Base::Grf(num) => Reg::grf(num, byte),
            Base::Arf(arf) => Reg::arf(arf, byte),
            Base::Var(var) => Reg::packed(Packed::new(VAR, to_index(S::var_index(var))), byte),
        }
    }

    /// General register `num`, byte `byte`.
    pub const fn grf(num: GrfNum, byte: u32) -> Self {
        Reg::packed(Packed::new(GRF, wide_u16(num.number())), byte)
    }

    /// What starts at a byte of the general register file, where registers have so many bytes.
    #[inline]
    #[track_caller]
    pub fn in_file(at: FileByte, grf_bytes: u32) -> Self {
        debug_assert!(grf_bytes.is_power_of_two());
        let byte = at.bytes();
        Reg::grf(GrfNum::new(low_u16(byte >> grf_bytes.trailing_zeros())), byte & (grf_bytes - 1))
    }

    /// The byte of the general register file that it starts at, where registers have so many bytes; none for what is
    /// not in that file.
    #[inline]
    pub fn file_byte(self, grf_bytes: u32) -> Option<FileByte> {
        FileByte::try_new(self.grf_number()?.start(grf_bytes).bytes().checked_add(self.byte)?)
    }

    /// Architecture register at byte `byte`.
    pub const fn arf(arf: Arf, byte: u32) -> Self {
        Reg::packed(Packed::arf(arf), byte)
    }

    const fn packed(base: Packed, byte: u32) -> Self {
        Reg { base, byte, space: PhantomData }
    }

    /// Where the operand starts.
    #[inline]
    pub fn base(self) -> Base<S> {
        let bits = self.base.0.get();
        match bits & !NUMBER {
            VAR => S::var(bits & NUMBER).map_or(Base::Arf(Arf::Null), Base::Var),
            ARF => Base::Arf(self.base.to_arf()),
            _ => Base::Grf(GrfNum::from(low_u8(bits))),
        }
    }

    /// Whether another register starts in the same one.
    #[inline]
    pub fn is_in(self, other: Reg<S>) -> bool {
        self.base == other.base
    }

    /// `true` for `null`.
    #[inline]
    pub fn is_null(self) -> bool {
        self.base == Packed::arf(Arf::Null)
    }

    /// The number of the general register that the operand starts in.
    #[inline]
    pub fn grf_number(self) -> Option<GrfNum> {
        let bits = self.base.0.get();
        (bits & !NUMBER == GRF).then_some(GrfNum::from(low_u8(bits)))
    }

    /// The kind of architecture register that the operand starts in, the first half of its [`code`](Arf::code).
    #[inline]
    pub fn arf_kind(self) -> Option<u8> {
        let bits = self.base.0.get();
        (bits & !NUMBER == ARF).then_some(low_u8(bits >> 8))
    }

    /// The variable, if one is named.
    #[inline]
    pub fn var(self) -> Option<S::Var> {
        let bits = self.base.0.get();
        if bits & !NUMBER == VAR { S::var(bits & NUMBER) } else { None }
    }

    /// The same register, `bytes` further on.
    #[must_use]
    pub const fn plus(self, bytes: u32) -> Self {
        self.at(self.byte + bytes)
    }

    /// The same register at another byte.
    #[must_use]
    pub const fn at(self, byte: u32) -> Self {
        Reg { byte, ..self }
    }
}

impl<S: Space> Debug for Reg<S> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reg").field("base", &self.base()).field("byte", &self.byte).finish()
    }
}

impl Reg<Virtual> {
    /// A variable from byte `byte` on.
    pub const fn var_at(var: VarId, byte: u32) -> Self {
        Reg::packed(Packed::new(VAR, var.0), byte)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Inst, Src};

    #[test]
    fn a_register_comes_out_as_it_went_in() {
        let arfs = (0..=15u8).filter_map(|kind| Arf::from_code(kind, 3).or(Arf::from_code(kind, 0)));
        let arfs: Vec<Arf> = arfs.collect();
        assert_eq!(arfs.len(), 15);
        let mut bases: Vec<Base<Virtual>> = [0, 1, 127, 255].map(|n| Base::Grf(GrfNum::new(n))).into();
        bases.extend(arfs.iter().copied().map(Base::Arf));
        bases.extend([0, 1, 0xffff_ffff >> 2].map(|v| Base::Var(VarId(v))));
        let regs: Vec<Reg<Virtual>> = bases.iter().map(|&base| Reg::new(base, 7)).collect();
        for (base, reg) in bases.iter().zip(&regs) {
            assert_eq!((reg.base(), reg.byte), (*base, 7));
            assert_eq!(reg.is_null(), *base == Base::Arf(Arf::Null));
            assert_eq!(reg.var(), if let Base::Var(v) = base { Some(*v) } else { None });
        }
        // Their order is that of what they hold.
        assert!(bases.is_sorted() && regs.is_sorted());
    }

    #[test]
    fn registers_and_operands_stay_small() {
        assert_eq!(size_of::<Option<Reg<Virtual>>>(), 8);
        assert_eq!(size_of::<Src<Virtual>>(), 16);
        assert_eq!(size_of::<Inst<Virtual>>(), 128);
        assert_eq!(size_of::<Inst<Physical>>(), 128);
    }
}
