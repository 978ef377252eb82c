//! When registers are in use: a set of registers for each position.
//!
//! A scan asks which registers are in use in some ranges, and gives some away, from the first position to the
//! last. What it asks for stands together: the sets of neighbouring positions. Each block of positions has
//! two sets besides, of what is in use in all of it and somewhere in it: long ranges look at those.

use crate::liveness::Range;

/// A set of up to 64 `W` registers.
pub(crate) type Regs<const W: usize> = [u64; W];

/// Positions of a block.
const BLOCK: u32 = 16;

/// The positions at which registers are in use.
#[derive(Default)]
pub(crate) struct Busy<const W: usize> {
    /// In use at each position, beside what is in use in all of the block.
    at: Vec<Regs<W>>,
    blocks: Vec<Block<W>>,
}

/// What is in use in a block of positions.
#[derive(Clone, Copy)]
struct Block<const W: usize> {
    /// In all of it.
    all: Regs<W>,
    /// Somewhere in it.
    some: Regs<W>,
}

/// Adds a set to another.
fn add<const W: usize>(to: &mut Regs<W>, more: Regs<W>) {
    to.iter_mut().zip(more).for_each(|(t, m)| *t |= m);
}

/// Takes a set out of another.
fn remove<const W: usize>(from: &mut Regs<W>, less: Regs<W>) {
    from.iter_mut().zip(less).for_each(|(f, l)| *f &= !l);
}

/// The positions of a range in its first block, its whole blocks, and its positions in the last block. If it
/// has no whole block, all its positions may come first.
fn parts(range: Range) -> [std::ops::Range<usize>; 3] {
    let Range { start, end } = range;
    let (first, last) = (start.div_ceil(BLOCK), end / BLOCK);
    if first >= last {
        return [start as usize..end as usize, 0..0, 0..0];
    }
    [
        start as usize..(first * BLOCK) as usize,
        first as usize..last as usize,
        (last * BLOCK) as usize..end as usize,
    ]
}

const fn block_of(position: usize) -> usize {
    position / BLOCK as usize
}

impl<const W: usize> Busy<W> {
    /// Nothing is in use at any of so many positions.
    pub fn clear(&mut self, points: usize) {
        let blocks = points.div_ceil(BLOCK as usize);
        self.at.clear();
        self.at.resize(blocks * BLOCK as usize, [0; W]);
        self.blocks.clear();
        self.blocks.resize(blocks, Block { all: [0; W], some: [0; W] });
    }

    /// Adds what is in use in another table of the same positions.
    pub fn merge(&mut self, other: &Busy<W>) {
        self.at.iter_mut().zip(&other.at).for_each(|(at, o)| add(at, *o));
        for (block, o) in self.blocks.iter_mut().zip(&other.blocks) {
            add(&mut block.all, o.all);
            add(&mut block.some, o.some);
        }
    }

    /// How many positions are kept.
    pub fn positions(&self) -> usize {
        self.at.len()
    }

    /// Registers come in use in these ranges.
    pub fn set(&mut self, regs: Regs<W>, ranges: &[Range]) {
        for &range in ranges {
            let [head, blocks, tail] = parts(range);
            for edge in [head, tail] {
                if edge.is_empty() {
                    continue;
                }
                for block in &mut self.blocks[block_of(edge.start)..=block_of(edge.end - 1)] {
                    add(&mut block.some, regs);
                }
                self.at[edge].iter_mut().for_each(|at| add(at, regs));
            }
            for block in &mut self.blocks[blocks] {
                add(&mut block.all, regs);
                add(&mut block.some, regs);
            }
        }
    }

    /// Nothing has registers in these ranges any longer that were [set](Busy::set) for just these.
    pub fn reset(&mut self, regs: Regs<W>, ranges: &[Range]) {
        for &range in ranges {
            let [head, blocks, tail] = parts(range);
            for block in &mut self.blocks[blocks] {
                remove(&mut block.all, regs);
                remove(&mut block.some, regs);
            }
            for edge in [head, tail] {
                if edge.is_empty() {
                    continue;
                }
                self.at[edge.clone()].iter_mut().for_each(|at| remove(at, regs));
                for b in block_of(edge.start)..=block_of(edge.end - 1) {
                    let block = &mut self.blocks[b];
                    block.some = block.all;
                    let first = b * BLOCK as usize;
                    self.at[first..first + BLOCK as usize].iter().for_each(|at| add(&mut block.some, *at));
                }
            }
        }
    }

    /// The registers that are in use somewhere in these ranges.
    pub fn within(&self, ranges: &[Range]) -> Regs<W> {
        let mut found = [0; W];
        for &range in ranges {
            let [head, blocks, tail] = parts(range);
            for edge in [head, tail] {
                if edge.is_empty() {
                    continue;
                }
                for block in &self.blocks[block_of(edge.start)..=block_of(edge.end - 1)] {
                    add(&mut found, block.all);
                }
                self.at[edge].iter().for_each(|at| add(&mut found, *at));
            }
            self.blocks[blocks].iter().for_each(|block| add(&mut found, block.some));
        }
        found
    }
}

/// The registers from `from` to before `to`.
pub(crate) fn between<const W: usize>(from: u32, to: u32) -> Regs<W> {
    let below = |n: u32| if n >= 64 { u64::MAX } else { (1 << n) - 1 };
    let mut regs = [0; W];
    for (w, word) in regs.iter_mut().enumerate() {
        let base = w as u32 * 64;
        *word = below(to.saturating_sub(base)) & !below(from.saturating_sub(base));
    }
    regs
}

/// Whether a register is in a set.
pub(crate) const fn has<const W: usize>(regs: &Regs<W>, r: u32) -> bool {
    regs[r as usize / 64] >> (r % 64) & 1 != 0
}

/// The first register of a set.
pub(crate) fn first<const W: usize>(regs: &Regs<W>) -> Option<u32> {
    let at = regs.iter().position(|&word| word != 0)?;
    Some(at as u32 * 64 + regs[at].trailing_zeros())
}

/// The registers of a set that are followed by at least `n - 1` more of it.
pub(crate) fn runs<const W: usize>(mut regs: Regs<W>, n: u32) -> Regs<W> {
    let mut length = 1;
    while length < n {
        let by = length.min(n - length);
        let (words, bits) = (by as usize / 64, by % 64);
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
            _ => u64::from((w as u32 * 64).is_multiple_of(step)),
        };
    }
    regs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_in_use_is_found_where_it_is() {
        let ranges = [Range { start: 3, end: 9 }, Range { start: 14, end: 70 }, Range { start: 90, end: 91 }];
        let mut busy = Busy::<2>::default();
        busy.clear(200);
        busy.set(between(62, 66), &ranges);
        busy.set(between(1, 2), &[Range { start: 60, end: 180 }]);
        for start in 0..180 {
            for end in start + 1..180 {
                let range = Range { start, end };
                let found = busy.within(&[range]);
                let meets = ranges.iter().any(|r| r.start < end && start < r.end);
                assert_eq!(has(&found, 65), meets, "{range:?}");
                assert_eq!(has(&found, 1), end > 60, "{range:?}");
                assert!(!has(&found, 61) && !has(&found, 66));
            }
        }
        busy.reset(between(62, 66), &ranges);
        assert_eq!(busy.within(&[Range { start: 0, end: 180 }]), between(1, 2));
        assert_eq!(busy.within(&[Range { start: 0, end: 60 }]), [0; 2]);
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
