//! Where joins and `endif`s go, and how blocks are numbered with them.
//!
//! At a block where lanes wait stand, in this order: a join for lanes that left a loop ending just
//! before, an `endif` for each `if` that ends there (inner first), a join for gotos from further away.
//! JIP of each is the next of them or, from the last one, the next place where lanes wait; where there is
//! none it is the instruction behind, which then starts a block.

use crate::{
    branches::{Active, Plan},
    simplify::block_of,
    structured::Form,
};
use gen_ir::{Block, BlockId, ExecSize, Inst, Kernel, Op, Payload, Target, Virtual, Waits};

/// What stands at the start of a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mark {
    /// Join.
    Join,
    /// `endif` of the `if` at the end of a block.
    End(u32),
}

/// The blocks after marks are put in.
pub(crate) struct Layout {
    marks: Vec<Vec<Mark>>,
    /// New number of each block's first mark, or of itself without marks; and the number behind all.
    start: Vec<u32>,
    /// Where lanes wait next, from each block's marks on.
    outer: Vec<Option<BlockId>>,
    /// Whether the last mark has a block of its own.
    alone: Vec<bool>,
    /// New number of the `endif` of the `if` at the end of a block.
    end: Vec<Option<BlockId>>,
}

impl Layout {
    pub fn of(kernel: &Kernel<Virtual>, plans: &[Plan], forms: &[Form], waits: &Waits) -> Layout {
        let n = plans.len();
        let mut marks: Vec<Vec<Mark>> = vec![Vec::new(); n];
        let mut ends: Vec<Vec<u32>> = vec![Vec::new(); n];
        let mut goto = vec![false; n];
        for b in (0..n).rev() {
            match (plans[b], forms[b]) {
                (_, Form::If { end, .. }) => ends[end.index()].push(b as u32),
                (Plan::Forward(to), Form::Plain) => goto[to.index()] = true,
                _ => {}
            }
        }
        let mut active = Active::new(waits);
        let mut l = Layout {
            marks: Vec::new(),
            start: Vec::with_capacity(n + 1),
            outer: Vec::with_capacity(n),
            alone: Vec::with_capacity(n),
            end: vec![None; n],
        };
        let mut next = 0;
        for b in 0..n {
            let list = &mut marks[b];
            if b > 0 && matches!(plans[b - 1], Plan::Backward(_)) {
                list.push(Mark::Join);
            }
            list.extend(ends[b].iter().map(|&i| Mark::End(i)));
            if goto[b] && list.last() != Some(&Mark::Join) {
                list.push(Mark::Join);
            }
            let outer = active.next_after(b);
            l.start.push(next);
            for (i, m) in list.iter().enumerate() {
                if let Mark::End(of) = m {
                    l.end[*of as usize] = Some(BlockId(next + i as u32));
                }
            }
            let alone = outer.is_none() && !kernel.blocks[b].insts.is_empty();
            next += match list.len() as u32 {
                0 => 1,
                k => k + u32::from(alone),
            };
            l.outer.push(outer);
            l.alone.push(alone);
        }
        l.start.push(next);
        l.marks = marks;
        l
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
                let marks = self.marks[t.index()].len().max(1) as u32;
                Some(BlockId(self.start[t.index()] + marks - 1))
            }
            _ => None,
        }
    }

    /// Rebuilds the kernel's blocks. Branches and successors have their new numbers already. Returns the
    /// number of marks.
    pub fn insert(self, kernel: &mut Kernel<Virtual>, exec: ExecSize) -> u32 {
        let mut count = 0;
        let old = std::mem::take(&mut kernel.blocks);
        let mut blocks: Vec<Block<Virtual>> =
            Vec::with_capacity(self.start.last().map_or(0, |&n| n as usize));
        for (b, mut block) in old.into_iter().enumerate() {
            let marks = &self.marks[b];
            count += marks.len() as u32;
            for (i, mark) in marks.iter().enumerate() {
                let next = BlockId(blocks.len() as u32 + 1);
                let last = i + 1 == marks.len();
                let jip = match self.outer[b] {
                    Some(t) if last => BlockId(self.start[t.index()]),
                    _ => next,
                };
                let op = if matches!(mark, Mark::Join) { Op::Join } else { Op::Endif };
                let inst = Inst {
                    payload: Payload::Branch { jip: Target::Block(jip), uip: Target::None, ctrl: false },
                    ..Inst::new(op, exec)
                };
                if last && !self.alone[b] {
                    block.insts.insert(0, inst);
                } else {
                    blocks.push(block_of(vec![inst], vec![next].into()));
                }
            }
            blocks.push(block);
        }
        kernel.blocks = blocks;
        for s in &mut kernel.subroutines {
            *s = BlockId(self.start[s.index()]);
        }
        count
    }
}
