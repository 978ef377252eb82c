//! Where lanes wait: the part of divergence that can be read off the layout.
//!
//! A lane that leaves the common path at a `goto` (or `if`, `break`, ...) waits at the start of a later
//! block until the instruction pointer gets there. The pointer walks blocks in layout order, backward
//! only along back edges. So the places where the pointer can be while a lane waits at block `t` are
//! the blocks of one interval `[start, t)`: it begins after the branch, and a back edge `e -> h` with
//! `start <= e < t` carries the pointer back to `h` while the lane goes on waiting.

use crate::{BlockId, Cfg, Inst, Kernel, Op, Payload, Space, Target};

/// For each block, the blocks during which lanes may wait at it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Waits {
    /// The first of them; [`BlockId::NONE`] where no lane waits.
    start: Vec<BlockId>,
}

impl Waits {
    /// Nobody waits in `blocks` blocks.
    pub fn none(blocks: usize) -> Waits {
        Waits { start: vec![BlockId::NONE; blocks] }
    }

    /// Makes it what [`Waits::none`] gives, in the memory it has.
    pub fn clear(&mut self, blocks: usize) {
        self.start.clear();
        self.start.resize(blocks, BlockId::NONE);
    }

    /// Lanes wait at `at` while the pointer is in `from..at`. `back_edges` are `(tail, head)` pairs,
    /// sorted by tail. Returns whether this was news.
    pub fn add(&mut self, at: BlockId, from: BlockId, back_edges: &[(BlockId, BlockId)]) -> bool {
        let old = self.start[at.index()];
        let mut first = from.min(old);
        let end = back_edges.partition_point(|&(tail, _)| tail < at);
        for &(tail, head) in back_edges[..end].iter().rev() {
            if tail < first {
                break;
            }
            first = first.min(head);
        }
        if first >= at || first == old {
            return false;
        }
        self.start[at.index()] = first;
        true
    }

    /// The first block of the interval during which lanes may wait at `at`; it ends before `at`.
    #[inline]
    pub fn since(&self, at: BlockId) -> Option<BlockId> {
        let first = self.start[at.index()];
        (first != BlockId::NONE).then_some(first)
    }

    /// Blocks where lanes may wait, in layout order, with the first block of their interval.
    pub fn iter(&self) -> impl Iterator<Item = (BlockId, BlockId)> {
        self.start
            .iter()
            .enumerate()
            .filter(|&(_, &s)| s != BlockId::NONE)
            .map(|(t, &s)| (BlockId::from(t), s))
    }

    /// For each block, whether some lane may wait elsewhere while the pointer is in it.
    pub fn divergent(&self) -> Vec<bool> {
        let mut divergent = Vec::new();
        self.find_divergent(&mut Vec::new(), &mut divergent);
        divergent
    }

    /// [`Waits::divergent`] in memory that the caller has. `delta` is for the calculation.
    pub fn find_divergent(&self, delta: &mut Vec<i32>, divergent: &mut Vec<bool>) {
        let n = self.start.len();
        delta.clear();
        delta.resize(n + 1, 0);
        for (t, s) in self.iter() {
            delta[s.index()] += 1;
            delta[t.index()] -= 1;
        }
        let mut depth = 0;
        divergent.clear();
        divergent.extend(delta[..n].iter().map(|d| {
            depth += d;
            depth > 0
        }));
    }

    /// The waits of a kernel whose branches have their targets (after structurization).
    pub fn of<S: Space>(kernel: &Kernel<S>) -> Waits {
        let mut waits = Waits::default();
        waits.find(kernel, Cfg::of(kernel).back_edges());
        waits
    }

    /// [`Waits::of`] in the memory it has; `back_edges` are those of the kernel's graph.
    pub fn find<S: Space>(&mut self, kernel: &Kernel<S>, back_edges: &[(BlockId, BlockId)]) {
        self.find_for(kernel, back_edges, |_, _| true);
    }

    /// The same of those branches alone that `counts` says, which is given the block of each.
    pub fn find_for<S: Space>(
        &mut self,
        kernel: &Kernel<S>,
        back_edges: &[(BlockId, BlockId)],
        mut counts: impl FnMut(BlockId, &Inst<S>) -> bool,
    ) {
        let n = kernel.blocks.len();
        let width = kernel.flow_width();
        self.clear(n);
        for (b, block) in kernel.blocks.iter().enumerate() {
            let Some(last) = block.insts.last() else { continue };
            let Payload::Branch { jip, uip, ctrl } = last.payload else { continue };
            let next = BlockId::from(b).next();
            let (at, from) = match (last.op, jip, uip) {
                // A goto of all lanes without a predicate leaves none behind.
                (Op::Goto, ..) if ctrl && last.pred.is_none() && last.is_uniform(width) => continue,
                (Op::Goto, _, Target::Block(head)) if ctrl => (next, head),
                (Op::Goto | Op::Cont, _, Target::Block(t)) => (t, next),
                (Op::If | Op::Else, Target::Block(t), _) => (t, next),
                (Op::While, Target::Block(head), _) => (next, head),
                (Op::Break, _, Target::Block(t)) => (t.next(), next),
                _ => continue,
            };
            if at.index() < n && counts(b.into(), last) {
                self.add(at, from, back_edges);
            }
        }
    }
}
