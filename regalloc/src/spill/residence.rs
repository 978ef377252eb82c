//! Residences: stretches of code in which registers hold a variable that is in memory, too.
//!
//! A residence begins where the registers are filled or written, and has whole blocks behind that one, in layout order.
//! Into those the instruction pointer comes from blocks of the residence alone, over any [edge](Edge), of lanes or not.
//! So wherever it is in them, it has passed the beginning, and if nothing else writes registers or variable between,
//! the registers have what memory has.

use crate::analysis::{accesses::Accesses, flow::Flow, position::Position};
use gen_ir::{BlockId, Edge};

/// Most blocks of a residence.
pub(crate) const BLOCKS: u32 = 1 << 10;

/// First blocks that are tried: some are left past what would stand in them.
const TRIES: u32 = 8;

/// A stretch of code in layout order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Residence {
    /// The block in which it begins.
    pub first: BlockId,
    /// The block in which it ends.
    pub last: BlockId,
    /// Whether it has all of the last block: the instruction pointer goes back from the end of that.
    pub whole: bool,
}

impl Residence {
    /// The position up to which registers are needed that are used last up to position `end`.
    pub fn end(&self, end: Position, accesses: &Accesses) -> Position {
        if self.whole { end.max(Position::before(accesses.block(self.last.index()).end)) } else { end }
    }
}

/// The blocks from which each block is entered.
#[derive(Default)]
pub(crate) struct Entries {
    /// The first and the last.
    of: Vec<(BlockId, BlockId)>,
}

impl Entries {
    /// Finds those of a kernel.
    pub fn find(&mut self, flow: &Flow) {
        self.of.clear();
        self.of.extend(BlockId::FIRST.up_to(flow.cfg.len().into()).map(|b| {
            let mut all = None;
            for (from, _) in flow.cfg.preds(b) {
                let (low, high) = all.unwrap_or((from, from));
                all = Some((from.min(low), from.max(high)));
            }
            // What nothing leads to may be entered from anywhere.
            all.unwrap_or((BlockId::FIRST, BlockId::NONE))
        }));
    }

    /// The shortest residence that begins in block `first` and has block `to`, if there is one.
    pub fn residence(&self, flow: &Flow, first: BlockId, to: BlockId) -> Option<Residence> {
        let (mut last, mut whole) = (to, false);
        let mut b = first.next();
        while b <= last {
            let (low, high) = self.of[b.index()];
            if low < first || high == BlockId::NONE || last.0 - first.0 > BLOCKS {
                return None;
            }
            if high >= last {
                (last, whole) = (high, true);
            }
            b = b.next();
        }
        // From the start of the first block, past what is in it.
        let skips = |(to, edge): (BlockId, Edge)| edge == Edge::Skip && to > first && to <= last;
        (!flow.cfg.succs(first).any(skips)).then_some(Residence { first, last, whole })
    }

    /// The shortest residence with blocks `from` and `to` behind its first one, if there is one.
    pub fn around(&self, flow: &Flow, from: BlockId, to: BlockId) -> Option<Residence> {
        let mut first = from.previous()?;
        for _ in 0..TRIES {
            // Blocks from `first` on are entered from no earlier one, as far as is known.
            let (mut last, mut b) = (to, first.next());
            while b <= last {
                let (low, high) = self.of[b.index()];
                if high == BlockId::NONE || last.0 - first.min(low).0 > BLOCKS {
                    return None;
                }
                last = last.max(high);
                if low < first {
                    (first, b) = (low, low);
                }
                b = b.next();
            }
            if let Some(found) = self.residence(flow, first, to) {
                return Some(found);
            }
            first = first.previous()?;
        }
        None
    }
}
