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
    local(kernel, grf_bytes, false);
    constants::share(kernel);
    merge::variables(kernel, grf_bytes);
}

/// Removes moves that legalization has put around instructions where their neighbours can do without.
pub fn tidy(kernel: &mut Kernel<Virtual>) {
    let grf_bytes = u32::from(kernel.platform.caps().grf_bytes);
    copies::forward_legal(kernel, grf_bytes);
    dead::eliminate(kernel);
    overwritten::eliminate(kernel, grf_bytes);
    local(kernel, grf_bytes, true);
    constants::share(kernel);
}

/// What concerns variables of one block. Taking dead writes away gives no variable another block, so what
/// was found before serves both.
fn local(kernel: &mut Kernel<Virtual>, grf_bytes: u32, legal: bool) {
    let homes = Homes::of(kernel);
    dead::eliminate_local(kernel, &homes, grf_bytes);
    coalesce::moves(kernel, &homes, grf_bytes, legal);
}
