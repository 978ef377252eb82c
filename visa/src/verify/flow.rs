//! Labels, subroutines, calls.

use narrow::{as_index, to_index};

use super::{Checker, Rule};
use crate::{
    ids::LabelId, inst::Record, model::Kernel, near::similar_name, opcode::Opcode, operand::Operand,
    types::LabelKind,
};

/// Memory for [`Checker::flow`].
#[derive(Debug, Default)]
pub(super) struct FlowMemory {
    /// Labels, branches, calls and `fret`, in order.
    pub(super) marks: Vec<u32>,
    /// Where each label is defined.
    defined: Vec<Option<u32>>,
    /// Which labels something jumps to.
    targets: Vec<bool>,
    /// Ends of subroutines that control runs over.
    ends: Vec<usize>,
    /// Calls: caller, instruction, callee.
    calls: Vec<(u32, u32, u32)>,
    /// Of each subroutine: 0 not seen, 1 on the way, 2 done.
    state: Vec<u8>,
    /// Subroutines on the way, with the next of their calls to follow.
    stack: Vec<(u32, usize)>,
}

const fn jumps(opcode: Opcode) -> bool {
    matches!(opcode, Opcode::Jmp | Opcode::Goto | Opcode::Switchjmp)
}

/// The instructions at `marks`.
fn marked<'a>(kernel: &'a Kernel, marks: &'a [u32]) -> impl Iterator<Item = (usize, &'a Record)> {
    marks.iter().map(|&m| (as_index(m), &kernel.code[as_index(m)]))
}

/// Labels, what names them, and `fret`: all that [`Checker::flow`] looks at but for the ends of subroutines.
pub(super) const fn is_mark(opcode: Opcode) -> bool {
    use Opcode::*;
    matches!(opcode, Label | Subroutine | Jmp | Goto | Switchjmp | Call | Fret)
}

/// Notes of the compiler, which do nothing.
const fn is_note(record: &Record) -> bool {
    matches!(record.opcode, Opcode::Loc | Opcode::File | Opcode::Lifetime)
}

impl Checker<'_> {
    pub(super) fn flow(&mut self, scratch: &mut FlowMemory) {
        self.definitions(&scratch.marks, &mut scratch.defined);
        self.branches(&scratch.marks, &scratch.defined);
        if !self.safety_only {
            self.structure(&scratch.marks, &mut scratch.targets, &mut scratch.ends);
        }
        self.recursion(scratch);
    }

    /// Where each label is defined.
    fn definitions(&mut self, marks: &[u32], defined: &mut Vec<Option<u32>>) {
        let kernel = self.kernel;
        defined.clear();
        defined.resize(kernel.labels.len(), None);
        for (index, record) in marked(kernel, marks) {
            if !matches!(record.opcode, Opcode::Label | Opcode::Subroutine) {
                continue;
            }
            let id = kernel.operands_of(record)[0].label();
            let Some(place) = defined.get_mut(id.index()) else { continue };
            if let Some(first) = *place {
                let unit = match kernel.places {
                    crate::PlaceKind::Offset => "byte",
                    crate::PlaceKind::Line => "line",
                };
                let first = kernel.code[as_index(first)].place;
                let message =
                    format!("`{}` is defined a second time, first at {unit} {first}", kernel.label_name(id));
                self.report(Rule::LabelDefined, Some(index), "label", message);
            }
            *place = Some(to_index(index));
            let is_block =
                matches!(kernel.labels[id.index()].kind, LabelKind::Block | LabelKind::DivergentResourceLoop);
            if is_block != (record.opcode == Opcode::Label) {
                let kind = kernel.labels[id.index()].kind;
                let message = format!("`{}` is declared as {kind}", kernel.label_name(id));
                self.report(Rule::LabelKind, Some(index), "label", message);
            }
        }
    }

    fn branches(&mut self, marks: &[u32], defined: &[Option<u32>]) {
        let kernel = self.kernel;
        let mut starts = marked(kernel, marks)
            .filter(|m| m.1.opcode == Opcode::Subroutine)
            .map(|m| m.0)
            // Labels before the first one belong to it.
            .skip_while(|start| {
                kernel.code[..*start].iter().all(|r| is_note(r) || r.opcode == Opcode::Label)
            });
        // Bounds of the subroutine that the walk is in.
        let (mut first, mut end) = (0, 0);
        for (index, record) in marked(kernel, marks) {
            while index >= end {
                first = end;
                end = starts.find(|start| *start > first).unwrap_or(kernel.code.len());
            }
            if record.opcode == Opcode::Fret {
                self.function_return(index, first > 0);
            }
            let is_call = record.opcode == Opcode::Call;
            if !is_call && !jumps(record.opcode) {
                continue;
            }
            for operand in kernel.operands_of(record) {
                let Operand::Label(id) = *operand else { continue };
                let Some(label) = kernel.labels.get(id.index()) else { continue };
                // A fast-composition callee is in another object.
                if defined[id.index()].is_none() && label.kind != LabelKind::FastComposite {
                    let hint = self.similar_label(id, defined).unwrap_or_default();
                    let message = format!("`{}` is not defined{hint}", kernel.label_name(id));
                    self.report(Rule::LabelDefined, Some(index), "label", message);
                }
                if let Some(at) = defined[id.index()].map(as_index)
                    && !is_call
                    && !(first..end).contains(&at)
                {
                    let message = format!("`{}` is in another subroutine", kernel.label_name(id));
                    self.report(Rule::BranchTarget, Some(index), "label", message);
                }
                let is_block = matches!(label.kind, LabelKind::Block | LabelKind::DivergentResourceLoop);
                if is_block == is_call {
                    let wanted = if is_call { "a subroutine" } else { "a block" };
                    let message = format!("`{}` is {}, expected {wanted}", kernel.label_name(id), label.kind);
                    self.report(Rule::LabelKind, Some(index), "label", message);
                }
            }
        }
    }

    /// Outside of a function's body nobody has left an address to return to. (Intel's finalizer returns to whatever is in the
    /// registers in kernels; it gives up on subroutines.)
    fn function_return(&mut self, index: usize, in_subroutine: bool) {
        let place = match (in_subroutine, self.kernel.is_function) {
            (true, _) => "a subroutine",
            (false, false) => "a kernel",
            (false, true) => return,
        };
        let message = format!("it returns from a function, but this is {place}: use `ret`");
        self.report(Rule::FunctionReturn, Some(index), "code", message);
    }

    /// The hint at a label that is defined and easily mistaken for this one. In the first few findings.
    #[cold]
    fn similar_label(&self, id: LabelId, defined: &[Option<u32>]) -> Option<String> {
        const MAX_HINTS: usize = 20;
        const MAX_LABELS: usize = 4096;
        let kernel = self.kernel;
        if self.findings.len() - self.start > MAX_HINTS || defined.len() > MAX_LABELS {
            return None;
        }
        let known: Vec<_> = (0..defined.len())
            .filter(|i| defined[*i].is_some())
            .map(|i| kernel.label_name(LabelId(to_index(i))))
            .collect();
        let near = similar_name(&kernel.label_name(id), known.iter().map(|n| &**n))?;
        Some(format!("; did you mean `{near}`?"))
    }

    /// Code begins with a subroutine, and each ends with something that does not go on.
    fn structure(&mut self, marks: &[u32], targets: &mut Vec<bool>, ends_at: &mut Vec<usize>) {
        let code = &self.kernel.code;
        match code.iter().position(|r| !is_note(r)) {
            Some(first) if code[first].opcode == Opcode::Subroutine => {}
            Some(first) => {
                let message = format!("`{}` stands before the first subroutine label", code[first].opcode);
                self.report(Rule::FirstSubroutine, Some(first), "code", message);
            }
            None => self.report(Rule::FirstSubroutine, None, "code", "the kernel has no instructions".into()),
        }
        // Compilers leave labels behind that nothing jumps to: they alone are no place to get to.
        self.targets(marks, targets);
        let unreached = |r: &Record| {
            r.opcode == Opcode::Label
                && !targets.get(self.kernel.operands_of(r)[0].label().index()).is_some_and(|t| *t)
        };
        ends_at.clear();
        let mut last: Option<usize> = None;
        for index in 0..=code.len() {
            let ends = code.get(index).is_none_or(|r| r.opcode == Opcode::Subroutine);
            if ends
                && let Some(at) = last
                && !self.stops(at)
            {
                ends_at.push(at);
            }
            match code.get(index) {
                Some(r) if is_note(r) => {}
                Some(r) if unreached(r) && last.is_some_and(|at| self.stops(at)) => {}
                Some(_) => last = Some(index),
                None => {}
            }
        }
        for &at in ends_at.iter() {
            let message = "control runs on after this instruction".to_owned();
            self.report(Rule::SubroutineEnd, Some(at), "code", message);
        }
    }

    /// Which labels something jumps to.
    fn targets(&self, marks: &[u32], targets: &mut Vec<bool>) {
        let kernel = self.kernel;
        targets.clear();
        targets.resize(kernel.labels.len(), false);
        for (_, record) in marked(kernel, marks).filter(|m| jumps(m.1.opcode)) {
            for operand in kernel.operands_of(record) {
                if let Operand::Label(id) = *operand
                    && let Some(target) = targets.get_mut(id.index())
                {
                    *target = true;
                }
            }
        }
    }

    fn stops(&self, index: usize) -> bool {
        let record = &self.kernel.code[index];
        let operands = self.kernel.operands_of(record);
        match record.opcode {
            Opcode::Ret | Opcode::Fret | Opcode::Jmp | Opcode::Goto => record.pred.is_none(),
            Opcode::Switchjmp => true,
            Opcode::RawSends | Opcode::RawSendg => operands[0].num() & 2 != 0,
            Opcode::RawSend => operands[1].num() & 0x20 != 0,
            Opcode::UrbWrite3d | Opcode::RtWrite3d | Opcode::Ifcall => true,
            _ => false,
        }
    }

    /// No subroutine reaches itself over calls. Walks the call graph without recursion of its own.
    fn recursion(&mut self, scratch: &mut FlowMemory) {
        let kernel = self.kernel;
        let FlowMemory { marks, calls, state, stack, .. } = scratch;
        let count = kernel.labels.len();
        calls.clear();
        let mut current: Option<LabelId> = None;
        for (index, record) in marked(kernel, marks) {
            if !matches!(record.opcode, Opcode::Subroutine | Opcode::Call) {
                continue;
            }
            let id = kernel.operands_of(record)[0].label();
            if id.index() >= count {
                continue;
            }
            match (record.opcode, current) {
                (Opcode::Subroutine, _) => current = Some(id),
                (_, Some(caller)) => calls.push((caller.0, to_index(index), id.0)),
                _ => {}
            }
        }
        if calls.is_empty() {
            return;
        }
        calls.sort_unstable();
        let first_of = |caller: u32| calls.partition_point(|c| c.0 < caller);
        state.clear();
        state.resize(count, 0);
        stack.clear();
        for start in 0..to_index(count) {
            if state[as_index(start)] != 0 {
                continue;
            }
            state[as_index(start)] = 1;
            stack.push((start, first_of(start)));
            while let Some((at, next)) = stack.pop() {
                let Some((_, index, callee)) = calls.get(next).copied().filter(|c| c.0 == at) else {
                    state[as_index(at)] = 2;
                    continue;
                };
                stack.push((at, next + 1));
                match state[as_index(callee)] {
                    0 => {
                        state[as_index(callee)] = 1;
                        stack.push((callee, first_of(callee)));
                    }
                    1 => {
                        let name = kernel.label_name(LabelId(callee)).into_owned();
                        let message = format!("`{name}` comes back to itself; use a function and fcall");
                        self.report(Rule::Recursion, Some(as_index(index)), "label", message);
                    }
                    _ => {}
                }
            }
        }
    }
}
