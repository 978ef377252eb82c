//! Stochastic rounding (Xe-HPC): `:f` to `:hf`, `:hf` to `:bf8`. Conversions to and from `:bf8`, and to `:tf32`.
//!
//! vISA writes `:bf8` as `:ub` and gives the random bits as floats or unsigned integers. The machine wants the
//! types themselves, the random bits in elements as wide as the value, and operands that are packed from the start
//! of a register on, or scalar single floats; one channel of `:bf8` does not exist (Intel's finalizer, `fixSrnd`). So do
//! conversions (`fixFcvt`).

use gen_ir::{Dst, ExecSize, Op, Src, Type};

use super::{
    legalizer::{Legalizer, Step},
    not_legal::NotLegal,
    operand::{Saturates, is_scalar},
    slice::slice,
};
use crate::build::{self, VInst, with_type};

pub(super) fn rule(lx: &mut Legalizer<'_>, inst: &VInst) -> Step {
    let to = match (inst.op, inst.src[0].ty(), inst.dst.ty()) {
        (Op::Srnd, Some(Type::F), Some(Type::Hf)) => Type::Hf,
        (Op::Srnd, Some(Type::Hf), Some(Type::Ub)) => Type::Bf8,
        (Op::Srnd, ..) => return Step::Refuse(NotLegal::RoundedTypes),
        (Op::Mov, Some(from), Some(to)) if from == Type::Bf8 || matches!(to, Type::Bf8 | Type::Tf32) => to,
        _ => return Step::Keep,
    };
    if inst.op == Op::Srnd && inst.src[1].ty().is_some_and(|t| t.is_float() && Some(t) != inst.src[0].ty()) {
        return Step::Refuse(NotLegal::RandomBits);
    }
    let lanes = inst.exec.lanes();
    let single = lanes == 1 && (to == Type::Bf8 || inst.src[0].ty() == Some(Type::Bf8));
    if inst.op == Op::Srnd && lanes * 4 > lx.grf() && to == Type::Hf && !is_scalar(&inst.src[0], lanes) {
        in_halves(lx, inst);
        return Step::Replaced;
    }
    let mut new = *inst;
    if inst.op == Op::Srnd {
        random(lx, &mut new);
    }
    for i in 0..usize::from(inst.op.info().srcs) {
        operand(lx, &mut new, i);
    }
    let placed = match inst.dst {
        Dst::Direct { reg, horz: 1, .. } if !single => {
            lx.raise_alignment(reg, lx.grf());
            lx.is_general(reg) && lx.is_aligned(reg, lx.grf())
        }
        _ => false,
    };
    if let (true, Dst::Direct { reg, .. }) = (placed, inst.dst) {
        new.dst = Dst::packed(reg, to);
        lx.push_raw(new);
        return Step::Replaced;
    }
    if single {
        new.exec = ExecSize::S2;
    }
    through_temporary(lx, inst, new, to);
    Step::Replaced
}

/// Floats that fill more than a register: two operations.
fn in_halves(lx: &mut Legalizer<'_>, inst: &VInst) {
    let half = inst.exec.lanes() / 2;
    if lx.overlaps(inst, half) {
        lx.stage_destination(inst, Type::Hf, 1, Saturates::Operation);
    } else {
        lx.inst(slice(inst, 0, half));
        lx.inst(slice(inst, half, half));
    }
}

/// The operation `new` of all channels into a temporary, and a copy of its bits to where the result of `inst` goes.
fn through_temporary(lx: &mut Legalizer<'_>, inst: &VInst, mut new: VInst, to: Type) {
    let result = lx.aligned_temp(inst.exec.lanes().max(2) * to.bytes());
    new.dst = Dst::packed(result, to);
    (new.pred, new.no_mask, new.origin) = (None, true, inst.origin);
    lx.push_raw(new);
    let bits = Type::unsigned(to.bytes()).unwrap_or(Type::Ub);
    let mut copy = build::mov(
        super::legalizer::lanes_of(inst),
        inst.dst,
        Src::new(result, build::strided(1, inst.exec), bits),
    );
    copy.dst = match copy.dst {
        Dst::Direct { reg, horz, .. } => Dst::Direct { reg, horz, ty: bits },
        Dst::Indirect { addr, imm, horz, .. } => Dst::Indirect { addr, imm, horz, ty: bits },
        other => other,
    };
    copy.pred = inst.pred;
    lx.helper(copy, inst);
}

/// Brings the random bits to the width of the value.
fn random(lx: &mut Legalizer<'_>, inst: &mut VInst) {
    let (Some(value), Some(ty)) = (inst.src[0].ty(), inst.src[1].ty()) else { return };
    if ty == value {
        return;
    }
    let wide = Type::unsigned(value.bytes()).unwrap_or(Type::Ud);
    lx.stage_source(inst, 1, wide, 1);
    if let Src::Direct { reg, .. } = inst.src[1] {
        lx.raise_alignment(reg, lx.grf());
    }
    inst.src[1] = with_type(inst.src[1], value);
}

/// Puts a source at the start of a register, packed or scalar.
fn operand(lx: &mut Legalizer<'_>, inst: &mut VInst, i: usize) {
    let lanes = inst.exec.lanes();
    let Some(ty) = inst.src[i].ty() else { return };
    if ty == Type::Bf8 {
        // Only its bits are moved.
        inst.src[i] = with_type(inst.src[i], Type::Ub);
        operand(lx, inst, i);
        inst.src[i] = with_type(inst.src[i], ty);
        return;
    }
    if let Src::Direct { reg, region, mods, .. } = inst.src[i] {
        let scalar = is_scalar(&inst.src[i], lanes);
        let walks = scalar && (ty == Type::F || lanes == 1) || region.stride(lanes) == Some(1);
        if walks && !mods.any() && lx.is_general(reg) && lx.is_aligned(reg, lx.grf()) {
            return;
        }
        if scalar && ty.bytes() < 4 && lanes > 1 {
            return lx.broadcast_source(inst, i, ty);
        }
    } else if lanes > 1 && ty == Type::Hf {
        return lx.broadcast_source(inst, i, ty);
    }
    lx.stage_source(inst, i, ty, 1);
    if let Src::Direct { reg, .. } = inst.src[i] {
        lx.raise_alignment(reg, lx.grf());
    }
}
