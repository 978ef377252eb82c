//! A kernel being looked at, and what is found in it.

use narrow::to_index;

use super::finding::{Finding, Rule, Subject, VerifyOptions};
use crate::{
    ids::{PREDEFINED_SURFACE_NAMES, SurfaceId, VarId},
    model::Kernel,
    operand::*,
    types::Modifier,
};

/// What an operand of a variable is held against.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reach {
    /// Bytes from the first of the variable to the last of its root; all where that is not known or does not
    /// matter, none where there is no such variable.
    pub(super) bytes: u32,
    /// Bytes of an element, at least 1.
    pub(super) size: u32,
}

impl Reach {
    pub(super) const NO_VARIABLE: Reach = Reach { bytes: 0, size: 1 };
}

/// Findings per kernel beyond this many are left out.
const MAX_FINDINGS: usize = 1000;

/// Where a variable's bytes are: offset in the root variable and the root's size.
#[derive(Clone, Copy, Debug)]
pub(super) struct Root {
    pub(super) offset: u32,
    /// `None` where it is not known.
    pub(super) bytes: Option<u32>,
}

pub(super) struct Checker<'a> {
    pub(super) kernel: &'a Kernel,
    pub(super) options: VerifyOptions,
    pub(super) safety_only: bool,
    pub(super) start: usize,
    pub(super) findings: &'a mut Vec<Finding>,
    pub(super) roots: &'a mut Vec<Root>,
    /// What operands are held against, by variable.
    pub(super) reaches: &'a mut Vec<Reach>,
    /// The operand being looked at, if one at a time is.
    pub(super) operand: Option<usize>,
}

impl Checker<'_> {
    /// Notes a broken rule.
    #[cold]
    pub(super) fn report(
        &mut self,
        rule: Rule,
        instruction: Option<usize>,
        field: impl Into<String>,
        message: String,
    ) {
        // Lowering has to know of variables that grow.
        let matters = rule.is_safety() || rule == Rule::RegisterTail;
        if self.safety_only && !matters || self.findings.len() - self.start >= MAX_FINDINGS {
            return;
        }
        let field = field.into();
        let subject = instruction.and_then(|i| self.subject(i, &field));
        let instruction = instruction.map(|i| {
            let record = &self.kernel.code[i];
            (to_index(i), record.row().map_or(record.opcode.name(), |r| r.name), record.place)
        });
        let kernel = self.kernel.name().into_owned();
        self.findings.push(Finding {
            rule,
            kernel,
            instruction,
            places: self.kernel.places,
            field,
            subject,
            message,
        });
    }

    /// The operand that a finding is about: the one being looked at, or the one of the field's name.
    fn subject(&self, index: usize, field: &str) -> Option<Subject> {
        let record = &self.kernel.code[index];
        let guard = record.pred.map(|p| format!("P{}", p.id.0));
        if field == "predicate" && self.operand.is_none() {
            let operand = record.pred.map(|p| Operand::Vector(VectorOperand::Predicate(p, Modifier::None)));
            let declared = operand.and_then(|p| self.declared_name(&p));
            return guard.map(|name| Subject { name, declared, nth: 0 });
        }
        let operands = self.kernel.operands_of(record);
        let slot = |name: &str| record.row()?.operand_slots().position(|s| s.name == name);
        // Messages that load have data for a destination.
        let data = || (field == "destination").then(|| slot("data")).flatten();
        let at = self.operand.or_else(|| slot(field)).or_else(data)?;
        let name = self.operand_name(operands.get(at)?)?;
        let same = operands[..at].iter().filter(|o| self.operand_name(o).as_ref() == Some(&name)).count();
        let nth = to_index(same) + u32::from(guard.as_ref() == Some(&name));
        Some(Subject { name, declared: self.declared_name(&operands[at]), nth })
    }

    fn operand_name(&self, operand: &Operand) -> Option<String> {
        use VectorOperand as V;
        let surface = |id: SurfaceId| match PREDEFINED_SURFACE_NAMES.get(id.index()) {
            Some(name) => (*name).to_owned(),
            None => format!("T{}", id.0),
        };
        Some(match operand {
            Operand::Vector(V::General(GeneralOperand { var, .. }))
            | Operand::Raw(RawOperand { var, .. }) => self.kernel.var_name(*var).into_owned(),
            Operand::Vector(
                V::Address(AddressOperand { addr, .. }) | V::Indirect(IndirectOperand { addr, .. }),
            ) => {
                format!("A{}", addr.0)
            }
            Operand::Vector(V::Predicate(p, _)) => format!("P{}", p.id.0),
            Operand::Vector(V::Surface { surface: id, .. }) | Operand::Surface(id) => surface(*id),
            Operand::Vector(V::Sampler { sampler: id, .. }) | Operand::Sampler(id) => format!("S{}", id.0),
            Operand::Label(id) => self.kernel.label_name(*id).into_owned(),
            _ => return None,
        })
    }

    /// The name that a variable which messages call by its number was declared with.
    fn declared_name(&self, operand: &Operand) -> Option<String> {
        use VectorOperand as V;
        let kernel = self.kernel;
        let var = match operand {
            Operand::Vector(
                V::Address(AddressOperand { addr, .. }) | V::Indirect(IndirectOperand { addr, .. }),
            ) => kernel.addrs.get(addr.index()),
            Operand::Vector(V::Predicate(p, _)) => p.id.declared().and_then(|i| kernel.preds.get(i)),
            Operand::Vector(V::Surface { surface: id, .. }) | Operand::Surface(id) => kernel.surface(*id),
            Operand::Vector(V::Sampler { sampler: id, .. }) | Operand::Sampler(id) => kernel.sampler(*id),
            _ => None,
        };
        var.map(|var| kernel.str(var.name).into_owned()).filter(|name| !name.is_empty())
    }

    /// Where a variable's bytes are.
    pub(super) fn root(&self, var: VarId) -> Option<Root> {
        match var.declared() {
            Some(i) => self.roots.get(i).copied(),
            None => Some(Root { offset: 0, bytes: self.predefined_bytes(var) }),
        }
    }

    /// A safety rule is broken in this kernel.
    pub(super) fn broken(&self) -> bool {
        self.findings[self.start..].iter().any(|f| f.rule.is_safety())
    }
}
