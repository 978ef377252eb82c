//! Software scoreboard: what every instruction waits for (Tiger Lake and later).
//!
//! From Tiger Lake on the hardware no longer watches general registers. Each instruction says in its
//! SWSB field what it depends on:
//!
//! - **In-order pipes.** A distance waits for the instruction that many places back in a pipe. Tiger Lake
//!   has one pipe for all arithmetic (`@2`); Ponte Vecchio has float, integer, long (double precision) and
//!   math pipes (`F@2`, `I@2`, `L@2`, `M@2`), and `A@2` for all of them. Pipes are of limited depth, so a
//!   result far enough back is there without waiting ([`access::DEPTH`]).
//! - **Out of order** are messages, `dpas`, and `math` on Tiger Lake. Each takes one of 16 SBIDs (`$3`);
//!   later instructions wait for its sources to be read (`$3.src`) or its results written (`$3.dst`). An
//!   instruction that takes an SBID in use waits for it, by hardware.
//!
//! Which hazards need a wait:
//!
//! | before | after | read after write | write after write | write after read |
//! |---|---|---|---|---|
//! | in order | same pipe | distance | no (bytes: distance, Ponte Vecchio) | no |
//! | in order | other pipe, or out of order | distance | distance | distance |
//! | out of order | any | `.dst` | `.dst` | `.src` |
//!
//! Accumulators and flags are watched by the hardware for reads; across the pipes of Ponte Vecchio their
//! writes wait as above. Accesses to `sr0`, `cr0`, `sp`, `ip`, `tm0`, `ce0` and `dbg0` wait for all pipes
//! (`@1`, `A@1`), and so does whatever follows; so do calls and returns, and on Ponte Vecchio writes of
//! `a0`, which may overtake its readers. A store to shared local memory waits for the loads before it on
//! Ponte Vecchio. An indirect operand may touch any register.
//!
//! The pass is a forward data flow over the blocks. A [`State`] holds what may be under way: recent
//! in-order instructions with their age, and for each GRF the SBIDs that may read or write it. In-order
//! instructions are compared byte by byte, out-of-order ones by whole registers, as they work. Waits found
//! on any path stay, so states only shrink by waits that every path makes, and the iteration ends.
//! Distances count an instruction of a pipe only where the hardware surely counts it: flow control is left
//! out, which can only make a wait longer.
//!
//! An annotation holds one distance and one SBID at most, and not every pair; what does not fit goes to
//! `sync` instructions before it ([`annotate`]).
//!
//! Sources: Programmer's Reference Manual for Tiger Lake, volume 8, "Software Scoreboard"; for Ponte
//! Vecchio the behaviour of Intel's graphics compiler (`SWSB_G4IR.cpp`) and of Mesa
//! (`brw_lower_scoreboard.cpp`).

mod access;
mod annotate;
mod check;
mod state;
#[cfg(test)]
mod tests;

use access::{Access, Unit};
pub use check::unmet;
use gen_ir::{Inst, Kernel, Op, Physical};
use state::{State, Wait};

/// Annotates every instruction, inserting `sync` instructions where one annotation cannot say it all.
/// Annotations that are there already are replaced. Does nothing for platforms without software
/// scoreboard.
pub fn swsb(kernel: &mut Kernel<Physical>) {
    let caps = kernel.platform.caps();
    if caps.sbid_count == 0 || kernel.blocks.is_empty() {
        return;
    }
    let mut flow = Flow::new(kernel);
    flow.solve();
    let Flow { insts, first, accesses, waits, tokens, entry, grf_bytes, .. } = flow;
    debug_assert_eq!(insts, accesses.len());
    let mut state = State::new(kernel.grf_count);
    let mut out = Vec::new();
    for (b, block) in kernel.blocks.iter_mut().enumerate() {
        state.copy_from(&entry[b]);
        out.clear();
        for (i, inst) in block.insts.iter().enumerate() {
            let n = first[b] + i;
            annotate::annotate(inst, &accesses[n], &waits[n], tokens[n], &state, caps, &mut out);
            step(&mut state, n, &accesses, &waits[n], tokens[n], grf_bytes, caps);
        }
        if out.len() == block.insts.len() {
            block.insts.copy_from_slice(&out);
        } else {
            block.insts.clone_from(&out);
        }
    }
}

/// The data flow.
struct Flow {
    /// Number of instructions.
    insts: usize,
    /// Number of each block's first instruction.
    first: Vec<usize>,
    /// Successors of each block, over which execution really goes: returns lead to the callers.
    succs: Vec<Vec<u32>>,
    /// Where execution goes from the start of a block, past its other instructions.
    skips: Vec<Option<u32>>,
    accesses: Vec<Access>,
    waits: Vec<Wait>,
    tokens: Vec<Option<u8>>,
    /// What may be under way at the start of each block.
    entry: Vec<State>,
    grf_bytes: u32,
    platform: platforms::Platform,
    grf_count: u16,
}

impl Flow {
    fn new(kernel: &Kernel<Physical>) -> Flow {
        let caps = kernel.platform.caps();
        let mut first = Vec::with_capacity(kernel.blocks.len());
        let mut accesses = Vec::with_capacity(kernel.inst_count());
        for block in &kernel.blocks {
            first.push(accesses.len());
            accesses.extend(block.insts.iter().map(|i| Access::of(i, kernel.platform, kernel.grf_count)));
        }
        let insts = accesses.len();
        let mut flow = Flow {
            insts,
            first,
            succs: Vec::new(),
            skips: gen_ir::pointer_skips(kernel).collect(),
            accesses,
            waits: vec![Wait::default(); insts],
            tokens: vec![None; insts],
            entry: vec![State::new(kernel.grf_count); kernel.blocks.len()],
            grf_bytes: caps.grf_bytes.into(),
            platform: kernel.platform,
            grf_count: kernel.grf_count,
        };
        flow.connect(kernel);
        flow
    }

    /// Finds the edges. Where execution leaves what is known (returns of a function, calls of unknown
    /// code), everything out of order must be done first.
    fn connect(&mut self, kernel: &Kernel<Physical>) {
        let last = |b: usize| kernel.blocks[b].insts.last().map(|i: &Inst<Physical>| i.op);
        let mut succs: Vec<Vec<u32>> =
            kernel.blocks.iter().map(|b| b.succs.iter().map(|s| s.0).collect()).collect();
        // Lanes that wait let the others go first: the code of both runs in turn.
        for (from, to) in gen_ir::pointer_edges(kernel) {
            succs[from as usize].push(to);
        }
        let entries = &kernel.subroutines;
        // The subroutine a block belongs to, and the blocks that follow calls of each.
        let owner = |b: usize| entries.partition_point(|e| e.index() <= b).checked_sub(1);
        let mut after: Vec<Vec<u32>> = vec![Vec::new(); entries.len()];
        for (b, block) in kernel.blocks.iter().enumerate() {
            if !matches!(last(b), Some(Op::Call | Op::Calla)) {
                continue;
            }
            let callee = block.succs.first().and_then(|s| entries.binary_search(s).ok());
            match (callee, &block.succs[..]) {
                (Some(callee), [entry, rest @ ..]) => {
                    after[callee].extend(rest.iter().map(|s| s.0));
                    succs[b] = vec![entry.0];
                    // Where no lane calls, execution goes on behind the call.
                    if block.insts.last().is_some_and(|call| call.pred.is_some()) {
                        succs[b].extend(rest.iter().map(|s| s.0));
                    }
                }
                _ => self.waits[self.first[b] + block.insts.len() - 1].dst = u32::MAX,
            }
        }
        for (b, block) in kernel.blocks.iter().enumerate() {
            if last(b) == Some(Op::Ret) {
                match owner(b) {
                    Some(s) if !after[s].is_empty() => succs[b].extend_from_slice(&after[s]),
                    _ => self.waits[self.first[b] + block.insts.len() - 1].dst = u32::MAX,
                }
            }
        }
        self.succs = succs;
    }

    fn solve(&mut self) {
        let caps = self.platform.caps();
        let mut state = State::new(self.grf_count);
        let mut dirty = vec![true; self.first.len()];
        let mut last_used = vec![0; caps.sbid_count.into()];
        let mut clock = 0;
        while dirty.contains(&true) {
            for b in 0..self.first.len() {
                if !std::mem::take(&mut dirty[b]) {
                    continue;
                }
                state.copy_from(&self.entry[b]);
                if let Some(to) = self.skips[b] {
                    dirty[to as usize] |= self.entry[to as usize].join(&state);
                }
                let end = self.first.get(b + 1).copied().unwrap_or(self.insts);
                for n in self.first[b]..end {
                    let a = &self.accesses[n];
                    let wait = state.needs(a, &self.accesses, self.grf_bytes);
                    self.waits[n].merge(&wait);
                    if a.unit == Unit::Token && !a.eot && self.tokens[n].is_none() {
                        clock += 1;
                        self.tokens[n] = Some(choose(&state, &mut last_used, clock));
                    }
                    step(&mut state, n, &self.accesses, &self.waits[n], self.tokens[n], self.grf_bytes, caps);
                }
                for &s in &self.succs[b] {
                    if let Some(entry) = self.entry.get_mut(s as usize) {
                        dirty[s as usize] |= entry.join(&state);
                    }
                }
            }
        }
    }
}

/// An SBID that stands for nothing, or the one taken longest ago.
fn choose(state: &State, last_used: &mut [u32], clock: u32) -> u8 {
    let mut best = 0;
    for id in 1..last_used.len() {
        let key = |i: usize| (state.live >> i & 1, last_used[i]);
        if key(id) < key(best) {
            best = id;
        }
    }
    last_used[best] = clock;
    best as u8
}

/// Executes one instruction on the state: it waits, then starts.
fn step(
    state: &mut State,
    n: usize,
    accesses: &[Access],
    wait: &Wait,
    token: Option<u8>,
    grf_bytes: u32,
    caps: &platforms::Caps,
) {
    let a = &accesses[n];
    state.settle(wait);
    state.held = a.lone;
    match (a.unit, token) {
        (Unit::Pipe(pipe), _) => state.issue(n as u32, pipe, true),
        (Unit::Branch, _) if a.ranges().iter().any(|r| r.write) => {
            state.issue(n as u32, access::branch_pipe(caps), false);
        }
        (Unit::Token, Some(id)) => state.issue_token(id, a, grf_bytes),
        _ => {}
    }
}
