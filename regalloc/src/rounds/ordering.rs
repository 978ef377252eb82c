//! The part of the first round that looks for an order of instructions that needs fewer registers.

use super::{AllocationMemory, GeneralPlaces, Rounds};
use crate::{
    Error, copy,
    order::{self, Search},
    place::{Placement, Strategy},
    placing::{cost_of, is_complete},
    spill::remat::Remat,
};
use gen_ir::{Kernel, VarClass, Virtual};

/// Where more variables than this find no place, no order is looked for that is far from what was written: it would not
/// save them, and to know whether it is cheaper takes a second allocation. (Of 50 kernels of real programs that ask for
/// one, 18 gain; the gainer with most has 139.)
const MOST_WITHOUT_PLACE: usize = 160;

/// What came of looking for another order.
enum Reordered {
    /// The kernel in an order in which all find places in turn, which they have.
    Fits(Kernel<Virtual>),
    /// The kernel in an order that makes spilling cheaper; places are packed.
    Better(Kernel<Virtual>),
    /// None does; what general variables have been given to know that.
    AsItWas(GeneralPlaces),
}

impl Rounds<'_> {
    /// Where more is alive than there is room for, splits variables and looks for another order. Returns what
    /// general variables have been given, to know what orders cost.
    pub(super) fn find_order(&mut self) -> Result<GeneralPlaces, Error> {
        let mut placed = GeneralPlaces::None;
        if !self.split_under_pressure()? {
            return Ok(placed);
        }
        if self.lanes_have_room() && (self.place_in_turn_by_lane()? || self.place_packed_by_lane()?) {
            return Ok(GeneralPlaces::Complete);
        }
        for &search in self.searches {
            let crowded =
                placed == GeneralPlaces::Packed && self.memory.placed[2].spilled.len() > MOST_WITHOUT_PLACE;
            if crowded {
                break;
            }
            let order = match self.reorder(search, placed)? {
                Reordered::Fits(order) => {
                    self.take_order(search, order);
                    return Ok(GeneralPlaces::Complete);
                }
                Reordered::Better(order) => order,
                Reordered::AsItWas(places) => {
                    placed = places;
                    if placed == GeneralPlaces::Packed && is_complete(&self.memory.placed[2]) {
                        break;
                    }
                    continue;
                }
            };
            self.take_order(search, order);
            if is_complete(&self.memory.placed[2]) {
                return Ok(GeneralPlaces::None);
            }
            placed = GeneralPlaces::Packed;
            let AllocationMemory { now, order, .. } = &mut *self.memory;
            let current = self.rewritten.as_ref().unwrap_or(self.kernel);
            if !order::is_pressure_high(current, &now.accesses, &now.live, order) {
                break;
            }
        }
        self.in_turn =
            self.may_fit() && (placed == GeneralPlaces::None || is_complete(&self.memory.placed[2]));
        Ok(placed)
    }

    /// Takes another order of the kernel.
    fn take_order(&mut self, search: Search, order: Kernel<Virtual>) {
        self.is_far |= search == Search::DepthFirst;
        self.by_lane_failed = false;
        if let Some(before) = self.rewritten.replace(order) {
            self.memory.pool.keep_kernel(before);
        }
    }

    /// Whether all may find places in the order at hand, as far as is known of how much is alive.
    fn may_fit(&self) -> bool {
        let current = self.rewritten.as_ref().unwrap_or(self.kernel);
        order::may_fit(current, &self.memory.order) || !self.memory.flow.calls().is_empty()
    }

    /// Splits variables, and packs some if that is wanted, if more is alive somewhere than there is room for. Returns whether it still is. What is known
    /// is then of the kernel that came of it.
    fn split_under_pressure(&mut self) -> Result<bool, Error> {
        let AllocationMemory { pool, flow, history, now, liveness, order, split, .. } = &mut *self.memory;
        // What backs flags is not counted, nor split: it is small.
        if !order::is_pressure_high(self.kernel, &now.accesses, &now.live, order) {
            return Ok(false);
        }
        let splits = split.find(self.kernel);
        if splits {
            let kernel = self.rewritten.get_or_insert_with(|| copy::copy(self.kernel, pool));
            split.rename(kernel);
            now.find(kernel, flow, history, liveness, false)?;
        }
        let packs = self.packs && self.pack()?;
        if !splits && !packs {
            return Ok(true);
        }
        let AllocationMemory { now, order, .. } = &mut *self.memory;
        let current = self.rewritten.as_ref().unwrap_or(self.kernel);
        Ok(order::is_pressure_high(current, &now.accesses, &now.live, order))
    }

    /// Looks for an order that makes spilling cheaper. If one is found, what is known is then of that. If there was
    /// one to look at, general variables have been placed, packed, in the order that remains, unless they were `placed` so
    /// before. If all find places in turn in an order, but cannot in the one at hand, there is nothing to compare.
    fn reorder(&mut self, search: Search, placed: GeneralPlaces) -> Result<Reordered, Error> {
        let may_fit = self.may_fit();
        let kernel = self.rewritten.as_ref().unwrap_or(self.kernel);
        let AllocationMemory {
            pool,
            flow,
            now,
            other,
            liveness,
            order,
            placing,
            placed: places,
            placed_other,
            ..
        } = &mut *self.memory;
        let known = (&now.accesses, &now.live);
        let Some(kernel_ordered) = order::order(kernel, known, search, order, pool) else {
            return Ok(Reordered::AsItWas(placed));
        };
        let (general, none) = (&mut places[2], Remat::default());
        other.reorder(now, (&kernel_ordered, order.moved()), flow, liveness);
        if !order::flags_fit(&kernel_ordered, (&other.accesses, &other.live), order) {
            pool.keep_kernel(kernel_ordered);
            return Ok(Reordered::AsItWas(placed));
        }
        if !may_fit {
            let (tried, places) = (&*other, (&mut *general, &mut *placed_other));
            if placing.try_general(
                &kernel_ordered,
                (tried, tried.sharing(), &none),
                Strategy::InTurn,
                places,
                is_complete,
            )? {
                std::mem::swap(now, other);
                return Ok(Reordered::Fits(kernel_ordered));
            }
        }
        if placed == GeneralPlaces::None {
            now.find_costs(kernel, flow);
            placing.place(kernel, VarClass::General, now, Strategy::Packed, general)?;
            let places = (&mut *general, &mut *placed_other);
            if may_fit && placing.place_largest_first(kernel, (now, now.sharing(), &none), places)? {
                pool.keep_kernel(kernel_ordered);
                return Ok(Reordered::AsItWas(GeneralPlaces::Packed));
            }
        }
        let written = cost_of(general, now, &none);
        other.find_costs(&kernel_ordered, flow);
        let (tried, places) = (&*other, (general, placed_other));
        let better = |p: &Placement| cost_of(p, tried, &none) < written;
        if placing.try_general(
            &kernel_ordered,
            (tried, tried.sharing(), &none),
            Strategy::Packed,
            places,
            better,
        )? {
            std::mem::swap(now, other);
            return Ok(Reordered::Better(kernel_ordered));
        }
        pool.keep_kernel(kernel_ordered);
        Ok(Reordered::AsItWas(GeneralPlaces::Packed))
    }
}
