//! When registers are in use: a set of registers for each position.
//!
//! A scan asks which registers are in use in some ranges, and gives some away, from the first position to the
//! last. What it asks for stands together: the sets of neighbouring positions. Each block of positions, and each
//! stretch of blocks, has two sets besides, of what is in use in all of it and somewhere in it: long ranges look at
//! those.

use crate::analysis::position::Range;
use gen_ir::RegisterSet;

/// Positions of a block, and blocks of a stretch.
const BLOCK: usize = 16;

/// The positions at which registers are in use.
#[derive(Default)]
pub(crate) struct RegMatrix<const W: usize> {
    /// In use at each position, beside what is in use in all of the block or stretch.
    at: Vec<RegisterSet<W>>,
    /// Beside what is in use in all of the stretch.
    blocks: Vec<BlockUse<W>>,
    stretches: Vec<BlockUse<W>>,
}

/// What is in use in a block of positions.
#[derive(Clone, Copy)]
struct BlockUse<const W: usize> {
    /// In all of it.
    all: RegisterSet<W>,
    /// Somewhere in it.
    some: RegisterSet<W>,
}

impl<const W: usize> BlockUse<W> {
    const EMPTY: BlockUse<W> = BlockUse { all: RegisterSet::EMPTY, some: RegisterSet::EMPTY };

    fn add(&mut self, regs: RegisterSet<W>) {
        self.all |= regs;
        self.some |= regs;
    }

    fn remove(&mut self, regs: RegisterSet<W>) {
        self.all &= !regs;
        self.some &= !regs;
    }
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
        self.at.resize(blocks * BLOCK, RegisterSet::EMPTY);
        let stretches = blocks.div_ceil(BLOCK);
        self.blocks.clear();
        self.blocks.resize(stretches * BLOCK, BlockUse::EMPTY);
        self.stretches.clear();
        self.stretches.resize(stretches, BlockUse::EMPTY);
    }

    /// Adds what is in use in another table of the same positions.
    pub fn merge(&mut self, other: &RegMatrix<W>) {
        self.at.iter_mut().zip(&other.at).for_each(|(at, o)| *at |= *o);
        for (mine, others) in [(&mut self.blocks, &other.blocks), (&mut self.stretches, &other.stretches)] {
            for (block, o) in mine.iter_mut().zip(others) {
                block.all |= o.all;
                block.some |= o.some;
            }
        }
    }

    /// How many positions are kept.
    pub fn positions(&self) -> usize {
        self.at.len()
    }

    /// Registers come in use in these ranges.
    pub fn set(&mut self, regs: RegisterSet<W>, ranges: &[Range]) {
        for &range in ranges {
            let span = span(range);
            if let Some(b) = inside(&span) {
                self.blocks[b].some |= regs;
                self.stretches[b / BLOCK].some |= regs;
                self.at[span].iter_mut().for_each(|at| *at |= regs);
                continue;
            }
            let [head, blocks, tail] = parts(span);
            for edge in [head, tail].into_iter().filter(|e| !e.is_empty()) {
                for b in around(&edge) {
                    self.blocks[b].some |= regs;
                    self.stretches[b / BLOCK].some |= regs;
                }
                self.at[edge].iter_mut().for_each(|at| *at |= regs);
            }
            if blocks.is_empty() {
                continue;
            }
            let [head, stretches, tail] = parts(blocks);
            for edge in [head, tail].into_iter().filter(|e| !e.is_empty()) {
                self.stretches[around(&edge)].iter_mut().for_each(|s| s.some |= regs);
                self.blocks[edge].iter_mut().for_each(|b| b.add(regs));
            }
            self.stretches[stretches].iter_mut().for_each(|s| s.add(regs));
        }
    }

    /// Nothing has registers in these ranges any longer that were [set](RegMatrix::set) for just these.
    pub fn reset(&mut self, regs: RegisterSet<W>, ranges: &[Range]) {
        for &range in ranges {
            let [head, blocks, tail] = parts(span(range));
            let [first, stretches, last] = parts(blocks);
            self.stretches[stretches].iter_mut().for_each(|s| s.remove(regs));
            for edge in [first, last].into_iter().filter(|e| !e.is_empty()) {
                self.blocks[edge.clone()].iter_mut().for_each(|b| b.remove(regs));
                around(&edge).for_each(|s| self.find_some_of(s));
            }
            for edge in [head, tail].into_iter().filter(|e| !e.is_empty()) {
                self.at[edge.clone()].iter_mut().for_each(|at| *at &= !regs);
                for b in around(&edge) {
                    let block = &mut self.blocks[b];
                    block.some = block.all;
                    self.at[b * BLOCK..(b + 1) * BLOCK].iter().for_each(|at| block.some |= *at);
                    self.find_some_of(b / BLOCK);
                }
            }
        }
    }

    /// Finds what is in use somewhere in a stretch from its blocks.
    fn find_some_of(&mut self, s: usize) {
        let stretch = &mut self.stretches[s];
        stretch.some = stretch.all;
        self.blocks[s * BLOCK..(s + 1) * BLOCK].iter().for_each(|b| stretch.some |= b.some);
    }

    /// The registers that are in use somewhere in these ranges.
    pub fn within(&self, ranges: &[Range]) -> RegisterSet<W> {
        let mut found = RegisterSet::EMPTY;
        for &range in ranges {
            let span = span(range);
            if let Some(b) = inside(&span) {
                found |= self.blocks[b].all;
                found |= self.stretches[b / BLOCK].all;
                self.at[span].iter().for_each(|at| found |= *at);
                continue;
            }
            let [head, blocks, tail] = parts(span);
            for edge in [head, tail].into_iter().filter(|e| !e.is_empty()) {
                for b in around(&edge) {
                    found |= self.blocks[b].all;
                    found |= self.stretches[b / BLOCK].all;
                }
                self.at[edge].iter().for_each(|at| found |= *at);
            }
            if blocks.is_empty() {
                continue;
            }
            let [head, stretches, tail] = parts(blocks);
            for edge in [head, tail].into_iter().filter(|e| !e.is_empty()) {
                self.stretches[around(&edge)].iter().for_each(|s| found |= s.all);
                self.blocks[edge].iter().for_each(|b| found |= b.some);
            }
            self.stretches[stretches].iter().for_each(|s| found |= s.some);
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use narrow::as_index;

    #[test]
    fn what_is_in_use_is_found_where_it_is() {
        // Within blocks, over blocks, over stretches of blocks.
        let ranges = [(3, 9), (14, 70), (90, 91), (100, 1000)].map(|(start, end)| Range::between(start, end));
        let mut matrix = RegMatrix::<2>::default();
        matrix.clear(1200);
        matrix.set(RegisterSet::between(62, 66), &ranges);
        matrix.set(RegisterSet::between(1, 2), &[Range::between(60, 1180)]);
        for start in 0..1180 {
            for end in (start + 1..1180).step_by(1 + as_index(start) % 7) {
                let range = Range::between(start, end);
                let found = matrix.within(&[range]);
                let meets = ranges.iter().any(|r| r.meets(range));
                assert_eq!(found.contains(65), meets, "{range:?}");
                assert_eq!(found.contains(1), end > 60, "{range:?}");
                assert!(!found.contains(61) && !found.contains(66));
            }
        }
        matrix.reset(RegisterSet::between(62, 66), &ranges);
        assert_eq!(matrix.within(&[Range::between(0, 1180)]), RegisterSet::between(1, 2));
        assert_eq!(matrix.within(&[Range::between(0, 60)]), RegisterSet::EMPTY);
        for start in 0..1180 {
            let range = Range::between(start, start + 1);
            assert_eq!(
                matrix.within(&[range]),
                if start < 60 { RegisterSet::EMPTY } else { RegisterSet::between(1, 2) },
                "{range:?}"
            );
        }
    }
}
