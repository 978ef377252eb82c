//! How long results take, on each generation.
//!
//! Cycles of one thread. Sources: Intel's graphics compiler (`visa/LocalScheduler/LatencyTable.h` and `.cpp`), and
//! Mesa's performance model (`src/intel/compiler/brw_ir_performance.cpp`), which is measured with `tm0` and
//! independent of it. Where both have a figure they agree about: arithmetic of Gen11 and later 10, flags 14 to 16,
//! accumulator 6, `dpas` 21 to 32, branches 8 to 23; for Gen8 and Gen9 Mesa has 8 (12 for products of 64 bits and
//! flags) where Intel's table has 14 for all; for math 16 to 24, where that has 22 and 30.

/// The latencies of a generation.
#[derive(Clone, Copy, Debug)]
pub struct Latencies {
    /// Arithmetic, from issue to where the next can read the result.
    pub alu: u16,
    /// More for each further native width that an instruction is executed in.
    pub alu_wider: u16,
    /// The same for a result in the accumulator.
    pub acc: u16,
    /// The same for flags and addresses.
    pub arf: u16,
    /// The math unit.
    pub math: u16,
    /// More for each further native width.
    pub math_wider: u16,
    /// Division and powers.
    pub math_long: u16,
    /// Systolic, of one repetition.
    pub dpas: u16,
    /// From a jump to the next instruction.
    pub branch: u16,
    /// Messages to shared local memory.
    pub slm: u16,
    /// Messages to memory.
    pub memory: u16,
    /// Messages to the sampler.
    pub sampler: u16,
    /// Other messages.
    pub other: u16,
    /// From a message to where its sources may be overwritten, its registers aside.
    pub send_read: u16,
    /// Cycles that an instruction of one native width occupies its thread's issue.
    pub issue: u16,
    /// The same for the math unit.
    pub issue_math: u16,
    /// A result that an earlier one is still under way to waits for it.
    pub writes_wait: bool,
}

/// Gen8 and Gen9 (`LegacyLatencies`, `LegacyFFLatency`).
pub(crate) const GEN8: Latencies = Latencies {
    alu: 14,
    alu_wider: 0,
    acc: 14,
    arf: 14,
    math: 22,
    math_wider: 0,
    math_long: 30,
    dpas: 21,
    branch: 14,
    slm: 400,
    memory: 400,
    sampler: 300,
    other: 50,
    send_read: 36,
    issue: 2,
    issue_math: 4,
    writes_wait: true,
};

/// Gen12 and Xe-HPC (`XELatencyInfo`).
pub(crate) const XE: Latencies = Latencies {
    alu: 10,
    alu_wider: 1,
    acc: 6,
    arf: 16,
    math: 17,
    math_wider: 4,
    math_long: 17,
    dpas: 21,
    branch: 23,
    slm: 28,
    memory: 146,
    sampler: 214,
    other: 50,
    send_read: 8,
    issue: 1,
    issue_math: 4,
    writes_wait: false,
};
