//! Optimization of virtual code: [`optimize`] before legalization splits it, [`tidy`] after.
//!
//! Every pass here is local to a block or counts uses over the whole kernel: inside a block the
//! execution mask does not change, so "the same channels" can be read off the instructions alone.

mod census;
mod chain;
mod coalesce;
mod condition;
mod constants;
mod copies;
mod dead;
mod homes;
mod legal;
mod local;
mod merge;
mod predicate;
mod scatter;

use gen_ir::{Kernel, Op, Pool, Virtual};

use census::Census;
use homes::Homes;

/// Memory that the passes work in.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    census: Census,
    homes: Homes,
    predicate: predicate::Scratch,
    copies: copies::Copies,
    /// Comparisons with zero: block and place.
    tests: Vec<(usize, usize)>,
    local: local::Scratch,
    constants: constants::Scratch,
    merger: merge::Merger,
    scatter: scatter::Scratch,
    uses: chain::Uses,
}

/// Makes the kernel smaller without changing what it computes.
pub(crate) fn optimize(kernel: &mut Kernel<Virtual>, scratch: &mut Scratch, pool: &mut Pool<Virtual>) {
    let grf_bytes = u32::from(kernel.platform.caps().regs.grf_bytes);
    let Scratch { census, homes, tests, .. } = scratch;
    predicate::convert(kernel, &mut scratch.predicate, pool);
    census.start(&kernel.vars);
    tests.clear();
    let mut combines = false;
    copies::forward(kernel, grf_bytes, false, &mut scratch.copies, |vars, at, inst| {
        census.add(inst);
        if condition::tests_zero(inst) {
            tests.push(at);
        }
        combines |= chain::combines(inst, vars);
    });
    condition::attach(kernel, grf_bytes, tests, homes, census);
    if combines && chain::comparisons(kernel, &mut scratch.uses) {
        census.count(kernel);
    }
    clean(kernel, grf_bytes, false, scratch);
    merge::variables(kernel, &scratch.homes, grf_bytes, &mut scratch.merger);
}

/// Removes moves that legalization has put around instructions where their neighbours can do without.
pub(crate) fn tidy(kernel: &mut Kernel<Virtual>, scratch: &mut Scratch, pool: &mut Pool<Virtual>) {
    let grf_bytes = u32::from(kernel.platform.caps().regs.grf_bytes);
    let census = &mut scratch.census;
    census.start(&kernel.vars);
    let mut scatters = false;
    copies::forward(kernel, grf_bytes, true, &mut scratch.copies, |_, _, inst| {
        census.add(inst);
        scatters |= scatter::candidate(inst);
    });
    if scatters && scatter::moves(kernel, &mut scratch.scatter, pool) {
        census.count(kernel);
    }
    clean(kernel, grf_bytes, true, scratch);
}

/// Removes what nobody needs, with the help of a census that has counted the kernel.
///
/// From the walk over dead code on nothing gives a variable another block or shows it a value from before, so
/// what is found out about homes then holds to the end.
fn clean(kernel: &mut Kernel<Virtual>, grf_bytes: u32, legal: bool, scratch: &mut Scratch) {
    let Scratch { census, homes, .. } = scratch;
    // The little that is dead only now waits for the last cleaning.
    dead::eliminate(kernel, grf_bytes, legal, census);
    homes.take(kernel, census);
    local::tidy(kernel, homes, census, grf_bytes, legal, &mut scratch.local);
    constants::share(kernel, homes, census, &mut scratch.constants);
    remove_nops(kernel);
}

/// Takes out what was made `nop`: once, after all that makes some, for large kernels are larger than caches.
fn remove_nops(kernel: &mut Kernel<Virtual>) {
    kernel.blocks.iter_mut().for_each(|block| block.insts.retain(|i| i.op != Op::Nop));
}
