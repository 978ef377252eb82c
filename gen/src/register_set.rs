//! Sets of general registers.

use std::{
    array,
    fmt::{self, Display, Formatter},
    ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, Not, Range},
};

use narrow::{as_index, ones, to_index};
use platforms::Registers;

/// A set of general registers: of the largest file there is, or of up to 64 `W`, where many sets of a smaller one are kept.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct RegisterSet<const W: usize = { Registers::MOST_GRFS.div_ceil(64) }>([u64; W]);

impl<const W: usize> RegisterSet<W> {
    /// No register.
    pub const EMPTY: RegisterSet<W> = RegisterSet([0; W]);
    /// All of them.
    pub const ALL: RegisterSet<W> = RegisterSet([u64::MAX; W]);

    /// The registers from `from` to before `to`.
    pub fn between(from: u32, to: u32) -> RegisterSet<W> {
        RegisterSet(array::from_fn(|w| {
            let base = to_index(w) * 64;
            ones(to.saturating_sub(base)) & !ones(from.saturating_sub(base))
        }))
    }

    /// The registers whose number is a multiple of `step`, a power of two.
    pub fn multiples(step: u32) -> RegisterSet<W> {
        RegisterSet(array::from_fn(|w| match step {
            1..64 => u64::MAX / ((1 << step) - 1),
            _ => u64::from((to_index(w) * 64).is_multiple_of(step)),
        }))
    }

    /// Adds a register.
    pub fn insert(&mut self, reg: u32) {
        if let Some(word) = self.0.get_mut(as_index(reg / 64)) {
            *word |= 1 << (reg % 64);
        }
    }

    /// Removes a register.
    pub fn remove(&mut self, reg: u32) {
        if let Some(word) = self.0.get_mut(as_index(reg / 64)) {
            *word &= !(1 << (reg % 64));
        }
    }

    /// Whether a register is in it.
    pub fn contains(&self, reg: u32) -> bool {
        self.0.get(as_index(reg / 64)).is_some_and(|word| word >> (reg % 64) & 1 != 0)
    }

    /// Whether none is.
    pub fn is_empty(&self) -> bool {
        *self == RegisterSet::EMPTY
    }

    /// Its first register.
    pub fn first(&self) -> Option<u32> {
        let at = self.0.iter().position(|&word| word != 0)?;
        Some(to_index(at) * 64 + self.0[at].trailing_zeros())
    }

    /// Its registers, in order.
    pub fn iter(mut self) -> impl Iterator<Item = u32> {
        std::iter::from_fn(move || {
            let found = self.first()?;
            self.remove(found);
            Some(found)
        })
    }

    /// Its registers in runs, from the lowest on.
    pub fn runs(self) -> impl Iterator<Item = Range<u32>> {
        let end = 64 * to_index(W);
        let mut from = 0;
        std::iter::from_fn(move || {
            let start = (self & RegisterSet::between(from, end)).first()?;
            from = (!self & RegisterSet::between(start, end)).first().unwrap_or(end);
            Some(start..from)
        })
    }

    /// Those that are followed by at least `n - 1` more of it.
    #[must_use]
    pub fn starts_of(mut self, n: u32) -> RegisterSet<W> {
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

    /// With the smallest gaps filled, so that it has no more runs than this.
    #[must_use]
    pub fn at_most(mut self, runs: usize) -> RegisterSet<W> {
        while self.runs().count() > runs.max(1) {
            let gaps = self.runs().zip(self.runs().skip(1)).map(|(a, b)| a.end..b.start);
            let Some(smallest) = gaps.min_by_key(|gap| gap.len()) else { break };
            self |= RegisterSet::between(smallest.start, smallest.end);
        }
        self
    }
}

impl<const W: usize> Default for RegisterSet<W> {
    fn default() -> RegisterSet<W> {
        RegisterSet::EMPTY
    }
}

impl<const W: usize> BitOrAssign for RegisterSet<W> {
    #[inline]
    fn bitor_assign(&mut self, other: RegisterSet<W>) {
        self.0.iter_mut().zip(&other.0).for_each(|(word, more)| *word |= more);
    }
}

impl<const W: usize> BitAndAssign for RegisterSet<W> {
    #[inline]
    fn bitand_assign(&mut self, other: RegisterSet<W>) {
        self.0.iter_mut().zip(&other.0).for_each(|(word, other)| *word &= other);
    }
}

impl<const W: usize> BitOr for RegisterSet<W> {
    type Output = RegisterSet<W>;

    #[inline]
    fn bitor(mut self, other: RegisterSet<W>) -> RegisterSet<W> {
        self |= other;
        self
    }
}

impl<const W: usize> BitAnd for RegisterSet<W> {
    type Output = RegisterSet<W>;

    #[inline]
    fn bitand(mut self, other: RegisterSet<W>) -> RegisterSet<W> {
        self &= other;
        self
    }
}

impl<const W: usize> Not for RegisterSet<W> {
    type Output = RegisterSet<W>;

    #[inline]
    fn not(mut self) -> RegisterSet<W> {
        self.0.iter_mut().for_each(|word| *word = !*word);
        self
    }
}

impl<const W: usize> Display for RegisterSet<W> {
    /// `r3 r10-r17`.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (n, run) in self.runs().enumerate() {
            let space = if n > 0 { " " } else { "" };
            write!(f, "{space}r{}", run.start)?;
            if run.len() > 1 {
                write!(f, "-r{}", run.end - 1)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_found_across_words() {
        let mut set = <RegisterSet>::EMPTY;
        assert_eq!(set.runs().next(), None);
        for run in [3..4, 60..70, 127..128, 190..256] {
            set |= RegisterSet::between(run.start, run.end);
        }
        set.insert(4);
        let runs: Vec<_> = set.runs().collect();
        assert_eq!(runs, [3..5, 60..70, 127..128, 190..256]);
        assert!((0..300).all(|r| set.contains(r) == runs.iter().any(|run| run.contains(&r))));
        assert_eq!(set.to_string(), "r3-r4 r60-r69 r127 r190-r255");
        assert_eq!(set.at_most(3).to_string(), "r3-r69 r127 r190-r255");
        assert_eq!(set.at_most(0).to_string(), "r3-r255");
        assert_eq!(RegisterSet::ALL & !set | set, RegisterSet::ALL);
        assert!(<RegisterSet>::ALL.runs().eq(std::iter::once(0..256)));
    }

    #[test]
    fn starts_of_runs_are_found_across_words() {
        let regs = RegisterSet::<4>::between(60, 135);
        for n in [1, 2, 3, 5, 64, 70, 75, 76, 130] {
            assert_eq!(regs.starts_of(n), RegisterSet::between(60, 136u32.saturating_sub(n).max(60)), "{n}");
        }
        for step in [1, 2, 4, 32, 64, 128, 256] {
            let multiples = RegisterSet::<4>::multiples(step);
            assert!((0..256).all(|r| multiples.contains(r) == r.is_multiple_of(step)), "{step}");
        }
        assert_eq!(RegisterSet::<4>::between(100, 256).first(), Some(100));
        assert_eq!(RegisterSet::<4>::between(7, 7).first(), None);
    }
}
