//! Register renaming: places handed out anew where all have one (what GCC's `-frename-registers` is for).
//!
//! What is packed takes the lowest registers again and again, and a scheduler can move nothing past what was there before. Once
//! all have places, each may have another one that is free all along, there where nobody has been for longest: one crowded
//! place in a kernel then says nothing about the others.

use super::{
    File, Hints, Intervals, Placement, Scan, ScanMemory, Sharing, Strategy, UseTables, by_start,
    intervals::IntervalId,
};
use crate::analysis::{liveness::Liveness, position::Position};
use gen_ir::{FileByte, RegisterSet};

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
        shared |= regs & !scan.open_to(i);
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
        for &i in order {
            if self.intervals[i].fixed.is_none()
                && let Some(before) = self.s.at[i]
            {
                let at = self.move_on(i, before, but);
                self.note_sent(i, at);
                self.note_need(i, at);
            }
        }
    }

    /// Gives interval `i`, which lies at byte `before`, another place, if it has none of some registers. Returns where it is.
    fn move_on(&mut self, i: IntervalId, before: FileByte, but: RegisterSet<W>) -> FileByte {
        let (interval, regs) = (self.intervals[i], self.wholes_of(i, before));
        // What lies where others do meets them there alone.
        let is_apart = (regs & but).is_empty();
        let is_alone = is_apart && self.s.overlapping[i].intervals().next().is_none();
        if !is_alone || !interval.bytes.is_multiple_of(self.file.reg_bytes()) {
            return before;
        }
        self.leave(i, regs);
        let at = self.find(i).unwrap_or(before);
        self.s.at[i] = Some(at);
        self.used = self.used.max(at.bytes() + interval.bytes);
        let regs = self.wholes_of(i, at);
        self.take(i, regs);
        at
    }
}
