//! Fills that are not needed: temporaries of one variable become one where registers are free between them.
//!
//! A variable goes to memory everywhere, although too much is alive only in some stretch of code. Elsewhere the registers of
//! one temporary can be kept for the next one. Then the next one needs no fill, and the value need not be saved if nothing
//! reads it from memory any more. Pairs that are close together come first, for those take registers for the shortest time.
//!
//! **What holds.** Temporaries that are one have a [residence](Residence), positions at which nothing else has their
//! registers: from the first of them to the last, and on to the end of the block from where the instruction pointer
//! goes back to a block between. Where it begins they are filled or written for all lanes that hold the variable.
//! Nothing else in the residence writes the variable. What the temporaries hold of it is saved where they are written,
//! all of it, whatever the mask: so behind each the registers have what memory has, for waiting lanes, too; and where the
//! instruction pointer leaves and enters again, they are filled again. That is not so of what is computed again, under
//! the mask: its residence has more than one block only where all lanes run, or where the instruction pointer
//! never comes back.
//!
//! Where no temporary stands before all others, as those on both sides of a branch, one fill before the branch is for all
//! of them. From a loop it goes to the block before.
//!
//! The places of all else are known (`fit`), and none is moved.

use gen_ir::{BlockId, FileByte, RegisterSet, VarId};
use narrow::{as_index, to_index};

use crate::{
    analysis::{
        access::{Access, Kind},
        facts,
        flow::Flow,
        position::{Position, Range},
    },
    place::matrix::RegMatrix,
    spill::{
        chunks::chunks,
        plan::{Fill, Known, Plan, Temp, TempId, Use},
        residence::{BLOCKS, Entries, Residence},
    },
};

/// How far apart temporaries may be, in positions.
const REACH: u32 = 1 << 14;
/// How many temporaries of a variable are looked at before one.
const BACK: usize = 8;

/// Memory of the search.
#[derive(Default)]
pub(crate) struct JoinMemory {
    /// Temporaries by variable and place.
    sorted: Vec<TempId>,
    /// What is known of each temporary.
    about: Vec<About>,
    pairs: Vec<Pair>,
    /// Where variables are written: by variable and instruction.
    writes: Vec<Write>,
    entries: Entries,
    /// Uses that save a temporary that nothing has read from memory since.
    saves: Vec<usize>,
    /// Reads from memory, by variable and instruction.
    reads: Vec<Read>,
}

/// What uses say of a temporary.
#[derive(Clone, Copy)]
struct About {
    /// The block of its uses; [`BlockId::NONE`] if there are none.
    block: BlockId,
    /// What happens before the first use.
    fill: Fill,
    /// It is written somewhere.
    written: bool,
    /// It has been joined to this one.
    joined: TempId,
    /// The instruction, in another block, before which it is filled.
    hoisted: u32,
}

/// A write of a variable.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Write {
    var: VarId,
    inst: u32,
    /// The temporary that has it, if one does.
    temp: TempId,
}

/// A read of a variable from memory.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Read {
    var: VarId,
    inst: u32,
    temp: TempId,
}

/// A temporary that holds what a later one reads again.
#[derive(Clone, Copy)]
struct Pair {
    /// Positions between, times registers, by each message.
    cost: u32,
    first: TempId,
    second: TempId,
    /// Where the residence of both has to end, at least.
    end: Position,
    /// The instruction before which both are filled, if the first does not come before the second in any case.
    hoisted: u32,
}

/// No instruction and no block.
const NONE: u32 = u32::MAX;

/// Joins temporaries that all have places in `at`, which begins with the temporaries'; registers in use are in
/// `matrix`, `grf` bytes each, and `bases` says where a temporary may begin.
pub(crate) fn join<const W: usize>(
    plan: &mut Plan,
    (known, flow): (Known<'_>, &Flow),
    (matrix, at): (&mut RegMatrix<W>, &mut [Option<FileByte>]),
    (grf, bases): (u32, impl Fn(&Temp) -> RegisterSet<W>),
    s: &mut JoinMemory,
) {
    describe(plan, known, s);
    s.entries.find(flow);
    find_pairs(plan, (known, flow), grf, s);
    let mut join = Join { plan, matrix, at, grf, bases };
    let mut any = false;
    for i in 0..s.pairs.len() {
        any |= join.pair(s.pairs[i], s);
    }
    for t in (0..s.about.len()).map(TempId::at) {
        any |= join.leave_loop(t, (known, flow), s);
    }
    if any {
        rename(plan, known, s);
        fill_hoisted(plan, s);
        drop_saves(plan, (known, flow), s);
    }
}

/// What is joined, and where.
struct Join<'a, const W: usize, B> {
    plan: &'a mut Plan,
    matrix: &'a mut RegMatrix<W>,
    at: &'a mut [Option<FileByte>],
    grf: u32,
    bases: B,
}

impl<const W: usize, B: Fn(&Temp) -> RegisterSet<W>> Join<'_, W, B> {
    /// Joins two temporaries, if registers are free. Returns whether they are.
    fn pair(&mut self, pair: Pair, s: &mut JoinMemory) -> bool {
        let Pair { first, second, end, hoisted, .. } = pair;
        let first = root(&s.about, first);
        if s.about[second.index()].joined != TempId::NONE {
            return false;
        }
        let (a, b) = (self.plan.temps[first.index()], self.plan.temps[second.index()]);
        // All of a temporary is saved: what others have written there would be lost.
        let same = (a.first, a.end) == (b.first, b.end) && a.front >= b.front;
        if s.about[second.index()].written && !same || b.range.start < a.range.start {
            return false;
        }
        let mut whole = Range { start: a.range.start, end: a.range.end.max(b.range.end).max(end) };
        // Whether what has been joined to the first is there already where both would be filled.
        let hoists = hoisted != NONE && !(a.range.start..=a.range.end).contains(&Position::read(hoisted));
        if hoists {
            if s.about[first.index()].fill != Fill::Read || a.range.start < Position::read(hoisted) {
                return false;
            }
            whole.start = Position::read(hoisted);
        }
        if is_written_within(s, a.var, whole, [first, second]) || !self.widen(first, Some(second), whole) {
            return false;
        }
        s.about[second.index()].joined = first;
        if hoists {
            s.about[first.index()].hoisted = hoisted;
        }
        true
    }

    /// Has what is filled in a loop filled before it, if nothing else in the loop writes it and registers are free.
    /// Returns whether it is.
    fn leave_loop(&mut self, t: TempId, (known, flow): (Known<'_>, &Flow), s: &mut JoinMemory) -> bool {
        let About { block, fill, joined, hoisted, .. } = s.about[t.index()];
        let temp = self.plan.temps[t.index()];
        if block == BlockId::NONE || joined != TempId::NONE || fill != Fill::Read || temp.window {
            return false;
        }
        let block = if hoisted == NONE { block } else { known.accesses.block_of(hoisted) };
        let last = known.accesses.block_of(temp.range.end.previous().inst());
        // The outermost loop comes first, of those that no residence is too short for.
        let loops = flow.cfg.loops();
        let first = loops.partition_point(|l| l.head.0 + BLOCKS < block.0);
        let around_it = loops[first..].iter().take_while(|l| l.head <= block).filter(|l| block <= l.last);
        for l in around_it {
            let around = s.entries.around(flow, l.head, last.max(block));
            let Some((found, hoisted)) =
                around.and_then(|r| Some((r, before_end(r.first, temp.var, self.plan, known)?)))
            else {
                continue;
            };
            let end = found.end(temp.range.end, known.accesses);
            let whole = Range { start: Position::read(hoisted), end };
            let cheaper = facts::worth(flow, found.first.index()) < facts::worth(flow, block.index());
            let near = temp.range.start.since(whole.start) <= REACH;
            if cheaper && near && !is_written_within(s, temp.var, whole, [t, t]) && self.widen(t, None, whole)
            {
                s.about[t.index()].hoisted = hoisted;
                return true;
            }
        }
        false
    }

    /// Gives temporary `first`, and `second` with it, registers in all of `whole`: those it has, or others. Returns
    /// whether any are free; if not, all is as it was.
    fn widen(&mut self, first: TempId, second: Option<TempId>, whole: Range) -> bool {
        let temps = [Some(first), second].map(|t| t.map(|t| self.plan.temps[t.index()]));
        let regs = |at: Option<FileByte>, t: &Temp| {
            let r = at.unwrap_or_default().bytes() / self.grf;
            RegisterSet::between(r, r + t.bytes(self.grf).div_ceil(self.grf))
        };
        let mut before = [None; 2];
        for ((t, temp), before) in [Some(first), second].into_iter().zip(temps).zip(&mut before) {
            if let (Some(t), Some(temp)) = (t, temp) {
                let had = regs(self.at[t.index()], &temp);
                self.matrix.reset(had, &[temp.range]);
                *before = Some((had, temp.range));
            }
        }
        let temp = self.plan.temps[first.index()];
        let free = !self.matrix.within(&[whole]);
        let now = self.at[first.index()];
        let stays = (regs(now, &temp) & !free).is_empty();
        let starts = free.starts_of(temp.bytes(self.grf).div_ceil(self.grf)) & (self.bases)(&temp);
        let place = if stays { now } else { starts.first().map(|r| FileByte::new(r * self.grf)) };
        if place.is_none() {
            before.iter().flatten().for_each(|(had, range)| self.matrix.set(*had, &[*range]));
            return false;
        }
        self.matrix.set(regs(place, &temp), &[whole]);
        self.plan.temps[first.index()].range = whole;
        self.at[first.index()] = place;
        true
    }
}

/// Finds where temporaries are, and what is done with them.
fn describe(plan: &Plan, known: Known<'_>, s: &mut JoinMemory) {
    let unknown =
        About { block: BlockId::NONE, fill: Fill::None, written: false, joined: TempId::NONE, hoisted: NONE };
    s.about.clear();
    s.about.resize(plan.temps.len(), unknown);
    s.writes.clear();
    let mut block = 0;
    for u in &plan.inputs {
        s.about[u.temp.index()] = About { block: BlockId::FIRST, written: true, ..unknown };
        s.writes.push(Write { var: u.var, inst: u.inst, temp: u.temp });
    }
    for u in &plan.uses {
        while known.accesses.block(block).end <= as_index(u.inst) {
            block += 1;
        }
        let written = |a: &Access| a.var == u.var && a.kind.has(Kind::WRITE);
        let written = known.accesses.of(as_index(u.inst)).iter().any(written);
        let temp = if u.fill == Fill::Gone { TempId::NONE } else { u.temp };
        if written {
            s.writes.push(Write { var: plan.groups.first(u.var), inst: u.inst, temp });
        }
        if let Some(about) = s.about.get_mut(temp.index()) {
            if about.block == BlockId::NONE {
                (about.block, about.fill) = (block.into(), u.fill);
            }
            about.written |= written;
        }
    }
    s.writes.sort_unstable();
    s.sorted.clear();
    s.sorted
        .extend((0..plan.temps.len()).map(TempId::at).filter(|&t| s.about[t.index()].block != BlockId::NONE));
    s.sorted.sort_unstable_by_key(|&t| {
        let temp = &plan.temps[t.index()];
        (temp.var, temp.range.end, temp.range.start, t)
    });
}

/// The last instruction of a block, if a variable can be filled before it: not where lanes come together, which a block begins
/// with.
fn before_end(block: BlockId, var: VarId, plan: &Plan, known: Known<'_>) -> Option<u32> {
    let last = known.accesses.block(block.index()).next_back()?;
    if known.kernel.blocks[block.index()].insts.last().is_some_and(|i| i.op.opens_block()) {
        return None;
    }
    let touched = known.accesses.of(last).iter().any(|a| plan.groups.first(a.var) == var);
    (!touched && to_index(last) >= plan.loaded).then_some(to_index(last))
}

/// Finds for each temporary that is filled an earlier temporary that holds the same bytes, if there is one.
fn find_pairs(plan: &Plan, (known, flow): (Known<'_>, &Flow), grf: u32, s: &mut JoinMemory) {
    let JoinMemory { sorted, about, pairs, entries, .. } = s;
    let temps = &plan.temps;
    pairs.clear();
    for (n, &second) in sorted.iter().enumerate() {
        let (to, about_to) = (&temps[second.index()], about[second.index()]);
        if about_to.fill == Fill::None || to.window {
            continue;
        }
        // The nearest one that does not come before this one in any case.
        let mut beside = None;
        for &first in sorted[..n].iter().rev().take(BACK) {
            let (from, about_from) = (&temps[first.index()], about[first.index()]);
            if from.var != to.var || from.window || to.range.start.since(from.range.end) > REACH {
                break;
            }
            if to.first >= from.end || from.first >= to.end {
                continue;
            }
            let same = (from.first, from.end) == (to.first, to.end) && from.front >= to.front;
            let covers = same || !about_to.written && from.first <= to.first && to.end <= from.end;
            let here = about_from.block == about_to.block;
            if covers && from.range.end <= to.range.start {
                let found = if here {
                    Some(Residence { first: about_from.block, last: about_to.block, whole: false })
                } else {
                    if about_to.fill == Fill::Again && !runs_once(flow, about_from.block) {
                        break;
                    }
                    entries.residence(flow, about_from.block, about_to.block)
                };
                let Some(found) = found else {
                    beside.get_or_insert(first);
                    continue;
                };
                let end = found.end(to.range.end, known.accesses);
                let cost = cost(from, to, Range { start: from.range.end, end }, grf);
                pairs.push(Pair { cost, first, second, end, hoisted: NONE });
                break;
            }
            if here && (about_from.written || covers) {
                beside = None;
                break;
            }
        }
        let Some(first) = beside else { continue };
        let (from, about_from) = (&temps[first.index()], about[first.index()]);
        if about_from.fill != Fill::Read || about_to.fill != Fill::Read {
            continue;
        }
        let Some(found) = entries.around(flow, about_from.block, about_to.block) else { continue };
        let worth = |block: BlockId| facts::worth(flow, block.index());
        if worth(found.first) <= worth(about_from.block) + worth(about_to.block)
            && let Some(hoisted) = before_end(found.first, to.var, plan, known)
            && to.range.start.since(Position::read(hoisted)) <= REACH
        {
            let end = found.end(to.range.end, known.accesses);
            let cost = cost(from, to, Range { start: Position::read(hoisted), end }, grf);
            pairs.push(Pair { cost, first, second, end, hoisted });
        }
    }
    pairs.sort_unstable_by_key(|p| (p.cost, p.first, p.second));
}

/// What it takes to have two temporaries in one place, in positions times registers, by each message that goes.
fn cost(first: &Temp, second: &Temp, more: Range, grf: u32) -> u32 {
    let regs = first.bytes(grf).div_ceil(grf);
    let messages = to_index(chunks(second.end - second.first, grf).count());
    more.len() * regs / messages
}

/// Whether what lanes compute in a block stays in registers for those that wait behind it.
fn runs_once(flow: &Flow, block: BlockId) -> bool {
    !flow.divergent[block.index()] || flow.reached[block.index()] > block
}

/// Whether something else than those temporaries, and what has been joined to them, writes a variable in `range`.
fn is_written_within(s: &JoinMemory, var: VarId, range: Range, temps: [TempId; 2]) -> bool {
    let first = s.writes.partition_point(|w| (w.var, w.inst) < (var, range.start.inst()));
    s.writes[first..]
        .iter()
        .take_while(|w| w.var == var && Position::write(w.inst) < range.end)
        .any(|w| w.temp == TempId::NONE || !temps.contains(&root(&s.about, w.temp)))
}

/// What a temporary has become.
fn root(about: &[About], mut t: TempId) -> TempId {
    while about[t.index()].joined != TempId::NONE {
        t = about[t.index()].joined;
    }
    t
}

/// Has uses work on what their temporaries have become. What one of those saves is not saved before in the block, unless
/// it is read from memory between.
fn rename(plan: &mut Plan, known: Known<'_>, s: &mut JoinMemory) {
    let JoinMemory { about, saves, .. } = s;
    let Plan { uses, temps, .. } = plan;
    saves.clear();
    let (mut block, mut end) = (0, known.accesses.block(0).end);
    for i in 0..uses.len() {
        let u = &mut uses[i];
        if u.fill == Fill::Gone {
            continue;
        }
        let to = root(about, u.temp);
        if to != u.temp || about[to.index()].hoisted != NONE {
            (u.temp, u.fill) = (to, Fill::None);
        }
        if end <= as_index(u.inst) {
            while end <= as_index(u.inst) {
                block += 1;
                end = known.accesses.block(block).end;
            }
            saves.clear();
        }
        let (fill, saved, temp) = (u.fill, u.saved, &temps[to.index()]);
        if fill == Fill::Read {
            let reads =
                |other: &Temp| other.var == temp.var && other.first < temp.end && temp.first < other.end;
            saves.retain(|&j| !reads(&temps[uses[j].temp.index()]));
        }
        if saved {
            if let Some(n) = saves.iter().position(|&j| uses[j].temp == to) {
                uses[saves[n]].saved = false;
                saves.swap_remove(n);
            }
            saves.push(i);
        }
    }
}

/// Adds the fills that have gone to other blocks.
fn fill_hoisted(plan: &mut Plan, s: &JoinMemory) {
    let before = plan.uses.len();
    for (temp, about) in
        s.about.iter().enumerate().filter(|(_, a)| a.hoisted != NONE && a.joined == TempId::NONE)
    {
        let var = plan.temps[temp].var;
        let (inst, temp) = (about.hoisted, TempId::at(temp));
        plan.uses.push(Use { inst, var, temp, fill: Fill::Read, saved: false, messages: TempId::NONE });
    }
    if plan.uses.len() > before {
        plan.sort();
    }
}

/// Has nothing saved that is read from memory nowhere behind.
fn drop_saves(plan: &mut Plan, (known, flow): (Known<'_>, &Flow), s: &mut JoinMemory) {
    let Plan { uses, inputs, temps, .. } = plan;
    s.reads.clear();
    let reads = uses.iter().filter(|u| u.fill == Fill::Read);
    s.reads.extend(reads.map(|u| Read { var: temps[u.temp.index()].var, inst: u.inst, temp: u.temp }));
    s.reads.sort_unstable();
    let mut block = 0;
    let all = inputs.iter_mut().map(|u| (u, true)).chain(uses.iter_mut().map(|u| (u, false)));
    for (u, is_input) in all {
        if is_input {
            block = 0;
        }
        while known.accesses.block(block).end <= as_index(u.inst) {
            block += 1;
        }
        if u.saved {
            u.saved = is_read_behind(u, (block, is_input), (known, flow), temps, &s.reads);
        }
    }
}

/// Whether what `u` saves, in `block`, may be read from memory behind.
fn is_read_behind(
    u: &Use,
    (block, is_input): (usize, bool),
    (known, flow): (Known<'_>, &Flow),
    temps: &[Temp],
    reads: &[Read],
) -> bool {
    // An input is saved before the instruction.
    let mut from = u.inst + u32::from(!is_input);
    let reached = flow.reached[block].index();
    if reached <= block {
        from = from.min(to_index(known.accesses.block(reached).start));
    }
    let temp = &temps[u.temp.index()];
    let same = |r: &Read| {
        let other = &temps[r.temp.index()];
        other.first < temp.end && temp.first < other.end
    };
    let first = reads.partition_point(|r| (r.var, r.inst) < (temp.var, from));
    reads[first..].iter().take_while(|r| r.var == temp.var).any(same)
}
