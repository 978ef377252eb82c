//! What operands behind addresses do to the registers that addresses lead to.
//!
//! Each of them touches all of those, as far as anyone knows. Noted register by register, that is a hundred entries for an
//! instruction; so they have lists of their own, and a register has only what the accesses to itself add to those.

use gen_ir::RegisterSet;
use narrow::{as_index, to_index, to_u16};
use platforms::Registers;

/// General registers at most.
pub(super) const GRFS: usize = Registers::MOST_GRFS;
/// No instruction.
pub(super) const NONE: u32 = u32::MAX;

/// The accesses behind addresses in a stretch of code, so far.
#[derive(Debug)]
pub(super) struct Addressed {
    /// Where addresses lead.
    registers: RegisterSet,
    /// The last that writes. What was there before it, nobody waits for any longer.
    pub write: u32,
    /// Those that have read since.
    reads: Vec<u32>,
    /// The registers with accesses of their own since.
    cells: Vec<u16>,
    /// How many have written so far, in all stretches: and how many when each register was last accessed by itself.
    writes: u32,
    writes_at: [u32; GRFS],
    /// How many of `reads` there were when each register was last written as a whole.
    reads_at: [u32; GRFS],
}

impl Default for Addressed {
    fn default() -> Addressed {
        Addressed {
            registers: RegisterSet::default(),
            write: NONE,
            reads: Vec::new(),
            cells: Vec::new(),
            writes: 0,
            writes_at: [0; GRFS],
            reads_at: [0; GRFS],
        }
    }
}

impl Addressed {
    /// Begins a stretch.
    pub fn begin(&mut self, registers: RegisterSet) {
        self.registers = registers;
        self.written(NONE);
    }

    /// Instruction `i` has written behind an address.
    pub fn written(&mut self, i: u32) {
        self.write = i;
        self.reads.clear();
        self.cells.clear();
        self.writes = self.writes.wrapping_add(1);
        if self.writes == 0 {
            // Numbers begin again: no register may have one that comes.
            self.writes_at.fill(0);
            self.writes = 1;
        }
    }

    /// Instruction `i` has read behind an address.
    pub fn read(&mut self, i: u32) {
        self.reads.push(i);
    }

    /// Whether addresses lead to a register.
    pub fn has(&self, cell: usize) -> bool {
        cell < GRFS && self.registers.contains(to_index(cell))
    }

    /// An access to a register itself: returns whether it is the first since the last write behind an address, so that its
    /// lists have nothing that counts.
    pub fn enter(&mut self, cell: usize) -> bool {
        let first = self.writes_at[cell] != self.writes;
        if first {
            self.writes_at[cell] = self.writes;
            self.reads_at[cell] = 0;
            self.cells.push(to_u16(cell));
        }
        first
    }

    /// The reads behind addresses that a write of a register has to wait for; if it writes all of it, no other write has to.
    pub fn reads_before(&mut self, cell: usize, whole: bool) -> std::ops::Range<usize> {
        let all = self.reads.len();
        let from = as_index(self.reads_at[cell]);
        if whole {
            self.reads_at[cell] = to_index(all);
        }
        from..all
    }

    /// All reads since the last write behind an address.
    pub fn reads(&self) -> &[u32] {
        &self.reads
    }

    /// All registers with accesses of their own since.
    pub fn cells(&self) -> &[u16] {
        &self.cells
    }
}
