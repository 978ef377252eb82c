//! Types that an arithmetic instruction does not combine, and saturation that it does not have.
//!
//! Arithmetic does not mix integers and floats, and a float's destination has the type that is computed in
//! (specification of vISA, "Type Conversion"; the type maps of the pages have rows of integers, of floats and of
//! doubles); Intel's finalizer refuses what does, and what rotates bytes. Where the page of an instruction on bits says
//! nothing of saturation, Intel's finalizer drops it.

use gen_ir::{Dst, Op, Src, SrcMod, Type};
use visa::{Opcode, Srcs, VectorOperand};

use super::{Lowered, Lowerer};
use crate::build::{self, VDst, VSrc};

/// Types that are not mixed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Integer,
    Float,
    Double,
}

impl Kind {
    /// The kind of a type; packed constants adapt.
    const fn of(ty: Type) -> Option<Kind> {
        match ty {
            Type::V | Type::Uv | Type::Vf => None,
            Type::Df => Some(Kind::Double),
            _ if ty.is_float() => Some(Kind::Float),
            _ => Some(Kind::Integer),
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Kind::Integer => "integer",
            Kind::Float => "floating-point",
            Kind::Double => "double",
        }
    }
}

/// Refuses operands of two kinds.
#[inline(always)]
pub(super) fn one_kind(opcode: Opcode, dst: &VDst, srcs: &[VSrc]) -> Lowered {
    let Some(first) = dst.ty().and_then(Kind::of) else { return Ok(()) };
    match srcs.iter().filter_map(Src::ty).filter_map(Kind::of).find(|k| *k != first) {
        Some(other) => mixed(opcode, [first, other]),
        None => Ok(()),
    }
}

/// Whether an operation on bits saturates nothing.
const fn has_no_saturation(op: Op) -> bool {
    matches!(
        op,
        Op::And
            | Op::Or
            | Op::Xor
            | Op::Not
            | Op::Rol
            | Op::Ror
            | Op::Bfe
            | Op::Bfi2
            | Op::Bfn
            | Op::Bfrev
            | Op::Cbit
            | Op::Fbh
            | Op::Fbl
    )
}

impl Lowerer<'_> {
    /// Looks at the instruction that was appended last: whether it means something, and without saturation that
    /// it does not have.
    #[inline(always)]
    pub(crate) fn settle_types(&mut self, opcode: Opcode, op: Op) -> Lowered {
        let inst = self.block_insts().last_mut();
        let Some(inst) = inst else { return Ok(()) };
        inst.sat &= !has_no_saturation(op);
        match op {
            Op::Add | Op::Mul | Op::Mad => one_kind(opcode, &inst.dst, &inst.src),
            Op::Rol | Op::Ror if inst.src[0].ty().is_some_and(|t| t.bytes() == 1) => {
                Err(format!("`{opcode}` of bytes; allowed: words, dwords, and qwords where there are such")
                    .into())
            }
            _ => Ok(()),
        }
    }
}

impl Lowerer<'_> {
    /// `fcvt`: what vISA calls `:ub` is an 8-bit float, and `:ud` beside `:f` a TensorFloat-32 (spec "FCVT").
    pub(crate) fn convert_float(&mut self, dst: &VectorOperand, srcs: Srcs<'_>) -> Lowered {
        if !self.caps.ops.srnd {
            return self.unsupported(Opcode::Fcvt);
        }
        let (dst, _) = self.dst(dst)?;
        let src = self.src(&srcs[0])?;
        let (to, from) = match (dst.ty(), src.ty()) {
            (Some(Type::Hf), Some(Type::Ub)) => (Type::Hf, Type::Bf8),
            (Some(Type::Ub), Some(Type::Hf)) if self.lanes.no_mask && self.pred.is_none() => {
                (Type::Bf8, Type::Hf)
            }
            (Some(Type::Ub), Some(Type::Hf)) => {
                return Err(
                    "8-bit floats are made in all channels; allowed: masks that say so (M1_NM)".into()
                );
            }
            (Some(Type::Ud), Some(Type::F)) => (Type::Tf32, Type::F),
            // Each is a single float.
            (Some(Type::F), Some(Type::Ud)) => (Type::Ud, Type::Ud),
            _ => return Err("`fcvt` is between :hf and :ub, or between :f and :ud".into()),
        };
        let dst = match dst {
            Dst::Direct { reg, horz, .. } => Dst::Direct { reg, horz, ty: to },
            _ => return Err("`fcvt` to what is no variable".into()),
        };
        let src = match src {
            Src::Direct { reg, region, mods: SrcMod::None, .. } => Src::new(reg, region, from),
            _ => return Err("`fcvt` of what is no variable, or has a modifier".into()),
        };
        self.emit_guarded(build::mov(self.lanes, dst, src));
        Ok(())
    }
}

#[cold]
fn mixed(opcode: Opcode, [one, other]: [Kind; 2]) -> Lowered {
    let (one, other) = (one.name(), other.name());
    Err(format!("{one} and {other} operands in one `{opcode}`; a `mov` converts").into())
}
