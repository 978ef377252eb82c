//! `%arg` and `%retval`: when both may lie in the registers that callers and callees exchange.
//!
//! They are two variables of each function (spec "Subroutine and Function Calls"), but to the convention they are the same
//! registers, of which a call leaves nothing. Compilers write arguments right before a call, read results right behind it,
//! and write their own at the end: such code needs no variable beside the registers ([`Exchange::Shared`]). Other code has
//! lanes that wait with a value in one of the two while others write the other or call a function: lanes that have
//! returned early, or that took a branch which calls nothing. For it ([`Exchange::Apart`]) both are variables like any
//! other, copied from and to the registers at the beginning, at calls and at the end.
//!
//! What a call gives back is read from a third variable then, which every call writes for all lanes: nobody knows how
//! wide the elements are that lanes have there. So it has to be read before another call writes it
//! ([`super::returned`]).

use visa::Kernel;

use super::{
    exchange_uses::{Ending, ExchangeBlock, ExchangeEvent, ExchangeUses, find_blocks, find_events},
    facts::SourceFacts,
    returned::{Returned, ReturnedLists, Unclear},
};

/// How `%arg` and `%retval` of a kernel or function lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Exchange {
    /// In the registers of the convention.
    Shared,
    /// In variables of their own.
    Apart,
    /// They cannot be told apart at this instruction.
    Unclear(u32, Unclear),
}

/// Memory for looking at a kernel.
#[derive(Debug, Default)]
pub(crate) struct ExchangeLists {
    blocks: Vec<ExchangeBlock>,
    events: Vec<ExchangeEvent>,
    returned: ReturnedLists,
    /// The instructions that read what a call gave back, in ascending order.
    pub(super) readers: Vec<u32>,
}

impl Exchange {
    /// How they lie in a kernel that has to do with stack calls.
    pub(super) fn of(kernel: &Kernel, facts: &SourceFacts, lists: &mut ExchangeLists) -> Exchange {
        find_blocks(kernel, facts, &mut lists.blocks);
        find_events(kernel, &mut lists.events);
        let uses = ExchangeUses { kernel, facts, blocks: &lists.blocks, events: &lists.events };
        lists.readers.clear();
        let plain = uses.are_plain();
        let unclear = if uses.calls() {
            let returned = Returned::find(uses, &mut lists.returned);
            let read = returned.find_readers(&mut lists.readers);
            read.or_else(|| returned.handed_on().filter(|_| !plain))
        } else {
            None
        };
        match unclear {
            Some((index, why)) => Exchange::Unclear(index, why),
            None if plain => Exchange::Shared,
            None => Exchange::Apart,
        }
    }
}

impl ExchangeUses<'_> {
    /// Whether no lane ever waits with a value in one of the two while another lane writes the other, or calls.
    fn are_plain(&self) -> bool {
        // Nothing else happens to the registers behind this instruction.
        let calls = self.blocks.iter().filter(|b| b.calls_any());
        let others = self.events.iter().filter(|e| e.access.writes_arguments).map(|e| e.index + 1);
        let reads = self.events.iter().filter(|e| e.access.reads_arguments).map(|e| e.index);
        let quiet = calls.map(|b| b.last + 1).chain(others).chain(reads).max().unwrap_or(0);
        let (mut arrived, mut received) = (self.kernel.is_function, false);
        let calls_none = !self.calls();
        for block in self.blocks {
            received &= !block.joins;
            for ExchangeEvent { index, access } in self.events_of(block) {
                let once = block.in_body && !block.repeats;
                let own_results = once && index >= quiet && self.kernel.is_function;
                let known = received || own_results && calls_none;
                if access.reads_arguments && !(arrived && once)
                    || access.writes_arguments && !block.calls()
                    || access.reads_results && !known
                    || access.writes_results && !own_results
                {
                    return false;
                }
                arrived &= !access.writes_arguments && !access.writes_results;
                received &= !access.writes_arguments;
            }
            received = matches!(block.ending, Ending::Call { gives: true, .. });
            arrived &= !block.calls_any();
        }
        true
    }
}

#[cfg(test)]
mod tests;
