//! Positions: the points of a kernel, in layout order, between which values live.

use narrow::{as_index, to_index};

/// Where an instruction reads, or where it writes. Instructions are counted through all blocks.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Position(u32);

impl Position {
    /// Where the first instruction reads.
    pub const START: Position = Position(0);
    /// Behind all others.
    pub const NEVER: Position = Position(u32::MAX);

    /// Where an instruction reads; of one past the last of a block, where the block ends.
    pub const fn read(inst: u32) -> Position {
        Position(inst * 2)
    }

    /// Where an instruction writes.
    pub const fn write(inst: u32) -> Position {
        Position(inst * 2 + 1)
    }

    /// As [`Position::read`], of a place in a list of all instructions.
    pub const fn before(inst: usize) -> Position {
        Position::read(to_index(inst))
    }

    /// The instruction.
    pub const fn inst(self) -> u32 {
        self.0 / 2
    }

    /// The one behind it.
    pub const fn next(self) -> Position {
        Position(self.0 + 1)
    }

    /// The one before it.
    pub const fn previous(self) -> Position {
        Position(self.0 - 1)
    }

    /// How many positions are before it.
    pub const fn index(self) -> usize {
        as_index(self.0)
    }

    /// How many positions an earlier one is away; none for a later one.
    pub const fn since(self, earlier: Position) -> u32 {
        self.0.saturating_sub(earlier.0)
    }
}

/// A half-open range of positions.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Range {
    pub start: Position,
    pub end: Position,
}

impl Range {
    /// While an instruction reads and writes.
    pub const fn during(inst: u32) -> Range {
        Range { start: Position::read(inst), end: Position::read(inst + 1) }
    }

    /// Its positions.
    pub const fn len(self) -> u32 {
        self.end.since(self.start)
    }

    /// From one position to another, counted.
    #[cfg(test)]
    pub const fn between(start: u32, end: u32) -> Range {
        Range { start: Position(start), end: Position(end) }
    }

    /// Whether both have a position in common.
    pub fn meets(self, other: Range) -> bool {
        self.start < other.end && other.start < self.end
    }
}
