//! Register renaming: places handed out anew where all have one (what GCC's `-frename-registers` is for).
//!
//! What is packed takes the lowest registers again and again, and a scheduler can move nothing past what was there before. Once
//! all have places, each may have another one that is free all along, there where nobody has been for longest: one crowded
//! place in a kernel then says nothing about the others. What lies in the place of what it is made of goes with it, as a group:
//! a chain of results each in the place of the last one, as products that are summed up are, else stays where it was packed.

use super::{
    File, Hints, Intervals, Member, Overlapping, Placement, Scan, ScanMemory, Sharing, Strategy, UseTables,
    by_start, intervals::IntervalId,
};
use crate::analysis::{liveness::Liveness, position::Position};
use gen_ir::RegisterSet;

/// Hands places out anew for intervals that all have one in `placement`: some may share theirs with others, lane by lane or with
/// what they are made of.
pub(crate) fn rename_placed(
    file: File,
    intervals: &Intervals,
    (live, hints): (&Liveness, Hints<'_>),
    s: &mut ScanMemory,
    placement: &mut Placement,
) {
    if UseTables::<2>::hold(file) {
        let tables = std::mem::take(&mut s.narrow);
        s.narrow = rename_in(file, intervals, (live, hints), s, tables, placement);
    } else {
        let tables = std::mem::take(&mut s.wide);
        s.wide = rename_in(file, intervals, (live, hints), s, tables, placement);
    }
}

fn rename_in<const W: usize>(
    file: File,
    intervals: &Intervals,
    (live, hints): (&Liveness, Hints<'_>),
    s: &mut ScanMemory,
    tables: UseTables<W>,
    placement: &mut Placement,
) -> UseTables<W> {
    let ends = intervals.iter().filter_map(|i| live.of(i.var).last()).map(|r| r.end);
    let positions = ends.max().map_or(0, Position::index);
    s.start(file, intervals, placement.at.len());
    let mut order = std::mem::take(&mut s.order);
    by_start(intervals, |i| live.of(i.var), positions, &mut s.starts, &mut order);
    let mut scan = Scan::new(file, intervals, (live, Sharing::None, hints), positions, s, tables);
    scan.used = placement.used;
    let mut shared = RegisterSet::EMPTY;
    for (i, interval) in intervals.iter_enumerated() {
        let Some(at) = placement.at[interval.var] else { continue };
        let regs = scan.wholes_of(i, at);
        let in_use = regs & !scan.open_to(i);
        // Those in whose place it may be move with it.
        if !in_use.is_empty() && !scan.may_overlap(i, at) {
            shared |= in_use;
        }
        scan.hold(i, at);
    }
    scan.rename(&order, shared);
    placement.used = scan.used;
    let tables = scan.tables;
    for (i, interval) in intervals.iter_enumerated() {
        placement.at[interval.var] = s.at[i].or(placement.at[interval.var]);
    }
    s.order = order;
    tables
}

impl<const W: usize> Scan<'_, W> {
    /// Gives intervals of whole registers other places, in `order`, which is that in which they become alive. All have some. Those
    /// that have one of some registers (`but`) stay.
    pub(super) fn rename(&mut self, order: &[IntervalId], but: RegisterSet<W>) {
        if matches!(self.sharing, Sharing::InCalls(_)) {
            return;
        }
        self.file.strategy = Strategy::LongestFree;
        self.next = self.used.div_ceil(self.file.reg_bytes());
        self.s.sent.clear();
        self.s.ages.start(self.file.regs);
        for (i, interval) in self.intervals.iter_enumerated() {
            if interval.fixed.is_some()
                && let Some(at) = self.s.at[i]
            {
                self.note_sent(i, at);
                self.note_need(i, at);
            }
        }
        self.s.moved_with.clear();
        self.s.moved_with.resize(self.intervals.len(), None);
        for &i in order {
            let may_move = self.intervals[i].fixed.is_none() && self.s.at[i].is_some();
            if may_move && self.s.moved_with[i].is_none() {
                self.forget_sent(i);
                self.move_on(i, but);
            }
        }
    }

    /// Gives interval `i` another place, if it has none of some registers (`but`). Those in whose place it is, though both are
    /// held somewhere, go with it, for what stands in the tables there is theirs, too.
    fn move_on(&mut self, i: IntervalId, but: RegisterSet<W>) {
        let may_move = self.find_group(i, but);
        let members = std::mem::take(&mut self.s.group);
        if may_move {
            for m in &members {
                self.leave(m.interval, self.wholes_of(m.interval, m.at));
                self.s.at[m.interval] = None;
                self.s.overlapping[m.interval] = Overlapping::default();
            }
            if let Err(n) = self.place_members(&members) {
                self.put_back(&members, n);
            }
        }
        for m in &members {
            if let Some(at) = self.s.at[m.interval] {
                self.used = self.used.max(at.bytes() + self.intervals[m.interval].bytes);
                self.note_sent(m.interval, at);
                self.note_need(m.interval, at);
            }
        }
        self.s.group = members;
    }

    /// Finds who is moved with an interval, in the order in which they become alive. Returns whether all may be.
    fn find_group(&mut self, i: IntervalId, but: RegisterSet<W>) -> bool {
        let Some(at) = self.s.at[i] else { return false };
        let mut group = std::mem::take(&mut self.s.group);
        group.clear();
        let member = |s: &ScanMemory, i| Member { interval: i, at, overlapping: s.overlapping[i] };
        group.push(member(self.s, i));
        self.s.moved_with[i] = Some(i);
        let mut may_move = true;
        let mut n = 0;
        while let Some(&Member { interval, overlapping, .. }) = group.get(n) {
            n += 1;
            let whole = self.intervals[interval].bytes.is_multiple_of(self.file.reg_bytes());
            // What lies where others do that it may share with meets them there alone.
            may_move &= whole && (self.wholes_of(interval, at) & but).is_empty();
            for other in overlapping.intervals() {
                if self.intervals[other].fixed.is_some() {
                    may_move = false;
                } else if self.s.moved_with[other].is_none() {
                    self.s.moved_with[other] = Some(i);
                    group.push(member(self.s, other));
                } else {
                    // Who was moved to where this one lies has to stay, and so has this one.
                    may_move &= self.s.moved_with[other] == Some(i);
                }
            }
        }
        group.sort_unstable_by_key(|m| (self.ranges(m.interval).first().map(|r| r.start), m.interval));
        self.s.group = group;
        may_move
    }

    /// Finds places for members of a group, which have none. If one finds none, those before it have some.
    fn place_members(&mut self, members: &[Member]) -> Result<(), usize> {
        for (n, m) in members.iter().enumerate() {
            let at = self.find(m.interval).ok_or(n)?;
            self.s.at[m.interval] = Some(at);
            self.take(m.interval, self.wholes_of(m.interval, at));
        }
        Ok(())
    }

    /// Puts members of a group, of which so many have got other places, where they were before.
    fn put_back(&mut self, members: &[Member], placed: usize) {
        for m in &members[..placed] {
            let Some(at) = self.s.at[m.interval].take() else { continue };
            self.leave(m.interval, self.wholes_of(m.interval, at));
            // Others that it met there are still held.
            for other in self.s.overlapping[m.interval].intervals() {
                self.s.overlapping[other].remove(m.interval);
                if let Some(at) = self.s.at[other] {
                    self.set(other, self.wholes_of(other, at));
                }
            }
        }
        for m in members {
            self.s.at[m.interval] = Some(m.at);
            self.s.overlapping[m.interval] = m.overlapping;
            self.take(m.interval, self.wholes_of(m.interval, m.at));
        }
    }
}
