//! 64-bit operations that take more than one step on both dwords: comparisons, choices, shifts by
//! variables, source modifiers, conversions from and to float.

use gen_ir::{Cond, CondMod, Dst, Op, Pred, PredCtrl, Src, SrcMod, Type, Virtual};
use narrow::{low_u32, to_f32};

use super::{
    legalizer::{Legalizer, Step, lanes_of},
    not_legal::NotLegal,
    operand::{with_modifiers, without_modifiers},
    qwords::{dwords_of_dst, dwords_of_src, is_arithmetic, is_wide},
};
use crate::build::{self, VInst, VReg, VSrc, with_type};

/// Packed elements of a temporary.
pub(super) fn read(reg: VReg, inst: &VInst, ty: Type) -> VSrc {
    Src::new(reg, build::strided(1, inst.exec), ty)
}

impl Legalizer<'_> {
    /// A helper `op dst srcs` on packed dwords of a new temporary.
    pub(super) fn dwords(&mut self, inst: &VInst, op: Op, ty: Type, srcs: &[VSrc]) -> VReg {
        let reg = self.aligned_temp(inst.exec.lanes() * 4);
        self.helper(build::op(op, lanes_of(inst), Dst::packed(reg, ty), srcs), inst);
        reg
    }

    pub(super) fn wide_temp(&mut self, inst: &VInst) -> VReg {
        self.aligned_temp(inst.exec.lanes() * 8)
    }

    pub(super) fn flag_for(&mut self, inst: &VInst) -> VReg {
        let flag = build::flag(lanes_of(inst));
        VReg::var_at(self.add_var(flag), 0)
    }

    /// A temporary with one of two values of this type, by a predicate.
    fn choose(&mut self, inst: &VInst, pred: Pred<Virtual>, ty: Type, values: [VSrc; 2]) -> VReg {
        let reg = self.aligned_temp(inst.exec.lanes() * ty.bytes());
        let mut sel = build::op(Op::Sel, lanes_of(inst), Dst::packed(reg, ty), &values);
        sel.pred = Some(pred);
        self.helper(sel, inst);
        reg
    }

    /// A flag of the channels where a relation holds.
    pub(super) fn compare(&mut self, inst: &VInst, cond: Cond, ty: Type, sources: [VSrc; 2]) -> VReg {
        let flag = self.flag_for(inst);
        let mut cmp = build::op(Op::Cmp, lanes_of(inst), Dst::null(ty), &sources);
        cmp.cond = Some(CondMod { cond, flag });
        self.helper(cmp, inst);
        flag
    }
}

/// Sources with arithmetic modifiers go through a temporary that has the value.
pub(super) fn modifiers(lx: &mut Legalizer<'_>, inst: &VInst) -> Step {
    let mut new = *inst;
    for i in 0..3 {
        new.src[i] = value(lx, inst, i);
    }
    lx.inst(new);
    Step::Replaced
}

/// A source without its arithmetic modifiers; of what they make of it, the low 64 bits.
pub(super) fn value(lx: &mut Legalizer<'_>, inst: &VInst, i: usize) -> VSrc {
    let mut src = inst.src[i];
    let Some(own) = src.ty().filter(|ty| src.mods().any() && ty.is_int()) else { return src };
    if !own.is_signed() {
        // Without a sign a number is its absolute value.
        src = with_modifiers(src, SrcMod::neg_if(src.mods().neg()));
    }
    let mods = src.mods();
    if !mods.any() {
        return src;
    }
    let value = lx.wide_temp(inst);
    let mut last = without_modifiers(src);
    let all = lanes_of(inst);
    let ty = if is_wide(own) { own } else { Type::Q };
    if lx.caps.ops.int64 {
        lx.helper(build::mov(all, Dst::packed(value, ty), src), inst);
        return read(value, inst, ty);
    }
    if own != ty {
        let widened = lx.wide_temp(inst);
        lx.helper(build::mov(all, Dst::packed(widened, ty), last), inst);
        last = read(widened, inst, ty);
    }
    if mods.abs() && ty.is_signed() {
        // (x ^ sign) + (sign & 1), where the sign is 0 or all ones.
        let (sign, bit) = (lx.wide_temp(inst), lx.wide_temp(inst));
        let sign_of = [with_type(last, Type::Q), Src::uw(63)];
        lx.helper(build::op(Op::Asr, all, Dst::packed(sign, Type::Q), &sign_of), inst);
        let bit_of = [with_type(last, Type::Uq), Src::uw(63)];
        lx.helper(build::op(Op::Shr, all, Dst::packed(bit, Type::Uq), &bit_of), inst);
        let flipped = [with_type(last, Type::Uq), read(sign, inst, Type::Uq)];
        lx.helper(build::op(Op::Xor, all, Dst::packed(value, Type::Uq), &flipped), inst);
        let sum = [read(value, inst, Type::Uq), read(bit, inst, Type::Uq)];
        lx.helper(build::op(Op::Add, all, Dst::packed(value, Type::Uq), &sum), inst);
        last = read(value, inst, ty);
    }
    if !mods.neg() {
        return last;
    }
    let not = [with_type(last, Type::Uq)];
    lx.helper(build::op(Op::Not, all, Dst::packed(value, Type::Uq), &not), inst);
    let one = [read(value, inst, Type::Uq), Src::imm(1, Type::Uq)];
    lx.helper(build::op(Op::Add, all, Dst::packed(value, Type::Uq), &one), inst);
    read(value, inst, ty)
}

/// An operation with a condition: the result is compared with zero afterwards.
pub(super) fn condition_after(lx: &mut Legalizer<'_>, inst: &VInst, cond: CondMod<Virtual>) -> Step {
    let ty = match inst.dst.ty() {
        // A saturated result is of the destination's type.
        Some(ty) if inst.sat => ty,
        ty if ty.is_none_or(Type::is_signed) => Type::Q,
        _ => Type::Uq,
    };
    let value = lx.wide_temp(inst);
    let mut plain = *inst;
    (plain.dst, plain.cond, plain.pred) = (Dst::packed(value, ty), None, None);
    lx.inst(plain);
    if inst.dst.reg().is_none_or(|r| !r.is_null()) {
        let mut copy = build::mov(lanes_of(inst), inst.dst, read(value, inst, ty));
        copy.pred = inst.pred;
        lx.helper(copy, inst);
    }
    let zero = [read(value, inst, ty), Src::imm(0, ty)];
    let mut cmp = build::op(Op::Cmp, lanes_of(inst), Dst::null(ty), &zero);
    (cmp.cond, cmp.pred) = (Some(cond), inst.pred);
    lx.helper(cmp, inst);
    Step::Replaced
}

/// `cmp` of 64-bit integers.
pub(super) fn compare(lx: &mut Legalizer<'_>, inst: &VInst) -> Step {
    let Some(cond) = inst.cond else { return Step::Keep };
    if inst.src[..2].iter().filter_map(Src::ty).any(Type::is_float) {
        return Step::Refuse(NotLegal::Doubles);
    }
    // What is less than zero does not come here beside an unsigned quadword.
    let types = || inst.src[..2].iter().filter_map(Src::ty);
    let signed = types().any(Type::is_signed) && !types().any(|ty| ty == Type::Uq);
    let (Some([a_lo, a_hi]), Some([b_lo, b_hi])) = (dwords_of_src(lx, inst, 0), dwords_of_src(lx, inst, 1))
    else {
        return Step::Refuse(NotLegal::QwordRegion);
    };
    let all = lanes_of(inst);
    let cmp = |cond, flag, ty, a, b, pred| {
        let srcs = [with_type(a, ty), with_type(b, ty)];
        let mut cmp = build::op(Op::Cmp, all, Dst::null(ty), &srcs);
        (cmp.cond, cmp.pred) = (Some(CondMod { cond, flag }), pred);
        cmp
    };
    if matches!(cond.cond, Cond::Eq | Cond::Ne) {
        let low = lx.dwords(inst, Op::Xor, Type::Ud, &[a_lo, b_lo]);
        let high = lx.dwords(inst, Op::Xor, Type::Ud, &[a_hi, b_hi]);
        let both = [read(low, inst, Type::Ud), read(high, inst, Type::Ud)];
        let any = lx.dwords(inst, Op::Or, Type::Ud, &both);
        let last = cmp(cond.cond, cond.flag, Type::Ud, read(any, inst, Type::Ud), Src::ud(0), inst.pred);
        lx.helper(last, inst);
    } else {
        // High dwords decide where they differ. A predicate and a condition name the same flag or none,
        // so the dwords are chosen first, in an order that unsigned comparison has.
        let differ = lx.flag_for(inst);
        lx.helper(cmp(Cond::Ne, differ, Type::Ud, a_hi, b_hi, None), inst);
        let ud = Type::Ud;
        let mut chosen = [a_hi, b_hi];
        for (high, low) in chosen.iter_mut().zip([a_lo, b_lo]) {
            if signed {
                let top = match *high {
                    Src::Imm { bits, .. } => Src::ud(low_u32(bits) ^ 1 << 31),
                    _ => read(lx.dwords(inst, Op::Xor, ud, &[*high, Src::ud(1 << 31)]), inst, ud),
                };
                *high = top;
            }
            if high.is_imm() {
                let reg = lx.aligned_temp(inst.exec.lanes() * 4);
                lx.helper(build::mov(all, Dst::packed(reg, ud), *high), inst);
                *high = read(reg, inst, ud);
            }
            let reg = lx.aligned_temp(inst.exec.lanes() * 4);
            let mut sel = build::op(Op::Sel, all, Dst::packed(reg, ud), &[*high, low]);
            sel.pred = Some(Pred { flag: differ, inv: false, ctrl: PredCtrl::Seq });
            lx.helper(sel, inst);
            *high = read(reg, inst, ud);
        }
        lx.helper(cmp(cond.cond, cond.flag, ud, chosen[0], chosen[1], inst.pred), inst);
    }
    truth(lx, inst, cond.flag);
    Step::Replaced
}

/// What a comparison has to store besides its flag: all ones or zero.
pub(super) fn truth(lx: &mut Legalizer<'_>, inst: &VInst, flag: VReg) {
    let Some(ty) = inst.dst.ty().filter(|_| inst.dst.reg().is_some_and(|r| !r.is_null())) else { return };
    let all = lanes_of(inst);
    let value = lx.aligned_temp(inst.exec.lanes() * ty.bytes());
    let ones = Src::imm(u64::MAX >> (64 - 8 * ty.bytes()), ty);
    let mut sel = build::op(Op::Sel, all, Dst::packed(value, ty), &[ones, Src::imm(0, ty)]);
    sel.pred = Some(Pred { flag, inv: false, ctrl: PredCtrl::Seq });
    lx.helper(sel, inst);
    let mut copy = build::mov(all, inst.dst, read(value, inst, ty));
    copy.pred = inst.pred;
    lx.helper(copy, inst);
}

/// `sel` with a condition, which is minimum or maximum.
pub(super) fn minimum(lx: &mut Legalizer<'_>, inst: &VInst, cond: Cond) -> Step {
    let flag = lx.compare(inst, cond, Type::Q, [inst.src[0], inst.src[1]]);
    let mut sel = *inst;
    sel.cond = None;
    sel.pred = Some(Pred { flag, inv: false, ctrl: PredCtrl::Seq });
    lx.inst(sel);
    Step::Replaced
}

/// Shifts by what is only known at run time. The count is taken modulo 64; shifts of dwords look at five
/// bits of it.
pub(super) fn shift(lx: &mut Legalizer<'_>, inst: &VInst) -> Step {
    let Some([lo, hi]) = dwords_of_src(lx, inst, 0) else {
        return Step::Refuse(NotLegal::QwordRegion);
    };
    let Some([dst_lo, dst_hi]) = dwords_of_dst(inst) else {
        return Step::Refuse(NotLegal::QwordRegion);
    };
    let mut counted = *inst;
    if inst.src[1].ty().is_none_or(|t| t.bytes() != 8) {
        lx.stage_source(&mut counted, 1, Type::Ud, 1);
    }
    let Some([count, _]) = dwords_of_src(lx, &counted, 1) else {
        return Step::Refuse(NotLegal::QwordRegion);
    };
    let arithmetic = is_arithmetic(inst);
    let left = inst.op == Op::Shl;
    let ud = Type::Ud;
    // The bits that cross over are shifted by one and then by 31 less the count.
    let rest = lx.dwords(inst, Op::Not, ud, &[count]);
    let rest = read(rest, inst, ud);
    let (from, across, along) = if left { (lo, Op::Shr, Op::Shl) } else { (hi, Op::Shl, Op::Shr) };
    let once = lx.dwords(inst, across, ud, &[from, Src::uw(1)]);
    let crossed = lx.dwords(inst, across, ud, &[read(once, inst, ud), rest]);
    let near = if left { hi } else { lo };
    let kept = lx.dwords(inst, along, ud, &[near, count]);
    let joined = lx.dwords(inst, Op::Or, ud, &[read(kept, inst, ud), read(crossed, inst, ud)]);
    // The half that bits leave from, and what is shifted in behind it.
    let (leave, ty) = if arithmetic { (Op::Asr, Type::D) } else { (along, ud) };
    let outer = lx.dwords(inst, leave, ty, &[with_type(from, ty), count]);
    let fill = if arithmetic {
        let sign = lx.dwords(inst, Op::Asr, Type::D, &[with_type(hi, Type::D), Src::uw(31)]);
        read(sign, inst, ud)
    } else {
        Src::ud(0)
    };
    let far = lx.flag_for(inst);
    let mut test = build::op(Op::And, lanes_of(inst), Dst::null(ud), &[count, Src::ud(32)]);
    test.cond = Some(CondMod { cond: Cond::Ne, flag: far });
    lx.helper(test, inst);
    let is_far = Pred { flag: far, inv: false, ctrl: PredCtrl::Seq };
    let inner = lx.choose(inst, is_far, ud, [read(outer, inst, ud), read(joined, inst, ud)]);
    // A constant cannot be the first source of every `sel`.
    let is_near = Pred { inv: true, ..is_far };
    let outer = lx.choose(inst, is_near, ud, [read(outer, inst, ud), fill]);
    let (low, high) = if left { (outer, inner) } else { (inner, outer) };
    for (dst, half) in [(dst_lo, low), (dst_hi, high)] {
        let mut copy = build::mov(lanes_of(inst), dst, read(half, inst, ud));
        copy.pred = inst.pred;
        lx.helper(copy, inst);
    }
    Step::Replaced
}

/// A result of fewer than 64 bits: computed in 64, then moved.
pub(super) fn narrow_result(lx: &mut Legalizer<'_>, inst: &VInst) -> Step {
    // The count of a shift has no say in what is shifted.
    let values = if matches!(inst.op, Op::Shl | Op::Shr | Op::Asr) { 1 } else { 3 };
    let signed = inst.src[..values].iter().filter_map(Src::ty).any(Type::is_signed);
    let ty = if signed { Type::Q } else { Type::Uq };
    let value = lx.wide_temp(inst);
    let choice = matches!(inst.op, Op::Sel) && inst.cond.is_none();
    let mut wide = *inst;
    (wide.dst, wide.sat) = (Dst::packed(value, ty), false);
    if !choice {
        wide.pred = None;
    }
    lx.inst(wide);
    let mut mov = build::mov(lanes_of(inst), inst.dst, read(value, inst, ty));
    mov.sat = inst.sat;
    mov.pred = if choice { None } else { inst.pred };
    lx.helper(mov, inst);
    Step::Replaced
}

/// An integer of 64 bits to float: its 32 leading bits, with one more for all that are cut off, then
/// scaled by a power of two. Rounds once.
pub(super) fn to_float(lx: &mut Legalizer<'_>, inst: &VInst) -> Step {
    let Some(from) = inst.src[0].ty() else { return Step::Keep };
    if inst.dst.ty() == Some(Type::Df) {
        return Step::Refuse(NotLegal::Doubles);
    }
    if let Src::Imm { bits, .. } = inst.src[0] {
        let value = if from.is_signed() { to_f32(bits.cast_signed()) } else { to_f32(bits) };
        let mut known = *inst;
        known.src[0] = Src::imm(value.to_bits().into(), Type::F);
        lx.inst(known);
        return Step::Replaced;
    }
    let (ud, all) = (Type::Ud, lanes_of(inst));
    let magnitude = lx.wide_temp(inst);
    let plain = without_modifiers(inst.src[0]);
    let mods = if from.is_signed() { SrcMod::Abs } else { SrcMod::None };
    let source = with_modifiers(plain, mods);
    lx.helper(build::mov(all, Dst::packed(magnitude, from), source), inst);
    let zeros = leading_zeros(lx, inst, magnitude);
    let shifted = lx.wide_temp(inst);
    let srcs = [read(magnitude, inst, Type::Uq), read(zeros, inst, ud)];
    lx.helper(build::op(Op::Shl, all, Dst::packed(shifted, Type::Uq), &srcs), inst);
    let part = |at: u32| Src::new(shifted.plus(at), build::strided(2, inst.exec), ud);
    // Any bit that is cut off sets the lowest one kept.
    let cut = lx.aligned_temp(inst.exec.lanes() * 4);
    let mut sticky = build::op(Op::Sel, all, Dst::packed(cut, ud), &[part(0), Src::ud(1)]);
    sticky.cond = Some(build::sel_cond(Cond::Lt));
    lx.helper(sticky, inst);
    let bits = lx.dwords(inst, Op::Or, ud, &[part(4), read(cut, inst, ud)]);
    let value = lx.aligned_temp(inst.exec.lanes() * 4);
    lx.helper(build::mov(all, Dst::packed(value, Type::F), read(bits, inst, ud)), inst);
    let scale = power_of_two(lx, inst, zeros);
    let srcs = [read(value, inst, Type::F), read(scale, inst, Type::F)];
    let product = lx.aligned_temp(inst.exec.lanes() * 4);
    lx.helper(build::op(Op::Mul, all, Dst::packed(product, Type::F), &srcs), inst);
    let mut result = read(product, inst, ud);
    if from.is_signed() && !inst.src[0].mods().abs() {
        let Some([_, top]) = dwords_of_src(lx, &VInst { src: [plain, Src::None, Src::None], ..*inst }, 0)
        else {
            return Step::Refuse(NotLegal::QwordRegion);
        };
        let sign = lx.dwords(inst, Op::And, ud, &[top, Src::ud(1 << 31)]);
        let signed = lx.dwords(inst, Op::Or, ud, &[result, read(sign, inst, ud)]);
        result = read(signed, inst, ud);
    }
    let mut result = with_type(result, Type::F);
    if inst.src[0].mods().neg() {
        // The negative of zero has no sign.
        let negative = lx.aligned_temp(inst.exec.lanes() * 4);
        let srcs = [with_modifiers(result, SrcMod::Neg), Src::imm(0, Type::F)];
        lx.helper(build::op(Op::Add, all, Dst::packed(negative, Type::F), &srcs), inst);
        result = read(negative, inst, Type::F);
    }
    let mut mov = *inst;
    mov.src[0] = result;
    lx.inst(mov);
    Step::Replaced
}

/// The number of leading zeros of 64 bits: of their high half, and if that is empty, of the low one beside it.
fn leading_zeros(lx: &mut Legalizer<'_>, inst: &VInst, value: VReg) -> VReg {
    let ud = Type::Ud;
    let half = |at: u32| Src::new(value.plus(at), build::strided(2, inst.exec), ud);
    let high = lx.dwords(inst, Op::Lzd, ud, &[half(4)]);
    let low = lx.dwords(inst, Op::Lzd, ud, &[half(0)]);
    let flag = lx.compare(inst, Cond::Eq, ud, [half(4), Src::ud(0)]);
    let sum = lx.dwords(inst, Op::Add, ud, &[read(low, inst, ud), Src::ud(32)]);
    let is_empty = Pred { flag, inv: false, ctrl: PredCtrl::Seq };
    lx.choose(inst, is_empty, ud, [read(sum, inst, ud), read(high, inst, ud)])
}

/// `2^(32 - n)` as a float: the exponent has a bias of 127.
fn power_of_two(lx: &mut Legalizer<'_>, inst: &VInst, n: VReg) -> VReg {
    let minus = with_modifiers(read(n, inst, Type::D), SrcMod::Neg);
    let power = lx.dwords(inst, Op::Add, Type::D, &[minus, Src::imm(32 + 127, Type::D)]);
    lx.dwords(inst, Op::Shl, Type::D, &[read(power, inst, Type::D), Src::uw(23)])
}

/// A float to an integer of 64 bits, toward zero: high half, then what is left of it.
pub(super) fn from_float(lx: &mut Legalizer<'_>, inst: &VInst) -> Step {
    let Some(to) = inst.dst.ty() else { return Step::Keep };
    if inst.src[0].ty() == Some(Type::Df) || to == Type::Df {
        return Step::Refuse(NotLegal::Doubles);
    }
    let (all, ud, f) = (lanes_of(inst), Type::Ud, Type::F);
    let value = lx.aligned_temp(inst.exec.lanes() * 4);
    lx.helper(build::mov(all, Dst::packed(value, f), inst.src[0]), inst);
    let magnitude = with_modifiers(read(value, inst, f), SrcMod::abs_if(to.is_signed()));
    let joined = whole_part(lx, inst, magnitude);
    // What is too large: the largest value, or the smallest.
    let limit = if to.is_signed() { 2f32.powi(63) } else { 2f32.powi(64) };
    let large = lx.compare(inst, Cond::Ge, f, [magnitude, Src::imm(limit.to_bits().into(), f)]);
    let set = |lx: &mut Legalizer<'_>, bits: u64| {
        for at in [0u32, 4] {
            let dst = Dst::Direct { reg: joined.plus(at), horz: 2, ty: ud };
            let mut mov = build::mov(all, dst, Src::ud(low_u32(bits >> (8 * at))));
            mov.pred = Some(Pred { flag: large, inv: false, ctrl: PredCtrl::Seq });
            lx.helper(mov, inst);
        }
    };
    set(lx, if to.is_signed() { 1 << 63 } else { u64::MAX });
    let mut result = read(joined, inst, to);
    if to.is_signed() {
        let negative = lx.wide_temp(inst);
        let minus = with_modifiers(read(joined, inst, Type::Q), SrcMod::Neg);
        lx.helper(build::mov(all, Dst::packed(negative, Type::Q), minus), inst);
        set(lx, u64::MAX >> 1);
        let flag = lx.compare(inst, Cond::Lt, f, [read(value, inst, f), Src::imm(0, f)]);
        let is_below = Pred { flag, inv: false, ctrl: PredCtrl::Seq };
        let both = [read(negative, inst, Type::Q), read(joined, inst, Type::Q)];
        result = read(lx.choose(inst, is_below, Type::Q, both), inst, to);
    }
    let mut mov = build::mov(all, inst.dst, result);
    mov.pred = inst.pred;
    lx.helper(mov, inst);
    Step::Replaced
}

/// The 64 bits in front of the point of a float that is not negative: how often 2^32 goes into it, and what is left.
fn whole_part(lx: &mut Legalizer<'_>, inst: &VInst, magnitude: VSrc) -> VReg {
    let (all, ud, f) = (lanes_of(inst), Type::Ud, Type::F);
    let scaled = lx.aligned_temp(inst.exec.lanes() * 4);
    let down = Src::imm(u64::from((0.5f32.powi(32)).to_bits()), f);
    lx.helper(build::op(Op::Mul, all, Dst::packed(scaled, f), &[magnitude, down]), inst);
    lx.helper(build::op(Op::Rndz, all, Dst::packed(scaled, f), &[read(scaled, inst, f)]), inst);
    let high = lx.dwords(inst, Op::Mov, ud, &[read(scaled, inst, f)]);
    let up = Src::imm(u64::from((2f32.powi(32)).to_bits()), f);
    let whole = lx.aligned_temp(inst.exec.lanes() * 4);
    lx.helper(build::op(Op::Mul, all, Dst::packed(whole, f), &[read(scaled, inst, f), up]), inst);
    let minus = with_modifiers(read(whole, inst, f), SrcMod::Neg);
    let rest = lx.aligned_temp(inst.exec.lanes() * 4);
    lx.helper(build::op(Op::Add, all, Dst::packed(rest, f), &[magnitude, minus]), inst);
    let low = lx.dwords(inst, Op::Mov, ud, &[read(rest, inst, f)]);
    let joined = lx.wide_temp(inst);
    for (at, half) in [(0, low), (4, high)] {
        let dst = Dst::Direct { reg: joined.plus(at), horz: 2, ty: ud };
        lx.helper(build::mov(all, dst, read(half, inst, ud)), inst);
    }
    joined
}
