//! What becomes of the gotos, and where lanes wait then.

use std::{cmp::Reverse, collections::BinaryHeap};

use gen_ir::{BlockId, Waits};
use platforms::Platform;

/// Which instructions branches become.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BranchStyle {
    /// Gotos and joins.
    Gotos,
    /// `if`, `else` and `endif` where they do, gotos and joins elsewhere.
    Structured,
}

impl BranchStyle {
    /// Those that code for a platform is made of.
    pub fn of(platform: Platform) -> BranchStyle {
        if platform.caps().flow.structured { BranchStyle::Structured } else { BranchStyle::Gotos }
    }
}

/// What becomes of the goto at the end of a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Plan {
    /// No goto here.
    #[default]
    None,
    /// Every lane goes: `jmpi`.
    Jump(BlockId),
    /// Forward `goto`.
    Forward(BlockId),
    /// Backward `goto.b`.
    Backward(BlockId),
}

impl Plan {
    /// Where the goto goes.
    pub fn target(self) -> Option<BlockId> {
        match self {
            Plan::Jump(t) | Plan::Forward(t) | Plan::Backward(t) => Some(t),
            Plan::None => None,
        }
    }

    /// The same kind of branch to another block.
    pub fn retargeted(self, to: impl FnOnce(BlockId) -> BlockId) -> Plan {
        match self {
            Plan::None => Plan::None,
            Plan::Jump(t) => Plan::Jump(to(t)),
            Plan::Forward(t) => Plan::Forward(to(t)),
            Plan::Backward(t) => Plan::Backward(to(t)),
        }
    }
}

/// The plan of each block, where lanes wait then, and memory to find both.
#[derive(Debug, Default)]
pub(crate) struct Plans {
    pub(crate) plans: Vec<Plan>,
    pub(crate) waits: Waits,
    /// JIP of each block's goto.
    pub(crate) jips: Vec<Option<BlockId>>,
    /// Blocks with uniform gotos of which nothing is known yet.
    pub(crate) open: Vec<usize>,
    pub(crate) active: Active,
    pub(crate) delta: Vec<i32>,
    pub(crate) divergent: Vec<bool>,
}

/// The set of blocks where lanes wait, as a sweep goes through the blocks in layout order.
#[derive(Debug, Default)]
pub(crate) struct Active {
    by_start: Vec<(BlockId, BlockId)>,
    pub(crate) taken: usize,
    pub(crate) now: BinaryHeap<Reverse<BlockId>>,
}

impl Active {
    /// Begins a sweep.
    pub fn start(&mut self, waits: &Waits) {
        self.by_start.clear();
        self.by_start.extend(waits.iter().map(|(t, s)| (s, t)));
        self.by_start.sort_unstable();
        self.taken = 0;
        self.now.clear();
    }

    /// The next block after `b` where lanes may wait while the pointer is in `b`; `b` never decreases.
    pub fn next_after(&mut self, b: usize) -> Option<BlockId> {
        while let Some(&(s, t)) = self.by_start.get(self.taken)
            && s.index() <= b
        {
            self.now.push(Reverse(t));
            self.taken += 1;
        }
        while let Some(Reverse(t)) = self.now.peek()
            && t.index() <= b
        {
            self.now.pop();
        }
        self.now.peek().map(|t| t.0)
    }

    pub(crate) fn insert(&mut self, t: BlockId) {
        self.now.push(Reverse(t));
    }
}
