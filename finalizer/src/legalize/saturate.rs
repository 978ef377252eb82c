//! Saturation of 64-bit integers where the platform computes in 32 bits.

use gen_ir::{Cond, Dst, Op, Pred, PredCtrl, Src, SrcMod, Type};
use narrow::low_u64;

use super::{
    legalizer::{Legalizer, Step, lanes_of},
    negatives::{is_long, long, quadword, register},
    not_legal::NotLegal,
    operand::{Saturates, with_modifiers, without_modifiers},
    qwords::dwords_of_src,
    wide::read,
};
use crate::build::{self, VInst, VReg, VSrc, with_type};

/// A saturating move to fewer bits: the value is first brought into the range.
pub(super) fn moved(lx: &mut Legalizer<'_>, inst: &VInst) -> Step {
    let (Some(from), Some(to)) = (inst.src[0].ty(), inst.dst.ty()) else { return Step::Keep };
    if to.is_float() {
        return Step::Refuse(NotLegal::SaturatedConversion);
    }
    if from.is_float() {
        // Floats saturate without being asked.
        lx.inst(VInst { sat: false, ..*inst });
        return Step::Replaced;
    }
    let range = |ty: Type| -> (i128, i128) {
        let bits = ty.bytes() * 8;
        if ty.is_signed() { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) }
    };
    let ((low, high), (least, most)) = (range(to), range(from));
    let mut value = inst.src[0];
    for (cond, bound) in [(Cond::Lt, high), (Cond::Ge, low)] {
        // A bound beyond the type binds nothing.
        if if cond == Cond::Lt { bound >= most } else { bound <= least } {
            continue;
        }
        let reg = lx.wide_temp(inst);
        let srcs = [value, Src::imm(low_u64(bound), from)];
        let mut sel = build::op(Op::Sel, lanes_of(inst), Dst::packed(reg, from), &srcs);
        sel.cond = Some(build::sel_cond(cond));
        lx.helper(sel, inst);
        value = read(reg, inst, from);
    }
    let mut mov = *inst;
    (mov.src[0], mov.sat) = (value, false);
    lx.inst(mov);
    Step::Replaced
}

/// A saturating choice, minimum or maximum: the one of the saturated operands, as saturation keeps their order.
pub(super) fn chosen(lx: &mut Legalizer<'_>, inst: &VInst) -> Step {
    let Some(to) = inst.dst.ty() else { return Step::Refuse(NotLegal::NoDestination) };
    let mut new = VInst { sat: false, ..*inst };
    for i in 0..2 {
        let src = inst.src[i];
        if src.ty() == Some(to) && !src.mods().any() {
            continue;
        }
        let value = lx.aligned_temp(inst.exec.lanes() * to.bytes());
        let mut mov = build::mov(lanes_of(inst), Dst::packed(value, to), src);
        mov.sat = true;
        lx.helper(mov, inst);
        new.src[i] = read(value, inst, to);
    }
    lx.inst(new);
    Step::Replaced
}

/// A sum or a shift that saturates: in 64 bits first, then to the destination.
pub(super) fn computed(lx: &mut Legalizer<'_>, inst: &VInst) -> Step {
    let Some(to) = inst.dst.ty().filter(|t| t.is_int()) else { return Step::Keep };
    let signed = inst.src[0].ty().is_some_and(Type::is_signed);
    let (value, ty) = match inst.op {
        // What is shifted right is no larger than before. (`negatives` has quadwords under modifiers.)
        Op::Asr if signed || inst.src[0].mods().neg() => {
            (wide(lx, inst, inst.op, Type::Q, &inst.src[..2]), Type::Q)
        }
        Op::Asr | Op::Shr => (wide(lx, inst, inst.op, Type::Uq, &inst.src[..2]), Type::Uq),
        Op::Shl => {
            let negative = signed || inst.src[0].mods().neg();
            let ty = if negative && to != Type::Uq { Type::Q } else { Type::Uq };
            (shifted_left(lx, inst, negative, ty), ty)
        }
        _ => match sum(lx, inst, to) {
            Some(sum) => sum,
            None => return Step::Refuse(NotLegal::QwordRegion),
        },
    };
    let mut mov = build::mov(lanes_of(inst), inst.dst, read(value, inst, ty));
    (mov.sat, mov.pred) = (ty != to, inst.pred);
    lx.helper(mov, inst);
    Step::Replaced
}

/// `op` in 64 bits of a new temporary.
fn wide(lx: &mut Legalizer<'_>, inst: &VInst, op: Op, ty: Type, srcs: &[VSrc]) -> VReg {
    let reg = lx.wide_temp(inst);
    lx.helper(build::op(op, lanes_of(inst), Dst::packed(reg, ty), srcs), inst);
    reg
}

/// A product with dwords that saturates: all of it first.
pub(super) fn product(lx: &mut Legalizer<'_>, inst: &VInst, may_be_negative: bool) -> Step {
    let [a, b, _] = inst.src;
    let unsigned = a.ty() == Some(Type::Ud) && b.ty() == Some(Type::Ud);
    if !unsigned || a.mods().neg() == b.mods().neg() {
        lx.stage_destination(inst, if may_be_negative { Type::Q } else { Type::Uq }, 1, Saturates::Move);
        return Step::Replaced;
    }
    // The negative of a whole quadword has 65 bits; the most negative dword is as far as it counts.
    let factors = [without_modifiers(a), without_modifiers(b)];
    let product = wide(lx, inst, Op::Mul, Type::Uq, &factors);
    let bound = Src::imm(1 << 31, Type::Uq);
    let mut least = build::op(
        Op::Sel,
        lanes_of(inst),
        Dst::packed(product, Type::Uq),
        &[read(product, inst, Type::Uq), bound],
    );
    least.cond = Some(build::sel_cond(Cond::Lt));
    lx.helper(least, inst);
    let negative = with_modifiers(read(product, inst, Type::Q), SrcMod::Neg);
    let mut copy = build::mov(lanes_of(inst), inst.dst, negative);
    (copy.sat, copy.pred) = (true, inst.pred);
    lx.helper(copy, inst);
    Step::Replaced
}

/// A product of dwords that saturates to 64 bits. It always fits but for one case: both factors are unsigned and one of
/// them is negated.
pub(super) fn long_product(lx: &mut Legalizer<'_>, inst: &VInst, to: Type) -> Step {
    let [a, b, _] = inst.src;
    if [a, b].iter().filter_map(Src::ty).any(Type::is_signed) {
        if to == Type::Q {
            lx.inst(VInst { sat: false, ..*inst });
        } else {
            lx.stage_destination(inst, Type::Q, 1, Saturates::Move);
        }
        return Step::Replaced;
    }
    let plain = VInst { src: [without_modifiers(a), without_modifiers(b), Src::None], ..*inst };
    if a.mods().neg() == b.mods().neg() {
        if to == Type::Uq {
            lx.inst(VInst { sat: false, ..plain });
        } else {
            lx.stage_destination(&plain, Type::Uq, 1, Saturates::Move);
        }
        return Step::Replaced;
    }
    let mut value = Src::imm(0, to);
    if to == Type::Q {
        let product = read(wide(lx, inst, Op::Mul, Type::Uq, &plain.src[..2]), inst, Type::Uq);
        let least = lx.wide_temp(inst);
        let srcs = [product, Src::imm(1 << 63, Type::Uq)];
        let mut sel = build::op(Op::Sel, lanes_of(inst), Dst::packed(least, Type::Uq), &srcs);
        sel.cond = Some(build::sel_cond(Cond::Lt));
        lx.helper(sel, inst);
        value = with_modifiers(read(least, inst, Type::Q), SrcMod::Neg);
    }
    let mut copy = build::mov(lanes_of(inst), inst.dst, value);
    copy.pred = inst.pred;
    lx.helper(copy, inst);
    Step::Replaced
}

/// A shift to the left in a quadword of type `ty`; what is shifted may be negative. Where shifting back does not give what
/// was shifted, bits were lost.
fn shifted_left(lx: &mut Legalizer<'_>, inst: &VInst, negative: bool, ty: Type) -> VReg {
    let signed = ty.is_signed();
    let back = if signed { Op::Asr } else { Op::Shr };
    let before = lx.wide_temp(inst);
    let mut widened = build::mov(lanes_of(inst), Dst::packed(before, ty), inst.src[0]);
    // In an unsigned destination a negative number is zero; one of 65 bits is as far as a quadword goes.
    widened.sat = negative && !signed || is_long(&inst.src[0]);
    lx.helper(widened, inst);
    let before = read(before, inst, ty);
    let value = wide(lx, inst, Op::Shl, ty, &[before, inst.src[1]]);
    let again = wide(lx, inst, back, ty, &[read(value, inst, ty), inst.src[1]]);
    let lost = lx.compare(inst, Cond::Ne, ty, [read(again, inst, ty), before]);
    limit(lx, inst, value, lost, signed.then_some(before));
    value
}

/// A sum, in 64 bits with the sign of the destination.
fn sum(lx: &mut Legalizer<'_>, inst: &VInst, to: Type) -> Option<(VReg, Type)> {
    let types = || inst.src[..2].iter().filter_map(Src::ty);
    let signed = types().any(Type::is_signed);
    let mixed = signed && (to == Type::Uq || types().any(|t| t == Type::Uq));
    if mixed || inst.src[..2].iter().any(|s| s.mods().any()) {
        return long_sum(lx, inst, to);
    }
    if !signed {
        let value = wide(lx, inst, Op::Add, Type::Uq, &inst.src[..2]);
        let over = lx.compare(inst, Cond::Lt, Type::Uq, [read(value, inst, Type::Uq), inst.src[0]]);
        limit(lx, inst, value, over, None);
        return Some((value, Type::Uq));
    }
    let ty = Type::Q;
    let a = read(wide(lx, inst, Op::Mov, ty, &inst.src[..1]), inst, ty);
    let b = read(wide(lx, inst, Op::Mov, ty, &inst.src[1..2]), inst, ty);
    let value = wide(lx, inst, Op::Add, ty, &[a, b]);
    // The sum has another sign than both.
    let first = wide(lx, inst, Op::Xor, ty, &[a, read(value, inst, ty)]);
    let second = wide(lx, inst, Op::Xor, ty, &[b, read(value, inst, ty)]);
    let both = wide(lx, inst, Op::And, ty, &[read(first, inst, ty), read(second, inst, ty)]);
    let over = lx.compare(inst, Cond::Lt, ty, [read(both, inst, ty), Src::imm(0, ty)]);
    limit(lx, inst, value, over, Some(a));
    Some((value, ty))
}

/// A sum of numbers of 65 bits: quadwords, and above them a dword that takes the carry.
fn long_sum(lx: &mut Legalizer<'_>, inst: &VInst, to: Type) -> Option<(VReg, Type)> {
    let (d, uq) = (Type::D, Type::Uq);
    let [a, b] = [long(lx, inst, 0)?, long(lx, inst, 1)?];
    let first = quadword(lx, inst, [a.low, a.high])?;
    let second = quadword(lx, inst, [b.low, b.high])?;
    let (first, second) = (read(first, inst, uq), read(second, inst, uq));
    let value = wide(lx, inst, Op::Add, uq, &[first, second]);
    let carry = lx.compare(inst, Cond::Lt, uq, [read(value, inst, uq), first]);
    let signs = [register(lx, inst, a.sign), b.sign].map(|s| with_type(s, d));
    let top = lx.dwords(inst, Op::Add, d, &signs);
    let mut carried =
        build::op(Op::Add, lanes_of(inst), Dst::packed(top, d), &[read(top, inst, d), Src::imm(1, d)]);
    carried.pred = Some(Pred { flag: carry, inv: false, ctrl: PredCtrl::Seq });
    lx.helper(carried, inst);
    let top = read(top, inst, d);
    if to.is_signed() {
        let high = Src::new(value.plus(4), build::strided(2, inst.exec), d);
        let sign = lx.dwords(inst, Op::Asr, d, &[high, Src::uw(31)]);
        let over = lx.compare(inst, Cond::Ne, d, [top, read(sign, inst, d)]);
        limit(lx, inst, value, over, Some(top));
        return Some((value, Type::Q));
    }
    let zero = Src::imm(0, d);
    let over = lx.compare(inst, Cond::Gt, d, [top, zero]);
    limit(lx, inst, value, over, None);
    let under = lx.compare(inst, Cond::Lt, d, [top, zero]);
    for at in [0, 4] {
        let to = Dst::Direct { reg: value.plus(at), horz: 2, ty: Type::Ud };
        let mut mov = build::mov(lanes_of(inst), to, Src::ud(0));
        mov.pred = Some(Pred { flag: under, inv: false, ctrl: PredCtrl::Seq });
        lx.helper(mov, inst);
    }
    Some((value, uq))
}

/// Where the flag is set, a value becomes the largest of its type, or that of the sign of `like`.
fn limit(lx: &mut Legalizer<'_>, inst: &VInst, value: VReg, flag: VReg, like: Option<VSrc>) {
    let mut dwords = [Src::ud(u32::MAX); 2];
    if let Some(like) = like
        && let Some([_, high]) = dwords_of_src(lx, &VInst { src: [like, Src::None, Src::None], ..*inst }, 0)
    {
        let sign = lx.dwords(inst, Op::Asr, Type::D, &[with_type(high, Type::D), Src::uw(31)]);
        let low = lx.dwords(inst, Op::Not, Type::Ud, &[read(sign, inst, Type::Ud)]);
        let low = read(low, inst, Type::Ud);
        let high = lx.dwords(inst, Op::Xor, Type::Ud, &[low, Src::ud(1 << 31)]);
        dwords = [low, read(high, inst, Type::Ud)];
    }
    for (at, dword) in [0, 4].into_iter().zip(dwords) {
        let to = Dst::Direct { reg: value.plus(at), horz: 2, ty: Type::Ud };
        let mut mov = build::mov(lanes_of(inst), to, dword);
        mov.pred = Some(Pred { flag, inv: false, ctrl: PredCtrl::Seq });
        lx.helper(mov, inst);
    }
}
