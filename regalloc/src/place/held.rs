//! Variables that have a place, as the scan asks for them: does one meet another that comes later?

use super::intervals::{Interval, IntervalId, Sharing};
use crate::analysis::position::{Position, Range};
use gen_ir::FileByte;
use narrow::{as_index, span, to_index};

/// A placed variable.
#[derive(Clone, Copy)]
pub(crate) struct Held {
    pub(super) interval: IntervalId,
    /// Bytes of a register, for one that is not there for the whole of it.
    pub(super) mask: u64,
    /// Its ranges among all: the first that does not end before the scan's position, and one past the last.
    pub(super) at: u32,
    pub(super) last: u32,
    /// That range.
    now: Range,
    /// When the last of them ends.
    end: Position,
}

impl Held {
    /// A variable with these ranges, of which there is at least one.
    pub fn new(interval: IntervalId, mask: u64, indices: std::ops::Range<u32>, all: &[Range]) -> Held {
        let (now, end) = (all[as_index(indices.start)], all[as_index(indices.end) - 1].end);
        Held { interval, mask, at: indices.start, last: indices.end, now, end }
    }

    /// The same, with these bytes of a register.
    pub const fn in_part(self, mask: u64) -> Held {
        Held { mask, ..self }
    }

    /// Its first range that does not end before the scan's position.
    pub const fn now(&self) -> Range {
        self.now
    }

    /// Whether nothing of it is left at position `now`.
    pub fn is_over(&self, now: Position) -> bool {
        self.end <= now
    }

    /// Whether it is alive somewhere in `ranges`, which begin at the scan's position. It is not over.
    pub fn meets(&mut self, ranges: &[Range], all: &[Range]) -> bool {
        let (now, end) = (ranges[0].start, ranges[ranges.len() - 1].end);
        if self.now.end <= now {
            let rest = &all[span(self.at..self.last)];
            self.at += to_index(rest.partition_point(|r| r.end <= now));
            self.now = all[as_index(self.at)];
        }
        match ranges {
            [only] => self.now.start < only.end,
            _ => self.now.start < end && overlap(&all[span(self.at..self.last)], ranges),
        }
    }

    /// Whether this, which is `own`, may not have a place that `interval` has, which is alive in `ranges`: two that are lane by
    /// lane, with one layout, meet only where lanes that run need both.
    pub fn meets_interval(
        &mut self,
        own: &Interval,
        (interval, ranges): (&Interval, &[Range]),
        all: &[Range],
        sharing: Sharing<'_>,
    ) -> bool {
        let (v, o) = (interval.var, own.var);
        match sharing {
            Sharing::ByLane(needed) if interval.lanes.is_some() && own.lanes == interval.lanes => {
                overlap(needed.of(o), needed.of(v))
            }
            Sharing::InCalls([own, passing]) if !passing.of(v).is_empty() && !passing.of(o).is_empty() => {
                overlap(own.of(o), own.of(v))
                    || overlap(own.of(o), passing.of(v))
                    || overlap(passing.of(o), own.of(v))
            }
            _ => self.meets(ranges, all),
        }
    }
}

/// A placed variable, with all of it that the scan asks for when it looks for what is in the way.
#[derive(Clone, Copy)]
pub(super) struct Active {
    pub held: Held,
    /// Its bytes of the file.
    pub from: FileByte,
    pub to: FileByte,
    /// What spilling it costs.
    pub cost: f32,
}

/// Whether two lists of ranges have a position in common.
fn overlap(a: &[Range], b: &[Range]) -> bool {
    let (mut i, mut j) = (0, 0);
    if let ([x], [y]) = (a, b) {
        return x.meets(*y);
    }
    // Skip what ends before the other begins.
    if let (Some(x), Some(y)) = (a.first(), b.first()) {
        i = a.partition_point(|r| r.end <= y.start);
        j = b.partition_point(|r| r.end <= x.start);
    }
    while i < a.len() && j < b.len() {
        if a[i].end <= b[j].start {
            i += 1;
        } else if b[j].end <= a[i].start {
            j += 1;
        } else {
            return true;
        }
    }
    false
}
