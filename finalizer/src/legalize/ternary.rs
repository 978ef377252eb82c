//! Three-source instructions: the align16 form of Gen8 and Gen9, the align1 form from Gen11 on.
//!
//! Volume 7, "Instruction Format", three-source formats. Align16: operands are packed and 16-byte
//! aligned, or one replicated element at a dword (doubles cannot be replicated); no immediates; 1, 4, 8 or 16
//! channels. Align1: small sets of strides; the last source packed or scalar; 16-bit immediates ([`TernaryImm`]).

use gen_ir::{Class, Cond, CondMod, Dst, ExecSize, Op, Options, PredCtrl, Region, Src, Type};
use narrow::to_u8;
use platforms::TernaryImm;

use super::{
    legalizer::{Legalizer, Step, lanes_of},
    operand::{exec_type, is_mixed_float, is_scalar, linear_stride, with_modifiers, without_modifiers},
};
use crate::build::{self, VInst, VSrc, extend};

pub(super) fn rule(lx: &mut Legalizer<'_>, inst: &VInst) -> Step {
    if inst.op.info().class != Class::Ternary {
        return Step::Keep;
    }
    if is_ternary_region(&inst.src[1]) || is_ternary_region(&inst.src[0]) {
        return Step::Keep; // Shaped already.
    }
    if let Some(step) = packed_constants(lx, inst) {
        return step;
    }
    if inst.op == Op::Mad
        && let Some(step) = integer_mad(lx, inst)
    {
        return step;
    }
    if let Some(step) = types(lx, inst) {
        return step;
    }
    // Overflow shows in the sum alone.
    if inst.cond.is_some_and(|c| c.cond != Cond::Ov) && !lx.caps.words.ternary_cond {
        return separate_condition(lx, inst);
    }
    if lx.caps.words.ternary_align16 { align16(lx, inst) } else { align1(lx, inst) }
}

fn is_ternary_region(src: &VSrc) -> bool {
    matches!(src, Src::Direct { region, .. } if region.width == Region::ABSENT)
}

/// Constants of several elements are none of a scalar: they go through variables of the result's type.
fn packed_constants(lx: &mut Legalizer<'_>, inst: &VInst) -> Option<Step> {
    let packed = |s: &VSrc| matches!(s, Src::Imm { ty: Type::V | Type::Uv | Type::Vf, .. });
    if !inst.src.iter().any(packed) {
        return None;
    }
    let ty = inst.dst.ty()?;
    let mut new = *inst;
    for i in (0..3).filter(|&i| packed(&inst.src[i])) {
        lx.spread_source(&mut new, i, ty);
    }
    lx.inst(new);
    Some(Step::Replaced)
}

/// `mad` on integers: native with a narrow factor from Gen11 on, else a product and a sum.
fn integer_mad(lx: &mut Legalizer<'_>, inst: &VInst) -> Option<Step> {
    let ty = inst.dst.ty()?;
    if inst.src.iter().filter_map(Src::ty).any(Type::is_float) {
        return None;
    }
    let narrow = |s: &VSrc| match *s {
        Src::Imm { bits, ty } => {
            let v = extend(bits, ty).cast_signed();
            match lx.caps.words.ternary_imm {
                TernaryImm::None => false,
                TernaryImm::LastWord => (-0x8000..=0x7fff).contains(&v),
                TernaryImm::FirstAndLast => (-0x8000..=0xffff).contains(&v),
            }
        }
        ref other => other.ty().is_some_and(|t| t.bytes() == 2),
    };
    let wide = inst.src.iter().filter_map(Src::ty).chain([ty]).any(|t| t.bytes() == 8 || t.bytes() == 1);
    let native = !lx.caps.words.ternary_align16 && !wide && !inst.sat;
    if native && (narrow(&inst.src[1]) || narrow(&inst.src[2])) {
        let mut new = *inst;
        if !narrow(&inst.src[2]) {
            new.src.swap(1, 2);
        }
        // The last source has no region of its own: words have to lie as dwords do.
        let lanes = inst.exec.lanes();
        let lies_apart = |s: &VSrc| match *s {
            Src::Direct { region, .. } => !is_scalar(s, lanes) && linear_stride(region, lanes) != Some(2),
            _ => !s.is_imm(),
        };
        if ty.bytes() == 4 && lies_apart(&new.src[2]) && narrow(&new.src[1]) {
            new.src.swap(1, 2);
        }
        if ty.bytes() == 4 && lies_apart(&new.src[2]) {
            return Some(product_and_sum(lx, inst, ty));
        }
        // The dword factor is source 1, the word source 2.
        if let Src::Imm { bits, ty } = new.src[2] {
            let v = extend(bits, ty).cast_signed();
            let signed = v < 0 || lx.caps.words.ternary_imm == TernaryImm::LastWord;
            new.src[2] = Src::imm(v.cast_unsigned(), if signed { Type::W } else { Type::Uw });
        }
        if new == *inst {
            return None;
        }
        lx.inst(new);
        return Some(Step::Replaced);
    }
    Some(product_and_sum(lx, inst, ty))
}

/// A product, then a sum. One that saturates is of the exact product.
fn product_and_sum(lx: &mut Legalizer<'_>, inst: &VInst, ty: Type) -> Step {
    let factors = || inst.src[1..].iter().filter_map(Src::ty);
    let signed = factors().any(Type::is_signed) || inst.src[1..].iter().any(|s| s.mods().any());
    let qwords = inst.src.iter().filter_map(Src::ty).any(|t| t.bytes() == 8);
    let wide_ty = match ty.bytes() {
        8 => ty,
        _ if qwords => Type::Q,
        _ if inst.sat && factors().any(|t| t.bytes() == 4) => {
            if !signed && inst.src[0].ty().is_some_and(Type::is_signed) {
                return Step::Refuse("a saturating sum of an unsigned 64-bit product and a signed number");
            }
            if signed { Type::Q } else { Type::Uq }
        }
        _ if inst.sat && !signed => Type::Ud,
        _ => Type::D,
    };
    let lanes = inst.exec.lanes();
    let product = lx.aligned_temp(lanes * wide_ty.bytes());
    let mut mul =
        build::op(Op::Mul, lanes_of(inst), Dst::packed(product, wide_ty), &[inst.src[1], inst.src[2]]);
    mul.pred = inst.pred;
    lx.helper(mul, inst);
    let mut add = *inst;
    add.op = Op::Add;
    add.src = [Src::new(product, build::strided(1, inst.exec), wide_ty), inst.src[0], Src::None];
    lx.inst(add);
    Step::Replaced
}

/// Operands of one type, where the instruction asks for that.
fn types(lx: &mut Legalizer<'_>, inst: &VInst) -> Option<Step> {
    let dst = inst.dst.ty()?;
    let want = match inst.op {
        Op::Bfe | Op::Bfi2 => {
            // The destination says whether the field has a sign (spec `BFE`).
            if dst.is_signed() { Type::D } else { Type::Ud }
        }
        // What is computed in single float is rounded at its end alone.
        Op::Mad | Op::Lrp | Op::Csel if dst.is_float() && is_mixed_float(inst) => Type::F,
        Op::Mad | Op::Lrp | Op::Csel if dst.is_float() => dst,
        Op::Mad | Op::Lrp if inst.src.iter().filter_map(Src::ty).any(Type::is_float) => Type::F,
        _ => return None,
    };
    let mut new = *inst;
    let mut changed = false;
    for i in 0..3 {
        let Some(ty) = inst.src[i].ty() else { continue };
        let same = ty == want || (want.is_int() && ty.bytes() == 4);
        if let Src::Imm { bits, .. } = inst.src[i]
            && want.is_int()
        {
            new.src[i] = Src::imm(extend(bits, ty), want);
            changed |= new.src[i] != inst.src[i];
        } else if !same {
            lx.stage_source(&mut new, i, want, 1);
            changed = true;
        } else if ty != want && want.is_int() {
            new.src[i] = build::with_type(inst.src[i], want);
            changed = true;
        }
    }
    let same_dst = dst == want || (want.is_int() && dst.bytes() == 4);
    if !same_dst {
        lx.stage_destination(&new, want, 1, true);
        return Some(Step::Replaced);
    }
    if dst != want {
        new.dst = match new.dst {
            Dst::Direct { reg, horz, .. } => Dst::Direct { reg, horz, ty: want },
            other => other,
        };
        changed = true;
    }
    if changed {
        lx.inst(new);
        return Some(Step::Replaced);
    }
    None
}

/// The condition moves to a comparison of the result with zero.
fn separate_condition(lx: &mut Legalizer<'_>, inst: &VInst) -> Step {
    let (Some(CondMod { cond, flag }), Some(ty)) = (inst.cond, inst.dst.ty()) else { return Step::Keep };
    let reg = lx.aligned_temp(inst.exec.lanes() * ty.bytes());
    let mut op = *inst;
    op.cond = None;
    op.dst = Dst::packed(reg, ty);
    lx.helper(op, inst);
    let mut copy = build::mov(lanes_of(inst), inst.dst, Src::new(reg, build::strided(1, inst.exec), ty));
    copy.pred = inst.pred;
    copy.cond = Some(CondMod { cond, flag });
    lx.helper(copy, inst);
    Step::Replaced
}

fn align16(lx: &mut Legalizer<'_>, inst: &VInst) -> Step {
    let lanes = inst.exec.lanes();
    if inst.pred.is_some_and(|p| p.ctrl != PredCtrl::Seq) {
        // Predicates over groups of channels have other numbers here, and only for up to four.
        let spread = lx.spread_predicate(inst);
        lx.inst(spread);
        return Step::Replaced;
    }
    if lanes == 2 {
        return pair_as_four(lx, inst);
    }
    let Some(ty) = inst.dst.ty() else { return Step::Keep };
    let dst_fits = match inst.dst {
        Dst::Direct { reg, horz, .. } => {
            (horz == 1 || lanes == 1) && !reg.is_null() && lx.is_general(reg) && placed(lx, reg, 16)
        }
        _ => false,
    };
    if !dst_fits {
        let reg = lx.aligned_temp((lanes * ty.bytes()).max(16));
        return through(lx, inst, reg, ty);
    }
    let mut new = *inst;
    let mut changed = false;
    for i in 0..3 {
        let Some(src_ty) = inst.src[i].ty() else { continue };
        let scalar = is_scalar(&inst.src[i], lanes);
        if scalar && src_ty == Type::Df && lanes > 1 {
            lx.spread_source(&mut new, i, src_ty);
            changed = true;
            continue;
        }
        let fits = match inst.src[i] {
            Src::Direct { reg, region, .. } if lx.is_general(reg) => {
                if scalar {
                    lx.is_aligned(reg, src_ty.bytes().max(4))
                } else {
                    linear_stride(region, lanes) == Some(1) && placed(lx, reg, 16)
                }
            }
            _ => false,
        };
        if !fits {
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
    if let Dst::Direct { reg, .. } = new.dst {
        new.dst = Dst::Direct { reg, horz: 1, ty };
    }
    for i in 0..3 {
        if let Src::Direct { reg, mods, ty, .. } = new.src[i] {
            let scalar = is_scalar(&inst.src[i], lanes);
            let region = shape(i, if scalar { 0 } else { 1 }, 2);
            new.src[i] = Src::Direct { reg, region, mods, ty };
        }
    }
    new.opts = new.opts.with(Options::ALIGN16);
    lx.out.push(new);
    Step::Replaced
}

/// Whether an operand starts at a multiple of `bytes`, after raising its variable's alignment.
fn placed(lx: &mut Legalizer<'_>, reg: build::VReg, bytes: u32) -> bool {
    if lx.is_aligned(reg, bytes) {
        return true;
    }
    if reg.byte.is_multiple_of(bytes) {
        lx.raise_alignment(reg, bytes);
    }
    lx.is_aligned(reg, bytes)
}

/// Two registers at most for each operand.
fn spans_fit(lx: &Legalizer<'_>, inst: &VInst) -> bool {
    let bytes = |ty: Option<Type>| inst.exec.lanes() * ty.map_or(0, Type::bytes);
    let grf = lx.grf();
    (0..3).all(|i| super::split::source_fits(lx, inst, i))
        && bytes(inst.dst.ty()) <= 2 * grf
        && super::split::destination_fits(lx, inst)
}

/// The region of an align16 or align1 ternary source with a stride.
fn shape(i: usize, stride: u32, unit: u8) -> Region {
    if i == 2 {
        return Region::ternary_last(to_u8(stride));
    }
    match stride {
        0 => Region::ternary(0, 0),
        1 => Region::ternary(if unit == 1 { 1 } else { unit }, if unit == 1 { 0 } else { 1 }),
        2 => Region::ternary(4, 2),
        _ => Region::ternary(8, 4),
    }
}

/// Through a temporary destination.
fn through(lx: &mut Legalizer<'_>, inst: &VInst, reg: build::VReg, ty: Type) -> Step {
    let mut op = *inst;
    op.dst = Dst::packed(reg, ty);
    lx.helper(op, inst);
    let mut copy = build::mov(lanes_of(inst), inst.dst, Src::new(reg, build::strided(1, inst.exec), ty));
    copy.pred = inst.pred;
    lx.helper(copy, inst);
    Step::Replaced
}

/// Align16 has no two channels: compute four into a temporary, keep two.
fn pair_as_four(lx: &mut Legalizer<'_>, inst: &VInst) -> Step {
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
    let mut copy = build::mov(lanes_of(inst), inst.dst, Src::new(reg, build::strided(1, inst.exec), ty));
    copy.pred = inst.pred;
    lx.helper(copy, inst);
    Step::Replaced
}

fn align1(lx: &mut Legalizer<'_>, inst: &VInst) -> Step {
    let lanes = inst.exec.lanes();
    let Some(ty) = inst.dst.ty() else { return Step::Keep };
    let need = u32::from(lx.caps.regions.ternary_align);
    let dst_fits = match inst.dst {
        Dst::Direct { reg, horz, .. } => {
            (horz == 1 || lanes == 1)
                && (reg.is_null() || !lx.is_general(reg) || placed(lx, reg, need.max(ty.bytes())))
        }
        _ => false,
    };
    if !dst_fits {
        let reg = lx.aligned_temp((lanes * ty.bytes()).max(16));
        return through(lx, inst, reg, ty);
    }
    let exec = exec_type(inst);
    if lanes > 1 && ty.is_int() && exec.is_int() && ty.bytes() < exec.bytes() {
        // The result is that of the wider computation; it is packed behind it.
        if inst.sat {
            lx.stage_in_steps(inst, if ty.is_signed() { Type::D } else { Type::Ud }, 1);
        } else {
            lx.stage_destination(inst, exec, 1, true);
        }
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
            new.src[i] = without_modifiers(inst.src[i]);
            lx.stage_source(&mut new, i, src_ty, 1);
            new.src[i] = with_modifiers(new.src[i], inst.src[i].mods());
            changed = true;
        }
    }
    if changed {
        lx.inst(new);
        return Step::Replaced;
    }
    if !lx.caps.regions.float_regions
        && let Some(step) = same_places(lx, inst)
    {
        return step;
    }
    if lanes > 1 && !spans_fit(lx, inst) {
        return Step::Keep;
    }
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
    lx.out.push(new);
    Step::Replaced
}

/// A source as the words of align1 have it, where it stands, if they do.
fn align1_source(lx: &mut Legalizer<'_>, inst: &VInst, i: usize) -> Option<VSrc> {
    let src = inst.src[i];
    match src {
        Src::Imm { bits, ty } => short_immediate(lx, inst, i, bits, ty),
        Src::Direct { .. } => {
            let fits = match source_stride(&src, inst.exec.lanes()) {
                Some(0 | 1) => true,
                // It lies as the destination does.
                Some(_) if i == 2 => true,
                Some(2 | 4) => lx.caps.regions.float_regions,
                _ => false,
            };
            fits.then_some(src)
        }
        _ => None,
    }
}

/// From one channel's element of a source in registers to the next one's, if that is the same for all.
fn source_stride(src: &VSrc, lanes: u32) -> Option<u32> {
    match *src {
        Src::Direct { .. } if is_scalar(src, lanes) => Some(0),
        Src::Direct { region, .. } => linear_stride(region, lanes),
        _ => None,
    }
}

/// The last source has hardly a region: unless it is one element for all, it lies as the destination does (Intel's
/// finalizer: `noSrc2Regioning`). Both go to the beginning of a register, if they are not there.
fn last_source(lx: &mut Legalizer<'_>, inst: &VInst, ty: Type) -> Option<Step> {
    let lanes = inst.exec.lanes();
    let (Src::Direct { reg, region, ty: src, .. }, Dst::Direct { reg: dst, .. }) = (inst.src[2], inst.dst)
    else {
        return None;
    };
    if is_scalar(&inst.src[2], lanes)
        || dst.is_null()
        || !lx.is_general(dst)
        || ty.is_float() != src.is_float()
    {
        return None;
    }
    let grf = lx.grf();
    let stride = ty.bytes() / src.bytes();
    let strided = linear_stride(region, lanes) == Some(stride) && src.bytes() * stride == ty.bytes();
    let apart = |lx: &Legalizer<'_>| {
        let at = lx.offset_in_grf(dst);
        at.is_none() || at != lx.offset_in_grf(reg)
    };
    if strided && apart(lx) {
        placed(lx, reg, grf);
    }
    if strided && !apart(lx) {
        return None;
    }
    if !placed(lx, dst, grf) {
        let temp = lx.aligned_temp(lanes * ty.bytes());
        return Some(through(lx, inst, temp, ty));
    }
    if strided && !apart(lx) {
        return None;
    }
    let mut new = *inst;
    new.src[2] = without_modifiers(inst.src[2]);
    lx.stage_source(&mut new, 2, src, stride.max(1));
    new.src[2] = with_modifiers(new.src[2], inst.src[2].mods());
    lx.inst(new);
    Some(Step::Replaced)
}

/// 16-bit immediates as sources 0 and 2.
fn short_immediate(lx: &Legalizer<'_>, inst: &VInst, i: usize, bits: u64, ty: Type) -> Option<VSrc> {
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
            // Bitwise functions see the bits of a zero-extended word.
            if (0..=0xffff).contains(&v) {
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
fn same_places(lx: &mut Legalizer<'_>, inst: &VInst) -> Option<Step> {
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
