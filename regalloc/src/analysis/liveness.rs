//! Which variables hold a value that is still needed, position by position in layout order.
//!
//! Instruction `i` reads at position `2i` and writes at `2i + 1`; a [`Range`] is half-open.
//!
//! **Per lane.** Values flow along the control flow graph as one lane walks it. A write under the
//! execution mask ends the old value of the lanes that run, which is all that matters to them: the lanes
//! that do not run are elsewhere in the graph, and what they need is live there. Exceptions, where such
//! a write ends nothing: some lane reads bytes that others own without a mask, or (in divergent code
//! only) with one.
//!
//! **In one block.** A block runs under one mask. So of variables that one block touches, and that are there
//! written before they are read, two things are known at each position: whether the bytes of lanes that run are
//! needed, and whether those of others are, because a read without a mask follows. A masked write ends the first
//! need alone: `mov (W) x, 0; add (masked) x, ..; read (W) x` keeps the zeros. Where the block starts both end;
//! see `check`.
//!
//! **Per thread.** While the instruction pointer is where some lanes run, other lanes wait at a later
//! block `t` and hold what is live into it. [`Waits`](gen_ir::Waits) says during which blocks they may
//! wait at `t`: all that is live into `t` is kept during those. Then no register that a waiting lane
//! needs is given away, whatever the mask and layout of the write that would reuse it. In code that all lanes of a
//! thread run or none does (`Flow::parted`), none of them has bytes that others need elsewhere: there a masked write ends
//! the value of all, even if lanes then read across.
//!
//! Where registers are scarce, waiting lanes are told from others (`Holders::OF_LANES`): two variables that
//! are lane by lane (see `check`) may share registers where only waiting lanes hold one of them.
//!
//! **Calls.** What a subroutine does not write, its callers keep in their registers while it runs, each its own: what
//! passes by a subroutine at one call is not there at another. So such variables conflict with what lives in the
//! subroutine, but not in it with each other (`Liveness::apart`). Two that do pass by it at the same time conflict
//! elsewhere already: either both are from one caller, and both are alive at its call; or one is from an outer caller, and
//! passes by the inner caller, too, where the other is alive at the call.
//!
//! **Defined.** Nothing is kept where no write of it can have happened yet, so a value pieced together
//! by partial or predicated writes starts with the first of them. Subranges that spilling made start with
//! their first access in the one block they live in. Bytes that nothing ever writes hold no value. An instruction may still
//! read them: a message takes whole registers, even where one element of them was computed. It needs a register at that
//! position only, and what it finds there is undefined, for the checker too.
//!
//! Within a block liveness is tracked in subranges of the variable (up to 64), so that writes that only
//! together cover it end the old value together.

use crate::analysis::{
    access::{Access, Kind},
    accesses::Accesses,
    dataflow::Dataflow,
    facts::Fact,
    flow::Flow,
    history::History,
    position::{Position, Range},
};
use gen_ir::{BlockId, Kernel, Var, VarClass, VarId, Virtual};
use narrow::{as_index, span, to_index};
use typed_index_collections::TiVec;

/// The live ranges of all variables.
#[derive(Default)]
pub(crate) struct Liveness {
    ranges: Vec<Range>,
    first: Vec<u32>,
    /// Where an instruction writes a variable while it reads, and no value from before is needed, but the range does not
    /// tell: the instruction is the first of its block, or the one before it wrote the variable for nobody. In order.
    fresh: Vec<(Position, VarId)>,
}

impl Liveness {
    /// Ranges of a variable, in order, with gaps between them.
    pub fn of(&self, var: VarId) -> &[Range] {
        let v = var.index();
        &self.ranges[span(self.first[v]..self.first[v + 1])]
    }

    /// The place of a variable's ranges among all.
    pub fn indices(&self, var: VarId) -> std::ops::Range<u32> {
        self.first[var.index()]..self.first[var.index() + 1]
    }

    /// The ranges of all variables.
    pub fn all(&self) -> &[Range] {
        &self.ranges
    }

    /// Whether a value from before instruction `i` of a block is needed from there.
    #[inline]
    pub fn comes_to(&self, var: VarId, i: usize, block: &std::ops::Range<usize>) -> bool {
        let at = Position::before(i);
        if i == block.start {
            self.at_start(var, at)
        } else {
            self.before(var, at) && !self.is_fresh(var, at)
        }
    }

    /// Whether a value from before position `at`, which is inside a block, is needed from there.
    pub fn before(&self, var: VarId, at: Position) -> bool {
        let ranges = self.of(var);
        let i = ranges.partition_point(|r| r.end <= at);
        ranges.get(i).is_some_and(|r| r.start < at)
    }

    /// Whether a value from before the block that starts at position `at` is needed there.
    #[inline]
    pub fn at_start(&self, var: VarId, at: Position) -> bool {
        let ranges = self.of(var);
        let i = ranges.partition_point(|r| r.end <= at);
        ranges.get(i).is_some_and(|r| r.start <= at) && !self.is_fresh(var, at)
    }

    /// Whether a range says of position `at` what holds from there on alone.
    fn is_fresh(&self, var: VarId, at: Position) -> bool {
        self.fresh.binary_search(&(at, var)).is_ok()
    }

    /// Whether a value is needed after the block that ends at position `at`.
    #[inline]
    pub fn at_end(&self, var: VarId, at: Position) -> bool {
        let ranges = self.of(var);
        let i = ranges.partition_point(|r| r.end < at);
        ranges.get(i).is_some_and(|r| r.start < at)
    }
}

impl Liveness {
    /// Finds register pressure: by how many bytes of a class of variables more are alive from each position on.
    pub fn find_pressure(
        &self,
        kernel: &Kernel<Virtual>,
        class: VarClass,
        accesses: &Accesses,
        change: &mut Vec<i64>,
    ) {
        let positions = accesses.blocks.last().map_or(0, |&n| as_index(n) * 2 + 2);
        change.clear();
        change.resize(positions + 1, 0);
        for (v, var) in (0..).map(VarId).zip(&kernel.vars).filter(|(_, var)| var.class == class) {
            let bytes = i64::from(footprint(kernel, var));
            for r in self.of(v) {
                change[r.start.index().min(positions)] += bytes;
                change[r.end.index().min(positions)] -= bytes;
            }
        }
    }
}

/// Bytes of registers that a variable takes from others like it: what is aligned to registers and smaller has one alone.
pub(crate) fn footprint(kernel: &Kernel<Virtual>, var: &Var) -> u32 {
    let align = if var.class == VarClass::General {
        var.align.min(kernel.platform.caps().regs.grf_bytes.into())
    } else {
        1
    };
    var.bytes.next_multiple_of(align.max(1))
}

/// A range of one variable.
pub(crate) type Raw = (VarId, Range);

/// State of one variable during the scan of a block.
#[derive(Clone, Copy)]
struct OpenRange {
    live: u64,
    /// Subranges in which the bytes of lanes that do not run are needed. Known of variables of one block; of
    /// others, `live` says both.
    others: u64,
    /// The block that this is about.
    block: BlockId,
    end: Position,
    /// The earliest access seen so far.
    first: Position,
}

impl OpenRange {
    /// Whether some bytes are needed.
    fn is_needed(self) -> bool {
        self.live | self.others != 0
    }

    /// The range of what is needed where the block begins, at `top`; `reaches`: whether a write may have happened before.
    fn at_top(self, top: Position, reaches: bool) -> Option<Range> {
        let start = if reaches { top } else { self.first };
        (self.is_needed() && start < self.end).then_some(Range { start, end: self.end })
    }
}

const CLOSED: OpenRange =
    OpenRange { live: 0, others: 0, block: BlockId::NONE, end: Position::START, first: Position::START };

/// Memory of the computation.
#[derive(Default)]
pub(crate) struct LivenessMemory {
    dataflow: Dataflow,
    raw: Vec<Raw>,
    open: TiVec<VarId, OpenRange>,
    seen: Vec<VarId>,
    /// Up to where something has taken the registers of each variable.
    until: TiVec<VarId, Position>,
}

impl Liveness {
    /// Computes the live ranges of all variables; forgets those before.
    pub fn compute(
        &mut self,
        kernel: &Kernel<Virtual>,
        accesses: &Accesses,
        flow: &Flow,
        history: &History,
        memory: &mut LivenessMemory,
    ) {
        memory.dataflow.find(kernel, accesses, flow, history);
        self.within_blocks(kernel, accesses, flow, Holders::ALL, memory);
    }

    /// Computes the ranges which variables have by themselves, and those of subroutines by which they pass: both
    /// together are those within blocks.
    pub fn apart(
        [own, passing]: [&mut Liveness; 2],
        kernel: &Kernel<Virtual>,
        accesses: &Accesses,
        flow: &Flow,
        memory: &mut LivenessMemory,
    ) {
        own.within_blocks(kernel, accesses, flow, Holders::APART, memory);
        memory.raw.clear();
        for b in (0..kernel.blocks.len()).rev() {
            let top = Position::before(accesses.block(b).start);
            let LivenessMemory { dataflow, raw, .. } = memory;
            let all = dataflow.passed_from(b).iter().chain(dataflow.held_in_calls_from(b));
            raw.extend(all.map(|&(v, end)| (v, Range { start: top, end })));
        }
        passing.gather(kernel.vars.len(), &memory.raw);
    }

    /// Computes the live ranges, as those in `count` need the variables, where what is live between blocks is known from
    /// the last computation: then only the order within blocks may be another.
    pub fn within_blocks(
        &mut self,
        kernel: &Kernel<Virtual>,
        accesses: &Accesses,
        flow: &Flow,
        count: Holders,
        memory: &mut LivenessMemory,
    ) {
        memory.raw.clear();
        self.fresh.clear();
        scan(kernel, accesses, flow, count, memory, &mut self.fresh);
        self.fresh.sort_unstable();
        drop_held(&mut self.fresh, accesses, count, &memory.dataflow, &mut memory.until);
        self.normalize(kernel.vars.len(), &memory.raw);
    }

    /// Takes ranges from elsewhere, several of a variable in any order; forgets those before.
    pub fn gather(&mut self, vars: usize, raw: &[Raw]) {
        self.fresh.clear();
        self.normalize(vars, raw);
    }

    /// Sorts ranges by variable and position, and merges those that touch.
    fn normalize(&mut self, vars: usize, raw: &[Raw]) {
        let first = &mut self.first;
        first.clear();
        first.resize(vars + 1, 0);
        for &(v, _) in raw {
            first[v.index()] += 1;
        }
        let mut end = 0;
        for f in first.iter_mut() {
            end += *f;
            *f = end;
        }
        self.ranges.clear();
        self.ranges.resize(raw.len(), Range { start: Position::START, end: Position::START });
        // They were found from the last to the first, but for what one instruction does twice.
        for &(v, r) in raw {
            let at = &mut first[v.index()];
            *at -= 1;
            self.ranges[as_index(*at)] = r;
        }
        // What is kept moves down over what is not.
        let mut kept = 0;
        for v in 0..vars {
            let (from, to) = (as_index(first[v]), as_index(first[v + 1]));
            first[v] = to_index(kept);
            if from == to {
                continue;
            }
            let own = &mut self.ranges[from..to];
            if !own.is_sorted_by_key(|r| r.start) {
                own.sort_unstable();
            }
            let mut last = own[0];
            for i in from + 1..to {
                let r = self.ranges[i];
                if r.start <= last.end {
                    last.end = last.end.max(r.end);
                } else {
                    self.ranges[kept] = last;
                    kept += 1;
                    last = r;
                }
            }
            self.ranges[kept] = last;
            kept += 1;
        }
        first[vars] = to_index(kept);
        self.ranges.truncate(kept);
    }
}

/// What counts as needing a variable, besides the lanes that run where it is touched.
#[derive(Clone, Copy)]
pub(crate) struct Holders {
    /// Lanes that wait.
    waits: bool,
    /// Callers.
    passing: bool,
}

impl Holders {
    pub const ALL: Holders = Holders { waits: true, passing: true };
    /// Lanes that run, and callers.
    pub const OF_LANES: Holders = Holders { waits: false, passing: true };
    /// All but callers.
    const APART: Holders = Holders { waits: true, passing: false };
}

/// Walks every block backward and writes down ranges, those that start last first, and what is fresh (see there).
fn scan(
    kernel: &Kernel<Virtual>,
    accesses: &Accesses,
    flow: &Flow,
    count: Holders,
    LivenessMemory { dataflow, raw, open, seen, .. }: &mut LivenessMemory,
    fresh: &mut Vec<(Position, VarId)>,
) {
    open.clear();
    open.resize(kernel.vars.len(), CLOSED);
    for b in (0..kernel.blocks.len()).rev() {
        let insts = accesses.block(b);
        let (top, bottom) = (Position::before(insts.start), Position::before(insts.end));
        let (block, divergent) = (BlockId::from(b), flow.parted[b]);
        seen.clear();
        for &v in dataflow.live_out_of(b) {
            // Live below and never defined above: the subranges matter once something is written here.
            let live = accesses.facts[v].ever_needed().max(1);
            open[v] = OpenRange { live, others: 0, block, end: bottom, first: bottom };
            seen.push(v);
        }
        let mut found = Found { raw, fresh, divergent };
        for i in insts.rev() {
            let during = Range::during(to_index(i));
            for a in accesses.of(i).iter().rev() {
                let o = &mut open[a.var];
                if o.block != block {
                    *o = OpenRange { block, ..CLOSED };
                    seen.push(a.var);
                }
                let fact = &accesses.facts[a.var];
                let local = fact.only_in(block) && !dataflow.is_carried(a.var);
                if a.kind.has(Kind::READ) {
                    found.read(o, a, (fact, local), during.start);
                } else {
                    found.write(o, a, (fact, local), during);
                }
            }
        }
        raw.extend(seen.iter().filter_map(|&v| Some((v, open[v].at_top(top, dataflow.reaches(v, block))?))));
        let held = holding(dataflow, b, count);
        raw.extend(held.map(|(v, end)| (v, Range { start: top, end })));
        fresh.extend(written_early(accesses, b).filter(|&v| !open[v].is_needed()).map(|v| (top, v)));
    }
}

/// What the walk of a block has found.
struct Found<'a> {
    raw: &'a mut Vec<Raw>,
    fresh: &'a mut Vec<(Position, VarId)>,
    /// Some lanes of the thread may not run the block.
    divergent: bool,
}

impl Found<'_> {
    /// A read, at its position. `local`: only this block needs the variable.
    #[inline]
    fn read(&mut self, o: &mut OpenRange, a: &Access, (fact, local): (&Fact, bool), at: Position) {
        let needed = fact.needed(a);
        if !o.is_needed() {
            if needed == 0 {
                self.raw.push((a.var, Range { start: at, end: at.next() }));
                return;
            }
            o.end = at.next();
        }
        o.live |= needed;
        if local && a.kind.reads_others(self.divergent) {
            o.others |= needed;
        }
        o.first = at;
    }

    /// A write of an instruction that takes these positions. `local`: only this block needs the variable.
    #[inline]
    fn write(&mut self, o: &mut OpenRange, a: &Access, (fact, local): (&Fact, bool), during: Range) {
        let at = if a.kind.has(Kind::EARLY) { during.start } else { during.start.next() };
        if !o.is_needed() {
            // What is next writes early, or it would be needed.
            if o.first == during.end {
                self.fresh.push((during.end, a.var));
            }
            o.first = at;
            self.raw.push((a.var, Range { start: at, end: during.end }));
            return;
        }
        if local {
            o.live &= !fact.kills_own(a, self.divergent);
            if !a.kind.has(Kind::MASKED) {
                o.others &= !fact.covers(a);
            }
        } else {
            o.live &= !fact.kills(a, self.divergent);
        }
        o.first = at;
        if !o.is_needed() {
            self.raw.push((a.var, Range { start: at, end: o.end }));
        }
    }
}

/// Drops early writes of variables whose registers something that a block does not touch has taken already, from the top of
/// that block or of one before it on. `fresh` is sorted.
fn drop_held(
    fresh: &mut Vec<(Position, VarId)>,
    accesses: &Accesses,
    count: Holders,
    dataflow: &Dataflow,
    until: &mut TiVec<VarId, Position>,
) {
    if fresh.is_empty() {
        return;
    }
    until.clear();
    until.resize(accesses.facts.len(), Position::START);
    let mut next = 0;
    fresh.retain(|&(at, v)| {
        while next + 1 < accesses.blocks.len() && Position::read(accesses.blocks[next]) <= at {
            for (held, end) in holding(dataflow, next, count) {
                until[held] = until[held].max(end);
            }
            next += 1;
        }
        until[v] <= at
    });
}

/// What the first instruction of a block writes while it reads.
fn written_early(accesses: &Accesses, b: usize) -> impl Iterator<Item = VarId> {
    let insts = accesses.block(b);
    let first = if insts.is_empty() { &[] } else { accesses.of(insts.start) };
    first.iter().filter(|a| a.kind.has(Kind::EARLY)).map(|a| a.var)
}

/// The ends of the ranges from the top of a block on of what it does not touch: what passes through it, waiting lanes
/// hold or callers keep.
fn holding(dataflow: &Dataflow, b: usize, count: Holders) -> impl Iterator<Item = (VarId, Position)> {
    let held = [
        (true, dataflow.from(b)),
        (count.waits, dataflow.held_from(b)),
        (count.passing, dataflow.passed_from(b)),
        (count.waits && count.passing, dataflow.held_in_calls_from(b)),
    ];
    held.into_iter().filter(|h| h.0).flat_map(|(_, ranges)| ranges.iter().copied())
}
