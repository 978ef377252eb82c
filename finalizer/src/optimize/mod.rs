//! Optimization of virtual code: [`optimize`] before legalization splits it, [`tidy`] after.
//!
//! Every pass here is local to a block or counts uses over the whole kernel: inside a block the
//! execution mask does not change, so "the same channels" can be read off the instructions alone.

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

use gen_ir::{Kernel, Virtual};

use homes::Homes;

/// Makes the kernel smaller without changing what it computes.
pub fn optimize(kernel: &mut Kernel<Virtual>) {
    let grf_bytes = u32::from(kernel.platform.caps().grf_bytes);
    predicate::convert(kernel);
    copies::forward(kernel, grf_bytes);
    condition::attach(kernel, grf_bytes);
    dead::eliminate(kernel);
    overwritten::eliminate(kernel, grf_bytes);
    let homes = local(kernel, grf_bytes, false);
    constants::share(kernel, &homes);
    merge::variables(kernel, &homes, grf_bytes);
}

/// Removes moves that legalization has put around instructions where their neighbours can do without.
pub fn tidy(kernel: &mut Kernel<Virtual>) {
    let grf_bytes = u32::from(kernel.platform.caps().grf_bytes);
    copies::forward_legal(kernel, grf_bytes);
    dead::eliminate(kernel);
    overwritten::eliminate(kernel, grf_bytes);
    let homes = local(kernel, grf_bytes, true);
    constants::share(kernel, &homes);
}

/// What concerns variables of one block. Nothing here gives a variable another block or shows it a value
/// from before, so what was found at the start holds to the end.
fn local(kernel: &mut Kernel<Virtual>, grf_bytes: u32, legal: bool) -> Homes {
    let homes = Homes::of(kernel);
    dead::eliminate_local(kernel, &homes, grf_bytes);
    coalesce::moves(kernel, &homes, grf_bytes, legal);
    homes
}
