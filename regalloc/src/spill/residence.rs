//! Residences: stretches of code in which registers hold a variable that is in memory, too.
//!
//! A residence begins where the registers are filled or written, and has whole blocks behind that one, in layout order.
//! Into those the instruction pointer comes from blocks of the residence alone, over any [edge](Edge), of lanes or not.
//! So wherever it is in them, it has passed the beginning, and if nothing else writes registers or variable between,
//! the registers have what memory has.

use crate::analysis::{accesses::Accesses, flow::Flow, position::Position};
use gen_ir::{BlockId, Edge};
use narrow::{as_index, to_index};

/// Most blocks of a residence.
const BLOCKS: u32 = 1 << 10;

/// First blocks that are tried: some are left past what would stand in them.
const TRIES: u32 = 8;

/// A stretch of code in layout order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Residence {
    /// The block in which it begins.
    pub first: u32,
    /// The block in which it ends.
    pub last: u32,
    /// Whether it has all of the last block: the instruction pointer goes back from the end of that.
    pub whole: bool,
}

impl Residence {
    /// The position up to which registers are needed that are used last up to position `end`.
    pub fn end(&self, end: Position, accesses: &Accesses) -> Position {
        if self.whole { end.max(Position::before(accesses.block(as_index(self.last)).end)) } else { end }
    }
}

/// The blocks from which each block is entered.
#[derive(Default)]
pub(crate) struct Entries {
    /// The first and the last.
    of: Vec<(u32, u32)>,
}

/// No block.
const NONE: u32 = u32::MAX;

impl Entries {
    /// Finds those of a kernel.
    pub fn find(&mut self, flow: &Flow) {
        self.of.clear();
        self.of.extend((0..to_index(flow.cfg.len())).map(|b| {
            let mut all = None;
            for (BlockId(from), _) in flow.cfg.preds(BlockId(b)) {
                let (low, high) = all.unwrap_or((from, from));
                all = Some((from.min(low), from.max(high)));
            }
            // What nothing leads to may be entered from anywhere.
            all.unwrap_or((0, NONE))
        }));
    }

    /// The shortest residence that begins in block `first` and has block `to`, if there is one.
    pub fn residence(&self, flow: &Flow, first: u32, to: u32) -> Option<Residence> {
        let (mut last, mut whole) = (to, false);
        let mut b = first + 1;
        while b <= last {
            let (low, high) = self.of[as_index(b)];
            if low < first || high == NONE || last - first > BLOCKS {
                return None;
            }
            if high >= last {
                (last, whole) = (high, true);
            }
            b += 1;
        }
        // From the start of the first block, past what is in it.
        let skips = |(to, edge): (BlockId, Edge)| edge == Edge::Skip && to.0 > first && to.0 <= last;
        (!flow.cfg.succs(BlockId(first)).any(skips)).then_some(Residence { first, last, whole })
    }

    /// The shortest residence with blocks `from` and `to` behind its first one, if there is one.
    pub fn around(&self, flow: &Flow, from: u32, to: u32) -> Option<Residence> {
        let mut first = from.checked_sub(1)?;
        for _ in 0..TRIES {
            // Blocks from `first` on are entered from no earlier one, as far as is known.
            let (mut last, mut b) = (to, first + 1);
            while b <= last {
                let (low, high) = self.of[as_index(b)];
                if high == NONE || last - first.min(low) > BLOCKS {
                    return None;
                }
                last = last.max(high);
                if low < first {
                    (first, b) = (low, low);
                }
                b += 1;
            }
            if let Some(found) = self.residence(flow, first, to) {
                return Some(found);
            }
            first = first.checked_sub(1)?;
        }
        None
    }
}
