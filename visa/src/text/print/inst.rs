//! Instructions other than messages.

use std::fmt::{self, Write};

use narrow::low_u8;

use super::{Printer, quote};
use crate::{ids::*, inst::Record, op::FenceMask, opcode::Opcode, operand::*, table::Family, types::*};

/// Column that the instruction number stands in.
const NUMBER_COLUMN: usize = 80;

impl Printer<'_> {
    /// One instruction with its line break.
    pub(super) fn line(&mut self, index: usize) -> fmt::Result {
        let record = &self.kernel.code[index];
        let start = self.out.len();
        if record.opcode != Opcode::Label {
            self.out.push_str("    ");
        }
        self.instruction(record)?;
        if !matches!(record.opcode, Opcode::Loc | Opcode::File | Opcode::Label | Opcode::Subroutine) {
            let width = self.out.len() - start;
            for _ in width..NUMBER_COLUMN {
                self.out.push(' ');
            }
            write!(self.out, " /// ${index}")?;
        }
        self.out.push('\n');
        Ok(())
    }

    fn instruction(&mut self, record: &Record) -> fmt::Result {
        let kernel = self.kernel;
        let operands = kernel.operands_of(record);
        if matches!(record.opcode, Opcode::Label | Opcode::Subroutine) {
            return self.label(record, operands[0].label());
        }
        if let Some(pred) = record.pred {
            self.guard(pred)?;
        }
        match record.row() {
            Some(row) if row.family == Family::Alu => return self.alu(record, operands),
            Some(row) if row.family == Family::Message => return self.by_slots(row, record, operands),
            _ => {}
        }
        match record.opcode {
            Opcode::Addc
            | Opcode::Subb
            | Opcode::Invm
            | Opcode::Rsqtm
            | Opcode::Setp
            | Opcode::Movs
            | Opcode::ShflIdx4 => {
                self.out.push_str(record.opcode.name());
                self.exec(record)?;
                self.all(operands)
            }
            Opcode::AddrAdd => self.addr_add(record, operands),
            Opcode::Fminmax => {
                self.out.push_str(if operands[0].num() == 0 { "min" } else { "max" });
                self.sat_exec(record, &operands[1])?;
                self.all(&operands[1..])
            }
            Opcode::Cmp => {
                let relation = low_u8(operands[0].num());
                self.out.push_str(if relation & 0x80 != 0 { "cmpn." } else { "cmp." });
                self.out.push_str(CondMod::from_raw(relation & 7).map_or("", CondMod::name));
                self.exec(record)?;
                self.all(&operands[1..])
            }
            Opcode::Bfn => {
                write!(self.out, "bfn.x{:x}", operands[4].num())?;
                self.sat_exec(record, &operands[0])?;
                self.all(&operands[..4])
            }
            Opcode::Dpas | Opcode::Dpasw => self.dpas(record, operands),
            Opcode::Jmp | Opcode::Goto | Opcode::Call | Opcode::Ret | Opcode::Fret => {
                self.branch(record, operands)
            }
            Opcode::Fcall | Opcode::Ifcall | Opcode::Faddr | Opcode::Switchjmp => {
                self.function_flow(record, operands)
            }
            Opcode::File | Opcode::Loc | Opcode::Lifetime => self.bookkeeping(record, operands),
            Opcode::Sbarrier | Opcode::Nbarrier | Opcode::Wait | Opcode::Fence => self.sync(record, operands),
            Opcode::LscUntyped | Opcode::LscTyped | Opcode::LscFence => self.lsc(record, operands),
            _ => self.message(record, operands),
        }
    }

    fn guard(&mut self, pred: PredOperand) -> fmt::Result {
        let inverse = if pred.inverse { "!" } else { "" };
        write!(self.out, "({inverse}P{}{}) ", pred.id.0, pred.ctrl)
    }

    /// ` (M1, 16)`
    pub(super) fn exec(&mut self, record: &Record) -> fmt::Result {
        self.exec_of(record.exec)
    }

    pub(super) fn exec_of(&mut self, exec: Exec) -> fmt::Result {
        write!(self.out, " ({}, {})", exec.mask.name(), exec.size)
    }

    fn sat_exec(&mut self, record: &Record, dst: &Operand) -> fmt::Result {
        if matches!(dst, Operand::Vector(v) if v.is_saturated()) {
            self.out.push_str(".sat");
        }
        self.exec(record)
    }

    fn alu(&mut self, record: &Record, operands: &[Operand]) -> fmt::Result {
        self.out.push_str(record.opcode.name());
        self.sat_exec(record, &operands[0])?;
        self.all(operands)
    }

    /// Operands in order, each after a space.
    pub(super) fn all(&mut self, operands: &[Operand]) -> fmt::Result {
        for operand in operands {
            self.operand(operand)?;
        }
        Ok(())
    }

    pub(super) fn operand(&mut self, operand: &Operand) -> fmt::Result {
        if *operand == Operand::Absent {
            return Ok(());
        }
        self.out.push(' ');
        match operand {
            Operand::Vector(v) => self.vector(v),
            Operand::Raw(r) => self.raw(*r),
            Operand::Num(n) => write!(self.out, "{n}"),
            Operand::Surface(s) => self.surface(*s),
            Operand::Sampler(s) => write!(self.out, "S{}", s.0),
            Operand::Label(l) => {
                let name = self.kernel.label_name(*l);
                self.out.push_str(&name);
                Ok(())
            }
            Operand::Str(s) => {
                let text = self.kernel.str(*s);
                self.out.push_str(&text);
                Ok(())
            }
            Operand::Absent => Ok(()),
        }
    }

    pub(super) fn raw(&mut self, raw: RawOperand) -> fmt::Result {
        self.var(raw.var)?;
        write!(self.out, ".{}", raw.offset)
    }

    pub(super) fn vector(&mut self, operand: &VectorOperand) -> fmt::Result {
        let modifier = match operand.modifier() {
            Modifier::Sat => Modifier::None,
            modifier => modifier,
        };
        self.out.push_str(modifier.name());
        match *operand {
            VectorOperand::General(g) => {
                self.var(g.var)?;
                write!(self.out, "({},{}){}", g.row, g.col, g.region)
            }
            VectorOperand::Address(a) => write!(self.out, "A{}({})<{}>", a.addr.0, a.offset, a.width),
            VectorOperand::Predicate(p, _) => write!(self.out, "P{}", p.id.0),
            VectorOperand::Indirect(i) => {
                write!(self.out, "r[A{}({}),{}]{}:{}", i.addr.0, i.addr_offset, i.offset, i.region, i.ty)
            }
            VectorOperand::Immediate { ty, bits } => write!(self.out, "{bits:#x}:{ty}"),
            VectorOperand::Surface { surface, offset } => {
                self.surface(surface)?;
                write!(self.out, "({offset})")
            }
            VectorOperand::Sampler { sampler, offset } => write!(self.out, "S{}({offset})", sampler.0),
        }
    }

    /// The base of `addr_add` is an address: `&V32[16]`.
    fn addr_add(&mut self, record: &Record, operands: &[Operand]) -> fmt::Result {
        self.out.push_str("addr_add");
        self.exec(record)?;
        self.operand(&operands[0])?;
        self.out.push(' ');
        match *operands[1].vector() {
            VectorOperand::General(g) => {
                self.out.push_str(g.modifier.name());
                self.out.push('&');
                self.var(g.var)?;
                let size = self.kernel.var_type(g.var).map_or(1, Type::bytes);
                let offset = u32::from(g.row) * self.options.grf_bytes + u32::from(g.col) * size;
                if offset != 0 {
                    write!(self.out, "[{offset}]")?;
                }
            }
            VectorOperand::Surface { surface, offset } => {
                self.out.push('&');
                self.surface(surface)?;
                if offset != 0 {
                    write!(self.out, "[{}]", u32::from(offset) * 4)?;
                }
            }
            VectorOperand::Sampler { sampler, offset } => {
                write!(self.out, "&S{}", sampler.0)?;
                if offset != 0 {
                    write!(self.out, "[{}]", u32::from(offset) * 4)?;
                }
            }
            ref other => self.vector(other)?,
        }
        self.operand(&operands[2])
    }

    /// A label's name as assembly has it. Others may have the same.
    pub(super) fn plain_label(&self, id: LabelId) -> String {
        // Intel replaces `.` and `$`; other characters that no label can have would not be read again.
        let plain = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '-' | '@' | '?') { c } else { '_' };
        let mut name: String = self.full_label(id).chars().map(plain).collect();
        if !name.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '_' | '@' | '?')) {
            name.insert(0, '_');
        }
        name
    }

    fn full_label(&self, id: LabelId) -> String {
        let mut name = self.kernel.label_name(id).into_owned();
        let label = self.kernel.labels.get(id.index());
        if let Some(label) = label.filter(|l| self.options.intel_names && l.kind != LabelKind::FastComposite)
        {
            // Writing to a string cannot fail.
            let _ = write!(name, "_{}", label.name.0);
        }
        name
    }

    /// A subroutine's name: with its label index at the end.
    fn subroutine_name(&self, id: LabelId) -> String {
        let mut name = self.plain_label(id);
        let suffix = format!("_{}", id.0);
        if !name.ends_with(&suffix) {
            name.push_str(&suffix);
        }
        name
    }

    /// A block's name, that no other label has.
    fn block_name(&self, id: LabelId) -> String {
        self.plain_label(id) + &self.labels.behind(id)
    }

    fn label(&mut self, record: &Record, id: LabelId) -> fmt::Result {
        self.out.push('\n');
        if record.opcode == Opcode::Label {
            let name = self.block_name(id);
            return write!(self.out, "{name}:");
        }
        let plain = self.plain_label(id);
        let name = self.subroutine_name(id);
        self.out.push_str("\n.function ");
        quote(self.out, name.as_bytes());
        let original = self.full_label(id);
        if plain != original {
            self.out.push_str(" /// Original Name: ");
            quote(self.out, original.as_bytes());
        }
        write!(self.out, "\n{name}:")
    }

    fn branch(&mut self, record: &Record, operands: &[Operand]) -> fmt::Result {
        if record.opcode != Opcode::Call {
            self.out.push_str(record.opcode.name());
            self.exec(record)?;
            if let Some(target) = operands.first() {
                let name = self.block_name(target.label());
                write!(self.out, " {name}")?;
            }
            return Ok(());
        }
        let target = operands[0].label();
        let kind = self.kernel.labels.get(target.index()).map(|l| l.kind);
        self.out.push_str(if kind == Some(LabelKind::FastComposite) { "fccall" } else { "call" });
        self.exec(record)?;
        let name = self.subroutine_name(target);
        write!(self.out, " {name}")
    }

    fn function_flow(&mut self, record: &Record, operands: &[Operand]) -> fmt::Result {
        self.out.push_str(record.opcode.name());
        match record.opcode {
            Opcode::Fcall => {
                self.exec(record)?;
                let name = self.kernel.str(operands[0].str()).replace(['.', '$'], "_");
                self.out.push(' ');
                self.ident_or_string(&name);
                write!(self.out, " {} {}", operands[1].num(), operands[2].num())
            }
            Opcode::Ifcall => {
                let flags = operands[0].num();
                self.out.push_str(if flags & 1 != 0 { ".uniform" } else { "" });
                self.out.push_str(if flags & 2 != 0 { ".noreturn" } else { "" });
                self.exec(record)?;
                self.all(&operands[1..])
            }
            Opcode::Faddr => {
                self.out.push(' ');
                let symbol = self.kernel.str(operands[0].str()).into_owned();
                self.ident_or_string(&symbol);
                self.operand(&operands[1])
            }
            _ => {
                self.exec(record)?;
                self.operand(&operands[0])?;
                self.out.push_str(" (");
                for (i, target) in operands[1..].iter().enumerate() {
                    if i > 0 {
                        self.out.push_str(", ");
                    }
                    let name = self.block_name(target.label());
                    self.out.push_str(&name);
                }
                self.out.push(')');
                Ok(())
            }
        }
    }

    fn ident_or_string(&mut self, name: &str) {
        let is_first = |c: char| c.is_ascii_alphabetic() || c == '_';
        if name.starts_with(is_first) && name.chars().all(|c| is_first(c) || c.is_ascii_digit()) {
            self.out.push_str(name);
        } else {
            quote(self.out, name.as_bytes());
        }
    }

    fn bookkeeping(&mut self, record: &Record, operands: &[Operand]) -> fmt::Result {
        match record.opcode {
            Opcode::File => {
                self.out.push_str("FILE ");
                let kernel = self.kernel;
                quote(self.out, kernel.strings.get(operands[0].str()).unwrap_or_default());
                Ok(())
            }
            Opcode::Loc => write!(self.out, "LOC {}", operands[0].num()),
            _ => {
                let (properties, id) = (operands[0].num(), operands[1].num());
                self.out.push_str(if properties & 1 == 0 { "lifetime.start " } else { "lifetime.end " });
                match properties >> 4 & 3 {
                    0 => self.var(VarId(id)),
                    1 => write!(self.out, "A{id}"),
                    _ => write!(self.out, "P{id}"),
                }
            }
        }
    }

    fn sync(&mut self, record: &Record, operands: &[Operand]) -> fmt::Result {
        if record.opcode == Opcode::Fence {
            let mask = FenceMask::from_bits(low_u8(operands[0].num()));
            if mask.software() {
                self.out.push_str("fence_sw");
                return Ok(());
            }
            self.out.push_str(if mask.local() { "fence_local" } else { "fence_global" });
            if mask != FenceMask::new() {
                self.out.push('.');
            }
            for (letters, flag) in FenceMask::FLAGS {
                if mask.into_bits() & flag.into_bits() != 0 {
                    self.out.push_str(letters);
                }
            }
            return Ok(());
        }
        self.out.push_str(record.opcode.name());
        match record.opcode {
            Opcode::Wait => self.operand(&operands[0]),
            Opcode::Sbarrier => {
                self.out.push_str(if operands[0].num() != 0 { ".signal" } else { ".wait" });
                Ok(())
            }
            _ => match operands[0].num() {
                0 => {
                    self.out.push_str(".wait");
                    self.operand(&operands[1])
                }
                mode => {
                    self.out.push_str(".signal");
                    self.operand(&operands[1])?;
                    if mode == 1 { self.operand(&operands[3]) } else { self.all(&operands[2..]) }
                }
            },
        }
    }

    fn dpas(&mut self, record: &Record, operands: &[Operand]) -> fmt::Result {
        let info = operands[4].num();
        let precision = |raw: u32| crate::op::Precision::from_raw(low_u8(raw)).map_or("?", |p| p.name());
        write!(
            self.out,
            "{}.{}.{}.{}.{}",
            record.opcode,
            precision(info),
            precision(info >> 8),
            info >> 16 & 255,
            info >> 24
        )?;
        self.exec(record)?;
        self.all(&operands[..3])?;
        self.out.push(' ');
        if let VectorOperand::General(g) = operands[3].vector() {
            self.var(g.var)?;
            return write!(self.out, "({},{})", g.row, g.col);
        }
        self.vector(operands[3].vector())
    }
}
