//! What the instruction pages say of arithmetic: execution sizes, masks, modifiers, how types combine,
//! where operands may start.

use super::{Checker, Rule};
use crate::{
    ids::*,
    inst::{Inst, Record},
    op::Op,
    opcode::Opcode,
    operand::*,
    table::{Role, Row, Saturates, Slot},
    types::*,
};
use narrow::as_index;
use platforms::Platform;

/// Execution sizes that an instruction takes; none where it takes all. Those of some are the platform's.
fn exec_sizes(record: &Record, row: &'static Row, platform: Option<Platform>) -> &'static [u32] {
    use Opcode::*;
    let native = platform.map(|p| p.caps().regs.native_lanes());
    match record.opcode {
        Dpas | Dpasw if native == Some(16) => &[16],
        Dpas | Dpasw => &[8, 16],
        Gather4Typed | Scatter4Typed | TypedAtomic3d if native == Some(8) => &[8],
        _ => row.exec_sizes(),
    }
}

/// Types that are not mixed in one instruction.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TypeGroup {
    Int,
    Float,
    Double,
}

impl TypeGroup {
    fn of(ty: Type) -> Option<TypeGroup> {
        match ty {
            Type::Bool => None,
            Type::DF => Some(TypeGroup::Double),
            Type::F | Type::HF | Type::BF | Type::VF => Some(TypeGroup::Float),
            _ => Some(TypeGroup::Int),
        }
    }

    const fn name(self) -> &'static str {
        match self {
            TypeGroup::Int => "integer",
            TypeGroup::Float => "floating-point",
            TypeGroup::Double => "double",
        }
    }
}

impl Checker<'_> {
    /// Rules on execution size and mask.
    pub(super) fn lanes(&mut self, index: usize, record: &Record, row: &'static Row, inst: &Inst<'_>) {
        let lanes = inst.exec.size.lanes();
        let sizes = exec_sizes(record, row, self.options.platform);
        if !sizes.is_empty() && !sizes.contains(&lanes) {
            let allowed: Vec<_> = sizes.iter().map(u32::to_string).collect();
            let message = format!("{lanes} lanes, allowed: {}", allowed.join(", "));
            self.report(Rule::ExecSize, Some(index), "execution size", message);
        }
        let step = lanes.max(4);
        let offset = inst.exec.mask.offset();
        if !offset.is_multiple_of(step) {
            let message = format!(
                "{} starts at lane {offset}; {lanes} lanes start at a multiple of {step}: here at lane {}",
                inst.exec.mask.name(),
                inst.exec.first_lane()
            );
            self.report(Rule::MaskOffset, Some(index), "execution mask", message);
        }
    }

    /// Modifiers that the instruction, rather than the operand's class, forbids.
    pub(super) fn instruction_modifier(
        &mut self,
        index: usize,
        record: &Record,
        slot: &Slot,
        v: &VectorOperand,
    ) {
        let modifier = v.modifier();
        let opcode = record.opcode;
        if slot.role == Role::Dst && modifier == Modifier::Sat {
            let is_float = self.kernel.operand_type(v).is_some_and(Type::is_float);
            let message = match slot.saturates {
                Saturates::Nothing => format!("`{opcode}` does not saturate"),
                Saturates::Floats if !is_float => format!("`{opcode}` saturates floats only"),
                _ => return,
            };
            self.report(Rule::OperandModifier, Some(index), slot.name, message);
        } else if slot.role == Role::Src && modifier != Modifier::None && !slot.modified {
            let message = format!("found {modifier}; sources of `{opcode}` have no modifiers");
            self.report(Rule::OperandModifier, Some(index), slot.name, message);
        }
    }

    /// Integers, floats and doubles are not mixed.
    pub(super) fn agreement(&mut self, index: usize, record: &Record, row: &'static Row) {
        let operands = self.kernel.operands_of(record);
        let operands = match record.opcode {
            // The result of a comparison is a mask of any type.
            Opcode::Cmp => &operands[2..],
            Opcode::Sel => operands,
            Opcode::Fminmax => &operands[1..],
            _ if row.same_type => operands,
            _ => return,
        };
        let kernel = self.kernel;
        let mut first: Option<TypeGroup> = None;
        for operand in operands {
            let Operand::Vector(v) = operand else { continue };
            let Some(kind) = kernel.operand_type(v).and_then(TypeGroup::of) else { continue };
            let is_packed = matches!(v, VectorOperand::Immediate { ty, .. } if ty.is_packed());
            match first {
                None => first = Some(kind),
                Some(other) if other != kind && !is_packed => {
                    let message = format!("{} and {} operands in one instruction", other.name(), kind.name());
                    self.report(Rule::OperandMix, Some(index), "operands", message);
                    return;
                }
                Some(_) => {}
            }
        }
    }

    /// Where bfloat16 may stand. (Intel's finalizer, `verifyBFMixedMode`; what a comparison writes is a mask.)
    pub(super) fn bfloats(&mut self, index: usize, record: &Record) {
        use Opcode::*;
        let kernel = self.kernel;
        let operands = match record.opcode {
            Cmp => &kernel.operands_of(record)[2..],
            // These say themselves what they convert and multiply.
            Srnd | Movs | Dpas | Dpasw => return,
            _ => kernel.operands_of(record),
        };
        let types = || {
            operands.iter().filter_map(|operand| match operand {
                Operand::Vector(v) => kernel.operand_type(v),
                _ => None,
            })
        };
        if !types().any(|ty| ty == Type::BF) || self.options.platform.is_some_and(|p| !p.caps().ops.bf16) {
            return;
        }
        let halves = record.opcode == Mov;
        if !matches!(record.opcode, Add | Cmp | Mad | Mov | Mul | Sel) {
            let message = format!("`{}` has no operands of bf", record.opcode);
            self.report(Rule::BfloatTypes, Some(index), "operands", message);
        } else if let Some(other) =
            types().find(|ty| !(matches!(ty, Type::BF | Type::F | Type::VF) || halves && *ty == Type::HF))
        {
            let message = format!("bf beside {other}, allowed: bf, f{}", if halves { ", hf" } else { "" });
            self.report(Rule::BfloatTypes, Some(index), "operands", message);
        }
    }

    /// Predicates as operands of moves and logic.
    pub(super) fn predicates(&mut self, index: usize, inst: &Inst<'_>) {
        let Op::Alu { dst, srcs } = inst.op else { return };
        let is_pred = |v: &VectorOperand| matches!(v, VectorOperand::Predicate(..));
        let count = usize::from(is_pred(dst)) + srcs.iter().filter(|s| is_pred(s)).count();
        if count == 0 {
            return;
        }
        if inst.pred.is_some() {
            let message = format!("`{}` of predicates is not guarded by a predicate", inst.opcode);
            self.report(Rule::PredicateUse, Some(index), "predicate", message);
        }
        if inst.opcode.is_bitwise() && count != srcs.len() + 1 {
            let message = "logic on predicates takes nothing but predicates".to_owned();
            self.report(Rule::PredicateUse, Some(index), "operands", message);
        }
        if inst.opcode != Opcode::Mov {
            return;
        }
        let VectorOperand::Predicate(p, _) = srcs[0] else { return };
        let elements = self.kernel.pred_elements(p.id).unwrap_or(0);
        let ty = self.kernel.operand_type(dst).unwrap_or(Type::UD);
        if inst.exec.size != ExecSize::S1 {
            let message = format!("{} lanes; a predicate moves as a whole, in one lane", inst.exec.size);
            self.report(Rule::PredicateUse, Some(index), "execution size", message);
        }
        if !ty.is_int() || ty.bytes() * 8 < u32::from(elements) {
            let message = format!("type {ty} for {elements} bits, allowed: an integer that is large enough");
            self.report(Rule::PredicateUse, Some(index), "destination", message);
        }
    }

    /// `addr_add` takes addresses of variables; `movs` moves state of one class.
    pub(super) fn addresses(&mut self, index: usize, inst: &Inst<'_>) {
        match inst.op {
            Op::AddrAdd { base: VectorOperand::General(g), .. } => {
                if let Some(var) =
                    g.var.predefined().filter(|v| !matches!(v, Predefined::Arg | Predefined::RetVal))
                {
                    let name = PREDEFINED[as_index(var.number())].name;
                    let message =
                        format!("{name} has no address; allowed: declared variables, %arg, %retval");
                    self.report(Rule::AddressBase, Some(index), "source", message);
                }
            }
            Op::AddrAdd { base: VectorOperand::Surface { surface, .. }, .. }
                if surface.declared().is_none() =>
            {
                let message = format!("{} has no address", PREDEFINED_SURFACE_NAMES[surface.index().min(5)]);
                self.report(Rule::AddressBase, Some(index), "source", message);
            }
            Op::Movs { dst, src } => {
                use VectorOperand as V;
                let message = match (dst, src) {
                    (V::Surface { .. }, V::Sampler { .. }) | (V::Sampler { .. }, V::Surface { .. }) => {
                        "a surface and a sampler"
                    }
                    (
                        V::General(_) | V::Indirect(_),
                        V::General(_) | V::Indirect(_) | V::Immediate { .. },
                    ) => "no state variable on either side",
                    _ => return,
                };
                self.report(Rule::StateMove, Some(index), "operands", message.to_owned());
            }
            _ => {}
        }
    }

    /// Where a general operand starts. How many registers it reaches is not held against it: the specification
    /// says two, but Intel's compilers and finalizer go by the variable.
    pub(super) fn extent(&mut self, index: usize, record: &Record, slot: &Slot, g: &GeneralOperand) {
        let Some(root) = self.root(g.var) else { return };
        let grf = self.options.grf_bytes;
        let size = self.kernel.var_type(g.var).map_or(1, Type::bytes);
        let column = u32::from(g.col) * size;
        if column >= grf {
            let message = format!("column {} of elements of {size} bytes, rows have {grf} bytes", g.col);
            self.report(Rule::OperandOrigin, Some(index), slot.name, message);
        }
        let start = root.offset + u32::from(g.row) * grf + column;
        if !start.is_multiple_of(size) {
            let name = self.kernel.var_name(g.var);
            let message =
                format!("elements of {size} bytes at byte {start} of the variable that {name} is part of");
            self.report(Rule::ElementAlignment, Some(index), slot.name, message);
        }
        match (record.opcode, slot.role, slot.name) {
            (Opcode::Plane, Role::Src, "source") => self.starts_at(index, slot.name, start, 16),
            (Opcode::Madw, Role::Dst, _) => self.starts_at(index, slot.name, start, grf),
            _ => {}
        }
    }

    /// An operand starts at a multiple of some bytes.
    fn starts_at(&mut self, index: usize, field: &'static str, start: u32, needed: u32) {
        if !start.is_multiple_of(needed) {
            let message = format!("starts at byte {start}, allowed: multiples of {needed}");
            self.report(Rule::OperandAlignment, Some(index), field, message);
        }
    }

    /// Activations of `dpas` start at a multiple of what eight stages take of a row. (Intel's finalizer, `verifyDpas`.)
    pub(super) fn matrix_row(&mut self, index: usize, g: &GeneralOperand, row: u32) {
        let Some(root) = self.root(g.var) else { return };
        let column = u32::from(g.col) * self.kernel.var_type(g.var).map_or(1, Type::bytes);
        let start = root.offset + u32::from(g.row) * self.options.grf_bytes + column;
        self.starts_at(index, "source 2", start, row);
    }

    /// The platform has the types of the operands.
    pub(super) fn platform_type(&mut self, index: usize, record: &Record, slot: &Slot, v: &VectorOperand) {
        let Some(platform) = self.options.platform else { return };
        let Some(ty) = self.kernel.operand_type(v) else { return };
        let missing = match ty {
            Type::BF => !platform.caps().ops.bf16,
            Type::DF => !platform.caps().ops.fp64 && record.opcode != Opcode::Mov,
            _ => false,
        };
        if missing {
            let message = format!("type {ty}, which {platform} does not have");
            // Without bfloat16 nothing stands for it; sequences do for some of what doubles are.
            let rule = if ty == Type::BF { Rule::BfloatTypes } else { Rule::PlatformType };
            self.report(rule, Some(index), slot.name, message);
        }
    }
}
