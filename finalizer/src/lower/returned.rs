//! Which calls the `%retval` that an instruction reads may come from.
//!
//! What calls give back is in one place, which each call writes for all lanes ([`super::exchange`]). A lane reads its own
//! there if the last call that it has passed is the last one that the thread has run. Two walks over the blocks find where that
//! is so:
//!
//! - along the ways of a lane: which writes of `%retval` reach a block, as bits of a [`Source`] that ways join by union;
//! - in the order of the thread, which runs of all blocks that lanes wait at the first one in the text. Lanes that leave
//!   block `p` for a block `b` behind it wait there until none waits in front of it: for all that begins in between
//!   (or where other lanes of `p` go to), with the loops around it that end before `b`. Lanes that go back wait for nobody.
//!   Of each block, [`ReturnedLists::quiet`] is the first from which on nothing that lanes wait for is a call that gives something.

use narrow::{as_index, to_index};
use visa::Opcode;

use super::exchange_uses::{Ending, ExchangeUses, is_divergent, is_guarded, targets};

/// What is unclear about `%retval`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Unclear {
    /// Whose results are read.
    Read,
    /// Whose results are handed on.
    HandedOn,
}

/// An instruction, and what is unclear there.
type UnclearPlace = (u32, Unclear);

/// What `%retval` may be, a bit each; none where nothing has written it.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
struct Source(u8);

impl Source {
    /// This function's own.
    const OWN: Source = Source(1);
    /// Of the call that the thread ran last.
    const LAST: Source = Source(1 << 1);
    /// Of a call before that, or in parts of several sources.
    const LOST: Source = Source(1 << 2);
    /// Some lanes were not of the last call, and have something else from before.
    const SOME: Source = Source(1 << 3);
    /// A call gave it, and nothing was written behind that. A write of some bytes or lanes counts as one of all: compilers make
    /// results piece by piece.
    const UNANSWERED: Source = Source(1 << 4);
    /// A subroutine has run, and nothing was written behind that.
    const ROUTINE: Source = Source(1 << 5);

    const fn with(self, other: Source) -> Source {
        Source(self.0 | other.0)
    }

    const fn without(self, other: Source) -> Source {
        Source(self.0 & !other.0)
    }

    const fn has(self, any: Source) -> bool {
        self.0 & any.0 != 0
    }

    /// Behind calls by lanes that wait with it.
    fn outdated(self) -> Source {
        if self.has(Source::LAST) { self.without(Source::LAST).with(Source::LOST) } else { self }
    }

    /// Behind a write.
    fn written(self) -> Source {
        let of_calls = Source::LAST.with(Source::LOST);
        // What the write leaves of it is another's.
        let rest = if self.has(of_calls) { Source::LOST } else { Source::default() };
        Source::OWN.with(rest)
    }

    /// Behind the end of a block.
    fn behind(self, ending: Ending) -> Source {
        match ending {
            Ending::Call { gives: true, guarded } => {
                let before = Source::OWN.with(Source::LAST).with(Source::LOST);
                let some = guarded && self.has(before);
                let given = Source::LAST.with(Source::UNANSWERED);
                if some { given.with(Source::SOME) } else { given }
            }
            Ending::Subroutine => self.with(Source::LOST).with(Source::ROUTINE),
            Ending::Call { gives: false, .. } | Ending::Return | Ending::Other => self,
        }
    }
}

/// Memory for [`Returned`].
#[derive(Debug, Default)]
pub(super) struct ReturnedLists {
    /// Of each block, the first block from which on no call of the thread gives anything while lanes wait in front of it.
    quiet: Vec<u32>,
    /// What `%retval` may be where each block begins, once anything comes there.
    at: Vec<Option<Source>>,
    pending: Vec<u32>,
}

/// What `%retval` may be at each block of a kernel or function.
pub(super) struct Returned<'a> {
    uses: ExchangeUses<'a>,
    at: &'a [Option<Source>],
}

impl<'a> Returned<'a> {
    pub(super) fn find(uses: ExchangeUses<'a>, lists: &'a mut ReturnedLists) -> Returned<'a> {
        let ReturnedLists { quiet, at, pending } = lists;
        find_quiet(uses, quiet);
        at.clear();
        at.resize(uses.blocks.len(), None);
        for (block, at) in uses.blocks.iter().zip(&mut *at) {
            // Who calls a subroutine has `%retval` from anywhere.
            *at = (block.entry && !block.in_body).then_some(Source::LOST);
        }
        if let Some(first) = at.first_mut() {
            first.get_or_insert_default();
        }
        pending.extend((0..to_index(at.len())).rev().filter(|b| at[as_index(*b)].is_some()));
        // A block comes here again only when it has another bit.
        while let Some(from) = pending.pop().map(as_index) {
            let Some(source) = at[from] else { continue };
            let source = uses.end_of(from, source);
            uses.each_way(from, |to, start| {
                let waits = to > from && start < as_index(quiet[to]);
                let source = if waits { source.outdated() } else { source };
                let joined = at[to].map_or(source, |s| s.with(source));
                if at[to] != Some(joined) {
                    at[to] = Some(joined);
                    pending.push(to_index(to));
                }
            });
        }
        Returned { uses, at }
    }

    /// Finds the instructions that read what a call gave back, or the first for which that is not clear.
    pub(super) fn find_readers(&self, readers: &mut Vec<u32>) -> Option<UnclearPlace> {
        for (block, at) in self.uses.blocks.iter().zip(self.at) {
            let Some(mut source) = *at else { continue };
            for event in self.uses.events_of(block) {
                let access = event.access;
                if access.reads_results && source.has(Source::LAST.with(Source::LOST)) {
                    let of_all = !source.has(Source::SOME) || access.guarded;
                    if source.has(Source::OWN.with(Source::LOST)) || !of_all || access.writes_results {
                        return Some((event.index, Unclear::Read));
                    }
                    readers.push(event.index);
                }
                if access.writes_results {
                    source = source.written();
                }
            }
        }
        None
    }

    /// The first return that hands on what a call gave back.
    pub(super) fn handed_on(&self) -> Option<UnclearPlace> {
        if !self.uses.gives_results() {
            return None;
        }
        let unanswered = |in_body: bool, of: Source| {
            let hands_on = move |(i, at): (usize, &Option<Source>)| {
                let block = &self.uses.blocks[i];
                let returns = block.ending == Ending::Return && block.in_body == in_body;
                let end = self.uses.end_of(i, (*at).filter(|_| returns)?);
                end.has(of).then_some(block.last)
            };
            self.at.iter().enumerate().find_map(hands_on)
        };
        // Which subroutine has run is not asked.
        let routines = unanswered(false, Source::UNANSWERED);
        let of = routines.map_or(Source::UNANSWERED, |_| Source::UNANSWERED.with(Source::ROUTINE));
        let place = unanswered(true, of)?;
        Some((place, Unclear::HandedOn))
    }
}

impl ExchangeUses<'_> {
    /// What `%retval` is where a block ends, its last instruction included.
    fn end_of(&self, block: usize, source: Source) -> Source {
        let block = &self.blocks[block];
        let writes = self.events_of(block).filter(|e| e.access.writes_results);
        writes.fold(source, |source, _| source.written()).behind(block.ending)
    }

    /// The ways from a block: where each leads, and the first block that others may run while lanes wait there.
    fn each_way(&self, from: usize, mut way: impl FnMut(usize, usize)) {
        let last = self.blocks[from].last;
        let mut lowest = from + 1;
        for to in targets(self.kernel, self.facts, last) {
            way(to, from + 1);
            lowest = lowest.min(to);
        }
        let follows = self.blocks.get(from + 1).is_some_and(|b| !b.entry || b.in_body);
        if follows && self.goes_on(last) {
            way(from + 1, if is_divergent(self.kernel, last) { lowest } else { from + 1 });
        }
    }

    /// Whether some lanes go on with the next instruction.
    fn goes_on(&self, last: u32) -> bool {
        let Some(record) = self.kernel.code.get(as_index(last)) else { return false };
        let leaves = matches!(record.opcode, Opcode::Goto | Opcode::Jmp | Opcode::Ret | Opcode::Fret);
        !leaves || is_guarded(record)
    }
}

/// Finds [`ReturnedLists::quiet`]. Nothing that begins before the end of a call that gives something is quiet, nor before the end of a loop
/// around such a call.
fn find_quiet(uses: ExchangeUses<'_>, quiet: &mut Vec<u32>) {
    quiet.clear();
    let mut first = 0;
    for (i, block) in uses.blocks.iter().enumerate() {
        quiet.push(to_index(first));
        let back = targets(uses.kernel, uses.facts, block.last).min();
        let writes = matches!(block.ending, Ending::Call { gives: true, .. } | Ending::Subroutine);
        if writes || back.is_some_and(|to| to < first) {
            first = i + 1;
        }
    }
}
