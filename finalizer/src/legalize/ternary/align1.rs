//! The align1 form: small sets of strides, 16-bit immediates.

use gen_ir::{
    Dst, Op, Src, Type,
    rules::places::{keeps_channels, lies_as_result},
};
use platforms::TernaryImm;

use super::shape::{shape, spans_fit, through};
use crate::{
    build::{VInst, VSrc, extend},
    legalize::{
        legalizer::{Legalizer, Step},
        operand::{Saturates, is_scalar},
    },
};

pub(super) fn align1(lx: &mut Legalizer<'_>, inst: &VInst) -> Step {
    let lanes = inst.exec.lanes();
    let Some(ty) = inst.dst.ty() else { return Step::Keep };
    if !destination_fits(lx, inst, ty) {
        let reg = lx.aligned_temp((lanes * ty.bytes()).max(16));
        return through(lx, inst, reg, ty);
    }
    let exec = inst.exec_type().unwrap_or(Type::Ud);
    if lanes > 1 && ty.is_int() && exec.is_int() && ty.bytes() < exec.bytes() {
        // The result is that of the wider computation; it is packed behind it.
        if inst.sat {
            lx.stage_in_steps(inst, if ty.is_signed() { Type::D } else { Type::Ud }, 1);
        } else {
            lx.stage_destination(inst, exec, 1, Saturates::Move);
        }
        return Step::Replaced;
    }
    if let Some(new) = dwords_last(inst) {
        lx.inst(new);
        return Step::Replaced;
    }
    if let Some(step) = last_source(lx, inst, ty) {
        return step;
    }
    let mut new = *inst;
    let mut changed = false;
    for i in 0..3 {
        let Some(src_ty) = inst.src[i].ty() else { continue };
        if let Some(same) = align1_source(lx, inst, i) {
            new.src[i] = same;
        } else {
            // Only the place is wrong: a narrow type has no room for what modifiers make.
            lx.copy_source(&mut new, i, src_ty);
            changed = true;
        }
    }
    if changed {
        lx.inst(new);
        return Step::Replaced;
    }
    if keeps_channels(lx.caps, inst)
        && !lx.caps.regions.float_regions
        && let Some(step) = same_places(lx, inst)
    {
        return step;
    }
    if lanes > 1 && !spans_fit(lx, inst) {
        return Step::Keep;
    }
    let new = spelled(lx, inst, new, ty);
    lx.out.push(new);
    Step::Replaced
}

/// Whether the destination is packed, and aligned as the platform wants it.
fn destination_fits(lx: &mut Legalizer<'_>, inst: &VInst, ty: Type) -> bool {
    let need = u32::from(lx.caps.regions.ternary_align);
    match inst.dst {
        Dst::Direct { reg, horz, .. } => {
            (horz == 1 || inst.exec.lanes() == 1)
                && (reg.is_null() || !lx.is_general(reg) || lx.starts_at(reg, need.max(ty.bytes())))
        }
        _ => false,
    }
}

/// The instruction with its regions as the words of align1 have them.
fn spelled(lx: &Legalizer<'_>, inst: &VInst, mut new: VInst, ty: Type) -> VInst {
    let lanes = inst.exec.lanes();
    for i in 0..3 {
        if let Src::Direct { reg, mods, ty, .. } = new.src[i] {
            let stride = source_stride(&inst.src[i], lanes).unwrap_or(9);
            // An aligned packed source spells its rows out before Xe-HPC.
            let rows = lx.caps.regions.float_regions
                && stride == 1
                && lx.is_aligned(reg, 32.min(lanes * ty.bytes()).max(16));
            let unit = if rows && lanes >= 8 { 8 } else { lx.caps.regions.ternary_unit_stride };
            new.src[i] = Src::Direct { reg, region: shape(i, stride, unit), mods, ty };
        }
    }
    if let Dst::Direct { reg, .. } = new.dst {
        new.dst = Dst::Direct { reg, horz: 1, ty };
    }
    new
}

/// A source as the words of align1 have it, where it stands, if they do.
pub(super) fn align1_source(lx: &mut Legalizer<'_>, inst: &VInst, i: usize) -> Option<VSrc> {
    let src = inst.src[i];
    match src {
        Src::Imm { bits, ty } => short_immediate(lx, inst, i, bits, ty),
        Src::Direct { .. } => {
            let fits = match source_stride(&src, inst.exec.lanes()) {
                Some(0 | 1) => true,
                // It lies as the destination does.
                Some(_) if i == 2 => true,
                // Words may lie as the dwords of the result do.
                Some(2) if lies_as_dwords(inst, &src) => true,
                Some(2 | 4) => lx.caps.regions.float_regions,
                _ => false,
            };
            fits.then_some(src)
        }
        _ => None,
    }
}

/// Whether words of a source lie as far apart as the dwords that an instruction computes (Intel's compilers write
/// `add3 (32) r80.0<1>:d r98.0<1;0>:d r56.1<4;2>:w r34.0<1>:d` on Xe-HPC).
fn lies_as_dwords(inst: &VInst, src: &VSrc) -> bool {
    let word = src.ty().is_some_and(|t| t.is_int() && t.bytes() == 2);
    word && source_stride(src, inst.exec.lanes()) == Some(2) && inst.dst.ty().is_some_and(Type::is_dword)
}

/// A sum of three whose last summand does not lie as the result does, while another one is packed dwords: those change
/// places.
fn dwords_last(inst: &VInst) -> Option<VInst> {
    let lanes = inst.exec.lanes();
    let dword = |s: &VSrc| s.ty().is_some_and(Type::is_dword) && source_stride(s, lanes) == Some(1);
    let moves = inst.op == Op::Add3 && lanes > 1 && lies_as_dwords(inst, &inst.src[2]);
    let i = (0..2).find(|&i| moves && dword(&inst.src[i]))?;
    let mut new = *inst;
    new.src.swap(i, 2);
    Some(new)
}

/// From one channel's element of a source in registers to the next one's, if that is the same for all.
pub(super) fn source_stride(src: &VSrc, lanes: u32) -> Option<u32> {
    match *src {
        Src::Direct { .. } if is_scalar(src, lanes) => Some(0),
        Src::Direct { region, .. } => region.stride(lanes),
        _ => None,
    }
}

/// The last source lies as the destination does, or both go to the beginning of a register.
pub(super) fn last_source(lx: &mut Legalizer<'_>, inst: &VInst, ty: Type) -> Option<Step> {
    let (Src::Direct { reg, ty: src, .. }, Dst::Direct { reg: dst, .. }) = (inst.src[2], inst.dst) else {
        return None;
    };
    if !lies_as_result(inst) || dst.is_null() || !lx.is_general(dst) {
        return None;
    }
    let grf = lx.grf();
    let channels = |lx: &Legalizer<'_>| Some((lx.src_channels(inst, 2)?, lx.dst_channels(inst)?));
    let lies = |lx: &Legalizer<'_>| channels(lx).is_some_and(|(from, to)| from.lie_as(to));
    if channels(lx).is_some_and(|(from, to)| from.step_as(to) && !from.start_as(to)) {
        lx.starts_at(reg, grf);
    }
    if lies(lx) {
        return None;
    }
    if !lx.starts_at(dst, grf) {
        let temp = lx.aligned_temp(inst.exec.lanes() * ty.bytes());
        return Some(through(lx, inst, temp, ty));
    }
    if lies(lx) {
        return None;
    }
    let stride = ty.bytes() / src.bytes();
    let mut new = *inst;
    lx.copy_source_apart(&mut new, 2, src, stride.max(1));
    lx.inst(new);
    Some(Step::Replaced)
}

/// 16-bit immediates as sources 0 and 2.
pub(super) fn short_immediate(
    lx: &Legalizer<'_>,
    inst: &VInst,
    i: usize,
    bits: u64,
    ty: Type,
) -> Option<VSrc> {
    let may = match lx.caps.words.ternary_imm {
        TernaryImm::None => false,
        // Made of an integer product before (`integer_mad`).
        TernaryImm::LastWord => i == 2 && inst.op == Op::Mad && ty == Type::W,
        // Intel's finalizer writes none in `bfe` and `bfi2`, whose sources are dwords (Mesa's validator: "BFI2 source
        // type must match destination type").
        TernaryImm::FirstAndLast => i != 1 && !matches!(inst.op, Op::Bfe | Op::Bfi2),
    };
    if !may {
        return None;
    }
    match ty {
        Type::W | Type::Uw | Type::Hf => Some(Src::imm(bits, ty)),
        Type::D | Type::Ud | Type::B | Type::Ub if inst.op != Op::Mad || i == 2 => {
            let v = extend(bits, ty).cast_signed();
            // Four bytes have the sign of their type, whatever they are together.
            let bytes = inst.op == Op::Dp4a && i == 2 && ty.is_signed();
            // Bitwise functions see the bits of a zero-extended word.
            if bytes && (-0x8000..0x8000).contains(&v) {
                Some(Src::imm(v.cast_unsigned(), Type::W))
            } else if bytes {
                None
            } else if (0..=0xffff).contains(&v) {
                Some(Src::imm(v.cast_unsigned(), Type::Uw))
            } else if (-0x8000..0).contains(&v) && inst.op != Op::Bfn {
                Some(Src::imm(v.cast_unsigned(), Type::W))
            } else {
                None
            }
        }
        _ => None,
    }
}

/// Xe-HPC: a float or 64-bit operand has its channels where the destination has them.
pub(super) fn same_places(lx: &mut Legalizer<'_>, inst: &VInst) -> Option<Step> {
    let ty = inst.dst.ty()?;
    let lanes = inst.exec.lanes();
    if lanes == 1 || !(ty.is_float() || ty.bytes() == 8) {
        return None;
    }
    let Dst::Direct { reg: dst, .. } = inst.dst else { return None };
    let mut new = *inst;
    let mut changed = false;
    let at = if dst.is_null() { Some(0) } else { lx.offset_in_grf(dst) };
    for i in 0..3 {
        let Src::Direct { reg, ty: src_ty, .. } = inst.src[i] else { continue };
        if is_scalar(&inst.src[i], lanes) || !lx.is_general(reg) {
            continue;
        }
        if at.is_some() && lx.offset_in_grf(reg) == at && src_ty.bytes() == ty.bytes() {
            continue;
        }
        lx.stage_source(&mut new, i, src_ty, 1);
        changed = true;
    }
    if at != Some(0) && (changed || at.is_none()) {
        let temp = lx.aligned_temp(lanes * ty.bytes());
        return Some(through(lx, inst, temp, ty));
    }
    if changed {
        lx.inst(new);
        return Some(Step::Replaced);
    }
    None
}
