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
    access::{Access, Accesses, Kind},
    flow::Flow,
    home::Homes,
    pieces::{all_pieces, covered, piece_shift, touched},
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

/// What is known of each variable before the graph is looked at.
struct Facts {
    /// Log2 of the piece size in units.
    shift: Vec<u8>,
    /// Pieces that are ever read.
    pieces: Vec<u64>,
    /// Writes under the mask end the old value: bit 0 in divergent blocks, bit 1 elsewhere.
    masked_kill: Vec<u8>,
    /// Index among the variables that live across blocks.
    global: Vec<u32>,
    globals: Vec<u32>,
}

impl Facts {
    fn of(kernel: &Kernel<Virtual>, accesses: &Accesses, divergence: bool) -> Facts {
        let n = kernel.vars.len();
        let shift: Vec<u8> = kernel.vars.iter().map(piece_shift).collect();
        let mut pieces = vec![0u64; n];
        // Pitch of masked accesses: 0 not seen, 255 several.
        let mut pitch = vec![0u8; n];
        let mut masked_kill = vec![3u8; n];
        let simd = u32::from(kernel.simd).max(1);
        for a in accesses.all() {
            let v = a.var as usize;
            let read = a.kind.has(Kind::READ);
            if read {
                pieces[v] |= touched(a, shift[v]);
            }
            if !divergence && !read {
                continue;
            }
            if !a.kind.has(Kind::MASKED) {
                if read {
                    masked_kill[v] = 0;
                }
                continue;
            }
            if a.kind.has(Kind::CROSS) {
                masked_kill[v] &= 2;
            } else if a.pitch != 0 && divergence {
                let p = u32::from(a.pitch);
                let one = a.end - a.start <= u32::from(a.elem);
                let apart = pitch[v] != 0 && pitch[v] != a.pitch && !one;
                let lane = a.start / p % simd;
                if apart || (one && simd > 1) || lane != u32::from(a.chan) {
                    masked_kill[v] &= 2;
                }
                if !one {
                    pitch[v] = a.pitch;
                }
            }
        }
        for (v, var) in kernel.vars.iter().enumerate() {
            if var.live_out {
                pieces[v] |= all_pieces(var);
            }
            if var.address_taken {
                masked_kill[v] = 0;
            }
        }
        Facts { shift, pieces, masked_kill, global: vec![NONE; n], globals: Vec::new() }
    }

    fn make_global(&mut self, v: u32) -> u32 {
        let g = &mut self.global[v as usize];
        if *g == NONE {
            *g = self.globals.len() as u32;
            self.globals.push(v);
        }
        *g
    }

    /// Pieces whose old value a write ends.
    fn kills(&self, a: &Access, divergent: bool) -> u64 {
        let v = a.var as usize;
        if !a.kind.has(Kind::SURE) {
            return 0;
        }
        let need = if divergent { 1 } else { 2 };
        if a.kind.has(Kind::MASKED) && self.masked_kill[v] & need == 0 {
            return 0;
        }
        covered(a, self.shift[v])
    }
}

/// Rows of bits.
struct Bits {
    words: usize,
    data: Vec<u64>,
}

impl Bits {
    fn new(rows: usize, bits: usize) -> Bits {
        let words = bits.div_ceil(64);
        Bits { words, data: vec![0; rows * words] }
    }

    fn row(&self, r: usize) -> &[u64] {
        &self.data[r * self.words..(r + 1) * self.words]
    }

    fn row_mut(&mut self, r: usize) -> &mut [u64] {
        &mut self.data[r * self.words..(r + 1) * self.words]
    }

    fn set(&mut self, r: usize, bit: u32) {
        self.data[r * self.words + (bit / 64) as usize] |= 1 << (bit % 64);
    }

    fn get(&self, r: usize, bit: u32) -> bool {
        self.data[r * self.words + (bit / 64) as usize] >> (bit % 64) & 1 != 0
    }

    /// Adds row `from` to row `to`; whether that changed anything.
    fn add(&mut self, to: usize, from: usize) -> bool {
        let w = self.words;
        let mut changed = 0;
        for i in 0..w {
            let x = self.data[from * w + i];
            let y = &mut self.data[to * w + i];
            changed |= x & !*y;
            *y |= x;
        }
        changed != 0
    }
}

fn each_bit(row: &[u64], mut f: impl FnMut(u32)) {
    for (i, &word) in row.iter().enumerate() {
        let mut w = word;
        while w != 0 {
            f(i as u32 * 64 + w.trailing_zeros());
            w &= w - 1;
        }
    }
}

/// Computes the live ranges of all variables.
pub(crate) fn compute(kernel: &Kernel<Virtual>, accesses: &Accesses, flow: &Flow, homes: &Homes) -> Liveness {
    let mut facts = Facts::of(kernel, accesses, flow.any_divergence());
    let (local, weight) = find_globals(kernel, accesses, flow, homes, &mut facts);
    let sets = solve(kernel, accesses, flow, &facts, &local);
    let mut raw = scan(kernel, accesses, flow, &facts, &sets);
    keep_for_waiting(accesses, flow, &facts, &sets, &mut raw);
    let (ranges, first) = normalize(kernel.vars.len(), raw);
    Liveness { ranges, first, weight }
}

/// Summary of the blocks: (block, variable) pairs.
#[derive(Default)]
struct Local {
    /// Read before it is written over.
    exposed: Vec<(u32, u32)>,
    /// Not live above the block, though live below it.
    ended: Vec<(u32, u32)>,
    /// Written.
    defined: Vec<(u32, u32)>,
}

fn find_globals(
    kernel: &Kernel<Virtual>,
    accesses: &Accesses,
    flow: &Flow,
    homes: &Homes,
    facts: &mut Facts,
) -> (Local, Vec<f32>) {
    let n = kernel.vars.len();
    let blocks = kernel.blocks.len();
    let mut weight = vec![0f32; n];
    let mut home = vec![NONE; n];
    for b in 0..blocks {
        let w = 10f32.powi(i32::from(flow.depth[b].min(6)));
        for i in accesses.block(b) {
            for a in accesses.of(i) {
                let v = a.var as usize;
                weight[v] += w;
                if home[v] == NONE {
                    home[v] = b as u32;
                } else if home[v] != b as u32 {
                    facts.make_global(a.var);
                }
            }
        }
    }
    for (v, var) in kernel.vars.iter().enumerate() {
        if var.live_in || var.live_out {
            facts.make_global(v as u32);
        }
    }
    let mut local = Local::default();
    let mut stamp = vec![NONE; n];
    // Live pieces if nothing is live below, and if everything is; whether written.
    let mut state = vec![(0u64, 0u64, false); n];
    let mut seen = Vec::new();
    for b in 0..blocks {
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
            let (low, high, written) = state[v as usize];
            if low != 0 && facts.global[v as usize] == NONE && !homes.is_piece(v as usize) {
                facts.make_global(v);
            }
            if facts.global[v as usize] == NONE {
                continue;
            }
            let key = (b as u32, v);
            if low != 0 {
                local.exposed.push(key);
            }
            if high == 0 {
                local.ended.push(key);
            }
            if written {
                local.defined.push(key);
            }
        }
    }
    (local, weight)
}

/// Solution of the flow equations, by block and global variable.
struct Sets {
    live_in: Bits,
    live_out: Bits,
    /// Some write may have happened before the block.
    defined: Bits,
}

fn solve(kernel: &Kernel<Virtual>, accesses: &Accesses, flow: &Flow, facts: &Facts, local: &Local) -> Sets {
    let n = kernel.blocks.len();
    let g = facts.globals.len();
    let fill = |pairs: &[(u32, u32)]| {
        let mut m = Bits::new(n, g);
        for &(b, v) in pairs {
            m.set(b as usize, facts.global[v as usize]);
        }
        m
    };
    let (exposed, ended) = (fill(&local.exposed), fill(&local.ended));

    // Forward: rows `n..2n` are what is defined after a block.
    let mut defined = Bits::new(2 * n, g);
    for &(b, v) in &local.defined {
        defined.set(n + b as usize, facts.global[v as usize]);
    }
    let entries: Vec<u32> =
        (0..g as u32).filter(|&i| kernel.vars[facts.globals[i as usize] as usize].live_in).collect();
    if n > 0 {
        for &i in &entries {
            defined.set(0, i);
            defined.set(n, i);
        }
    }
    loop {
        let mut changed = false;
        for b in 0..n {
            let mut news = false;
            for &p in flow.preds.of(b) {
                news |= defined.add(b, n + p as usize);
            }
            if news {
                changed |= defined.add(n + b, b);
            }
        }
        if !changed {
            break;
        }
    }

    let mut live_in = Bits::new(n, g);
    let mut live_out = Bits::new(n, g);
    for (i, &v) in facts.globals.iter().enumerate() {
        if kernel.vars[v as usize].live_out {
            for (b, block) in kernel.blocks.iter().enumerate() {
                if block.succs.is_empty() {
                    live_out.set(b, i as u32);
                }
            }
        }
    }
    let _ = accesses;
    let words = live_in.words;
    loop {
        let mut changed = false;
        for b in (0..n).rev() {
            for &s in flow.succs.of(b) {
                for i in 0..words {
                    live_out.data[b * words + i] |= live_in.data[s as usize * words + i];
                }
            }
            for i in 0..words {
                let at = b * words + i;
                let new = (exposed.data[at] | (live_out.data[at] & !ended.data[at])) & defined.data[at];
                changed |= new != live_in.data[at];
                live_in.data[at] = new;
            }
        }
        if !changed {
            break;
        }
    }
    Sets { live_in, live_out, defined }
}

/// A range of one variable.
type Raw = (u32, Range);

/// State of one variable during the scan of a block.
#[derive(Clone, Copy)]
struct Open {
    live: u64,
    end: u32,
    /// The earliest access seen so far.
    first: u32,
}

/// Walks every block backward and writes down ranges.
fn scan(kernel: &Kernel<Virtual>, accesses: &Accesses, flow: &Flow, facts: &Facts, sets: &Sets) -> Vec<Raw> {
    let n = kernel.vars.len();
    let mut raw: Vec<Raw> = Vec::with_capacity(n + n / 2);
    let mut stamp = vec![NONE; n];
    let mut open = vec![Open { live: 0, end: 0, first: 0 }; n];
    let mut seen: Vec<u32> = Vec::new();
    for b in (0..kernel.blocks.len()).rev() {
        let insts = accesses.block(b);
        let (top, bottom) = (insts.start as u32 * 2, insts.end as u32 * 2);
        let divergent = flow.divergent[b];
        seen.clear();
        each_bit(sets.live_out.row(b), |g| {
            let v = facts.globals[g as usize];
            // Live below and never defined above: the pieces matter once something is written here.
            stamp[v as usize] = b as u32;
            open[v as usize] = Open { live: facts.pieces[v as usize].max(1), end: bottom, first: bottom };
            seen.push(v);
        });
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
            let g = facts.global[v as usize];
            let from_above = g != NONE && sets.defined.get(b, g);
            let start = if from_above { top } else { o.first };
            if start < o.end {
                raw.push((v, Range { start, end: o.end }));
            }
        }
    }
    raw
}

/// Keeps what waiting lanes hold while others run, in this routine and in those it calls.
fn keep_for_waiting(accesses: &Accesses, flow: &Flow, facts: &Facts, sets: &Sets, raw: &mut Vec<Raw>) {
    let pos = |b: u32| accesses.blocks[b as usize] * 2;
    for (t, s) in flow.waits.iter() {
        let range = Range { start: pos(s.0), end: pos(t.0) };
        if range.start < range.end {
            each_bit(sets.live_in.row(t.index()), |g| raw.push((facts.globals[g as usize], range)));
        }
    }
    if flow.calls.is_empty() {
        return;
    }
    // Rows: what lanes that wait in a caller hold, for each call.
    let mut held = Bits::new(flow.calls.len(), facts.globals.len());
    for (c, &(site, ..)) in flow.calls.iter().enumerate() {
        for (t, s) in flow.waits.iter() {
            if s.0 <= site && site < t.0 {
                for (x, y) in held.row_mut(c).iter_mut().zip(sets.live_in.row(t.index())) {
                    *x |= y;
                }
            }
        }
    }
    for _ in 0..flow.calls.len() {
        let mut changed = false;
        for outer in 0..flow.calls.len() {
            for inner in 0..flow.calls.len() {
                let (_, first, end) = flow.calls[outer];
                if inner != outer && (first..end).contains(&flow.calls[inner].0) {
                    changed |= held.add(inner, outer);
                }
            }
        }
        if !changed {
            break;
        }
    }
    for (c, &(_, first, end)) in flow.calls.iter().enumerate() {
        let range = Range { start: pos(first), end: pos(end) };
        each_bit(held.row(c), |g| raw.push((facts.globals[g as usize], range)));
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
