//! Destinations narrower than the execution type.
//!
//! Volume 7, "General Restrictions Based on Operand Types": a narrower destination is strided to the
//! execution type and aligned to it; packed bytes are only written by raw moves.

use gen_ir::{
    Class, Dst, Op, Region, Src, Type,
    rules::places::{starts_with, strides_with},
};

use super::{
    legalizer::{Legalizer, Step},
    operand::{Saturates, exec_bytes, linear_region},
};
use crate::build::{VInst, VReg, VSrc, int_type, with_type};

pub(super) fn rule(lx: &mut Legalizer<'_>, inst: &VInst) -> Step {
    if inst.op.info().class == Class::Ternary {
        return Step::Keep;
    }
    if inst.exec.lanes() == 1 {
        return one_channel(lx, inst);
    }
    let (reg, horz, ty) = match inst.dst {
        Dst::Direct { reg, horz, ty } => (Some(reg), u32::from(horz), ty),
        Dst::Indirect { horz, ty, .. } => (None, u32::from(horz), ty),
        _ => return Step::Keep,
    };
    if reg.is_some_and(VReg::is_null) || inst.is_raw_move() {
        return Step::Keep;
    }
    if let Some(raw) = truncation(inst) {
        lx.inst(raw);
        return Step::Replaced;
    }
    if !matches!(horz, 1 | 2 | 4) {
        lx.stage_destination(inst, ty, 1, Saturates::Operation);
        return Step::Replaced;
    }
    if inst.is_mixed_float() && (inst.op != Op::Mov || ty == Type::Bf) || inst.op == Op::Mov && ty == Type::Hf
    {
        // Narrow results of single-float computations have rules of their own.
        return Step::Keep;
    }
    let exec = exec_bytes(inst);
    let step = horz * ty.bytes();
    if ty.bytes() >= exec {
        return if ty.bytes() == 1 && step == 1 { pack(lx, inst, ty, 2) } else { Step::Keep };
    }
    let wide_enough = strides_with(ty, step, exec);
    let placed = reg.is_none_or(|r| is_placed(lx, r, ty, exec));
    if wide_enough && placed {
        return Step::Keep;
    }
    // Only the variable's place may be in the way.
    if wide_enough && reg.is_some_and(|r| lx.starts_at(r, exec)) {
        return Step::Keep;
    }
    pack(lx, inst, ty, exec / ty.bytes())
}

/// One channel has no stride, but a place: Intel's finalizer writes none that is not aligned (`fixDstAlignment`).
fn one_channel(lx: &mut Legalizer<'_>, inst: &VInst) -> Step {
    let Dst::Direct { reg, ty, .. } = inst.dst else { return Step::Keep };
    let exec = exec_bytes(inst);
    if reg.is_null() || ty.bytes() >= exec || inst.is_raw_move() || is_placed(lx, reg, ty, exec) {
        return Step::Keep;
    }
    if let Some(raw) = truncation(inst) {
        lx.inst(raw);
        return Step::Replaced;
    }
    if lx.starts_at(reg, exec) {
        return Step::Keep;
    }
    lx.stage_destination(inst, ty, 1, Saturates::Operation);
    Step::Replaced
}

/// Whether a destination surely begins where a channel of the execution type may.
fn is_placed(lx: &Legalizer<'_>, reg: VReg, ty: Type, exec: u32) -> bool {
    lx.offset_modulo(reg, exec).is_some_and(|byte| starts_with(ty, byte))
}

/// Computes into a strided temporary, then packs by a raw move.
fn pack(lx: &mut Legalizer<'_>, inst: &VInst, ty: Type, stride: u32) -> Step {
    if stride > 4 {
        // Eight times narrower than the computation: in two steps.
        lx.stage_in_steps(inst, if ty.is_signed() { Type::D } else { Type::Ud }, 2);
        return Step::Replaced;
    }
    lx.stage_destination(inst, ty, stride, Saturates::Operation);
    Step::Replaced
}

/// A truncating integer move is a raw move of the low parts.
fn truncation(inst: &VInst) -> Option<VInst> {
    let dst = inst.dst.ty()?;
    let src = inst.src[0].ty()?;
    let ints = dst.is_int() && src.is_int() && !inst.src[0].is_imm();
    if inst.op != Op::Mov || inst.sat || !ints || inst.src[0].mods().any() || dst.bytes() >= src.bytes() {
        return None;
    }
    let ratio = src.bytes() / dst.bytes();
    let mut raw = *inst;
    raw.src[0] = low_part(inst.src[0], ratio, inst.exec.lanes(), dst)?;
    Some(raw)
}

/// The low parts of a source's elements.
pub(super) fn low_part(src: VSrc, ratio: u32, lanes: u32, to: Type) -> Option<VSrc> {
    let to = int_type(to.bytes(), to.is_signed());
    match src {
        Src::Direct { reg, region, mods, .. } => {
            let stride = region.stride(lanes)? * ratio;
            let region = linear_region(stride, lanes)?;
            Some(Src::Direct { reg, region, mods, ty: to })
        }
        Src::Indirect { addr, imm, region, mods, .. } if region.vert == Region::VXH => {
            (region.width == 1).then_some(Src::Indirect { addr, imm, region, mods, ty: to })
        }
        Src::Indirect { addr, imm, region, mods, .. } => {
            let stride = region.stride(lanes)? * ratio;
            let region = linear_region(stride, lanes)?;
            Some(Src::Indirect { addr, imm, region, mods, ty: to })
        }
        other => Some(with_type(other, to)),
    }
}
