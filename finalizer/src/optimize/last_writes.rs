//! Which instruction of a block has written a variable last, as far as a walk has come.

use gen_ir::{Inst, VarId, Virtual};
use narrow::as_index;

use crate::lists::reset;

/// What has been written last. Instructions are numbered over all blocks that are walked, so that nothing need be forgotten
/// between them.
#[derive(Debug, Default)]
pub(super) struct LastWrites {
    /// By variable, the number of the instruction; 0: none.
    written: Vec<u32>,
    /// The number of the block's first instruction.
    first: u32,
    /// The number of the next one.
    next: u32,
}

impl LastWrites {
    /// Begins a kernel of so many variables.
    pub fn start(&mut self, vars: usize) {
        reset(&mut self.written, vars, 0);
        (self.first, self.next) = (1, 1);
    }

    /// Begins a block.
    pub fn enter_block(&mut self) {
        self.first = self.next;
    }

    /// Goes past the next instruction. Returns where its destination's variable had been written before in the block.
    pub fn pass(&mut self, inst: &Inst<Virtual>) -> Option<usize> {
        let number = self.next;
        self.next += 1;
        let written = &mut self.written[inst.dst_var()?.index()];
        let before = std::mem::replace(written, number);
        self.place(before)
    }

    /// Where in the block a variable has been written last.
    pub fn of(&self, v: VarId) -> Option<usize> {
        self.place(self.written[v.index()])
    }

    fn place(&self, number: u32) -> Option<usize> {
        number.checked_sub(self.first).map(as_index)
    }
}
