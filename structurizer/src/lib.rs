//! Control flow: from gotos to what the hardware executes.
//!
//! In: a [`Kernel<Virtual>`] whose blocks stand in layout order and end in `goto` (UIP names the target
//! block, a true predicate jumps), `jmpi`, `call`, `ret` or an end-of-thread message. A `goto` of
//! execution size 1 is uniform: all active lanes agree.
//!
//! Out: the same kernel with
//! - unreachable blocks and idle jumps gone (`simplify`),
//! - uniform gotos turned into `jmpi`, unless the jump would pass a place where lanes wait,
//! - hammocks turned into `if`, `else`, `endif` where the platform has them, jumps that leave several at once
//!   made to leave them one by one (`unthread`),
//! - a `join` at the start of every other block where lanes may wait, JIP and UIP filled in, predicates
//!   in the sense of the platform (Gen8 and Gen9 jump forward on *false*).
//!
//! ```text
//! simplify    a clean graph                            unthread    jumps out of several
//! structured  hammocks                                 branches    the plan, as instructions
//! plan        what becomes of each goto, and waits     memory      what is kept from one kernel to the next
//! layout      blocks, with joins and `endif`s
//! ```
//!
//! **What holds.** The instruction pointer never passes a place where a lane waits, except along a back
//! edge, after which it comes by again. [`gen_ir::Waits`] states where lanes wait; every forward
//! transfer goes to the next such place (JIP) or stops short of it (`jmpi`).
//!
//! Sources: Intel PRM Skylake volume 7, "SIMD control flow" and the `goto`, `join`, `jmpi` pages of
//! volume 2a; behaviour checked against the reference finalizer's listings.

// Numbers are converted by name (the crate `narrow`) or with an error.
#![cfg_attr(not(test), deny(clippy::as_conversions))]

mod branches;
mod error;
mod layout;
mod memory;
mod plan;
mod simplify;
mod structured;
mod unthread;

pub use error::Error;
pub use memory::StructurizeMemory;

pub use plan::BranchStyle;

use branches::Counts;
use gen_ir::{Cfg, Kernel, Pool, Virtual, Waits};

/// What structurization found out.
#[derive(Clone, Debug)]
pub struct Structure {
    /// Where lanes wait, for the kernel as it stands now.
    pub waits: Waits,
    /// For each block, whether it may run with fewer lanes than the kernel was started with.
    pub divergent: Vec<bool>,
    /// Uniform jumps written as `jmpi`.
    pub jumps: u32,
    /// Joins and `endif`s inserted.
    pub joins: u32,
}

/// Structures `kernel` for its platform. On an error the kernel is left in an unspecified state.
///
/// # Errors
///
/// The graph is none that code can be written for: an [`Error`] for each reason.
pub fn structurize(kernel: &mut Kernel<Virtual>) -> Result<Structure, Error> {
    let style = BranchStyle::of(kernel.platform);
    structurize_with(kernel, style)
}

/// Structures `kernel` with these instructions.
///
/// # Errors
///
/// As [`structurize`].
pub fn structurize_with(kernel: &mut Kernel<Virtual>, style: BranchStyle) -> Result<Structure, Error> {
    let (mut memory, mut pool) = (StructurizeMemory::default(), Pool::default());
    let Counts { jumps, joins } = run(kernel, style, &mut memory, &mut pool)?;
    let waits = Waits::of(kernel);
    let mut divergent = waits.divergent();
    Cfg::of(kernel).diverge_callees(&mut divergent);
    Ok(Structure { waits, divergent, jumps, joins })
}

/// [`structurize`] in memory that the caller has; `pool` gives and takes lists of instructions.
///
/// # Errors
///
/// As [`structurize`].
pub fn structurize_in(
    kernel: &mut Kernel<Virtual>,
    memory: &mut StructurizeMemory,
    pool: &mut Pool<Virtual>,
) -> Result<(), Error> {
    let style = BranchStyle::of(kernel.platform);
    run(kernel, style, memory, pool).map(|_| ())
}

/// Both steps: a clean graph, then branches.
fn run(
    kernel: &mut Kernel<Virtual>,
    style: BranchStyle,
    memory: &mut StructurizeMemory,
    pool: &mut Pool<Virtual>,
) -> Result<Counts, Error> {
    simplify::simplify(kernel, memory, pool)?;
    branches::lower_branches(kernel, style, memory, pool)
}

#[cfg(test)]
mod tests;
