//! In which blocks a thread of a pair may run without a channel: those of nested divergence.
//!
//! Read off the layout, as Intel's finalizer does it (`findNestedDivergentBBs`). From a forward branch to its target, and in
//! a loop, the threads of a pair may be in different places. A forward branch there may take the last channel of one away
//! after the other has left: then its bit in the fused mask stays, until the pair has passed the last place where one of
//! the two waits. What holds at the end of a loop holds where it begins, too. A subroutine begins as its callers are.

use gen_ir::{Call, Inst, Kernel, Op, Payload, Target, Virtual};

use crate::analysis::flow::Flow;

/// Where the two threads of a pair may be.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
enum Parting {
    /// Together.
    #[default]
    None,
    /// In different places, and hardware knows which is here.
    Divergent,
    /// In different places, and the one that is not here may run nevertheless.
    Nested,
}

/// Blocks in which threads may run without a channel.
#[derive(Default)]
pub(super) struct Nesting {
    partings: Vec<Parting>,
    /// By block: one past the end of the longest loop that begins there.
    loop_ends: Vec<usize>,
    /// First blocks of the kernel and its subroutines, and how those begin.
    routines: Vec<(usize, Parting)>,
}

impl Nesting {
    /// Finds the blocks. Returns whether there are any.
    pub fn find(&mut self, kernel: &Kernel<Virtual>, flow: &Flow) -> bool {
        let n = kernel.blocks.len();
        self.loop_ends.clear();
        self.loop_ends.resize(n, 0);
        for l in flow.cfg.loops() {
            let end = &mut self.loop_ends[l.head.index()];
            *end = (*end).max(l.last.index() + 1);
        }
        self.partings.clear();
        self.partings.resize(n, Parting::None);
        self.routines.clear();
        // A function, which ends no thread, may be called from anywhere.
        let ends = kernel.blocks.iter().any(|b| b.insts.last().is_some_and(Inst::is_eot));
        let own = if ends { Parting::None } else { Parting::Nested };
        self.routines.push((0, own));
        self.routines.extend(kernel.subroutines.iter().map(|b| (b.index(), Parting::None)));
        for r in 0..self.routines.len() {
            self.mark(kernel, r);
        }
        // What a call says of the subroutine that it calls may say more of those that this one calls.
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for call in flow.calls() {
                let begins = self.at_call(call);
                let callee = self.routines.binary_search_by_key(&call.entry.index(), |r| r.0);
                if let Some(r) = callee.ok().filter(|&r| self.routines[r].1 < begins) {
                    self.routines[r].1 = begins;
                    self.mark(kernel, r);
                    changed = true;
                }
            }
        }
        self.partings.contains(&Parting::Nested)
    }

    /// Whether threads may run without a channel in a block.
    pub fn is_nested(&self, block: usize) -> bool {
        self.partings[block] == Parting::Nested
    }

    /// How the subroutine of a call begins. Hardware runs a call that no channel makes.
    fn at_call(&self, call: &Call) -> Parting {
        match self.partings[call.site.index()] {
            Parting::None if call.whole => Parting::None,
            Parting::Divergent if !call.whole => Parting::Nested,
            here => here.max(Parting::Divergent),
        }
    }

    /// Marks the blocks of a routine.
    fn mark(&mut self, kernel: &Kernel<Virtual>, r: usize) {
        let (start, begins) = self.routines[r];
        let end = self.routines.get(r + 1).map_or(kernel.blocks.len(), |next| next.0);
        if begins == Parting::Nested {
            self.partings[start..end].fill(Parting::Nested);
            return;
        }
        let mut until = if begins == Parting::None { start } else { end };
        let (mut run, mut first) = (start, None);
        for b in start..end {
            let apart = until > b || self.loop_ends[b] > 0;
            if apart {
                until = until.max(self.loop_ends[b]);
                self.partings[b] = self.partings[b].max(Parting::Divergent);
            } else {
                self.mark_nested(run, first, b);
                (run, first) = (b + 1, None);
            }
            if let Some(to) = kernel.blocks[b].insts.last().and_then(forward).filter(|to| *to > b + 1) {
                until = until.max(to.min(end));
                first = first.or(apart.then_some(b + 1));
            }
        }
        self.mark_nested(run, first, end);
    }

    /// In a run of blocks in which the threads are apart, from `run` to `end`, a branch before `first` was the first one: all is
    /// nested from there on, and from the heads of loops that end there.
    fn mark_nested(&mut self, run: usize, first: Option<usize>, end: usize) {
        let Some(mut first) = first else { return };
        for b in (run..first).rev() {
            if self.loop_ends[b] > first {
                first = b;
            }
        }
        self.partings[first..end].fill(Parting::Nested);
    }
}

/// The block at which channels wait that a forward branch sends away.
fn forward(branch: &Inst<Virtual>) -> Option<usize> {
    let Payload::Branch { uip: Target::Block(to), ctrl: false, .. } = branch.payload else { return None };
    match branch.op {
        Op::Goto | Op::If => Some(to.index()),
        Op::Break => Some(to.index() + 1),
        _ => None,
    }
}
