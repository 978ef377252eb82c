//! Operands of each instruction against its table row.

use narrow::{as_index, to_index};

use super::{
    Checker, Rule,
    checker::Root,
    flow::is_mark,
    reach::{address_end, last_element, last_element_of, plain_region},
};
use crate::{
    ids::*,
    inst::{Inst, Record},
    op::Op,
    opcode::Opcode,
    operand::*,
    table::{Enc, Role, Row, Slot, Text, Types},
    types::*,
};

impl Checker<'_> {
    /// Checks each instruction by itself. Fills `marks` with the places that [`Checker::flow`] looks at.
    pub(super) fn code(&mut self, marks: &mut Vec<u32>) {
        let kernel = self.kernel;
        marks.clear();
        self.fill_reaches();
        for (index, record) in kernel.code.iter().enumerate() {
            let Some(row) = record.row() else {
                self.report(Rule::ControlValue, Some(index), "sub-opcode", format!("{}", record.sub));
                continue;
            };
            if is_mark(record.opcode) {
                marks.push(to_index(index));
            }
            self.exec(index, record);
            self.guard(index, record);
            self.operands(index, record, row);
            // Safety asks only whether there is a typed view.
            let view = if self.safety_only {
                Op::of(record, kernel.operands_of(record)).map(|_| ())
            } else {
                kernel.try_inst(index).map(|inst| self.view(index, record, row, &inst))
            };
            if let Err((field, value)) = view {
                self.report(Rule::ControlValue, Some(index), field, format!("{value:#x} has no meaning"));
            }
        }
    }

    /// What is asked of an instruction as a whole.
    #[inline(never)]
    fn view(&mut self, index: usize, record: &Record, row: &'static Row, inst: &Inst<'_>) {
        self.lanes(index, record, row, inst);
        self.agreement(index, record, row);
        self.bfloats(index, record);
        self.predicates(index, inst);
        self.addresses(index, inst);
        self.message(index, inst);
        self.payload_types(index, inst);
        self.values(index, inst);
        self.availability(index, record);
    }

    fn exec(&mut self, index: usize, record: &Record) {
        let (offset, lanes) = (record.exec.mask.offset(), record.exec.size.lanes());
        if offset + lanes > 32 {
            let message = format!("{}, {lanes} reaches lane {}", record.exec.mask.name(), offset + lanes);
            self.report(Rule::ExecMask, Some(index), "execution mask", message);
        }
    }

    fn guard(&mut self, index: usize, record: &Record) {
        if let Some(pred) = record.pred {
            self.predicate(index, record, "predicate", pred.id);
        }
    }

    fn predicate(&mut self, index: usize, record: &Record, field: &'static str, id: PredId) {
        let Some(elements) = self.kernel.pred_elements(id) else {
            let count = self.kernel.preds.len();
            self.report(
                Rule::VariableIndex,
                Some(index),
                field,
                format!("P{}, P1 to P{count} are declared", id.0),
            );
            return;
        };
        // A predicate of one element is a scalar that guards all lanes alike.
        if elements != 1 && u32::from(elements) < record.exec.size.lanes() {
            let message =
                format!("P{} has {elements} elements, the instruction has {} lanes", id.0, record.exec.size);
            self.report(Rule::PredicateWidth, Some(index), field, message);
        }
    }

    fn operands(&mut self, index: usize, record: &Record, row: &'static Row) {
        let kernel = self.kernel;
        let mut operands = kernel.operands_of(record).iter().enumerate();
        for slot in row.operand_slots() {
            let is_list = matches!(slot.enc, Enc::RawList | Enc::LabelList);
            if slot.enc == Enc::LabelCount {
                continue;
            }
            for (at, operand) in operands.by_ref() {
                self.operand = Some(at);
                self.operand(index, record, slot, operand);
                if !is_list {
                    break;
                }
            }
        }
        self.operand = None;
    }

    /// Most operands are of variables: what is asked of those becomes a part of the caller.
    #[inline]
    fn operand(&mut self, index: usize, record: &Record, slot: &'static Slot, operand: &Operand) {
        match operand {
            Operand::Vector(v) => self.vector(index, record, slot, v),
            other => self.other_operand(index, record, slot, other),
        }
    }

    #[inline(never)]
    fn other_operand(&mut self, index: usize, record: &Record, slot: &'static Slot, operand: &Operand) {
        let kernel = self.kernel;
        match *operand {
            Operand::Raw(r) => {
                self.bounds(index, slot, r.var, u32::from(r.offset), 1);
                if !self.safety_only {
                    self.raw(index, slot, r);
                }
            }
            Operand::Surface(s) => {
                let exists = s.declared().is_none_or(|i| i < kernel.surfaces.len());
                if !exists {
                    self.report(
                        Rule::StateIndex,
                        Some(index),
                        slot.name,
                        format!("T{} is not declared", s.0),
                    );
                }
                if !slot.slm && s == SurfaceId::SLM {
                    let message = "found %slm, which this message does not reach".to_owned();
                    self.report(Rule::SurfaceClass, Some(index), slot.name, message);
                }
            }
            Operand::Sampler(s) => {
                if s.index() >= kernel.samplers.len() && s != SamplerId::BINDLESS {
                    self.report(
                        Rule::StateIndex,
                        Some(index),
                        slot.name,
                        format!("S{} is not declared", s.0),
                    );
                }
            }
            Operand::Label(l) => {
                if l.index() >= kernel.labels.len() {
                    let message = format!("label {}, the kernel has {}", l.0, kernel.labels.len());
                    self.report(Rule::LabelIndex, Some(index), slot.name, message);
                }
            }
            Operand::Str(s) => {
                if s.index() >= kernel.strings.len() {
                    let message = format!("string {}, the pool has {}", s.0, kernel.strings.len());
                    self.report(Rule::StringIndex, Some(index), slot.name, message);
                }
            }
            Operand::Num(id) if record.opcode == Opcode::Lifetime && slot.enc == Enc::VarWide => {
                self.lifetime(index, record, id);
            }
            Operand::Num(n) if slot.text == Text::Channels && n & 15 == 0 => self.no_channels(index),
            Operand::Num(_) | Operand::Absent | Operand::Vector(_) => {}
        }
    }

    /// What is asked of the payload of a message whatever its other fields say: that it is there, its type, whether it may be
    /// written.
    fn raw(&mut self, index: usize, slot: &'static Slot, raw: RawOperand) {
        if slot.role == Role::Dst {
            self.writable(index, slot, raw.var);
        }
        if slot.needed {
            self.there(index, slot.name, raw);
        }
        self.types(index, slot.name, raw, slot.types);
    }

    fn lifetime(&mut self, index: usize, record: &Record, id: u32) {
        let kernel = self.kernel;
        let exists = match kernel.operands_of(record)[0].num() >> 4 & 3 {
            0 => kernel.var(VarId(id)).is_some() || VarId(id).predefined().is_some(),
            1 => as_index(id) < kernel.addrs.len(),
            _ => kernel.pred_elements(PredId(id)).is_some(),
        };
        if !exists {
            self.report(
                Rule::VariableIndex,
                Some(index),
                "variable",
                format!("variable {id} is not declared"),
            );
        }
    }

    /// The variable exists, and bytes from `offset` on, `len` of them, are in it (or its root). True if it exists.
    #[inline]
    fn bounds(&mut self, index: usize, slot: &Slot, var: VarId, offset: u32, len: u32) -> bool {
        let bytes = self.reach(var).bytes;
        if offset + len > bytes {
            self.out_of_bounds(index, slot, var, offset, len);
        }
        bytes > 0
    }

    #[cold]
    fn out_of_bounds(&mut self, index: usize, slot: &Slot, var: VarId, offset: u32, len: u32) {
        if self.reach(var).bytes == 0 && self.root(var).is_none() {
            let last = to_index(self.kernel.vars.len()) + PREDEFINED_VARS - 1;
            let message = format!("V{} does not exist, the last variable is V{last}", var.0);
            self.report(Rule::VariableIndex, Some(index), slot.name, message);
            return;
        }
        let Some(Root { offset: origin, bytes: Some(bytes) }) = self.root(var) else { return };
        let (start, end) = (origin + offset, origin + offset + len);
        let name = self.kernel.var_name(var).into_owned();
        let message = format!("bytes {start} to {end} of {name}, which has {bytes} bytes in all");
        let (declared, _) = self.kernel.resolve_alias(var);
        let placed = |i: &crate::Input| matches!(i.var, crate::InputVar::General(id) if id == declared);
        let grows = declared.declared().is_some() && !self.kernel.inputs.iter().any(placed);
        let reach = match slot.role {
            Role::Dst => self.options.grf_bytes,
            _ if len == self.reach(var).size => TAIL_REGISTERS * self.options.grf_bytes,
            _ => 0,
        };
        let tail = grows && end <= reach;
        let rule = if tail { Rule::RegisterTail } else { Rule::OperandBounds };
        self.report(rule, Some(index), slot.name, message);
    }

    #[inline]
    fn vector(&mut self, index: usize, record: &Record, slot: &'static Slot, v: &VectorOperand) {
        if !slot.classes.has(v) {
            self.wrong_class(index, slot, v);
        }
        match *v {
            VectorOperand::General(g) => {
                let size = self.reach(g.var).size;
                let origin = u32::from(g.row) * self.options.grf_bytes + u32::from(g.col) * size;
                let last = if slot.scalar {
                    0
                } else if plain_region(record.opcode) {
                    last_element(g.region, record.exec.size)
                } else {
                    last_element_of(record, self.operand, g.region, self.options.grf_bytes / size.max(1))
                };
                let exists = self.bounds(index, slot, g.var, origin, (last + 1) * size);
                if !self.safety_only {
                    self.general(index, record, slot, &g, exists);
                } else if !slot.scalar && is_meaningless(record, slot, g.region) {
                    self.region(index, record, slot, g.region);
                }
            }
            VectorOperand::Immediate { ty, bits } => self.constant_width(index, slot.name, ty, bits),
            _ => self.other_vector(index, record, slot, v),
        }
        if !self.safety_only {
            self.form(index, record, slot, v);
        }
    }

    /// What is asked of a region of a variable beside safety.
    #[inline(never)]
    fn general(
        &mut self,
        index: usize,
        record: &Record,
        slot: &'static Slot,
        g: &GeneralOperand,
        exists: bool,
    ) {
        if exists && !g.var.is_null() {
            self.extent(index, record, slot, g);
        }
        if slot.role == Role::Dst {
            self.writable(index, slot, g.var);
        }
        self.region(index, record, slot, g.region);
    }

    /// What is asked of a vector operand of any kind beside safety.
    #[inline(never)]
    fn form(&mut self, index: usize, record: &Record, slot: &'static Slot, v: &VectorOperand) {
        self.modifier(index, record, slot, v);
        self.instruction_modifier(index, record, slot, v);
        self.platform_type(index, record, slot, v);
    }

    #[cold]
    fn wrong_class(&mut self, index: usize, slot: &Slot, v: &VectorOperand) {
        let message = format!("found {}, allowed: {}", v.class_name(), slot.classes);
        self.report(Rule::OperandClass, Some(index), slot.name, message);
    }

    /// An operand of another kind of variable, or behind an address.
    #[inline(never)]
    fn other_vector(&mut self, index: usize, record: &Record, slot: &'static Slot, v: &VectorOperand) {
        match *v {
            VectorOperand::Address(a) => self.address(index, slot, a.addr, address_end(record, slot, v)),
            VectorOperand::Indirect(i) => {
                self.address(index, slot, i.addr, address_end(record, slot, v));
                self.indirect(index, slot.name, &i);
            }
            VectorOperand::Predicate(p, _) => self.predicate(index, record, slot.name, p.id),
            VectorOperand::Surface { surface, .. } => {
                self.other_operand(index, record, slot, &Operand::Surface(surface));
            }
            VectorOperand::Sampler { sampler, .. } => {
                self.other_operand(index, record, slot, &Operand::Sampler(sampler));
            }
            VectorOperand::General(_) | VectorOperand::Immediate { .. } => {}
        }
    }

    /// The address variable exists and has `end` elements.
    fn address(&mut self, index: usize, slot: &Slot, addr: AddrId, end: u32) {
        match self.kernel.addrs.get(addr.index()) {
            None => {
                let message = format!("A{} is not declared", addr.0);
                self.report(Rule::VariableIndex, Some(index), slot.name, message);
            }
            Some(var) if end > u32::from(var.num_elements) => {
                let message = format!("element {} of A{}, which has {}", end - 1, addr.0, var.num_elements);
                self.report(Rule::OperandBounds, Some(index), slot.name, message);
            }
            Some(_) => {}
        }
    }

    fn writable(&mut self, index: usize, slot: &Slot, var: VarId) {
        use Predefined as P;
        let fixed = matches!(
            var.predefined(),
            Some(
                P::ThreadX
                    | P::ThreadY
                    | P::GroupIdX
                    | P::GroupIdY
                    | P::GroupIdZ
                    | P::HwTid
                    | P::Ce0
                    | P::Color
            )
        );
        if fixed {
            let message = format!("{} is read-only", self.kernel.var_name(var));
            self.report(Rule::ReadOnly, Some(index), slot.name, message);
        }
    }

    fn region(&mut self, index: usize, record: &Record, slot: &Slot, region: Region) {
        if slot.scalar || !plain_region(record.opcode) {
            return;
        }
        let legal = if slot.role == Role::Dst {
            matches!(region.hstride(), Some(1 | 2 | 4))
        } else {
            matches!(region.width(), Some(w @ 1..=16) if u32::from(w) <= record.exec.size.lanes())
                && region.vstride().is_some()
                && matches!(region.hstride(), Some(0 | 1 | 2 | 4))
        };
        if !legal {
            let message = format!("{region} with {} lanes", record.exec.size);
            let none = is_meaningless(record, slot, region);
            let rule = if none { Rule::ControlValue } else { Rule::OperandRegion };
            self.report(rule, Some(index), slot.name, message);
        }
    }

    fn modifier(&mut self, index: usize, record: &Record, slot: &Slot, v: &VectorOperand) {
        let modifier = v.modifier();
        let allowed = match (slot.role, modifier) {
            (_, Modifier::None) => true,
            // Whether the instruction saturates is judged apart.
            (Role::Dst, Modifier::Sat) => matches!(v, VectorOperand::General(_) | VectorOperand::Indirect(_)),
            (Role::Src, Modifier::Not) => record.opcode.is_bitwise(),
            (Role::Src, Modifier::Abs | Modifier::Neg | Modifier::NegAbs) => {
                !record.opcode.is_bitwise() && !slot.scalar
            }
            _ => false,
        };
        if !allowed {
            let message = format!("{modifier} on the {} of {}", slot.name, record.opcode);
            self.report(Rule::OperandModifier, Some(index), slot.name, message);
        }
        let ty = self.kernel.operand_type(v);
        if let Some(ty) = ty.filter(|ty| ty.is_float() && joins_bits(record.opcode, slot)) {
            let message = format!("type {ty}, allowed: integers");
            self.report(Rule::ScalarType, Some(index), slot.name, message);
        } else if let Some(ty) = ty.filter(|ty| !type_allowed(slot, *ty)) {
            let message = format!("type {ty}, allowed: {}", slot.types);
            self.report(Rule::OperandType, Some(index), slot.name, message);
        }
    }
}

/// Registers from a variable's start in which a single element is read though the variable ends before it: 32 channels of four
/// bytes, where registers have 32 (rule `register-tail`).
pub const TAIL_REGISTERS: u32 = 4;

/// Whether the bits of a scalar become some of a header or a descriptor. (Of a float Intel's finalizer makes logic on floats,
/// which the hardware does not have.)
const fn joins_bits(opcode: Opcode, slot: &Slot) -> bool {
    let field = slot.name.as_bytes();
    match opcode {
        Opcode::Sample3d | Opcode::Load3d | Opcode::Gather43d => slot.scalar,
        Opcode::RtWrite3d => field.eq_ignore_ascii_case(b"counter"),
        Opcode::Avs => field.eq_ignore_ascii_case(b"group id"),
        _ => false,
    }
}

/// Whether a region says nothing: several lanes that write one element, or rows of none. Intel's finalizer takes neither.
fn is_meaningless(record: &Record, slot: &Slot, region: Region) -> bool {
    match slot.role {
        Role::Dst => region.hstride() == Some(0) && record.exec.size.lanes() > 1,
        _ => region.width() == Some(0),
    }
}

fn type_allowed(slot: &Slot, ty: Type) -> bool {
    let allowed = match ty {
        // Packed constants are vectors of integers or floats of whatever width the instruction takes.
        Type::V | Type::UV => slot.types.0 & Types::INT.0 != 0,
        Type::VF => slot.types.has(Type::F),
        // Predicates and addresses are allowed by class.
        Type::Bool => true,
        other => slot.types.has(other),
    };
    allowed || slot.scalar
}
