//! The rounds of an allocation: place, and rewrite what finds no place, until all have one.

mod ordering;
mod spilling;

use crate::{
    AllocStats, Error, Options, Placed,
    analysis::{
        Analysis, calls,
        flow::Flow,
        history::History,
        liveness::{self, Liveness},
    },
    apply,
    arf::{pressure, split as arf_split},
    check, copy,
    order::{self, Search},
    place::{File, InPlace, Placement, Strategy, copies},
    placing::{Aims, Placing},
    side_by_side::{self, SideBySide},
    spill::{
        self,
        extend::Extension,
        leftover::Leftovers,
        pack::Packing,
        plan::{Plan, Serves},
        remat::Remat,
        scratch_space::ScratchSpace,
    },
    split::Splitter,
};
use gen_ir::{Kernel, Physical, Pool, Var, VarClass, VarId, Virtual};
use narrow::as_index;

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
    side_by_side: SideBySide,
    /// Flags, addresses, general variables.
    placed: [Placement; 3],
    /// General variables placed otherwise.
    placed_other: Placement,
    /// General variables in a whole allocation that another is compared with.
    placed_before: Placement,
    /// Where lanes that run need them.
    of_lanes: Liveness,
    unplaced: Vec<VarId>,
    pressure: pressure::PressureMemory,
    arf_split: arf_split::ArfSplitMemory,
    plan: Plan,
    /// What spilling adds to the other placement.
    plan_other: Plan,
    remat: Remat,
    extension: Extension,
    leftovers: Leftovers,
    packing: Packing,
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

    /// The code of a kernel whose variables have been placed.
    fn apply(&self, done: &Kernel<Virtual>, pool: &mut Pool<Physical>) -> Kernel<Physical> {
        let [.., general] = &self.placed;
        apply::apply(done, &general.at, pool)
    }

    /// The same, of which instructions have their numbers as origins; what was given places is kept.
    fn apply_and_keep(&mut self, done: &Kernel<Virtual>, pool: &mut Pool<Physical>) -> Kernel<Physical> {
        let [.., general] = &self.placed;
        let at = general.at.raw.clone();
        let origins = done.insts().map(|(_, inst)| inst.origin).collect();
        self.kept = Some(Placed { kernel: copy::copy(done, &mut self.pool), at, origins });
        let numbered = copy::numbered(done, &mut self.pool);
        let code = self.apply(&numbered, pool);
        self.pool.keep_kernel(numbered);
        code
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
    if kernel.vars.len() >= as_index(u32::MAX / 64) || kernel.inst_count() >= as_index(u32::MAX / 64) {
        return Err(Error::TooLarge);
    }
    memory.flow.forget();
    let addressed = |var: &Var| var.address_taken && var.class == VarClass::General;
    let mut aims = Aims::default();
    loop {
        memory.placing.aims = aims;
        let result = cheapest(kernel, options, memory).map(|Done { rewritten, mut stats, .. }| {
            let done = rewritten.as_ref().unwrap_or(kernel);
            let code =
                if options.keep { memory.apply_and_keep(done, pool) } else { memory.apply(done, pool) };
            if let Some(rewritten) = rewritten {
                memory.pool.keep_kernel(rewritten);
            }
            stats.addressed = code.addressed;
            (code, stats)
        });
        // Groups want several registers at once, and temporaries of several instructions are alive between those. What is
        // accessed through addresses is loaded whole for that, so it is spilled where nothing else helps.
        let hopeless = result.as_ref().is_err_and(is_hopeless);
        aims = match aims {
            _ if !hopeless => return result,
            Aims { serves: Serves::Group, .. } => Aims { serves: Serves::Variable, ..aims },
            Aims { serves: Serves::Variable, .. } => Aims { serves: Serves::Instruction, ..aims },
            Aims { spill_addressed: false, .. } if kernel.vars.iter().any(addressed) => {
                Aims { spill_addressed: true, serves: Serves::Variable, ..aims }
            }
            _ => return result,
        };
    }
}

/// An allocation that is over; where general variables are is in the memory.
struct Done {
    /// The kernel as it was rewritten, if it was.
    rewritten: Option<Kernel<Virtual>>,
    /// Instructions are in an order far from what was written.
    is_far: bool,
    /// What spilling costs, in messages, worth more in loops.
    cost: f32,
    stats: AllocStats,
}

/// Allocates in the order of instructions that lets most variables have registers, as far as can be told before any are
/// spilled. If that is far from what was written and some are, another allocation stays near, and the one counts in which
/// spilling costs less.
fn cheapest(
    kernel: &Kernel<Virtual>,
    options: &Options,
    memory: &mut AllocationMemory,
) -> Result<Done, Error> {
    let far = once(kernel, options, memory, (&[Search::LeastAlive, Search::DepthFirst], !options.quick));
    match &far {
        Ok(done) if !done.is_far || done.cost == 0.0 => return far,
        Err(e) if !is_hopeless(e) => return far,
        _ => {}
    }
    std::mem::swap(&mut memory.placed[2], &mut memory.placed_before);
    let near = once(kernel, options, memory, (&[Search::LeastAlive], false));
    let is_far_better = match (&near, &far) {
        (Ok(near), Ok(far)) => far.cost < near.cost,
        (near, _) => near.is_err(),
    };
    let (taken, other) = if is_far_better { (far, near) } else { (near, far) };
    if is_far_better {
        std::mem::swap(&mut memory.placed[2], &mut memory.placed_before);
    }
    if let Ok(Done { rewritten: Some(other), .. }) = other {
        memory.pool.keep_kernel(other);
    }
    match taken {
        // An order may stretch what has to be short; the written one may do.
        Err(e) if !options.quick && is_hopeless(&e) => {
            once(kernel, options, memory, (&[], false)).map_err(|_| e)
        }
        taken => taken,
    }
}

/// Allocates in the best order that such searches find; before that, if it is to be tried (`keeps_order`), in the one that was
/// written, which counts if all that finds no place can be computed again. Orders in which less is alive put loads
/// just before their readers, which wait then: products of matrices take a fourth of the modelled cycles as they were
/// written.
fn once(
    kernel: &Kernel<Virtual>,
    options: &Options,
    memory: &mut AllocationMemory,
    (searches, mut keeps_order): (&[Search], bool),
) -> Result<Done, Error> {
    // A function saves those of its callers' registers that it takes.
    memory.placing.renames = !options.quick && !kernel.outside;
    let mut packs = false;
    loop {
        memory.history.clear();
        let mut rounds = Rounds { packs, keeps_order, ..Rounds::new(kernel, options, memory, searches) };
        let result = rounds.run();
        let Rounds { rewritten, is_far, cost, stats, keeps_order: as_written, .. } = rounds;
        if let Ok(End::Placed) = result {
            return Ok(Done { rewritten, is_far, cost, stats });
        }
        if let Some(rewritten) = rewritten {
            memory.pool.keep_kernel(rewritten);
        }
        match result {
            Ok(End::Packed) => packs = true,
            Err(e) if !(as_written && is_hopeless(&e)) => return Err(e),
            _ => (keeps_order, packs) = (false, false),
        }
    }
}

/// Whether there are no registers for what cannot be spilled, or for what spilling adds.
const fn is_hopeless(error: &Error) -> bool {
    matches!(error, Error::OutOfRegisters { .. } | Error::NoEnd(_))
}

/// How the rounds of an allocation end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    /// All have places.
    Placed,
    /// All is to begin anew, with what stands apart packed.
    Packed,
    /// All is to begin anew, in another order.
    TakesMessages,
}

/// An allocation under way.
struct Rounds<'a> {
    kernel: &'a Kernel<Virtual>,
    options: &'a Options,
    memory: &'a mut AllocationMemory,
    /// The kernel as it was rewritten, if it was.
    rewritten: Option<Kernel<Virtual>>,
    /// What spilling has taken so far.
    space: ScratchSpace,
    /// Registers are taken in turn, unless they are scarce: packing them from the lowest on means fewer spills.
    in_turn: bool,
    /// Taking them in turn has failed in the code at hand even where those of waiting lanes share.
    by_lane_failed: bool,
    /// How often sources were made to live longer.
    extensions: u32,
    /// What is left of answers was looked for.
    leftovers_seen: bool,
    /// What stands apart is packed where too much is alive.
    packs: bool,
    /// Instructions stay in the order that was written, unless that takes messages.
    keeps_order: bool,
    /// How another order is looked for.
    searches: &'a [Search],
    is_far: bool,
    /// What the spilling of all rounds costs.
    cost: f32,
    stats: AllocStats,
}

/// What general variables have been given so far.
#[derive(Clone, Copy, PartialEq, Eq)]
enum GeneralPlaces {
    None,
    /// Places packed from the lowest on, if they found any.
    Packed,
    /// Places, all of them.
    Complete,
}

impl Rounds<'_> {
    fn new<'a>(
        kernel: &'a Kernel<Virtual>,
        options: &'a Options,
        memory: &'a mut AllocationMemory,
        searches: &'a [Search],
    ) -> Rounds<'a> {
        Rounds {
            kernel,
            options,
            memory,
            rewritten: None,
            space: ScratchSpace::from(kernel.spill_offset),
            in_turn: !options.quick,
            by_lane_failed: false,
            extensions: 0,
            leftovers_seen: false,
            packs: false,
            keeps_order: false,
            searches,
            is_far: false,
            cost: 0.0,
            stats: AllocStats::default(),
        }
    }

    /// Rewrites until everything has a place, which is then left with the general variables' places; or until less would be
    /// alive from the start.
    fn run(&mut self) -> Result<End, Error> {
        // Flags and addresses that may find no place are split before anything is known of the rest, for which that
        // makes more instructions.
        let split = pressure::may_be_high(self.kernel, &mut self.memory.pressure);
        if split {
            self.split_arf()?;
        }
        if self.place_side_by_side(split)? {
            return self.finish();
        }
        for round in 0..MAX_ROUNDS {
            self.analyse()?;
            let first = round == 0 && !self.options.quick;
            let placed = if first { self.find_order()? } else { GeneralPlaces::None };
            if !self.place_arf()? {
                self.split_arf()?;
                continue;
            }
            self.place_general(placed)?;
            let end =
                if self.memory.placed[2].spilled.is_empty() { Some(End::Placed) } else { self.spill()? };
            match end {
                Some(End::Placed) => return self.finish(),
                Some(end) => return Ok(end),
                None => {}
            }
        }
        Err(Error::NoEnd(MAX_ROUNDS))
    }

    /// Finds the control flow, which no rewriting changes, where it is first asked for. More subroutines inside each other than
    /// there are registers for their return addresses are not looked at further.
    fn find_flow(&mut self) -> Result<(), Error> {
        let (kernel, flow) = (self.kernel, &mut self.memory.flow);
        flow.find_once(kernel);
        let file = File::of(kernel, VarClass::General, Strategy::Packed);
        if let Some(call) = calls::too_deep(flow, as_index(file.regs * file.reg_bytes() / RETURN_ADDRESS))
            && let Some(var) = kernel.blocks[call.site.index()].insts.last().and_then(|i| i.dst.reg()?.var())
        {
            return Err(Error::OutOfRegisters { class: VarClass::General, var });
        }
        Ok(())
    }

    /// Finds what is known of the kernel as it stands.
    fn analyse(&mut self) -> Result<(), Error> {
        self.options.watch.ask().map_err(Error::Stopped)?;
        self.find_flow()?;
        self.by_lane_failed = false;
        let AllocationMemory { flow, history, now, liveness, .. } = &mut *self.memory;
        now.find(self.rewritten.as_ref().unwrap_or(self.kernel), flow, history, liveness, self.options.quick)
    }

    /// Gives all variables registers of their own, if there is room; of flags and addresses, where these are too many,
    /// lives are looked at, if they have no places yet. Returns whether all have.
    fn place_side_by_side(&mut self, arf_placed: bool) -> Result<bool, Error> {
        let AllocationMemory { side_by_side, placed, .. } = &mut *self.memory;
        let [flags, addresses, general] = placed;
        let current = self.rewritten.as_ref().unwrap_or(self.kernel);
        let copies = || !self.options.quick && copies::may_be_left_out(current);
        if !side_by_side::may_fit(current) || copies() || !side_by_side.place_general(current, general) {
            return Ok(false);
        }
        let arf_placed = arf_placed
            || side_by_side.place_arf(current, VarClass::Flag, flags)
                && side_by_side.place_arf(current, VarClass::Address, addresses);
        if !arf_placed {
            self.find_arf()?;
            if !self.place_arf()? {
                return Ok(false);
            }
        }
        if self.options.check {
            self.find_flow()?;
            let AllocationMemory { flow, history, now, .. } = &mut *self.memory;
            now.accesses.collect(self.rewritten.as_ref().unwrap_or(self.kernel), flow, history)?;
            now.composites.find(&mut now.accesses);
        }
        Ok(true)
    }

    /// Finds what is known of flags and addresses alone.
    fn find_arf(&mut self) -> Result<(), Error> {
        self.find_flow()?;
        let AllocationMemory { flow, history, now, liveness, .. } = &mut *self.memory;
        now.find_arf(self.rewritten.as_ref().unwrap_or(self.kernel), flow, history, liveness)
    }

    /// Splits flags and addresses until all find places.
    fn split_arf(&mut self) -> Result<(), Error> {
        for _ in 0..MAX_ROUNDS {
            self.options.watch.ask().map_err(Error::Stopped)?;
            self.find_arf()?;
            if self.place_arf()? {
                return Ok(());
            }
        }
        Err(Error::NoEnd(MAX_ROUNDS))
    }

    /// Places flags and addresses, and returns whether all find places; those that do not are split.
    fn place_arf(&mut self) -> Result<bool, Error> {
        let AllocationMemory { pool, history, now, placing, placed, unplaced, arf_split, .. } =
            &mut *self.memory;
        let [flags, addresses, _] = placed;
        let current = self.rewritten.as_ref().unwrap_or(self.kernel);
        placing.place_arf(current, now, self.options, (flags, addresses), unplaced)?;
        if unplaced.is_empty() {
            return Ok(true);
        }
        let kernel = self.rewritten.get_or_insert_with(|| copy::copy(self.kernel, pool));
        let known = (&now.accesses, &now.live);
        self.stats.flag_spills += arf_split::split(kernel, unplaced, history, known, arf_split, pool);
        Ok(false)
    }

    /// Places general variables, in turn or packed, unless they are `placed` already.
    fn place_general(&mut self, placed: GeneralPlaces) -> Result<(), Error> {
        self.memory.remat.clear();
        self.memory.placing.aims.in_place = InPlace::First;
        if placed == GeneralPlaces::Complete {
            return Ok(());
        }
        if self.in_turn && self.lanes_have_room() && self.place_in_turn_by_lane()? {
            return Ok(());
        }
        let AllocationMemory { flow, now, placing, placed: places, placed_other, remat, .. } =
            &mut *self.memory;
        let general = &mut places[2];
        let current = self.rewritten.as_ref().unwrap_or(self.kernel);
        if self.in_turn {
            let known = (&*now, now.sharing(), &*remat);
            self.in_turn = placing.try_in_turn(current, known, (&mut *general, placed_other))?;
        }
        if !self.in_turn && placed == GeneralPlaces::None {
            if !self.options.quick {
                now.find_costs(current, flow);
            }
            placing.place(current, VarClass::General, now, Strategy::Packed, general)?;
        }
        Ok(())
    }

    /// Takes all places together, and checks them.
    fn finish(&mut self) -> Result<End, Error> {
        let AllocationMemory { flow, history, now, placed: [flags, addresses, general], .. } =
            &mut *self.memory;
        let classes = [VarClass::Flag, VarClass::Address, VarClass::General];
        for (class, p) in classes.into_iter().zip([&*flags, addresses, general]) {
            if let Some(var) = p.failed {
                return Err(Error::OutOfRegisters { class, var });
            }
        }
        for p in [flags, addresses] {
            for (to, from) in general.at.iter_mut().zip(&p.at) {
                *to = from.or(*to);
            }
        }
        if self.options.check {
            let done = self.rewritten.as_ref().unwrap_or(self.kernel);
            check::check(done, &now.accesses, flow, history, &general.at)?;
        }
        let grf_bytes = u32::from(self.kernel.platform.caps().regs.grf_bytes);
        self.stats.grfs_used = general.used.div_ceil(grf_bytes);
        self.stats.scratch_bytes = self.space.top - self.kernel.spill_offset;
        Ok(End::Placed)
    }
}
