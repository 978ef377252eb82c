//! Facts about a kernel's code as a whole, gathered in one walk before anything of it is lowered.

use gen_ir::BlockId;
use visa::{Kernel, LabelId, Opcode, Operand, SamplerId, SurfaceId, VarId, VectorOperand};

use super::predicates::Predicates;
use crate::lists::reset;

/// What the code says.
#[derive(Debug, Default)]
pub(crate) struct Facts {
    /// First instruction of each block; a kernel without code has one block too.
    pub blocks: Vec<u32>,
    /// The kernel's own body and each subroutine.
    pub routines: Vec<RoutineFacts>,
    labels: Vec<LabelFacts>,
    /// Predefined general variables that operands name, a bit each.
    pub named: u32,
    /// Predefined general variables that declared ones are views of, a bit each.
    pub aliased: u32,
    /// Registers of arguments and results that stack calls and returns name, if there are any.
    pub stack: Option<u8>,
    /// Surfaces and samplers whose handle is not a constant of the block at every use, in the order of the
    /// first such uses.
    pub in_registers: Vec<StateVar>,
    surfaces: Vec<HandleFacts>,
    samplers: Vec<HandleFacts>,
    pub predicates: Predicates,
    /// End of the highest channels that an instruction works on.
    pub widest: u32,
}

/// A routine and how it ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RoutineFacts {
    /// First instruction.
    pub first: u32,
    /// Last instruction, marks not counted.
    pub last: u32,
    /// It needs an exit block of its own: it has several returns, or conditional ones, or one before its
    /// end.
    pub exit: bool,
}

#[derive(Clone, Copy, Debug, Default)]
struct LabelFacts {
    block: Option<BlockId>,
    /// A branch leads here.
    targeted: bool,
}

/// A surface or a sampler.
#[derive(Clone, Copy, Debug)]
pub(crate) enum StateVar {
    Surface(SurfaceId),
    Sampler(SamplerId),
}

#[derive(Clone, Copy, Debug, Default)]
struct HandleFacts {
    /// Blocks up to the one that a constant was written in; 0 for none.
    known: u32,
    /// It is among those in registers.
    needed: bool,
}

/// How the current routine has ended so far.
#[derive(Clone, Copy)]
struct Returns {
    count: u32,
    /// All returns are unconditional, and nothing follows them.
    plain: bool,
}

impl Returns {
    const NONE: Returns = Returns { count: 0, plain: true };
}

impl Facts {
    /// Gathers those of a kernel.
    pub(crate) fn gather(&mut self, kernel: &Kernel) {
        self.blocks.clear();
        self.routines.clear();
        self.in_registers.clear();
        reset(&mut self.labels, kernel.labels.len(), LabelFacts::default());
        reset(&mut self.surfaces, kernel.surfaces.len(), HandleFacts::default());
        reset(&mut self.samplers, kernel.samplers.len(), HandleFacts::default());
        self.predicates.reset(kernel.preds.len());
        (self.named, self.aliased, self.stack, self.widest) = (0, 0, None, 1);
        for alias in kernel.vars.iter().filter_map(|v| v.alias) {
            self.aliased |= bit(alias.base);
        }

        let mut routine = RoutineFacts { first: 0, last: 0, exit: false };
        let mut returns = Returns::NONE;
        let (mut ended, mut only_labels) = (true, false);
        for (index, record) in kernel.code.iter().enumerate() {
            let at = index as u32;
            let opcode = record.opcode;
            let label = matches!(opcode, Opcode::Label | Opcode::Subroutine);
            let entry = opcode == Opcode::Subroutine && index > 0;
            // Blocks start at labels and subroutines, and after whatever ends a block.
            if ended || entry || label && !only_labels {
                self.blocks.push(at);
                only_labels = label;
            } else {
                only_labels &= label;
            }
            ended = ends_block(opcode);
            if entry {
                self.end_routine(routine, returns);
                (routine, returns) = (RoutineFacts { first: at, last: at, exit: false }, Returns::NONE);
            } else if !matches!(opcode, Opcode::Lifetime | Opcode::File | Opcode::Loc) {
                // Something follows the return seen before.
                returns.plain &= returns.count == 0;
                routine.last = at;
            }
            let operands = kernel.operands_of(record);
            if label || ended {
                self.flow(kernel, index, operands);
                if matches!(opcode, Opcode::Ret | Opcode::Fret) {
                    returns.count += 1;
                    returns.plain &= record.pred.is_none_or(|p| p.id.0 == 0);
                }
            }
            self.widest = self.widest.max(record.exec.size.lanes() + record.exec.mask.offset());
            if opcode == Opcode::Movs {
                self.movs(operands, record.pred.is_some());
            }
            let mut predicate = record.pred.is_some();
            for operand in operands {
                match operand {
                    Operand::Vector(VectorOperand::General(g)) => self.named |= bit(g.var),
                    Operand::Raw(r) => self.named |= bit(r.var),
                    Operand::Vector(VectorOperand::Predicate(..)) => predicate = true,
                    Operand::Surface(s) | Operand::Vector(VectorOperand::Surface { surface: s, .. }) => {
                        self.uses(StateVar::Surface(*s));
                    }
                    Operand::Sampler(s) | Operand::Vector(VectorOperand::Sampler { sampler: s, .. }) => {
                        self.uses(StateVar::Sampler(*s));
                    }
                    _ => {}
                }
            }
            if predicate {
                self.predicates.visit(kernel, index, self.blocks.len() as u32);
            }
        }
        self.end_routine(routine, returns);
        if self.blocks.is_empty() {
            self.blocks.push(0);
        }
    }

    fn end_routine(&mut self, routine: RoutineFacts, returns: Returns) {
        self.routines.push(RoutineFacts { exit: returns.count > 1 || !returns.plain, ..routine });
    }

    /// Labels, branches and calls.
    fn flow(&mut self, kernel: &Kernel, index: usize, operands: &[Operand]) {
        match kernel.code[index].opcode {
            Opcode::Label | Opcode::Subroutine => {
                if let [Operand::Label(label), ..] = *operands
                    && let Some(slot) = self.labels.get_mut(label.index())
                {
                    slot.block = Some(BlockId(self.blocks.len() as u32 - 1));
                }
            }
            Opcode::Goto | Opcode::Jmp | Opcode::Switchjmp => {
                for operand in operands {
                    if let Operand::Label(label) = operand
                        && let Some(slot) = self.labels.get_mut(label.index())
                    {
                        slot.targeted = true;
                    }
                }
            }
            Opcode::Fcall | Opcode::Ifcall | Opcode::Fret => {
                use visa::Op::{Fcall, Fret, Ifcall};
                match kernel.try_inst(index).map(|i| i.op) {
                    Ok(Fcall { arg_size, return_size, .. } | Ifcall { arg_size, return_size, .. }) => {
                        self.stack = self.stack.max(Some(arg_size.max(return_size)));
                    }
                    Ok(Fret) => self.stack = self.stack.max(Some(0)),
                    _ => {}
                }
            }
            _ => {}
        }
    }

    /// A constant in a handle holds for the rest of the block.
    fn movs(&mut self, operands: &[Operand], guarded: bool) {
        let [Operand::Vector(dst), Operand::Vector(src), ..] = operands else { return };
        let known = if guarded || src.immediate().is_none() { 0 } else { self.blocks.len() as u32 };
        let handle = match *dst {
            VectorOperand::Surface { surface, .. } => self.handle(StateVar::Surface(surface)),
            VectorOperand::Sampler { sampler, .. } => self.handle(StateVar::Sampler(sampler)),
            _ => None,
        };
        if let Some(handle) = handle {
            handle.known = known;
        }
    }

    fn handle(&mut self, var: StateVar) -> Option<&mut HandleFacts> {
        match var {
            StateVar::Surface(s) => self.surfaces.get_mut(s.declared()?),
            StateVar::Sampler(s) => self.samplers.get_mut(s.index()),
        }
    }

    /// Something reads or writes a handle.
    fn uses(&mut self, var: StateVar) {
        let block = self.blocks.len() as u32;
        let Some(handle) = self.handle(var) else { return };
        if handle.known != block && !handle.needed {
            handle.needed = true;
            self.in_registers.push(var);
        }
    }

    /// The block of a label, if it is in the code.
    pub(crate) fn block_of(&self, label: LabelId) -> Option<BlockId> {
        self.labels.get(label.index())?.block
    }

    /// Whether a branch leads to this block.
    pub(crate) fn goes_back_to(&self, block: BlockId) -> bool {
        self.labels.iter().any(|l| l.targeted && l.block == Some(block))
    }
}

/// A predefined variable's bit.
fn bit(var: VarId) -> u32 {
    if var.0 < u32::BITS { 1 << var.0 } else { 0 }
}

fn ends_block(opcode: Opcode) -> bool {
    use Opcode::{Call, Fcall, Fret, Goto, Ifcall, Jmp, Ret, Switchjmp};
    matches!(opcode, Jmp | Goto | Call | Ret | Fret | Fcall | Ifcall | Switchjmp)
}
