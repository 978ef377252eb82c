//! Quadwords that have 65 bits: unsigned ones beside signed numbers, and under source modifiers the negative of an unsigned
//! one, and of the least signed one. What compares, chooses, shifts or saturates them sees their sign, too (vISA, Type
//! Conversion: extra precision is provided within the hardware); all else takes their low 64.

use gen_ir::{Cond, CondMod, Dst, Op, Pred, PredCtrl, Src, SrcMod, Type};

use super::{
    legalizer::{Legalizer, Step, lanes_of},
    not_legal::NotLegal,
    operand::{Saturates, with_modifiers, without_modifiers},
    qwords::{dwords_of_dst, dwords_of_src, is_wide},
    wide::{self, read},
};
use crate::build::{self, VInst, VReg, VSrc, extend, with_type};

/// A number of 65 bits: its sign in all bits of a dword, then two dwords.
#[derive(Clone, Copy)]
pub(super) struct Long {
    pub sign: VSrc,
    pub high: VSrc,
    pub low: VSrc,
}

/// Whether a platform without quadwords looks at all 65 bits of an operand here.
pub(super) fn matter(inst: &VInst) -> bool {
    let looks = match inst.op {
        Op::Cmp | Op::Sel => inst.cond.is_some(),
        Op::Asr => inst.cond.is_none() && is_long(&inst.src[0]),
        _ => false,
    };
    // Beside an unsigned quadword there is no room for what is less than zero.
    let uq = |src: &VSrc| src.ty() == Some(Type::Uq);
    let beside = inst.src.iter().any(uq) && inst.src.iter().any(may_be_negative);
    looks && (beside || inst.src.iter().any(is_long))
}

/// Whether an integer may be less than zero.
fn may_be_negative(src: &VSrc) -> bool {
    match *src {
        Src::Imm { bits, ty } => ty.is_signed() && (ty == Type::V || extend(bits, ty) >> 63 != 0),
        _ => src.ty().is_some_and(|ty| ty.is_signed() && !src.mods().abs() || src.mods().neg()),
    }
}

/// Whether a source may be a number of 65 bits.
pub(super) fn is_long(src: &VSrc) -> bool {
    match src.ty() {
        Some(Type::Uq) => src.mods().neg(),
        Some(Type::Q) => src.mods().any(),
        _ => false,
    }
}

pub(super) fn rule(lx: &mut Legalizer<'_>, inst: &VInst) -> Step {
    let done = match (inst.op, inst.cond) {
        (Op::Asr, _) => shift(lx, inst),
        (Op::Cmp, Some(cond)) => compare(lx, inst, cond, inst.pred).map(|_| wide::truth(lx, inst, cond.flag)),
        (_, Some(cond)) => return choose(lx, inst, cond.cond),
        _ => None,
    };
    done.map_or(Step::Refuse(NotLegal::QwordRegion), |()| Step::Replaced)
}

/// A source in full. Nothing where its region has no dwords.
pub(super) fn long(lx: &mut Legalizer<'_>, inst: &VInst, i: usize) -> Option<Long> {
    let src = inst.src[i];
    let mut plain = *inst;
    plain.src[i] = wide::value(lx, inst, i);
    let signed = plain.src[i].ty()?.is_signed();
    let [low, high] = dwords_of_src(lx, &plain, i)?;
    let (long, mods) = (is_long(&src), src.mods());
    let top = if long && mods.neg() {
        // Negative unless zero: of a number and its negative, one has the upper bit, unless both are zero.
        let any = lx.dwords(inst, Op::Or, Type::Ud, &[low, high]);
        let negative = with_modifiers(read(any, inst, Type::D), SrcMod::Neg);
        let minus = lx.dwords(inst, Op::Mov, Type::D, &[negative]);
        let both = [read(any, inst, Type::Ud), read(minus, inst, Type::Ud)];
        let mut some = lx.dwords(inst, Op::Or, Type::Ud, &both);
        if signed && !mods.abs() {
            // A number that was negative before becomes positive.
            plain.src[i] = without_modifiers(src);
            let [_, before] = dwords_of_src(lx, &plain, i)?;
            let not = with_modifiers(before, SrcMod::Neg);
            some = lx.dwords(inst, Op::And, Type::Ud, &[not, read(some, inst, Type::Ud)]);
        }
        read(some, inst, Type::D)
    } else if signed && !long {
        with_type(high, Type::D)
    } else {
        return Some(Long { sign: Src::ud(0), high, low });
    };
    let sign = match top {
        Src::Imm { bits, .. } => Src::ud(if bits >> 31 & 1 == 0 { 0 } else { u32::MAX }),
        top => read(lx.dwords(inst, Op::Asr, Type::D, &[top, Src::uw(31)]), inst, Type::Ud),
    };
    Some(Long { sign, high, low })
}

/// Sets a flag as the sources compare.
fn compare(
    lx: &mut Legalizer<'_>,
    inst: &VInst,
    cond: CondMod<gen_ir::Virtual>,
    pred: Option<Pred<gen_ir::Virtual>>,
) -> Option<[Long; 2]> {
    let both = [long(lx, inst, 0)?, long(lx, inst, 1)?];
    let [a, b] = both;
    let ud = Type::Ud;
    let srcs = if matches!(cond.cond, Cond::Eq | Cond::Ne) {
        let pairs = [[a.low, b.low], [a.high, b.high], [a.sign, b.sign]];
        let [low, high, sign] = pairs.map(|pair| read(differing(lx, inst, pair), inst, ud));
        let some = lx.dwords(inst, Op::Or, ud, &[low, high]);
        let some = lx.dwords(inst, Op::Or, ud, &[read(some, inst, ud), sign]);
        [read(some, inst, ud), Src::ud(0)]
    } else {
        // The uppermost dwords that differ decide, in an order that unsigned comparison has.
        let ordered = both.map(|x| flipped(lx, inst, x.sign));
        let high = unequal(lx, inst, a.high, b.high);
        let sign = unequal(lx, inst, a.sign, b.sign);
        let keys = [(a, ordered[0]), (b, ordered[1])];
        keys.map(|(x, top)| {
            let rest = pick(lx, inst, high, x.high, x.low);
            pick(lx, inst, sign, top, rest)
        })
    };
    let mut cmp = build::op(Op::Cmp, lanes_of(inst), Dst::null(ud), &srcs);
    (cmp.cond, cmp.pred) = (Some(cond), pred);
    lx.helper(cmp, inst);
    Some(both)
}

/// The bits in which two dwords differ.
fn differing(lx: &mut Legalizer<'_>, inst: &VInst, [a, b]: [VSrc; 2]) -> VReg {
    let a = register(lx, inst, a);
    lx.dwords(inst, Op::Xor, Type::Ud, &[a, b])
}

/// A dword with its upper bit the other way.
fn flipped(lx: &mut Legalizer<'_>, inst: &VInst, src: VSrc) -> VSrc {
    let src = register(lx, inst, src);
    read(lx.dwords(inst, Op::Xor, Type::Ud, &[src, Src::ud(1 << 31)]), inst, Type::Ud)
}

/// A flag that says where dwords differ.
fn unequal(lx: &mut Legalizer<'_>, inst: &VInst, a: VSrc, b: VSrc) -> VReg {
    let a = register(lx, inst, a);
    lx.compare(inst, Cond::Ne, Type::Ud, [a, b])
}

/// A dword that a first source can be.
pub(super) fn register(lx: &mut Legalizer<'_>, inst: &VInst, src: VSrc) -> VSrc {
    if src.is_imm() { read(lx.dwords(inst, Op::Mov, Type::Ud, &[src]), inst, Type::Ud) } else { src }
}

/// One of two dwords by a flag.
fn pick(lx: &mut Legalizer<'_>, inst: &VInst, flag: VReg, yes: VSrc, no: VSrc) -> VSrc {
    let yes = register(lx, inst, yes);
    let reg = lx.aligned_temp(inst.exec.lanes() * 4);
    let mut sel = build::op(Op::Sel, lanes_of(inst), Dst::packed(reg, Type::Ud), &[yes, no]);
    sel.pred = Some(Pred { flag, inv: false, ctrl: PredCtrl::Seq });
    lx.helper(sel, inst);
    read(reg, inst, Type::Ud)
}

/// `sel` with a condition, which is minimum or maximum.
fn choose(lx: &mut Legalizer<'_>, inst: &VInst, cond: Cond) -> Step {
    let Some(ty) = inst.dst.ty() else { return Step::Refuse(NotLegal::NoDestination) };
    let wide = is_wide(ty);
    if wide && dwords_of_dst(inst).is_none() {
        lx.stage_destination(inst, ty, 1, Saturates::Operation);
        return Step::Replaced;
    }
    let flag = lx.flag_for(inst);
    let Some([a, b]) = compare(lx, inst, CondMod { cond, flag }, None) else {
        return Step::Refuse(NotLegal::QwordRegion);
    };
    let dwords = [(a.low, b.low), (a.high, b.high)].map(|(yes, no)| pick(lx, inst, flag, yes, no));
    match dwords_of_dst(inst).filter(|_| wide) {
        Some(dsts) => {
            for (dst, dword) in dsts.into_iter().zip(dwords) {
                lx.helper(build::mov(lanes_of(inst), dst, dword), inst);
            }
        }
        None => lx.helper(build::mov(lanes_of(inst), inst.dst, dwords[0]), inst),
    }
    Step::Replaced
}

/// `asr`: by one with the sign shifted in, which leaves 64 bits, then by the rest; by nothing, where the count is zero.
fn shift(lx: &mut Legalizer<'_>, inst: &VInst) -> Option<()> {
    let (q, ud) = (Type::Q, Type::Ud);
    // Where the count is masked, its sign would be a complement.
    let mut plain = *inst;
    if let Some(ty) = inst.src[1].ty().filter(|_| inst.src[1].mods().any()) {
        lx.stage_source(&mut plain, 1, ty, 1);
    }
    let inst = &plain;
    let Long { sign, high, low } = long(lx, inst, 0)?;
    let joined = |lx: &mut Legalizer<'_>, upper: VSrc, lower: VSrc| {
        let lower = lx.dwords(inst, Op::Shr, ud, &[lower, Src::uw(1)]);
        let upper = lx.dwords(inst, Op::Shl, ud, &[upper, Src::uw(31)]);
        read(lx.dwords(inst, Op::Or, ud, &[read(lower, inst, ud), read(upper, inst, ud)]), inst, ud)
    };
    let once = [joined(lx, high, low), joined(lx, sign, high)];
    let (once, whole) = (quadword(lx, inst, once)?, quadword(lx, inst, [low, high])?);
    let [count, _] = dwords_of_src(lx, inst, 1)?;
    let count = register(lx, inst, count);
    let count = lx.dwords(inst, Op::And, ud, &[count, Src::ud(63)]);
    let less =
        lx.dwords(inst, Op::Add, Type::D, &[read(count, inst, Type::D), Src::imm(0xffff_ffff, Type::D)]);
    let all = lanes_of(inst);
    let shifted = lx.wide_temp(inst);
    let by = [read(once, inst, q), read(less, inst, ud)];
    lx.helper(build::op(Op::Asr, all, Dst::packed(shifted, q), &by), inst);
    let flag = unequal(lx, inst, read(count, inst, ud), Src::ud(0));
    // What is not shifted has 65 bits still.
    let (ty, both) = if inst.sat {
        let to = inst.dst.ty()?;
        (to, [read(shifted, inst, q), inst.src[0]].map(|value| saturated(lx, inst, to, value)))
    } else {
        (q, [read(shifted, inst, q), read(whole, inst, q)])
    };
    let chosen = lx.wide_temp(inst);
    let mut sel = build::op(Op::Sel, all, Dst::packed(chosen, ty), &both);
    sel.pred = Some(Pred { flag, inv: false, ctrl: PredCtrl::Seq });
    lx.helper(sel, inst);
    let mut mov = build::mov(all, inst.dst, read(chosen, inst, ty));
    mov.pred = inst.pred;
    lx.helper(mov, inst);
    Some(())
}

/// A value, saturated to a type.
fn saturated(lx: &mut Legalizer<'_>, inst: &VInst, to: Type, value: VSrc) -> VSrc {
    let reg = lx.wide_temp(inst);
    let mut mov = build::mov(lanes_of(inst), Dst::packed(reg, to), value);
    mov.sat = true;
    lx.helper(mov, inst);
    read(reg, inst, to)
}

/// Two dwords, side by side.
pub(super) fn quadword(lx: &mut Legalizer<'_>, inst: &VInst, dwords: [VSrc; 2]) -> Option<VReg> {
    let value = lx.wide_temp(inst);
    let dsts = dwords_of_dst(&build::mov(lanes_of(inst), Dst::packed(value, Type::Q), Src::ud(0)))?;
    for (dst, dword) in dsts.into_iter().zip(dwords) {
        lx.helper(build::mov(lanes_of(inst), dst, dword), inst);
    }
    Some(value)
}
