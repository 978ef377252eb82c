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

/// Where more variables than this find no place in the order that was written and cannot be computed again, that order takes
/// messages, and is not tried. (Of 212 kernels of real programs with at most 12 such 47 take none in the end; these have at
/// most 6, as 85 others.)
const MOST_NOT_COMPUTED: usize = 6;

/// How many times as long a kernel has to take in an order in which all find places in turn for the written one to be tried. (Of 8
/// kernels of real programs that the written one serves, it finds the 5 that gain, and 17 others, which are placed once more.)
const LONGER: f32 = 1.1;

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
    /// Where more is alive than there is room for, splits variables and, unless the order that was written is to be kept and
    /// may be, looks for another. Returns what general variables have been given, to know what orders cost.
    pub(super) fn find_order(&mut self) -> Result<GeneralPlaces, Error> {
        let mut placed = GeneralPlaces::None;
        let keeps_order = std::mem::take(&mut self.keeps_order);
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
                    if keeps_order && self.waits_longer(&order) && self.may_keep_order(false)? {
                        return Ok(self.keep_order(order));
                    }
                    self.take_order(search, order);
                    return Ok(GeneralPlaces::Complete);
                }
                Reordered::Better(order) => {
                    let complete = is_complete(&self.memory.placed[2]);
                    if keeps_order
                        && complete
                        && placed == GeneralPlaces::None
                        && self.may_keep_order(true)?
                    {
                        return Ok(self.keep_order(order));
                    }
                    order
                }
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

    /// Whether messages are waited for longer in another order, in which all have places, than in the one at hand.
    fn waits_longer(&mut self, ordered: &Kernel<Virtual>) -> bool {
        let AllocationMemory { flow, now, other, order, .. } = &mut *self.memory;
        let current = self.rewritten.as_ref().unwrap_or(self.kernel);
        let written = order::time(current, &other.accesses, flow, order);
        order::time(ordered, &now.accesses, flow, order) > written * LONGER
    }

    /// Where all have places in another order: returns whether most that find no place in the one at hand can be computed again,
    /// packed as they were placed before that order was (`are_placed`) or are now. If not, what is known and has places is
    /// as it was.
    fn may_keep_order(&mut self, are_placed: bool) -> Result<bool, Error> {
        self.exchange_orders(are_placed);
        let AllocationMemory { flow, now, placing, placed: [.., general], .. } = &mut *self.memory;
        let current = self.rewritten.as_ref().unwrap_or(self.kernel);
        if !are_placed {
            now.find_costs(current, flow);
            placing.place(current, VarClass::General, now, Strategy::Packed, general)?;
        }
        self.find_remat();
        let AllocationMemory { placed: [.., general], remat, .. } = &*self.memory;
        let others = general.spilled.iter().filter(|&&v| !remat.has(v) && !remat.is_far(v));
        let may = general.failed.is_none() && others.count() <= MOST_NOT_COMPUTED;
        if !may {
            self.exchange_orders(are_placed);
        }
        Ok(may)
    }

    /// Exchanges what is known of the order at hand and of the other one, and the places in both.
    fn exchange_orders(&mut self, are_placed: bool) {
        let AllocationMemory { now, other, placing, placed: [.., general], placed_other, .. } =
            &mut *self.memory;
        std::mem::swap(now, other);
        std::mem::swap(general, placed_other);
        if are_placed {
            placing.exchange();
        }
    }

    /// Keeps the order at hand, of which all is known, and not this one.
    fn keep_order(&mut self, order: Kernel<Virtual>) -> GeneralPlaces {
        self.memory.pool.keep_kernel(order);
        (self.keeps_order, self.in_turn) = (true, false);
        GeneralPlaces::Packed
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
