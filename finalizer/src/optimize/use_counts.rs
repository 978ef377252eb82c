//! What the passes know of every variable: counted in one walk, kept by those that change it.

use gen_ir::{BlockId, Inst, Kernel, OnlyBlock, Op, Payload, Reg, Var, VarClass, VarId, Virtual};

use crate::lists::refill;

/// A variable.
#[derive(Clone, Copy, Debug)]
pub(super) struct VarUses {
    /// How many operands read or name it, and marks.
    reads: u32,
    /// The one block that touches it.
    pub only_block: OnlyBlock,
    /// The write behind the place in question that nothing reads in between: its block, and where it stands.
    pub next_write: (OnlyBlock, u32),
}

/// An instruction that writes the variable was marked.
const WRITTEN: u32 = 1 << 31;
/// Another one.
const WRITTEN_AGAIN: u32 = 1 << 30;
/// It is a general variable, and no address leads to it.
const PLAIN: u32 = 1 << 29;
const READS: u32 = PLAIN - 1;

impl VarUses {
    /// Whether nothing reads the variable.
    pub fn is_unread(&self) -> bool {
        self.reads & READS == 0
    }

    /// Whether the variable is a general one whose address nobody takes.
    pub fn is_plain(&self) -> bool {
        self.reads & PLAIN != 0
    }

    /// Whether an instruction that writes the variable was marked.
    pub fn is_written(&self) -> bool {
        self.reads & WRITTEN != 0
    }

    /// Whether more instructions than one that write the variable were marked.
    pub fn is_written_again(&self) -> bool {
        self.reads & WRITTEN_AGAIN != 0
    }

    /// Marks that an instruction writes the variable.
    pub fn write(&mut self) {
        const { assert!(WRITTEN >> 1 == WRITTEN_AGAIN) };
        self.reads |= WRITTEN | (self.reads & WRITTEN) >> 1;
    }

    /// One reader less. Returns whether it was the last one and a write was marked.
    pub fn forget_read(&mut self) -> bool {
        self.reads -= 1;
        self.reads & (READS | WRITTEN) == WRITTEN
    }
}

/// All variables of a kernel.
#[derive(Debug, Default)]
pub(super) struct UseCounts {
    pub vars: Vec<VarUses>,
    /// Code elsewhere may read what the kernel writes: there are calls, returns or marks of the calling
    /// convention.
    pub elsewhere: bool,
}

impl UseCounts {
    /// Starts anew: nothing is read yet but what is after the kernel's end or through addresses.
    pub fn start(&mut self, vars: &[Var]) {
        self.elsewhere = false;
        refill(&mut self.vars, vars.iter().map(entry));
    }

    /// There are more variables now, which nothing reads yet.
    pub fn follow(&mut self, vars: &[Var]) {
        let known = self.vars.len();
        self.vars.extend(vars[known..].iter().map(entry));
    }

    /// Counts what an instruction reads.
    #[inline]
    pub fn add(&mut self, inst: &Inst<Virtual>) {
        inst.for_each_read(|reg| {
            if let Some(v) = reg.var() {
                self.vars[v.index()].reads += 1;
            }
        });
        self.elsewhere |= goes_elsewhere(inst);
    }

    /// An instruction goes that was counted.
    pub fn forget_reads_of(&mut self, inst: &Inst<Virtual>) {
        inst.for_each_read(|reg| {
            if let Some(v) = reg.var() {
                self.vars[v.index()].forget_read();
            }
        });
    }

    /// Counts all instructions.
    pub fn count(&mut self, kernel: &Kernel<Virtual>) {
        self.start(&kernel.vars);
        for block in &kernel.blocks {
            block.insts.iter().for_each(|inst| self.add(inst));
        }
    }

    /// Notes which block touches each variable and which variables are written, in a walk of its own.
    pub fn find_touches(&mut self, kernel: &Kernel<Virtual>) {
        for (b, block) in (0..).map(BlockId).zip(&kernel.blocks) {
            for inst in &block.insts {
                for v in inst.written().filter_map(Reg::var) {
                    self.vars[v.index()].write();
                    self.vars[v.index()].only_block.add(b);
                }
                inst.for_each_read(|reg| {
                    if let Some(v) = reg.var() {
                        self.vars[v.index()].only_block.add(b);
                    }
                });
            }
        }
    }

    /// Forgets what a walk over the kernel has found; the number of readers stays.
    pub fn walk_again(&mut self, vars: &[Var]) {
        for (entry, var) in self.vars.iter_mut().zip(vars) {
            let reads = entry.reads & !(WRITTEN | WRITTEN_AGAIN);
            *entry = VarUses { reads, only_block: initial_block(var), next_write: (OnlyBlock::NONE, 0) };
        }
    }

    /// Who reads `old` reads `new` instead.
    pub fn move_reads(&mut self, old: VarId, new: VarId) {
        let moved = self.reads(old);
        self.vars[old.index()].reads -= moved;
        self.vars[new.index()].reads += moved;
    }

    /// What has been said of `old` now concerns `new`, which is written once more.
    pub fn replace(&mut self, old: VarId, new: VarId) {
        self.move_reads(old, new);
        self.vars[new.index()].write();
    }

    /// How many operands read or name a variable; one more if it is read after the kernel's end.
    pub fn reads(&self, v: VarId) -> u32 {
        self.vars[v.index()].reads & READS
    }
}

/// What is known of a variable before any instruction is looked at.
fn entry(var: &Var) -> VarUses {
    let plain = if var.is_only_named() { PLAIN } else { 0 };
    let reads = u32::from(var.live_out || var.address_taken) | plain;
    VarUses { reads, only_block: initial_block(var), next_write: (OnlyBlock::NONE, 0) }
}

/// Which block alone touches a variable before any instruction is looked at: what is of use outside the kernel, or
/// is no general variable, is not of one block.
pub(super) fn initial_block(var: &Var) -> OnlyBlock {
    let outside = var.live_in || var.live_out || var.address_taken || var.fixed.is_some();
    if outside || var.class != VarClass::General { OnlyBlock::SEVERAL } else { OnlyBlock::NONE }
}

/// Whether an instruction has to do with code elsewhere.
pub(super) fn goes_elsewhere(inst: &Inst<Virtual>) -> bool {
    matches!(inst.op, Op::Call | Op::Calla | Op::Ret)
        || matches!(inst.payload, Payload::Outside(_)) && !inst.is_start_of_life()
}
