//! How blocks end before structurization, and where they go for that.

use narrow::to_index;

use crate::{BlockId, Inst, Kernel, Op, Space, Succs, Virtual};

/// How a block ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// Runs on into the next block.
    Next,
    /// Goes to a block; on into the next one too, unless `always`.
    Jump {
        /// That block.
        to: BlockId,
        /// Every lane goes there.
        always: bool,
    },
    /// Calls a subroutine and goes on in the next block.
    Call(BlockId),
    /// Calls what is not in this kernel, and goes on in the next block.
    Away,
    /// Returns or ends the thread; may also run on if predicated.
    Leave {
        /// Every lane does.
        always: bool,
    },
}

impl End {
    /// How a block ends whose last instruction is `last`, where flow control spans `width` lanes. None if that is a
    /// branch without a block to go to, or one of those that only structurization makes.
    pub fn of<S: Space>(last: Option<&Inst<S>>, width: u32) -> Option<End> {
        let Some(last) = last else { return Some(End::Next) };
        let unguarded = last.pred.is_none();
        match last.op {
            _ if last.is_eot() => Some(End::Leave { always: unguarded }),
            op if !op.is_branch() => Some(End::Next),
            Op::Goto | Op::Jmpi => {
                let to = last.branch_target()?;
                Some(End::Jump { to, always: unguarded && last.is_uniform(width) })
            }
            Op::Call => last.branch_target().map(End::Call),
            Op::Calla => Some(End::Away),
            Op::Ret => Some(End::Leave { always: unguarded }),
            _ => None,
        }
    }

    /// Whether the next block may be run behind it.
    pub const fn runs_on(self) -> bool {
        !matches!(self, End::Jump { always: true, .. } | End::Leave { always: true })
    }

    /// The block that it names.
    pub const fn target(self) -> Option<BlockId> {
        match self {
            End::Jump { to, .. } | End::Call(to) => Some(to),
            End::Next | End::Away | End::Leave { .. } => None,
        }
    }

    /// The successors of a block that ends so, in the order of [`Block::succs`](crate::Block), if `next` stands behind
    /// it.
    pub fn succs(self, next: Option<BlockId>) -> Succs {
        let mut succs = Succs::new();
        if let End::Call(to) = self {
            succs.push(to);
        }
        succs.extend(next.filter(|_| self.runs_on()));
        if let End::Jump { to, .. } = self
            && !succs.contains(&to)
        {
            succs.push(to);
        }
        succs
    }
}

impl<S: Space> Inst<S> {
    /// Whether every active lane takes this branch if one does, where flow control spans `width` lanes, whatever its
    /// predicate holds.
    pub fn is_uniform(&self, width: u32) -> bool {
        self.exec.lanes() == 1 || (self.pred.is_none() && self.spans(width))
    }

    /// Whether it is of all of `width` lanes.
    pub fn spans(&self, width: u32) -> bool {
        self.chan == 0 && self.exec.lanes() >= width
    }
}

impl<S: Space> Kernel<S> {
    /// Number of lanes that the kernel's flow control spans.
    pub fn flow_width(&self) -> u32 {
        let last = self.blocks.iter().filter_map(|b| b.insts.last());
        let gotos = last.filter(|i| i.op == Op::Goto).map(|i| u32::from(i.chan) + i.exec.lanes());
        gotos.chain([u32::from(self.simd)]).max().unwrap_or(1).next_power_of_two().min(32)
    }
}

impl Kernel<Virtual> {
    /// Fills in the successors of all blocks, from the branches at their ends. What [`End::of`] knows nothing of runs
    /// on here: structurization refuses it.
    pub fn link_blocks(&mut self) {
        let width = self.flow_width();
        let count = to_index(self.blocks.len());
        for (b, block) in (1..).zip(&mut self.blocks) {
            let end = End::of(block.insts.last(), width).unwrap_or(End::Next);
            block.succs = end.succs(Some(BlockId(b)).filter(|next| next.0 < count));
        }
    }
}
