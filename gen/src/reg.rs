//! Registers: physical ones, and the variables that stand for them before allocation.

use std::{
    fmt::{self, Debug, Formatter},
    hash::Hash,
};

/// What a register may be at one stage of the pipeline.
pub trait Space: Copy + Eq + Ord + Hash + Debug + Default + 'static {
    /// How a not yet allocated register is named.
    type Var: Copy + Eq + Ord + Hash + Debug;

    /// Writes a variable's name (`V12`).
    fn write_var(var: Self::Var, f: &mut Formatter<'_>) -> fmt::Result;

    /// The position of a variable in the kernel's table.
    fn var_index(var: Self::Var) -> usize;
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

    fn write_var(var: VarId, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "V{}", var.0)
    }
}

impl Space for Physical {
    type Var = Never;

    fn var_index(var: Never) -> usize {
        match var {}
    }

    fn write_var(var: Never, _: &mut Formatter<'_>) -> fmt::Result {
        match var {}
    }
}

/// Index of a variable in [`Kernel::vars`](crate::Kernel::vars).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct VarId(pub u32);

impl VarId {
    /// The position in the kernel's variable table.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

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

/// The register an operand starts in.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Base<S: Space> {
    /// General register number.
    Grf(u16),
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
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Reg<S: Space> {
    /// Where the operand starts.
    pub base: Base<S>,
    /// Byte offset from there.
    pub byte: u32,
}

impl<S: Space> Reg<S> {
    /// The null register.
    pub const NULL: Reg<S> = Reg { base: Base::Arf(Arf::Null), byte: 0 };

    /// General register `num`, byte `byte`.
    pub const fn grf(num: u16, byte: u32) -> Self {
        Reg { base: Base::Grf(num), byte }
    }

    /// Architecture register at byte `byte`.
    pub const fn arf(arf: Arf, byte: u32) -> Self {
        Reg { base: Base::Arf(arf), byte }
    }

    /// `true` for `null`.
    pub fn is_null(self) -> bool {
        self.base == Base::Arf(Arf::Null)
    }

    /// The variable, if one is named.
    pub fn var(self) -> Option<S::Var> {
        match self.base {
            Base::Var(v) => Some(v),
            _ => None,
        }
    }

    /// The same register, `bytes` further on.
    #[must_use]
    pub const fn plus(self, bytes: u32) -> Self {
        Reg { base: self.base, byte: self.byte + bytes }
    }
}

impl Reg<Virtual> {
    /// A variable from byte `byte` on.
    pub const fn var_at(var: VarId, byte: u32) -> Self {
        Reg { base: Base::Var(var), byte }
    }
}
