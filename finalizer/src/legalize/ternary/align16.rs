//! The align16 form: operands packed and 16-byte aligned, or one replicated element.

use gen_ir::{Dst, ExecSize, Options, PredCtrl, Region, Src, Type};

use super::shape::{copy_out, separate_condition, shape, spans_fit, through};
use crate::{
    build::{self, VInst},
    legalize::{
        legalizer::{Legalizer, Step},
        operand::{is_scalar, without_modifiers},
    },
};

pub(super) fn align16(lx: &mut Legalizer<'_>, inst: &VInst) -> Step {
    let lanes = inst.exec.lanes();
    if inst.pred.is_some_and(|p| p.ctrl != PredCtrl::Seq) {
        // Predicates over groups of channels have other numbers here, and only for up to four.
        let by_channel = lx.predicate_by_channel(inst);
        lx.inst(by_channel);
        return Step::Replaced;
    }
    if lanes == 2 {
        return pair_as_four(lx, inst);
    }
    let Some(ty) = inst.dst.ty() else { return Step::Keep };
    if !destination_fits(lx, inst) {
        let reg = lx.aligned_temp((lanes * ty.bytes()).max(16));
        return through(lx, inst, reg, ty);
    }
    let mut new = *inst;
    let mut changed = false;
    for i in 0..3 {
        let Some(src_ty) = inst.src[i].ty() else { continue };
        let scalar = is_scalar(&inst.src[i], lanes);
        if scalar && src_ty == Type::Df && lanes > 1 {
            if lanes * src_ty.bytes() > 2 * lx.grf() {
                return Step::Keep; // Split first: then one copy serves all slices.
            }
            lx.broadcast_source(&mut new, i, src_ty);
            changed = true;
            continue;
        }
        if !source_fits(lx, inst, i) {
            lx.stage_source(&mut new, i, src_ty, 1);
            if let Src::Direct { reg, .. } = new.src[i] {
                lx.raise_alignment(reg, if scalar { 4 } else { 16 });
            }
            changed = true;
        }
    }
    if changed {
        lx.inst(new);
        return Step::Replaced;
    }
    if lanes > 1 && !spans_fit(lx, inst) {
        return Step::Keep; // Split, then shaped.
    }
    lx.out.push(in_align16(inst));
    Step::Replaced
}

/// Whether the destination is packed, from 16 bytes on.
fn destination_fits(lx: &mut Legalizer<'_>, inst: &VInst) -> bool {
    match inst.dst {
        Dst::Direct { reg, horz, .. } => {
            (horz == 1 || inst.exec.lanes() == 1)
                && !reg.is_null()
                && lx.is_general(reg)
                && lx.starts_at(reg, 16)
        }
        _ => false,
    }
}

/// Whether a source is packed, from 16 bytes on, or one element at a multiple of its size.
fn source_fits(lx: &mut Legalizer<'_>, inst: &VInst, i: usize) -> bool {
    let lanes = inst.exec.lanes();
    match inst.src[i] {
        Src::Direct { reg, ty, .. } if lx.is_general(reg) && is_scalar(&inst.src[i], lanes) => {
            lx.is_aligned(reg, replicated_unit(lx, ty))
        }
        Src::Direct { reg, region, .. } if lx.is_general(reg) => {
            region.stride(lanes) == Some(1) && lx.starts_at(reg, 16)
        }
        _ => false,
    }
}

/// The instruction in this form, whose operands fit.
fn in_align16(inst: &VInst) -> VInst {
    let mut new = *inst;
    if let Dst::Direct { reg, ty, .. } = inst.dst {
        new.dst = Dst::Direct { reg, horz: 1, ty };
    }
    for (i, src) in new.src.iter_mut().enumerate() {
        if let Src::Direct { reg, mods, ty, .. } = *src {
            let stride = if is_scalar(&inst.src[i], inst.exec.lanes()) { 0 } else { 1 };
            *src = Src::Direct { reg, region: shape(i, stride, 2), mods, ty };
        }
    }
    new.opts = new.opts.with(Options::ALIGN16);
    new
}

/// What the place of a replicated element is a multiple of, in bytes. Where halves mix with floats the operand has a bit for odd
/// halves (volume 2a, "Instruction Operands of 3-src instructions", `SubRegNum[1]`; Intel's code for half-float convolutions
/// names them).
fn replicated_unit(lx: &Legalizer<'_>, ty: Type) -> u32 {
    if ty == Type::Hf && lx.caps.regions.mixed_half.computes() { ty.bytes() } else { ty.bytes().max(4) }
}

/// Align16 has no two channels: compute four into a temporary, keep two.
pub(super) fn pair_as_four(lx: &mut Legalizer<'_>, inst: &VInst) -> Step {
    let Some(ty) = inst.dst.ty() else { return Step::Keep };
    if inst.cond.is_some() {
        return separate_condition(lx, inst);
    }
    let mut four = *inst;
    (four.exec, four.chan, four.no_mask, four.pred) = (ExecSize::S4, 0, true, None);
    for i in 0..3 {
        let Some(src_ty) = inst.src[i].ty() else { continue };
        if is_scalar(&inst.src[i], 2) {
            continue;
        }
        let copy = lx.aligned_temp(16.max(4 * src_ty.bytes()));
        let lanes = build::Lanes { chan: 0, ..Legalizer::whole(inst, ExecSize::S2) };
        let plain = without_modifiers(inst.src[i]);
        lx.helper(build::mov(lanes, Dst::packed(copy, src_ty), plain), inst);
        four.src[i] = Src::Direct { reg: copy, region: Region::PACKED, mods: inst.src[i].mods(), ty: src_ty };
    }
    let reg = lx.aligned_temp(4 * ty.bytes());
    four.dst = Dst::packed(reg, ty);
    lx.helper(four, inst);
    copy_out(lx, inst, reg, ty)
}
