//! Registers that are free for an interval.

use super::{copies::VarCopy, *};
use narrow::as_index;

/// Where an interval may be that takes whole registers.
struct Places<const W: usize> {
    /// Registers that it may take.
    open: RegisterSet<W>,
    /// Registers that it may begin with.
    starts: RegisterSet<W>,
    /// How many it takes.
    count: u32,
}

impl<const W: usize> Places<W> {
    /// The registers from which on all that it takes are open.
    fn free(&self) -> RegisterSet<W> {
        self.open.starts_of(self.count) & self.starts
    }
}

impl<'a, const W: usize> Scan<'a, W> {
    /// Bytes of register `r` that something has that has a part of it and that interval `i` meets. Forgets what ended before.
    pub(super) fn taken(&mut self, r: u32, i: IntervalId, mask: u64) -> u64 {
        let (intervals, ranges, all, sharing) =
            (self.intervals, self.ranges(i), self.live.all(), self.sharing);
        let (interval, now) = (&intervals[i], ranges[0].start);
        let mut taken = 0;
        let list = &mut self.s.parts[as_index(r)];
        list.retain_mut(|h| {
            if h.is_over(now) {
                return false;
            }
            if h.mask & mask & !taken != 0
                && h.meets_interval(&intervals[h.interval], (interval, ranges), all, sharing)
            {
                taken |= h.mask;
            }
            true
        });
        taken & mask
    }

    /// The registers that nothing has the whole of in `ranges`.
    pub(super) fn open(&self, ranges: &[Range]) -> RegisterSet<W> {
        if self.some_wholes { !self.tables.wholes.within(ranges) } else { RegisterSet::ALL }
    }

    /// The registers that something may have a part of in `ranges`.
    pub(super) fn with_parts(&self, ranges: &[Range]) -> RegisterSet<W> {
        if self.some_parts { self.tables.partly.within(ranges) } else { RegisterSet::EMPTY }
    }

    /// The registers that something may have which interval `i` meets, or a part of them.
    pub(super) fn used_near(&self, i: IntervalId) -> RegisterSet<W> {
        self.with_parts(self.ranges(i)) | !self.open_to(i)
    }

    /// The place of interval `i` that makes a copy of another one needless, if it is free. (For what is smaller than a
    /// register, turns matter more: a copy less is a wait more, on media kernels by the model.)
    fn find_beside_copy(
        &mut self,
        i: IntervalId,
        open: RegisterSet<W>,
        with_parts: RegisterSet<W>,
    ) -> Option<FileByte> {
        let rb = self.file.reg_bytes();
        let interval = self.intervals[i];
        for copy in self.hints.copies.of(interval.var) {
            let Some((there, at)) = self.beside(&interval, copy).filter(|(_, at)| at.is_multiple_of(rb))
            else {
                continue;
            };
            let n = interval.bytes.div_ceil(rb);
            let found = self.find_whole(i, open, with_parts, at / rb, at / rb + n);
            if found.is_some_and(|found| found.bytes() == at) {
                return found;
            }
            // Both are held where the copy reads, which does nothing then.
            if copy.meets.is_some() && self.may_overlap(i, there) {
                return Some(there);
            }
        }
        None
    }

    /// The same in `open` registers for what is smaller than one.
    fn find_part_beside_copy(
        &mut self,
        i: IntervalId,
        open: RegisterSet<W>,
        with_parts: RegisterSet<W>,
    ) -> Option<FileByte> {
        let rb = self.file.reg_bytes();
        let interval = self.intervals[i];
        self.hints.copies.of(interval.var).find_map(|copy| {
            let (_, at) = self.beside(&interval, copy)?;
            let (r, part) = (at / rb, mask_of(at % rb, at % rb + interval.bytes));
            let is_place = at % rb + interval.bytes <= rb && open.contains(r);
            let is_free = is_place && (!with_parts.contains(r) || self.taken(r, i, part) == 0);
            is_free.then(|| FileByte::try_new(at)).flatten()
        })
    }

    /// Where the other side of a copy lies, and the byte from which on an interval would lie beside it, if that may.
    fn beside(&self, interval: &Interval, copy: VarCopy) -> Option<(FileByte, u32)> {
        let there = self.s.interval_of[copy.other].and_then(|interval| self.s.at[interval])?;
        let at = there.bytes().checked_add_signed(copy.behind)?;
        let (low, high) = (interval.low, interval.high);
        let fits = at.is_multiple_of(interval.align.max(1)) && at >= low && at + interval.bytes <= high;
        fits.then_some((there, at))
    }

    /// The place of what interval `i` is made of, if it may be written over that and nothing else is in the way. Both are held
    /// where the one ends and the other begins, in the same instruction.
    fn find_in_place(&mut self, i: IntervalId) -> Option<FileByte> {
        let interval = self.intervals[i];
        let reused = self.hints.reuse.reused(interval.var)?;
        // It begins where the other ends, which is placed before it in their order alone.
        if self.file.strategy == Strategy::LargestFirst {
            return None;
        }
        // Who reads it earlier would have to stay before this, where a scheduler is to move them. That is worth a copy less.
        let alone = reused.only || reused.is_copied;
        let in_calls = matches!(self.sharing, Sharing::InCalls(_));
        if self.file.strategy.is_in_turn() && (in_calls || !alone) {
            return None;
        }
        let of = self.s.interval_of[reused.of]?;
        let there = self.s.at[of]?;
        let at = there.bytes();
        // (The other may live again later, as what a loop carries does, but not where this does.)
        let begins = self.ranges(i).first()?.start >= reused.at;
        let allowed = at.is_multiple_of(interval.align.max(1))
            && at >= interval.low
            && at + interval.bytes <= interval.high;
        if !begins || !allowed {
            return None;
        }
        self.may_overlap(i, there).then_some(there)
    }

    /// Whether interval `i` may be where others lie already and meet it: the source that it is made of, what is made of
    /// it, and variables that are copied to or from it. Each pair meets in one instruction only. If it may, that is noted.
    pub(super) fn may_overlap(&mut self, i: IntervalId, there: FileByte) -> bool {
        let var = self.intervals[i].var;
        let made = self.hints.reuse.reused(var).map(|l| (l.of, l.at));
        let taker = self.hints.reuse.taker(var);
        let copied = self.hints.copies.of(var).filter_map(|c| Some((c.other, c.meets?)));
        let mut overlapping = Overlapping::default();
        let mut meetings = [Position::NEVER; MOST_OVERLAPPING];
        for (other, at) in made.into_iter().chain(taker).chain(copied) {
            if let Some(other) = self.s.interval_of[other].filter(|&o| self.s.at[o] == Some(there))
                && self.s.overlapping[other].has_room()
                && let Some(n) = overlapping.add(other)
            {
                meetings[n] = at;
            }
        }
        meetings.sort_unstable();
        let regs = self.wholes_of(i, there);
        let open = self.open_but_at(i, meetings);
        let is_free = (regs & !open).is_empty();
        if is_free {
            for other in overlapping.intervals() {
                self.s.overlapping[other].add(i);
            }
            self.s.overlapping[i] = overlapping;
        }
        is_free
    }

    /// The registers that nothing has a part of which interval `i` meets but at some positions, in ascending order.
    fn open_but_at(&self, i: IntervalId, but: [Position; MOST_OVERLAPPING]) -> RegisterSet<W> {
        let mut used = RegisterSet::EMPTY;
        let mut meets = |matrix: &RegMatrix<W>, mut ranges: &'a [Range]| {
            let mut from = Position::START;
            for to in but.into_iter().take_while(|&to| to != Position::NEVER).chain([Position::NEVER]) {
                ranges = &ranges[ranges.partition_point(|r| r.end <= from)..];
                let part = &ranges[..ranges.partition_point(|r| r.start < to)];
                let cut = |r: &Range| Range { start: r.start.max(from), end: r.end.min(to) };
                if let [first, rest @ ..] = part {
                    used |= matrix.within(&[cut(first)]);
                    if let [between @ .., last] = rest {
                        used |= matrix.within(between);
                        used |= matrix.within(&[cut(last)]);
                    }
                }
                from = if to == Position::NEVER { to } else { to.next() };
            }
        };
        let ranges = self.ranges(i);
        if self.some_wholes {
            meets(&self.tables.wholes, ranges);
        }
        if self.some_parts {
            meets(&self.tables.partly, ranges);
        }
        self.each_shared(i, meets);
        !used
    }

    /// A free place for interval `i`.
    pub(super) fn find(&mut self, i: IntervalId) -> Option<FileByte> {
        let rb = self.file.reg_bytes();
        let interval = self.intervals[i];
        let ranges = self.ranges(i);
        let mut open = self.open_to(i);
        let with_parts = self.with_parts(ranges);
        let (low, high) = (interval.low.div_ceil(rb), (interval.high / rb).min(self.file.regs));
        if interval.bytes >= rb {
            if let Some(at) = self.find_beside_copy(i, open, with_parts) {
                return Some(at);
            }
            let in_turn = self.file.strategy.is_in_turn();
            if (in_turn && matches!(self.sharing, Sharing::None) || self.file.in_place == InPlace::First)
                && let Some(at) = self.find_in_place(i)
            {
                return Some(at);
            }
            let from = if in_turn { self.next.clamp(low, high) } else { low };
            let found = self.find_unsent(i, open, |scan, open| {
                scan.find_whole(i, open, with_parts, from, high).or_else(|| match scan.file.strategy {
                    Strategy::LongestFree => scan.find_longest_free(i, open, with_parts, low, high),
                    Strategy::InTurn => scan.find_whole(i, open, with_parts, low, high),
                    _ => None,
                })
            });
            if let Some(at) = found {
                let end = at.bytes() / rb + interval.bytes.div_ceil(rb);
                self.next = if self.file.strategy.is_longest_free() { self.next.max(end) } else { end };
            }
            return found.or_else(|| self.find_in_place(i));
        }
        let high = interval.high.div_ceil(rb).min(self.file.regs);
        open &= RegisterSet::between(low, high);
        if interval.is_vector
            && let Some(at) = self.find_part_beside_copy(i, open, with_parts)
        {
            return Some(at);
        }
        let found = self.find_unsent(i, open, |scan, open| scan.find_part(i, open, with_parts));
        if let Some(at) = found {
            // What begins a register is for messages and the math unit: not to be waited for by its neighbours.
            let end = at.bytes() + interval.bytes;
            self.next_byte = if interval.align >= rb { end.next_multiple_of(rb) } else { end };
            if self.file.strategy.is_longest_free() && self.file.regs >= 2 * PARTS_IN_TURN {
                self.next = self.next.max(end.div_ceil(rb));
            }
        }
        found
    }

    /// What is found in `open` registers, rather in those that no message may still be reading where interval `i` begins to
    /// live.
    fn find_unsent(
        &mut self,
        i: IntervalId,
        open: RegisterSet<W>,
        find: impl Fn(&mut Self, RegisterSet<W>) -> Option<FileByte>,
    ) -> Option<FileByte> {
        let mut unsent = open;
        if let Some(first) = self.ranges(i).first() {
            unsent &= !self.s.sent.before(first.start);
        }
        find(self, unsent).or_else(|| if unsent != open { find(self, open) } else { None })
    }

    /// A free place for interval `i`, which is smaller than a register, in one of `open`: beside others if there
    /// is room, else in an empty one.
    pub(super) fn find_part(
        &mut self,
        i: IntervalId,
        mut open: RegisterSet<W>,
        with_parts: RegisterSet<W>,
    ) -> Option<FileByte> {
        if let Some(at) = self.find_part_in_turn(i, open, with_parts) {
            return Some(at);
        }
        let rb = self.file.reg_bytes();
        let interval = self.intervals[i];
        let full = mask_of(0, rb);
        let from = if self.file.strategy.is_in_turn() { self.next_byte } else { 0 };
        let mut empty = None;
        // Bytes from `from` on, then those before.
        for (regs, least) in [
            (RegisterSet::between(from / rb, self.file.regs), from),
            (RegisterSet::between(0, from.div_ceil(rb)), 0),
        ] {
            let mut here = open & regs;
            while let Some(r) = here.first() {
                here.remove(r);
                let taken = if with_parts.contains(r) { self.taken(r, i, full) } else { 0 };
                let least = least.saturating_sub(r * rb);
                if taken != full
                    && (taken != 0 || empty.is_none())
                    && let Some(at) = free_slot(
                        taken,
                        least,
                        (interval.bytes, interval.align),
                        rb.min(interval.high - r * rb),
                    )
                {
                    let found = Some(FileByte::new(r * rb + at));
                    if taken != 0 {
                        return found;
                    }
                    empty = found;
                    // Only what others have parts of is better.
                    open &= with_parts;
                    here &= with_parts;
                }
            }
        }
        empty
    }

    /// The same in turn: the next place, beside others or not, in as many registers as serve small variables alone.
    pub(super) fn find_part_in_turn(
        &mut self,
        i: IntervalId,
        open: RegisterSet<W>,
        with_parts: RegisterSet<W>,
    ) -> Option<FileByte> {
        let rb = self.file.reg_bytes();
        // Flags are few, and each is a part.
        if !self.file.strategy.is_in_turn() || self.file.regs < 2 * PARTS_IN_TURN {
            return None;
        }
        let interval = self.intervals[i];
        // What lanes have is many, and would wait for each other in so few. A quarter is left to what is larger: with all of them
        // clDNN's convolutions of halves on Ponte Vecchio take as long, with half as many a fifth longer where it matters.
        let own = interval.is_vector && interval.align >= rb;
        let pool = if own { self.file.regs / 4 * 3 } else { PARTS_IN_TURN };
        let from = if self.next_byte < pool * rb { self.next_byte } else { 0 };
        // Where parts are, as long as there is room, then where nobody has been.
        let here = self.next_byte;
        let fresh = if self.file.strategy.is_longest_free() { self.next } else { self.file.regs };
        for (regs, least) in [
            (RegisterSet::between(here / rb, here.div_ceil(rb)), here),
            (RegisterSet::between(fresh, self.file.regs), 0),
            (RegisterSet::between(from / rb, pool), from),
            (RegisterSet::between(0, (from.div_ceil(rb)).min(pool)), 0),
        ] {
            let mut here = open & regs;
            while let Some(r) = here.first() {
                here.remove(r);
                let taken = if with_parts.contains(r) { self.taken(r, i, mask_of(0, rb)) } else { 0 };
                let (least, end) = (least.saturating_sub(r * rb), rb.min(interval.high - r * rb));
                if let Some(at) = free_slot(taken, least, (interval.bytes, interval.align), end) {
                    return Some(FileByte::new(r * rb + at));
                }
            }
        }
        None
    }

    /// The first place for interval `i` in `open` registers from `from` to before `high`: it takes whole ones, but
    /// for the last.
    pub(super) fn find_whole(
        &mut self,
        i: IntervalId,
        open: RegisterSet<W>,
        with_parts: RegisterSet<W>,
        from: u32,
        high: u32,
    ) -> Option<FileByte> {
        let mut places = self.places_of(i, open, with_parts, from, high);
        loop {
            let base = places.free().first()?;
            match self.in_the_way(i, base, with_parts) {
                None => return Some(FileByte::new(base * self.file.reg_bytes())),
                // In no later place is that the last register, of which less may be needed.
                Some(r) => places.open.remove(r),
            }
        }
    }

    /// Of all such places the one that nobody has had for longest: there the schedule may move the interval furthest.
    fn find_longest_free(
        &mut self,
        i: IntervalId,
        open: RegisterSet<W>,
        with_parts: RegisterSet<W>,
        low: u32,
        high: u32,
    ) -> Option<FileByte> {
        let places = self.places_of(i, open, with_parts, low, high);
        let rb = self.file.reg_bytes();
        // Registers are added until there is a place among them.
        let mut older = Places { open: RegisterSet::EMPTY, ..places };
        let mut but = 0;
        while let Some(r) = self.s.ages.oldest(but) {
            but += 1;
            if !places.open.contains(r) {
                continue;
            }
            older.open.insert(r);
            let with_it = RegisterSet::between((r + 1).saturating_sub(places.count), r + 1);
            for base in (older.free() & with_it).iter() {
                if self.in_the_way(i, base, with_parts).is_none() {
                    return Some(FileByte::new(base * rb));
                }
            }
        }
        None
    }

    /// Where interval `i` may be from `from` to before `high`, in whole registers of `open`.
    fn places_of(
        &self,
        i: IntervalId,
        mut open: RegisterSet<W>,
        with_parts: RegisterSet<W>,
        from: u32,
        high: u32,
    ) -> Places<W> {
        let rb = self.file.reg_bytes();
        let interval = self.intervals[i];
        let n = interval.bytes.div_ceil(rb);
        if self.some_parts && interval.bytes.is_multiple_of(rb) {
            open &= !with_parts;
        }
        let allowed = RegisterSet::between(from, (high + 1).saturating_sub(n));
        Places { open, starts: allowed & RegisterSet::multiples((interval.align / rb).max(1)), count: n }
    }

    /// The first of the registers from `base` on that interval `i` cannot have for what others have a part of.
    fn in_the_way(&mut self, i: IntervalId, base: u32, with_parts: RegisterSet<W>) -> Option<u32> {
        let rb = self.file.reg_bytes();
        let interval = self.intervals[i];
        (base..base + interval.bytes.div_ceil(rb)).find(|&r| {
            let bytes = (interval.bytes - (r - base) * rb).min(rb);
            with_parts.contains(r)
                && (bytes == rb && self.some_parts || self.taken(r, i, mask_of(0, bytes)) != 0)
        })
    }
}
