//! Slots of spilled variables in scratch memory: those that are never live together share.

use crate::{
    analysis::{
        liveness::Liveness,
        position::{Position, Range},
    },
    place::{Held, Interval, IntervalId, Intervals, by_start},
};
use narrow::{as_index, span};
use typed_index_collections::TiVec;

/// Memory of the search.
#[derive(Default)]
pub(crate) struct Slots {
    /// What has each register of scratch memory.
    held: Vec<Vec<Held>>,
    /// Until when it is surely taken, from the position on that the search has come to.
    until: Vec<Position>,
    starts: Vec<u32>,
    order: Vec<IntervalId>,
    /// Register of each interval.
    pub at: TiVec<IntervalId, u32>,
}

impl Slots {
    /// Gives each interval the lowest place, in registers of `reg_bytes` bytes of which there are `regs`: see
    /// [`Slots::at`]. Returns how many registers are in use, or nothing if there are too few.
    pub fn place(
        &mut self,
        intervals: &Intervals,
        live: &Liveness,
        regs: u32,
        reg_bytes: u32,
    ) -> Option<u32> {
        let all = live.all();
        let ranges = |i: &Interval| live.of(i.var);
        let positions = intervals.iter().filter_map(|i| ranges(i).last()).map(|r| r.end).max();
        self.held.iter_mut().for_each(Vec::clear);
        self.until.clear();
        self.at.clear();
        self.at.resize(intervals.len(), 0);
        by_start(intervals, ranges, positions.map_or(0, Position::index), &mut self.starts, &mut self.order);
        let mut used = 0;
        for &i in &self.order {
            let interval = &intervals[i];
            let (n, own) = (interval.bytes / reg_bytes, ranges(interval));
            let (mut base, mut free) = (0, 0);
            while free < n {
                if base + n > regs {
                    return None;
                }
                let at = as_index(base + free);
                let is_free = match self.until.get_mut(at) {
                    Some(until) => *until <= own[0].start && is_free(&mut self.held[at], own, all, until),
                    None => true,
                };
                if is_free {
                    free += 1;
                } else {
                    (base, free) = (base + free + 1, 0);
                }
            }
            self.at[i] = base;
            used = used.max(base + n);
            if self.held.len() < as_index(used) {
                self.held.resize_with(as_index(used), Vec::new);
            }
            if self.until.len() < as_index(used) {
                self.until.resize(as_index(used), Position::START);
            }
            let taken = span(base..base + n);
            self.until[taken.clone()].fill(own[0].end);
            for list in &mut self.held[taken] {
                list.push(Held::new(i, u64::MAX, live.indices(interval.var), all));
            }
        }
        Some(used)
    }
}

/// Whether nothing of a list is alive in `ranges`. Forgets what ended before. If something is alive where they start,
/// `until` says for how long.
fn is_free(list: &mut Vec<Held>, ranges: &[Range], all: &[Range], until: &mut Position) -> bool {
    let now = ranges[0].start;
    list.retain(|h| !h.is_over(now));
    let Some(met) = list.iter_mut().find_map(|h| h.meets(ranges, all).then(|| h.now())) else { return true };
    if met.start <= now {
        *until = met.end;
    }
    false
}
