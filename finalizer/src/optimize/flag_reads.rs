//! Logic on a scalar reads a flag itself.
//!
//! A predicate becomes a number by a copy into a register, and most often one `and` or `or` is all that reads it: a loop over
//! the different values of an address takes the channels that are done out of those that are left. Hardware takes a flag
//! for the first source of logic, so the copy goes, unless the flag has changed since. Intel's finalizer (IGC 2.40) writes
//! `and (1) r8.6:ud ~f1.0:ud r8.6:ud` for Tiger Lake; `and` and `or` of that form were seen in its code for Ice Lake, for
//! Skylake with a flag as the result, too, and once for Xe-HPC; in code for Broadwell, where its compiler has no such loops, none.
//!
//! `and x, ~p, x` keeps what is zero in `x`. Where half of its bits are known to be, the other half alone is computed:
//! then the half of the flag that a comparison of 16 channels leaves out of 32 need not live on for a reader to whom it
//! says nothing, all around an outer loop.

use gen_ir::{Dst, Inst, Kernel, Op, Reg, Region, Src, SrcMod, Type, Var, VarClass, VarId, Virtual};
use narrow::low_u32;

use super::{shifts::written_at, use_counts::UseCounts};
use crate::lists::refill;

/// How many instructions a flag may live longer for this.
const REACH: usize = 16;

/// The low and the high half of a dword, and both.
const LOW: u8 = 1;
const HIGH: u8 = 2;
const BOTH: u8 = LOW | HIGH;

/// The pass. `may_be_set` is memory for [`find_set`]. Returns whether anything has changed.
pub(super) fn fold(kernel: &mut Kernel<Virtual>, use_counts: &UseCounts, may_be_set: &mut Vec<u8>) -> bool {
    let Kernel { vars, blocks, .. } = kernel;
    let mut any = false;
    for insts in blocks.iter_mut().map(|b| &mut b.insts) {
        for i in 1..insts.len() {
            if let Some(src) = flag_read_before(insts, i, vars, use_counts) {
                insts[i].src = src;
                any = true;
            }
        }
    }
    if any {
        find_set(kernel, may_be_set);
        let Kernel { vars, blocks, .. } = kernel;
        blocks.iter_mut().flat_map(|b| &mut b.insts).for_each(|inst| keep_to_half(inst, vars, may_be_set));
    }
    any
}

/// The sources of instruction `i` with a flag in place of its copy.
fn flag_read_before(
    insts: &[Inst<Virtual>],
    i: usize,
    vars: &[Var],
    use_counts: &UseCounts,
) -> Option<[Src<Virtual>; 3]> {
    let inst = &insts[i];
    let of_two = matches!(inst.op, Op::And | Op::Or);
    if !of_two && inst.op != Op::Not || inst.exec.lanes() != 1 {
        return None;
    }
    (0..if of_two { 2 } else { 1 }).find_map(|s| {
        let Src::Direct { reg, region, mods, ty } = inst.src[s] else { return None };
        let v = reg.var().filter(|v| vars[v.index()].is_only_named() && use_counts.reads(*v) == 1)?;
        if reg != Reg::var_at(v, 0) || !ty.is_dword() || !region.is_scalar() {
            return None;
        }
        let at = written_at(insts, i, v).filter(|at| i - at <= REACH)?;
        let flag = copied_flag(&insts[at], v, vars)?;
        let Src::Direct { reg: flag, ty: of_flag, .. } = flag else { return None };
        // A word has no bits above it that an inversion could set.
        let fits = of_flag == Type::Ud || mods == SrcMod::None;
        let changes = |other: &Inst<Virtual>| other.written().any(|reg| reg.var() == flag.var());
        if !fits || insts[at + 1..i].iter().any(changes) {
            return None;
        }
        with_flag_first(inst, s, Src::Direct { reg: flag, region, mods, ty: of_flag }, vars)
    })
}

/// The sources of an instruction once source `s` is replaced by a flag. The flag comes first: hardware has it nowhere else,
/// so there is no result if the other source is a flag, too.
fn with_flag_first(
    inst: &Inst<Virtual>,
    s: usize,
    flag: Src<Virtual>,
    vars: &[Var],
) -> Option<[Src<Virtual>; 3]> {
    let mut src = inst.src;
    src[s] = flag;
    src.swap(0, s);
    let second = src[1].reg().and_then(|reg| flag_in(reg, vars));
    second.is_none().then_some(src)
}

/// The flag that a register is in.
fn flag_in(reg: Reg<Virtual>, vars: &[Var]) -> Option<VarId> {
    reg.var().filter(|v| vars[v.index()].class == VarClass::Flag)
}

/// The flag that an instruction copies to a variable, all of it.
fn copied_flag(inst: &Inst<Virtual>, to: VarId, vars: &[Var]) -> Option<Src<Virtual>> {
    let (Dst::Direct { reg, ty: written, .. }, src @ Src::Direct { reg: flag, mods: SrcMod::None, ty, .. }) =
        (inst.dst, inst.src[0])
    else {
        return None;
    };
    flag_in(flag, vars)?;
    let copies = inst.op == Op::Mov && inst.exec.lanes() == 1 && inst.no_mask && inst.is_plain();
    let whole = reg == Reg::var_at(to, 0) && written.is_dword();
    (copies && whole && matches!(ty, Type::Ud | Type::Uw)).then_some(src)
}

/// Finds, for each variable of a dword, the halves in which any instruction may set bits: [`LOW`], [`HIGH`], both or none.
/// All other variables get [`BOTH`].
fn find_set(kernel: &Kernel<Virtual>, may_be_set: &mut Vec<u8>) {
    let at_first = |v: &Var| {
        let plain = v.class == VarClass::General && v.bytes == 4 && v.is_only_named();
        if plain && !v.live_in { 0 } else { BOTH }
    };
    refill(may_be_set, kernel.vars.iter().map(at_first));
    for inst in kernel.blocks.iter().flat_map(|b| &b.insts) {
        for v in inst.written().filter_map(Reg::var) {
            may_be_set[v.index()] |= sets(inst, v);
        }
    }
}

/// The halves of a dword in which an instruction that writes it may set bits that were not set.
fn sets(inst: &Inst<Virtual>, v: VarId) -> u8 {
    let Dst::Direct { reg, ty, .. } = inst.dst else { return BOTH };
    let whole = reg == Reg::var_at(v, 0) && ty.is_dword() && inst.exec.lanes() == 1;
    if !whole || inst.sat {
        return BOTH;
    }
    let halves = |bits: u64| {
        let bits = low_u32(bits);
        (u8::from(bits & 0xffff != 0) * LOW) | (u8::from(bits >> 16 != 0) * HIGH)
    };
    match (inst.op, &inst.src[..2]) {
        (Op::Mov, [Src::Imm { bits, ty }, _]) if ty.is_dword() => halves(*bits),
        (Op::And, [_, Src::Imm { bits, ty }]) if ty.is_dword() => halves(*bits),
        (Op::And, src) if src.iter().any(|s| is_all_of(s, v)) => 0,
        _ => BOTH,
    }
}

/// Whether a source is all of a variable of a dword, without modifiers.
fn is_all_of(src: &Src<Virtual>, v: VarId) -> bool {
    matches!(src, Src::Direct { reg, region, mods: SrcMod::None, ty }
        if *reg == Reg::var_at(v, 0) && ty.is_dword() && region.is_scalar())
}

/// Rewrites `and x, flag, x` so that only the half of `x` that may have bits is computed.
fn keep_to_half(inst: &mut Inst<Virtual>, vars: &[Var], may_be_set: &[u8]) {
    let Some((flag, x, byte)) = half_of(inst, vars, may_be_set) else { return };
    let Src::Direct { mods, .. } = inst.src[0] else { return };
    let (from, to) = (Reg::var_at(flag, byte), Reg::var_at(x, byte));
    inst.dst = Dst::packed(to, Type::Uw);
    inst.src[0] = Src::Direct { reg: from, region: Region::SCALAR, mods, ty: Type::Uw };
    inst.src[1] = Src::new(to, Region::SCALAR, Type::Uw);
}

/// For such an instruction: the flag, the variable `x`, and the byte at which the half begins. `None` for all others.
fn half_of(inst: &Inst<Virtual>, vars: &[Var], may_be_set: &[u8]) -> Option<(VarId, VarId, u32)> {
    let (Dst::Direct { reg: to, ty, .. }, Src::Direct { reg, ty: Type::Ud | Type::D, .. }) =
        (inst.dst, inst.src[0])
    else {
        return None;
    };
    let (x, flag) = (to.var()?, flag_in(reg, vars)?);
    let kept = inst.op == Op::And
        && reg == Reg::var_at(flag, 0)
        && inst.exec.lanes() == 1
        && inst.cond.is_none()
        && to == Reg::var_at(x, 0)
        && ty.is_dword()
        && is_all_of(&inst.src[1], x);
    let byte = match may_be_set[x.index()] {
        LOW => 0,
        HIGH => 2,
        _ => return None,
    };
    kept.then_some((flag, x, byte))
}
