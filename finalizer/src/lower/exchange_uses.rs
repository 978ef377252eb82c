//! Where a kernel or function with stack calls names `%arg` and `%retval`, and how its blocks end.

use gen_ir::BlockId;
use narrow::{as_index, to_index};
use visa::{Kernel, Opcode, Operand, Predefined, Record, VarId, VectorOperand, table::Role};

use super::facts::SourceFacts;

/// What an instruction does with the two.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Access {
    pub(super) reads_arguments: bool,
    pub(super) writes_arguments: bool,
    pub(super) reads_results: bool,
    pub(super) writes_results: bool,
    /// Under a predicate.
    pub(super) guarded: bool,
}

/// An instruction that names one of the two.
#[derive(Clone, Copy, Debug)]
pub(super) struct ExchangeEvent {
    pub(super) index: u32,
    pub(super) access: Access,
}

/// How a block ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Ending {
    /// In a call of a function, of all lanes or of some, which gives results or none.
    Call {
        guarded: bool,
        gives: bool,
    },
    /// In a call of a subroutine.
    Subroutine,
    /// In a return of a function.
    Return,
    Other,
}

/// A block of vISA.
#[derive(Clone, Copy, Debug)]
pub(super) struct ExchangeBlock {
    pub(super) first: u32,
    pub(super) last: u32,
    pub(super) ending: Ending,
    /// A routine starts here.
    pub(super) entry: bool,
    /// Lanes come here from elsewhere, or have waited here.
    pub(super) joins: bool,
    /// Lanes may come here again from behind.
    pub(super) repeats: bool,
    /// It is of the kernel's or function's own body.
    pub(super) in_body: bool,
}

/// A kernel or function as it is looked at here.
#[derive(Clone, Copy)]
pub(super) struct ExchangeUses<'a> {
    pub(super) kernel: &'a Kernel,
    pub(super) facts: &'a SourceFacts,
    pub(super) blocks: &'a [ExchangeBlock],
    pub(super) events: &'a [ExchangeEvent],
}

impl ExchangeUses<'_> {
    pub(super) fn events_of(&self, block: &ExchangeBlock) -> impl Iterator<Item = ExchangeEvent> + use<'_> {
        let ExchangeBlock { first, last, .. } = *block;
        let from = self.events.partition_point(|e| e.index < first);
        self.events[from..].iter().copied().take_while(move |e| e.index <= last)
    }

    pub(super) fn calls(&self) -> bool {
        self.blocks.iter().any(|b| b.calls())
    }

    pub(super) fn gives_results(&self) -> bool {
        results_of(self.kernel) > 0 && self.kernel.is_function
    }
}

impl ExchangeBlock {
    /// It ends in a call of a function.
    pub(super) fn calls(&self) -> bool {
        matches!(self.ending, Ending::Call { .. })
    }

    /// It ends in a call of whatever.
    pub(super) fn calls_any(&self) -> bool {
        self.calls() || self.ending == Ending::Subroutine
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

/// The blocks of vISA.
pub(super) fn find_blocks(kernel: &Kernel, facts: &SourceFacts, blocks: &mut Vec<ExchangeBlock>) {
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
            entry,
            joins: entry,
            repeats: false,
            in_body: first < body,
        });
    }
    // The first block that lanes come back to from here or from behind.
    let mut lowest = usize::MAX;
    for i in (0..blocks.len()).rev() {
        let last = blocks[i].last;
        for to in targets(kernel, facts, last) {
            blocks[to].joins = true;
            lowest = lowest.min(to);
            // Lanes that do not go back wait for those that do.
            if to <= i
                && is_divergent(kernel, last)
                && let Some(next) = blocks.get_mut(i + 1)
            {
                next.joins = true;
            }
        }
        blocks[i].repeats = lowest <= i;
    }
}

/// The blocks that an instruction jumps to.
pub(super) fn targets(kernel: &Kernel, facts: &SourceFacts, last: u32) -> impl Iterator<Item = usize> {
    let jumps = |r: &&Record| matches!(r.opcode, Opcode::Goto | Opcode::Jmp | Opcode::Switchjmp);
    let jump = kernel.code.get(as_index(last)).filter(jumps);
    jump.map_or(&[][..], |r| kernel.operands_of(r)).iter().filter_map(|operand| match *operand {
        Operand::Label(label) => facts.block_of(label).map(BlockId::index),
        _ => None,
    })
}

/// Whether some lanes may jump here while others do not.
pub(super) fn is_divergent(kernel: &Kernel, last: u32) -> bool {
    kernel.code.get(as_index(last)).is_some_and(|r| r.opcode == Opcode::Goto && is_guarded(r))
}

pub(super) fn is_guarded(record: &Record) -> bool {
    record.pred.is_some_and(|p| p.id.0 != 0)
}

fn ending(kernel: &Kernel, last: u32) -> Ending {
    use visa::Op::{Fcall, Ifcall};
    let Some(record) = kernel.code.get(as_index(last)) else { return Ending::Other };
    match record.opcode {
        Opcode::Fcall | Opcode::Ifcall => {
            let op = kernel.try_inst(as_index(last)).map(|i| i.op);
            let none = matches!(op, Ok(Fcall { return_size: 0, .. } | Ifcall { return_size: 0, .. }));
            Ending::Call { guarded: is_guarded(record), gives: !none }
        }
        Opcode::Call => Ending::Subroutine,
        Opcode::Fret | Opcode::Ret => Ending::Return,
        _ => Ending::Other,
    }
}

/// What each instruction does that names one of the two.
pub(super) fn find_events(kernel: &Kernel, events: &mut Vec<ExchangeEvent>) {
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
            access.guarded = is_guarded(record);
            events.push(ExchangeEvent { index: to_index(index), access });
        }
    }
}
