//! Register allocation: variables of a structured kernel become registers.
//!
//! In: a [`Kernel<Virtual>`] after structurization and legalization. Out: the same code as
//! [`Kernel<Physical>`], plus spill code.
//!
//! ```text
//! access     who touches which bytes            points_to  what indirect operands may touch
//! flow       the graph, waits, loop depth       subranges  parts of variables as sets of bits
//! facts      what accesses say of a variable    composite  what several writes define together
//! dataflow   liveness across blocks
//! liveness   live ranges in layout order        place      a place for each, or a spill list
//! matrix     when registers are in use          backing    flags, addresses to GRFs
//! small      whether those may find no place    fit        a place for what is planned beside the others
//! plan       what spilling will add
//! spill      general variables to memory        slots      places there
//! memory     how far messages reach there      costs      what spilling costs, and where it helps
//! join       temporaries that one can be        residence  where registers keep what memory has
//! groups     what one message moves             copy       a kernel to rewrite
//! order      fewer alive at a time
//! copies     what would best have one place
//! split      variables of several parts       remat      what is computed again instead of spilled
//! apply      variables to registers             calls      what passes by subroutines
//! check      proof that no value is lost
//! ```
//!
//! **What holds.** At no position do two variables share a byte while both are needed, by the lanes that
//! run or by lanes that wait elsewhere; so no layout or mask of a write can harm another value. `check`
//! proves it for each result, from the accesses alone, and the replay tests run random kernels before
//! and after.
//!
//! **Subroutines.** What a subroutine does not write passes by it, at each call by itself: values alive across
//! different calls share registers, and none of them is alive in the other's surroundings (`calls`,
//! `liveness`, `Sharing::InCalls`).
//!
//! **Why not regalloc2** for flags and addresses: it wants SSA and puts moves on edges, but flags are
//! written lane by lane and cross blocks of divergent flow, whose edges have no place for
//! a move. The same scan that places general variables as byte ranges places flags (8 or 16 bytes) and
//! `a0` (32 bytes) too, backed by general registers, and costs them next to nothing: one liveness
//! serves all three files. On what both can express, uniform flow over values of one register and flags, ours is
//! held against it: `tests/beside_regalloc2.rs` has regalloc2's checker judge our allocations, and where regalloc2
//! gives every value one register for good, so do we. `REGALLOC2.md` has what it would gain and cost, measured.
//!
//! The stages up to `place` run in rounds: when something finds no place, code is rewritten (`backing`,
//! `spill`) so that it needs one for a few instructions only, and the next round starts afresh. What
//! spilling adds is first tried beside all that was placed (`fit`): if it fits, that was the last round.

// A number is made narrower by name (the crate `narrow`) or with an error.
#![cfg_attr(
    not(test),
    deny(
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        clippy::cast_sign_loss,
        clippy::cast_lossless
    )
)]

mod access;
mod apply;
mod backing;
mod calls;
mod check;
mod composite;
mod copies;
mod copy;
mod costs;
mod dataflow;
mod error;
mod facts;
mod fit;
mod flow;
mod groups;
mod join;
mod liveness;
mod matrix;
mod memory;
mod order;
mod place;
mod plan;
mod points_to;
mod remat;
mod residence;
mod slots;
mod small;
mod spill;
mod split;
mod subranges;

pub use error::Error;
pub use split::Splitter;

use access::Accesses;
use backing::Backings;
use composite::Composites;
use copies::Copies;
use costs::Costs;
use facts::Needs;
use flow::Flow;
use gen_ir::{Kernel, Physical, Pool, Var, VarClass, VarId, Virtual, Watch};
use liveness::Liveness;
use memory::Memory;
use narrow::to_index;
use place::{File, Item, Placement, Sharing, place};
use plan::{Known, Plan};
use remat::Remat;

/// Rounds of rewriting after which an allocation is given up.
const MAX_ROUNDS: u32 = 24;

/// Choices of the caller.
#[derive(Clone, Debug)]
pub struct Options {
    /// Prove the result with the checker.
    pub check: bool,
    /// Take little time: registers are handed out from the lowest on, and nothing is looked for that would make
    /// spilling cheaper.
    pub quick: bool,
    /// Asked in every round.
    pub watch: Watch,
}

impl Default for Options {
    /// The checker is on in builds with debug assertions.
    fn default() -> Options {
        Options { check: cfg!(debug_assertions), quick: false, watch: Watch::NONE }
    }
}

/// What allocation cost.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct AllocStats {
    /// General registers from `r0` to the highest one used.
    pub grfs_used: u32,
    /// Messages that write spilled values to scratch memory.
    pub spills: u32,
    /// Messages that read them back.
    pub fills: u32,
    /// Bytes of scratch memory used for spills, from `Kernel::spill_offset` on.
    pub scratch_bytes: u32,
    /// Flag and address values moved to general registers and back.
    pub flag_spills: u32,
    /// How often general variables were spilled, each time from another placement.
    pub rounds: u32,
}

/// Memory that one allocation leaves to the next: then the same kernel again asks the allocator of memory for
/// nothing.
#[derive(Default)]
pub struct Scratch {
    pool: Pool<Virtual>,
    flow: Flow,
    backings: Backings,
    now: Analysis,
    /// The same of another order of instructions.
    other: Analysis,
    liveness: liveness::Scratch,
    order: order::Scratch,
    split: Splitter,
    placing: Placing,
    /// Flags, addresses, general variables.
    placed: [Placement; 3],
    /// General variables placed otherwise.
    placed_other: Placement,
    /// Where lanes that run need them.
    of_lanes: Liveness,
    lost: Vec<VarId>,
    small: small::Scratch,
    backing: backing::Scratch,
    plan: Plan,
    /// What spilling adds to the other placement.
    plan_other: Plan,
    remat: Remat,
    spill: spill::Scratch,
}

impl std::fmt::Debug for Scratch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Scratch").finish_non_exhaustive()
    }
}

/// What is known of a kernel as it stands.
#[derive(Default)]
struct Analysis {
    accesses: Accesses,
    composites: Composites,
    live: Liveness,
    /// Where variables live by themselves, and where they pass by subroutines. Known if there are any.
    apart: [Liveness; 2],
    any_calls: bool,
    copies: Copies,
    /// What spilling costs, if that was asked.
    costs: Costs,
}

impl Analysis {
    fn find(
        &mut self,
        kernel: &Kernel<Virtual>,
        flow: &Flow,
        backings: &mut Backings,
        scratch: &mut liveness::Scratch,
        quick: bool,
    ) -> Result<(), Error> {
        self.accesses.collect(kernel, flow, backings)?;
        self.composites.find(&mut self.accesses);
        self.live.compute(kernel, &self.accesses, flow, backings, scratch);
        self.tell_apart(kernel, flow, scratch);
        self.copies.find(kernel, !quick);
        self.costs.clear();
        Ok(())
    }

    /// Finds what is known of flags and addresses alone.
    fn find_small(
        &mut self,
        kernel: &Kernel<Virtual>,
        flow: &Flow,
        backings: &Backings,
        scratch: &mut liveness::Scratch,
    ) -> Result<(), Error> {
        self.accesses.collect_small(kernel, flow)?;
        self.live.compute(kernel, &self.accesses, flow, backings, scratch);
        self.tell_apart(kernel, flow, scratch);
        self.copies.clear();
        self.costs.clear();
        Ok(())
    }

    /// The same instructions as those of `before` in another order within blocks: `moved` says where each stood.
    fn reorder(
        &mut self,
        before: &Analysis,
        (kernel, moved): (&Kernel<Virtual>, &[u32]),
        flow: &Flow,
        scratch: &mut liveness::Scratch,
    ) {
        self.accesses.reorder(&before.accesses, moved);
        self.composites.find(&mut self.accesses);
        self.live.within_blocks(kernel, &self.accesses, flow, scratch);
        self.tell_apart(kernel, flow, scratch);
        self.copies.find(kernel, true);
        self.costs.clear();
    }

    /// Finds what spilling costs, if it is not known yet.
    fn find_costs(&mut self, kernel: &Kernel<Virtual>, flow: &Flow) {
        if !self.costs.are_known() {
            self.costs.find(kernel, (&self.accesses, &self.live), flow, order::room(kernel));
        }
    }

    fn tell_apart(&mut self, kernel: &Kernel<Virtual>, flow: &Flow, scratch: &mut liveness::Scratch) {
        self.any_calls = !flow.calls().is_empty();
        if self.any_calls {
            Liveness::apart(self.apart.each_mut(), kernel, &self.accesses, flow, scratch);
        }
    }

    /// What may share registers with what else: in which some ranges of variables do not count for each other.
    fn sharing(&self) -> Sharing<'_> {
        if self.any_calls { Sharing::InCalls(&self.apart) } else { Sharing::None }
    }
}

/// Gives every variable a place. `scratch` and `pool` have memory for the work and for its result.
///
/// # Errors
///
/// Operands and variables that cannot be; registers or scratch memory that do not suffice.
pub fn allocate(
    kernel: &Kernel<Virtual>,
    options: &Options,
    scratch: &mut Scratch,
    pool: &mut Pool<Physical>,
) -> Result<(Kernel<Physical>, AllocStats), Error> {
    if kernel.vars.len() >= (u32::MAX / 64) as usize || kernel.inst_count() >= (u32::MAX / 64) as usize {
        return Err(Error::TooLarge);
    }
    scratch.flow.find(kernel);
    let addressed = |var: &Var| var.address_taken && var.class == VarClass::General;
    let mut aims = Aims::default();
    loop {
        scratch.backings.clear();
        // The kernel as it is rewritten.
        let mut work: Option<Kernel<Virtual>> = None;
        let result = rounds(kernel, (options, aims), scratch, &mut work).map(|stats| {
            let [.., general] = &scratch.placed;
            (apply::apply(work.as_ref().unwrap_or(kernel), &general.at, pool), stats)
        });
        if let Some(work) = work {
            scratch.pool.keep_kernel(work);
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
    scratch: &mut Scratch,
    work: &mut Option<Kernel<Virtual>>,
) -> Result<AllocStats, Error> {
    let mut stats = AllocStats::default();
    let mut memory = Memory::from(kernel.spill_offset);
    // Registers are taken in turn, unless they are scarce: packing them from the lowest on means fewer spills.
    let mut rotate = !options.quick;
    scratch.placing.aims = aims;
    // Flags and addresses that may find no place are split before anything is known of the rest, for which that
    // makes more instructions.
    if small::may_be_crowded(kernel, &mut scratch.small) {
        stats.flag_spills = split_small(kernel, options, scratch, work)?;
    }
    for rewritten in 0..MAX_ROUNDS {
        options.watch.ask().map_err(Error::Stopped)?;
        {
            let now = work.as_ref().unwrap_or(kernel);
            scratch.now.find(
                now,
                &scratch.flow,
                &mut scratch.backings,
                &mut scratch.liveness,
                options.quick,
            )?;
        }
        // Orders have been placed to know what they cost.
        let mut placed_already = false;
        if rewritten == 0 && !options.quick && split_where_crowded(kernel, scratch, work)? {
            let current = work.as_ref().unwrap_or(kernel);
            let fits = order::may_fit(current, &scratch.order) || !scratch.flow.calls().is_empty();
            match reordered(current, scratch)? {
                Reordered::Better(better) => {
                    // What does not fit when packed would not fit in turn.
                    placed_already = !scratch.placed[2].spilled.is_empty();
                    rotate &= !placed_already;
                    if let Some(before) = work.replace(better) {
                        scratch.pool.keep_kernel(before);
                    }
                }
                Reordered::AsItWas { placed } => {
                    placed_already = placed;
                    rotate &= fits;
                }
            }
        }
        let Scratch { pool, flow, backings, now, placing, placed, placed_other, .. } = scratch;
        let Scratch { lost, backing, plan, plan_other, remat, spill, of_lanes, liveness, .. } = scratch;
        let [flags, addresses, general] = placed;
        let current = work.as_ref().unwrap_or(kernel);
        placing.place_small(current, now, options, (flags, addresses), lost)?;
        if !lost.is_empty() {
            let work = work.get_or_insert_with(|| copy::copy(kernel, pool));
            let known = (&now.accesses, &now.live);
            stats.flag_spills += backing::split(work, lost, backings, known, backing, pool);
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
            let count = match spill::spill(work, spilled, backings, &mut memory, spill, pool) {
                // The code is as it was, but for the header that makes room.
                Err(Error::ScratchFull { .. }) if memory.advance(work) => continue,
                count => count?,
            };
            stats.rounds += 1;
            stats.spills += count.spills;
            stats.fills += count.fills;
            if !fits || count.surfaces > 0 {
                continue;
            }
            if options.check {
                now.accesses.collect(work, flow, backings)?;
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
            check::check(done, &now.accesses, flow, backings, &general.at)?;
        }
        stats.grfs_used = general.used.div_ceil(u32::from(kernel.platform.caps().regs.grf_bytes));
        stats.scratch_bytes = memory.top - kernel.spill_offset;
        return Ok(stats);
    }
    Err(Error::NoEnd(MAX_ROUNDS))
}

/// Splits flags and addresses until all find places. Returns the number of copies added.
fn split_small(
    kernel: &Kernel<Virtual>,
    options: &Options,
    scratch: &mut Scratch,
    work: &mut Option<Kernel<Virtual>>,
) -> Result<u32, Error> {
    let Scratch { pool, flow, backings, now, liveness, placing, placed, lost, backing, .. } = scratch;
    let [flags, addresses, _] = placed;
    let mut copies = 0;
    for _ in 0..MAX_ROUNDS {
        options.watch.ask().map_err(Error::Stopped)?;
        let current = work.as_ref().unwrap_or(kernel);
        now.find_small(current, flow, backings, liveness)?;
        placing.place_small(current, now, options, (flags, addresses), lost)?;
        if lost.is_empty() {
            return Ok(copies);
        }
        let work = work.get_or_insert_with(|| copy::copy(kernel, pool));
        copies += backing::split(work, lost, backings, (&now.accesses, &now.live), backing, pool);
    }
    Err(Error::NoEnd(MAX_ROUNDS))
}

/// Splits variables if more is alive somewhere than there is room for. Returns whether it still is: `work` is what
/// is known, if it was made.
fn split_where_crowded(
    kernel: &Kernel<Virtual>,
    scratch: &mut Scratch,
    work: &mut Option<Kernel<Virtual>>,
) -> Result<bool, Error> {
    let Scratch { pool, flow, backings, now, liveness, order, split, .. } = scratch;
    if !order::is_crowded(kernel, &now.accesses, &now.live, order) {
        return Ok(false);
    }
    if !split.find(kernel) {
        return Ok(true);
    }
    let work = work.get_or_insert_with(|| copy::copy(kernel, pool));
    split.rename(work);
    now.find(work, flow, backings, liveness, false)?;
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
fn reordered(kernel: &Kernel<Virtual>, scratch: &mut Scratch) -> Result<Reordered, Error> {
    let Scratch { pool, flow, now, other, liveness, order, placing, placed, placed_other, .. } = scratch;
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

/// Memory of placing.
#[derive(Default)]
struct Placing {
    /// General variables, and what their last placement leaves: it is asked for again.
    general: (Vec<Item>, place::Scratch),
    /// The same of a placement that is tried beside it.
    other: (Vec<Item>, place::Scratch),
    fit: fit::Scratch,
    /// Flags and addresses.
    small: (Vec<Item>, place::Scratch),
    aims: Aims,
}

/// What may be spilled, and where that is to make room.
#[derive(Clone, Copy, Default)]
struct Aims {
    /// What is accessed through addresses may be spilled.
    spill_addressed: bool,
    /// Room counts where too much is alive.
    crowds: bool,
    /// What is spilled is in no groups.
    alone: bool,
}

/// What is known of a placement once spilling is planned.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Planned {
    /// What spilling adds has places, too.
    fits: bool,
    /// What that costs, in messages, worth more in loops.
    cost: f32,
}

impl Planned {
    /// All have places.
    const NOTHING: Planned = Planned { fits: true, cost: 0.0 };

    /// What fits is better than what makes others be placed again.
    fn is_better_than(self, other: Planned) -> bool {
        (!self.fits, self.cost) < (!other.fits, other.cost)
    }
}

impl Placing {
    /// Places general variables another way, beside `general`, their placement so far. If it is `better`, it becomes
    /// that; else all is as it was.
    fn try_general(
        &mut self,
        kernel: &Kernel<Virtual>,
        sharing: (&Analysis, Sharing<'_>, &Remat),
        rotate: bool,
        (general, other): (&mut Placement, &mut Placement),
        better: impl FnOnce(&Placement) -> bool,
    ) -> Result<bool, Error> {
        std::mem::swap(&mut self.general, &mut self.other);
        self.place_with(kernel, VarClass::General, sharing, rotate, other)?;
        let found = better(other);
        if found {
            std::mem::swap(general, other);
        } else {
            std::mem::swap(&mut self.general, &mut self.other);
        }
        Ok(found)
    }

    /// Places general variables where some may share registers, for instance where waiting lanes may hold one in
    /// those of another that lanes write that run, each its own part; where some can be computed again; or with other
    /// aims. `general` is their placement without that; it becomes the one that costs less.
    fn place_cheaper(
        &mut self,
        kernel: &Kernel<Virtual>,
        (known, sharing, remat): (&Analysis, Sharing<'_>, &Remat),
        (general, other): (&mut Placement, &mut Placement),
    ) -> Result<(), Error> {
        let (failed, cost) = (general.failed.is_some(), cost_of(general, known, remat));
        let better = |p: &Placement| failed || p.failed.is_none() && cost_of(p, known, remat) < cost;
        self.try_general(kernel, (known, sharing, remat), false, (general, other), better)?;
        Ok(())
    }

    /// Plans the spilling of what found no place among the general variables that were placed last, and puts what that
    /// adds beside the others. More of them may be spilled for that.
    fn plan(
        &mut self,
        (known, flow): (Known<'_>, &Flow),
        plan: &mut Plan,
        general: &mut Placement,
    ) -> Planned {
        if general.spilled.is_empty() && general.failed.is_none() {
            return Planned::NOTHING;
        }
        plan.make(&general.spilled, known, self.aims.alone);
        let fits = general.failed.is_none() && !plan.has_windows() && self.fit((known, flow), plan, general);
        Planned { fits, cost: plan.cost(known, flow) }
    }

    /// Places general variables with other aims, beside `general`, a placement of which `planned` is known, and takes what
    /// costs less, with its plan.
    fn plan_cheaper(
        &mut self,
        (analysis, sharing): (&Analysis, Sharing<'_>),
        (known, flow): (Known<'_>, &Flow),
        planned: Planned,
        (plan, plan_other): (&mut Plan, &mut Plan),
        (general, other): (&mut Placement, &mut Placement),
    ) -> Result<Planned, Error> {
        std::mem::swap(&mut self.general, &mut self.other);
        self.place_with(known.kernel, VarClass::General, (analysis, sharing, known.remat), false, other)?;
        let tried = self.plan((known, flow), plan_other, other);
        let better = other.failed.is_none() && tried.is_better_than(planned) || general.failed.is_some();
        if !better {
            std::mem::swap(&mut self.general, &mut self.other);
            return Ok(planned);
        }
        std::mem::swap(general, other);
        std::mem::swap(plan, plan_other);
        Ok(tried)
    }

    /// Puts what `plan` adds beside the general variables that were placed last. Returns whether all of it
    /// fits.
    fn fit(&mut self, (known, flow): (Known<'_>, &Flow), plan: &mut Plan, general: &mut Placement) -> bool {
        let caps = known.kernel.platform.caps();
        let file = File::of(known.kernel, VarClass::General, false);
        // As for all that messages write.
        let regs = if caps.sends.to_r127 { file.regs } else { file.regs.min(127) };
        let regs = regs.min(file.regs.saturating_sub(known.kernel.reserved.into()));
        let limits = (file.reg_bytes(), regs * file.reg_bytes());
        let (items, scan) = &mut self.general;
        let in_calls = !flow.calls().is_empty();
        let placed = fit::Placed { file, limits, items, known, flow, in_calls };
        fit::fit(&placed, plan, scan, &mut self.fit, general)
    }

    /// Places the variables of a class in places taken in turn, if all find one, and returns whether they do.
    /// If not, they are packed.
    fn place_in_turn(
        &mut self,
        kernel: &Kernel<Virtual>,
        class: VarClass,
        known: &Analysis,
        out: &mut Placement,
    ) -> Result<bool, Error> {
        self.place(kernel, class, known, true, out)?;
        if is_complete(out) {
            return Ok(true);
        }
        self.place(kernel, class, known, false, out)?;
        Ok(false)
    }

    /// Places flags and addresses, and notes which find no place.
    fn place_small(
        &mut self,
        kernel: &Kernel<Virtual>,
        known: &Analysis,
        options: &Options,
        (flags, addresses): (&mut Placement, &mut Placement),
        lost: &mut Vec<VarId>,
    ) -> Result<(), Error> {
        if options.quick {
            self.place(kernel, VarClass::Flag, known, false, flags)?;
        } else {
            self.place_in_turn(kernel, VarClass::Flag, known, flags)?;
        }
        self.place(kernel, VarClass::Address, known, false, addresses)?;
        lost.clear();
        lost.extend(flags.spilled.iter().chain(&addresses.spilled));
        Ok(())
    }

    /// Places the variables of a class.
    fn place(
        &mut self,
        kernel: &Kernel<Virtual>,
        class: VarClass,
        known: &Analysis,
        rotate: bool,
        out: &mut Placement,
    ) -> Result<(), Error> {
        self.place_with(kernel, class, (known, known.sharing(), &Remat::default()), rotate, out)
    }

    /// The same, where some may share registers although both are alive.
    fn place_with(
        &mut self,
        kernel: &Kernel<Virtual>,
        class: VarClass,
        (known, sharing, remat): (&Analysis, Sharing<'_>, &Remat),
        rotate: bool,
        out: &mut Placement,
    ) -> Result<(), Error> {
        let file = File::of(kernel, class, rotate);
        let aims = self.aims;
        let (items, scan) = if class == VarClass::General { &mut self.general } else { &mut self.small };
        items.clear();
        for (v, var) in kernel.vars.iter().enumerate() {
            if var.class == class && !known.live.of(v).is_empty() {
                items.push(item(
                    kernel,
                    VarId(to_index(v)),
                    known,
                    (file, matches!(sharing, Sharing::ByLane(_)), aims),
                    remat,
                )?);
            }
        }
        place(file, items, (&known.live, sharing, &known.copies), kernel.vars.len(), scan, out);
        Ok(())
    }
}

/// Whether all found a place.
fn is_complete(placement: &Placement) -> bool {
    placement.spilled.is_empty() && placement.failed.is_none()
}

/// What spilling a placement's variables costs: their accesses, worth more in loops.
fn cost_of(placement: &Placement, known: &Analysis, remat: &Remat) -> f32 {
    placement.spilled.iter().map(|&v| known.costs.of(v, &known.accesses, remat)).sum()
}

/// What the scan has to know of a variable; `lanes`: whether waiting lanes are to be told from others;
/// `aims`: what may be spilled, and for what.
fn item(
    kernel: &Kernel<Virtual>,
    id: VarId,
    known: &Analysis,
    (file, lanes, aims): (File, bool, Aims),
    remat: &Remat,
) -> Result<Item, Error> {
    let (var, ranges) = (&kernel.vars[id.index()], known.live.of(id.index()));
    let fact = &known.accesses.facts[id.index()];
    let size = file.regs * file.reg_bytes();
    let bad = |fault: String| Error::BadVariable { var: id, fault };
    if var.bytes == 0 || var.bytes > size {
        return Err(bad(format!("{} bytes, the register file has {size}", var.bytes)));
    }
    if var.align > 4096 || !var.align.max(1).is_power_of_two() {
        return Err(bad(format!("alignment {} is not a power of two up to 4096", var.align)));
    }
    // Naturally aligned up to a register: then no operand crosses more registers than it must.
    let natural = var.bytes.next_power_of_two().min(file.reg_bytes());
    let mut align = var.align.max(natural).max(1);
    if var.even_grf {
        align = align.max(2 * file.reg_bytes());
    }
    let by_lane = lanes && fact.is_lane_by_lane() && var.bytes.is_multiple_of(file.reg_bytes());
    if by_lane {
        align = align.max(facts::lane_bytes(kernel));
    }
    let fixed = var.fixed;
    let (mut low, mut high) = (0, size);
    if var.class == VarClass::General {
        // r0 stays what it is: messages to scratch memory need it.
        low = file.reg_bytes();
        if fact.needs.has(Needs::EOT) {
            low = low.max(file.regs.saturating_sub(16) * file.reg_bytes());
        } else if var.fixed.is_none() {
            high = size.saturating_sub(u32::from(kernel.reserved) * file.reg_bytes());
        }
        if fact.needs.has(Needs::RESPONSE) && !kernel.platform.caps().sends.to_r127 {
            high = high.min(127 * file.reg_bytes());
        }
    } else if var.class == VarClass::Address && fact.needs.has(Needs::DESC) {
        high = high.min(var.bytes.next_power_of_two());
    }
    if let Some(at) = fixed
        && at.checked_add(var.bytes).is_none_or(|end| end > size)
    {
        return Err(bad(format!("fixed at byte {at}, outside the register file")));
    }
    // Nobody else may have r0, and the prologue reads it before anything can be saved.
    let header = var.class == VarClass::General && fixed == Some(0);
    let stays = var.no_spill
        || header
        || var.address_taken && !aims.spill_addressed
        || var.live_out
        || (fixed.is_some() && !(var.live_in && var.class == VarClass::General))
        || fact.needs.has(Needs::EOT)
        || fact.needs.has(Needs::AT_END);
    let length: u32 = ranges.iter().map(|r| r.end - r.start).sum();
    // Each access through an address moves all of it.
    let moved = if var.address_taken { 1 + var.bytes / 256 } else { 1 };
    let messages = match var.class {
        VarClass::General => known.costs.of(id, &known.accesses, remat),
        _ => fact.weight,
    };
    let regs = var.bytes.div_ceil(file.reg_bytes());
    let room = if aims.crowds { known.costs.room(ranges, length, regs) } else { costs::room(length, regs) };
    let cost = if stays { f32::INFINITY } else { messages * moved as f32 / room };
    Ok(Item { var: id, bytes: var.bytes, align, fixed, low, high, cost, by_lane })
}

#[cfg(test)]
mod tests;
