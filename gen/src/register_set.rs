//! Sets of general registers.

use std::fmt::{self, Display, Formatter};
use std::ops::Range;

use narrow::{as_index, ones, to_index};
use platforms::Registers;

/// A set of general registers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct RegisterSet([u64; WORDS]);

const WORDS: usize = Registers::MOST_GRFS.div_ceil(64);

impl RegisterSet {
    /// No register.
    pub const EMPTY: RegisterSet = RegisterSet([0; WORDS]);
    /// All of them.
    pub const ALL: RegisterSet = RegisterSet([u64::MAX; WORDS]);

    /// Adds registers.
    pub fn extend(&mut self, regs: Range<u32>) {
        for (w, word) in (0..).zip(&mut self.0) {
            let within = |r: u32| ones(r.saturating_sub(w * 64).min(64));
            *word |= within(regs.end) & !within(regs.start);
        }
    }

    /// Adds a register.
    pub fn insert(&mut self, reg: u32) {
        if let Some(word) = self.0.get_mut(as_index(reg / 64)) {
            *word |= 1 << (reg % 64);
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

    /// The registers of either.
    #[must_use]
    pub fn union(mut self, other: RegisterSet) -> RegisterSet {
        self.0.iter_mut().zip(other.0).for_each(|(mine, theirs)| *mine |= theirs);
        self
    }

    /// Those that are not in the other.
    #[must_use]
    pub fn difference(mut self, other: RegisterSet) -> RegisterSet {
        self.0.iter_mut().zip(other.0).for_each(|(mine, theirs)| *mine &= !theirs);
        self
    }

    /// Its registers in runs, from the lowest on.
    pub fn runs(self) -> impl Iterator<Item = Range<u32>> {
        let mut from = 0;
        std::iter::from_fn(move || {
            let start = self.first(from, |word| word)?;
            from = self.first(start, |word| !word).unwrap_or(64 * to_index(WORDS));
            Some(start..from)
        })
    }

    /// With the smallest gaps filled, so that it has no more runs than this.
    #[must_use]
    pub fn at_most(mut self, runs: usize) -> RegisterSet {
        while self.runs().count() > runs.max(1) {
            let gaps = self.runs().zip(self.runs().skip(1)).map(|(a, b)| a.end..b.start);
            let Some(smallest) = gaps.min_by_key(|gap| gap.len()) else { break };
            self.extend(smallest);
        }
        self
    }

    /// The first register from one on whose bit is set in what is made of the words.
    fn first(&self, from: u32, of: impl Fn(u64) -> u64) -> Option<u32> {
        (as_index(from / 64)..self.0.len()).find_map(|w| {
            let word = of(self.0[w]);
            let base = to_index(w) * 64;
            let left = word & !ones(from.saturating_sub(base));
            (left != 0).then(|| base + left.trailing_zeros())
        })
    }
}

impl Display for RegisterSet {
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
        let mut set = RegisterSet::EMPTY;
        assert_eq!(set.runs().next(), None);
        for run in [3..4, 60..70, 127..128, 190..256] {
            set.extend(run);
        }
        set.insert(4);
        let runs: Vec<_> = set.runs().collect();
        assert_eq!(runs, [3..5, 60..70, 127..128, 190..256]);
        assert!((0..300).all(|r| set.contains(r) == runs.iter().any(|run| run.contains(&r))));
        assert_eq!(set.to_string(), "r3-r4 r60-r69 r127 r190-r255");
        assert_eq!(set.at_most(3).to_string(), "r3-r69 r127 r190-r255");
        assert_eq!(set.at_most(0).to_string(), "r3-r255");
        assert_eq!(RegisterSet::ALL.difference(set).union(set), RegisterSet::ALL);
        assert!(RegisterSet::ALL.runs().eq(std::iter::once(0..256)));
    }
}
