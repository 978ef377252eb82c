//! Facts about a kernel's code as a whole, gathered in one walk before anything of it is lowered.

use gen_ir::BlockId;
use narrow::to_index;
use visa::{
    Kernel, LabelId, Opcode, Operand, PREDEFINED_SURFACES, SamplerId, SurfaceId, VarId, VectorOperand,
};

use super::local_predicates::Predicates;
use crate::lists::reset;

/// What the code says.
#[derive(Debug, Default)]
pub(crate) struct SourceFacts {
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
    /// It has several elements or an address: what it holds is never known.
    in_memory: bool,
}

/// What an opcode means for the flow of control.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum FlowRole {
    /// Nothing.
    On,
    /// No instruction at all.
    Mark,
    /// A block starts, unless it is at its first labels still.
    Label,
    /// A routine starts.
    Entry,
    /// A block ends.
    End,
}

static FLOW: [FlowRole; 256] = {
    use Opcode::{
        Call, Fcall, File, Fret, Goto, Ifcall, Jmp, Label, Lifetime, Loc, Ret, Subroutine, Switchjmp,
    };
    let mut flow = [FlowRole::On; 256];
    let ends = [Jmp, Goto, Call, Ret, Fret, Fcall, Ifcall, Switchjmp];
    let mut i = 0;
    while i < ends.len() {
        flow[ends[i].index()] = FlowRole::End;
        i += 1;
    }
    let marks = [Lifetime, File, Loc];
    let mut i = 0;
    while i < marks.len() {
        flow[marks[i].index()] = FlowRole::Mark;
        i += 1;
    }
    flow[Label.index()] = FlowRole::Label;
    flow[Subroutine.index()] = FlowRole::Entry;
    flow
};

/// Where the walk is in its block.
#[derive(Clone, Copy, PartialEq, Eq)]
enum At {
    /// The block before has ended.
    Start,
    /// Behind labels and nothing else.
    Labels,
    Code,
}

/// The routine that the walk is in.
#[derive(Clone, Copy)]
struct Current {
    first: u32,
    last: u32,
    returns: u32,
    /// The first return.
    returned: u32,
    /// A return is conditional.
    conditional: bool,
}

impl Current {
    const fn at(first: u32) -> Current {
        Current { first, last: first, returns: 0, returned: 0, conditional: false }
    }

    const fn facts(self) -> RoutineFacts {
        let returns_early = self.returns > 0 && self.last > self.returned;
        let exit = self.returns > 1 || self.conditional || returns_early;
        RoutineFacts { first: self.first, last: self.last, exit }
    }
}

/// Whether operands name nothing but declared general variables and immediates.
#[inline]
fn are_plain(operands: &[Operand]) -> bool {
    // All are looked at: most are plain, and there are few.
    operands.iter().fold(true, |plain, operand| {
        plain
            & match operand {
                Operand::Vector(VectorOperand::General(g)) => g.var.declared().is_some(),
                Operand::Vector(VectorOperand::Immediate { .. }) => true,
                _ => false,
            }
    })
}

impl SourceFacts {
    /// Gathers those of a kernel.
    pub(crate) fn gather(&mut self, kernel: &Kernel) {
        self.begin(kernel);
        let mut routine = Current::at(0);
        let mut at = At::Start;
        // Old compilers put labels before the first subroutine label, which starts the kernel all the same.
        let mut begun = false;
        for (i, record) in kernel.code.iter().enumerate() {
            let index = to_index(i);
            let operands = kernel.operands_of(record);
            match FLOW[usize::from(record.opcode.raw())] {
                FlowRole::On => {
                    if at == At::Start {
                        self.blocks.push(index);
                    }
                    at = At::Code;
                    begun = true;
                    routine.last = index;
                }
                flow => {
                    if at == At::Start || flow == FlowRole::Entry || flow == FlowRole::Label && at == At::Code
                    {
                        self.blocks.push(index);
                    }
                    if flow == FlowRole::Entry && begun {
                        self.routines.push(routine.facts());
                        routine = Current::at(index);
                    } else if flow != FlowRole::Mark {
                        routine.last = index;
                    }
                    begun |= !matches!(flow, FlowRole::Mark | FlowRole::Label);
                    at = match flow {
                        FlowRole::Label | FlowRole::Entry => At::Labels,
                        FlowRole::End => At::Start,
                        _ => At::Code,
                    };
                    self.flow(kernel, i, operands, &mut routine);
                }
            }
            if record.pred.is_some() || !are_plain(operands) {
                self.named_by(kernel, i, operands);
            }
        }
        self.routines.push(routine.facts());
        if self.blocks.is_empty() {
            self.blocks.push(0);
        }
    }

    /// Nothing is known of a kernel but what it declares.
    fn begin(&mut self, kernel: &Kernel) {
        self.blocks.clear();
        self.routines.clear();
        self.in_registers.clear();
        reset(&mut self.labels, kernel.labels.len(), LabelFacts::default());
        let surfaces = usize::from(PREDEFINED_SURFACES) + kernel.surfaces.len();
        reset(&mut self.surfaces, surfaces, HandleFacts::default());
        // The last one is the bindless sampler.
        reset(&mut self.samplers, kernel.samplers.len() + 1, HandleFacts::default());
        let declared = self.surfaces.iter_mut().skip(PREDEFINED_SURFACES.into());
        for (handle, var) in declared.zip(&kernel.surfaces) {
            handle.in_memory = var.num_elements > 1;
        }
        for (handle, var) in self.samplers.iter_mut().zip(&kernel.samplers) {
            handle.in_memory = var.num_elements > 1;
        }
        self.predicates.reset(kernel.preds.len());
        (self.named, self.aliased, self.stack) = (0, 0, None);
        for alias in kernel.vars.iter().filter_map(|v| v.alias) {
            self.aliased |= bit(alias.base);
        }
    }

    /// Labels, branches, calls and returns.
    fn flow(&mut self, kernel: &Kernel, index: usize, operands: &[Operand], routine: &mut Current) {
        let record = &kernel.code[index];
        match record.opcode {
            Opcode::Label | Opcode::Subroutine => {
                if let [Operand::Label(label), ..] = *operands
                    && let Some(slot) = self.labels.get_mut(label.index())
                {
                    slot.block = Some(BlockId(to_index(self.blocks.len()) - 1));
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
            Opcode::Ret | Opcode::Fret => {
                if routine.returns == 0 {
                    routine.returned = to_index(index);
                }
                routine.returns += 1;
                routine.conditional |= record.pred.is_some_and(|p| p.id.0 != 0);
                if record.opcode == Opcode::Fret {
                    self.stack = self.stack.max(Some(0));
                }
            }
            Opcode::Fcall | Opcode::Ifcall => {
                use visa::Op::{Fcall, Ifcall};
                if let Ok(Fcall { arg_size, return_size, .. } | Ifcall { arg_size, return_size, .. }) =
                    kernel.try_inst(index).map(|i| i.op)
                {
                    self.stack = self.stack.max(Some(arg_size.max(return_size)));
                }
            }
            _ => {}
        }
    }

    /// Notes what an instruction names that has a predicate, or operands that are neither of declared variables nor constants.
    fn named_by(&mut self, kernel: &Kernel, index: usize, operands: &[Operand]) {
        let record = &kernel.code[index];
        if record.opcode == Opcode::Movs {
            self.movs(operands, record.pred.is_some());
        }
        if record.opcode == Opcode::AddrAdd {
            self.addressed(operands);
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
            self.predicates.visit(kernel, index, to_index(self.blocks.len()));
        }
    }

    /// A constant in a handle holds for the rest of the block.
    fn movs(&mut self, operands: &[Operand], guarded: bool) {
        let [Operand::Vector(dst), Operand::Vector(src), ..] = operands else { return };
        let known = if guarded || src.immediate().is_none() { 0 } else { to_index(self.blocks.len()) };
        let handle = match *dst {
            VectorOperand::Surface { surface, .. } => self.handle(StateVar::Surface(surface)),
            VectorOperand::Sampler { sampler, .. } => self.handle(StateVar::Sampler(sampler)),
            _ => None,
        };
        if let Some(handle) = handle {
            handle.known = if handle.in_memory { 0 } else { known };
        }
    }

    /// The address of a handle is taken: what it holds can be read and written unseen from here on.
    fn addressed(&mut self, operands: &[Operand]) {
        let state = match operands.get(1) {
            Some(Operand::Vector(VectorOperand::Surface { surface, .. })) => StateVar::Surface(*surface),
            Some(Operand::Vector(VectorOperand::Sampler { sampler, .. })) => StateVar::Sampler(*sampler),
            _ => return,
        };
        if let Some(handle) = self.handle(state) {
            (handle.known, handle.in_memory) = (0, true);
        }
    }

    /// What a handle holds is never known.
    pub(crate) fn in_memory(&self, var: StateVar) -> bool {
        let handle = match var {
            StateVar::Surface(s) => self.surfaces.get(s.index()),
            StateVar::Sampler(SamplerId::BINDLESS) => self.samplers.last(),
            StateVar::Sampler(s) => self.samplers.get(s.index()),
        };
        handle.is_some_and(|h| h.in_memory)
    }

    fn handle(&mut self, var: StateVar) -> Option<&mut HandleFacts> {
        match var {
            StateVar::Surface(s) if s.declared().is_none() && s.bindless_bti().is_none() => None,
            StateVar::Surface(s) => self.surfaces.get_mut(s.index()),
            StateVar::Sampler(SamplerId::BINDLESS) => self.samplers.last_mut(),
            StateVar::Sampler(s) => self.samplers.get_mut(s.index()),
        }
    }

    /// Something reads or writes a handle.
    fn uses(&mut self, var: StateVar) {
        let block = to_index(self.blocks.len());
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
