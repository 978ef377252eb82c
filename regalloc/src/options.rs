//! What callers choose, and what they learn beside the result.

use gen_ir::{FileByte, Kernel, RegisterSet, Virtual, Watch};

/// Choices of the caller.
#[derive(Clone, Debug)]
pub struct Options {
    /// Prove the result with the checker.
    pub check: bool,
    /// Take little time: registers are handed out from the lowest on, and nothing is looked for that would make
    /// spilling cheaper.
    pub quick: bool,
    /// Keep what was given places: [`AllocationMemory::take_placed`](crate::AllocationMemory::take_placed). Then
    /// instructions of the result have as their origin their number in that.
    pub keep: bool,
    /// Asked in every round.
    pub watch: Watch,
}

impl Default for Options {
    /// The checker is on in builds with debug assertions.
    fn default() -> Options {
        Options { check: cfg!(debug_assertions), quick: false, keep: false, watch: Watch::NONE }
    }
}

/// Code over variables as it was given registers, and where those are.
#[derive(Debug)]
pub struct Placed {
    /// The code, with all that spilling has added.
    pub kernel: Kernel<Virtual>,
    /// By variable: its first byte in its register file; none for what is never there.
    pub at: Vec<Option<FileByte>>,
    /// By instruction: its origin.
    pub origins: Vec<u32>,
}

/// What allocation cost.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct AllocStats {
    /// General registers from `r0` to the highest one used.
    pub grfs_used: u32,
    /// Messages that write spilled values to scratch memory.
    pub spills: u32,
    /// Messages that read them back.
    pub fills: u32,
    /// Bytes of scratch memory used for spills, from `Kernel::spill_offset` on.
    pub scratch_bytes: u32,
    /// Flag and address values moved to general registers and back.
    pub flag_spills: u32,
    /// The registers that operands behind addresses touch ([`gen_ir::Kernel::addressed`]).
    pub addressed: RegisterSet,
    /// How often general variables were spilled, each time from another placement.
    pub rounds: u32,
}
