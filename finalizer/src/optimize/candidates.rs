//! Instructions that single passes look for, so that the walk of another may note where, or whether, there are any
//! (`analyses`).

use gen_ir::{
    Cond, CondMod, Dst, ExecSize, Inst, Op, PredCtrl, Src, SrcMod, Type, Var, VarClass, VarId, Virtual,
};

/// Whether an instruction compares whole values with zero.
pub(super) fn tests_zero(inst: &Inst<Virtual>) -> bool {
    inst.op == Op::Cmp && tested(inst).is_some()
}

/// The variable that a comparison tests for being zero, and the condition it sets.
pub(super) fn tested(inst: &Inst<Virtual>) -> Option<(VarId, CondMod<Virtual>)> {
    let cond = inst.cond?;
    let Src::Direct { reg, region, mods: SrcMod::None, ty } = inst.src[0] else { return None };
    let null = inst.dst.reg().is_some_and(|r| r.is_null());
    let zero = matches!(inst.src[1], Src::Imm { bits: 0, ty: zero } if zero.is_float() == ty.is_float());
    let known = match ty {
        Type::F => !matches!(cond.cond, Cond::Ov | Cond::Un | Cond::Eo),
        _ => matches!(cond.cond, Cond::Eq | Cond::Ne) && ty.is_int() && ty.bytes() <= 4,
    };
    let lanes = inst.exec.lanes();
    let plain =
        inst.op == Op::Cmp && inst.pred.is_none() && null && zero && known && region.one_by_one(lanes);
    plain.then_some((reg.var()?, cond))
}

/// Whether an instruction chooses, channel by channel, what a condition says.
pub(super) fn chooses(inst: &Inst<Virtual>) -> bool {
    inst.op == Op::Sel && !inst.sat && inst.pred.is_some_and(|p| p.ctrl == PredCtrl::Seq)
}

/// Whether an instruction combines conditions.
pub(super) fn combines(inst: &Inst<Virtual>, vars: &[Var]) -> bool {
    let to_flag = || {
        let v = inst.dst_var();
        v.is_some_and(|v| vars[v.index()].class == VarClass::Flag)
    };
    matches!(inst.op, Op::And | Op::Or) && inst.exec.lanes() == 1 && to_flag()
}

/// Whether an instruction is a predicated move through an address, of a form that `smov` has.
pub(super) fn scatters(inst: &Inst<Virtual>) -> bool {
    let Some(pred) = inst.pred else { return false };
    let (Dst::Indirect { ty: to, .. }, Some(from)) = (inst.dst, inst.src[0].ty()) else { return false };
    let ints = to.is_int() && from.is_int() && from.bytes() >= 2 && to.bytes() >= from.bytes();
    let types = ints || to == from && matches!(to, Type::F | Type::Hf);
    inst.op == Op::Mov
        && matches!(inst.exec, ExecSize::S8 | ExecSize::S16)
        && inst.chan.is_multiple_of(16)
        && !inst.sat
        && inst.cond.is_none()
        && !inst.src[0].mods().any()
        && types
        && (pred.ctrl, pred.flag.byte) == (PredCtrl::Seq, 0)
}

/// Whether an instruction converts between half and single float and does nothing else.
pub(super) fn converts(inst: &Inst<Virtual>) -> bool {
    let types = (inst.dst.ty(), inst.src[0].ty());
    inst.op == Op::Mov && matches!(types, (Some(Type::F), Some(Type::Hf)) | (Some(Type::Hf), Some(Type::F)))
}
