//! When registers are in use: a set of registers for each position.
//!
//! A scan asks which registers are in use in some ranges, and gives some away, from the first position to the
//! last. What it asks for stands together: the sets of neighbouring positions. Each block of positions, and each
//! stretch of blocks, has two sets besides, of what is in use in all of it and somewhere in it: long ranges look at
//! those.

use narrow::{as_index, ones, to_index};

use crate::analysis::position::Range;

/// A set of up to 64 `W` registers.
pub(crate) type Regs<const W: usize> = [u64; W];

/// Positions of a block, and blocks of a stretch.
const BLOCK: usize = 16;

/// The positions at which registers are in use.
#[derive(Default)]
pub(crate) struct RegMatrix<const W: usize> {
    /// In use at each position, beside what is in use in all of the block or stretch.
    at: Vec<Regs<W>>,
    /// Beside what is in use in all of the stretch.
    blocks: Vec<BlockUse<W>>,
    stretches: Vec<BlockUse<W>>,
}

/// What is in use in a block of positions.
#[derive(Clone, Copy)]
struct BlockUse<const W: usize> {
    /// In all of it.
    all: Regs<W>,
    /// Somewhere in it.
    some: Regs<W>,
}

impl<const W: usize> BlockUse<W> {
    const EMPTY: BlockUse<W> = BlockUse { all: [0; W], some: [0; W] };

    fn add(&mut self, regs: Regs<W>) {
        add(&mut self.all, regs);
        add(&mut self.some, regs);
    }

    fn remove(&mut self, regs: Regs<W>) {
        remove(&mut self.all, regs);
        remove(&mut self.some, regs);
    }
}

/// Adds a set to another.
fn add<const W: usize>(to: &mut Regs<W>, more: Regs<W>) {
    to.iter_mut().zip(more).for_each(|(t, m)| *t |= m);
}

/// Takes a set out of another.
fn remove<const W: usize>(from: &mut Regs<W>, less: Regs<W>) {
    from.iter_mut().zip(less).for_each(|(f, l)| *f &= !l);
}

type Span = std::ops::Range<usize>;

/// What of `start` to `end` is in its first block, its whole blocks, and what is in the last block. If it has no
/// whole block, all of it may come first.
fn parts(Span { start, end }: Span) -> [Span; 3] {
    let (first, last) = (start.div_ceil(BLOCK), end / BLOCK);
    if first >= last {
        return [start..end, 0..0, 0..0];
    }
    [start..first * BLOCK, first..last, last * BLOCK..end]
}

/// The block that all of it is in, and not the end of that: then nothing has to be taken apart, which goes for most
/// ranges.
const fn inside(span: &Span) -> Option<usize> {
    let block = span.start / BLOCK;
    if span.start < span.end && span.end / BLOCK == block { Some(block) } else { None }
}

/// The blocks that have a part of what is not empty.
const fn around(part: &Span) -> Span {
    part.start / BLOCK..(part.end - 1) / BLOCK + 1
}

const fn span(range: Range) -> Span {
    range.start.index()..range.end.index()
}

impl<const W: usize> RegMatrix<W> {
    /// Nothing is in use at any of so many positions.
    pub fn clear(&mut self, positions: usize) {
        let blocks = positions.div_ceil(BLOCK);
        self.at.clear();
        self.at.resize(blocks * BLOCK, [0; W]);
        let stretches = blocks.div_ceil(BLOCK);
        self.blocks.clear();
        self.blocks.resize(stretches * BLOCK, BlockUse::EMPTY);
        self.stretches.clear();
        self.stretches.resize(stretches, BlockUse::EMPTY);
    }

    /// Adds what is in use in another table of the same positions.
    pub fn merge(&mut self, other: &RegMatrix<W>) {
        self.at.iter_mut().zip(&other.at).for_each(|(at, o)| add(at, *o));
        for (mine, others) in [(&mut self.blocks, &other.blocks), (&mut self.stretches, &other.stretches)] {
            for (block, o) in mine.iter_mut().zip(others) {
                add(&mut block.all, o.all);
                add(&mut block.some, o.some);
            }
        }
    }

    /// How many positions are kept.
    pub fn positions(&self) -> usize {
        self.at.len()
    }

    /// Registers come in use in these ranges.
    pub fn set(&mut self, regs: Regs<W>, ranges: &[Range]) {
        for &range in ranges {
            let span = span(range);
            if let Some(b) = inside(&span) {
                add(&mut self.blocks[b].some, regs);
                add(&mut self.stretches[b / BLOCK].some, regs);
                self.at[span].iter_mut().for_each(|at| add(at, regs));
                continue;
            }
            let [head, blocks, tail] = parts(span);
            for edge in [head, tail].into_iter().filter(|e| !e.is_empty()) {
                for b in around(&edge) {
                    add(&mut self.blocks[b].some, regs);
                    add(&mut self.stretches[b / BLOCK].some, regs);
                }
                self.at[edge].iter_mut().for_each(|at| add(at, regs));
            }
            if blocks.is_empty() {
                continue;
            }
            let [head, stretches, tail] = parts(blocks);
            for edge in [head, tail].into_iter().filter(|e| !e.is_empty()) {
                self.stretches[around(&edge)].iter_mut().for_each(|s| add(&mut s.some, regs));
                self.blocks[edge].iter_mut().for_each(|b| b.add(regs));
            }
            self.stretches[stretches].iter_mut().for_each(|s| s.add(regs));
        }
    }

    /// Nothing has registers in these ranges any longer that were [set](RegMatrix::set) for just these.
    pub fn reset(&mut self, regs: Regs<W>, ranges: &[Range]) {
        for &range in ranges {
            let [head, blocks, tail] = parts(span(range));
            let [first, stretches, last] = parts(blocks);
            self.stretches[stretches].iter_mut().for_each(|s| s.remove(regs));
            for edge in [first, last].into_iter().filter(|e| !e.is_empty()) {
                self.blocks[edge.clone()].iter_mut().for_each(|b| b.remove(regs));
                around(&edge).for_each(|s| self.find_some_of(s));
            }
            for edge in [head, tail].into_iter().filter(|e| !e.is_empty()) {
                self.at[edge.clone()].iter_mut().for_each(|at| remove(at, regs));
                for b in around(&edge) {
                    let block = &mut self.blocks[b];
                    block.some = block.all;
                    self.at[b * BLOCK..(b + 1) * BLOCK].iter().for_each(|at| add(&mut block.some, *at));
                    self.find_some_of(b / BLOCK);
                }
            }
        }
    }

    /// Finds what is in use somewhere in a stretch from its blocks.
    fn find_some_of(&mut self, s: usize) {
        let stretch = &mut self.stretches[s];
        stretch.some = stretch.all;
        self.blocks[s * BLOCK..(s + 1) * BLOCK].iter().for_each(|b| add(&mut stretch.some, b.some));
    }

    /// The registers that are in use somewhere in these ranges.
    pub fn within(&self, ranges: &[Range]) -> Regs<W> {
        let mut found = [0; W];
        for &range in ranges {
            let span = span(range);
            if let Some(b) = inside(&span) {
                add(&mut found, self.blocks[b].all);
                add(&mut found, self.stretches[b / BLOCK].all);
                self.at[span].iter().for_each(|at| add(&mut found, *at));
                continue;
            }
            let [head, blocks, tail] = parts(span);
            for edge in [head, tail].into_iter().filter(|e| !e.is_empty()) {
                for b in around(&edge) {
                    add(&mut found, self.blocks[b].all);
                    add(&mut found, self.stretches[b / BLOCK].all);
                }
                self.at[edge].iter().for_each(|at| add(&mut found, *at));
            }
            if blocks.is_empty() {
                continue;
            }
            let [head, stretches, tail] = parts(blocks);
            for edge in [head, tail].into_iter().filter(|e| !e.is_empty()) {
                self.stretches[around(&edge)].iter().for_each(|s| add(&mut found, s.all));
                self.blocks[edge].iter().for_each(|b| add(&mut found, b.some));
            }
            self.stretches[stretches].iter().for_each(|s| add(&mut found, s.some));
        }
        found
    }
}

/// The registers from `from` to before `to`.
pub(crate) fn between<const W: usize>(from: u32, to: u32) -> Regs<W> {
    let mut regs = [0; W];
    for (w, word) in regs.iter_mut().enumerate() {
        let base = to_index(w) * 64;
        *word = ones(to.saturating_sub(base)) & !ones(from.saturating_sub(base));
    }
    regs
}

/// Whether a register is in a set.
pub(crate) const fn has<const W: usize>(regs: &Regs<W>, r: u32) -> bool {
    regs[as_index(r) / 64] >> (r % 64) & 1 != 0
}

/// The first register of a set.
pub(crate) fn first<const W: usize>(regs: &Regs<W>) -> Option<u32> {
    let at = regs.iter().position(|&word| word != 0)?;
    Some(to_index(at) * 64 + regs[at].trailing_zeros())
}

/// The registers of a set, in order.
pub(crate) fn each<const W: usize>(mut regs: Regs<W>) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let found = first(&regs)?;
        regs[as_index(found) / 64] &= !(1 << (found % 64));
        Some(found)
    })
}

/// The registers of a set that are followed by at least `n - 1` more of it.
pub(crate) fn runs<const W: usize>(mut regs: Regs<W>, n: u32) -> Regs<W> {
    let mut length = 1;
    while length < n {
        let by = length.min(n - length);
        let (words, bits) = (as_index(by) / 64, by % 64);
        for w in 0..W {
            let word = |at: usize| regs.get(at).copied().unwrap_or(0);
            let low = word(w + words);
            let high = word(w + words + 1);
            let moved = if bits == 0 { low } else { low >> bits | high << (64 - bits) };
            regs[w] &= moved;
        }
        length += by;
    }
    regs
}

/// The registers whose number is a multiple of `step`, a power of two.
pub(crate) fn multiples<const W: usize>(step: u32) -> Regs<W> {
    let mut regs = [0; W];
    for (w, word) in regs.iter_mut().enumerate() {
        *word = match step {
            1..64 => u64::MAX / ((1 << step) - 1),
            _ => u64::from((to_index(w) * 64).is_multiple_of(step)),
        };
    }
    regs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_in_use_is_found_where_it_is() {
        // Within blocks, over blocks, over stretches of blocks.
        let ranges = [(3, 9), (14, 70), (90, 91), (100, 1000)].map(|(start, end)| Range::between(start, end));
        let mut matrix = RegMatrix::<2>::default();
        matrix.clear(1200);
        matrix.set(between(62, 66), &ranges);
        matrix.set(between(1, 2), &[Range::between(60, 1180)]);
        for start in 0..1180 {
            for end in (start + 1..1180).step_by(1 + as_index(start) % 7) {
                let range = Range::between(start, end);
                let found = matrix.within(&[range]);
                let meets = ranges.iter().any(|r| r.meets(range));
                assert_eq!(has(&found, 65), meets, "{range:?}");
                assert_eq!(has(&found, 1), end > 60, "{range:?}");
                assert!(!has(&found, 61) && !has(&found, 66));
            }
        }
        matrix.reset(between(62, 66), &ranges);
        assert_eq!(matrix.within(&[Range::between(0, 1180)]), between(1, 2));
        assert_eq!(matrix.within(&[Range::between(0, 60)]), [0; 2]);
        for start in 0..1180 {
            let range = Range::between(start, start + 1);
            assert_eq!(matrix.within(&[range]), if start < 60 { [0; 2] } else { between(1, 2) }, "{range:?}");
        }
    }

    #[test]
    fn runs_of_registers_are_found_across_words() {
        let regs: Regs<4> = between(60, 135);
        for n in [1, 2, 3, 5, 64, 70, 75, 76, 130] {
            assert_eq!(runs(regs, n), between(60, 136u32.saturating_sub(n).max(60)), "{n}");
        }
        for step in [1, 2, 4, 32, 64, 128, 256] {
            let multiples = multiples::<4>(step);
            assert!((0..256).all(|r| has(&multiples, r) == r.is_multiple_of(step)), "{step}");
        }
        assert_eq!(first(&between::<4>(100, 256)), Some(100));
        assert_eq!(first(&between::<4>(7, 7)), None);
    }
}
