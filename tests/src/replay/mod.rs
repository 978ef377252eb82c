//! Allocated code must do what code over variables does, lane by lane: random kernels, structured, given registers, and run
//! before and after on a small machine that writes down what each lane computes and sends.
//!
//! The allocation checker (`regalloc/src/check.rs`) proves each allocation from the table of accesses and what that says of
//! each variable, and so does the allocator: where that table is wrong, of whose bytes are whose for instance, both are.
//! The replay shares nothing with them. It knows lanes, masks, the places where lanes wait, and of messages whose bytes are whose,
//! as the manuals say (`layout`); values are numbers, so that every wrong byte shows. It sees the kernels that it draws alone.
//!
//! ```text
//! plan      kernels as trees     generate  random ones       shrink   less of one that fails
//! machine   what runs them       layout    messages          files    where registers lie
//! judge     before and after     gotos     random kernels with jumps from anywhere to anywhere
//! ```

mod files;
mod generate;
pub mod gotos;
mod judge;
mod layout;
mod machine;
mod plan;
mod shrink;

pub use generate::{ReplaySettings, generate};
pub use judge::{Kept, Mismatch, ReplayOutcome, check, check_structured, compare};
pub use machine::Machine;
pub use plan::{Branch, Plan, PlanNode, end_of_thread};
pub use shrink::shrink;

use crate::splitmix::SplitMix;
use gen_ir::{Kernel, VarClass, VarId, Virtual};

/// Values at the start: variables, their first bytes in the register file, and what is there.
pub type Inputs = Vec<(VarId, u32, Vec<u8>)>;

/// Numbers for all general variables of a kernel that have values at its start.
pub fn inputs_of(kernel: &Kernel<Virtual>, seed: u64) -> Inputs {
    let mut r = SplitMix::new(seed);
    let inputs =
        (0..).map(VarId).zip(&kernel.vars).filter(|(_, v)| v.live_in && v.class == VarClass::General);
    let placed = inputs.filter_map(|(id, var)| Some((id, var.fixed?.bytes(), var.bytes)));
    placed.map(|(id, at, bytes)| (id, at, (0..bytes).map(|_| r.bits() as u8).collect())).collect()
}
