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
//! wide the elements are that lanes have there. So it has to be read before another way can join.

use narrow::{as_index, to_index};
use visa::{Kernel, Opcode, Operand, Predefined, VarId, VectorOperand, table::Role};

use super::facts::SourceFacts;

/// How `%arg` and `%retval` of a kernel or function lie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Exchange {
    /// In the registers of the convention.
    Shared,
    /// In variables of their own.
    Apart {
        /// The instructions that read what a call gave back, in ascending order.
        readers: Vec<u32>,
    },
    /// They cannot be told apart, from this instruction on.
    Unclear(u32, &'static str),
}

/// What an instruction does with the two.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
struct Access {
    reads_arguments: bool,
    writes_arguments: bool,
    reads_results: bool,
    writes_results: bool,
}

/// An instruction that names one of the two.
#[derive(Clone, Copy, Debug)]
struct ExchangeEvent {
    index: u32,
    access: Access,
}

/// How a block ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Ending {
    /// In a call of a function.
    Call,
    /// In a call of a subroutine.
    Subroutine,
    /// In a return of a function.
    Return,
    Other,
}

/// A block of vISA.
#[derive(Clone, Copy, Debug)]
struct ExchangeBlock {
    first: u32,
    last: u32,
    ending: Ending,
    /// Lanes come here from elsewhere.
    joins: bool,
    /// Lanes may come here again from behind.
    repeats: bool,
    /// It is of the kernel's or function's own body.
    in_body: bool,
}

/// A kernel or function as it is looked at here.
struct ExchangeUses<'a> {
    kernel: &'a Kernel,
    blocks: &'a [ExchangeBlock],
    events: &'a [ExchangeEvent],
}

/// Memory for looking at a kernel.
#[derive(Debug, Default)]
pub(crate) struct ExchangeLists {
    blocks: Vec<ExchangeBlock>,
    events: Vec<ExchangeEvent>,
}

impl Exchange {
    /// How they lie in a kernel that has to do with stack calls.
    pub(super) fn of(kernel: &Kernel, facts: &SourceFacts, lists: &mut ExchangeLists) -> Exchange {
        find_blocks(kernel, facts, &mut lists.blocks);
        find_events(kernel, &mut lists.events);
        let uses = ExchangeUses { kernel, blocks: &lists.blocks, events: &lists.events };
        if uses.are_plain() { Exchange::Shared } else { uses.apart() }
    }
}

impl ExchangeUses<'_> {
    fn events_of(&self, block: &ExchangeBlock) -> impl Iterator<Item = ExchangeEvent> + use<'_> {
        let ExchangeBlock { first, last, .. } = *block;
        let from = self.events.partition_point(|e| e.index < first);
        self.events[from..].iter().copied().take_while(move |e| e.index <= last)
    }

    fn calls(&self) -> bool {
        self.blocks.iter().any(|b| b.ending == Ending::Call)
    }

    /// Whether no lane ever waits with a value in one of the two while another lane writes the other, or calls.
    fn are_plain(&self) -> bool {
        // Nothing else happens to the registers behind this instruction.
        let calls = self.blocks.iter().filter(|b| matches!(b.ending, Ending::Call | Ending::Subroutine));
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
                    || access.writes_arguments && block.ending != Ending::Call
                    || access.reads_results && !known
                    || access.writes_results && !own_results
                {
                    return false;
                }
                arrived &= !access.writes_arguments && !access.writes_results;
                received &= !access.writes_arguments;
            }
            received = block.ending == Ending::Call;
            arrived &= !matches!(block.ending, Ending::Call | Ending::Subroutine);
        }
        true
    }

    fn apart(&self) -> Exchange {
        let mut readers = Vec::new();
        if !self.calls() {
            return Exchange::Apart { readers };
        }
        // What a call gave back is known to be the same for all lanes here; nothing of this function's own followed it.
        let (mut known, mut unanswered) = (false, false);
        for block in self.blocks {
            known &= !block.joins;
            for ExchangeEvent { index, access } in self.events_of(block) {
                if access.reads_results {
                    if !known || access.writes_results {
                        return Exchange::Unclear(
                            index,
                            "%retval is read here, where lanes may come from several calls or have written it themselves; copy it behind each call",
                        );
                    }
                    readers.push(index);
                }
                if access.writes_results {
                    (known, unanswered) = (false, false);
                }
            }
            match block.ending {
                Ending::Call => (known, unanswered) = (true, true),
                Ending::Subroutine => known = false,
                Ending::Return if unanswered && block.in_body && self.gives_results() => {
                    return Exchange::Unclear(
                        block.last,
                        "%retval of a call is handed on here, where other lanes wait with what they have written; copy it behind the call",
                    );
                }
                Ending::Return | Ending::Other => {}
            }
        }
        Exchange::Apart { readers }
    }

    fn gives_results(&self) -> bool {
        results_of(self.kernel) > 0 && self.kernel.is_function
    }
}

/// Registers that a function gives back.
pub(super) fn results_of(kernel: &Kernel) -> u32 {
    size(kernel, "RetValSize").unwrap_or_else(|| kernel.return_value_size.into())
}

/// Registers that a function takes.
pub(super) fn arguments_of(kernel: &Kernel) -> u32 {
    size(kernel, "ArgSize").unwrap_or_else(|| kernel.input_size.into())
}

fn size(kernel: &Kernel, attribute: &str) -> Option<u32> {
    kernel.attr_int(attribute).and_then(|v| u32::try_from(v).ok())
}

fn find_blocks(kernel: &Kernel, facts: &SourceFacts, blocks: &mut Vec<ExchangeBlock>) {
    let body = facts.routines.get(1).map_or(u32::MAX, |second| second.first);
    let ends = facts.blocks.iter().skip(1).copied().chain([to_index(kernel.code.len())]);
    blocks.clear();
    for (&first, end) in facts.blocks.iter().zip(ends) {
        let last = end.saturating_sub(1).max(first);
        let entry = kernel.code.get(as_index(first)).is_some_and(|r| r.opcode == Opcode::Subroutine);
        let ending = ending(kernel, last);
        blocks.push(ExchangeBlock {
            first,
            last,
            ending,
            joins: entry,
            repeats: false,
            in_body: first < body,
        });
    }
    // The first block that lanes come back to from here or from behind.
    let mut lowest = usize::MAX;
    for i in (0..blocks.len()).rev() {
        let last = kernel.code.get(as_index(blocks[i].last));
        let jumps = last.filter(|r| matches!(r.opcode, Opcode::Goto | Opcode::Jmp | Opcode::Switchjmp));
        for operand in jumps.map_or(&[][..], |r| kernel.operands_of(r)) {
            if let Operand::Label(label) = *operand
                && let Some(to) = facts.block_of(label)
            {
                blocks[to.index()].joins = true;
                lowest = lowest.min(to.index());
            }
        }
        blocks[i].repeats = lowest <= i;
    }
}

fn ending(kernel: &Kernel, last: u32) -> Ending {
    match kernel.code.get(as_index(last)).map(|r| r.opcode) {
        Some(Opcode::Fcall | Opcode::Ifcall) => Ending::Call,
        Some(Opcode::Call) => Ending::Subroutine,
        Some(Opcode::Fret | Opcode::Ret) => Ending::Return,
        _ => Ending::Other,
    }
}

/// What each instruction does that names one of the two.
fn find_events(kernel: &Kernel, events: &mut Vec<ExchangeEvent>) {
    let which = |var: VarId| match kernel.resolve_alias(var).0.predefined() {
        of @ Some(Predefined::Arg | Predefined::RetVal) => of,
        _ => None,
    };
    events.clear();
    for (index, record) in kernel.code.iter().enumerate() {
        let Some(row) = visa::table::lookup(record.opcode, record.sub) else { continue };
        let mut access = Access::default();
        let last = row.operand_slots().last();
        let slots = row.operand_slots().chain(last.into_iter().cycle());
        for (slot, operand) in slots.zip(kernel.operands_of(record)) {
            let var = match operand {
                Operand::Vector(VectorOperand::General(g)) => g.var,
                Operand::Raw(r) => r.var,
                _ => continue,
            };
            match (which(var), slot.role) {
                (Some(Predefined::Arg), Role::Dst) => access.writes_arguments = true,
                (Some(Predefined::Arg), _) => access.reads_arguments = true,
                (Some(_), Role::Dst) => access.writes_results = true,
                (Some(_), _) => access.reads_results = true,
                (None, _) => {}
            }
        }
        if access != Access::default() {
            events.push(ExchangeEvent { index: to_index(index), access });
        }
    }
}
