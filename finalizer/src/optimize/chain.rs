//! Compound conditions: the second comparison runs where the first leaves the answer open.
//!
//! `cmp P1 = a; cmp P2 = b; or P2 = P1 | P2` becomes `cmp P2 = a; (~P2) cmp P2 = b`, and `and` the same
//! under `P2`. Flags have no logic of their own: the `or` would go by way of a general register.
//!
//! The scalar operation combines the bits of disabled channels too, the comparisons do not touch them. So
//! this holds where the result is read in its own block only, under the mask, by channels compared.

use gen_ir::{
    Inst, Kernel, Op, Payload, Pred, PredCtrl, Reg, Role, Src, SrcMod, Var, VarClass, VarId, Virtual,
};

use crate::lists::reset;

/// How far apart comparisons, operation and readers may stand.
const REACH: usize = 32;

/// How often each variable is read and written.
#[derive(Debug, Default)]
pub(super) struct Uses {
    reads: Vec<u32>,
    writes: Vec<u32>,
}

impl Uses {
    fn count(&mut self, kernel: &Kernel<Virtual>) {
        reset(&mut self.reads, kernel.vars.len(), 0);
        reset(&mut self.writes, kernel.vars.len(), 0);
        for (_, inst) in kernel.insts() {
            inst.for_each_reg(|role, reg| {
                let Some(v) = reg.var() else { return };
                let list = if role.is_write() { &mut self.writes } else { &mut self.reads };
                list[v.index()] += 1;
            });
        }
    }

    fn all(&self, v: VarId) -> u32 {
        self.reads[v.index()] + self.writes[v.index()]
    }

    /// After a change: the result has taken over what concerned the first flag. The operation and the copy
    /// are gone, the second comparison reads and writes it.
    fn count_again(&mut self, c: &Combination) {
        let (result, early, late) = (c.result.index(), c.early.index(), c.late.index());
        // As its own source it was read by the operation and is now by the comparison.
        if c.early != c.result {
            self.reads[result] += self.reads[early] - 1;
            self.writes[result] += self.writes[early];
            (self.reads[early], self.writes[early]) = (0, 0);
        }
        if c.late != c.result {
            self.writes[result] += 1;
            (self.reads[late], self.writes[late]) = (0, 0);
        }
        if ![c.early, c.late].contains(&c.result) {
            self.reads[result] += 1;
        }
        self.writes[result] -= 1;
    }

    fn once(&self, v: VarId) -> bool {
        (self.reads[v.index()], self.writes[v.index()]) == (1, 1)
    }
}

/// Whether an instruction combines conditions.
pub(super) fn combines(inst: &Inst<Virtual>, vars: &[Var]) -> bool {
    let to_flag = || {
        let v = inst.dst.reg().and_then(|r| r.var());
        v.is_some_and(|v| vars[v.index()].class == VarClass::Flag)
    };
    matches!(inst.op, Op::And | Op::Or) && inst.exec.lanes() == 1 && to_flag()
}

/// Chains comparisons in every block. Returns whether there were any.
pub(super) fn comparisons(kernel: &mut Kernel<Virtual>, uses: &mut Uses) -> bool {
    uses.count(kernel);
    let Kernel { vars, blocks, .. } = kernel;
    let mut any = false;
    for block in blocks {
        let mut removed = false;
        // Backwards: what reads a combination must be known before the combination is looked at.
        for at in (0..block.insts.len()).rev() {
            let Some(c) = combination(&block.insts, at, uses) else { continue };
            let flags = [c.result, c.early, c.late].map(|v| &vars[v.index()]);
            let alike = flags.iter().all(|f| f.class == VarClass::Flag && f.bytes == flags[0].bytes);
            let free = flags.iter().all(|f| !f.live_in && !f.live_out && f.fixed.is_none());
            if !(alike && free && result_is_local(&block.insts, at, &c, uses)) {
                continue;
            }
            let result = Reg::var_at(c.result, 0);
            if c.early != c.result {
                for inst in &mut block.insts[c.start..c.second] {
                    rename(inst, c.early, c.result);
                }
            }
            let second = &mut block.insts[c.second];
            second.pred = Some(Pred { flag: result, inv: c.or, ctrl: PredCtrl::Seq });
            if let Some(cond) = &mut second.cond {
                cond.flag = result;
            }
            for i in [c.copy, at] {
                block.insts[i] = Inst::new(Op::Nop, block.insts[i].exec);
            }
            uses.count_again(&c);
            removed = true;
        }
        if removed {
            block.insts.retain(|i| i.op != Op::Nop);
        }
        any |= removed;
    }
    any
}

/// What such an operation is made of.
struct Combination {
    or: bool,
    result: VarId,
    /// The flag made first, and the one made second.
    early: VarId,
    late: VarId,
    /// The first instruction that has to do with the first flag.
    start: usize,
    /// Where the second flag is made.
    second: usize,
    /// Where a source goes to a general register.
    copy: usize,
}

/// Gives a flag's operands another variable.
fn rename(inst: &mut Inst<Virtual>, from: VarId, to: VarId) {
    *inst = inst.map_regs(|_, reg| if reg.var() == Some(from) { Reg::var_at(to, reg.byte) } else { reg });
}

/// The variable of a plain scalar source.
fn plain(src: &Src<Virtual>) -> Option<VarId> {
    match *src {
        Src::Direct { reg, mods: SrcMod::None, .. } if reg.byte == 0 => reg.var(),
        _ => None,
    }
}

fn combination(insts: &[Inst<Virtual>], at: usize, uses: &Uses) -> Option<Combination> {
    let inst = &insts[at];
    let bare = |i: &Inst<Virtual>| i.no_mask && i.pred.is_none() && i.cond.is_none() && i.exec.lanes() == 1;
    if !matches!(inst.op, Op::And | Op::Or) || !bare(inst) {
        return None;
    }
    let result = inst.dst.reg().filter(|r| r.byte == 0)?.var()?;
    let (a, word) = (plain(&inst.src[0])?, plain(&inst.src[1])?);
    let copy = at.checked_sub(1)?;
    let mov = &insts[copy];
    let copies = mov.op == Op::Mov && bare(mov) && mov.dst.reg().and_then(|r| r.var()) == Some(word);
    let b = plain(&mov.src[0]).filter(|_| copies)?;
    if !uses.once(word) || a == b {
        return None;
    }
    // The second comparison: behind it nothing else has to do with either flag.
    let window = at.saturating_sub(REACH)..copy;
    let involved = |i: usize| {
        let mut found = (false, false, 0);
        insts[i].for_each_reg(|role, r| {
            let Some(v) = r.var().filter(|v| [a, b, result].contains(v)) else { return };
            found = (true, found.1 || role.is_write(), v.0);
        });
        found
    };
    let second = window.clone().rev().find(|i| involved(*i).0)?;
    let late = match involved(second) {
        (_, true, v) if v == a.0 || v == b.0 => VarId(v),
        _ => return None,
    };
    let early = if late == a { b } else { a };
    if late != result && !uses.once(late) {
        return None;
    }
    // What makes the first flag, and where that flag is first heard of: there it gets its new name.
    let mut left = uses.all(early) - 1;
    let (mut first, mut start) = (None, second);
    for i in window.rev().skip(copy - second) {
        let (mut early_here, mut made, mut other) = (0, false, false);
        insts[i].for_each_reg(|role, r| {
            let v = r.var();
            early_here += u32::from(v == Some(early));
            made |= v == Some(early) && role.is_write();
            other |= (v == Some(result) && early != result) || v == Some(late);
        });
        if other {
            return None;
        }
        if made && first.is_none() {
            first = Some(i);
        }
        if early_here > 0 {
            left = left.checked_sub(early_here)?;
            start = i;
        }
        if left == 0 || (early == result && first.is_some()) {
            break;
        }
    }
    let first = first?;
    if early != result && left != 0 {
        return None;
    }
    let (x, y) = (&insts[first], &insts[second]);
    let narrow = |i: &Inst<Virtual>| i.src.iter().filter_map(Src::ty).all(|t| t.bytes() <= 4);
    let null = y.dst.reg().is_some_and(|r| r.is_null());
    let compares = y.op == Op::Cmp && y.pred.is_none() && null && narrow(y) && y.payload == Payload::None;
    // What makes the first: a condition of the same channels, or such an operation itself.
    let same = x.cond.is_some() && (x.exec, x.chan, x.no_mask) == (y.exec, y.chan, y.no_mask);
    let makes = x.pred.is_none() && narrow(x) && (same || (x.cond.is_none() && bare(x)));
    let or = inst.op == Op::Or;
    (compares && makes).then_some(Combination { or, result, early, late, start, second, copy })
}

/// Whether all readers of the result are masked instructions behind the operation, of channels that the
/// second comparison has.
fn result_is_local(insts: &[Inst<Virtual>], at: usize, c: &Combination, uses: &Uses) -> bool {
    let compare = &insts[c.second];
    let lanes = u32::from(compare.chan)..u32::from(compare.chan) + compare.exec.lanes();
    let own = [c.early, c.late].contains(&c.result);
    let mut left = uses.reads[c.result.index()] - u32::from(own);
    for inst in insts.iter().skip(at + 1).take(REACH) {
        let mut fine = true;
        inst.for_each_reg(|role, r| {
            if r.var() == Some(c.result) && !role.is_write() {
                let first = u32::from(inst.chan);
                let inside = first >= lanes.start && first + inst.exec.lanes() <= lanes.end;
                let masked = !inst.no_mask || compare.no_mask;
                let seq = inst.pred.is_some_and(|p| p.ctrl == PredCtrl::Seq);
                fine &= role == Role::Pred && inside && masked && seq;
                left = left.saturating_sub(1);
            }
        });
        if !fine {
            return false;
        }
        if left == 0 {
            return true;
        }
    }
    false
}
