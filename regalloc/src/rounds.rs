//! The rounds of an allocation: place, and rewrite what finds no place, until all have one.

use crate::{
    AllocStats, Error, Options, Placed,
    analysis::{
        Analysis, calls,
        flow::Flow,
        history::History,
        liveness::{self, Liveness},
    },
    apply,
    arf::{pressure, split as backing},
    check, copy, order,
    place::{self, File, Placement, Sharing},
    placing::{Aims, Placing, Planned, cost_of, is_complete},
    spill::{
        self,
        plan::{Known, Plan},
        remat::{self, Remat},
        scratch_space::ScratchSpace,
    },
    split::Splitter,
};
use gen_ir::{Kernel, Physical, Pool, Var, VarClass, VarId, Virtual};

/// Bytes of a return address: an instruction pointer and the caller's mask. It is not spilled.
const RETURN_ADDRESS: u32 = 8;

/// Rounds of rewriting after which an allocation is given up.
const MAX_ROUNDS: u32 = 24;

/// Memory that one allocation leaves to the next: then the same kernel again asks the allocator of memory for
/// nothing.
#[derive(Default)]
pub struct AllocationMemory {
    pool: Pool<Virtual>,
    /// What the last allocation was told to keep.
    kept: Option<Placed>,
    flow: Flow,
    history: History,
    now: Analysis,
    /// The same of another order of instructions.
    other: Analysis,
    liveness: liveness::LivenessMemory,
    order: order::OrderMemory,
    split: Splitter,
    placing: Placing,
    /// Flags, addresses, general variables.
    placed: [Placement; 3],
    /// General variables placed otherwise.
    placed_other: Placement,
    /// Where lanes that run need them.
    of_lanes: Liveness,
    lost: Vec<VarId>,
    small: pressure::PressureMemory,
    backing: backing::ArfSplitMemory,
    plan: Plan,
    /// What spilling adds to the other placement.
    plan_other: Plan,
    remat: Remat,
    spill: spill::SpillMemory,
}

impl std::fmt::Debug for AllocationMemory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AllocationMemory").finish_non_exhaustive()
    }
}

impl AllocationMemory {
    /// What the last allocation was told to keep.
    pub fn take_placed(&mut self) -> Option<Placed> {
        self.kept.take()
    }
}

/// Gives every variable a place. `memory` and `pool` have memory for the work and for its result.
///
/// # Errors
///
/// Operands and variables that cannot be; registers or scratch memory that do not suffice.
pub fn allocate(
    kernel: &Kernel<Virtual>,
    options: &Options,
    memory: &mut AllocationMemory,
    pool: &mut Pool<Physical>,
) -> Result<(Kernel<Physical>, AllocStats), Error> {
    if kernel.vars.len() >= (u32::MAX / 64) as usize || kernel.inst_count() >= (u32::MAX / 64) as usize {
        return Err(Error::TooLarge);
    }
    memory.flow.find(kernel);
    let file = File::of(kernel, VarClass::General, false);
    if let Some(call) =
        calls::too_deep(&memory.flow, (file.regs * file.reg_bytes() / RETURN_ADDRESS) as usize)
        && let Some(var) = kernel.blocks[call.site as usize].insts.last().and_then(|i| i.dst.reg()?.var())
    {
        return Err(Error::OutOfRegisters { class: VarClass::General, var });
    }
    let addressed = |var: &Var| var.address_taken && var.class == VarClass::General;
    let mut aims = Aims::default();
    loop {
        memory.history.clear();
        // The kernel as it is rewritten.
        let mut work: Option<Kernel<Virtual>> = None;
        let result = rounds(kernel, (options, aims), memory, &mut work).map(|stats| {
            let [.., general] = &memory.placed;
            let done = work.as_ref().unwrap_or(kernel);
            if !options.keep {
                return (apply::apply(done, &general.at, pool), stats);
            }
            let at = general.at.iter().map(|at| Some(*at).filter(|at| *at != place::UNPLACED)).collect();
            let origins = done.insts().map(|(_, inst)| inst.origin).collect();
            memory.kept = Some(Placed { kernel: copy::copy(done, &mut memory.pool), at, origins });
            let numbered = copy::numbered(done, &mut memory.pool);
            let code = apply::apply(&numbered, &general.at, pool);
            memory.pool.keep_kernel(numbered);
            (code, stats)
        });
        if let Some(work) = work {
            memory.pool.keep_kernel(work);
        }
        // Groups want several registers at once. What is accessed through addresses is loaded whole for that, so it is
        // spilled where nothing else helps.
        let hopeless = matches!(result, Err(Error::OutOfRegisters { .. } | Error::NoEnd(_)));
        aims = match aims {
            _ if !hopeless => return result,
            Aims { alone: false, .. } => Aims { alone: true, ..aims },
            Aims { spill_addressed: false, .. } if kernel.vars.iter().any(addressed) => {
                Aims { spill_addressed: true, ..aims }
            }
            _ => return result,
        };
    }
}

/// Rewrites until everything has a place, which is then left with the general variables' places.
fn rounds(
    kernel: &Kernel<Virtual>,
    (options, aims): (&Options, Aims),
    memory: &mut AllocationMemory,
    work: &mut Option<Kernel<Virtual>>,
) -> Result<AllocStats, Error> {
    let mut stats = AllocStats::default();
    let mut space = ScratchSpace::from(kernel.spill_offset);
    // Registers are taken in turn, unless they are scarce: packing them from the lowest on means fewer spills.
    let mut rotate = !options.quick;
    memory.placing.aims = aims;
    // Flags and addresses that may find no place are split before anything is known of the rest, for which that
    // makes more instructions.
    if pressure::may_be_crowded(kernel, &mut memory.small) {
        stats.flag_spills = split_small(kernel, options, memory, work)?;
    }
    for rewritten in 0..MAX_ROUNDS {
        options.watch.ask().map_err(Error::Stopped)?;
        {
            let now = work.as_ref().unwrap_or(kernel);
            memory.now.find(now, &memory.flow, &mut memory.history, &mut memory.liveness, options.quick)?;
        }
        // Orders have been placed to know what they cost.
        let mut placed_already = false;
        if rewritten == 0 && !options.quick && split_where_crowded(kernel, memory, work)? {
            let current = work.as_ref().unwrap_or(kernel);
            let fits = order::may_fit(current, &memory.order) || !memory.flow.calls().is_empty();
            match reordered(current, memory)? {
                Reordered::Better(better) => {
                    // What does not fit when packed would not fit in turn.
                    placed_already = !memory.placed[2].spilled.is_empty();
                    rotate &= !placed_already;
                    if let Some(before) = work.replace(better) {
                        memory.pool.keep_kernel(before);
                    }
                }
                Reordered::AsItWas { placed } => {
                    placed_already = placed;
                    rotate &= fits;
                }
            }
        }
        let AllocationMemory { pool, flow, history, now, placing, placed, placed_other, .. } = memory;
        let AllocationMemory { lost, backing, plan, plan_other, remat, spill, of_lanes, liveness, .. } =
            memory;
        let [flags, addresses, general] = placed;
        let current = work.as_ref().unwrap_or(kernel);
        placing.place_small(current, now, options, (flags, addresses), lost)?;
        if !lost.is_empty() {
            let work = work.get_or_insert_with(|| copy::copy(kernel, pool));
            let known = (&now.accesses, &now.live);
            stats.flag_spills += backing::split(work, lost, history, known, backing, pool);
            continue;
        }
        remat.clear();
        if rotate {
            let (now, places) = (&*now, (&mut *general, &mut *placed_other));
            rotate = placing.try_general(current, (now, now.sharing(), remat), true, places, is_complete)?;
        }
        if !rotate && !placed_already {
            if !options.quick {
                now.find_costs(current, flow);
            }
            placing.place(current, VarClass::General, now, false, general)?;
        }
        // Whether what spilling adds fits beside what was placed: then all else keeps its place.
        let mut fits = true;
        if !general.spilled.is_empty() {
            if flow.any_divergence {
                of_lanes.of_lanes(current, &now.accesses, flow, liveness);
            }
            let (of_lanes, sharing) = match flow.any_divergence {
                true => (&*of_lanes, Sharing::ByLane(of_lanes)),
                false => (&now.live, now.sharing()),
            };
            if !options.quick {
                let (accesses, live) = (&now.accesses, &now.live);
                remat.find(remat::Context { kernel: current, accesses, flow, live, of_lanes });
            }
            if flow.any_divergence || remat.any() {
                placing.place_cheaper(current, (now, sharing, remat), (general, placed_other))?;
            }
            let Analysis { accesses, live, costs, .. } = &*now;
            let known = Known { kernel: current, accesses, live, costs, remat };
            let mut planned = placing.plan((known, flow), plan, general);
            if !options.quick && planned != Planned::NOTHING {
                placing.aims.crowds = true;
                let (plans, places) = ((&mut *plan, &mut *plan_other), (&mut *general, &mut *placed_other));
                planned = placing.plan_cheaper((now, sharing), (known, flow), planned, plans, places)?;
                placing.aims.crowds = false;
            }
            fits = planned.fits;
        }
        if !general.spilled.is_empty() {
            let work = work.get_or_insert_with(|| copy::copy(kernel, pool));
            let spilled = (&general.spilled[..], &*plan, &now.live, &*remat);
            let count = match spill::spill(work, spilled, history, &mut space, spill, pool) {
                // The code is as it was, but for the header that makes room.
                Err(Error::ScratchFull { .. }) if space.advance(work) => continue,
                count => count?,
            };
            stats.rounds += 1;
            stats.spills += count.spills;
            stats.fills += count.fills;
            if !fits || count.surfaces > 0 {
                continue;
            }
            if options.check {
                now.accesses.collect(work, flow, history)?;
                now.composites.find(&mut now.accesses);
            }
        }
        for (class, p) in
            [(VarClass::Flag, &*flags), (VarClass::Address, &*addresses), (VarClass::General, &*general)]
        {
            if let Some(var) = p.failed {
                return Err(Error::OutOfRegisters { class, var });
            }
        }
        for p in [flags, addresses] {
            for (to, from) in general.at.iter_mut().zip(&p.at) {
                if *from != place::UNPLACED {
                    *to = *from;
                }
            }
        }
        let done = work.as_ref().unwrap_or(kernel);
        if options.check {
            check::check(done, &now.accesses, flow, history, &general.at)?;
        }
        stats.grfs_used = general.used.div_ceil(u32::from(kernel.platform.caps().regs.grf_bytes));
        stats.scratch_bytes = space.top - kernel.spill_offset;
        return Ok(stats);
    }
    Err(Error::NoEnd(MAX_ROUNDS))
}

/// Splits flags and addresses until all find places. Returns the number of copies added.
fn split_small(
    kernel: &Kernel<Virtual>,
    options: &Options,
    memory: &mut AllocationMemory,
    work: &mut Option<Kernel<Virtual>>,
) -> Result<u32, Error> {
    let AllocationMemory { pool, flow, history, now, liveness, placing, placed, lost, backing, .. } = memory;
    let [flags, addresses, _] = placed;
    let mut copies = 0;
    for _ in 0..MAX_ROUNDS {
        options.watch.ask().map_err(Error::Stopped)?;
        let current = work.as_ref().unwrap_or(kernel);
        now.find_small(current, flow, history, liveness)?;
        placing.place_small(current, now, options, (flags, addresses), lost)?;
        if lost.is_empty() {
            return Ok(copies);
        }
        let work = work.get_or_insert_with(|| copy::copy(kernel, pool));
        copies += backing::split(work, lost, history, (&now.accesses, &now.live), backing, pool);
    }
    Err(Error::NoEnd(MAX_ROUNDS))
}

/// Splits variables if more is alive somewhere than there is room for. Returns whether it still is: `work` is what
/// is known, if it was made.
fn split_where_crowded(
    kernel: &Kernel<Virtual>,
    memory: &mut AllocationMemory,
    work: &mut Option<Kernel<Virtual>>,
) -> Result<bool, Error> {
    let AllocationMemory { pool, flow, history, now, liveness, order, split, .. } = memory;
    if !order::is_crowded(kernel, &now.accesses, &now.live, order) {
        return Ok(false);
    }
    if !split.find(kernel) {
        return Ok(true);
    }
    let work = work.get_or_insert_with(|| copy::copy(kernel, pool));
    split.rename(work);
    now.find(work, flow, history, liveness, false)?;
    Ok(order::is_crowded(work, &now.accesses, &now.live, order))
}

/// What came of looking for another order.
enum Reordered {
    /// The kernel in an order that makes spilling cheaper.
    Better(Kernel<Virtual>),
    /// None does; whether general variables have been placed to know that.
    AsItWas { placed: bool },
}

/// Looks for an order that makes spilling cheaper. If one is found, what is known is then of that. If there was
/// one to look at, general variables have been placed, packed, in the order that remains. (To be asked before
/// flags and addresses are split into variables that depend on where they stand.)
fn reordered(kernel: &Kernel<Virtual>, memory: &mut AllocationMemory) -> Result<Reordered, Error> {
    let AllocationMemory { pool, flow, now, other, liveness, order, placing, placed, placed_other, .. } =
        memory;
    let Some(kernel_ordered) = order::order(kernel, &now.accesses, &now.live, order, pool) else {
        return Ok(Reordered::AsItWas { placed: false });
    };
    let general = &mut placed[2];
    now.find_costs(kernel, flow);
    placing.place(kernel, VarClass::General, now, false, general)?;
    let none = Remat::default();
    let written = cost_of(general, now, &none);
    other.reorder(now, (&kernel_ordered, order.moved()), flow, liveness);
    other.find_costs(&kernel_ordered, flow);
    let (tried, places) = (&*other, (general, placed_other));
    let better = |p: &Placement| cost_of(p, tried, &none) < written;
    if placing.try_general(&kernel_ordered, (tried, tried.sharing(), &none), false, places, better)? {
        std::mem::swap(now, other);
        return Ok(Reordered::Better(kernel_ordered));
    }
    pool.keep_kernel(kernel_ordered);
    Ok(Reordered::AsItWas { placed: true })
}
