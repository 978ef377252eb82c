//! The passes as the list ([`PASSES`](crate::PASSES)) names them and says what they do: each hands the kernel, the analyses
//! that it asks for and its memory to the file that does the work. Those of legal code leave it legal.

use gen_ir::{Kernel, VarId, Virtual};
use narrow::to_index;

use super::{
    Analysis::{Choices, Combinations, Conversions, Graph, Reads, Scatters, Tests},
    AnalysisSet, both_halves, carries, chain, condition, constant_headers, constants, conversions, copies,
    dead, descriptors, flag_reads, flags, headers, hoist, indirect, insert, interleave,
    legal::Legality,
    local, low_halves, merge, modes, predicate, products, scatter, select, shifts, sink, sink_copies,
    split_webs, sums, unmask, values,
};
use crate::{Refusal, driver::workspace::Workspace};

/// Whether a pass may have changed the kernel.
type Changed = Result<bool, Refusal>;

fn grf_bytes(kernel: &Kernel<Virtual>) -> u32 {
    kernel.platform.caps().regs.grf_bytes.into()
}

pub(crate) fn hoist_equals(kernel: &mut Kernel<Virtual>, work: &mut Workspace) -> Changed {
    Ok(hoist::equals(kernel, &mut work.optimize.hoist, &mut work.virtuals))
}

pub(crate) fn convert_branches(kernel: &mut Kernel<Virtual>, work: &mut Workspace) -> Changed {
    predicate::convert(kernel, &mut work.optimize.predicate, &mut work.virtuals);
    Ok(true)
}

pub(crate) fn ignore_masks(kernel: &mut Kernel<Virtual>, work: &mut Workspace) -> Changed {
    unmask::unmask(kernel, &mut work.analyses, &mut work.optimize.unmask);
    Ok(true)
}

pub(crate) fn split_webs(kernel: &mut Kernel<Virtual>, work: &mut Workspace) -> Changed {
    let bytes = grf_bytes(kernel);
    Ok(split_webs::split(kernel, VarId(0), &mut work.analyses, bytes, &mut work.optimize.split_webs))
}

pub(crate) fn propagate_copies(kernel: &mut Kernel<Virtual>, work: &mut Workspace) -> Changed {
    let analyses = &mut work.analyses;
    analyses.start(kernel, &[Reads, Tests, Choices, Conversions, Combinations]);
    let bytes = grf_bytes(kernel);
    copies::forward(kernel, bytes, Legality::Open, &mut work.optimize.copies, |vars, at, inst| {
        analyses.see(vars, at, inst);
    });
    Ok(true)
}

pub(crate) fn sign_products(kernel: &mut Kernel<Virtual>, _: &mut Workspace) -> Changed {
    Ok(products::signed(kernel, grf_bytes(kernel)))
}

pub(crate) fn join_products(kernel: &mut Kernel<Virtual>, work: &mut Workspace) -> Changed {
    Ok(both_halves::join(kernel, grf_bytes(kernel), &mut work.optimize.products))
}

pub(crate) fn split_variables(kernel: &mut Kernel<Virtual>, work: &mut Workspace) -> Changed {
    let parts = VarId(to_index(kernel.vars.len()));
    let found = work.optimize.splitter.split(kernel);
    if found {
        let bytes = grf_bytes(kernel);
        split_webs::split(kernel, parts, &mut work.analyses, bytes, &mut work.optimize.split_webs);
    }
    Ok(found)
}

pub(crate) fn propagate_legal_copies(kernel: &mut Kernel<Virtual>, work: &mut Workspace) -> Changed {
    let analyses = &mut work.analyses;
    analyses.start(kernel, &[Reads, Scatters]);
    let bytes = grf_bytes(kernel);
    copies::forward(kernel, bytes, Legality::Legal, &mut work.optimize.copies, |_, _, inst| {
        analyses.see_legal(inst)
    });
    Ok(true)
}

pub(crate) fn fold_conversions(kernel: &mut Kernel<Virtual>, work: &mut Workspace) -> Changed {
    Ok(conversions::fold(kernel, grf_bytes(kernel), &mut work.analyses))
}

pub(crate) fn fold_comparisons(kernel: &mut Kernel<Virtual>, work: &mut Workspace) -> Changed {
    Ok(select::fold(kernel, grf_bytes(kernel), &mut work.analyses))
}

pub(crate) fn attach_conditions(kernel: &mut Kernel<Virtual>, work: &mut Workspace) -> Changed {
    Ok(condition::attach(kernel, grf_bytes(kernel), &mut work.analyses))
}

pub(crate) fn chain_comparisons(kernel: &mut Kernel<Virtual>, work: &mut Workspace) -> Changed {
    if !work.analyses.combines(kernel) {
        return Ok(false);
    }
    let use_counts = work.analyses.reads(kernel);
    Ok(chain::comparisons(kernel, use_counts, &mut work.optimize.uses))
}

pub(crate) fn add_scalars_first(kernel: &mut Kernel<Virtual>, work: &mut Workspace) -> Changed {
    let bytes = grf_bytes(kernel);
    Ok(sums::scalars_first(kernel, work.analyses.reads(kernel), bytes, &mut work.optimize.sums))
}

pub(crate) fn insert_bits(kernel: &mut Kernel<Virtual>, work: &mut Workspace) -> Changed {
    let (bytes, masks) = (grf_bytes(kernel), !work.registers_scarce);
    let done = insert::bits(kernel, work.analyses.reads(kernel), (bytes, masks), &mut work.optimize.insert);
    work.registers_traded |= done.masks;
    Ok(done.any)
}

pub(crate) fn read_flags(kernel: &mut Kernel<Virtual>, work: &mut Workspace) -> Changed {
    Ok(flag_reads::fold(kernel, work.analyses.reads(kernel), &mut work.optimize.flag_reads))
}

pub(crate) fn drop_conditions(kernel: &mut Kernel<Virtual>, work: &mut Workspace) -> Changed {
    Ok(flags::drop_unread(kernel, work.analyses.reads(kernel), &mut work.optimize.flags))
}

pub(crate) fn scatter_moves(kernel: &mut Kernel<Virtual>, work: &mut Workspace) -> Changed {
    let Workspace { analyses, optimize, virtuals, .. } = work;
    Ok(analyses.scatters(kernel) && scatter::moves(kernel, &mut optimize.scatter, virtuals))
}

pub(crate) fn fold_indirect_moves(kernel: &mut Kernel<Virtual>, work: &mut Workspace) -> Changed {
    if !kernel.vars.iter().any(|var| var.address_taken) {
        return Ok(false);
    }
    let (locality, use_counts) = work.analyses.local_counts(kernel);
    Ok(indirect::fold(kernel, locality, use_counts, grf_bytes(kernel)))
}

pub(crate) fn fold_carries(kernel: &mut Kernel<Virtual>, work: &mut Workspace) -> Changed {
    if !kernel.insts().any(|(_, inst)| carries::carries(inst)) {
        return Ok(false);
    }
    let (locality, use_counts) = work.analyses.local_counts(kernel);
    Ok(carries::fold(kernel, locality, use_counts, grf_bytes(kernel)))
}

/// The little that is dead only by what this pass finds waits for the last elimination.
pub(crate) fn eliminate_dead(kernel: &mut Kernel<Virtual>, work: &mut Workspace) -> Changed {
    dead::eliminate(kernel, grf_bytes(kernel), Legality::Open, work.analyses.reads_untouched(kernel));
    work.analyses.touches_are_known();
    Ok(true)
}

pub(crate) fn eliminate_all_dead(kernel: &mut Kernel<Virtual>, work: &mut Workspace) -> Changed {
    dead::eliminate(kernel, grf_bytes(kernel), Legality::Legal, work.analyses.reads_untouched(kernel));
    work.analyses.touches_are_known();
    Ok(true)
}

pub(crate) fn drop_modes(kernel: &mut Kernel<Virtual>, _: &mut Workspace) -> Changed {
    Ok(modes::drop_unread(kernel))
}

pub(crate) fn compute_low_halves(kernel: &mut Kernel<Virtual>, work: &mut Workspace) -> Changed {
    let bytes = grf_bytes(kernel);
    let (locality, use_counts) = work.analyses.local_counts(kernel);
    Ok(low_halves::compute(kernel, locality, use_counts, bytes, &mut work.optimize.low_halves))
}

pub(crate) fn combine_shifts(kernel: &mut Kernel<Virtual>, _: &mut Workspace) -> Changed {
    Ok(shifts::combine(kernel, grf_bytes(kernel)))
}

/// What lives in one block only does so still, unless blocks now read each other's results.
pub(crate) fn share_values(kernel: &mut Kernel<Virtual>, work: &mut Workspace) -> Changed {
    share_equal(kernel, work, Legality::Open)
}

fn share_equal(kernel: &mut Kernel<Virtual>, work: &mut Workspace, legality: Legality) -> Changed {
    let (locality, use_counts) = work.analyses.local_counts(kernel);
    let shared = values::share(kernel, locality, use_counts, legality, &mut work.optimize.values);
    if shared.elsewhere {
        work.analyses.keep(AnalysisSet::of(&[Graph, Reads]));
    }
    Ok(shared.any)
}

/// What legalization has made in front of several instructions is made once.
pub(crate) fn share_legal_values(kernel: &mut Kernel<Virtual>, work: &mut Workspace) -> Changed {
    share_equal(kernel, work, Legality::Legal)
}

pub(crate) fn hoist_headers(kernel: &mut Kernel<Virtual>, work: &mut Workspace) -> Changed {
    if work.registers_scarce {
        return Ok(false);
    }
    let bytes = grf_bytes(kernel);
    let known = work.analyses.local(kernel);
    let done = constant_headers::hoist(kernel, known, bytes, &mut work.optimize.constant_headers);
    work.registers_traded |= done.kept;
    Ok(done.any)
}

pub(crate) fn share_headers(kernel: &mut Kernel<Virtual>, work: &mut Workspace) -> Changed {
    let bytes = grf_bytes(kernel);
    let (locality, use_counts) = work.analyses.local_counts(kernel);
    headers::share(kernel, locality, use_counts, bytes, &mut work.optimize.headers);
    Ok(true)
}

pub(crate) fn sink_scalars(kernel: &mut Kernel<Virtual>, work: &mut Workspace) -> Changed {
    let bytes = grf_bytes(kernel);
    let (locality, use_counts) = work.analyses.local_counts(kernel);
    sink::scalars(kernel, locality, use_counts, bytes);
    Ok(true)
}

pub(crate) fn sink_copies(kernel: &mut Kernel<Virtual>, work: &mut Workspace) -> Changed {
    let bytes = grf_bytes(kernel);
    let (locality, memory) = (work.analyses.locality(kernel), &mut work.optimize.sink);
    Ok(sink_copies::copies(kernel, locality, bytes, memory, &mut work.virtuals))
}

pub(crate) fn share_descriptors(kernel: &mut Kernel<Virtual>, work: &mut Workspace) -> Changed {
    descriptors::share(kernel, grf_bytes(kernel), &mut work.optimize.descriptors);
    Ok(true)
}

pub(crate) fn coalesce(kernel: &mut Kernel<Virtual>, work: &mut Workspace) -> Changed {
    let (locality, use_counts) = work.analyses.local(kernel);
    local::tidy(kernel, locality, use_counts, grf_bytes(kernel), Legality::Open, &mut work.optimize.local);
    Ok(true)
}

pub(crate) fn interleave(kernel: &mut Kernel<Virtual>, work: &mut Workspace) -> Changed {
    let (locality, ends) = (work.analyses.locality(kernel), &mut work.optimize.ends);
    interleave::results(kernel, locality, grf_bytes(kernel), Legality::Open, ends);
    Ok(true)
}

pub(crate) fn interleave_legal(kernel: &mut Kernel<Virtual>, work: &mut Workspace) -> Changed {
    let (locality, ends) = (work.analyses.locality(kernel), &mut work.optimize.ends);
    interleave::results(kernel, locality, grf_bytes(kernel), Legality::Legal, ends);
    Ok(true)
}

pub(crate) fn coalesce_legal(kernel: &mut Kernel<Virtual>, work: &mut Workspace) -> Changed {
    let (locality, use_counts) = work.analyses.local(kernel);
    local::tidy(kernel, locality, use_counts, grf_bytes(kernel), Legality::Legal, &mut work.optimize.local);
    Ok(true)
}

pub(crate) fn share_constants(kernel: &mut Kernel<Virtual>, work: &mut Workspace) -> Changed {
    let (locality, use_counts) = work.analyses.local(kernel);
    constants::share(kernel, locality, use_counts, &mut work.optimize.constants);
    Ok(true)
}

/// Once, after all that makes some, for large kernels are larger than caches.
pub(crate) fn remove_nops(kernel: &mut Kernel<Virtual>, _: &mut Workspace) -> Changed {
    dead::drop_nops(kernel);
    Ok(true)
}

pub(crate) fn merge_payloads(kernel: &mut Kernel<Virtual>, work: &mut Workspace) -> Changed {
    let locality = work.analyses.locality(kernel);
    merge::variables(kernel, locality, grf_bytes(kernel), &mut work.optimize.merger);
    Ok(true)
}

pub(crate) fn merge_across_blocks(kernel: &mut Kernel<Virtual>, work: &mut Workspace) -> Changed {
    if work.registers_scarce {
        return Ok(false);
    }
    let bytes = grf_bytes(kernel);
    let (locality, depths) = work.analyses.locality_and_depths(kernel);
    let (merger, memory) = (&mut work.optimize.merger, &mut work.optimize.across);
    let any = merge::across_blocks(kernel, (locality, depths), bytes, merger, memory);
    work.registers_traded |= any && !memory.has_room;
    Ok(any)
}
