//! When registers are in use: a bit for each register and position.
//!
//! A scan asks of a register whether it is free in some ranges far more often than it gives one away; here
//! the answer is a word or two for a short range, whatever the number of variables that have the register.

use crate::liveness::Range;

/// The positions at which registers are in use: a bit each.
#[derive(Default)]
pub(crate) struct Busy {
    /// Words of a register.
    words: usize,
    bits: Vec<u64>,
}

/// The words of a row of bits that a range has part in: the first and the last, with its bits of them.
fn words_of(range: Range) -> ((usize, u64), (usize, u64)) {
    let last = range.end - 1;
    let from = (range.start as usize / 64, u64::MAX << (range.start % 64));
    let to = (last as usize / 64, u64::MAX >> (63 - last % 64));
    (from, to)
}

impl Busy {
    /// Nothing is in use.
    pub fn clear(&mut self, regs: usize, points: usize) {
        self.words = points.div_ceil(64).max(1);
        self.bits.clear();
        self.bits.resize(self.words * regs, 0);
    }

    fn row(&mut self, r: u32) -> &mut [u64] {
        &mut self.bits[r as usize * self.words..][..self.words]
    }

    /// Something has register `r` in these ranges.
    pub fn set(&mut self, r: u32, ranges: &[Range]) {
        let row = self.row(r);
        for &range in ranges {
            let ((first, head), (last, tail)) = words_of(range);
            if first == last {
                row[first] |= head & tail;
                continue;
            }
            row[first] |= head;
            row[first + 1..last].fill(u64::MAX);
            row[last] |= tail;
        }
    }

    /// Nothing has register `r` in these ranges.
    pub fn reset(&mut self, r: u32, ranges: &[Range]) {
        let row = self.row(r);
        for &range in ranges {
            let ((first, head), (last, tail)) = words_of(range);
            if first == last {
                row[first] &= !(head & tail);
                continue;
            }
            row[first] &= !head;
            row[first + 1..last].fill(0);
            row[last] &= !tail;
        }
    }

    /// Whether something has register `r` at some position of these ranges.
    pub fn meets(&self, r: u32, ranges: &[Range]) -> bool {
        let row = &self.bits[r as usize * self.words..][..self.words];
        ranges.iter().any(|&range| {
            let ((first, head), (last, tail)) = words_of(range);
            if first == last {
                return row[first] & head & tail != 0;
            }
            row[first] & head != 0 || row[last] & tail != 0 || row[first + 1..last].iter().any(|&w| w != 0)
        })
    }
}
