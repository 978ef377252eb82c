//! A cycle model: what instructions cost their thread when nothing else runs.
//!
//! The thread issues in order and waits for operands, by the rows of the platform
//! ([`Latencies`](platforms::Latencies)), which a scheduler orders by, too. Waits are those of the code as it
//! stands, from top to bottom; each counts as often as its instruction ran. The figures order versions of the
//! same kernel; they do not predict a device.

use crate::program::Program;
use gen_ir::Clock;

/// Cycles of one execution of each instruction.
pub(crate) fn each(program: &Program) -> Vec<u64> {
    let mut clock = Clock::new(program.platform.caps());
    program.insts().map(|(_, inst)| inst.map_or(1, |i| clock.issue(i))).collect()
}
