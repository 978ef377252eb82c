//! Liveness across blocks, one variable at a time.
//!
//! For each variable that is read before it is written in some block, the blocks it is live into are
//! found by walking back from there until blocks that end it. The work is the size of the answer, and
//! no table of blocks by variables is needed.
//!
//! The walk also stops where no write can have happened yet. That is read off the layout: the
//! instruction pointer comes from a write to the blocks behind it and, along back edges around it, to
//! those of the loops it is in; a write in a subroutine counts from the first call of that.

use crate::{
    analysis::{
        access::Kind, accesses::Accesses, calls::Routines, flow::Flow, history::History, position::Position,
    },
    rows::Rows,
};
use gen_ir::{BlockId, Call, Kernel, VarId, Virtual};
use typed_index_collections::TiVec;

/// No walk.
const NO_VAR: VarId = VarId(u32::MAX);

/// What a block does with a variable.
#[derive(Clone, Copy, Default)]
struct BlockTouch {
    block: BlockId,
    /// Read before it is written over.
    exposed: bool,
    /// Not live above the block, though live below it.
    ended: bool,
    written: bool,
}

/// A variable during the walk over a block.
#[derive(Clone, Copy)]
struct BlockState {
    /// Live subranges if nothing is live below.
    low: u64,
    /// And if everything is.
    high: u64,
    /// Subranges read before a write gives them a value, whatever its mask.
    entering: u64,
    /// The block that this is about.
    block: BlockId,
    written: bool,
}

/// A variable that lives on from the start of a block, and the position to which it does.
type Passing = (VarId, Position);

/// Where variables are live between blocks.
#[derive(Default)]
pub(crate) struct Dataflow {
    /// Variables live out of each block among those the block touches.
    out: Rows<VarId>,
    /// Ranges that start with each block, as (variable, end), where a variable merely passes.
    ranges: Rows<Passing>,
    /// The same where lanes hold it while they wait.
    holds: Rows<Passing>,
    /// Ranges in subroutines, where a variable passes that its caller needs behind the call, and where lanes hold
    /// one that wait in a caller.
    passes: Rows<Passing>,
    holds_in_calls: Rows<Passing>,
    /// The first block at whose start each variable may have been written.
    reach: TiVec<VarId, BlockId>,
    /// Variables that one block touches, which brings them along to its next run.
    carried: TiVec<VarId, bool>,
    /// The blocks that touch each variable which may live across blocks.
    touches: Rows<BlockTouch>,
    walk: Walk,
    routines: Routines,
    // Memory of the computation.
    state: TiVec<VarId, BlockState>,
    seen: Vec<VarId>,
    found: Vec<(VarId, BlockTouch)>,
    of_one: Vec<BlockTouch>,
    pairs: Vec<(BlockId, VarId)>,
    raw: Vec<(BlockId, Passing)>,
    raw_holds: Vec<(BlockId, Passing)>,
    raw_passes: Vec<(BlockId, Passing)>,
    raw_holds_in_calls: Vec<(BlockId, Passing)>,
    waiting: Vec<(BlockId, VarId)>,
    stays: Vec<BlockId>,
    held: Vec<Vec<VarId>>,
}

impl Dataflow {
    /// Variables that block `b` touches and that are live after it.
    pub fn live_out_of(&self, b: usize) -> &[VarId] {
        self.out.of(b)
    }

    /// Ranges that start with block `b` besides those of what it touches, as (variable, end).
    pub fn from(&self, b: usize) -> &[Passing] {
        self.ranges.of(b)
    }

    /// Ranges that start with block `b` in which lanes that wait hold a variable, as (variable, end).
    pub fn held_from(&self, b: usize) -> &[Passing] {
        self.holds.of(b)
    }

    /// Ranges of subroutines that start with block `b`, as (variable, end), by which a variable passes that a caller
    /// needs behind a call.
    pub fn passed_from(&self, b: usize) -> &[Passing] {
        self.passes.of(b)
    }

    /// The same for what lanes hold that wait in a caller.
    pub fn held_in_calls_from(&self, b: usize) -> &[Passing] {
        self.holds_in_calls.of(b)
    }

    /// Whether some write of a variable can have happened before block `b`.
    pub fn reaches(&self, var: VarId, b: BlockId) -> bool {
        self.reach[var] <= b
    }

    /// Whether a variable of one block has a value from an earlier run of that.
    pub fn is_carried(&self, var: VarId) -> bool {
        self.carried[var]
    }

    /// Walks every variable through the graph.
    pub fn find(&mut self, kernel: &Kernel<Virtual>, accesses: &Accesses, flow: &Flow, history: &History) {
        self.summarize(kernel, accesses, flow, history);
        self.find_staying(flow);
        self.routines.find(kernel, flow);
        self.raw_passes.clear();
        self.raw_holds_in_calls.clear();
        self.dataflow(kernel, accesses, flow);
        if !flow.calls().is_empty() {
            self.keep_in_calls(accesses, flow);
        }
        self.ranges.set(kernel.blocks.len(), &self.raw);
        self.holds.set(kernel.blocks.len(), &self.raw_holds);
        self.passes.set(kernel.blocks.len(), &self.raw_passes);
        self.holds_in_calls.set(kernel.blocks.len(), &self.raw_holds_in_calls);
    }

    /// Looks at every block by itself. Variables of one block that nothing can bring a value to from an
    /// earlier run of it are left out.
    fn summarize(&mut self, kernel: &Kernel<Virtual>, accesses: &Accesses, flow: &Flow, history: &History) {
        let (n, facts) = (kernel.vars.len(), &accesses.facts);
        self.reach.clear();
        self.reach
            .extend(kernel.vars.iter().map(|var| if var.live_in { BlockId::FIRST } else { BlockId::NONE }));
        self.carried.clear();
        self.carried.resize(n, false);
        self.state.clear();
        self.state
            .resize(n, BlockState { low: 0, high: 0, entering: 0, block: BlockId::NONE, written: false });
        self.found.clear();
        for (b, &reached_from_here) in flow.reached.iter().enumerate() {
            self.seen.clear();
            let (block, divergent) = (BlockId::from(b), flow.parted[b]);
            let again = reached_from_here <= block;
            for a in accesses.of_block(b).iter().rev() {
                let fact = &facts[a.var];
                if !again && fact.only_in(block) {
                    continue;
                }
                let state = &mut self.state[a.var];
                if state.block != block {
                    let high = fact.ever_needed();
                    *state = BlockState { low: 0, high, entering: 0, block, written: false };
                    self.seen.push(a.var);
                }
                if a.kind.has(Kind::READ) {
                    let t = fact.needed(a);
                    state.low |= t;
                    state.high |= t;
                    state.entering |= t;
                } else {
                    let kill = fact.kills(a, divergent);
                    state.low &= !kill;
                    state.high &= !kill;
                    state.entering &= !fact.covers(a);
                    state.written = true;
                }
            }
            for &v in &self.seen {
                let BlockState { low, high, entering, written, .. } = self.state[v];
                let fact = &facts[v];
                if !fact.in_many() {
                    if entering == 0 || fact.is_temporary_of(block) || history.is_split(v) {
                        continue;
                    }
                    self.carried[v] = true;
                }
                self.found.push((v, BlockTouch { block, exposed: low != 0, ended: high == 0, written }));
                if written {
                    let r = &mut self.reach[v];
                    *r = (*r).min(reached_from_here);
                }
            }
        }
    }

    /// Finds the blocks that end with a call which some lanes may not make: they wait behind it. Sorted.
    fn find_staying(&mut self, flow: &Flow) {
        self.stays.clear();
        self.stays.extend(flow.calls().iter().filter(|c| !c.whole).map(|c| c.site));
    }

    fn dataflow(&mut self, kernel: &Kernel<Virtual>, accesses: &Accesses, flow: &Flow) {
        let blocks = kernel.blocks.len();
        let Dataflow { walk, routines, pairs, raw, raw_holds, raw_passes, waiting, stays, .. } = self;
        let Dataflow { touches, found, of_one, reach, out, .. } = self;
        let waits = flow.any_divergence || !stays.is_empty();
        walk.start(blocks);
        pairs.clear();
        raw.clear();
        raw_holds.clear();
        waiting.clear();
        let mut one = |v: VarId, touches: &[BlockTouch]| {
            let live_out = kernel.vars[v.index()].live_out;
            if !live_out && !touches.iter().any(|t| t.exposed) {
                return;
            }
            walk.run(kernel, (flow, routines), v, touches, reach[v], live_out);
            pairs.extend(walk.own.iter().map(|&b| (b, v)));
            // Blocks next to each other make one range.
            walk.sort_passed();
            for run in walk.passed.chunk_by(|a, b| a.next() == *b) {
                push(raw, accesses, v, run[0]..run[run.len() - 1].next());
            }
            if !routines.is_empty() {
                for &t in &walk.live_in {
                    if let Some(call) = routines.call_before(t) {
                        routines.pass(v, call, flow, |blocks| push(raw_passes, accesses, v, blocks));
                    }
                }
            }
            if !waits {
                return;
            }
            for &t in &walk.live_in {
                if let Some(s) = flow.waits.since(t) {
                    push(raw_holds, accesses, v, s..t);
                    if !flow.calls().is_empty() {
                        waiting.push((t, v));
                    }
                } else if t.previous().is_some_and(|site| stays.binary_search(&site).is_ok()) {
                    waiting.push((t, v));
                }
            }
        };
        let vars = kernel.vars.len();
        if found.len() * 8 > vars || kernel.vars.iter().any(|var| var.live_out) {
            touches.set(vars, found);
            (0..vars).for_each(|v| one(v.into(), touches.of(v)));
        } else {
            // Few: sorting them is less work than looking at all variables.
            found.sort_unstable_by_key(|(v, touch)| (*v, touch.block));
            for own in found.chunk_by(|a, b| a.0 == b.0) {
                of_one.clear();
                of_one.extend(own.iter().map(|(_, touch)| *touch));
                one(own[0].0, of_one);
            }
        }
        out.set(blocks, pairs);
    }

    /// Keeps what lanes hold that wait in a caller, while a subroutine runs.
    fn keep_in_calls(&mut self, accesses: &Accesses, flow: &Flow) {
        let calls = flow.calls();
        self.waiting.sort_unstable();
        let waiting = &self.waiting;
        let at = |t: BlockId| {
            let first = waiting.partition_point(|w| w.0 < t);
            waiting[first..].iter().take_while(move |w| w.0 == t).map(|w| w.1)
        };
        if self.held.len() < calls.len() {
            self.held.resize_with(calls.len(), Vec::new);
        }
        for (vars, &Call { site, .. }) in self.held.iter_mut().zip(calls) {
            vars.clear();
            let here = flow.waits.iter().filter(|&(t, s)| s <= site && site < t);
            vars.extend(here.flat_map(|(t, _)| at(t)));
            if self.stays.binary_search(&site).is_ok() {
                vars.extend(at(site.next()));
            }
            vars.sort_unstable();
            vars.dedup();
        }
        for _ in 0..calls.len() {
            let mut changed = false;
            for (outer, call) in calls.iter().enumerate() {
                if self.held[outer].is_empty() {
                    continue;
                }
                let more = std::mem::take(&mut self.held[outer]);
                let from = calls.partition_point(|inner| inner.site < call.entry);
                let to = calls.partition_point(|inner| inner.site < call.end);
                for inner in (from..to).filter(|&inner| inner != outer) {
                    let vars = &mut self.held[inner];
                    let before = vars.len();
                    vars.extend_from_slice(&more);
                    vars.sort_unstable();
                    vars.dedup();
                    changed |= vars.len() != before;
                }
                self.held[outer] = more;
            }
            if !changed {
                break;
            }
        }
        for (vars, call) in self.held.iter().zip(calls) {
            for &v in vars {
                push(&mut self.raw_holds_in_calls, accesses, v, call.entry..call.end);
            }
        }
    }
}

/// Notes that a variable is alive in some blocks, if they have instructions.
fn push(raw: &mut Vec<(BlockId, Passing)>, accesses: &Accesses, v: VarId, blocks: std::ops::Range<BlockId>) {
    let [start, end] = [blocks.start, blocks.end].map(|b| Position::read(accesses.blocks[b.index()]));
    if start < end {
        raw.push((blocks.start, (v, end)));
    }
}

/// A block in the walk of a variable.
#[derive(Clone, Copy)]
struct BlockMark {
    /// The last walk that came to its start, and to its end.
    entered: VarId,
    left: VarId,
    /// The last one whose variable it touches.
    touched: VarId,
    /// That variable is not live above it.
    ended: bool,
}

/// The walk of one variable; its memory serves all variables in turn.
struct Walk {
    marks: Vec<BlockMark>,
    round: VarId,
    /// Blocks that the variable is live into.
    live_in: Vec<BlockId>,
    /// Blocks that the variable is live out of and that touch it.
    own: Vec<BlockId>,
    /// Blocks that the variable is live out of and that do not touch it.
    passed: Vec<BlockId>,
}

impl Default for Walk {
    fn default() -> Self {
        Walk { marks: Vec::new(), round: NO_VAR, live_in: Vec::new(), own: Vec::new(), passed: Vec::new() }
    }
}

impl Walk {
    fn start(&mut self, blocks: usize) {
        self.marks.clear();
        self.marks.resize(blocks, BlockMark { entered: NO_VAR, left: NO_VAR, touched: NO_VAR, ended: false });
        self.round = NO_VAR;
    }

    fn enter(&mut self, b: BlockId, reach: BlockId) {
        let mark = &mut self.marks[b.index()];
        if b >= reach && mark.entered != self.round {
            mark.entered = self.round;
            self.live_in.push(b);
        }
    }

    fn leave(&mut self, b: BlockId, reach: BlockId) {
        let mark = &mut self.marks[b.index()];
        if mark.left == self.round {
            return;
        }
        mark.left = self.round;
        // Where nothing is written before or in the block, nothing is kept.
        if mark.touched == self.round {
            self.own.push(b);
            if mark.ended {
                return;
            }
        } else if b >= reach {
            self.passed.push(b);
        }
        if b >= reach && mark.entered != self.round {
            mark.entered = self.round;
            self.live_in.push(b);
        }
    }

    fn run(
        &mut self,
        kernel: &Kernel<Virtual>,
        (flow, routines): (&Flow, &mut Routines),
        v: VarId,
        touches: &[BlockTouch],
        reach: BlockId,
        live_out: bool,
    ) {
        self.round = v;
        self.live_in.clear();
        self.own.clear();
        self.passed.clear();
        for t in touches {
            let mark = &mut self.marks[t.block.index()];
            (mark.touched, mark.ended) = (v, t.ended);
        }
        for t in touches.iter().filter(|t| t.exposed) {
            self.enter(t.block, reach);
        }
        if live_out {
            // Messages that spilling adds may stand in any block.
            let anywhere = kernel.scratch_header == Some(v);
            for (b, block) in kernel.blocks.iter().enumerate() {
                if anywhere || block.succs.is_empty() {
                    self.leave(b.into(), reach);
                }
            }
        }
        let calls = !routines.is_empty();
        if calls {
            routines.note_writes(v, touches.iter().filter(|t| t.written).map(|t| t.block));
        }
        let mut next = 0;
        while let Some(&b) = self.live_in.get(next) {
            next += 1;
            let call = routines.call_before(b);
            for &p in flow.preds(b) {
                if call.is_none_or(|c| routines.comes_from(v, c, (p, b))) {
                    self.leave(p, reach);
                }
            }
        }
    }

    /// Puts the blocks that it passes in order.
    fn sort_passed(&mut self) {
        let Walk { marks, round, passed, .. } = self;
        let (Some(&low), Some(&high)) = (passed.iter().min(), passed.iter().max()) else { return };
        if high.index() - low.index() > passed.len() * 8 {
            passed.sort_unstable();
            return;
        }
        // Many of those there are between: looking at all is less than sorting.
        passed.clear();
        let marks = marks[low.index()..high.next().index()].iter().zip(low.0..);
        passed
            .extend(marks.filter(|(m, _)| m.left == *round && m.touched != *round).map(|(_, b)| BlockId(b)));
    }
}
