//! Operands as the object stores them.
//!
//! Specification: "Vector Operands", "Raw Operands", "Predication".

use crate::{
    ids::{AddrId, LabelId, PredId, SamplerId, StrId, SurfaceId, VarId},
    types::{ExecSize, Modifier, PredCtrl, Region, Type},
};

/// A predicate that guards an instruction, or that is read or written as an operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct PredOperand {
    /// Which predicate.
    pub id: PredId,
    /// Bits are inverted (after `ctrl` has combined them).
    pub inverse: bool,
    /// How the bits combine.
    pub ctrl: PredCtrl,
}

impl PredOperand {
    /// The predicate as it is.
    pub const fn new(id: PredId) -> PredOperand {
        PredOperand { id, inverse: false, ctrl: PredCtrl::None }
    }
}

/// A contiguous piece of a general variable, from a byte offset on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct RawOperand {
    /// The variable; [`VarId::NULL`] if the operand is absent.
    pub var: VarId,
    /// Offset in bytes.
    pub offset: u16,
}

impl Default for RawOperand {
    fn default() -> RawOperand {
        RawOperand::NULL
    }
}

impl RawOperand {
    /// The null operand.
    pub const NULL: RawOperand = RawOperand { var: VarId::NULL, offset: 0 };

    /// True for `%null`.
    pub const fn is_null(self) -> bool {
        self.var.is_null()
    }
}

/// A region of a general variable, or the address of it in `addr_add`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct GeneralOperand {
    /// The variable.
    pub var: VarId,
    /// Offset in registers of the platform (32 bytes; 64 on PVC).
    pub row: u8,
    /// Offset in elements of the variable's type, after `row`.
    pub col: u8,
    /// How lanes map to elements.
    pub region: Region,
    /// Source modifier, or saturation of a destination.
    pub modifier: Modifier,
}

/// Consecutive elements of an address variable.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct AddressOperand {
    /// The variable.
    pub addr: AddrId,
    /// First element.
    pub offset: u8,
    /// Elements used; they repeat if the instruction has more lanes.
    pub width: ExecSize,
    /// Modifier bits of the operand's tag (none in well-formed code).
    pub modifier: Modifier,
}

/// Access to a general variable through an address variable: `r[A0(0),4]<1>:ud`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct IndirectOperand {
    /// The address variable.
    pub addr: AddrId,
    /// First element of the address variable.
    pub addr_offset: u8,
    /// Bytes added to the address.
    pub offset: i16,
    /// Type of the elements accessed.
    pub ty: Type,
    /// How lanes map to elements; a null vertical stride means one address per row.
    pub region: Region,
    /// Source modifier, or saturation of a destination.
    pub modifier: Modifier,
}

/// An operand of an ALU-like instruction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum VectorOperand {
    /// A region of a general variable.
    General(GeneralOperand),
    /// Elements of an address variable.
    Address(AddressOperand),
    /// A predicate as data (logic instructions, destinations of `cmp` and `setp`).
    Predicate(PredOperand, Modifier),
    /// A register region found through an address variable.
    Indirect(IndirectOperand),
    /// A constant. `bits` holds 64 bits for `DF`, `Q` and `UQ`, else 32 (narrow types keep all 32 bits
    /// of the object, of which only the type's width counts).
    Immediate {
        /// Type of the constant.
        ty: Type,
        /// Bit pattern.
        bits: u64,
    },
    /// A surface variable as data (`movs`, `addr_add`).
    Surface {
        /// The variable.
        surface: SurfaceId,
        /// First element.
        offset: u8,
    },
    /// A sampler variable as data (`movs`, `addr_add`).
    Sampler {
        /// The variable.
        sampler: SamplerId,
        /// First element.
        offset: u8,
    },
}

impl VectorOperand {
    /// A constant, bits beyond the type's width cleared.
    pub const fn imm(ty: Type, bits: u64) -> VectorOperand {
        let width = ty.bytes() * 8;
        let bits = if width == 64 { bits } else { bits & ((1 << width) - 1) };
        VectorOperand::Immediate { ty, bits }
    }

    /// The operand's modifier.
    pub const fn modifier(&self) -> Modifier {
        match self {
            VectorOperand::General(g) => g.modifier,
            VectorOperand::Address(a) => a.modifier,
            VectorOperand::Predicate(_, m) => *m,
            VectorOperand::Indirect(i) => i.modifier,
            _ => Modifier::None,
        }
    }

    /// A destination that saturates.
    pub const fn is_saturated(&self) -> bool {
        matches!(self.modifier(), Modifier::Sat)
    }

    /// The constant's bits, cut to the width of its type.
    pub const fn immediate(&self) -> Option<u64> {
        match *self {
            VectorOperand::Immediate { ty, bits } => match VectorOperand::imm(ty, bits) {
                VectorOperand::Immediate { bits, .. } => Some(bits),
                _ => None,
            },
            _ => None,
        }
    }

    /// The general variable that the operand names directly.
    pub const fn var(&self) -> Option<VarId> {
        match self {
            VectorOperand::General(g) => Some(g.var),
            _ => None,
        }
    }

    /// Name of the operand's class, for messages.
    pub const fn class_name(&self) -> &'static str {
        match self {
            VectorOperand::General(_) => "general operand",
            VectorOperand::Address(_) => "address operand",
            VectorOperand::Predicate(..) => "predicate operand",
            VectorOperand::Indirect(_) => "indirect operand",
            VectorOperand::Immediate { .. } => "immediate",
            VectorOperand::Surface { .. } => "surface operand",
            VectorOperand::Sampler { .. } => "sampler operand",
        }
    }
}

/// One slot of an instruction, in the order of its table row (execution size, guard predicate and
/// sub-opcode are in the [`crate::Record`] instead).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Operand {
    /// A vector operand.
    Vector(VectorOperand),
    /// A raw operand.
    Raw(RawOperand),
    /// A plain number: sizes, masks, descriptors. Signed fields are sign-extended to 32 bits.
    Num(u32),
    /// A surface variable.
    Surface(SurfaceId),
    /// A sampler variable.
    Sampler(SamplerId),
    /// A label.
    Label(LabelId),
    /// A string of the pool (function and file names).
    Str(StrId),
    /// The row's condition for this slot does not hold: the operand does not exist.
    Absent,
}

impl Operand {
    /// The vector operand; panics on another kind (the table fixes the kind of each slot).
    #[inline]
    pub fn vector(&self) -> &VectorOperand {
        match self {
            Operand::Vector(v) => v,
            other => panic!("vector operand expected, found {other:?}"),
        }
    }

    /// The raw operand; panics on another kind.
    #[inline]
    pub fn raw(&self) -> RawOperand {
        match self {
            Operand::Raw(r) => *r,
            other => panic!("raw operand expected, found {other:?}"),
        }
    }

    /// The number; panics on another kind.
    #[inline]
    pub fn num(&self) -> u32 {
        match self {
            Operand::Num(n) => *n,
            other => panic!("number expected, found {other:?}"),
        }
    }

    /// The surface; panics on another kind.
    #[inline]
    pub fn surface(&self) -> SurfaceId {
        match self {
            Operand::Surface(s) => *s,
            other => panic!("surface expected, found {other:?}"),
        }
    }

    /// The sampler; panics on another kind.
    #[inline]
    pub fn sampler(&self) -> SamplerId {
        match self {
            Operand::Sampler(s) => *s,
            other => panic!("sampler expected, found {other:?}"),
        }
    }

    /// The label; panics on another kind.
    #[inline]
    pub fn label(&self) -> LabelId {
        match self {
            Operand::Label(l) => *l,
            other => panic!("label expected, found {other:?}"),
        }
    }

    /// The string; panics on another kind.
    pub fn str(&self) -> StrId {
        match self {
            Operand::Str(s) => *s,
            other => panic!("string expected, found {other:?}"),
        }
    }
}

/// The source operands of an ALU instruction.
#[derive(Clone, Copy, Debug)]
pub struct Srcs<'a>(pub(crate) &'a [Operand]);

impl<'a> Srcs<'a> {
    /// Operands that are all vector operands; those of another kind panic when they are looked at.
    pub const fn new(operands: &'a [Operand]) -> Srcs<'a> {
        Srcs(operands)
    }

    /// Number of sources.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Source `i`, if there are that many.
    pub fn get(&self, i: usize) -> Option<&'a VectorOperand> {
        self.0.get(i).map(Operand::vector)
    }

    /// The sources in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &'a VectorOperand> + use<'a> {
        self.0.iter().map(Operand::vector)
    }
}

impl std::ops::Index<usize> for Srcs<'_> {
    type Output = VectorOperand;

    fn index(&self, i: usize) -> &VectorOperand {
        self.0[i].vector()
    }
}

/// Raw operands of variable number (sampler parameters).
#[derive(Clone, Copy, Debug)]
pub struct Raws<'a>(pub(crate) &'a [Operand]);

impl<'a> Raws<'a> {
    /// Operands that are all raw operands; those of another kind panic when they are looked at.
    pub const fn new(operands: &'a [Operand]) -> Raws<'a> {
        Raws(operands)
    }

    /// Number of operands.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The operands in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = RawOperand> + use<'a> {
        self.0.iter().map(Operand::raw)
    }
}

/// Labels of variable number (`switchjmp`).
#[derive(Clone, Copy, Debug)]
pub struct Labels<'a>(pub(crate) &'a [Operand]);

impl<'a> Labels<'a> {
    /// Operands that are all labels; those of another kind panic when they are looked at.
    pub const fn new(operands: &'a [Operand]) -> Labels<'a> {
        Labels(operands)
    }

    /// Number of labels.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The labels in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = LabelId> + use<'a> {
        self.0.iter().map(Operand::label)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_and_operands_stay_small() {
        assert_eq!(size_of::<crate::Record>(), 24);
        assert_eq!(size_of::<Operand>(), 16);
    }

    #[test]
    fn immediates_are_cut_to_their_type() {
        assert_eq!(VectorOperand::imm(Type::W, 0xffff_fffe).immediate(), Some(0xfffe));
        assert_eq!(VectorOperand::imm(Type::Q, u64::MAX).immediate(), Some(u64::MAX));
        assert_eq!(VectorOperand::Immediate { ty: Type::UB, bits: 0x1ff }.immediate(), Some(0xff));
    }
}
