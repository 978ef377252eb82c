//! Sets of registers, of as many words as a file needs: tables have one for each position, so they are kept small.
//! (`gen_ir::RegisterSet` has room for the largest file.)

use std::{
    array,
    ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, Not},
};

use narrow::{as_index, ones, to_index};

/// A set of up to 64 `W` registers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Regs<const W: usize>([u64; W]);

impl<const W: usize> Regs<W> {
    pub const NONE: Regs<W> = Regs([0; W]);
    pub const ALL: Regs<W> = Regs([u64::MAX; W]);

    /// The registers from `from` to before `to`.
    pub fn between(from: u32, to: u32) -> Regs<W> {
        Regs(array::from_fn(|w| {
            let base = to_index(w) * 64;
            ones(to.saturating_sub(base)) & !ones(from.saturating_sub(base))
        }))
    }

    /// The registers whose number is a multiple of `step`, a power of two.
    pub fn multiples(step: u32) -> Regs<W> {
        Regs(array::from_fn(|w| match step {
            1..64 => u64::MAX / ((1 << step) - 1),
            _ => u64::from((to_index(w) * 64).is_multiple_of(step)),
        }))
    }

    /// Whether there is none in it.
    pub fn is_empty(self) -> bool {
        self == Regs::NONE
    }

    /// Whether a register is in it.
    pub const fn has(&self, r: u32) -> bool {
        self.0[as_index(r) / 64] >> (r % 64) & 1 != 0
    }

    pub const fn add(&mut self, r: u32) {
        self.0[as_index(r) / 64] |= 1 << (r % 64);
    }

    pub const fn remove(&mut self, r: u32) {
        self.0[as_index(r) / 64] &= !(1 << (r % 64));
    }

    /// Its first register.
    pub fn first(&self) -> Option<u32> {
        let at = self.0.iter().position(|&word| word != 0)?;
        Some(to_index(at) * 64 + self.0[at].trailing_zeros())
    }

    /// Its registers, in order.
    pub fn each(mut self) -> impl Iterator<Item = u32> {
        std::iter::from_fn(move || {
            let found = self.first()?;
            self.remove(found);
            Some(found)
        })
    }

    /// Those that are followed by at least `n - 1` more of it.
    pub fn runs(mut self, n: u32) -> Regs<W> {
        let mut length = 1;
        while length < n {
            let by = length.min(n - length);
            let (words, bits) = (as_index(by) / 64, by % 64);
            for w in 0..W {
                let word = |at: usize| self.0.get(at).copied().unwrap_or(0);
                let low = word(w + words);
                let high = word(w + words + 1);
                let moved = if bits == 0 { low } else { low >> bits | high << (64 - bits) };
                self.0[w] &= moved;
            }
            length += by;
        }
        self
    }
}

impl<const W: usize> BitOrAssign for Regs<W> {
    #[inline]
    fn bitor_assign(&mut self, other: Regs<W>) {
        self.0.iter_mut().zip(&other.0).for_each(|(word, more)| *word |= more);
    }
}

impl<const W: usize> BitAndAssign for Regs<W> {
    #[inline]
    fn bitand_assign(&mut self, other: Regs<W>) {
        self.0.iter_mut().zip(&other.0).for_each(|(word, other)| *word &= other);
    }
}

impl<const W: usize> BitOr for Regs<W> {
    type Output = Regs<W>;

    #[inline]
    fn bitor(mut self, other: Regs<W>) -> Regs<W> {
        self |= other;
        self
    }
}

impl<const W: usize> BitAnd for Regs<W> {
    type Output = Regs<W>;

    #[inline]
    fn bitand(mut self, other: Regs<W>) -> Regs<W> {
        self &= other;
        self
    }
}

impl<const W: usize> Not for Regs<W> {
    type Output = Regs<W>;

    #[inline]
    fn not(mut self) -> Regs<W> {
        self.0.iter_mut().for_each(|word| *word = !*word);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_of_registers_are_found_across_words() {
        let regs = Regs::<4>::between(60, 135);
        for n in [1, 2, 3, 5, 64, 70, 75, 76, 130] {
            assert_eq!(regs.runs(n), Regs::between(60, 136u32.saturating_sub(n).max(60)), "{n}");
        }
        for step in [1, 2, 4, 32, 64, 128, 256] {
            let multiples = Regs::<4>::multiples(step);
            assert!((0..256).all(|r| multiples.has(r) == r.is_multiple_of(step)), "{step}");
        }
        assert_eq!(Regs::<4>::between(100, 256).first(), Some(100));
        assert_eq!(Regs::<4>::between(7, 7).first(), None);
    }
}
