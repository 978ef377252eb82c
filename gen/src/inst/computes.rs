//! What an instruction computes in, as the rules and the rewriting that makes instructions obey them both ask it.

use crate::{Inst, Op, Space, Src, Type};

impl Type {
    /// The type that an operand of this type is computed in.
    pub const fn widened(self) -> Type {
        match self {
            Type::Ub | Type::B => Type::W,
            other => other.of_elements(),
        }
    }
}

impl<S: Space> Inst<S> {
    /// Types of all operands.
    #[inline]
    pub fn types(&self) -> impl Iterator<Item = Type> + use<'_, S> {
        self.src.iter().filter_map(Src::ty).chain(self.dst.ty())
    }

    /// The type that the hardware computes in (volume 7, "Execution Data Type"); none where no source has a type.
    pub fn exec_type(&self) -> Option<Type> {
        let rank = |t: Type| match t {
            Type::Nf => 7,
            Type::Q | Type::Uq => 6,
            Type::Df => 5,
            Type::D | Type::Ud => 4,
            Type::F => 3,
            Type::Hf | Type::Bf => 2,
            _ => 1,
        };
        let widest = self.src.iter().filter_map(Src::ty).map(Type::widened).max_by_key(|t| rank(*t))?;
        Some(match self.dst.ty() {
            // Halves alone follow the destination.
            Some(dst) if widest == Type::Hf && dst != Type::Hf => dst.widened(),
            _ if self.is_mixed_float() => Type::F,
            _ => widest,
        })
    }

    /// Single and half (or bfloat16) float among the operands.
    pub fn is_mixed_float(&self) -> bool {
        let types = || self.types().map(Type::widened);
        types().any(|t| t == Type::F) && types().any(|t| matches!(t, Type::Hf | Type::Bf))
    }

    /// A `mov` that only copies bits of registers: one type up to its sign, no modifier, no saturation.
    pub fn is_raw_move(&self) -> bool {
        self.moves_bits() && !self.src[0].is_imm()
    }

    /// A `mov` that only copies bits, of registers or of a constant.
    pub(super) fn moves_bits(&self) -> bool {
        let same = match (self.dst.ty(), self.src[0].ty()) {
            (Some(to), Some(from)) => to.same_bits(from),
            _ => false,
        };
        self.op == Op::Mov && same && !self.sat && !self.src[0].mods().any()
    }
}
