//! Where more general variables are alive than there is room for.

use crate::analysis::{
    accesses::Accesses,
    liveness::Liveness,
    position::{Position, Range},
};
use gen_ir::{Kernel, VarClass, Virtual};

/// The positions at which more bytes of general variables are alive than some room.
#[derive(Default)]
pub(crate) struct HighPressure {
    /// How many there are before each position.
    before: Vec<u32>,
    change: Vec<i64>,
}

impl HighPressure {
    /// Finds them in a kernel; forgets those before. `room` is in bytes.
    pub fn find(&mut self, kernel: &Kernel<Virtual>, (accesses, live): (&Accesses, &Liveness), room: u32) {
        let HighPressure { before, change } = self;
        live.find_pressure(kernel, VarClass::General, accesses, change);
        let (mut now, mut count) = (0, 0);
        before.clear();
        before.push(0);
        before.extend(change.iter().map(|c| {
            now += c;
            count += u32::from(now > i64::from(room));
            count
        }));
    }

    /// Whether there are any.
    pub fn any(&self) -> bool {
        self.before.last().is_some_and(|&count| count > 0)
    }

    /// How many of them are in some ranges.
    pub fn positions(&self, ranges: &[Range]) -> u32 {
        let last = self.before.len().saturating_sub(1);
        let before = |at: Position| self.before.get(at.index().min(last)).copied().unwrap_or(0);
        ranges.iter().map(|r| before(r.end) - before(r.start)).sum()
    }
}
