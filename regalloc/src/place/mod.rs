//! Placing variables in a register file: a scan over start positions.
//!
//! Variables come in the order in which they become live. Each goes to the first place that no placed
//! variable holds at a common position, or rather to that of a variable that it is a copy of; live ranges have
//! gaps, and a place may be free in them. When there is none, the cheapest variables in the way (or the new one itself)
//! are marked for spilling. Those marked before ([`Interval::is_last`]) have what all others leave. Registers that many small
//! variables have taken may have no room in a row for a large one then, although as many are free: so with another
//! [`Strategy`] the largest come first, which is taken if all fit.

mod ages;
pub(crate) mod copies;
mod evict;
mod find;
mod held;
mod intervals;
pub(crate) mod matrix;
mod rename;
pub(crate) mod reuse;
mod sent;
mod starts;
mod tables;

pub(crate) use held::Held;
pub(crate) use intervals::{File, InPlace, Interval, IntervalId, Intervals, Placement, Sharing, Strategy};
pub(crate) use rename::rename_placed;
pub(crate) use starts::{by_start, largest_first};
pub(crate) use tables::UseTables;

use ages::Ages;
use held::Active;
use narrow::{as_index, ones, to_index};
use sent::Sent;

use crate::{
    analysis::{
        liveness::Liveness,
        position::{Position, Range},
    },
    place::{copies::Copies, matrix::RegMatrix, reuse::Reuse},
};
use gen_ir::{FileByte, RegisterSet, VarId};
use typed_index_collections::TiVec;

/// Registers in which variables that are smaller than one are placed in turn. More of them would break up the
/// room for large ones.
const PARTS_IN_TURN: u32 = 32;

/// How many others may be in the place of an interval and meet it there.
const MOST_OVERLAPPING: usize = 4;

/// Intervals in one place that meet there.
#[derive(Clone, Copy, Default)]
struct Overlapping {
    list: [Option<IntervalId>; MOST_OVERLAPPING],
}

impl Overlapping {
    fn has_room(&self) -> bool {
        self.list.contains(&None)
    }

    /// Adds one, if there is room, and returns how many were before.
    fn add(&mut self, interval: IntervalId) -> Option<usize> {
        let n = self.list.iter().position(Option::is_none)?;
        self.list[n] = Some(interval);
        Some(n)
    }

    /// Takes one out, if it is there.
    fn remove(&mut self, interval: IntervalId) {
        for place in &mut self.list {
            *place = place.filter(|&other| other != interval);
        }
    }

    fn intervals(self) -> impl Iterator<Item = IntervalId> {
        self.list.into_iter().flatten()
    }
}

/// One of the intervals that are moved together: where it was, and whom it met there.
#[derive(Clone, Copy)]
struct Member {
    interval: IntervalId,
    at: FileByte,
    overlapping: Overlapping,
}

/// Memory of the scan.
#[derive(Default)]
pub(crate) struct ScanMemory {
    /// What was placed and is not known to be over, in the order of placing.
    active: Vec<Active>,
    /// Of that what has a part of a register, by register.
    parts: Vec<Vec<Held>>,
    /// From which length on such lists are looked through for what is over.
    full_active: usize,
    full_parts: Vec<usize>,
    /// When registers are in use, where files are small and where they are large. After a second chance the whole ones
    /// say all.
    pub narrow: UseTables<2>,
    pub wide: UseTables<4>,
    /// What has each register that may share it.
    sharers: Vec<Vec<Sharer>>,
    /// Place and fate of each interval.
    at: TiVec<IntervalId, Option<FileByte>>,
    out: TiVec<IntervalId, bool>,
    /// The interval of each variable, if it has one.
    interval_of: TiVec<VarId, Option<IntervalId>>,
    /// Intervals by the position where they start.
    starts: Vec<u32>,
    order: Vec<IntervalId>,
    cost: Vec<f32>,
    victims: Vec<IntervalId>,
    sent: Sent,
    /// With [`Strategy::LongestFree`].
    ages: Ages,
    /// In whose place each interval is although both are held at one position: of what it is made of or copied from, or
    /// those.
    overlapping: TiVec<IntervalId, Overlapping>,
    /// While places are handed out anew: the first of the group that each interval was looked at with, if it was.
    moved_with: TiVec<IntervalId, Option<IntervalId>>,
    /// The group at hand.
    group: Vec<Member>,
}

/// An interval that has a register which others may have, too.
struct Sharer {
    interval: IntervalId,
    /// It is held from here to there, perhaps with gaps.
    all: Range,
}

struct Scan<'a, const W: usize> {
    file: File,
    intervals: &'a Intervals,
    live: &'a Liveness,
    s: &'a mut ScanMemory,
    positions: usize,
    tables: UseTables<W>,
    /// Something has the whole of registers. If not, there is no table of that.
    some_wholes: bool,
    /// Something has a part of registers. If not, there is no table of that.
    some_parts: bool,
    sharing: Sharing<'a>,
    hints: Hints<'a>,
    /// Where the next search starts, if places are taken in turn: a register for what has whole ones, a byte of
    /// the file for what is smaller. With [`Strategy::LongestFree`] that is first behind the inputs, whose registers are read for
    /// a while, and no interval has had a register from `next` on.
    next: u32,
    next_byte: u32,
    used: u32,
}

/// Where variables would best be.
#[derive(Clone, Copy)]
pub(crate) struct Hints<'a> {
    pub copies: &'a Copies,
    pub reuse: &'a Reuse,
}

fn mask_of(start: u32, end: u32) -> u64 {
    ones(end - start) << start
}

/// From the first start to the last end of ranges, of which there is one.
fn hull(ranges: &[Range]) -> Range {
    Range { start: ranges[0].start, end: ranges[ranges.len() - 1].end }
}

/// Places `intervals`; those without live ranges are left out.
pub(crate) fn place(
    file: File,
    intervals: &Intervals,
    (live, sharing, hints): (&Liveness, Sharing<'_>, Hints<'_>),
    vars: usize,
    s: &mut ScanMemory,
    out: &mut Placement,
) {
    if intervals.is_empty() {
        out.start(vars);
        return;
    }
    if UseTables::<2>::hold(file) {
        let tables = std::mem::take(&mut s.narrow);
        s.narrow = place_in(file, intervals, (live, sharing, hints), vars, s, tables, out);
    } else {
        let tables = std::mem::take(&mut s.wide);
        s.wide = place_in(file, intervals, (live, sharing, hints), vars, s, tables, out);
    }
}

fn place_in<const W: usize>(
    file: File,
    intervals: &Intervals,
    (live, sharing, hints): (&Liveness, Sharing<'_>, Hints<'_>),
    vars: usize,
    s: &mut ScanMemory,
    tables: UseTables<W>,
    out: &mut Placement,
) -> UseTables<W> {
    let ranges = |i: &Interval| live.of(i.var);
    let ends = intervals.iter().filter_map(|i| ranges(i).last()).map(|r| r.end);
    let positions = ends.max().map_or(0, Position::index);
    s.start(file, intervals, vars);
    let mut order = std::mem::take(&mut s.order);
    match file.strategy {
        Strategy::Packed | Strategy::InTurn | Strategy::LongestFree => {
            by_start(intervals, ranges, positions, &mut s.starts, &mut order)
        }
        Strategy::LargestFirst => largest_first(intervals, ranges, file.reg_bytes(), &mut order),
    }
    let mut scan = Scan::new(file, intervals, (live, sharing, hints), positions, s, tables);
    out.failed = scan.place_all(&order);
    if scan.s.out.contains(&true) {
        scan.second_chance(&mut order);
    } else if file.renames && out.failed.is_none() {
        if file.strategy == Strategy::LargestFirst {
            by_start(intervals, ranges, positions, &mut scan.s.starts, &mut order);
        }
        scan.rename(&order, RegisterSet::EMPTY);
    }
    out.used = scan.used;
    let mut tables = scan.tables;
    for shared in tables.shared.iter().filter(|t| t.any) {
        tables.wholes.merge(&shared.held);
    }
    s.order = order;
    out.at.clear();
    out.at.resize(vars, None);
    out.spilled.clear();
    for (i, interval) in intervals.iter_enumerated() {
        out.at[interval.var] = s.at[i];
        if s.out[i] {
            out.spilled.push(interval.var);
        }
    }
    tables
}

impl ScanMemory {
    /// Nothing has a place.
    fn start(&mut self, file: File, intervals: &Intervals, vars: usize) {
        let regs = as_index(file.regs);
        self.active.clear();
        self.sent.clear();
        self.ages.start(if file.strategy.is_longest_free() { file.regs } else { 0 });
        self.overlapping.clear();
        self.overlapping.resize(intervals.len(), Overlapping::default());
        self.full_active = 256;
        if self.parts.len() < regs {
            self.parts.resize_with(regs, Vec::new);
        }
        self.parts.iter_mut().for_each(Vec::clear);
        self.full_parts.clear();
        self.full_parts.resize(regs, 32);
        self.sharers.iter_mut().for_each(Vec::clear);
        self.at.clear();
        self.at.resize(intervals.len(), None);
        self.out.clear();
        self.out.resize(intervals.len(), false);
        self.interval_of.clear();
        self.interval_of.resize(vars, None);
        for (i, interval) in intervals.iter_enumerated() {
            self.interval_of[interval.var] = Some(i);
            self.out[i] = interval.is_last;
        }
    }
}

impl<'a, const W: usize> Scan<'a, W> {
    /// A scan over so many positions, in memory where nothing has a place.
    fn new(
        file: File,
        intervals: &'a Intervals,
        (live, sharing, hints): (&'a Liveness, Sharing<'a>, Hints<'a>),
        positions: usize,
        s: &'a mut ScanMemory,
        mut tables: UseTables<W>,
    ) -> Self {
        let rb = file.reg_bytes();
        let some_wholes = intervals.iter().any(|i| i.bytes >= rb);
        let apart =
            |i: &Interval| !i.bytes.is_multiple_of(rb) || i.fixed.is_some_and(|at| !at.is_aligned(rb));
        let some_parts = intervals.iter().any(apart);
        tables.wholes.clear(if some_wholes { positions } else { 0 });
        tables.partly.clear(if some_parts { positions } else { 0 });
        tables.shared.iter_mut().for_each(|t| t.any = false);
        match sharing {
            Sharing::None => {}
            Sharing::ByLane(_) => {
                intervals
                    .iter()
                    .filter_map(|i| i.lanes)
                    .for_each(|layout| tables.shared[layout.index()].any = true);
            }
            Sharing::InCalls([_, passing]) => {
                tables.shared[0].any = intervals.iter().any(|i| !passing.of(i.var).is_empty());
            }
        }
        for shared in tables.shared.iter_mut().filter(|t| t.any) {
            shared.held.clear(positions);
            shared.needed.clear(positions);
        }
        let shares = tables.shared.iter().any(|t| t.any);
        let behind_inputs = || {
            let ends = intervals.iter().filter_map(|i| Some(i.fixed?.plus(i.bytes).bytes().div_ceil(rb)));
            ends.filter(|&end| end <= file.regs / 2).max().unwrap_or(0).max(file.first)
        };
        let next = if file.strategy.is_longest_free() { behind_inputs() } else { file.first };
        let regs = as_index(file.regs);
        if shares && s.sharers.len() < regs {
            s.sharers.resize_with(regs, Vec::new);
        }
        Scan {
            file,
            intervals,
            live,
            s,
            positions,
            tables,
            some_wholes,
            some_parts,
            sharing: if shares { sharing } else { Sharing::None },
            hints,
            next,
            next_byte: next * file.reg_bytes(),
            used: 0,
        }
    }

    /// Places all intervals: those that must be somewhere, then the others in this order. Returns a variable that finds no
    /// place and that nothing can be spilled for, if there is one.
    fn place_all(&mut self, order: &[IntervalId]) -> Option<VarId> {
        for (i, interval) in self.intervals.iter_enumerated() {
            if let Some(at) = interval.fixed
                && !self.live.of(interval.var).is_empty()
            {
                self.hold(i, at);
            }
        }
        let mut failed = None;
        for &i in order {
            let interval = &self.intervals[i];
            if interval.fixed.is_some() || self.s.out[i] {
                continue;
            }
            self.forget_sent(i);
            if let Some(at) = self.find(i) {
                self.hold(i, at);
            } else if self.file.strategy != Strategy::Packed {
                // All find places, or it does not count.
                return Some(interval.var);
            } else if !self.evict_for(i) {
                failed.get_or_insert(interval.var);
            }
        }
        failed
    }

    fn ranges(&self, i: IntervalId) -> &'a [Range] {
        self.live.of(self.intervals[i].var)
    }

    /// The registers that interval `i` has a part of at byte `at`, each with the bytes of it.
    fn parts_of(&self, i: IntervalId, at: FileByte) -> impl Iterator<Item = (u32, u64)> + use<W> {
        let (rb, at) = (self.file.reg_bytes(), at.bytes());
        let end = at + self.intervals[i].bytes;
        let (first, last) = (at / rb, (end - 1) / rb);
        let head = !at.is_multiple_of(rb) || end < (first + 1) * rb;
        let tail = last > first && !end.is_multiple_of(rb);
        let part = move |r: u32| (r, mask_of(at.max(r * rb) - r * rb, end.min((r + 1) * rb) - r * rb));
        [(head, first), (tail, last)].into_iter().filter(|x| x.0).map(move |(_, r)| part(r))
    }

    /// The registers that interval `i` has the whole of at byte `at`.
    fn wholes_of(&self, i: IntervalId, at: FileByte) -> RegisterSet<W> {
        let (rb, at) = (self.file.reg_bytes(), at.bytes());
        RegisterSet::between(at.div_ceil(rb), (at + self.intervals[i].bytes) / rb)
    }

    /// Puts interval `i` at byte `at`.
    fn hold(&mut self, i: IntervalId, at: FileByte) {
        let interval = &self.intervals[i];
        let ranges = self.ranges(i);
        let Some(now) = ranges.first() else { return };
        self.s.at[i] = Some(at);
        let to = at.plus(interval.bytes);
        self.used = self.used.max(to.bytes());
        // What must be somewhere comes before all else, in any order.
        let in_order = interval.fixed.is_none();
        let held = Held::new(i, 0, self.live.indices(interval.var), self.live.all());
        // Who makes room for others has to know what is in the way.
        if self.file.strategy == Strategy::Packed {
            if in_order && self.s.active.len() >= self.s.full_active {
                self.s.active.retain(|a| !a.held.is_over(now.start));
                self.s.full_active = (self.s.active.len() * 2).max(256);
            }
            self.s.active.push(Active { held, from: at, to, cost: interval.cost });
        }
        if self.file.strategy.is_in_turn() {
            self.note_sent(i, at);
        }
        if self.file.strategy.is_longest_free() && in_order {
            self.note_need(i, at);
        }
        for (r, mask) in self.parts_of(i, at) {
            let list = &mut self.s.parts[as_index(r)];
            if in_order && list.len() >= self.s.full_parts[as_index(r)] {
                list.retain(|h| !h.is_over(now.start));
                self.s.full_parts[as_index(r)] = (list.len() * 2).max(32);
            }
            list.push(held.in_part(mask));
            if self.some_parts {
                self.tables.partly.set(RegisterSet::between(r, r + 1), ranges);
            }
        }
        let wholes = self.wholes_of(i, at);
        if !wholes.is_empty() {
            self.take(i, wholes);
        }
    }

    /// Notes up to where a message may read interval `i`, which is at byte `at`.
    fn note_sent(&mut self, i: IntervalId, at: FileByte) {
        let interval = self.intervals[i];
        if interval.is_payload
            && let Some(last) = self.ranges(i).last()
        {
            self.s.sent.add(last.end, (at, at.plus(interval.bytes)), self.file.reg_bytes());
        }
    }

    /// What comes from interval `i` on, in order, does not ask for payloads that were read long before.
    fn forget_sent(&mut self, i: IntervalId) {
        if let Some(first) = self.ranges(i).first() {
            self.s.sent.forget_before(first.start);
        }
    }

    /// Notes up to where interval `i` needs its registers, from byte `at` on.
    fn note_need(&mut self, i: IntervalId, at: FileByte) {
        let (rb, end) = (self.file.reg_bytes(), at.plus(self.intervals[i].bytes).bytes());
        if let Some(last) = self.ranges(i).last() {
            self.s.ages.need(at.bytes() / rb..end.div_ceil(rb), to_index(last.end.index()));
        }
    }
}

/// First aligned run of so many zero bits, from bit `from` on.
fn free_slot(taken: u64, from: u32, (bytes, align): (u32, u32), size: u32) -> Option<u32> {
    let align = align.max(1);
    let mut at = from.next_multiple_of(align);
    while at + bytes <= size {
        if taken & mask_of(at, at + bytes) == 0 {
            return Some(at);
        }
        at += align;
    }
    None
}
