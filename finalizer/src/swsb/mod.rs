//! Software scoreboard: what every instruction waits for (Tiger Lake and later).
//!
//! From Tiger Lake on the hardware no longer watches general registers. Each instruction says in its
//! SWSB field what it depends on:
//!
//! - **In-order pipes.** A distance waits for the instruction that many places back in a pipe. Tiger Lake
//!   has one pipe for all arithmetic (`@2`); Ponte Vecchio has float, integer, long (double precision) and
//!   math pipes (`F@2`, `I@2`, `L@2`, `M@2`), and `A@2` for all of them. Pipes are of limited depth, so a
//!   result far enough back is there without waiting (`Scoreboard::depths` of the platform's row).
//! - **Out of order** are messages, `dpas`, and `math` on Tiger Lake. Each takes an SBID (`$3`; the row says how
//!   many a thread has); later instructions wait for its sources to be read (`$3.src`) or its results written (`$3.dst`). An
//!   instruction that takes an SBID in use waits for it, by hardware.
//!
//! Which hazards need a wait:
//!
//! | before | after | read after write | write after write | write after read |
//! |---|---|---|---|---|
//! | in order | same pipe | distance | no (bytes: distance, Ponte Vecchio) | no |
//! | in order | other pipe, or out of order | distance | distance | distance |
//! | out of order | any | `.dst` | `.dst` | `.src`, but not between those alike |
//!
//! Messages are alike that go to one function, and `math` where it is out of order, for the same channels and without
//! predicate: their sources are read in order, so the answer to the second comes when the first has read its own (Intel's
//! finalizer, `WARDepRequired`).
//!
//! Accumulators (those of the macros for quotients and roots, too) and flags are watched by the hardware for
//! reads; across the pipes of Ponte Vecchio their writes wait as above. Accesses to `sr0`, `cr0`, `sp`, `ip`, `tm0`,
//! `ce0` and `dbg0` wait for all pipes (`@1`, `A@1`), and so does whatever follows; so do calls and returns, and on
//! Ponte Vecchio writes of `a0`, which may overtake its readers. A store to shared local memory waits for the loads
//! before it on Ponte Vecchio. An indirect operand may touch any register.
//!
//! The pass is a forward data flow over the blocks. An `Outstanding` holds what may be under way: recent
//! in-order instructions with their age, and for each GRF the SBIDs that may read or write it. In-order
//! instructions are compared byte by byte, out-of-order ones by whole registers, as they work. Waits found
//! on any path stay, so states only shrink by waits that every path makes, and the iteration ends.
//! Distances count an instruction of a pipe only where the hardware surely counts it: flow control is left
//! out, which can only make a wait longer.
//!
//! An annotation holds one distance and one SBID at most, and not every pair; what does not fit goes to
//! `sync` instructions before it (`annotate.rs`).
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

use access::{InstAccess, Unit};
pub use check::unmet;
use gen_ir::{BlockId, Cfg, Direction, Edge, Inst, Kernel, Op, Physical, Pool};
use narrow::{as_index, to_index, to_u8};

use crate::lists::reset;
use annotate::WaitContext;
use state::{Before, Late, Outstanding, Wait};

/// Annotates every instruction, inserting `sync` instructions where one annotation cannot say it all.
/// Annotations that are there already are replaced. Does nothing for platforms without software
/// scoreboard.
pub fn swsb(kernel: &mut Kernel<Physical>) {
    annotate(kernel, &mut DataFlow::default(), &mut Vec::new(), &mut Pool::default());
}

/// [`swsb`] in memory that the caller has: `out` is that of one block's instructions.
pub(crate) fn annotate(
    kernel: &mut Kernel<Physical>,
    flow: &mut DataFlow,
    out: &mut Vec<Inst<Physical>>,
    pool: &mut Pool<Physical>,
) {
    let caps = kernel.platform.caps();
    if !caps.scoreboard.software || kernel.blocks.is_empty() {
        return;
    }
    flow.start(kernel);
    flow.solve();
    let DataFlow { first, accesses, waits, tokens, before, lates, .. } = flow;
    for (b, block) in kernel.blocks.iter_mut().enumerate() {
        out.clear();
        for (n, inst) in (first[b]..).zip(&block.insts) {
            let known = WaitContext {
                before: &before[n],
                late: before[n].late.map(|late| &lates[as_index(late)]),
                caps,
            };
            annotate::annotate(inst, &accesses[n], &waits[n], tokens[n], known, out);
        }
        pool.store(&mut block.insts, out);
    }
}

/// The data flow.
#[derive(Debug)]
pub(crate) struct DataFlow {
    /// Number of instructions.
    insts: usize,
    /// Number of each block's first instruction.
    first: Vec<usize>,
    /// Where execution goes.
    cfg: Cfg,
    accesses: Vec<InstAccess>,
    waits: Vec<Wait>,
    tokens: Vec<Option<u8>>,
    /// What is under way before each instruction, as it was found last: a block is looked at until nothing new comes
    /// to its start, so that is what holds.
    before: Vec<Before>,
    /// What [`Before::late`] numbers.
    lates: Vec<Late>,
    /// What may be under way at the start of each block; more than there are blocks, perhaps.
    entry: Vec<Outstanding>,
    /// What is under way at the instruction that is looked at.
    state: Outstanding,
    /// Blocks to look at again.
    dirty: Vec<bool>,
    /// When each SBID was taken.
    last_used: Vec<u32>,
    /// How many there are.
    sbids: u8,
    grf_bytes: u32,
    platform: platforms::Platform,
}

impl Default for DataFlow {
    fn default() -> DataFlow {
        DataFlow {
            insts: 0,
            first: Vec::new(),
            cfg: Cfg::default(),
            accesses: Vec::new(),
            waits: Vec::new(),
            tokens: Vec::new(),
            before: Vec::new(),
            lates: Vec::new(),
            entry: Vec::new(),
            state: Outstanding::default(),
            dirty: Vec::new(),
            last_used: Vec::new(),
            sbids: 0,
            grf_bytes: 0,
            platform: platforms::Platform::Tgllp,
        }
    }
}

impl DataFlow {
    /// Begins with a kernel.
    fn start(&mut self, kernel: &Kernel<Physical>) {
        let blocks = kernel.blocks.len();
        self.platform = kernel.platform;
        self.sbids = kernel.platform.caps().sbids(kernel.grf_count);
        self.grf_bytes = kernel.platform.caps().regs.grf_bytes.into();
        self.first.clear();
        self.accesses.clear();
        let addressed = kernel.addressed.at_most(access::ADDRESSED);
        for block in &kernel.blocks {
            self.first.push(self.accesses.len());
            let (platform, grf_count) = (kernel.platform, kernel.grf_count);
            let accesses = block.insts.iter().map(|i| InstAccess::of(i, platform, grf_count, addressed));
            self.accesses.extend(accesses);
        }
        self.insts = self.accesses.len();
        reset(&mut self.waits, self.insts, Wait::default());
        reset(&mut self.tokens, self.insts, None);
        reset(&mut self.before, self.insts, Before::default());
        self.lates.clear();
        self.cfg.find(kernel);
        if self.entry.len() < blocks {
            self.entry.resize_with(blocks, Outstanding::default);
        }
        for state in self.entry[..blocks].iter_mut().chain([&mut self.state]) {
            state.clear(kernel.grf_count, kernel.platform.caps().errata.late_payloads);
        }
        // The caller's in-order instructions are under way where a function begins, its call's return address among them.
        self.entry[0].held = kernel.outside;
        self.wait_for_strangers(kernel);
    }

    /// Where execution leaves what is known (returns of a function, calls of unknown code), everything out of order
    /// must be done first.
    fn wait_for_strangers(&mut self, kernel: &Kernel<Physical>) {
        let DataFlow { cfg, waits, first, .. } = self;
        for (b, block) in kernel.blocks.iter().enumerate() {
            let id = BlockId(to_index(b));
            let known = match block.insts.last().map(|i| i.op) {
                Some(Op::Call | Op::Calla) => cfg.call_at(id).is_some(),
                Some(Op::Ret) => cfg.succs(id).any(|(_, edge)| edge == Edge::Return),
                _ => true,
            };
            if !known {
                waits[first[b] + block.insts.len() - 1].dst = u32::MAX;
            }
        }
    }

    /// Gives what is under way at the start of block `b` to where execution goes past its other instructions.
    fn skip(&mut self, b: usize) {
        self.give(b, |edge| edge == Edge::Skip);
    }

    /// Gives what is under way at the end of block `b` to the blocks that follow. Behind a call that every lane
    /// makes is what the subroutine leaves.
    fn leave(&mut self, b: usize) {
        self.give(b, |edge| !matches!(edge, Edge::Skip | Edge::AfterCall));
    }

    /// Gives what is under way to where edges of a block lead.
    fn give(&mut self, b: usize, along: impl Fn(Edge) -> bool) {
        let DataFlow { cfg, state, entry, dirty, .. } = self;
        for (to, _) in cfg.succs(b.into()).filter(|&(_, edge)| along(edge)) {
            dirty[to.index()] |= entry[to.index()].join(state);
        }
    }

    fn solve(&mut self) {
        let caps = self.platform.caps();
        reset(&mut self.dirty, self.first.len(), true);
        reset(&mut self.last_used, self.sbids.into(), 0);
        let mut clock = 0;
        while self.dirty.contains(&true) {
            for b in 0..self.first.len() {
                if !std::mem::take(&mut self.dirty[b]) {
                    continue;
                }
                self.state.copy_from(&self.entry[b]);
                self.skip(b);
                let DataFlow { state, accesses, waits, tokens, before, lates, last_used, .. } = self;
                let end = self.first.get(b + 1).copied().unwrap_or(self.insts);
                for n in self.first[b]..end {
                    let a = &accesses[n];
                    let wait = state.needs(a, accesses, self.grf_bytes);
                    waits[n].merge(&wait);
                    if a.unit == Unit::Token && !a.eot && tokens[n].is_none() {
                        clock += 1;
                        tokens[n] = Some(choose(state, &waits[n], last_used, clock));
                    }
                    before[n] = state.before(&waits[n], caps.scoreboard.pipes.have_names());
                    if let Some(late) = state.late(&waits[n], accesses) {
                        before[n].late = Some(to_index(lates.len()));
                        lates.push(late);
                    }
                    step(state, n, accesses, &waits[n], tokens[n], self.grf_bytes, caps);
                }
                self.leave(b);
            }
        }
    }
}

/// Chooses the SBID of an instruction. Taking an SBID means to wait for it, so the best is one that the instruction waits
/// for anyway; the second best is one that nobody uses; the last choice is the one taken longest ago.
fn choose(state: &Outstanding, wait: &Wait, last_used: &mut [u32], clock: u32) -> u8 {
    // Who waits for sources alone does not take an SBID whose result is outstanding too.
    let sources = if wait.src == 0 { 0 } else { wait.src & !state.results() };
    let awaited = wait.dst | sources;
    let key = |i: usize| (awaited >> i & 1 ^ 1, state.live >> i & 1, last_used[i]);
    let best = (0..last_used.len()).min_by_key(|&i| key(i)).unwrap_or(0);
    last_used[best] = clock;
    to_u8(best)
}

/// Executes one instruction on the state: it waits, then starts.
fn step(
    state: &mut Outstanding,
    n: usize,
    accesses: &[InstAccess],
    wait: &Wait,
    token: Option<u8>,
    grf_bytes: u32,
    caps: &platforms::Caps,
) {
    let a = &accesses[n];
    state.settle(wait);
    state.held = a.lone || caps.errata.suppressed_addresses && a.reads_anywhere;
    match (a.unit, token) {
        (Unit::Pipe(pipe), _) => {
            state.age(pipe, &caps.scoreboard.depths);
            state.issue(to_index(n), pipe);
        }
        (Unit::Branch, _) if a.ranges().iter().any(|r| r.does == Direction::Write) => {
            // The return address of a call, which makes nothing before it older.
            state.issue(to_index(n), access::integer_pipe(caps));
        }
        (Unit::Token, Some(id)) => state.issue_token(id, a, grf_bytes),
        _ => {}
    }
}
