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
    facts::Facts,
    flow::Flow,
    home::Homes,
    liveness::{Range, Raw},
    pieces::touched,
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

/// The blocks that touch each variable which may live across blocks.
pub(crate) struct Summary {
    touches: Vec<Touch>,
    first: Vec<u32>,
    /// The first block at whose start the variable may have been written.
    reach: Vec<u32>,
}

/// Looks at every block by itself. Also returns the weights of the variables: the sum of accesses, each
/// worth ten times more per loop around it.
pub(crate) fn summarize(
    kernel: &Kernel<Virtual>,
    accesses: &Accesses,
    flow: &Flow,
    homes: &Homes,
    facts: &Facts,
) -> (Summary, Vec<f32>) {
    let n = kernel.vars.len();
    let mut weight = vec![0f32; n];
    // The only block that touches a variable; `MANY` if there are more.
    const MANY: u32 = NONE - 1;
    let mut home = vec![NONE; n];
    for (b, depth) in flow.depth.iter().enumerate() {
        let w = 10f32.powi(i32::from(*depth.min(&6)));
        for a in accesses.of_block(b) {
            let v = a.var as usize;
            weight[v] += w;
            let h = &mut home[v];
            *h = if *h == NONE || *h == b as u32 { b as u32 } else { MANY };
        }
    }
    for (h, var) in home.iter_mut().zip(&kernel.vars) {
        if var.live_in || var.live_out {
            *h = MANY;
        }
    }
    let mut stamp = vec![NONE; n];
    // Live pieces if nothing is live below, and if everything is; whether written.
    let mut state = vec![(0u64, 0u64, false); n];
    let mut seen = Vec::new();
    let mut found: Vec<(u32, Touch)> = Vec::new();
    let mut written = vec![NONE; n];
    let reached = flow.reached_from();
    for (b, &reached_from_here) in reached.iter().enumerate() {
        seen.clear();
        let divergent = flow.divergent[b];
        for i in accesses.block(b).rev() {
            for want in [Kind::WRITE, Kind::READ] {
                for a in accesses.of(i).iter().filter(|a| a.kind.has(want)) {
                    let v = a.var as usize;
                    if stamp[v] != b as u32 {
                        stamp[v] = b as u32;
                        state[v] = (0, facts.pieces[v], false);
                        seen.push(a.var);
                    }
                    let (low, high, written) = &mut state[v];
                    if want == Kind::WRITE {
                        let kill = facts.kills(a, divergent);
                        *low &= !kill;
                        *high &= !kill;
                        *written = true;
                    } else {
                        let t = touched(a, facts.shift[v]);
                        *low |= t;
                        *high |= t;
                    }
                }
            }
        }
        for &v in &seen {
            let (low, high, wrote) = state[v as usize];
            let many = home[v as usize] == MANY;
            if !many && (low == 0 || homes.is_piece(v as usize)) {
                continue;
            }
            found.push((v, Touch { block: b as u32, exposed: low != 0, ended: high == 0 }));
            if wrote {
                let r = &mut written[v as usize];
                *r = (*r).min(reached_from_here);
            }
        }
    }
    for (r, var) in written.iter_mut().zip(&kernel.vars) {
        if var.live_in {
            *r = 0;
        }
    }
    let (touches, first) = by_variable(n, &found);
    (Summary { touches, first, reach: written }, weight)
}

/// Sorts by variable, keeping the order otherwise.
fn by_variable(n: usize, found: &[(u32, Touch)]) -> (Vec<Touch>, Vec<u32>) {
    let mut first = vec![0u32; n + 1];
    for (v, _) in found {
        first[*v as usize + 1] += 1;
    }
    for v in 0..n {
        first[v + 1] += first[v];
    }
    let mut next = first.clone();
    let mut out = vec![Touch::default(); found.len()];
    for (v, t) in found {
        let at = &mut next[*v as usize];
        out[*at as usize] = *t;
        *at += 1;
    }
    (out, first)
}

/// Where variables are live between blocks.
pub(crate) struct Spread {
    /// Variables live out of each block among those the block touches.
    out: Vec<u32>,
    first: Vec<u32>,
    reach: Vec<u32>,
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
    pub fn of(
        kernel: &Kernel<Virtual>,
        accesses: &Accesses,
        flow: &Flow,
        summary: &Summary,
        raw: &mut Vec<Raw>,
    ) -> Spread {
        let blocks = kernel.blocks.len();
        let pos = |b: u32| accesses.blocks[b as usize] * 2;
        let mut walk = Walk::new(blocks);
        let mut pairs: Vec<(u32, u32)> = Vec::new();
        let mut waiting: Vec<(u32, u32)> = Vec::new();
        let mut passed: Vec<u32> = Vec::new();
        let stays = some_lanes_stay(kernel, flow);
        for v in 0..kernel.vars.len() as u32 {
            let touches =
                &summary.touches[summary.first[v as usize] as usize..summary.first[v as usize + 1] as usize];
            let live_out = kernel.vars[v as usize].live_out;
            if !live_out && !touches.iter().any(|t| t.exposed) {
                continue;
            }
            walk.run(kernel, flow, v, touches, summary.reach[v as usize], live_out);
            passed.clear();
            for &b in &walk.live_out {
                match walk.kind(b) {
                    Some(_) => pairs.push((b, v)),
                    None => passed.push(b),
                }
            }
            // Blocks next to each other make one range.
            passed.sort_unstable();
            let mut i = 0;
            while i < passed.len() {
                let mut end = passed[i] + 1;
                let start = passed[i];
                i += 1;
                while i < passed.len() && passed[i] == end {
                    end += 1;
                    i += 1;
                }
                push(raw, v, Range { start: pos(start), end: pos(end) });
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
        keep_in_calls(accesses, flow, &waiting, &stays, raw);
        let mut first = vec![0u32; blocks + 1];
        for &(b, _) in &pairs {
            first[b as usize + 1] += 1;
        }
        for b in 0..blocks {
            first[b + 1] += first[b];
        }
        let mut next = first.clone();
        let mut out = vec![0; pairs.len()];
        for (b, v) in pairs {
            let at = &mut next[b as usize];
            out[*at as usize] = v;
            *at += 1;
        }
        Spread { out, first, reach: summary.reach.clone() }
    }
}

fn push(raw: &mut Vec<Raw>, v: u32, range: Range) {
    if range.start < range.end {
        raw.push((v, range));
    }
}

/// The walk of one variable; its arrays serve all variables in turn.
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
    fn new(blocks: usize) -> Walk {
        Walk {
            touch: vec![Touch::default(); blocks],
            touched: vec![NONE; blocks],
            seen_in: vec![NONE; blocks],
            seen_out: vec![NONE; blocks],
            round: NONE,
            live_in: Vec::new(),
            live_out: Vec::new(),
        }
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

/// Blocks that end with a call which some lanes may not make: they wait behind it. Sorted.
fn some_lanes_stay(kernel: &Kernel<Virtual>, flow: &Flow) -> Vec<u32> {
    let guarded = |b: u32| kernel.blocks[b as usize].insts.last().is_some_and(|i| i.pred.is_some());
    let mut sites: Vec<u32> = flow.calls.iter().map(|c| c.0).filter(|&b| guarded(b)).collect();
    sites.sort_unstable();
    sites
}

/// Keeps what lanes hold that wait in a caller, while a subroutine runs. `stays` are the calls behind
/// which lanes wait that do not make them.
fn keep_in_calls(
    accesses: &Accesses,
    flow: &Flow,
    waiting: &[(u32, u32)],
    stays: &[u32],
    raw: &mut Vec<Raw>,
) {
    let mut waiting = waiting.to_vec();
    waiting.sort_unstable();
    let at = |t: u32| {
        let first = waiting.partition_point(|w| w.0 < t);
        waiting[first..].iter().take_while(move |w| w.0 == t).map(|w| w.1)
    };
    let mut held: Vec<Vec<u32>> = flow
        .calls
        .iter()
        .map(|&(site, ..)| {
            let here = flow.waits.iter().filter(|(t, s)| s.0 <= site && site < t.0);
            let mut vars: Vec<u32> = here.flat_map(|(t, _)| at(t.0)).collect();
            if stays.binary_search(&site).is_ok() {
                vars.extend(at(site + 1));
            }
            vars.sort_unstable();
            vars.dedup();
            vars
        })
        .collect();
    for _ in 0..flow.calls.len() {
        let mut changed = false;
        for outer in 0..flow.calls.len() {
            let (_, first, end) = flow.calls[outer];
            for inner in 0..flow.calls.len() {
                if inner != outer && (first..end).contains(&flow.calls[inner].0) && !held[outer].is_empty() {
                    let before = held[inner].len();
                    let more = held[outer].clone();
                    held[inner].extend(more);
                    held[inner].sort_unstable();
                    held[inner].dedup();
                    changed |= held[inner].len() != before;
                }
            }
        }
        if !changed {
            break;
        }
    }
    let pos = |b: u32| accesses.blocks[b as usize] * 2;
    for (vars, &(_, first, end)) in held.iter().zip(&flow.calls) {
        for &v in vars {
            push(raw, v, Range { start: pos(first), end: pos(end) });
        }
    }
}
