//! The rounds of an allocation: place, and rewrite what finds no place, until all have one.

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
    check, copy, order,
    place::{File, Placement, Way, copies},
    placing::{Aims, Placing, cost_of, is_complete},
    side_by_side::{self, SideBySide},
    spill::{self, extend::Extension, plan::Plan, remat::Remat, scratch_space::ScratchSpace},
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
    memory.flow.find(kernel);
    let file = File::of(kernel, VarClass::General, Way::Packed);
    if let Some(call) = calls::too_deep(&memory.flow, as_index(file.regs * file.reg_bytes() / RETURN_ADDRESS))
        && let Some(var) = kernel.blocks[call.site.index()].insts.last().and_then(|i| i.dst.reg()?.var())
    {
        return Err(Error::OutOfRegisters { class: VarClass::General, var });
    }
    let addressed = |var: &Var| var.address_taken && var.class == VarClass::General;
    let mut aims = Aims::default();
    loop {
        memory.history.clear();
        memory.placing.aims = aims;
        let mut rounds = Rounds::new(kernel, options, memory);
        let result = rounds.run();
        let (stats, rewritten) = (rounds.stats, rounds.rewritten);
        let result = result.map(|()| {
            let done = rewritten.as_ref().unwrap_or(kernel);
            let code =
                if options.keep { memory.apply_and_keep(done, pool) } else { memory.apply(done, pool) };
            (code, stats)
        });
        if let Some(rewritten) = rewritten {
            memory.pool.keep_kernel(rewritten);
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
    /// How often sources were made to live longer.
    extensions: u32,
    stats: AllocStats,
}

/// What came of looking for another order.
enum Reordered {
    /// The kernel in an order in which all find places in turn, which they have.
    Fits(Kernel<Virtual>),
    /// The kernel in an order that makes spilling cheaper.
    Better(Kernel<Virtual>),
    /// None does; what general variables have been given to know that.
    AsItWas(GeneralPlaces),
}

/// What general variables have been given so far.
#[derive(Clone, Copy, PartialEq, Eq)]
enum GeneralPlaces {
    None,
    /// Places packed from the lowest on, if they found any.
    Packed,
    /// Places taken in turn, all of them.
    InTurn,
}

impl Rounds<'_> {
    fn new<'a>(
        kernel: &'a Kernel<Virtual>,
        options: &'a Options,
        memory: &'a mut AllocationMemory,
    ) -> Rounds<'a> {
        Rounds {
            kernel,
            options,
            memory,
            rewritten: None,
            space: ScratchSpace::from(kernel.spill_offset),
            in_turn: !options.quick,
            extensions: 0,
            stats: AllocStats::default(),
        }
    }

    /// Rewrites until everything has a place, which is then left with the general variables' places.
    fn run(&mut self) -> Result<(), Error> {
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
                continue;
            }
            self.place_general(placed)?;
            if self.memory.placed[2].spilled.is_empty() || self.spill()? {
                return self.finish();
            }
        }
        Err(Error::NoEnd(MAX_ROUNDS))
    }

    /// Finds what is known of the kernel as it stands.
    fn analyse(&mut self) -> Result<(), Error> {
        self.options.watch.ask().map_err(Error::Stopped)?;
        let AllocationMemory { flow, history, now, liveness, .. } = &mut *self.memory;
        now.find(self.rewritten.as_ref().unwrap_or(self.kernel), flow, history, liveness, self.options.quick)
    }

    /// Gives all variables registers of their own, if there is room; of flags and addresses, where these are too many,
    /// lives are looked at, if they have no places yet. Returns whether all have.
    fn place_side_by_side(&mut self, arf_placed: bool) -> Result<bool, Error> {
        let AllocationMemory { flow, history, now, liveness, side_by_side, placed, .. } = &mut *self.memory;
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
            now.find_arf(current, flow, history, liveness)?;
            if !self.place_arf()? {
                return Ok(false);
            }
        }
        if self.options.check {
            let AllocationMemory { flow, history, now, .. } = &mut *self.memory;
            now.accesses.collect(self.rewritten.as_ref().unwrap_or(self.kernel), flow, history)?;
            now.composites.find(&mut now.accesses);
        }
        Ok(true)
    }

    /// Splits flags and addresses until all find places.
    fn split_arf(&mut self) -> Result<(), Error> {
        for _ in 0..MAX_ROUNDS {
            self.options.watch.ask().map_err(Error::Stopped)?;
            let AllocationMemory { flow, history, now, liveness, .. } = &mut *self.memory;
            now.find_arf(self.rewritten.as_ref().unwrap_or(self.kernel), flow, history, liveness)?;
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

    /// Where more is alive than there is room for, splits variables and looks for another order. Returns what
    /// general variables have been given, to know what orders cost.
    fn find_order(&mut self) -> Result<GeneralPlaces, Error> {
        if !self.split_under_pressure()? {
            return Ok(GeneralPlaces::None);
        }
        let current = self.rewritten.as_ref().unwrap_or(self.kernel);
        let fits = order::may_fit(current, &self.memory.order) || !self.memory.flow.calls().is_empty();
        let (order, placed) = match self.reorder(fits)? {
            Reordered::Fits(order) => (order, GeneralPlaces::InTurn),
            // What does not fit when packed would not fit in turn.
            Reordered::Better(order) if !self.memory.placed[2].spilled.is_empty() => {
                self.in_turn = false;
                (order, GeneralPlaces::Packed)
            }
            Reordered::Better(order) => (order, GeneralPlaces::None),
            Reordered::AsItWas(placed) => {
                self.in_turn &= fits;
                return Ok(placed);
            }
        };
        if let Some(before) = self.rewritten.replace(order) {
            self.memory.pool.keep_kernel(before);
        }
        Ok(placed)
    }

    /// Splits variables if more is alive somewhere than there is room for. Returns whether it still is. What is known
    /// is then of the kernel that came of it.
    fn split_under_pressure(&mut self) -> Result<bool, Error> {
        let AllocationMemory { pool, flow, history, now, liveness, order, split, .. } = &mut *self.memory;
        // What backs flags is not counted, nor split: it is small.
        if !order::is_pressure_high(self.kernel, &now.accesses, &now.live, order) {
            return Ok(false);
        }
        if !split.find(self.kernel) {
            return Ok(true);
        }
        let kernel = self.rewritten.get_or_insert_with(|| copy::copy(self.kernel, pool));
        split.rename(kernel);
        now.find(kernel, flow, history, liveness, false)?;
        Ok(order::is_pressure_high(kernel, &now.accesses, &now.live, order))
    }

    /// Looks for an order that makes spilling cheaper. If one is found, what is known is then of that. If there was
    /// one to look at, general variables have been placed, packed, in the order that remains. (To be asked before
    /// flags and addresses are split into variables that depend on where they stand.) `fits`: all may find places in the
    /// written order. If not, and all do in turn in another, there is nothing to compare.
    fn reorder(&mut self, fits: bool) -> Result<Reordered, Error> {
        let kernel = self.rewritten.as_ref().unwrap_or(self.kernel);
        let AllocationMemory {
            pool, flow, now, other, liveness, order, placing, placed, placed_other, ..
        } = &mut *self.memory;
        let Some(kernel_ordered) = order::order(kernel, &now.accesses, &now.live, order, pool) else {
            return Ok(Reordered::AsItWas(GeneralPlaces::None));
        };
        let (general, none) = (&mut placed[2], Remat::default());
        other.reorder(now, (&kernel_ordered, order.moved()), flow, liveness);
        if !fits && self.in_turn {
            placing.place(&kernel_ordered, VarClass::General, other, Way::InTurn, general)?;
            if is_complete(general) {
                std::mem::swap(now, other);
                return Ok(Reordered::Fits(kernel_ordered));
            }
            self.in_turn = false;
        }
        now.find_costs(kernel, flow);
        placing.place(kernel, VarClass::General, now, Way::Packed, general)?;
        if fits
            && placing.place_largest_first(kernel, (now, now.sharing(), &none), (general, placed_other))?
        {
            pool.keep_kernel(kernel_ordered);
            return Ok(Reordered::AsItWas(GeneralPlaces::Packed));
        }
        let written = cost_of(general, now, &none);
        other.find_costs(&kernel_ordered, flow);
        let (tried, places) = (&*other, (general, placed_other));
        let better = |p: &Placement| cost_of(p, tried, &none) < written;
        if placing.try_general(
            &kernel_ordered,
            (tried, tried.sharing(), &none),
            Way::Packed,
            places,
            better,
        )? {
            std::mem::swap(now, other);
            return Ok(Reordered::Better(kernel_ordered));
        }
        pool.keep_kernel(kernel_ordered);
        Ok(Reordered::AsItWas(GeneralPlaces::Packed))
    }

    /// Places general variables, in turn or packed, unless they are `placed` already.
    fn place_general(&mut self, placed: GeneralPlaces) -> Result<(), Error> {
        let AllocationMemory { flow, now, placing, placed: places, placed_other, remat, .. } =
            &mut *self.memory;
        let general = &mut places[2];
        let current = self.rewritten.as_ref().unwrap_or(self.kernel);
        remat.clear();
        if placed == GeneralPlaces::InTurn {
            return Ok(());
        }
        if self.in_turn {
            let (now, places) = (&*now, (&mut *general, placed_other));
            self.in_turn = placing.try_general(
                current,
                (now, now.sharing(), remat),
                Way::InTurn,
                places,
                is_complete,
            )?;
        }
        if !self.in_turn && placed == GeneralPlaces::None {
            if !self.options.quick {
                now.find_costs(current, flow);
            }
            placing.place(current, VarClass::General, now, Way::Packed, general)?;
        }
        Ok(())
    }

    /// Takes all places together, and checks them.
    fn finish(&mut self) -> Result<(), Error> {
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
        Ok(())
    }
}
