//! Sets of passes, and the time that passes take.

use std::time::Duration;

/// A set of passes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct PassSet(u64);

impl PassSet {
    /// No pass.
    pub const NONE: PassSet = PassSet(0);
    /// Every pass.
    pub const ALL: PassSet = PassSet(u64::MAX);

    /// Pass number `index` of [`PASSES`](crate::PASSES).
    pub(crate) const fn of(index: usize) -> PassSet {
        PassSet(1 << index)
    }

    /// Both sets together.
    #[must_use]
    pub const fn with(self, other: PassSet) -> PassSet {
        PassSet(self.0 | other.0)
    }

    /// Those of a set that are in no other one.
    pub(crate) const fn without(self, other: PassSet) -> PassSet {
        PassSet(self.0 & !other.0)
    }

    /// Whether pass number `index` of [`PASSES`](crate::PASSES) is in the set.
    pub(crate) const fn has(self, index: usize) -> bool {
        self.0 >> index & 1 != 0
    }
}

/// Time that one pass took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PassTime {
    /// The name of one of [`PASSES`](crate::PASSES).
    pub pass: &'static str,
    /// Wall-clock time.
    pub time: Duration,
}
