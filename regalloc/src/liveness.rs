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
//! **Per thread.** While the instruction pointer is where some lanes run, other lanes wait at a later
//! block `t` and hold what is live into it. [`Waits`](gen_ir::Waits) says during which blocks they may
//! wait at `t`: all that is live into `t` is kept during those. Then no register that a waiting lane
//! needs is given away, whatever the mask and layout of the write that would reuse it.
//!
//! **Defined.** Nothing is kept where no write of it can have happened yet, so a value pieced together
//! by partial or predicated writes starts with the first of them. Pieces that spilling made start with
//! their first access in the one block they live in.
//!
//! Within a block liveness is tracked in pieces of the variable (up to 64), so that writes that only
//! together cover it end the old value together.

use crate::{
    access::{Accesses, Kind},
    facts::Facts,
    flow::Flow,
    home::Homes,
    pieces::touched,
    spread::{Spread, summarize},
};
use gen_ir::{Kernel, Virtual};

/// A half-open range of positions.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Range {
    pub start: u32,
    pub end: u32,
}

/// The live ranges of all variables.
pub(crate) struct Liveness {
    ranges: Vec<Range>,
    first: Vec<u32>,
    /// Sum of accesses, each worth ten times more per loop around it.
    pub weight: Vec<f32>,
}

impl Liveness {
    /// Ranges of a variable, in order, with gaps between them.
    pub fn of(&self, var: usize) -> &[Range] {
        &self.ranges[self.first[var] as usize..self.first[var + 1] as usize]
    }

    /// Whether a value from before position `at`, which is inside a block, is needed from there.
    pub fn before(&self, var: u32, at: u32) -> bool {
        let ranges = self.of(var as usize);
        let i = ranges.partition_point(|r| r.end <= at);
        ranges.get(i).is_some_and(|r| r.start < at)
    }

    /// Whether a value is needed where a block starts, at position `at`.
    pub fn at_start(&self, var: u32, at: u32) -> bool {
        let ranges = self.of(var as usize);
        let i = ranges.partition_point(|r| r.end <= at);
        ranges.get(i).is_some_and(|r| r.start <= at)
    }

    /// Whether a value is needed after the block that ends at position `at`.
    pub fn at_end(&self, var: u32, at: u32) -> bool {
        let ranges = self.of(var as usize);
        let i = ranges.partition_point(|r| r.end < at);
        ranges.get(i).is_some_and(|r| r.start < at)
    }
}

const NONE: u32 = u32::MAX;

/// Computes the live ranges of all variables.
pub(crate) fn compute(kernel: &Kernel<Virtual>, accesses: &Accesses, flow: &Flow, homes: &Homes) -> Liveness {
    let facts = Facts::of(kernel, accesses, flow.any_divergence());
    let n = kernel.vars.len();
    let mut raw: Vec<Raw> = Vec::with_capacity(n * 2);
    let (summary, weight) = summarize(kernel, accesses, flow, homes, &facts);
    let spread = Spread::of(kernel, accesses, flow, &summary, &mut raw);
    scan(kernel, accesses, flow, &facts, &spread, &mut raw);
    let (ranges, first) = normalize(n, raw);
    Liveness { ranges, first, weight }
}

/// A range of one variable.
pub(crate) type Raw = (u32, Range);

/// State of one variable during the scan of a block.
#[derive(Clone, Copy)]
struct Open {
    live: u64,
    end: u32,
    /// The earliest access seen so far.
    first: u32,
}

/// Walks every block backward and writes down ranges.
fn scan(
    kernel: &Kernel<Virtual>,
    accesses: &Accesses,
    flow: &Flow,
    facts: &Facts,
    spread: &Spread,
    raw: &mut Vec<Raw>,
) {
    let n = kernel.vars.len();
    let mut stamp = vec![NONE; n];
    let mut open = vec![Open { live: 0, end: 0, first: 0 }; n];
    let mut seen: Vec<u32> = Vec::new();
    for b in (0..kernel.blocks.len()).rev() {
        let insts = accesses.block(b);
        let (top, bottom) = (insts.start as u32 * 2, insts.end as u32 * 2);
        let divergent = flow.divergent[b];
        seen.clear();
        for &v in spread.live_out_of(b) {
            // Live below and never defined above: the pieces matter once something is written here.
            stamp[v as usize] = b as u32;
            open[v as usize] = Open { live: facts.pieces[v as usize].max(1), end: bottom, first: bottom };
            seen.push(v);
        }
        for i in insts.rev() {
            let read_at = i as u32 * 2;
            for want in [Kind::WRITE, Kind::READ] {
                for a in accesses.of(i).iter().filter(|a| a.kind.has(want)) {
                    let v = a.var as usize;
                    if stamp[v] != b as u32 {
                        stamp[v] = b as u32;
                        open[v] = Open { live: 0, end: 0, first: 0 };
                        seen.push(a.var);
                    }
                    let o = &mut open[v];
                    if want == Kind::READ {
                        if o.live == 0 {
                            o.end = read_at + 1;
                        }
                        o.live |= touched(a, facts.shift[v]);
                        o.first = read_at;
                        continue;
                    }
                    let at = read_at + u32::from(!a.kind.has(Kind::EARLY));
                    if o.live == 0 {
                        raw.push((a.var, Range { start: at, end: read_at + 2 }));
                        continue;
                    }
                    o.live &= !facts.kills(a, divergent);
                    o.first = at;
                    if o.live == 0 {
                        raw.push((a.var, Range { start: at, end: o.end }));
                    }
                }
            }
        }
        for &v in &seen {
            let o = open[v as usize];
            if o.live == 0 {
                continue;
            }
            let start = if spread.reaches(v, b) { top } else { o.first };
            if start < o.end {
                raw.push((v, Range { start, end: o.end }));
            }
        }
    }
}

/// Sorts ranges by variable and position, and merges those that touch.
fn normalize(vars: usize, raw: Vec<Raw>) -> (Vec<Range>, Vec<u32>) {
    let mut count = vec![0u32; vars + 1];
    for &(v, _) in &raw {
        count[v as usize + 1] += 1;
    }
    for v in 0..vars {
        count[v + 1] += count[v];
    }
    let mut slots = vec![Range { start: 0, end: 0 }; raw.len()];
    let mut next = count.clone();
    for (v, r) in raw {
        let at = &mut next[v as usize];
        slots[*at as usize] = r;
        *at += 1;
    }
    let mut ranges: Vec<Range> = Vec::with_capacity(slots.len());
    let mut first = Vec::with_capacity(vars + 1);
    for v in 0..vars {
        first.push(ranges.len() as u32);
        let mine = &mut slots[count[v] as usize..count[v + 1] as usize];
        mine.sort_unstable();
        let base = ranges.len();
        for &r in mine.iter() {
            match ranges[base..].last_mut() {
                Some(last) if r.start <= last.end => last.end = last.end.max(r.end),
                _ => ranges.push(r),
            }
        }
    }
    first.push(ranges.len() as u32);
    (ranges, first)
}
