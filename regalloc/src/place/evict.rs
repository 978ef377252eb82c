//! Intervals that make room for another, and second chances for them.

use super::*;
use narrow::{as_index, span, to_f32};

impl<'a, const W: usize> Scan<'a, W> {
    /// Makes room for interval `i` by spilling the cheapest set of variables in its way, or marks `i`
    /// itself. Returns whether either was possible.
    pub(super) fn evict_for(&mut self, i: IntervalId) -> bool {
        let interval = self.intervals[i];
        let best = if interval.bytes >= self.file.reg_bytes() {
            self.cheapest_whole(i)
        } else {
            self.cheapest_part(i)
        };
        match best {
            Some((c, at)) if c < interval.cost => {
                self.evict(i, at);
                self.hold(i, at);
                true
            }
            _ if interval.cost.is_finite() => {
                self.s.out[i] = true;
                true
            }
            _ => false,
        }
    }

    /// The base registers that cost least to empty for interval `i`, as cost and first byte.
    pub(super) fn cheapest_whole(&mut self, i: IntervalId) -> Option<(f32, FileByte)> {
        let rb = self.file.reg_bytes();
        let interval = self.intervals[i];
        let n = interval.bytes.div_ceil(rb);
        let (low, high) = (interval.low.div_ceil(rb), (interval.high / rb).min(self.file.regs));
        let step = (interval.align / rb).max(1);
        let (mine, all) = (self.ranges(i), self.live.all());
        let used = self.used_near(i);
        let (intervals, sharing) = (self.intervals, self.sharing);
        let ScanMemory { active, cost, .. } = &mut *self.s;
        cost.clear();
        cost.resize(as_index(self.file.regs), 0.0);
        let now = mine[0].start;
        for a in active.iter_mut().filter(|a| !a.held.is_over(now)) {
            let (from, to) = (a.from.bytes(), a.to.bytes());
            let regs = from / rb..to.div_ceil(rb);
            if regs.end > low
                && used.contains(regs.start)
                && a.held.meets_interval(&intervals[a.held.interval], (&interval, mine), all, sharing)
            {
                // A variable over several registers is paid for once.
                let share = a.cost / to_f32((to - from).div_ceil(rb).min(n));
                cost[span(regs.start..regs.end)].iter_mut().for_each(|c| *c += share);
            }
        }
        let mut best: Option<(f32, FileByte)> = None;
        let mut base = low.next_multiple_of(step);
        while base + n <= high {
            let c: f32 = cost[span(base..base + n)].iter().sum();
            if c.is_finite() && best.is_none_or(|(b, _)| c < b) {
                best = Some((c, FileByte::new(base * rb)));
            }
            base += step;
        }
        best
    }

    /// The same for an interval smaller than a register.
    pub(super) fn cheapest_part(&mut self, i: IntervalId) -> Option<(f32, FileByte)> {
        let rb = self.file.reg_bytes();
        let interval = self.intervals[i];
        let (mine, all) = (self.ranges(i), self.live.all());
        let now = mine[0].start;
        let used = self.used_near(i);
        let (intervals, sharing) = (self.intervals, self.sharing);
        let regs = interval.low.div_ceil(rb)..interval.high.div_ceil(rb).min(self.file.regs);
        let (step, places) = (interval.align.max(1), (rb - interval.bytes) / interval.align.max(1) + 1);
        let ScanMemory { active, cost, .. } = &mut *self.s;
        // By register and place in it: what is to be paid for all that is in the way there.
        cost.clear();
        cost.resize(regs.len() * as_index(places), 0.0);
        for a in active.iter_mut().filter(|a| !a.held.is_over(now)) {
            let (from, to) = (a.from.bytes(), a.to.bytes());
            if to <= interval.low
                || !used.contains(from / rb)
                || !a.held.meets_interval(&intervals[a.held.interval], (&interval, mine), all, sharing)
            {
                continue;
            }
            for r in (from / rb).max(regs.start)..to.div_ceil(rb).min(regs.end) {
                let (from, to) = (from.saturating_sub(r * rb), (to - r * rb).min(rb));
                let first = if from < interval.bytes { 0 } else { (from - interval.bytes) / step + 1 };
                let end = to.div_ceil(step).min(places);
                let here = (r - regs.start) * places;
                if first < end {
                    let met = &mut cost[span(here + first..here + end)];
                    met.iter_mut().for_each(|c| *c += a.cost);
                }
            }
        }
        let mut best: Option<(f32, FileByte)> = None;
        for (r, here) in regs.zip(cost.chunks_exact(as_index(places))) {
            for (at, &c) in (0..).step_by(as_index(step)).zip(here) {
                if at + interval.bytes > rb.min(interval.high - r * rb) {
                    break;
                }
                if c.is_finite() && best.is_none_or(|(b, _)| c < b) {
                    best = Some((c, FileByte::new(r * rb + at)));
                }
            }
        }
        best
    }

    /// Marks everything for spilling that meets interval `i` if that is put at byte `at`.
    pub(super) fn evict(&mut self, i: IntervalId, at: FileByte) {
        let (mine, all) = (self.ranges(i), self.live.all());
        let (interval, intervals, sharing) = (self.intervals[i], self.intervals, self.sharing);
        let end = at.plus(interval.bytes);
        let mut victims = std::mem::take(&mut self.s.victims);
        victims.clear();
        let now = mine[0].start;
        self.s.active.retain_mut(|a| {
            if a.held.is_over(now) {
                return false;
            }
            let meets = a.from < end
                && at < a.to
                && a.held.meets_interval(&intervals[a.held.interval], (&interval, mine), all, sharing);
            if meets {
                victims.push(a.held.interval);
            }
            !meets
        });
        for &v in &victims {
            self.s.out[v] = true;
            let Some(from) = self.s.at[v].take() else { continue };
            let wholes = self.wholes_of(v, from);
            if !wholes.is_empty() {
                self.leave(v, wholes);
                self.keep_overlapping(v);
                if self.intervals[v].fixed.is_some() {
                    self.hold_again(v, from);
                }
            }
            for (r, _) in self.parts_of(v, from) {
                let list = &mut self.s.parts[as_index(r)];
                list.retain(|h| h.interval != v);
                if self.some_parts {
                    // Others may have had other bytes at the same time.
                    self.tables
                        .partly
                        .reset(RegisterSet::between(r, r + 1), self.live.of(self.intervals[v].var));
                    for h in list {
                        self.tables.partly.set(RegisterSet::between(r, r + 1), &all[span(h.at..h.last)]);
                    }
                }
            }
        }
        self.s.victims = victims;
    }

    /// Puts back what had the place of `v` where the one began and the other ended.
    fn keep_overlapping(&mut self, v: IntervalId) {
        for other in self.s.overlapping[v].intervals() {
            let Some(at) = self.s.at[other] else { continue };
            let regs = self.wholes_of(other, at);
            self.set(other, regs);
        }
    }

    /// Puts back what was where `v` was and had to be: several such may have been there at the same time.
    pub(super) fn hold_again(&mut self, v: IntervalId, from: FileByte) {
        let to = from.plus(self.intervals[v].bytes);
        for a in &self.s.active {
            let Held { interval, at, last, .. } = a.held;
            if self.intervals[interval].fixed.is_some() && a.from < to && from < a.to {
                let wholes = self.wholes_of(interval, a.from);
                self.tables.wholes.set(wholes, &self.live.all()[span(at..last)]);
            }
        }
    }

    /// Puts what was marked for spilling where it fits after all: others that were marked later have made
    /// room. The dearest come first. Positions are whole registers. What must be in its place lost that.
    pub(super) fn second_chance(&mut self, marked: &mut Vec<IntervalId>) {
        let rb = self.file.reg_bytes();
        let intervals = self.intervals;
        if !std::mem::replace(&mut self.some_wholes, true) {
            self.tables.wholes.clear(self.positions);
        }
        // What has whole registers is known, but where things that must be there were together.
        for i in intervals.keys() {
            let Some(at) = self.s.at[i] else { continue };
            let (interval, ranges) = (&intervals[i], self.ranges(i));
            if interval.fixed.is_some() || !at.is_aligned(rb) || !interval.bytes.is_multiple_of(rb) {
                let (from, to) = (at.bytes(), at.bytes() + interval.bytes);
                self.tables.wholes.set(RegisterSet::between(from / rb, to.div_ceil(rb)), ranges);
            }
        }
        marked.clear();
        let marks = |&i: &IntervalId| self.s.out[i] && intervals[i].fixed.is_none();
        marked.extend(intervals.keys().filter(marks));
        // Of equals the first comes first.
        marked.sort_unstable_by(|&a, &b| intervals[b].cost.total_cmp(&intervals[a].cost).then(a.cmp(&b)));
        for &i in &*marked {
            let interval = intervals[i];
            let n = interval.bytes.div_ceil(rb);
            let (low, high) = (interval.low.div_ceil(rb), (interval.high / rb).min(self.file.regs));
            let open = self.open_to(i);
            if let Some(at) = self.find_whole(i, open, RegisterSet::EMPTY, low, high) {
                self.s.out[i] = false;
                self.s.at[i] = Some(at);
                self.used = self.used.max(at.bytes() + interval.bytes);
                let first = at.bytes() / rb;
                self.take(i, RegisterSet::between(first, first + n));
            }
        }
    }
}
