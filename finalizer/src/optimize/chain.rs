//! Compound conditions: the second comparison runs where the first leaves the answer open.
//!
//! `cmp P1 = a; cmp P2 = b; or P2 = P1 | P2` becomes `cmp P2 = a; (~P2) cmp P2 = b`, and `and` the same
//! under `P2`. Flags have no logic of their own: the `or` would go by way of a general register.
//!
//! The scalar operation combines the bits of disabled channels too, the comparisons do not touch them. So
//! this holds where the result is read in its own block only, under the mask, by channels compared: by themselves or
//! once they are combined with others'; or where all channels compare, whatever the mask. And it holds where the result
//! goes to its flag under the mask: what other blocks read is lowered as `and F = P1 & P2; (F) sel r = 1, 0;
//! cmp.ne P2 = r, 0`, of which nothing is left then.

use gen_ir::{
    Cond, Inst, Kernel, Op, Pred, PredCtrl, Reg, Role, Src, SrcMod, Type, Var, VarClass, VarId, Virtual,
};

use super::use_counts::UseCounts;
use crate::lists::reset;
use std::ops::Range;

/// How far apart comparisons, operation and readers may stand: payloads of some messages may be between.
const REACH: usize = 128;

/// Bytes of a flag: channels by eight.
type FlagBytes = Range<u32>;

/// How often something is read and written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Count {
    reads: u32,
    writes: u32,
}

/// How often each variable is read and written: its first two bytes, the others, and any. A flag of 32 channels is
/// two of 16 where code works on halves.
#[derive(Debug, Default)]
pub(super) struct Uses {
    counts: Vec<[Count; 3]>,
    /// By instruction of a block that combines flags: the channels that compare, and whether they alone look at the result.
    local: Vec<Option<(Compared, bool)>>,
}

/// Channels that compare, and whether they do so whatever the mask.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Compared {
    first: u32,
    end: u32,
    on: bool,
}

impl Compared {
    fn by(inst: &Inst<Virtual>) -> Compared {
        let first = u32::from(inst.chan);
        Compared { first, end: first + inst.exec.lanes(), on: inst.no_mask }
    }
}

impl Uses {
    fn count(&mut self, kernel: &Kernel<Virtual>) {
        reset(&mut self.counts, kernel.vars.len(), [Count::default(); 3]);
        kernel.insts().for_each(|(_, inst)| self.note(inst, &kernel.vars, 1));
    }

    /// Counts the reads and writes of an instruction (`by` is 1), or no longer (-1). No variable larger than a dword can be
    /// on the way of a flag, so larger ones are not counted.
    fn note(&mut self, inst: &Inst<Virtual>, vars: &[Var], by: i32) {
        inst.for_each_reg(|role, reg| {
            let Some(v) = reg.var().filter(|v| vars[v.index()].bytes <= 4) else { return };
            let part = touched(inst, role, reg);
            let counts = &mut self.counts[v.index()];
            for (count, here) in counts.iter_mut().zip([part.start < 2, part.end > 2, true]) {
                let n = if role.is_write() { &mut count.writes } else { &mut count.reads };
                *n = n.saturating_add_signed(if here { by } else { 0 });
            }
        });
    }

    /// How often a part of a variable is touched.
    fn of(&self, v: VarId, part: &FlagBytes) -> Count {
        let [low, high, all] = self.counts[v.index()];
        match (part.start, part.end) {
            (_, ..=2) => low,
            (2.., _) => high,
            _ => all,
        }
    }

    fn all(&self, v: VarId, part: &FlagBytes) -> u32 {
        let Count { reads, writes } = self.of(v, part);
        reads + writes
    }

    fn once(&self, v: VarId, part: &FlagBytes) -> bool {
        self.of(v, part) == Count { reads: 1, writes: 1 }
    }
}

/// The bytes of a flag that an operand touches, if it is one.
pub(super) fn touched(inst: &Inst<Virtual>, role: Role, reg: Reg<Virtual>) -> FlagBytes {
    let seq = role != Role::Pred || inst.pred.is_none_or(|p| p.ctrl == PredCtrl::Seq);
    let channels = u32::from(inst.chan)..u32::from(inst.chan) + inst.exec.lanes();
    match role {
        Role::Pred | Role::Cond if seq => reg.byte + channels.start / 8..reg.byte + channels.end.div_ceil(8),
        Role::Dst | Role::Src(_) if inst.exec.lanes() == 1 => {
            let ty = match role {
                Role::Src(i) => inst.src[usize::from(i)].ty(),
                _ => inst.dst.ty(),
            };
            reg.byte..reg.byte + ty.map_or(4, |t| t.bytes())
        }
        _ => 0..u32::MAX,
    }
}

pub(super) const fn meet(a: &FlagBytes, b: &FlagBytes) -> bool {
    a.start < b.end && b.start < a.end
}

/// Chains comparisons in every block. Returns whether there were any.
pub(super) fn comparisons(kernel: &mut Kernel<Virtual>, use_counts: &UseCounts, uses: &mut Uses) -> bool {
    uses.count(kernel);
    // Where qwords are compared by several instructions, none of these decides alone.
    let widest = if kernel.platform.caps().ops.int64_logic { 8 } else { 4 };
    let Kernel { vars, blocks, .. } = kernel;
    let mut any = false;
    for block in blocks {
        let mut removed = false;
        find_local(&block.insts, uses, (use_counts, widest));
        // From the start: where combinations are combined again, the first ones are comparisons by then.
        for at in 0..block.insts.len() {
            let Some(c) = combination(&block.insts, at, (uses, use_counts, widest)) else { continue };
            let flags = [c.result, c.early, c.late].map(|v| &vars[v.index()]);
            let alike = flags.iter().all(|f| f.class == VarClass::Flag && f.bytes == flags[0].bytes);
            let free = flags.iter().all(|f| !f.live_in && !f.live_out && f.fixed.is_none());
            if !(alike && free && keeps_other_lanes(&block.insts, at, &c, uses)) {
                continue;
            }
            let changed = c.start..c.end;
            block.insts[changed.clone()].iter().for_each(|inst| uses.note(inst, vars, -1));
            let result = Reg::var_at(c.result, 0);
            if c.early != c.result {
                for inst in &mut block.insts[c.start..c.second] {
                    rename(inst, c.early, c.result, &c.part);
                }
            }
            let second = &mut block.insts[c.second];
            second.pred = Some(Pred { flag: result, inv: c.or, ctrl: PredCtrl::Seq });
            if let Some(cond) = &mut second.cond {
                cond.flag = result;
            }
            for inst in &mut block.insts[c.copy..c.end] {
                *inst = Inst::new(Op::Nop, inst.exec);
            }
            block.insts[changed].iter().for_each(|inst| uses.note(inst, vars, 1));
            removed = true;
        }
        if removed {
            block.insts.retain(|i| i.op != Op::Nop);
        }
        any |= removed;
    }
    any
}

/// Notes which combinations of a block are read by the channels alone that compare. From the end: who reads a combination may
/// be the next one, and there can be hundreds.
fn find_local(insts: &[Inst<Virtual>], uses: &mut Uses, (use_counts, widest): (&UseCounts, u32)) {
    reset(&mut uses.local, insts.len(), None);
    for at in (0..insts.len()).rev() {
        if let Some(c) = combination(insts, at, (uses, use_counts, widest))
            && !c.masked
        {
            let compared = Compared::by(&insts[c.second]);
            uses.local[at] = Some((compared, c.is_local(insts, at, compared, uses)));
        }
    }
}

/// What such an operation is made of.
struct Combination {
    or: bool,
    /// The part of the flags that it is about.
    part: FlagBytes,
    result: VarId,
    /// The flag made first, and the one made second.
    early: VarId,
    late: VarId,
    /// The first instruction that has to do with the first flag.
    start: usize,
    /// Where the second flag is made.
    second: usize,
    /// The first of the instructions that are removed, a copy of a source to a general register; and the end of them.
    copy: usize,
    end: usize,
    /// The result goes to its flag under the mask.
    masked: bool,
}

impl Combination {
    /// Whether what instruction `at` combines is of use to the channels alone that compare.
    fn is_local(&self, insts: &[Inst<Virtual>], at: usize, compared: Compared, uses: &Uses) -> bool {
        let own = [self.early, self.late].contains(&self.result);
        let result = FlagPart { flag: self.result, part: self.part.clone(), own };
        is_local(insts, at, &result, compared, uses, DEEPEST)
    }
}

/// Gives a flag's operands another variable where they touch a part of it.
fn rename(inst: &mut Inst<Virtual>, from: VarId, to: VarId, part: &FlagBytes) {
    let old = *inst;
    *inst = old.map_regs(|role, reg| {
        let goes = reg.var() == Some(from) && meet(&touched(&old, role, reg), part);
        if goes { Reg::var_at(to, reg.byte) } else { reg }
    });
}

/// The variable of a plain scalar source, and where in that it stands.
fn plain(src: &Src<Virtual>) -> Option<(VarId, u32)> {
    match *src {
        Src::Direct { reg, mods: SrcMod::None, .. } => reg.var().map(|v| (v, reg.byte)),
        _ => None,
    }
}

/// `widest`: the largest type whose comparison is one instruction.
fn combination(
    insts: &[Inst<Virtual>],
    at: usize,
    (uses, use_counts, widest): (&Uses, &UseCounts, u32),
) -> Option<Combination> {
    let inst = &insts[at];
    if !matches!(inst.op, Op::And | Op::Or) || !bare(inst) {
        return None;
    }
    let to = inst.dst.reg()?;
    let part = touched(inst, Role::Dst, to);
    let combined = to.var()?;
    let masked = goes_masked(insts, at, (combined, &part), (uses, use_counts));
    let result = masked.unwrap_or(combined);
    let (a, word) = (plain(&inst.src[0])?, plain(&inst.src[1])?);
    let copy = at.checked_sub(1)?;
    let mov = &insts[copy];
    let moved = mov.dst.reg().and_then(|r| r.var().map(|v| (v, r.byte)));
    let copies = mov.op == Op::Mov && bare(mov) && moved == Some(word) && word.1 == 0;
    if !(of_one_size(inst) && of_one_size(mov)) {
        return None;
    }
    let b = plain(&mov.src[0]).filter(|_| copies)?;
    let ((a, at_a), (b, at_b)) = (a, b);
    if !uses.once(word.0, &(0..u32::MAX)) || a == b || [at_a, at_b] != [to.byte; 2] {
        return None;
    }
    // The second comparison: behind it nothing else has to do with either flag.
    let window = at.saturating_sub(REACH)..copy;
    let involved = |i: usize| {
        let mut found = (false, false, 0, true);
        insts[i].for_each_reg(|role, r| {
            let Some(v) = r.var().filter(|v| [a, b, result].contains(v)) else { return };
            let here = touched(&insts[i], role, r);
            if meet(&here, &part) {
                let inside = part.start <= here.start && here.end <= part.end;
                found = (true, found.1 || role.is_write(), v.0, found.3 && inside);
            }
        });
        found
    };
    let second = window.clone().rev().find(|i| involved(*i).0)?;
    let late = match involved(second) {
        (_, true, v, true) if v == a.0 || v == b.0 => VarId(v),
        _ => return None,
    };
    let early = if late == a { b } else { a };
    if late != result && !uses.once(late, &part) {
        return None;
    }
    let (first, start) = first_comparison(insts, window.start..second, [early, late, result], &part, uses)?;
    let (x, y) = (&insts[first], &insts[second]);
    let narrow = |i: &Inst<Virtual>| i.src.iter().filter_map(Src::ty).all(|t| t.bytes() <= widest);
    let null = y.dst.reg().is_some_and(|r| r.is_null());
    let as_masked = masked.is_none() || (y.exec, y.chan) == (insts[at + 1].exec, insts[at + 1].chan);
    let compares = as_masked && y.op == Op::Cmp && y.pred.is_none() && null && narrow(y);
    // The first flag may come from a comparison of the same channels, which its own earlier value may guard, or from
    // another such operation. Without a mask, it has more bits than the second comparison looks at.
    let same = x.cond.is_some() && (x.exec, x.chan) == (y.exec, y.chan) && (x.no_mask || !y.no_mask);
    let left = x.pred.is_none_or(|p| p.ctrl == PredCtrl::Seq && p.flag.var() == Some(early));
    let makes = left && narrow(x) && (same || (x.cond.is_none() && bare(x)));
    let or = inst.op == Op::Or;
    let end = if masked.is_some() { at + 3 } else { at + 1 };
    let c = Combination { or, part, result, early, late, start, second, copy, end, masked: masked.is_some() };
    (compares && makes).then_some(c)
}

/// Whether each bit that an instruction writes is of the bits there in its sources: they are as large.
fn of_one_size(inst: &Inst<Virtual>) -> bool {
    let bytes = inst.dst.ty().map(Type::bytes);
    inst.src.iter().filter_map(Src::ty).all(|ty| Some(ty.bytes()) == bytes)
}

/// Whether an instruction computes one element, whatever the mask, and nothing else.
fn bare(inst: &Inst<Virtual>) -> bool {
    inst.no_mask && inst.pred.is_none() && inst.cond.is_none() && inst.exec.lanes() == 1
}

/// The flag that channels under the mask give what instruction `at` has combined in a part of a flag that has no other
/// reader: `(F) sel r = 1, 0; cmp.ne P = r, 0`.
fn goes_masked(
    insts: &[Inst<Virtual>],
    at: usize,
    (combined, part): (VarId, &FlagBytes),
    (uses, use_counts): (&Uses, &UseCounts),
) -> Option<VarId> {
    let [sel, cmp, ..] = insts.get(at + 1..)? else { return None };
    // Packed numbers are not the same in all channels, and a float of these bits may count as zero.
    let one_or_zero = matches!(sel.src, [Src::Imm { bits: 1, ty }, Src::Imm { bits: 0, .. }, Src::None]
        if ty.is_int() && !ty.is_vector())
        && sel.op == Op::Sel;
    let pred = sel.pred.filter(|p| one_or_zero && !p.inv && p.ctrl == PredCtrl::Seq && sel.cond.is_none())?;
    let Src::Direct { reg, region, mods: SrcMod::None, .. } = cmp.src[0] else { return None };
    let own =
        sel.dst.reg() == Some(reg) && sel.dst.ty() == cmp.src[0].ty() && use_counts.reads(reg.var()?) == 1;
    let not_zero = cmp.op == Op::Cmp && matches!(cmp.src[1], Src::Imm { bits: 0, .. }) && cmp.pred.is_none();
    let null = cmp.dst.reg().is_some_and(|r| r.is_null());
    let cond = cmp.cond.filter(|c| c.cond == Cond::Ne && not_zero && null)?;
    let same = (sel.exec, sel.chan) == (cmp.exec, cmp.chan) && !sel.no_mask && !cmp.no_mask;
    let bytes = touched(cmp, Role::Cond, cond.flag);
    let inside = part.start <= bytes.start
        && bytes.end <= part.end
        && [pred.flag, cond.flag].map(|f| f.byte) == [0; 2];
    let value = region.one_by_one(cmp.exec.lanes()) && sel.dst_is_dense() && own;
    let once = uses.once(combined, &(0..u32::MAX)) && pred.flag.var() == Some(combined);
    (same && inside && value && once).then_some(cond.flag.var()?)
}

/// What makes the first flag, and where that flag is first heard of: there it gets its new name. `window` ends at the
/// second comparison.
fn first_comparison(
    insts: &[Inst<Virtual>],
    window: Range<usize>,
    [early, late, result]: [VarId; 3],
    part: &FlagBytes,
    uses: &Uses,
) -> Option<(usize, usize)> {
    let mut left = uses.all(early, part).checked_sub(1)?;
    let (mut first, mut start) = (None, window.end);
    for i in window.rev() {
        let (mut early_here, mut made, mut other, mut inside) = (0, false, false, true);
        insts[i].for_each_reg(|role, r| {
            let v = r.var();
            let here = touched(&insts[i], role, r);
            if !meet(&here, part) {
                return;
            }
            early_here += u32::from(v == Some(early));
            made |= v == Some(early) && role.is_write();
            other |= (v == Some(result) && early != result) || v == Some(late);
            inside &= v != Some(early) || part.start <= here.start && here.end <= part.end;
        });
        if other || !inside {
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
    first.filter(|_| early == result || left == 0).map(|first| (first, start))
}

/// Whether the bits of lanes that do not compare are of no use, or stay as they are.
fn keeps_other_lanes(insts: &[Inst<Virtual>], at: usize, c: &Combination, uses: &Uses) -> bool {
    let compare = &insts[c.second];
    if c.masked {
        let masked = |inst: &Inst<Virtual>| {
            let mut written = false;
            inst.for_each_reg(|role, r| written |= role.is_write() && r.var() == Some(c.early));
            !written || !inst.no_mask
        };
        return !compare.no_mask && (c.early == c.result || insts[c.start..c.second].iter().all(masked));
    }
    // Where all channels of the part compare, whatever the mask, it has no other bits.
    let compared = Compared::by(compare);
    let Compared { first, end, on } = compared;
    on && first <= c.part.start * 8 && c.part.end * 8 <= end || c.is_local(insts, at, compared, uses)
}

/// How many combinations of combinations are followed of which nothing is known.
const DEEPEST: u32 = 8;

/// A part of a flag that an operation writes; `own`: which it reads, too.
struct FlagPart {
    flag: VarId,
    part: FlagBytes,
    own: bool,
}

/// Whether every reader of the flag that instruction `at` writes is one of two kinds: an instruction behind it, of the
/// channels compared, that is under the mask or runs where all channels are on; or an operation that combines the flag
/// with others, whose own readers are of these kinds.
fn is_local(
    insts: &[Inst<Virtual>],
    at: usize,
    FlagPart { flag, part, own }: &FlagPart,
    compared: Compared,
    uses: &Uses,
    depth: u32,
) -> bool {
    if let Some((of, local)) = uses.local[at]
        && of == compared
    {
        return local;
    }
    let Some(mut left) = uses.of(*flag, part).reads.checked_sub(u32::from(*own)) else { return false };
    for (i, inst) in insts.iter().enumerate().skip(at + 1).take(REACH) {
        let mut fine = true;
        inst.for_each_reg(|role, r| {
            if r.var() == Some(*flag) && !role.is_write() && meet(&touched(inst, role, r), part) {
                let first = u32::from(inst.chan).max(part.start * 8);
                let end = (u32::from(inst.chan) + inst.exec.lanes()).min(part.end * 8);
                let inside = compared.first <= first && end <= compared.end;
                let masked = !inst.no_mask || compared.on;
                let seq = inst.pred.is_some_and(|p| p.ctrl == PredCtrl::Seq);
                let by_channel = role == Role::Pred && r.byte == 0 && inside && masked && seq;
                fine &= by_channel
                    || depth > 0
                        && role == Role::Src(0)
                        && combined_next(insts, i, part, uses)
                            .is_some_and(|next| is_local(insts, i + 1, &next, compared, uses, depth - 1));
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

/// Where the instruction behind a copy of a part of a flag puts that together with the same part of another.
fn combined_next(insts: &[Inst<Virtual>], copy: usize, part: &FlagBytes, uses: &Uses) -> Option<FlagPart> {
    let (mov, op) = (insts.get(copy)?, insts.get(copy + 1)?);
    let (a, b) = (plain(&op.src[0])?, plain(&op.src[1])?);
    let to = op.dst.reg()?;
    let moved = mov.dst.reg().and_then(|r| r.var().map(|v| (v, r.byte)));
    let copies = mov.op == Op::Mov && bare(mov) && moved == Some(b) && uses.once(b.0, &(0..u32::MAX));
    let combines = matches!(op.op, Op::And | Op::Or) && bare(op) && touched(op, Role::Dst, to) == *part;
    let flag = to.var().filter(|_| copies && combines && a.1 == to.byte)?;
    Some(FlagPart { flag, part: part.clone(), own: a.0 == flag })
}
