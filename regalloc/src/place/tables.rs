//! When registers are in use: by what nothing else may be with, and by what may share them.

use super::{File, IntervalId, Scan, Sharer, Sharing, hull, matrix::RegMatrix};
use crate::analysis::{facts::LaneLayout, position::Range};
use gen_ir::RegisterSet;
use narrow::as_index;
use platforms::Registers;

/// When registers are in use.
#[derive(Default)]
pub(crate) struct UseTables<const W: usize> {
    /// When something has the whole of registers.
    pub wholes: RegMatrix<W>,
    /// When something has a part of registers.
    pub(super) partly: RegMatrix<W>,
    /// When something has registers that others may have, too: by the layout of its lanes. None of that is among the wholes.
    pub(super) shared: [SharedTables<W>; LaneLayout::COUNT],
}

impl<const W: usize> UseTables<W> {
    /// Registers of a file that they have room for.
    const REGISTERS: u32 = {
        // The widest ones, which take what fits into no others.
        assert!(64 * 4 >= Registers::MOST_GRFS, "room for all registers of a file");
        64 * narrow::wide_u8(narrow::const_u8(W))
    };

    /// Whether they have room for all registers of a file.
    pub const fn hold(file: File) -> bool {
        file.regs <= Self::REGISTERS
    }
}

/// When registers are in use that others may have, too.
#[derive(Default)]
pub(super) struct SharedTables<const W: usize> {
    /// There is something of that kind.
    pub any: bool,
    /// By something that is lane by lane, waiting lanes included. With calls: by what passes by subroutines.
    pub held: RegMatrix<W>,
    /// The same where only lanes that run count.
    pub needed: RegMatrix<W>,
}

/// The ranges of an interval that go to the tables.
struct TableRanges<'a> {
    /// Where it is alone.
    wholes: &'a [Range],
    /// Which of the shared tables has the rest, if there is any.
    table: usize,
    held: &'a [Range],
    needed: &'a [Range],
}

impl<'a, const W: usize> Scan<'a, W> {
    /// The ranges of interval `i` that go to each table.
    fn ranges_in_tables(&self, i: IntervalId) -> TableRanges<'a> {
        let interval = &self.intervals[i];
        let (v, ranges) = (interval.var, self.ranges(i));
        match (self.sharing, interval.lanes) {
            (Sharing::ByLane(own), Some(layout)) => {
                TableRanges { wholes: &[], table: layout.index(), held: ranges, needed: own.of(v) }
            }
            (Sharing::InCalls([own, passing]), _) => {
                TableRanges { wholes: own.of(v), table: 0, held: passing.of(v), needed: &[] }
            }
            _ => TableRanges { wholes: ranges, table: 0, held: &[], needed: &[] },
        }
    }

    /// Notes that interval `i` has these registers.
    pub(super) fn set(&mut self, i: IntervalId, regs: RegisterSet<W>) {
        let TableRanges { wholes, table, held, needed } = self.ranges_in_tables(i);
        self.tables.wholes.set(regs, wholes);
        if !held.is_empty() {
            let table = &mut self.tables.shared[table];
            table.held.set(regs, held);
            table.needed.set(regs, needed);
        }
    }

    /// Interval `i` has these registers.
    pub(super) fn take(&mut self, i: IntervalId, regs: RegisterSet<W>) {
        self.set(i, regs);
        let held = self.ranges_in_tables(i).held;
        if !held.is_empty() {
            let all = hull(held);
            for r in regs.iter() {
                self.s.sharers[as_index(r)].push(Sharer { interval: i, all });
            }
        }
    }

    /// Interval `i` has these registers no longer.
    pub(super) fn leave(&mut self, i: IntervalId, regs: RegisterSet<W>) {
        let TableRanges { wholes, table, held, needed } = self.ranges_in_tables(i);
        self.tables.wholes.reset(regs, wholes);
        if held.is_empty() {
            return;
        }
        self.tables.shared[table].needed.reset(regs, needed);
        self.tables.shared[table].held.reset(regs, held);
        // Others that share them may be held at the same time.
        let all = hull(held);
        for r in regs.iter() {
            let sharers = &mut self.s.sharers[as_index(r)];
            // What leaves has mostly come late.
            if let Some(at) = sharers.iter().rposition(|other| other.interval == i) {
                sharers.swap_remove(at);
            }
            for at in 0..self.s.sharers[as_index(r)].len() {
                let other = &self.s.sharers[as_index(r)][at];
                if other.all.meets(all) {
                    let TableRanges { table, held, .. } = self.ranges_in_tables(other.interval);
                    self.tables.shared[table].held.set(RegisterSet::between(r, r + 1), held);
                }
            }
        }
    }

    /// The registers that nothing which interval `i` meets has the whole of.
    pub(super) fn open_to(&self, i: IntervalId) -> RegisterSet<W> {
        let mut open = self.open(self.ranges(i));
        self.each_shared(i, |table, ranges| {
            open &= !table.within(ranges);
        });
        open
    }

    /// Calls back with the tables of shared registers in which interval `i` meets others, and with the ranges in which it does.
    pub(super) fn each_shared(&self, i: IntervalId, mut f: impl FnMut(&RegMatrix<W>, &'a [Range])) {
        let own = self.ranges_in_tables(i);
        for (t, table) in self.tables.shared.iter().enumerate().filter(|(_, t)| t.any) {
            match self.sharing {
                Sharing::InCalls(_) => f(&table.held, own.wholes),
                Sharing::ByLane(_) if own.table == t && !own.held.is_empty() => f(&table.needed, own.needed),
                _ => f(&table.held, self.ranges(i)),
            }
        }
    }
}
