//! 64-bit operands where the platform computes in 32 bits, or compares and chooses in 32 bits: their dwords, one after the
//! other.

use gen_ir::{Dst, Op, Options, Src, Type};
use narrow::{every, low_u16};

use super::{
    legalizer::{Legalizer, Step, lanes_of},
    negatives,
    not_legal::NotLegal,
    operand::{Saturates, dword_for},
    qwords::{dwords_of_dst, dwords_of_src, is_arithmetic, is_wide, with_dwords},
    saturate,
    slice::slice,
    ternary, wide,
};
use crate::build::{self, ACC0, VInst, VReg, VSrc};

pub(super) fn rule(lx: &mut Legalizer<'_>, inst: &VInst) -> Step {
    if let Some(float) = floats_chosen_for_quadwords(inst)
        && !(lx.caps.ops.int64 && lx.caps.ops.int64_logic)
    {
        lx.stage_destination(inst, float, 1, Saturates::Move);
        return Step::Replaced;
    }
    if lx.caps.ops.int64 && (lx.caps.ops.int64_logic || !is_logic(inst)) {
        return Step::Keep;
    }
    let operands = WideOperands::of(inst);
    let WideOperands { dst: dst_wide, src: src_wide } = operands;
    if !dst_wide && !src_wide {
        return Step::Keep;
    }
    if let Some(new) = with_dwords(lx, inst) {
        lx.inst(new);
        return Step::Replaced;
    }
    if computes_doubles(inst) {
        return Step::Refuse(NotLegal::Doubles);
    }
    let four_apart = matches!(inst.dst, Dst::Direct { horz: 4, .. } | Dst::Indirect { horz: 4, .. });
    if dst_wide && four_apart && inst.exec.lanes() > 1 {
        // Halves would be eight dwords apart, and destinations are four at most.
        return super::places::far_apart(lx, inst);
    }
    if let Some(step) = around(lx, inst, operands) {
        return step;
    }
    match inst.op {
        Op::Mov if inst.sat => saturate::moved(lx, inst),
        Op::Shl | Op::Shr | Op::Asr if inst.sat => saturate::computed(lx, inst),
        _ if inst.sat && (dst_wide || inst.op != Op::Sel) => Step::Refuse(NotLegal::SaturatedQword),
        Op::Mov if dst_wide && !src_wide && is_float(inst.src[0].ty()) => wide::from_float(lx, inst),
        Op::Mov if dst_wide && !src_wide => widen(lx, inst),
        Op::Mov if !dst_wide => narrow(lx, inst),
        Op::Mul if dst_wide && inst.src.iter().any(is_narrow) => long_factors(lx, inst),
        Op::Mul => Step::Keep,
        Op::Mov | Op::Sel | Op::And | Op::Or | Op::Xor | Op::Not | Op::Add | Op::Shl | Op::Shr | Op::Asr
            if !dst_wide =>
        {
            wide::narrow_result(lx, inst)
        }
        Op::Mov | Op::Sel | Op::And | Op::Or | Op::Xor | Op::Not => by_dwords(lx, inst),
        Op::Add => add(lx, inst),
        Op::Shl | Op::Shr | Op::Asr => shift(lx, inst),
        Op::Mad => multiply_add(lx, inst),
        _ => Step::Refuse(NotLegal::QwordOperation),
    }
}

/// Which operands have 64 bits.
#[derive(Clone, Copy)]
struct WideOperands {
    dst: bool,
    /// A source has.
    src: bool,
}

impl WideOperands {
    fn of(inst: &VInst) -> WideOperands {
        WideOperands {
            dst: inst.dst.ty().is_some_and(is_wide),
            src: inst.src.iter().filter_map(Src::ty).any(is_wide),
        }
    }
}

/// What stands around an operation and is rewritten before it: saturation, modifiers of sources, conditions. None if the
/// operation is left.
fn around(lx: &mut Legalizer<'_>, inst: &VInst, operands: WideOperands) -> Option<Step> {
    let WideOperands { dst: dst_wide, src: src_wide } = operands;
    // The negative of a narrow operand has a bit more than it.
    let modified = |s: &VSrc| s.mods().any() && s.ty().is_some_and(Type::is_int);
    let shifts = matches!(inst.op, Op::Shl | Op::Shr | Op::Asr);
    Some(match (inst.op, inst.cond) {
        (Op::Mov, None) if !dst_wide && is_float(inst.dst.ty()) => wide::to_float(lx, inst),
        (Op::Sel, _) if inst.sat && (dst_wide || !is_choice_of_alike(inst)) => saturate::chosen(lx, inst),
        (Op::Mov, None) if inst.sat && negatives::is_long(&inst.src[0]) => {
            let sum = VInst { op: Op::Add, src: [inst.src[0], Src::ud(0), Src::None], ..*inst };
            saturate::computed(lx, &sum)
        }
        _ if negatives::matter(inst) => negatives::rule(lx, inst),
        (Op::Add, None) if inst.sat => saturate::computed(lx, inst),
        (Op::Shl, None) if inst.sat && negatives::is_long(&inst.src[0]) => saturate::computed(lx, inst),
        (Op::Mul, None) if inst.sat && !src_wide && !inst.src.iter().any(is_narrow) => Step::Keep,
        (Op::Mul, None) if inst.sat && !src_wide => long_factors(lx, inst),
        (Op::Mad, None) if inst.sat => ternary::product_and_sum(lx, inst, inst.dst.ty().unwrap_or(Type::Q)),
        // What is shifted has the width of its type, under modifiers, too.
        _ if shifts && !dst_wide && !inst.src[0].ty().is_some_and(is_wide) && !modified(&inst.src[1]) => {
            short_count(lx, inst)
        }
        _ if !is_bitwise(inst.op) && inst.src.iter().any(modified) => wide::modifiers(lx, inst),
        (Op::Cmp, _) => wide::compare(lx, inst),
        (Op::Sel, Some(cond)) if dst_wide => wide::minimum(lx, inst, cond.cond),
        (Op::Sel, _) | (_, None) => return None,
        (_, Some(cond)) => wide::condition_after(lx, inst, cond),
    })
}

fn is_float(ty: Option<Type>) -> bool {
    ty.is_some_and(Type::is_float)
}

/// The type of floats of which one is chosen to become a quadword.
fn floats_chosen_for_quadwords(inst: &VInst) -> Option<Type> {
    let wide = inst.dst.ty().is_some_and(|ty| ty.is_int() && is_wide(ty));
    let float = inst.src[0].ty().filter(|ty| ty.is_float() && *ty != Type::Df)?;
    (inst.op == Op::Sel && wide && inst.src[1].ty() == Some(float)).then_some(float)
}

/// Whether integers are combined, compared or chosen.
fn is_logic(inst: &VInst) -> bool {
    let chosen =
        matches!(inst.op, Op::Cmp | Op::Sel) && !inst.src.iter().filter_map(Src::ty).any(Type::is_float);
    chosen || is_bitwise(inst.op)
}

/// Whether both sources are plain numbers of one type.
fn is_choice_of_alike(inst: &VInst) -> bool {
    let [a, b, _] = &inst.src;
    a.ty() == b.ty() && !a.mods().any() && !b.mods().any()
}

fn is_bitwise(op: Op) -> bool {
    op.info().logic
}

/// Whether a source is of words or bytes.
fn is_narrow(src: &VSrc) -> bool {
    !src.is_imm() && src.ty().is_some_and(|t| t.is_int() && t.bytes() < 4)
}

/// A product with narrow factors is one with dwords.
fn long_factors(lx: &mut Legalizer<'_>, inst: &VInst) -> Step {
    let mut new = *inst;
    for i in (0..2).filter(|&i| is_narrow(&inst.src[i])) {
        lx.stage_source(&mut new, i, dword_for(&inst.src[i]), 1);
    }
    lx.inst(new);
    Step::Replaced
}

/// Whether doubles are more than bits that are copied.
fn computes_doubles(inst: &VInst) -> bool {
    let types = || [inst.dst.ty()].into_iter().chain(inst.src.iter().map(Src::ty)).flatten();
    let copies = matches!(inst.op, Op::Mov | Op::Sel)
        && inst.cond.is_none()
        && !inst.sat
        && !inst.src.iter().any(|s| s.mods().any())
        && types().all(|t| t == Type::Df);
    types().any(|t| t == Type::Df) && !copies
}

/// A shift of dwords looks at five bits of its count.
fn short_count(lx: &mut Legalizer<'_>, inst: &VInst) -> Step {
    with_low_half(lx, inst, 1)
}

/// The same of the low dword of a source.
fn with_low_half(lx: &mut Legalizer<'_>, inst: &VInst, i: usize) -> Step {
    let Some([low, _]) = dwords_of_src(lx, inst, i) else {
        return Step::Refuse(NotLegal::QwordRegion);
    };
    let mut new = *inst;
    new.src[i] = low;
    lx.inst(new);
    Step::Replaced
}

/// `src0 + src1 * src2`, in two steps.
fn multiply_add(lx: &mut Legalizer<'_>, inst: &VInst) -> Step {
    let product = lx.aligned_temp(inst.exec.lanes() * 8);
    let ty = if inst.dst.ty().is_some_and(Type::is_signed) { Type::Q } else { Type::Uq };
    let mul = build::op(Op::Mul, lanes_of(inst), Dst::packed(product, ty), &inst.src[1..]);
    lx.helper(mul, inst);
    let mut add = *inst;
    add.op = Op::Add;
    add.src = [inst.src[0], Src::new(product, build::strided(1, inst.exec), ty), Src::None];
    lx.inst(add);
    Step::Replaced
}

/// The same operation on both dwords.
fn by_dwords(lx: &mut Legalizer<'_>, inst: &VInst) -> Step {
    let Some(dsts) = dwords_of_dst(inst) else { return staged(lx, inst) };
    let mut parts = [*inst; 2];
    for i in 0..2 {
        if matches!(inst.src[i], Src::None) {
            continue;
        }
        let Some(dwords) = dwords_of_src(lx, inst, i) else {
            return Step::Refuse(NotLegal::QwordRegion);
        };
        parts[0].src[i] = dwords[0];
        parts[1].src[i] = dwords[1];
    }
    for (part, dst) in parts.iter_mut().zip(dsts) {
        part.dst = dst;
        lx.inst(*part);
    }
    Step::Replaced
}

fn staged(lx: &mut Legalizer<'_>, inst: &VInst) -> Step {
    let Some(ty) = inst.dst.ty() else { return Step::Refuse(NotLegal::NoDestination) };
    lx.stage_destination(inst, ty, 1, Saturates::Operation);
    Step::Replaced
}

/// From something narrower to 64 bits.
fn widen(lx: &mut Legalizer<'_>, inst: &VInst) -> Step {
    let (Some(from), Some(to)) = (inst.src[0].ty(), inst.dst.ty()) else { return Step::Keep };
    if from.is_float() || to == Type::Df {
        return Step::Refuse(NotLegal::Doubles);
    }
    if inst.src[0].reg().is_some() && inst.src[0].reg().map(|r| r.base()) == inst.dst.reg().map(|r| r.base())
    {
        let mut new = *inst;
        lx.stage_source(&mut new, 0, from, 1);
        lx.inst(new);
        return Step::Replaced;
    }
    by_dwords(lx, inst)
}

/// From 64 bits to something narrower: the low dword has all of an integer.
fn narrow(lx: &mut Legalizer<'_>, inst: &VInst) -> Step {
    let Some(to) = inst.dst.ty() else { return Step::Keep };
    if to.is_float() || inst.src[0].ty() == Some(Type::Df) {
        return Step::Refuse(NotLegal::Doubles);
    }
    with_low_half(lx, inst, 0)
}

/// Low dwords with carry, then high dwords with it.
fn add(lx: &mut Legalizer<'_>, inst: &VInst) -> Step {
    let step = (lx.grf() / 4).min(inst.exec.lanes());
    let Some([dst_lo, dst_hi]) = dwords_of_dst(inst) else { return staged(lx, inst) };
    if lx.overlaps(inst, step) {
        return staged(lx, inst);
    }
    let (Some([a_lo, a_hi]), Some([b_lo, b_hi])) = (dwords_of_src(lx, inst, 0), dwords_of_src(lx, inst, 1))
    else {
        return Step::Refuse(NotLegal::QwordRegion);
    };
    let lanes = inst.exec.lanes();
    let (low, high) = (lx.aligned_temp(lanes * 4), lx.aligned_temp(lanes * 4));
    let packed = build::strided(1, inst.exec);
    let all = lanes_of(inst);
    let sum = build::op(Op::Add, all, Dst::packed(high, Type::Ud), &[a_hi, b_hi]);
    lx.helper(sum, inst);
    let addc = build::op(Op::Addc, all, Dst::packed(low, Type::Ud), &[a_lo, b_lo]);
    let carried = build::op(
        Op::Add,
        all,
        Dst::packed(high, Type::Ud),
        &[Src::new(ACC0, packed, Type::Ud), Src::new(high, packed, Type::Ud)],
    );
    for first in every(0..lanes, step) {
        let mut part = slice(&addc, first, step);
        part.opts = if lx.caps.words.acc_write_enable { Options::ACC_WR_EN } else { Options::NONE };
        lx.helper(part, inst);
        let mut part = slice(&carried, first, step);
        part.src[0] = Src::new(ACC0, build::strided(1, part.exec), Type::Ud);
        lx.helper(part, inst);
    }
    for (dst, half) in [(dst_lo, low), (dst_hi, high)] {
        let mut copy = build::mov(all, dst, Src::new(half, packed, Type::Ud));
        copy.pred = inst.pred;
        lx.helper(copy, inst);
    }
    Step::Replaced
}

/// Shifts by a constant.
fn shift(lx: &mut Legalizer<'_>, inst: &VInst) -> Step {
    if dwords_of_dst(inst).is_none() {
        return staged(lx, inst);
    }
    let Src::Imm { bits, .. } = inst.src[1] else { return wide::shift(lx, inst) };
    let count = low_u16(bits & 63);
    let Some([dst_lo, dst_hi]) = dwords_of_dst(inst) else { return staged(lx, inst) };
    let Some([lo, hi]) = dwords_of_src(lx, inst, 0) else {
        return Step::Refuse(NotLegal::QwordRegion);
    };
    let lanes = inst.exec.lanes();
    let (low, high, part) =
        (lx.aligned_temp(lanes * 4), lx.aligned_temp(lanes * 4), lx.aligned_temp(lanes * 4));
    shift_halves(lx, inst, count, [lo, hi], [low, high, part]);
    for (dst, half) in [(dst_lo, low), (dst_hi, high)] {
        let mut copy =
            build::mov(lanes_of(inst), dst, Src::new(half, build::strided(1, inst.exec), Type::Ud));
        copy.pred = inst.pred;
        lx.helper(copy, inst);
    }
    Step::Replaced
}

/// The halves of a value shifted by a constant, in two temporaries; a third one takes the bits that cross over.
fn shift_halves(
    lx: &mut Legalizer<'_>,
    inst: &VInst,
    count: u16,
    [lo, hi]: [VSrc; 2],
    [low, high, part]: [VReg; 3],
) {
    let all = lanes_of(inst);
    let arithmetic = is_arithmetic(inst);
    let ty = if arithmetic { Type::D } else { Type::Ud };
    let top = build::with_type(hi, ty);
    let put = |lx: &mut Legalizer<'_>, op, to, ty, src, by: u16| {
        lx.helper(build::op(op, all, Dst::packed(to, ty), &[src, Src::uw(by)]), inst);
    };
    let left = inst.op == Op::Shl;
    let right = if arithmetic { Op::Asr } else { Op::Shr };
    match (left, count) {
        (_, 0) => {
            lx.helper(build::mov(all, Dst::packed(low, Type::Ud), lo), inst);
            lx.helper(build::mov(all, Dst::packed(high, Type::Ud), hi), inst);
        }
        (true, 1..=31) => {
            put(lx, Op::Shr, part, Type::Ud, lo, 32 - count);
            put(lx, Op::Shl, high, Type::Ud, hi, count);
            put(lx, Op::Shl, low, Type::Ud, lo, count);
        }
        (true, _) => {
            put(lx, Op::Shl, high, Type::Ud, lo, count - 32);
            lx.helper(build::mov(all, Dst::packed(low, Type::Ud), Src::ud(0)), inst);
        }
        (false, 1..=31) => {
            put(lx, Op::Shl, part, Type::Ud, hi, 32 - count);
            put(lx, Op::Shr, low, Type::Ud, lo, count);
            put(lx, right, high, ty, top, count);
        }
        (false, _) => {
            put(lx, right, low, ty, top, count - 32);
            if arithmetic {
                put(lx, Op::Asr, high, ty, top, 31);
            } else {
                lx.helper(build::mov(all, Dst::packed(high, Type::Ud), Src::ud(0)), inst);
            }
        }
    }
    if (1..=31).contains(&count) {
        let joined = if left { high } else { low };
        let packed = build::strided(1, inst.exec);
        let srcs = [Src::new(joined, packed, Type::Ud), Src::new(part, packed, Type::Ud)];
        lx.helper(build::op(Op::Or, all, Dst::packed(joined, Type::Ud), &srcs), inst);
    }
}
