//! The orders in which the scan places variables.

use super::intervals::{Interval, IntervalId, Intervals};
use crate::analysis::position::Range;
use narrow::{as_index, span};

/// Puts intervals in the order in which they become live, the largest first among those that do together, and
/// the first first among equals.
/// `positions`: how many positions there are.
pub(crate) fn by_start<'a>(
    intervals: &Intervals,
    ranges: impl Fn(&Interval) -> &'a [Range],
    positions: usize,
    starts: &mut Vec<u32>,
    order: &mut Vec<IntervalId>,
) {
    let start = |i: &Interval| ranges(i).first().map(|r| r.start.index());
    if intervals.len() * 16 < positions {
        // Few: sorting them is less work than counting at all positions.
        order.clear();
        order.extend(
            intervals.iter_enumerated().filter(|(_, interval)| start(interval).is_some()).map(|(i, _)| i),
        );
        order.sort_unstable_by_key(|&i| {
            let interval = &intervals[i];
            (start(interval), u32::MAX - interval.bytes, i)
        });
        return;
    }
    starts.clear();
    starts.resize(positions + 1, 0);
    let mut count = 0;
    for at in intervals.iter().filter_map(start) {
        starts[at] += 1;
        count += 1;
    }
    let mut end = 0;
    for s in starts.iter_mut() {
        end += *s;
        *s = end;
    }
    order.clear();
    order.resize(count, IntervalId(0));
    for (i, interval) in intervals.iter_enumerated().rev() {
        if let Some(at) = start(interval) {
            starts[at] -= 1;
            order[as_index(starts[at])] = i;
        }
    }
    for ends in starts.windows(2).filter(|w| w[1] - w[0] > 1) {
        let together = &mut order[span(ends[0]..ends[1])];
        together.sort_unstable_by_key(|&i| (u32::MAX - intervals[i].bytes, i));
    }
}

/// Puts intervals of whole registers first, the largest before others, and otherwise in the same order. Whole registers
/// are known by position, so any order will do for them; what has a part of one must come as it becomes live
/// ([`Held`](super::Held)).
pub(crate) fn largest_first<'a>(
    intervals: &Intervals,
    ranges: impl Fn(&Interval) -> &'a [Range],
    reg_bytes: u32,
    order: &mut Vec<IntervalId>,
) {
    let start = |i: IntervalId| ranges(&intervals[i]).first().map(|r| r.start.index());
    order.clear();
    order.extend(intervals.keys().filter(|&i| start(i).is_some()));
    order.sort_unstable_by_key(|&i| {
        let bytes = intervals[i].bytes;
        let whole = if bytes.is_multiple_of(reg_bytes) { bytes } else { 0 };
        (u32::MAX - whole, start(i), u32::MAX - bytes, i)
    });
}
