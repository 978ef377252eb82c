//! Placing the variables of a kernel, class by class, by several strategies, of which the cheapest is taken.

use crate::{
    Error, Options,
    analysis::{
        Analysis,
        accesses::Accesses,
        facts::{Fact, Needs},
        flow::Flow,
        liveness::Liveness,
        pressure::HighPressure,
    },
    place::{
        self, File, Hints, InPlace, Interval, Intervals, Placement, Sharing, Strategy, place, rename_placed,
    },
    spill::{
        costs, fit,
        plan::{Known, Plan, Serves},
        remat::Remat,
    },
};
use gen_ir::{FileByte, Kernel, Var, VarClass, VarId, Virtual};
use narrow::{to_f32, to_index};
use typed_index_collections::{TiSlice, TiVec};

/// How many variables may have found no place where another order is tried that places all or nothing. Of some 280 real and
/// test kernels that spill it placed three, in which two were left at most.
const NEARLY: usize = 8;

/// Memory of placing.
#[derive(Default)]
pub(crate) struct Placing {
    /// General variables, and what their last placement leaves: it is asked for again.
    general: (Intervals, place::ScanMemory),
    /// The same of a placement that is tried beside it.
    other: (Intervals, place::ScanMemory),
    fit: fit::FitMemory,
    /// Flags and addresses.
    arf: (Intervals, place::ScanMemory),
    pub aims: Aims,
    /// Places that were packed are handed out anew.
    pub renames: bool,
    /// By variable, what spilling it costs beside its messages, for others cannot be computed again then; empty: nothing.
    pub losses: TiVec<VarId, f32>,
    /// Where more is alive than was asked.
    pressure: HighPressure,
}

/// What may be spilled, and where that is to make room.
#[derive(Clone, Copy, Default)]
pub(crate) struct Aims {
    /// What is accessed through addresses may be spilled.
    pub spill_addressed: bool,
    /// Room counts where too much is alive.
    pub at_pressure: bool,
    /// What can be computed again, and is alive where too much is, has registers where all others leave some.
    pub remat_last: bool,
    /// What a temporary of what is spilled is for.
    pub serves: Serves,
    /// What may be in the place of what it is made of.
    pub in_place: InPlace,
    /// What is declared to begin a register has one to itself.
    pub own_grf: bool,
}

/// What is known of a placement once spilling is planned.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Planned {
    /// What spilling adds has places, too.
    pub fits: bool,
    /// What that costs, in messages, worth more in loops.
    pub cost: f32,
}

impl Planned {
    /// All have places.
    pub const NOTHING: Planned = Planned { fits: true, cost: 0.0 };

    /// What fits is better than what makes others be placed again.
    fn is_better_than(self, other: Planned) -> bool {
        (!self.fits, self.cost) < (!other.fits, other.cost)
    }
}

impl Placing {
    /// Places general variables by another strategy, beside `general`, their placement so far. If it is `better`, it becomes
    /// that; else all is as it was.
    pub fn try_general(
        &mut self,
        kernel: &Kernel<Virtual>,
        sharing: (&Analysis, Sharing<'_>, &Remat),
        strategy: Strategy,
        (general, other): (&mut Placement, &mut Placement),
        better: impl FnOnce(&Placement) -> bool,
    ) -> Result<bool, Error> {
        std::mem::swap(&mut self.general, &mut self.other);
        self.place_with(kernel, VarClass::General, sharing, strategy, other)?;
        let found = better(other);
        if found {
            std::mem::swap(general, other);
        } else {
            std::mem::swap(&mut self.general, &mut self.other);
        }
        Ok(found)
    }

    /// Whether nowhere more is alive than there are registers. Where more is, no placement is complete, and none has to be tried.
    pub fn has_room(&mut self, kernel: &Kernel<Virtual>, known: (&Accesses, &Liveness)) -> bool {
        let file = File::of(kernel, VarClass::General, Strategy::Packed);
        self.pressure.find(kernel, known, file.regs * file.reg_bytes());
        !self.pressure.any()
    }

    /// Places general variables in turn: those that were free for longest first or, if some find no place so, round-robin
    /// through the file. `general` becomes that placement if it is complete. Returns whether it is.
    pub fn try_in_turn(
        &mut self,
        kernel: &Kernel<Virtual>,
        known: (&Analysis, Sharing<'_>, &Remat),
        (general, other): (&mut Placement, &mut Placement),
    ) -> Result<bool, Error> {
        // A function saves those of its callers' registers that it takes, so it takes the lowest.
        let strategies: &[Strategy] =
            if kernel.outside { &[Strategy::InTurn] } else { &[Strategy::LongestFree, Strategy::InTurn] };
        let grf = u32::from(kernel.platform.caps().regs.grf_bytes);
        // Where none could share a register, the second search would be the first.
        let some_share = kernel.vars.iter().any(|v| v.own_grf && !v.address_taken && v.align < grf);
        self.aims.own_grf = some_share;
        let mut found = self.try_strategies(kernel, known, strategies, (&mut *general, &mut *other))?;
        if !found && some_share {
            self.aims.own_grf = false;
            found = self.try_strategies(kernel, known, strategies, (&mut *general, &mut *other))?;
        }
        self.aims.own_grf = false;
        Ok(found)
    }

    /// Places general variables by the first of some strategies with which all find places. Returns whether there is one.
    fn try_strategies(
        &mut self,
        kernel: &Kernel<Virtual>,
        known: (&Analysis, Sharing<'_>, &Remat),
        strategies: &[Strategy],
        (general, other): (&mut Placement, &mut Placement),
    ) -> Result<bool, Error> {
        for &strategy in strategies {
            if self.try_general(kernel, known, strategy, (&mut *general, &mut *other), is_complete)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Places general variables once more, under other conditions than `general` was: more variables may share registers
    /// (`sharing`), some can be computed again (`remat`), or the aims differ. `general` becomes the placement that costs
    /// less. Returns whether that is the new one.
    pub fn place_cheaper(
        &mut self,
        kernel: &Kernel<Virtual>,
        (known, sharing, remat): (&Analysis, Sharing<'_>, &Remat),
        (general, other): (&mut Placement, &mut Placement),
    ) -> Result<bool, Error> {
        let (failed, cost) = (general.failed.is_some(), cost_of(general, known, remat));
        let better = |p: &Placement| failed || p.failed.is_none() && cost_of(p, known, remat) < cost;
        self.try_general(kernel, (known, sharing, remat), Strategy::Packed, (general, other), better)
    }

    /// Places general variables with the largest first, if a few find no places in the order in which they become live.
    /// `general` is their placement in that; it becomes the other one if all find places so. Returns whether they do.
    pub fn place_largest_first(
        &mut self,
        kernel: &Kernel<Virtual>,
        known: (&Analysis, Sharing<'_>, &Remat),
        (general, other): (&mut Placement, &mut Placement),
    ) -> Result<bool, Error> {
        if is_complete(general) {
            return Ok(true);
        }
        let (analysis, sharing, _) = known;
        let may_fit = general.spilled.len() <= NEARLY
            && match sharing {
                Sharing::None => self.has_room(kernel, (&analysis.accesses, &analysis.live)),
                Sharing::ByLane(of_lanes) => self.has_room(kernel, (&analysis.accesses, of_lanes)),
                // What is alive at once is no sum of what is alive there.
                Sharing::InCalls(_) => true,
            };
        Ok(may_fit
            && self.try_general(kernel, known, Strategy::LargestFirst, (general, other), is_complete)?)
    }

    /// Plans the spilling of what found no place among the general variables that were placed last, and puts what that
    /// adds beside the others. More of them may be spilled for that.
    pub fn plan(
        &mut self,
        (known, flow): (Known<'_>, &Flow),
        plan: &mut Plan,
        general: &mut Placement,
    ) -> Planned {
        if general.spilled.is_empty() && general.failed.is_none() {
            return Planned::NOTHING;
        }
        plan.make(&general.spilled, known, self.aims.serves);
        let fits = general.failed.is_none() && !plan.has_windows() && self.fit((known, flow), plan, general);
        Planned { fits, cost: plan.cost(known, flow) }
    }

    /// Places general variables with other aims, beside `general`, a placement of which `planned` is known, and takes what
    /// costs less, with its plan.
    pub fn plan_cheaper(
        &mut self,
        (analysis, sharing): (&Analysis, Sharing<'_>),
        (known, flow): (Known<'_>, &Flow),
        planned: Planned,
        (plan, general): (&mut Plan, &mut Placement),
        (plan_other, other): (&mut Plan, &mut Placement),
    ) -> Result<Planned, Error> {
        std::mem::swap(&mut self.general, &mut self.other);
        self.place_with(
            known.kernel,
            VarClass::General,
            (analysis, sharing, known.remat),
            Strategy::Packed,
            other,
        )?;
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
        let file = File::of(known.kernel, VarClass::General, Strategy::Packed);
        // As for all that messages write.
        let regs = if caps.sends.to_r127 { file.regs } else { file.regs.min(127) };
        let regs = regs.min(file.regs.saturating_sub(known.kernel.reserved.into()));
        let limits = (file.reg_bytes(), regs * file.reg_bytes());
        let (intervals, scan) = &mut self.general;
        let placed = fit::FitContext { file, limits, intervals, known, flow };
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
        self.place(kernel, class, known, Strategy::InTurn, out)?;
        if is_complete(out) {
            return Ok(true);
        }
        self.place(kernel, class, known, Strategy::Packed, out)?;
        Ok(false)
    }

    /// Places flags and addresses, and notes which find no place.
    pub fn place_arf(
        &mut self,
        kernel: &Kernel<Virtual>,
        known: &Analysis,
        options: &Options,
        (flags, addresses): (&mut Placement, &mut Placement),
        unplaced: &mut Vec<VarId>,
    ) -> Result<(), Error> {
        if options.quick {
            self.place(kernel, VarClass::Flag, known, Strategy::Packed, flags)?;
        } else {
            self.place_in_turn(kernel, VarClass::Flag, known, flags)?;
        }
        self.place(kernel, VarClass::Address, known, Strategy::Packed, addresses)?;
        unplaced.clear();
        unplaced.extend(flags.spilled.iter().chain(&addresses.spilled));
        Ok(())
    }

    /// Places the variables of a class.
    pub fn place(
        &mut self,
        kernel: &Kernel<Virtual>,
        class: VarClass,
        known: &Analysis,
        strategy: Strategy,
        out: &mut Placement,
    ) -> Result<(), Error> {
        self.place_with(kernel, class, (known, known.sharing(), &Remat::default()), strategy, out)
    }

    /// The same, where some may share registers although both are alive.
    fn place_with(
        &mut self,
        kernel: &Kernel<Virtual>,
        class: VarClass,
        (known, sharing, remat): (&Analysis, Sharing<'_>, &Remat),
        strategy: Strategy,
        out: &mut Placement,
    ) -> Result<(), Error> {
        let renames = self.renames
            && class != VarClass::Address
            && matches!(strategy, Strategy::Packed | Strategy::LargestFirst);
        let aims = self.aims;
        let file = File {
            in_place: aims.in_place,
            own_grf: aims.own_grf,
            renames,
            ..File::of(kernel, class, strategy)
        };
        self.collect(kernel, class, (known, file), matches!(sharing, Sharing::ByLane(_)), remat)?;
        let (intervals, scan) = if class == VarClass::General { &mut self.general } else { &mut self.arf };
        let hints = Hints { copies: &known.copies, reuse: &known.reuse };
        place(file, intervals, (&known.live, sharing, hints), kernel.vars.len(), scan, out);
        Ok(())
    }

    /// Hands places out anew to general variables, which all have one.
    pub fn rename_again(
        &mut self,
        kernel: &Kernel<Virtual>,
        known: &Analysis,
        general: &mut Placement,
    ) -> Result<(), Error> {
        let file = File::of(kernel, VarClass::General, Strategy::Packed);
        self.collect(kernel, VarClass::General, (known, file), false, &Remat::default())?;
        let (intervals, scan) = &mut self.general;
        let hints = Hints { copies: &known.copies, reuse: &known.reuse };
        rename_placed(file, intervals, (&known.live, hints), scan, general);
        Ok(())
    }

    /// Collects what is to be placed of a class.
    fn collect(
        &mut self,
        kernel: &Kernel<Virtual>,
        class: VarClass,
        (known, file): (&Analysis, File),
        by_lane: bool,
        remat: &Remat,
    ) -> Result<(), Error> {
        let (aims, losses) = (self.aims, &*self.losses);
        let intervals = if class == VarClass::General { &mut self.general.0 } else { &mut self.arf.0 };
        intervals.clear();
        let mut add = |v: VarId| -> Result<(), Error> {
            if kernel.vars[v.index()].class == class && !known.live.of(v).is_empty() {
                intervals.push(interval(kernel, v, known, (file, by_lane, aims, losses), remat)?);
            }
            Ok(())
        };
        match class {
            VarClass::General => (0..to_index(kernel.vars.len())).map(VarId).try_for_each(&mut add),
            VarClass::Flag | VarClass::Address => known.accesses.arf.iter().copied().try_for_each(&mut add),
        }
    }
}

/// Whether all found a place.
pub(crate) fn is_complete(placement: &Placement) -> bool {
    placement.spilled.is_empty() && placement.failed.is_none()
}

/// What spilling a placement's variables costs: their accesses, worth more in loops.
pub(crate) fn cost_of(placement: &Placement, known: &Analysis, remat: &Remat) -> f32 {
    placement.spilled.iter().map(|&v| known.costs.of(v, &known.accesses, remat)).sum()
}

/// The alignment of a variable's place in a file.
pub(crate) fn aligned(id: VarId, var: &Var, file: File) -> Result<u32, Error> {
    let size = file.regs * file.reg_bytes();
    if var.bytes == 0 || var.bytes > size {
        return Err(bad_variable(id, format!("{} bytes, the register file has {size}", var.bytes)));
    }
    if var.align > 4096 || !var.align.max(1).is_power_of_two() {
        return Err(bad_variable(id, format!("alignment {} is not a power of two up to 4096", var.align)));
    }
    // Naturally aligned up to a register, for flags and addresses, of which a register is no more than their least part,
    // up to the file: then no operand crosses more registers than it must.
    let most = if var.class == VarClass::General { file.reg_bytes() } else { size };
    let natural = var.bytes.next_power_of_two().min(most);
    // What computes with addresses may count on what is declared.
    let own = if var.own_grf && (file.own_grf || var.address_taken) { file.reg_bytes() } else { 1 };
    let align = var.align.max(natural).max(own);
    Ok(if var.even_grf { align.max(2 * file.reg_bytes()) } else { align })
}

fn bad_variable(var: VarId, fault: String) -> Error {
    Error::BadVariable { var, fault }
}

/// The bytes of the file that a variable may lie in.
fn bounds(kernel: &Kernel<Virtual>, var: &Var, fact: &Fact, file: File) -> (u32, u32) {
    let (mut low, mut high) = (0, file.regs * file.reg_bytes());
    if var.class == VarClass::General {
        // r0 stays what it is: messages to scratch memory need it.
        low = file.reg_bytes();
        if fact.needs.has(Needs::EOT) {
            low = low.max(file.regs.saturating_sub(16) * file.reg_bytes());
        } else if var.fixed.is_none() {
            high = high.saturating_sub(u32::from(kernel.reserved) * file.reg_bytes());
        }
        if fact.needs.has(Needs::RESPONSE) && !kernel.platform.caps().sends.to_r127 {
            high = high.min(127 * file.reg_bytes());
        }
    } else if var.class == VarClass::Address && fact.needs.has(Needs::DESC) {
        high = high.min(var.bytes.next_power_of_two());
    }
    (low, high)
}

/// Whether a variable cannot be spilled.
fn stays(var: &Var, fact: &Fact, aims: Aims) -> bool {
    // Nobody else may have r0, and the prologue reads it before anything can be saved.
    let header = var.class == VarClass::General && var.fixed == Some(FileByte::START);
    var.no_spill
        || header
        || var.address_taken && !aims.spill_addressed
        || var.live_out
        || (var.fixed.is_some() && !(var.live_in && var.class == VarClass::General))
        || fact.needs.has(Needs::EOT)
        || fact.needs.has(Needs::AT_END)
}

/// What the scan has to know of a variable; `by_lane`: whether waiting lanes are to be told from others;
/// `aims`: what may be spilled, and for what; `losses`: what that costs beside messages.
fn interval(
    kernel: &Kernel<Virtual>,
    id: VarId,
    known: &Analysis,
    (file, by_lane, aims, losses): (File, bool, Aims, &TiSlice<VarId, f32>),
    remat: &Remat,
) -> Result<Interval, Error> {
    let (var, ranges) = (&kernel.vars[id.index()], known.live.of(id));
    let fact = &known.accesses.facts[id];
    let size = file.regs * file.reg_bytes();
    let mut align = aligned(id, var, file)?;
    // Of what has several registers each is the same lanes'.
    let even = var.bytes < file.reg_bytes() || var.bytes.is_multiple_of(file.reg_bytes());
    let lanes = if by_lane && even { fact.lane_pitch(kernel) } else { None };
    if let Some(pitch) = lanes {
        align = align.max(pitch.lane_bytes(kernel));
    }
    let fixed = var.fixed;
    let (low, high) = bounds(kernel, var, fact, file);
    if let Some(at) = fixed
        && at.bytes() + var.bytes > size
    {
        return Err(bad_variable(id, format!("fixed at byte {at}, outside the register file")));
    }
    let is_payload = fact.needs.has(Needs::PAYLOAD);
    let interval = Interval {
        var: id,
        bytes: var.bytes,
        align,
        fixed,
        low,
        high,
        cost: f32::INFINITY,
        lanes,
        is_payload,
        is_vector: var.own_grf,
        is_last: false,
    };
    // With other strategies nothing makes room for another.
    if stays(var, fact, aims) || file.strategy != Strategy::Packed {
        return Ok(interval);
    }
    let length: u32 = ranges.iter().map(|r| r.len()).sum();
    // Each access through an address moves all of it.
    let moved = if var.address_taken { 1 + var.bytes / 256 } else { 1 };
    let messages = match var.class {
        VarClass::General => known.costs.of(id, &known.accesses, remat),
        _ => fact.weight,
    };
    let messages = messages + losses.get(id).copied().unwrap_or(0.0);
    let regs = var.bytes.div_ceil(file.reg_bytes());
    let room =
        if aims.at_pressure { known.costs.room(ranges, length, regs) } else { costs::room(length, regs) };
    let is_last = aims.remat_last && remat.has(id) && known.costs.is_pressed(ranges);
    Ok(Interval { cost: messages * to_f32(moved) / room, is_last, ..interval })
}
