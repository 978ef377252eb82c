//! Placing the variables of a kernel, class by class, by several strategies, of which the cheapest is taken.

mod interval;

pub(crate) use interval::{Aims, aligned};

use interval::interval;

use crate::{
    Error, Options,
    analysis::{
        Analysis, accesses::Accesses, facts::LaneLayout, flow::Flow, liveness::Liveness,
        pressure::HighPressure,
    },
    place::{self, File, Hints, Intervals, Placement, Sharing, Strategy, place, rename_placed},
    spill::{
        fit,
        plan::{Known, Plan},
        remat::Remat,
    },
};
use gen_ir::{Kernel, VarClass, VarId, Virtual};
use narrow::to_index;
use typed_index_collections::TiVec;

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
        self.exchange();
        self.place_with(kernel, VarClass::General, sharing, strategy, other)?;
        let found = better(other);
        if found {
            std::mem::swap(general, other);
        } else {
            self.exchange();
        }
        Ok(found)
    }

    /// Takes what the placement of general variables left that was made beside the last.
    pub const fn exchange(&mut self) {
        std::mem::swap(&mut self.general, &mut self.other);
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
        self.exchange();
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
            self.exchange();
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
        self.collect(kernel, class, (known, file), sharing, remat)?;
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
        self.collect(kernel, VarClass::General, (known, file), Sharing::None, &Remat::default())?;
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
        sharing: Sharing<'_>,
        remat: &Remat,
    ) -> Result<(), Error> {
        let (aims, losses) = (self.aims, &*self.losses);
        let intervals = if class == VarClass::General { &mut self.general.0 } else { &mut self.arf.0 };
        intervals.clear();
        let by_lane = matches!(sharing, Sharing::ByLane(_));
        let mut add = |v: VarId| -> Result<(), Error> {
            if kernel.vars[v.index()].class == class && !known.live.of(v).is_empty() {
                intervals.push(interval(kernel, v, known, (file, by_lane, aims, losses), remat)?);
            }
            Ok(())
        };
        match class {
            VarClass::General => (0..to_index(kernel.vars.len())).map(VarId).try_for_each(&mut add),
            VarClass::Flag | VarClass::Address => known.accesses.arf.iter().copied().try_for_each(&mut add),
        }?;
        if let Sharing::ByLane(of_lanes) = sharing {
            align_shared(kernel, (&known.live, of_lanes), intervals);
        }
        Ok(())
    }
}

/// Aligns intervals that waiting lanes may hold in registers of others. Where they hold none of a layout, those of it are as
/// all others: what is aligned is harder to place.
fn align_shared(
    kernel: &Kernel<Virtual>,
    (live, of_lanes): (&Liveness, &Liveness),
    intervals: &mut Intervals,
) {
    let positions = |of: &Liveness, v| of.of(v).iter().map(|r| r.len()).sum::<u32>();
    let mut are_held = [false; LaneLayout::COUNT];
    for interval in &*intervals {
        if let Some(layout) = interval.lanes {
            are_held[layout.index()] |= positions(live, interval.var) != positions(of_lanes, interval.var);
        }
    }
    for interval in intervals {
        interval.lanes = interval.lanes.filter(|layout| are_held[layout.index()]);
        if let Some(layout) = interval.lanes {
            interval.align = interval.align.max(layout.lane_bytes(kernel));
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
