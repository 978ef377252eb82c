//! Integer multiplication.
//!
//! Volume 2a, `mul`: in a product of a dword and something narrower the dword is source 0; a dword
//! product has neither saturation nor condition. Where dwords do not multiply directly, `mul` with the
//! low words of source 1 into the accumulator, then `mach` or `macl`, give both dwords of the product.
//! [`Op::Mulh`] is the high half until then.

use gen_ir::{Cond, CondMod, Dst, Op, Options, Pred, PredCtrl, Src, SrcMod, Type};
use narrow::{every, low_u16};

use super::{
    legalizer::{Legalizer, Step, lanes_of},
    not_legal::NotLegal,
    operand::{
        Saturates, dword_for, is_group_predicate, is_scalar, linear_region, scalar_view, with_modifiers,
        without_modifiers,
    },
    qwords::{dwords_of_src, with_dwords},
    saturate,
    slice::slice,
    split, ternary, two_registers, wide,
};
use crate::{
    build::{self, ACC0, Lanes, VInst, VSrc, extend, int_type},
    identities::narrowed_factor,
};

pub(super) fn rule(lx: &mut Legalizer<'_>, inst: &VInst) -> Step {
    match inst.op {
        Op::Mul => product(lx, inst),
        // Of factors that are dwords, a whole product sees modifiers that 32 bits would not have.
        Op::Mad if inst.src[1..].iter().any(|s| s.mods().any()) => {
            match inst.dst.ty().filter(|t| t.is_int()) {
                Some(ty) if inst.sat || ty.bytes() == 8 => ternary::product_and_sum(lx, inst, ty),
                _ => Step::Keep,
            }
        }
        Op::Mulh => {
            // The high half of what stands in words is not that of dwords.
            if let Some(new) = lx.expand_vectors(inst, |_| Type::D) {
                lx.inst(new);
                return Step::Replaced;
            }
            high(lx, inst)
        }
        _ => Step::Keep,
    }
}

fn is_dword(src: &VSrc) -> bool {
    src.ty().is_some_and(Type::is_dword)
}

fn product(lx: &mut Legalizer<'_>, inst: &VInst) -> Step {
    let (Some(a), Some(b), Some(dst)) = (inst.src[0].ty(), inst.src[1].ty(), inst.dst.ty()) else {
        return Step::Keep;
    };
    if a.is_float() || b.is_float() {
        return Step::Keep;
    }
    if a.bytes() == 8 || b.bytes() == 8 {
        return qwords(lx, inst);
    }
    let mut new = *inst;
    if dst.bytes() < 8
        && let Some(narrow) = narrowed_factor(&inst.src[1])
    {
        new.src[1] = narrow;
    }
    if inst.src[0].is_imm() && !inst.src[1].is_imm() {
        new.src.swap(0, 1);
    } else if a.bytes() < 4 && new.src[1].ty().is_some_and(|t| t.bytes() == 4) {
        if new.src[1].is_imm() {
            // Both become dwords.
            lx.stage_source(&mut new, 0, dword_for(&inst.src[0]), 1);
        } else {
            new.src.swap(0, 1);
        }
    }
    if new != *inst {
        lx.inst(new);
        return Step::Replaced;
    }
    if dst.bytes() == 1 && !inst.sat {
        // No product of integers goes to bytes (Intel's finalizer, `fixDstAlignment`).
        lx.stage_destination(inst, int_type(2, dst.is_signed()), 1, Saturates::Operation);
        return Step::Replaced;
    }
    if !is_dword(&inst.src[0]) {
        return short_factors(lx, inst, dst);
    }
    if dst.bytes() == 8 {
        return if inst.sat { saturate::long_product(lx, inst, dst) } else { wide_product(lx, inst, dst) };
    }
    if inst.cond.is_some() {
        return Step::Refuse(NotLegal::TestedProduct);
    }
    if inst.sat {
        return saturate::product(lx, inst, may_be_negative(inst));
    }
    if dst.is_float() {
        lx.stage_destination(inst, Type::D, 1, Saturates::Operation);
        return Step::Replaced;
    }
    if is_dword(&inst.src[1]) && !lx.caps.ops.mul_dword {
        return low(lx, inst);
    }
    Step::Keep
}

/// A product of words or bytes.
fn short_factors(lx: &mut Legalizer<'_>, inst: &VInst, dst: Type) -> Step {
    if !matches!(dst.bytes(), 1 | 8) {
        return Step::Keep;
    }
    // The negative of two words without signs has 33 bits.
    let words = inst.src[..2].iter().all(|s| s.ty() == Some(Type::Uw));
    let long = words && inst.src[0].mods().neg() != inst.src[1].mods().neg();
    if long && dst.bytes() == 8 {
        let mut new = *inst;
        for i in 0..2 {
            lx.stage_source(&mut new, i, Type::D, 1);
        }
        lx.inst(new);
    } else {
        // No product of words goes to quadwords: the table of `mul`; Intel's finalizer makes dwords of the words.
        let ty = if long { Type::Q } else { int_type(4, may_be_negative(inst)) };
        lx.stage_destination(inst, ty, 1, Saturates::Move);
    }
    Step::Replaced
}

/// Whether a product may be negative: a factor is signed, or one of two is negated.
fn may_be_negative(inst: &VInst) -> bool {
    let [a, b, _] = &inst.src;
    let signed = [a, b].iter().any(|s| s.ty().is_some_and(Type::is_signed));
    signed || a.mods().neg() != b.mods().neg()
}

/// The low word of a dword factor.
fn low_word(src: VSrc, lanes: u32) -> Option<VSrc> {
    match src {
        Src::Imm { bits, .. } => Some(Src::uw(low_u16(bits))),
        Src::Direct { reg, region, ty: _, .. } => {
            let stride = if is_scalar(&src, lanes) { 0 } else { region.stride(lanes)? * 2 };
            Some(Src::new(reg, linear_region(stride, lanes)?, Type::Uw))
        }
        _ => None,
    }
}

/// Lanes that one accumulator serves.
fn step_of(lx: &Legalizer<'_>, inst: &VInst) -> u32 {
    (lx.grf() / 4).min(inst.exec.lanes())
}

/// Sources fit for the accumulator sequence: direct dwords, no modifiers on source 1.
fn prepared(lx: &mut Legalizer<'_>, inst: &VInst) -> VInst {
    let mut new = *inst;
    let lanes = inst.exec.lanes();
    for i in 0..2 {
        let dword = dword_for(&inst.src[i]);
        let direct = match inst.src[i] {
            Src::Direct { region, .. } => {
                is_dword(&inst.src[i])
                    && !(inst.src[i].mods().any() && (i == 1 || !lx.caps.ops.mul_source_mods))
                    && (is_scalar(&inst.src[i], lanes) || region.stride(lanes).is_some_and(|s| s <= 2))
            }
            Src::Imm { bits, ty } if i == 1 => {
                new.src[1] = Src::imm(extend(bits, ty), dword);
                true
            }
            _ => false,
        };
        if !direct || !split::source_fits(lx, &slice(inst, 0, step_of(lx, inst)), i) {
            lx.stage_source(&mut new, i, dword, 1);
        }
    }
    new
}

/// The half of a product that is kept.
#[derive(Clone, Copy, PartialEq, Eq)]
enum KeptHalf {
    Low,
    High,
}

/// `mul` to the accumulator and the instruction that takes the product's half, in slices.
fn expand(lx: &mut Legalizer<'_>, inst: &VInst, half: KeptHalf) -> Step {
    let Some(dst) = inst.dst.ty() else { return Step::Keep };
    let step = step_of(lx, inst);
    let direct = matches!(inst.dst, Dst::Direct { horz: 1, reg, .. } if !reg.is_null())
        && dst.bytes() == 4
        && split::destination_fits(lx, &slice(inst, 0, step));
    // Each slice is two instructions, the second of which reads the factors and writes the result.
    let mut slices_of = every(0..inst.exec.lanes(), step).map(|first| slice(inst, first, step));
    let in_the_way =
        lx.caps.regions.registers_in_turn && slices_of.any(|p| two_registers::reads_result(lx, &p));
    if !direct || in_the_way || (step < inst.exec.lanes() && lx.overlaps(inst, step)) {
        let ty = if dst.is_signed() || dst.is_float() { Type::D } else { Type::Ud };
        lx.stage_destination(inst, ty, 1, Saturates::Operation);
        return Step::Replaced;
    }
    if step < inst.exec.lanes() && is_group_predicate(inst) {
        let by_channel = lx.predicate_by_channel(inst);
        lx.inst(by_channel);
        return Step::Replaced;
    }
    let whole = prepared(lx, inst);
    for first in every(0..inst.exec.lanes(), step) {
        let part = slice(&whole, first, step);
        slices(lx, &part, dst, half);
    }
    Step::Replaced
}

fn slices(lx: &mut Legalizer<'_>, part: &VInst, dst: Type, half: KeptHalf) {
    let lanes = part.exec.lanes();
    let mut a = part.src[0];
    let mut b = part.src[1];
    if lanes == 1 {
        (a, b) = (scalar_view(a), scalar_view(b));
    }
    let Some(word) = low_word(b, lanes) else {
        lx.refuse(part, NotLegal::FactorWords);
        return;
    };
    let ty = if half == KeptHalf::High { dst } else { Type::D };
    let acc = Dst::packed(ACC0, ty);
    // Under the mask of its other half: read by all channels, the factors would be kept for those that wait.
    let mut mul = build::op(Op::Mul, lanes_of(part), acc, &[a, word]);
    mul.origin = part.origin;
    lx.push_raw(mul);
    let mut taken = *part;
    taken.src = [a, b, Src::None];
    if half == KeptHalf::High {
        taken.op = Op::Mach;
        taken.opts = if lx.caps.words.acc_write_enable { Options::ACC_WR_EN } else { Options::NONE };
        lx.push_raw(taken);
    } else if lx.caps.ops.macl {
        taken.op = if lx.caps.words.acc_write_enable { Op::Mach } else { Op::Macl };
        lx.push_raw(taken);
    } else {
        // `mach` leaves the low half in the accumulator.
        taken.op = Op::Mach;
        taken.opts = Options::ACC_WR_EN;
        taken.dst = Dst::null(dst);
        lx.push_raw(taken);
        let mut copy =
            build::mov(lanes_of(part), part.dst, Src::new(ACC0, build::strided(1, part.exec), dst));
        copy.pred = part.pred;
        copy.origin = part.origin;
        lx.push_raw(copy);
    }
}

fn low(lx: &mut Legalizer<'_>, inst: &VInst) -> Step {
    expand(lx, inst, KeptHalf::Low)
}

/// The high half of a dword product.
fn high(lx: &mut Legalizer<'_>, inst: &VInst) -> Step {
    if inst.cond.is_some() || inst.sat {
        return Step::Refuse(NotLegal::ModifiedHighHalf);
    }
    let (Some(a), Some(b)) = (inst.src[0].ty(), inst.src[1].ty()) else { return Step::Keep };
    if a.bytes() == 8 || b.bytes() == 8 {
        return Step::Refuse(NotLegal::QwordHighHalf);
    }
    if let Some(step) = high_of_whole(lx, inst) {
        return step;
    }
    if let Some(step) = of_absolute_dword(lx, inst) {
        return step;
    }
    if let Some(plain) = without_negated_dwords(inst) {
        return high_of_negated(lx, inst, &plain);
    }
    expand(lx, inst, KeptHalf::High)
}

/// The product without the signs of its negated dwords, if it has such: they have 33 bits (the negative of an unsigned
/// one, and of the least signed one), for which no copy into a dword has room. The negative of an absolute value has 32.
fn without_negated_dwords(inst: &VInst) -> Option<VInst> {
    let mut plain = *inst;
    for src in &mut plain.src {
        let long = match src.ty() {
            Some(Type::Ud) => src.mods().neg(),
            Some(Type::D) => src.mods() == SrcMod::Neg,
            _ => false,
        };
        if long {
            *src = without_modifiers(*src);
        }
    }
    (plain != *inst).then_some(plain)
}

/// The high half of a product some of whose factors are negated dwords; `plain`: without those signs. The
/// negative of a product is its complement and one, which reaches the high half where the low one is zero. (Of unsigned
/// ones Intel's finalizer gives the same values; the negative of the least signed one it copies into 32 bits.)
fn high_of_negated(lx: &mut Legalizer<'_>, inst: &VInst, plain: &VInst) -> Step {
    let negated = |i: usize| inst.src[i].mods().neg() != plain.src[i].mods().neg();
    let Some(dst) = inst.dst.ty() else { return Step::Keep };
    if negated(0) == negated(1) {
        lx.inst(*plain);
        return Step::Replaced;
    }
    let ty = if dst.is_signed() || dst.is_float() { Type::D } else { Type::Ud };
    let (all, ud) = (lanes_of(inst), Type::Ud);
    let read = |reg, ty| Src::new(reg, build::strided(1, inst.exec), ty);
    let high = lx.dwords(inst, Op::Mulh, ty, &plain.src[..2]);
    let low = lx.dwords(inst, Op::Mul, ud, &plain.src[..2]);
    let result = lx.dwords(inst, Op::Not, ud, &[read(high, ud)]);
    let zero = lx.flag_for(inst);
    let mut test = build::op(Op::Cmp, all, Dst::null(ud), &[read(low, ud), Src::ud(0)]);
    test.cond = Some(CondMod { cond: Cond::Eq, flag: zero });
    lx.helper(test, inst);
    let mut one = build::op(Op::Add, all, Dst::packed(result, ud), &[read(result, ud), Src::ud(1)]);
    one.pred = Some(Pred { flag: zero, inv: false, ctrl: PredCtrl::Seq });
    lx.helper(one, inst);
    let mut copy = build::mov(all, inst.dst, read(result, ty));
    copy.pred = inst.pred;
    lx.helper(copy, inst);
    Step::Replaced
}

/// The high half read out of the whole product, where one instruction makes that: the copy goes where its
/// reader can step over the low dwords. Where factors of a quadword have to lie as far apart as quadwords, packed
/// ones would be copied first: two instructions more than by way of the accumulator.
fn high_of_whole(lx: &mut Legalizer<'_>, inst: &VInst) -> Option<Step> {
    let dst = inst.dst.ty()?;
    if !lx.caps.ops.mul_qword_result || lx.caps.regions.restricted_64bit || dst.bytes() != 4 || dst.is_float()
    {
        return None;
    }
    let lanes = inst.exec.lanes();
    if !lx.caps.regions.float_regions && lanes > 1 {
        return None;
    }
    let signed = inst.src.iter().take(2).filter_map(Src::ty).any(Type::is_signed);
    let (whole, half) = if signed { (Type::Q, Type::D) } else { (Type::Uq, Type::Ud) };
    let all = Lanes::of(inst);
    let product = lx.aligned_temp(lanes * 8);
    lx.helper(build::op(Op::Mul, all, Dst::packed(product, whole), &inst.src[..2]), inst);
    let mut copy = build::mov(all, inst.dst, Src::new(product.plus(4), build::strided(2, inst.exec), half));
    copy.pred = inst.pred;
    lx.helper(copy, inst);
    Some(Step::Replaced)
}

/// All 64 bits of a dword product.
fn wide_product(lx: &mut Legalizer<'_>, inst: &VInst, dst: Type) -> Step {
    if let Src::Imm { bits, ty } = inst.src[1]
        && ty.bytes() < 4
        && !matches!(ty, Type::V | Type::Uv)
    {
        let mut new = *inst;
        new.src[1] = Src::imm(extend(bits, ty), if ty.is_signed() { Type::D } else { Type::Ud });
        lx.inst(new);
        return Step::Replaced;
    }
    if !is_dword(&inst.src[1]) {
        let mut new = *inst;
        lx.stage_source(&mut new, 1, dword_for(&inst.src[1]), 1);
        lx.inst(new);
        return Step::Replaced;
    }
    if lx.caps.ops.mul_qword_result {
        return if lx.caps.ops.mul_source_mods { Step::Keep } else { of_plain_factors(lx, inst) };
    }
    let Dst::Direct { reg, horz: 1, .. } = inst.dst else {
        lx.stage_destination(inst, dst, 1, Saturates::Operation);
        return Step::Replaced;
    };
    let lanes = inst.exec.lanes();
    let signed = inst.src.iter().take(2).filter_map(Src::ty).any(Type::is_signed);
    let ty = if signed { Type::D } else { Type::Ud };
    let (lo, hi) = (lx.aligned_temp(lanes * 4), lx.aligned_temp(lanes * 4));
    for (op, reg) in [(Op::Mul, lo), (Op::Mulh, hi)] {
        let half = build::op(op, lanes_of(inst), Dst::packed(reg, ty), &inst.src[..2]);
        lx.helper(half, inst);
    }
    let packed = build::strided(1, inst.exec);
    for (half, at) in [(lo, 0), (hi, 4)] {
        let to = Dst::Direct { reg: reg.plus(at), horz: 2, ty: Type::Ud };
        let mut copy = build::mov(lanes_of(inst), to, Src::new(half, packed, Type::Ud));
        copy.pred = inst.pred;
        lx.helper(copy, inst);
    }
    Step::Replaced
}

/// A product in 64 bits where factors have no modifiers: of one that needs 33 bits the sign goes to the product.
fn of_plain_factors(lx: &mut Legalizer<'_>, inst: &VInst) -> Step {
    if let Some(step) = of_absolute_dword(lx, inst) {
        return step;
    }
    let Some(plain) = without_negated_dwords(inst) else { return Step::Keep };
    let negated = |i: usize| inst.src[i].mods().neg() != plain.src[i].mods().neg();
    if negated(0) == negated(1) {
        lx.inst(plain);
        return Step::Replaced;
    }
    let product = lx.wide_temp(inst);
    lx.helper(build::op(Op::Mul, lanes_of(inst), Dst::packed(product, Type::Q), &plain.src[..2]), inst);
    let negative = Src::new(product, build::strided(1, inst.exec), Type::Q);
    let negative = with_modifiers(negative, SrcMod::Neg);
    let mut copy = build::mov(lanes_of(inst), inst.dst, negative);
    copy.pred = inst.pred;
    lx.helper(copy, inst);
    Step::Replaced
}

/// The absolute value of the least dword has 32 bits without a sign.
fn of_absolute_dword(lx: &mut Legalizer<'_>, inst: &VInst) -> Option<Step> {
    let absolute = |s: &VSrc| s.ty() == Some(Type::D) && s.mods() == SrcMod::Abs;
    let i = inst.src[..2].iter().position(absolute)?;
    let mut new = *inst;
    lx.stage_source(&mut new, i, Type::Ud, 1);
    lx.inst(new);
    Some(Step::Replaced)
}

/// 64-bit factors: `lo * lo` in 64 bits, plus the crossed products in the high half.
fn qwords(lx: &mut Legalizer<'_>, inst: &VInst) -> Step {
    if inst.sat || inst.cond.is_some() {
        return Step::Refuse(NotLegal::ModifiedQwordProduct);
    }
    if let Some(new) = with_dwords(lx, inst) {
        lx.inst(new);
        return Step::Replaced;
    }
    let Dst::Direct { reg, horz, ty } = inst.dst else {
        let Some(ty) = inst.dst.ty() else { return Step::Keep };
        lx.stage_destination(inst, ty, 1, Saturates::Operation);
        return Step::Replaced;
    };
    let lanes = inst.exec.lanes();
    let all = lanes_of(inst);
    let packed = build::strided(1, inst.exec);
    let mut factors = [[Src::None; 2]; 2];
    for (i, dwords) in factors.iter_mut().enumerate() {
        *dwords = match split_qword(lx, inst, i) {
            Some(dwords) => dwords,
            None => return Step::Refuse(NotLegal::QwordRegion),
        };
    }
    let [[a_lo, a_hi], [b_lo, b_hi]] = factors;
    let ud = |r| Dst::packed(r, Type::Ud);
    let (lo, hi, cross) =
        (lx.aligned_temp(lanes * 4), lx.aligned_temp(lanes * 4), lx.aligned_temp(lanes * 4));
    let read = |r| Src::new(r, packed, Type::Ud);
    lx.helper(build::op(Op::Mul, all, ud(lo), &[a_lo, b_lo]), inst);
    lx.helper(build::op(Op::Mulh, all, ud(hi), &[a_lo, b_lo]), inst);
    for (x, y) in [(a_lo, b_hi), (a_hi, b_lo)] {
        if [x, y].iter().any(|s| matches!(s, Src::Imm { bits: 0, .. })) {
            continue;
        }
        lx.helper(build::op(Op::Mul, all, ud(cross), &[x, y]), inst);
        lx.helper(build::op(Op::Add, all, ud(hi), &[read(hi), read(cross)]), inst);
    }
    if ty.bytes() < 8 {
        let mut copy = build::mov(all, inst.dst, read(lo));
        copy.pred = inst.pred;
        lx.helper(copy, inst);
        return Step::Replaced;
    }
    if horz > 2 {
        lx.stage_destination(inst, ty, 1, Saturates::Operation);
        return Step::Replaced;
    }
    for (half, at) in [(lo, 0), (hi, 4)] {
        let to = Dst::Direct { reg: reg.plus(at), horz: 2 * horz, ty: Type::Ud };
        let mut copy = build::mov(all, to, read(half));
        copy.pred = inst.pred;
        lx.helper(copy, inst);
    }
    Step::Replaced
}

/// Low and high dword of a factor of any integer type.
fn split_qword(lx: &mut Legalizer<'_>, inst: &VInst, i: usize) -> Option<[VSrc; 2]> {
    let mut plain = *inst;
    plain.src[i] = wide::value(lx, inst, i);
    dwords_of_src(lx, &plain, i)
}
