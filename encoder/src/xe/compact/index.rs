//! Tables of groups of bits, and how to find a group in one.

use narrow::{as_index, const_u8, halves, wide_u8, wide_u64};

use super::super::words::bits;

/// A group of native bits with its table.
pub(super) struct Index {
    /// All of the bits.
    pub(super) mask: u128,
    /// The rows, each bit where the native word has it.
    native: [u128; 32],
    /// How many rows there are.
    len: u8,
    /// What [`Index::place`] multiplies by: no two rows share a place.
    factor: u64,
    /// Row numbers by place; where there is none, any.
    places: [u8; 256],
}

impl Index {
    /// `parts`: runs of bits, lowest and highest, which rows list from low to high; none crosses bit 64.
    /// `rows` are cut to the bits that the parts have.
    pub(super) const fn new(parts: &'static [(u32, u32)], rows: &[u64]) -> Index {
        let mut mask = 0;
        let mut width = 0;
        let mut i = 0;
        while i < parts.len() {
            mask |= bits(parts[i].0, parts[i].1);
            width += parts[i].1 - parts[i].0 + 1;
            i += 1;
        }
        let mut native = [0; 32];
        let mut r = 0;
        while r < rows.len() {
            native[r] = scatter(parts, rows[r] & ((1 << width) - 1));
            r += 1;
        }
        let mut factor: u64 = 0x9e37_79b9_7f4a_7c15;
        loop {
            if let Some(places) = Index::places(&native, rows.len(), factor) {
                return Index { mask, native, len: const_u8(rows.len()), factor, places };
            }
            factor = factor.wrapping_mul(0xd134_2543_de82_ef95).wrapping_add(2);
        }
    }

    /// The place of each row, if all differ. Of equal rows the first counts.
    const fn places(native: &[u128; 32], rows: usize, factor: u64) -> Option<[u8; 256]> {
        const NONE: u8 = 0xff;
        let mut places = [NONE; 256];
        let mut r = 0;
        while r < rows {
            let place = Index::place(native[r], factor);
            if places[place] == NONE {
                places[place] = const_u8(r);
            } else if native[as_index(wide_u8(places[place]))] != native[r] {
                return None;
            }
            r += 1;
        }
        let mut p = 0;
        while p < places.len() {
            if places[p] == NONE {
                places[p] = 0;
            }
            p += 1;
        }
        Some(places)
    }

    #[inline(always)]
    const fn place(group: u128, factor: u64) -> usize {
        let (low, high) = halves(group);
        let sum = low.wrapping_mul(factor).wrapping_add(high.wrapping_mul(factor.rotate_left(32) | 1));
        as_index(wide_u8(sum.to_be_bytes()[0]))
    }

    /// The first row that equals the word's bits. If there is none, `all` becomes false; a caller that looks up several rows
    /// asks that once, which spares branches that are hard to predict.
    #[inline(always)]
    pub(super) fn find(&self, word: u128, all: &mut bool) -> u8 {
        let group = word & self.mask;
        let found = self.places[Index::place(group, self.factor)];
        *all &= self.native[usize::from(found & 31)] == group;
        found
    }

    /// The native bits of a row; `index` has no more bits than rows need.
    pub(super) fn expand(&self, index: u8) -> u128 {
        debug_assert!(index < self.len);
        self.native[usize::from(index & 31)]
    }
}

/// A row's bits, spread over the parts of a native word.
const fn scatter(parts: &[(u32, u32)], mut row: u64) -> u128 {
    let mut word = 0;
    let mut i = 0;
    while i < parts.len() {
        let (low, high) = parts[i];
        let width = high - low + 1;
        word |= wide_u64(row & ((1 << width) - 1)) << low;
        row >>= width;
        i += 1;
    }
    word
}
