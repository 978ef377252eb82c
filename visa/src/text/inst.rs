//! Instructions: dispatch by mnemonic, the table-driven ones, and short forms.

use super::{
    lexer::Tok,
    parser::{Parsed, Parser},
};
use crate::{
    Access,
    inst::BadOperands,
    lsc::LscOp,
    near::suggestion,
    opcode::Opcode,
    operand::*,
    table::{self, Enc, Family},
    types::{CondMod, Exec, Modifier, Type},
};

/// Mnemonics that are no opcode's name.
const OTHERS: [&str; 7] = ["min", "max", "cmpn", "bfn", "fence_global", "fence_local", "sample_lz"];

/// What stands before the operands: guard, line.
#[derive(Clone, Copy)]
pub(super) struct Head {
    pub(super) pred: Option<PredOperand>,
    pub(super) place: u32,
}

impl<'s> Parser<'s> {
    pub(super) fn instruction(&mut self) -> Parsed<()> {
        self.k()?;
        let place = self.line();
        let guard_at = self.token().at();
        let pred = self.guard()?;
        let guard_end = self.token().at();
        let head = Head { pred, place };
        let start = self.token();
        let name = self.expect(Tok::Ident, "an instruction")?;
        let known = self.by_name(name, head)?;
        if !known {
            let span = start.range();
            let names = Opcode::ALL.iter().map(|o| o.name()).chain(LscOp::ALL.iter().map(|o| o.name()));
            let known = names.chain(table::messages().map(|row| row.name)).chain(OTHERS);
            let hint = suggestion(name, known).map_or(String::new(), |k| format!("; did you mean `{k}`?"));
            return self.fail_at(span, format!("`{name}` is no instruction{hint}"));
        }
        if pred.is_some() {
            // The row of what was just appended says whether it can be guarded.
            let row = self.k()?.code.last().and_then(crate::Record::row);
            if row.is_some_and(|r| r.opcode == Opcode::Fminmax) {
                // The object has no room for it, and Intel's finalizer takes the text without it.
                self.k()?.code.last_mut().into_iter().for_each(|last| last.pred = None);
            } else if row.is_some_and(|r| !r.has_pred()) {
                return self.fail_at(guard_at..guard_end, format!("`{name}` cannot have a predicate"));
            }
        }
        Ok(())
    }

    /// Reads the instruction called `name`; `false` if there is none.
    fn by_name(&mut self, name: &str, head: Head) -> Parsed<bool> {
        let opcode = Opcode::from_name(name).filter(|o| !is_dotted(*o, self));
        match opcode.map_or_else(|| table::message_by_sub(name), |o| table::lookup(o, 0)) {
            Some(row) if row.family == Family::Alu => return self.alu(row, head).map(|()| true),
            Some(row) if row.family == Family::Message => return self.by_slots(row, head).map(|()| true),
            _ => {}
        }
        let done = match name {
            "add3" => {
                self.at += 2;
                self.alu_of(Opcode::Add3o, head)
            }
            "addc" | "subb" | "setp" | "movs" | "addr_add" | "invm" | "rsqtm" | "shfl_idx4" => {
                self.plain(name, head)
            }
            "min" | "max" => self.min_max(name == "max", head),
            "bfn" => self.bfn(head),
            "cmp" | "cmpn" => self.cmp(name == "cmpn", head),
            "dpas" | "dpasw" => self.dpas(name == "dpasw", head),

            "jmp" | "goto" | "call" | "fccall" | "ret" | "fret" | "fcall" | "ifcall" | "faddr"
            | "switchjmp" => self.flow(name, head),
            "sbarrier" | "nbarrier" | "wait" | "fence_global" | "fence_local" | "fence_sw" => {
                self.sync(name, head)
            }
            "FILE" | "file" | "LOC" | "loc" | "lifetime" => self.bookkeeping(name, head),
            "raw_send" | "raw_sendc" => self.raw_send(name == "raw_sendc", head),
            "raw_sends" | "raw_sendsc" | "raw_sends_eot" | "raw_sendsc_eot" => self.raw_sends(name, head),
            "raw_sendg" | "raw_sendgc" | "raw_sendg_eot" | "raw_sendgc_eot" => self.raw_sendg(name, head),

            "oword_ld" | "oword_st" | "oword_ld_unaligned" => self.oword(name, head),
            "media_ld" | "media_st" => self.media(name, head),
            "gather" => self.gather(Access::Load, head),
            "scatter" => self.gather(Access::Store, head),
            "vme_ime" => self.vme_ime(head),
            "vme_fbr" => self.vme_fbr(head),

            "lsc_fence" => self.lsc_fence(head),
            _ if name.starts_with("lsc_") => match LscOp::from_name(name) {
                Some(op) => self.lsc(op, head),
                None => return Ok(false),
            },
            "load" | "sample" if self.peek() != Tok::Plus => self.sample_legacy(name, head),
            "sample_unorm" => self.sample_unorm(head),
            "avs" => self.avs(head),
            "va" | "va_skl_plus" => self.va(name, head),
            "rt_write_3d" => self.render_target(Opcode::RtWrite3d, head),
            "rt_read" => self.render_target(Opcode::RtRead, head),
            "urb_write_3d" => self.urb_write(head),
            _ => return self.sampler_op(name, head),
        };
        done.map(|()| true)
    }

    /// Appends an instruction.
    pub(super) fn push_inst(
        &mut self,
        opcode: Opcode,
        sub: u8,
        exec: Exec,
        pred: Option<PredOperand>,
        operands: &[Operand],
        place: u32,
    ) -> Parsed<()> {
        match self.k()?.push_at(opcode, sub, exec, pred, operands, place) {
            Ok(()) => Ok(()),
            Err(error @ BadOperands { .. }) => self.fail(error.to_string()),
        }
    }

    pub(super) fn emit(
        &mut self,
        opcode: Opcode,
        exec: Exec,
        head: Head,
        operands: &[Operand],
    ) -> Parsed<()> {
        self.push_inst(opcode, 0, exec, head.pred, operands, head.place)
    }

    pub(super) fn emit_sub(
        &mut self,
        opcode: Opcode,
        sub: u8,
        exec: Exec,
        head: Head,
        operands: &[Operand],
    ) -> Parsed<()> {
        self.push_inst(opcode, sub, exec, head.pred, operands, head.place)
    }

    fn alu_of(&mut self, opcode: Opcode, head: Head) -> Parsed<()> {
        match table::lookup(opcode, 0) {
            Some(row) => self.alu(row, head),
            None => self.fail("no such instruction"),
        }
    }

    /// `add.sat (M1, 8) dst src src`, driven by the row.
    fn alu(&mut self, row: &'static table::Row, head: Head) -> Parsed<()> {
        let sat = self.eat_dot_word("sat");
        let exec = self.exec()?;
        let mut operands = [Operand::Absent; 6];
        let mut count = 0;
        for slot in row.operand_slots() {
            operands[count] = Operand::Vector(self.vector(slot)?);
            count += 1;
        }
        self.saturate(&mut operands[0], sat)?;
        self.emit(row.opcode, exec, head, &operands[..count])
    }

    /// Marks a destination as saturating.
    fn saturate(&mut self, dst: &mut Operand, sat: bool) -> Parsed<()> {
        if !sat {
            return Ok(());
        }
        match dst {
            Operand::Vector(VectorOperand::General(g)) => g.modifier = Modifier::Sat,
            Operand::Vector(VectorOperand::Indirect(i)) => i.modifier = Modifier::Sat,
            // The grammar lets bits saturate, which changes none.
            Operand::Vector(VectorOperand::Predicate(..)) => {}
            _ => return self.fail("only a general or indirect destination can saturate"),
        }
        Ok(())
    }

    /// Instructions without suffixes whose operands stand in table order.
    fn plain(&mut self, name: &str, head: Head) -> Parsed<()> {
        let Some(row) = Opcode::from_name(name).and_then(|o| table::lookup(o, 0)) else {
            return self.fail("no such instruction");
        };
        let exec = self.exec()?;
        let mut operands = [Operand::Absent; 6];
        let mut count = 0;
        for slot in row.operand_slots() {
            operands[count] = match slot.enc {
                Enc::Vector => Operand::Vector(self.vector(slot)?),
                _ => Operand::Raw(self.raw()?),
            };
            count += 1;
        }
        self.emit(row.opcode, exec, head, &operands[..count])
    }

    /// The vector operands of `row` from operand slot `from` on, into `operands`.
    fn vectors(&mut self, opcode: Opcode, from: usize, operands: &mut [Operand]) -> Parsed<()> {
        let Some(row) = table::lookup(opcode, 0) else { return self.fail("no such instruction") };
        for (operand, slot) in operands.iter_mut().zip(row.operand_slots().skip(from)) {
            *operand = Operand::Vector(self.vector(slot)?);
        }
        Ok(())
    }

    fn min_max(&mut self, max: bool, head: Head) -> Parsed<()> {
        let sat = self.eat_dot_word("sat");
        let exec = self.exec()?;
        let mut operands = [Operand::Num(max.into()); 4];
        self.vectors(Opcode::Fminmax, 1, &mut operands[1..])?;
        self.saturate(&mut operands[1], sat)?;
        self.emit(Opcode::Fminmax, exec, head, &operands)
    }

    /// `bfn.xE2 (M1, 16) dst src src src`
    fn bfn(&mut self, head: Head) -> Parsed<()> {
        let word = self.dot_word().unwrap_or_default();
        let function = word.strip_prefix('x').and_then(|h| u8::from_str_radix(h, 16).ok());
        let Some(function) = function else {
            return self.fail("expected a truth table such as `.xE2` after `bfn`");
        };
        let sat = self.eat_dot_word("sat");
        let exec = self.exec()?;
        let mut operands = [Operand::Num(function.into()); 5];
        self.vectors(Opcode::Bfn, 0, &mut operands[..4])?;
        self.saturate(&mut operands[0], sat)?;
        self.emit(Opcode::Bfn, exec, head, &operands)
    }

    fn cmp(&mut self, nan_variant: bool, head: Head) -> Parsed<()> {
        let word = self.dot_word();
        let cond = word.and_then(|w| CondMod::from_name(&w.to_ascii_lowercase()));
        let Some(cond) = cond else {
            self.at -= usize::from(word.is_some());
            return self.fail("expected `.eq`, `.ne`, `.gt`, `.ge`, `.lt` or `.le` after `cmp`");
        };
        let exec = self.exec()?;
        let mut operands = [Operand::Num(u32::from(cond.raw()) | u32::from(nan_variant) << 7); 4];
        self.vectors(Opcode::Cmp, 1, &mut operands[1..])?;
        self.emit(Opcode::Cmp, exec, head, &operands)
    }

    /// `dpas.s8.u8.8.4 (M1, 16) dst src0 src1 src2(0,0)`
    fn dpas(&mut self, wide: bool, head: Head) -> Parsed<()> {
        let mut info = 0;
        for shift in [0, 8] {
            let word = self.dot_word().unwrap_or_default().to_ascii_lowercase();
            match crate::op::Precision::from_name(&word) {
                Some(precision) => info |= u32::from(precision.raw()) << shift,
                None => return self.fail("expected a precision such as `.s8`"),
            }
        }
        for (shift, what) in [(16, "the depth"), (24, "the repeat count")] {
            self.expect(Tok::Dot, "`.`")?;
            info |= self.int_in::<u32>(1..=8, what)? << shift;
        }
        let exec = self.exec()?;
        let (dst, src0, src1) = (self.raw()?, self.raw()?, self.raw()?);
        let var = self.general_name()?;
        let (row, col) = self.pair("the row", "the column")?;
        let region = crate::types::Region::src(1, 1, 0);
        let src2 = GeneralOperand { var, row, col, region, modifier: Modifier::None };
        let opcode = if wide { Opcode::Dpasw } else { Opcode::Dpas };
        let operands = [
            Operand::Raw(dst),
            Operand::Raw(src0),
            Operand::Raw(src1),
            Operand::Vector(VectorOperand::General(src2)),
            Operand::Num(info),
        ];
        self.emit(opcode, exec, head, &operands)
    }

    /// A source vector operand as a stored operand.
    pub(super) fn src_operand(&mut self) -> Parsed<Operand> {
        Ok(Operand::Vector(self.src()?))
    }

    /// A raw operand as a stored operand.
    pub(super) fn raw_operand(&mut self) -> Parsed<Operand> {
        Ok(Operand::Raw(self.raw()?))
    }

    /// A surface as a stored operand.
    pub(super) fn surface_operand(&mut self) -> Parsed<Operand> {
        self.indexed(|p| Ok(Operand::Surface(p.surface()?)))
    }

    /// A sampler as a stored operand.
    pub(super) fn sampler_operand(&mut self) -> Parsed<Operand> {
        self.indexed(|p| Ok(Operand::Sampler(p.sampler()?)))
    }

    /// A state variable, or in newer text `(T6, 0)`: the variable and an index that no platform here can add.
    fn indexed(&mut self, variable: impl Fn(&mut Self) -> Parsed<Operand>) -> Parsed<Operand> {
        if !self.eat(Tok::LParen) {
            return variable(self);
        }
        let operand = variable(self)?;
        self.expect(Tok::Comma, "`,` and the index")?;
        let _: i64 = self.int_in(0..=0, "the index")?;
        self.expect(Tok::RParen, "`)`")?;
        Ok(operand)
    }

    /// A small number as a stored operand.
    pub(super) fn byte_operand(&mut self, what: &str) -> Parsed<Operand> {
        Ok(Operand::Num(self.int_in(0..=255, what)?))
    }

    /// A zero constant, where an operand is not written.
    pub(super) const fn zero_operand() -> Operand {
        Operand::Vector(VectorOperand::Immediate { ty: Type::UD, bits: 0 })
    }
}

/// `add3.o` is not `add3`.
fn is_dotted(opcode: Opcode, p: &Parser<'_>) -> bool {
    opcode == Opcode::Add3 && p.peek() == Tok::Dot && p.slice_at(1) == "o" && p.glued(1)
}
