//! Destination and source operands.

use crate::{ExecSize, Reg, Region, Space, Type};
use narrow::{ones, wide_u16, wide_u32};

/// Source modifier.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
#[repr(u8)]
pub enum SrcMod {
    /// No modifier.
    #[default]
    None,
    /// Arithmetic negation, or bitwise `not` in logic instructions.
    Neg,
    /// Absolute value.
    Abs,
    /// The absolute value, negated.
    NegAbs,
}

narrow::enum_numbers!(SrcMod: number u8);

impl SrcMod {
    /// The modifier that does of a float what this one does, and then another.
    pub const fn then(self, then: SrcMod) -> SrcMod {
        let neg = if then.abs() { then.neg() } else { self.neg() != then.neg() };
        SrcMod::new(self.abs() || then.abs(), neg)
    }

    /// Negation, or none.
    pub const fn neg_if(neg: bool) -> SrcMod {
        SrcMod::new(false, neg)
    }

    /// Absolute value, or none.
    pub const fn abs_if(abs: bool) -> SrcMod {
        SrcMod::new(abs, false)
    }

    /// The modifier that does these.
    pub const fn new(abs: bool, neg: bool) -> SrcMod {
        match (abs, neg) {
            (false, false) => SrcMod::None,
            (false, true) => SrcMod::Neg,
            (true, false) => SrcMod::Abs,
            (true, true) => SrcMod::NegAbs,
        }
    }

    /// What text has in front of the operand.
    pub const fn prefix(self) -> &'static str {
        match self {
            SrcMod::None => "",
            SrcMod::Neg => "-",
            SrcMod::Abs => "(abs)",
            SrcMod::NegAbs => "-(abs)",
        }
    }

    /// Absolute value, taken before negation.
    pub const fn abs(self) -> bool {
        matches!(self, SrcMod::Abs | SrcMod::NegAbs)
    }

    /// Arithmetic negation, or bitwise `not` in logic instructions.
    pub const fn neg(self) -> bool {
        matches!(self, SrcMod::Neg | SrcMod::NegAbs)
    }

    /// Whether anything is modified.
    pub const fn any(self) -> bool {
        !matches!(self, SrcMod::None)
    }
}

/// The extra-precision register that a math macro operand names beside its GRF (`r12.mme3`).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Mme {
    /// `mme0` to `mme7`.
    Reg(u8),
    /// `nomme`.
    None,
}

/// A destination operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Dst<S: Space> {
    /// The instruction form has no destination.
    None,
    /// `r12.4<2>:w`.
    Direct {
        /// Where the first channel is written.
        reg: Reg<S>,
        /// Horizontal stride in elements: 1, 2 or 4 (0 appears only in odd encodings).
        horz: u8,
        /// Element type.
        ty: Type,
    },
    /// `r[a0.2,32]<1>:d`.
    Indirect {
        /// The address subregister, or the address variable before allocation.
        addr: Reg<S>,
        /// Byte offset added to the address: -512 to 511 (Xe: multiples fit the field of the platform).
        imm: i16,
        /// Horizontal stride in elements.
        horz: u8,
        /// Element type.
        ty: Type,
    },
    /// `r12.mme1:f` of a math macro.
    Macro {
        /// The GRF.
        reg: Reg<S>,
        /// Extra-precision register.
        mme: Mme,
        /// Element type.
        ty: Type,
    },
}

impl<S: Space> Dst<S> {
    /// `null<1>:ty`.
    pub const fn null(ty: Type) -> Self {
        Dst::Direct { reg: Reg::NULL, horz: 1, ty }
    }

    /// A direct destination with stride 1.
    pub const fn packed(reg: Reg<S>, ty: Type) -> Self {
        Dst::Direct { reg, horz: 1, ty }
    }

    /// The element type, if there is a destination.
    pub const fn ty(&self) -> Option<Type> {
        match *self {
            Dst::None => None,
            Dst::Direct { ty, .. } | Dst::Indirect { ty, .. } | Dst::Macro { ty, .. } => Some(ty),
        }
    }

    /// The register written directly, if any.
    pub const fn reg(&self) -> Option<Reg<S>> {
        match *self {
            Dst::Direct { reg, .. } | Dst::Macro { reg, .. } => Some(reg),
            _ => None,
        }
    }
}

/// A register at the place inside a source where all sources have theirs: whether a source names one, and which, is then
/// asked with one comparison and one load, whatever kind of source it is. All passes ask that of every source.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(align(8))]
pub struct InPlace<S: Space>(pub Reg<S>);

/// A source operand. Kinds that name a register stand behind those that name none.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Src<S: Space> {
    /// The instruction form has no such source.
    None,
    /// An immediate. The low `ty.bytes()` bytes (all of a packed vector's 32 bits) hold the value; the
    /// rest is zero.
    Imm {
        /// The bits.
        bits: u64,
        /// Its type.
        ty: Type,
    },
    /// `(-)r12.4<8;8,1>:w`.
    Direct {
        /// Where the region starts.
        reg: Reg<S>,
        /// The region.
        region: Region,
        /// Source modifier.
        mods: SrcMod,
        /// Element type.
        ty: Type,
    },
    /// `r[a0.2,32]<8;8,1>:w`, or `<W,H>` with one address per row (`vert` is [`Region::VXH`]).
    Indirect {
        /// The (first) address subregister, or the address variable before allocation.
        addr: Reg<S>,
        /// Byte offset added to the address.
        imm: i16,
        /// The region.
        region: Region,
        /// Source modifier.
        mods: SrcMod,
        /// Element type.
        ty: Type,
    },
    /// `r12.mme1:f` of a math macro.
    Macro {
        /// The GRF.
        reg: Reg<S>,
        /// Extra-precision register.
        mme: Mme,
        /// Source modifier.
        mods: SrcMod,
        /// Element type.
        ty: Type,
    },
    /// The byte address of a variable in the register file, for address arithmetic. Allocation turns it
    /// into an immediate; physical code has none.
    AddrOf {
        /// The variable (marked [`Var::address_taken`](crate::Var::address_taken)) and a byte offset.
        reg: InPlace<S>,
        /// Type of the value, `:uw` or wider.
        ty: Type,
    },
}

impl<S: Space> Src<S> {
    /// A direct source without modifiers.
    pub const fn new(reg: Reg<S>, region: Region, ty: Type) -> Self {
        Src::Direct { reg, region, mods: SrcMod::None, ty }
    }

    /// `<0;1,0>`.
    pub const fn scalar(reg: Reg<S>, ty: Type) -> Self {
        Src::new(reg, Region::SCALAR, ty)
    }

    /// `<1;1,0>`.
    pub const fn packed(reg: Reg<S>, ty: Type) -> Self {
        Src::new(reg, Region::PACKED, ty)
    }

    /// The payload of a message with `exec` channels: whole registers from `reg` on.
    pub const fn payload(reg: Reg<S>, exec: ExecSize) -> Self {
        Src::new(reg, Region::payload(exec.lanes()), Type::Ud)
    }

    /// An immediate of a 64-bit or narrower type.
    pub const fn imm(bits: u64, ty: Type) -> Self {
        let n = match ty {
            Type::V | Type::Uv | Type::Vf => 4,
            _ => ty.bytes(),
        };
        Src::Imm { bits: bits & ones(n * 8), ty }
    }

    /// An unsigned dword immediate.
    pub const fn ud(value: u32) -> Self {
        Src::Imm { bits: wide_u32(value), ty: Type::Ud }
    }

    /// An unsigned word immediate.
    pub const fn uw(value: u16) -> Self {
        Src::Imm { bits: wide_u32(wide_u16(value)), ty: Type::Uw }
    }

    /// A signed dword immediate.
    pub const fn d(value: i32) -> Self {
        Src::Imm { bits: wide_u32(value.cast_unsigned()), ty: Type::D }
    }

    /// The element type, if there is an operand.
    pub const fn ty(&self) -> Option<Type> {
        match *self {
            Src::None => None,
            Src::Direct { ty, .. }
            | Src::Indirect { ty, .. }
            | Src::Macro { ty, .. }
            | Src::AddrOf { ty, .. }
            | Src::Imm { ty, .. } => Some(ty),
        }
    }

    /// The register read directly, if any.
    pub const fn reg(&self) -> Option<Reg<S>> {
        match *self {
            Src::Direct { reg, .. } | Src::Macro { reg, .. } => Some(reg),
            _ => None,
        }
    }

    /// The address of what a register holds, as a number.
    pub const fn address_of(reg: Reg<S>, ty: Type) -> Self {
        Src::AddrOf { reg: InPlace(reg), ty }
    }

    /// The register that is named, if any: what is read, where it is, or whose address is meant.
    #[inline]
    pub const fn named(&self) -> Option<Reg<S>> {
        match *self {
            Src::Direct { reg, .. }
            | Src::Indirect { addr: reg, .. }
            | Src::Macro { reg, .. }
            | Src::AddrOf { reg: InPlace(reg), .. } => Some(reg),
            Src::None | Src::Imm { .. } => None,
        }
    }

    /// The source modifier.
    pub const fn mods(&self) -> SrcMod {
        match *self {
            Src::Direct { mods, .. } | Src::Indirect { mods, .. } | Src::Macro { mods, .. } => mods,
            _ => SrcMod::None,
        }
    }

    /// Whether this is an immediate.
    pub const fn is_imm(&self) -> bool {
        matches!(self, Src::Imm { .. })
    }

    /// The type of a packed immediate, if this is one.
    pub const fn vector_type(&self) -> Option<Type> {
        match *self {
            Src::Imm { ty, .. } if ty.is_vector() => Some(ty),
            _ => None,
        }
    }
}
