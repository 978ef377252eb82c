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
    access::{Accesses, Kind},
    facts::Fact,
    flow::Flow,
    home::Homes,
    liveness::{Range, Raw},
};
use gen_ir::{Kernel, Virtual};

const NONE: u32 = u32::MAX;

/// What a block does with a variable.
#[derive(Clone, Copy, Default)]
struct Touch {
    block: u32,
    /// Read before it is written over.
    exposed: bool,
    /// Not live above the block, though live below it.
    ended: bool,
}

/// A variable during the walk over a block.
#[derive(Clone, Copy)]
struct State {
    /// Live pieces if nothing is live below.
    low: u64,
    /// And if everything is.
    high: u64,
    /// The block that this is about.
    block: u32,
    written: bool,
}

/// Where variables are live between blocks.
#[derive(Default)]
pub(crate) struct Spread {
    /// Variables live out of each block among those the block touches.
    out: Vec<u32>,
    first: Vec<u32>,
    /// The first block at whose start each variable may have been written.
    reach: Vec<u32>,
    /// The blocks that touch each variable which may live across blocks.
    touches: Vec<Touch>,
    touched_first: Vec<u32>,
    walk: Walk,
    // Memory of the computation.
    state: Vec<State>,
    seen: Vec<u32>,
    found: Vec<(u32, Touch)>,
    pairs: Vec<(u32, u32)>,
    waiting: Vec<(u32, u32)>,
    passed: Vec<u32>,
    stays: Vec<u32>,
    held: Vec<Vec<u32>>,
}

impl Spread {
    /// Variables that block `b` touches and that are live after it.
    pub fn live_out_of(&self, b: usize) -> &[u32] {
        &self.out[self.first[b] as usize..self.first[b + 1] as usize]
    }

    /// Whether some write of a variable can have happened before block `b`.
    pub fn reaches(&self, var: u32, b: usize) -> bool {
        self.reach[var as usize] <= b as u32
    }

    /// Walks every variable through the graph. Ranges of blocks that a variable merely passes, and of
    /// lanes that hold it while they wait, go to `raw`.
    pub fn find(
        &mut self,
        kernel: &Kernel<Virtual>,
        accesses: &Accesses,
        flow: &Flow,
        homes: &Homes,
        facts: &[Fact],
        raw: &mut Vec<Raw>,
    ) {
        self.summarize(kernel, accesses, flow, homes, facts);
        self.by_variable(kernel.vars.len());
        self.find_staying(kernel, flow);
        self.spread(kernel, accesses, flow, raw);
        if !flow.calls.is_empty() {
            self.keep_in_calls(accesses, flow, raw);
        }
    }

    /// Looks at every block by itself. Variables of one block that nothing can bring a value to from an
    /// earlier run of it are left out.
    fn summarize(
        &mut self,
        kernel: &Kernel<Virtual>,
        accesses: &Accesses,
        flow: &Flow,
        homes: &Homes,
        facts: &[Fact],
    ) {
        let n = kernel.vars.len();
        self.reach.clear();
        self.reach.extend(kernel.vars.iter().map(|var| if var.live_in { 0 } else { NONE }));
        self.state.clear();
        self.state.resize(n, State { low: 0, high: 0, block: NONE, written: false });
        self.found.clear();
        for (b, &reached_from_here) in flow.reached.iter().enumerate() {
            self.seen.clear();
            let (block, divergent) = (b as u32, flow.divergent[b]);
            let again = reached_from_here <= block;
            for i in accesses.block(b).rev() {
                for want in [Kind::WRITE, Kind::READ] {
                    for a in accesses.of(i).iter().filter(|a| a.kind.has(want)) {
                        let fact = &facts[a.var as usize];
                        if !again && fact.only_in(b) {
                            continue;
                        }
                        let state = &mut self.state[a.var as usize];
                        if state.block != block {
                            *state = State { low: 0, high: fact.ever_needed(), block, written: false };
                            self.seen.push(a.var);
                        }
                        if want == Kind::WRITE {
                            let kill = fact.kills(a, divergent);
                            state.low &= !kill;
                            state.high &= !kill;
                            state.written = true;
                        } else {
                            let t = fact.needed(a);
                            state.low |= t;
                            state.high |= t;
                        }
                    }
                }
            }
            for &v in &self.seen {
                let State { low, high, written, .. } = self.state[v as usize];
                if !facts[v as usize].in_many() && (low == 0 || homes.is_piece(v as usize)) {
                    continue;
                }
                self.found.push((v, Touch { block, exposed: low != 0, ended: high == 0 }));
                if written {
                    let r = &mut self.reach[v as usize];
                    *r = (*r).min(reached_from_here);
                }
            }
        }
    }

    /// Sorts what was found by variable, keeping the order otherwise.
    fn by_variable(&mut self, n: usize) {
        let first = &mut self.touched_first;
        first.clear();
        first.resize(n + 1, 0);
        for (v, _) in &self.found {
            first[*v as usize] += 1;
        }
        let mut end = 0;
        for f in first.iter_mut() {
            end += *f;
            *f = end;
        }
        self.touches.clear();
        self.touches.resize(self.found.len(), Touch::default());
        for (v, t) in self.found.iter().rev() {
            let at = &mut first[*v as usize];
            *at -= 1;
            self.touches[*at as usize] = *t;
        }
    }

    /// Finds the blocks that end with a call which some lanes may not make: they wait behind it. Sorted.
    fn find_staying(&mut self, kernel: &Kernel<Virtual>, flow: &Flow) {
        let guarded = |b: u32| kernel.blocks[b as usize].insts.last().is_some_and(|i| i.pred.is_some());
        self.stays.clear();
        self.stays.extend(flow.calls.iter().map(|c| c.0).filter(|&b| guarded(b)));
        self.stays.sort_unstable();
    }

    fn spread(&mut self, kernel: &Kernel<Virtual>, accesses: &Accesses, flow: &Flow, raw: &mut Vec<Raw>) {
        let blocks = kernel.blocks.len();
        let pos = |b: u32| accesses.blocks[b as usize] * 2;
        let Spread { walk, pairs, waiting, passed, stays, .. } = self;
        walk.start(blocks);
        pairs.clear();
        waiting.clear();
        for v in 0..kernel.vars.len() as u32 {
            let (from, to) = (self.touched_first[v as usize], self.touched_first[v as usize + 1]);
            let touches = &self.touches[from as usize..to as usize];
            let live_out = kernel.vars[v as usize].live_out;
            if !live_out && !touches.iter().any(|t| t.exposed) {
                continue;
            }
            walk.run(kernel, flow, v, touches, self.reach[v as usize], live_out);
            passed.clear();
            for &b in &walk.live_out {
                match walk.kind(b) {
                    Some(_) => pairs.push((b, v)),
                    None => passed.push(b),
                }
            }
            // Blocks next to each other make one range.
            passed.sort_unstable();
            for run in passed.chunk_by(|a, b| a + 1 == *b) {
                push(raw, v, Range { start: pos(run[0]), end: pos(run[run.len() - 1] + 1) });
            }
            for &t in &walk.live_in {
                if let Some(s) = flow.waits.since(gen_ir::BlockId(t)) {
                    push(raw, v, Range { start: pos(s.0), end: pos(t) });
                    if !flow.calls.is_empty() {
                        waiting.push((t, v));
                    }
                } else if t > 0 && stays.binary_search(&(t - 1)).is_ok() {
                    waiting.push((t, v));
                }
            }
        }
        let first = &mut self.first;
        first.clear();
        first.resize(blocks + 1, 0);
        for &(b, _) in &*pairs {
            first[b as usize] += 1;
        }
        let mut end = 0;
        for f in first.iter_mut() {
            end += *f;
            *f = end;
        }
        self.out.clear();
        self.out.resize(pairs.len(), 0);
        for &(b, v) in pairs.iter().rev() {
            let at = &mut first[b as usize];
            *at -= 1;
            self.out[*at as usize] = v;
        }
    }

    /// Keeps what lanes hold that wait in a caller, while a subroutine runs.
    fn keep_in_calls(&mut self, accesses: &Accesses, flow: &Flow, raw: &mut Vec<Raw>) {
        let calls = &flow.calls;
        self.waiting.sort_unstable();
        let waiting = &self.waiting;
        let at = |t: u32| {
            let first = waiting.partition_point(|w| w.0 < t);
            waiting[first..].iter().take_while(move |w| w.0 == t).map(|w| w.1)
        };
        if self.held.len() < calls.len() {
            self.held.resize_with(calls.len(), Vec::new);
        }
        for (vars, &(site, ..)) in self.held.iter_mut().zip(calls) {
            vars.clear();
            let here = flow.waits.iter().filter(|(t, s)| s.0 <= site && site < t.0);
            vars.extend(here.flat_map(|(t, _)| at(t.0)));
            if self.stays.binary_search(&site).is_ok() {
                vars.extend(at(site + 1));
            }
            vars.sort_unstable();
            vars.dedup();
        }
        for _ in 0..calls.len() {
            let mut changed = false;
            for outer in 0..calls.len() {
                let (_, first, end) = calls[outer];
                let more = std::mem::take(&mut self.held[outer]);
                for (inner, (vars, call)) in self.held.iter_mut().zip(calls).enumerate() {
                    if inner != outer && (first..end).contains(&call.0) && !more.is_empty() {
                        let before = vars.len();
                        vars.extend_from_slice(&more);
                        vars.sort_unstable();
                        vars.dedup();
                        changed |= vars.len() != before;
                    }
                }
                self.held[outer] = more;
            }
            if !changed {
                break;
            }
        }
        let pos = |b: u32| accesses.blocks[b as usize] * 2;
        for (vars, &(_, first, end)) in self.held.iter().zip(calls) {
            for &v in vars {
                push(raw, v, Range { start: pos(first), end: pos(end) });
            }
        }
    }
}

fn push(raw: &mut Vec<Raw>, v: u32, range: Range) {
    if range.start < range.end {
        raw.push((v, range));
    }
}

/// The walk of one variable; its arrays serve all variables in turn.
#[derive(Default)]
struct Walk {
    /// What the variable's own blocks do: valid where `touched` is `round`.
    touch: Vec<Touch>,
    touched: Vec<u32>,
    seen_in: Vec<u32>,
    seen_out: Vec<u32>,
    round: u32,
    live_in: Vec<u32>,
    live_out: Vec<u32>,
}

impl Walk {
    fn start(&mut self, blocks: usize) {
        self.touch.resize(blocks.max(self.touch.len()), Touch::default());
        for stamps in [&mut self.touched, &mut self.seen_in, &mut self.seen_out] {
            stamps.clear();
            stamps.resize(blocks, NONE);
        }
        self.round = NONE;
    }

    fn kind(&self, b: u32) -> Option<Touch> {
        (self.touched[b as usize] == self.round).then(|| self.touch[b as usize])
    }

    fn enter(&mut self, b: u32, reach: u32) {
        if b >= reach && self.seen_in[b as usize] != self.round {
            self.seen_in[b as usize] = self.round;
            self.live_in.push(b);
        }
    }

    fn leave(&mut self, b: u32, reach: u32) {
        if self.seen_out[b as usize] != self.round {
            self.seen_out[b as usize] = self.round;
            // Where nothing is written before or in the block, nothing is kept.
            let touch = self.kind(b);
            if b < reach && touch.is_none() {
                return;
            }
            self.live_out.push(b);
            if !touch.is_some_and(|t| t.ended) {
                self.enter(b, reach);
            }
        }
    }

    fn run(
        &mut self,
        kernel: &Kernel<Virtual>,
        flow: &Flow,
        v: u32,
        touches: &[Touch],
        reach: u32,
        live_out: bool,
    ) {
        self.round = v;
        self.live_in.clear();
        self.live_out.clear();
        for t in touches {
            self.touch[t.block as usize] = *t;
            self.touched[t.block as usize] = v;
        }
        for t in touches.iter().filter(|t| t.exposed) {
            self.enter(t.block, reach);
        }
        if live_out {
            for (b, block) in kernel.blocks.iter().enumerate() {
                if block.succs.is_empty() {
                    self.leave(b as u32, reach);
                }
            }
        }
        let mut next = 0;
        while let Some(&b) = self.live_in.get(next) {
            next += 1;
            for &p in flow.preds.of(b as usize) {
                self.leave(p, reach);
            }
        }
    }
}
