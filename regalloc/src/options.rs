//! What callers choose, and what they learn beside the result.

use gen_ir::Watch;

/// Choices of the caller.
#[derive(Clone, Debug)]
pub struct Options {
    /// Prove the result with the checker.
    pub check: bool,
    /// Take little time: registers are handed out from the lowest on, and nothing is looked for that would make
    /// spilling cheaper.
    pub quick: bool,
    /// Asked in every round.
    pub watch: Watch,
}

impl Default for Options {
    /// The checker is on in builds with debug assertions.
    fn default() -> Options {
        Options { check: cfg!(debug_assertions), quick: false, watch: Watch::NONE }
    }
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
    /// How often general variables were spilled, each time from another placement.
    pub rounds: u32,
}
