//! Where joins and `endif`s go, and how blocks are numbered with them.
//!
//! At a block where lanes wait stand, in this order: a join for lanes that left a loop ending just
//! before, an `endif` for each `if` that ends there (inner first), a join for gotos from further away.
//! The JIP of each is the next one of these, and that of the last one is the next place where lanes wait. If there is no
//! such place, it is the instruction behind, which then starts a block.

use crate::{
    plan::{Active, Plan},
    structured::Form,
};
use gen_ir::{Block, BlockId, ExecSize, Inst, Kernel, Op, Payload, Pool, Target, Virtual};
use narrow::{as_index, span, to_index};

/// What stands at the start of a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mark {
    /// Join.
    Join,
    /// `endif`.
    End,
}

/// The blocks after marks are put in.
#[derive(Debug, Default)]
pub(crate) struct Layout {
    /// Marks of all blocks, in order.
    marks: Vec<Mark>,
    /// Where each block's marks begin, and the end of the last one's.
    first_mark: Vec<u32>,
    /// New number of each block's first mark, or of itself without marks; and the number behind all.
    start: Vec<u32>,
    /// Where lanes wait next, from each block's marks on.
    outer: Vec<Option<BlockId>>,
    /// Whether the last mark has a block of its own.
    alone: Vec<bool>,
    /// New number of the `endif` of the `if` at the end of a block.
    end: Vec<Option<BlockId>>,
    /// The innermost `if` that ends at a block, and for the `if` of a block, the next one that ends with
    /// it: block numbers, or `NONE`.
    last_if: Vec<u32>,
    next_if: Vec<u32>,
    /// Whether gotos from further away lead to a block.
    goto: Vec<bool>,
}

const NONE: u32 = u32::MAX;

fn reset<T: Clone>(list: &mut Vec<T>, n: usize, value: T) {
    list.clear();
    list.resize(n, value);
}

impl Layout {
    /// Finds the layout; `active` is at the start of a sweep.
    pub fn find(&mut self, kernel: &Kernel<Virtual>, plans: &[Plan], forms: &[Form], active: &mut Active) {
        let n = plans.len();
        reset(&mut self.last_if, n, NONE);
        reset(&mut self.next_if, n, NONE);
        reset(&mut self.goto, n, false);
        reset(&mut self.end, n, None);
        for b in 0..n {
            match (plans[b], forms[b]) {
                (_, Form::If { end, .. }) => {
                    self.next_if[b] = std::mem::replace(&mut self.last_if[end.index()], to_index(b));
                }
                (Plan::Forward(to), Form::Plain) => self.goto[to.index()] = true,
                _ => {}
            }
        }
        for list in [&mut self.start, &mut self.first_mark] {
            list.clear();
        }
        self.marks.clear();
        self.outer.clear();
        self.alone.clear();
        let mut next = 0;
        for b in 0..n {
            let first = self.marks.len();
            self.first_mark.push(to_index(first));
            if b > 0 && matches!(plans[b - 1], Plan::Backward(_)) {
                self.marks.push(Mark::Join);
            }
            let mut at = self.last_if[b];
            while at != NONE {
                let mark = BlockId(next + to_index(self.marks.len() - first));
                self.end[as_index(at)] = Some(mark);
                self.marks.push(Mark::End);
                at = self.next_if[as_index(at)];
            }
            if self.goto[b] && self.marks[first..].last() != Some(&Mark::Join) {
                self.marks.push(Mark::Join);
            }
            let outer = active.next_after(b);
            self.start.push(next);
            let alone = outer.is_none() && !kernel.blocks[b].insts.is_empty();
            next += match to_index(self.marks.len() - first) {
                0 => 1,
                k => k + u32::from(alone),
            };
            self.outer.push(outer);
            self.alone.push(alone);
        }
        self.first_mark.push(to_index(self.marks.len()));
        self.start.push(next);
    }

    fn marks(&self, b: usize) -> &[Mark] {
        &self.marks[span(self.first_mark[b]..self.first_mark[b + 1])]
    }

    /// New number of a block's start.
    pub fn start(&self, b: BlockId) -> BlockId {
        BlockId(self.start[b.index()])
    }

    /// The `endif` of the `if` at the end of block `b`.
    pub fn end_of(&self, b: usize) -> Option<BlockId> {
        self.end[b]
    }

    /// Where lanes go that take the forward branch at the end of block `b`.
    pub fn taken(&self, b: usize, plan: Plan, form: Form) -> Option<BlockId> {
        match (plan, form) {
            (_, Form::If { other: Some(t), .. }) => Some(self.start(t)),
            (_, Form::If { other: None, .. }) => self.end[b],
            (_, Form::Else { of, .. }) => self.end[of.index()],
            // Gotos from further away wait at the last mark.
            (Plan::Forward(t), Form::Plain) => {
                let marks = to_index(self.marks(t.index()).len().max(1));
                Some(BlockId(self.start[t.index()] + marks - 1))
            }
            _ => None,
        }
    }

    /// Rebuilds the kernel's blocks, in `blocks` first. Branches and successors have their
    /// new numbers already. Returns the number of marks.
    pub fn insert(
        &self,
        kernel: &mut Kernel<Virtual>,
        exec: ExecSize,
        blocks: &mut Vec<Block<Virtual>>,
        pool: &mut Pool<Virtual>,
    ) -> u32 {
        blocks.clear();
        for (b, mut block) in kernel.blocks.drain(..).enumerate() {
            let marks = self.marks(b);
            for (i, mark) in marks.iter().enumerate() {
                let next = BlockId(to_index(blocks.len()) + 1);
                let last = i + 1 == marks.len();
                let jip = match self.outer[b] {
                    Some(t) if last => BlockId(self.start[t.index()]),
                    _ => next,
                };
                let op = if *mark == Mark::Join { Op::Join } else { Op::Endif };
                let inst = Inst {
                    payload: Payload::Branch { jip: Target::Block(jip), uip: Target::None, ctrl: false },
                    ..Inst::new(op, exec)
                };
                if last && !self.alone[b] {
                    pool.grow(&mut block.insts, 1);
                    block.insts.insert(0, inst);
                } else {
                    let mut insts = pool.list(1);
                    insts.push(inst);
                    blocks.push(Block { insts, succs: [next].into_iter().collect() });
                }
            }
            blocks.push(block);
        }
        kernel.blocks.append(blocks);
        for s in &mut kernel.subroutines {
            *s = BlockId(self.start[s.index()]);
        }
        to_index(self.marks.len())
    }
}
