//! Optimization of virtual code: [`optimize`] before legalization splits it, [`tidy`] after.
//!
//! Every pass here is local to a block or counts uses over the whole kernel: inside a block the
//! execution mask does not change, so "the same channels" can be read off the instructions alone.

mod chain;
mod coalesce;
mod condition;
mod constants;
mod copies;
mod dead;
mod homes;
mod legal;
mod merge;
mod overwritten;
mod predicate;
mod scatter;

use gen_ir::{Kernel, Pool, Virtual};

use homes::Homes;

/// Memory that the passes work in.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    homes: Homes,
    /// How many instructions read each variable.
    reads: Vec<u32>,
    /// How many edges lead to each block.
    predecessors: Vec<u32>,
    copies: copies::Copies,
    needs: Vec<dead::Need>,
    later: Vec<overwritten::Later>,
    last_read: Vec<usize>,
    constants: constants::Scratch,
    merger: merge::Merger,
    scatter: scatter::Scratch,
    uses: chain::Uses,
}

/// Makes the kernel smaller without changing what it computes.
pub(crate) fn optimize(kernel: &mut Kernel<Virtual>, scratch: &mut Scratch, pool: &mut Pool<Virtual>) {
    let grf_bytes = u32::from(kernel.platform.caps().grf_bytes);
    predicate::convert(kernel, &mut scratch.predecessors, pool);
    copies::forward(kernel, grf_bytes, &mut scratch.copies);
    condition::attach(kernel, grf_bytes, &mut scratch.homes, &mut scratch.reads);
    chain::comparisons(kernel, &mut scratch.uses);
    let elsewhere = dead::eliminate(kernel, &mut scratch.reads);
    overwritten::eliminate(kernel, grf_bytes, elsewhere, &mut scratch.later);
    local(kernel, grf_bytes, elsewhere, false, scratch);
    constants::share(kernel, &scratch.homes, &mut scratch.constants);
    merge::variables(kernel, &scratch.homes, grf_bytes, &mut scratch.merger);
}

/// Removes moves that legalization has put around instructions where their neighbours can do without.
pub(crate) fn tidy(kernel: &mut Kernel<Virtual>, scratch: &mut Scratch, pool: &mut Pool<Virtual>) {
    let grf_bytes = u32::from(kernel.platform.caps().grf_bytes);
    copies::forward_legal(kernel, grf_bytes, &mut scratch.copies);
    scatter::moves(kernel, &mut scratch.scatter, pool);
    let elsewhere = dead::eliminate(kernel, &mut scratch.reads);
    overwritten::eliminate(kernel, grf_bytes, elsewhere, &mut scratch.later);
    local(kernel, grf_bytes, elsewhere, true, scratch);
    constants::share(kernel, &scratch.homes, &mut scratch.constants);
}

/// What concerns variables of one block. Nothing here gives a variable another block or shows it a value
/// from before, so what was found at the start holds to the end.
fn local(kernel: &mut Kernel<Virtual>, grf_bytes: u32, elsewhere: bool, legal: bool, scratch: &mut Scratch) {
    let Scratch { homes, needs, last_read, .. } = scratch;
    homes.find(kernel, elsewhere);
    dead::eliminate_local(kernel, homes, grf_bytes, needs);
    coalesce::moves(kernel, homes, grf_bytes, legal, last_read);
}
