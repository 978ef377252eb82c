//! The part of a round that moves general variables out of registers.

use super::{AllocationMemory, End, Rounds};
use crate::{
    Error,
    analysis::{
        Analysis,
        flow::Flow,
        liveness::{Holders, Liveness},
    },
    copy,
    place::{InPlace, Sharing, Strategy},
    placing::{Aims, Planned, cost_of, is_complete},
    spill::{
        self,
        plan::Known,
        remat::{self, Remat},
    },
};

use gen_ir::{Kernel, Virtual};
use narrow::{to_f32, to_index};

/// How often what others are computed from is asked to keep its registers: a third time changed no real program.
const SOURCE_TRIES: u32 = 2;

/// What has to be lost for that, beside all that spilling costs: with less than a part in two hundred no real program
/// gained.
const LEAST_LOSS: f32 = 0.005;

/// A placement that is tried beside another takes as long as the first. It is not, where more instructions than this come to
/// each message that it could save: of 1,500 tries in real programs 12 were such, and two of these saved anything.
const MOST_INSTRUCTIONS: f32 = 4000.0;

/// Aims of placing that are kept where they make spilling cheaper; the second where anything can be computed again.
const AIMS: [fn(&mut Aims) -> &mut bool; 2] = [|aims| &mut aims.at_pressure, |aims| &mut aims.remat_last];

/// How often sources are made to live longer: a chain of two operations takes two rounds, and what else is found after the
/// first one more. (A fourth changed nothing for the better.)
const EXTENSIONS: u32 = 3;

impl Rounds<'_> {
    /// Moves general variables that find no place to memory. Returns how that ends, unless it takes another round.
    pub(super) fn spill(&mut self) -> Result<Option<End>, Error> {
        self.place_otherwise()?;
        if self.wants_packing() {
            return Ok(Some(End::Packed));
        }
        if self.copy_leftovers() || self.compute_again() {
            return Ok(None);
        }
        let fits = self.plan_spilling()?;
        let AllocationMemory { pool, history, now, placed, plan, remat, spill, .. } = &mut *self.memory;
        let general = &placed[2];
        if general.spilled.is_empty() {
            // Packed places leave a scheduler little to move.
            if self.lanes_have_room() {
                self.place_in_turn_by_lane()?;
            }
            return Ok(Some(End::Placed));
        }
        if self.keeps_order && general.spilled.iter().any(|&v| !plan.is_again(v)) {
            return Ok(Some(End::TakesMessages));
        }
        let kernel = self.rewritten.get_or_insert_with(|| copy::copy(self.kernel, pool));
        let spilled = (&general.spilled[..], &*plan, &now.live, &*remat);
        let count = match spill::spill(kernel, spilled, history, &mut self.space, spill, pool) {
            // The code is as it was, but for the header that makes room.
            Err(Error::ScratchFull { .. }) if self.space.advance(kernel) => return Ok(None),
            count => count?,
        };
        self.stats.rounds += 1;
        self.stats.spills += count.spills;
        self.stats.fills += count.fills;
        // Places that fit count on more than is known of the code that came of it, so general variables keep them.
        if !fits || count.surfaces > 0 && !self.place_surfaces()? {
            return Ok(None);
        }
        let AllocationMemory { flow, history, now, liveness, placing, placed, .. } = &mut *self.memory;
        let kernel = self.rewritten.as_ref().unwrap_or(self.kernel);
        if placing.renames && flow.calls().is_empty() {
            now.find(kernel, flow, history, liveness, false)?;
            placing.rename_again(kernel, now, &mut placed[2])?;
        } else if self.options.check {
            now.accesses.collect(kernel, flow, history)?;
            now.composites.find(&mut now.accesses);
        }
        Ok(Some(End::Placed))
    }

    /// Places the surfaces of messages that spill, which are addresses, beside the flags and addresses that there are. Returns
    /// whether all find places: if not, some were split.
    fn place_surfaces(&mut self) -> Result<bool, Error> {
        let vars = self.rewritten.as_ref().unwrap_or(self.kernel).vars.len();
        self.memory.placed[2].at.resize(vars, None);
        self.find_arf()?;
        self.place_arf()
    }

    /// Places general variables where waiting lanes may hold some in the registers of others, and where some can be
    /// computed again, if that costs less; or with the largest first, if all find places so.
    fn place_otherwise(&mut self) -> Result<(), Error> {
        self.find_remat();
        let AllocationMemory { flow, now, placing, placed, placed_other, of_lanes, remat, .. } =
            &mut *self.memory;
        let current = self.rewritten.as_ref().unwrap_or(self.kernel);
        let sharing = sharing(flow, now, of_lanes);
        let cost = cost_of(&placed[2], now, remat);
        if placed[2].failed.is_none() && !is_worth_trying(current, cost) {
            return Ok(());
        }
        if flow.any_divergence || remat.any() {
            placing.place_cheaper(current, (now, sharing, remat), (&mut placed[2], placed_other))?;
        }
        if !self.options.quick && !is_complete(&placed[2]) {
            placing.aims.in_place = InPlace::Last;
            if !placing.place_cheaper(current, (now, sharing, remat), (&mut placed[2], placed_other))? {
                placing.aims.in_place = InPlace::First;
            }
        }
        placing.place_largest_first(current, (now, sharing, remat), (&mut placed[2], placed_other))?;
        Ok(())
    }

    /// Finds where lanes that run need general variables, and which can be computed again.
    pub(super) fn find_remat(&mut self) {
        let AllocationMemory { flow, now, liveness, of_lanes, remat, .. } = &mut *self.memory;
        let kernel = self.rewritten.as_ref().unwrap_or(self.kernel);
        if flow.any_divergence {
            of_lanes.within_blocks(kernel, &now.accesses, flow, Holders::OF_LANES, liveness);
        }
        let of_lanes = if flow.any_divergence { &*of_lanes } else { &now.live };
        if !self.options.quick {
            let (accesses, live) = (&now.accesses, &now.live);
            remat.find(remat::Context { kernel, accesses, flow, live, of_lanes });
        }
    }

    /// Finds where lanes that run need general variables, and returns whether all may find places where those of waiting lanes
    /// share registers. Where no lane waits, nothing shares them, and that is not asked; nor where it was found out that they
    /// do not.
    pub(super) fn lanes_have_room(&mut self) -> bool {
        let AllocationMemory { flow, now, liveness, placing, of_lanes, .. } = &mut *self.memory;
        let current = self.rewritten.as_ref().unwrap_or(self.kernel);
        if self.options.quick || current.outside || !flow.any_divergence || self.by_lane_failed {
            return false;
        }
        of_lanes.within_blocks(current, &now.accesses, flow, Holders::OF_LANES, liveness);
        placing.has_room(current, (&now.accesses, of_lanes))
    }

    /// Places general variables in turn, if all find places so where those of waiting lanes share registers, and returns
    /// whether they do. [They may](Self::lanes_have_room).
    pub(super) fn place_in_turn_by_lane(&mut self) -> Result<bool, Error> {
        let AllocationMemory { flow, now, placing, placed, placed_other, of_lanes, .. } = &mut *self.memory;
        let current = self.rewritten.as_ref().unwrap_or(self.kernel);
        let known = (&*now, sharing(flow, now, of_lanes), &Remat::default());
        let found = placing.try_in_turn(current, known, (&mut placed[2], placed_other))?;
        self.by_lane_failed = !found;
        Ok(found)
    }

    /// The same, packed.
    pub(super) fn place_packed_by_lane(&mut self) -> Result<bool, Error> {
        let AllocationMemory { flow, now, placing, placed, placed_other, of_lanes, .. } = &mut *self.memory;
        let current = self.rewritten.as_ref().unwrap_or(self.kernel);
        now.find_costs(current, flow);
        let known = (&*now, sharing(flow, now, of_lanes), &Remat::default());
        placing.try_general(current, known, Strategy::Packed, (&mut placed[2], placed_other), is_complete)
    }

    /// Whether some variables that cannot be computed again find no place, and temporaries whose elements stand apart are alive
    /// where too much is: less is alive from the start if these are packed.
    fn wants_packing(&mut self) -> bool {
        let AllocationMemory { now, placed, remat, packing, .. } = &mut *self.memory;
        let saved = placed[2].spilled.iter().any(|&v| !remat.has(v));
        if self.options.quick || self.packs || !saved || self.stats.rounds > 0 || self.extensions > 0 {
            return false;
        }
        packing.find(known(self.rewritten.as_ref().unwrap_or(self.kernel), now, remat))
    }

    /// Packs temporaries whose elements stand apart, if there are any. Then what is known is of the kernel that came of it.
    pub(super) fn pack(&mut self) -> Result<bool, Error> {
        let AllocationMemory { pool, flow, history, now, liveness, remat, packing, .. } = &mut *self.memory;
        let current = self.rewritten.as_ref().unwrap_or(self.kernel);
        now.find_costs(current, flow);
        remat.clear();
        let found = packing.find(known(current, now, remat));
        if found {
            let kernel = self.rewritten.get_or_insert_with(|| copy::copy(self.kernel, pool));
            packing.pack(kernel, pool);
            now.find(kernel, flow, history, liveness, false)?;
        }
        Ok(found)
    }

    /// Copies what is left of answers, if some variables that cannot be computed again find no place. Returns whether there is
    /// anything to copy: then the kernel is another.
    fn copy_leftovers(&mut self) -> bool {
        let AllocationMemory { pool, now, placed, remat, leftovers, .. } = &mut *self.memory;
        let saved = placed[2].spilled.iter().any(|&v| !remat.has(v));
        if self.options.quick || !saved || std::mem::replace(&mut self.leftovers_seen, true) {
            return false;
        }
        let current = self.rewritten.as_ref().unwrap_or(self.kernel);
        if !leftovers.find(known(current, now, remat)) {
            return false;
        }
        leftovers.copy(self.rewritten.get_or_insert_with(|| copy::copy(self.kernel, pool)), pool);
        true
    }

    /// Has general variables that find no place computed again from sources that live longer for that, where that
    /// pays. Returns whether there are any: then the kernel is another.
    fn compute_again(&mut self) -> bool {
        let AllocationMemory { pool, history, now, placing, placed, plan, remat, extension, spill, .. } =
            &mut *self.memory;
        let current = self.rewritten.as_ref().unwrap_or(self.kernel);
        let spilled = &placed[2].spilled;
        if self.extensions == EXTENSIONS || !extension.choose(spilled, known(current, now, remat)) {
            return false;
        }
        self.extensions += 1;
        remat.extend(&extension.chosen);
        plan.make(&extension.chosen, known(current, now, remat), placing.aims.serves);
        let kernel = self.rewritten.get_or_insert_with(|| copy::copy(self.kernel, pool));
        spill::compute_again(kernel, (plan, remat), history, spill, pool);
        true
    }

    /// Plans what spilling adds, in the cheapest of several ways. Returns whether it fits beside what was placed: then
    /// all else keeps its place.
    fn plan_spilling(&mut self) -> Result<bool, Error> {
        let AllocationMemory {
            flow,
            now,
            placing,
            placed,
            placed_other,
            of_lanes,
            plan,
            plan_other,
            remat,
            ..
        } = &mut *self.memory;
        let general = &mut placed[2];
        let current = self.rewritten.as_ref().unwrap_or(self.kernel);
        let sharing = sharing(flow, now, of_lanes);
        let known = known(current, now, remat);
        let mut planned = placing.plan((known, flow), plan, general);
        let is_worth = general.failed.is_some() || is_worth_trying(current, planned.cost);
        if !self.options.quick && planned != Planned::NOTHING && is_worth {
            let tries = 1 + usize::from(remat.any());
            for aim in AIMS.into_iter().take(tries) {
                let other = (&mut *plan_other, &mut *placed_other);
                *aim(&mut placing.aims) = true;
                let tried =
                    placing.plan_cheaper((now, sharing), (known, flow), planned, (plan, general), other)?;
                *aim(&mut placing.aims) = tried != planned;
                planned = tried;
            }
            for _ in 0..SOURCE_TRIES {
                if plan.add_losses(known, &mut placing.losses) <= planned.cost * LEAST_LOSS {
                    break;
                }
                let other = (&mut *plan_other, &mut *placed_other);
                let tried =
                    placing.plan_cheaper((now, sharing), (known, flow), planned, (plan, general), other)?;
                if tried == planned {
                    break;
                }
                planned = tried;
            }
            placing.losses.clear();
            AIMS.into_iter().for_each(|aim| *aim(&mut placing.aims) = false);
        }
        self.cost += planned.cost;
        Ok(planned.fits)
    }
}

/// Whether another placement may save enough for what it takes, where spilling costs so many messages.
fn is_worth_trying(kernel: &Kernel<Virtual>, cost: f32) -> bool {
    cost * MOST_INSTRUCTIONS >= to_f32(to_index(kernel.inst_count()))
}

/// What is known of the kernel at hand.
fn known<'a>(kernel: &'a Kernel<Virtual>, now: &'a Analysis, remat: &'a Remat) -> Known<'a> {
    let Analysis { accesses, live, costs, .. } = now;
    Known { kernel, accesses, live, costs, remat }
}

/// Which variables may share registers, where `of_lanes` says where lanes that run need them.
fn sharing<'a>(flow: &Flow, now: &'a Analysis, of_lanes: &'a Liveness) -> Sharing<'a> {
    if flow.any_divergence { Sharing::ByLane(of_lanes) } else { now.sharing() }
}
