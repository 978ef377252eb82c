//! Control flow, synchronization, sends, bookkeeping.

use narrow::low_u32;

use super::{
    inst::Head,
    lexer::Tok,
    parser::{Parsed, Parser},
};
use crate::{
    ids::*,
    op::FenceMask,
    opcode::Opcode,
    operand::Operand,
    types::{Exec, LabelKind},
};

impl<'s> Parser<'s> {
    pub(super) fn flow(&mut self, name: &str, head: Head) -> Parsed<()> {
        match name {
            "ret" | "fret" => {
                let exec = self.exec()?;
                self.emit(if name == "ret" { Opcode::Ret } else { Opcode::Fret }, exec, head, &[])
            }
            "jmp" | "goto" => {
                let exec = self.exec()?;
                let label = self.block_name()?;
                let opcode = if name == "jmp" { Opcode::Jmp } else { Opcode::Goto };
                self.emit(opcode, exec, head, &[Operand::Label(label)])
            }
            "call" | "fccall" => {
                let exec = self.exec()?;
                let target = self.string_or_ident()?;
                let target = String::from_utf8_lossy(&target).into_owned();
                let kind = if name == "fccall" { LabelKind::FastComposite } else { LabelKind::Subroutine };
                let label = self.subroutine(&target, kind)?;
                self.emit(Opcode::Call, exec, head, &[Operand::Label(label)])
            }
            "fcall" => {
                let exec = self.exec()?;
                let function = self.string_or_ident()?;
                let function = Operand::Str(self.intern(&function));
                let operands = [
                    function,
                    self.byte_operand("the argument size")?,
                    self.byte_operand("the return size")?,
                ];
                self.emit(Opcode::Fcall, exec, head, &operands)
            }
            "ifcall" => {
                let uniform = u32::from(self.eat_dot_word("uniform"));
                let no_return = u32::from(self.eat_dot_word("noreturn"));
                let exec = self.exec()?;
                let operands = [
                    Operand::Num(uniform | no_return << 1),
                    self.src_operand()?,
                    self.byte_operand("the argument size")?,
                    self.byte_operand("the return size")?,
                ];
                self.emit(Opcode::Ifcall, exec, head, &operands)
            }
            "faddr" => {
                let symbol = self.string_or_ident()?;
                let symbol = Operand::Str(self.intern(&symbol));
                let dst = Operand::Vector(self.dst()?);
                self.emit(Opcode::Faddr, Exec::SCALAR, head, &[symbol, dst])
            }
            _ => self.switch(head),
        }
    }

    fn block_name(&mut self) -> Parsed<LabelId> {
        if self.peek() == Tok::Str {
            // A quoted label; it has the same name as the bare one.
            let text = self.slice();
            self.at += 1;
            return self.block(&text[1..text.len() - 1]);
        }
        let name = self.raw_word(b"(),");
        if name.is_empty() {
            return self.expected("a label");
        }
        self.block(name)
    }

    /// `switchjmp (M1, 1) index (a, b, c)`
    fn switch(&mut self, head: Head) -> Parsed<()> {
        let exec = self.exec()?;
        let mut operands = vec![self.src_operand()?];
        self.expect(Tok::LParen, "`(`")?;
        // Intel's grammar has commas between labels wherever it likes.
        while !self.eat(Tok::RParen) {
            if !self.eat(Tok::Comma) {
                operands.push(Operand::Label(self.block_name()?));
            }
        }
        if operands.len() > 33 {
            return self.fail("a switchjmp has at most 32 labels");
        }
        self.emit(Opcode::Switchjmp, exec, head, &operands)
    }

    pub(super) fn sync(&mut self, name: &str, head: Head) -> Parsed<()> {
        let signal = matches!(name, "sbarrier" | "nbarrier") && self.signal_or_wait()?;
        match name {
            "wait" => {
                let mask = self.src_operand()?;
                self.emit(Opcode::Wait, Exec::SCALAR, head, &[mask])
            }
            "sbarrier" => self.emit(Opcode::Sbarrier, Exec::SCALAR, head, &[Operand::Num(signal.into())]),
            "nbarrier" => self.nbarrier(signal, head),
            _ => {
                let mask = match name {
                    "fence_global" => self.fence_flags()?,
                    "fence_local" => self.fence_flags()?.with_local(true),
                    _ => FenceMask::new().with_software(true),
                };
                self.emit(Opcode::Fence, Exec::SCALAR, head, &[Operand::Num(mask.into_bits().into())])
            }
        }
    }

    fn signal_or_wait(&mut self) -> Parsed<bool> {
        if self.eat_dot_word("signal") {
            Ok(true)
        } else if self.eat_dot_word("wait") {
            Ok(false)
        } else {
            self.expected("`.signal` or `.wait`")
        }
    }

    /// `nbarrier.wait id`, `nbarrier.signal id threads`, `nbarrier.signal id type producers consumers`
    fn nbarrier(&mut self, signal: bool, head: Head) -> Parsed<()> {
        let id = self.src_operand()?;
        let zero = Self::zero_operand();
        let operands = if signal {
            let first = self.src_operand()?;
            if matches!(self.peek(), Tok::Newline | Tok::RBrace) {
                [Operand::Num(1), id, zero, first, first]
            } else {
                [Operand::Num(2), id, first, self.src_operand()?, self.src_operand()?]
            }
        } else {
            [Operand::Num(0), id, zero, zero, zero]
        };
        self.emit(Opcode::Nbarrier, Exec::SCALAR, head, &operands)
    }

    /// `.EISCRL1` in this order, any of them; the dot may stand alone.
    fn fence_flags(&mut self) -> Parsed<FenceMask> {
        if !self.eat(Tok::Dot) {
            return Ok(FenceMask::new());
        }
        if self.peek() != Tok::Ident || !self.glued(0) {
            return Ok(FenceMask::new());
        }
        let word = self.slice();
        let mut rest = word;
        let mut flags = 0;
        for (letters, flag) in FenceMask::FLAGS {
            if let Some(tail) = rest.strip_prefix(letters) {
                flags |= flag.into_bits();
                rest = tail;
            }
        }
        if !rest.is_empty() {
            return self.expected("fence flags out of E, I, S, C, R, L1, in this order");
        }
        self.at += 1;
        Ok(FenceMask::from_bits(flags))
    }

    pub(super) fn bookkeeping(&mut self, name: &str, head: Head) -> Parsed<()> {
        match name {
            "FILE" | "file" => {
                let file = self.string()?;
                let file = Operand::Str(self.intern(&file));
                self.emit(Opcode::File, Exec::SCALAR, head, &[file])
            }
            "LOC" | "loc" => {
                let line = self.int_in(0..=u32::MAX.into(), "the line")?;
                self.emit(Opcode::Loc, Exec::SCALAR, head, &[Operand::Num(line)])
            }
            _ => self.lifetime(head),
        }
    }

    /// `lifetime.start V32`
    fn lifetime(&mut self, head: Head) -> Parsed<()> {
        use super::symbols::Symbol;
        let end = match self.dot_word() {
            Some("start") => 0,
            Some("end") => 1,
            _ => return self.expected("`.start` or `.end`"),
        };
        let (class, id) = match self.symbol()? {
            Symbol::General(v) => (0, v.0),
            Symbol::Address(a) => (1, a.0.into()),
            Symbol::Predicate(p) => (2, p.0),
            _ => {
                self.at -= 1;
                return self.expected("a general, address or predicate variable");
            }
        };
        self.emit(Opcode::Lifetime, Exec::SCALAR, head, &[Operand::Num(class << 4 | end), Operand::Num(id)])
    }

    /// `raw_send (M1, 8) 0xc 1 4 desc src dst`
    pub(super) fn raw_send(&mut self, conditional: bool, head: Head) -> Parsed<()> {
        let exec = self.exec()?;
        let operands = [
            Operand::Num(conditional.into()),
            Operand::Num(self.int_in(0..=u32::MAX.into(), "the extended descriptor")?),
            self.byte_operand("the source length")?,
            self.byte_operand("the destination length")?,
            self.src_operand()?,
            self.raw_operand()?,
            self.raw_operand()?,
        ];
        self.emit(Opcode::RawSend, exec, head, &operands)
    }

    /// `raw_sends.12.1.4.0 (M1, 8) exdesc desc src0 src1 dst`; the shared function may be missing. Of a message that
    /// ends the thread, today's compilers write `raw_sends_eot.3.1.0.0`, IGC 1.0.12504 `raw_sends.3.eot.1.0.0`.
    pub(super) fn raw_sends(&mut self, name: &str, head: Head) -> Parsed<()> {
        let mut eot = name.ends_with("_eot");
        let mut numbers = Vec::new();
        while self.peek() == Tok::Dot && numbers.len() < 4 {
            self.at += 1;
            if numbers.len() == 1 && self.peek() == Tok::Ident && self.slice() == "eot" {
                self.at += 1;
                eot = true;
                continue;
            }
            numbers.push(self.int_in(0..=255, "a length")?);
        }
        let modifier = u32::from(name.starts_with("raw_sendsc")) | u32::from(eot) << 1;
        let [sfid, src0, src1, dst] = match numbers[..] {
            [src0, src1, dst] => [0, src0, src1, dst],
            [sfid, src0, src1, dst] => [sfid, src0, src1, dst],
            _ => return self.fail("expected three or four numbers such as `.12.1.4.0`"),
        };
        let exec = self.exec()?;
        let operands = [
            Operand::Num(modifier),
            Operand::Num(src0),
            Operand::Num(src1),
            Operand::Num(dst),
            Operand::Num(sfid),
            self.src_operand()?,
            self.src_operand()?,
            self.raw_operand()?,
            self.raw_operand()?,
            self.raw_operand()?,
        ];
        self.emit(Opcode::RawSends, exec, head, &operands)
    }

    /// `raw_sendg.0xF (M1, 16) dst/64 src0/64 src1/64 ind0 ind1 0x1234`
    pub(super) fn raw_sendg(&mut self, name: &str, head: Head) -> Parsed<()> {
        let modifier = u32::from(name.starts_with("raw_sendgc")) | u32::from(name.ends_with("_eot")) << 1;
        self.expect(Tok::Dot, "`.` and the shared function")?;
        let sfid = match self.peek() {
            Tok::Ident => {
                let names = [
                    ("null", 0),
                    ("smpl", 2),
                    ("gtwy", 3),
                    ("rc", 5),
                    ("urb", 6),
                    ("btd", 7),
                    ("rta", 8),
                    ("tgm", 13),
                    ("slm", 14),
                    ("ugm", 15),
                ];
                match names.iter().find(|n| n.0 == self.slice()) {
                    Some(found) => {
                        self.at += 1;
                        found.1
                    }
                    None => return self.expected("a shared function"),
                }
            }
            _ => low_u32(self.primary()?) & 15,
        };
        let exec = self.exec()?;
        let mut operands = vec![Operand::Num(modifier), Operand::Num(sfid)];
        for _ in 0..3 {
            operands.push(self.raw_operand()?);
            self.expect(Tok::Slash, "`/` and the length in bytes")?;
            operands.push(Operand::Num(low_u32(self.primary()?)));
        }
        for _ in 0..2 {
            operands.push(match self.peek() {
                Tok::Builtin if self.slice() == "%null" => self.null_vector()?,
                _ => self.src_operand()?,
            });
        }
        let desc = (self.primary()?).cast_unsigned();
        operands.push(Operand::Num(low_u32(desc)));
        operands.push(Operand::Num(low_u32(desc >> 32)));
        self.emit(Opcode::RawSendg, exec, head, &operands)
    }

    /// `%null` with or without offset and region.
    fn null_vector(&mut self) -> Parsed<Operand> {
        if self.peek_at(1) == Tok::LParen {
            return self.src_operand();
        }
        self.at += 1;
        Ok(Self::zero_operand())
    }

    /// `vme_ime(0,1) T6 ...`
    pub(super) fn vme_ime(&mut self, head: Head) -> Parsed<()> {
        let (stream, search) = self.pair("the stream mode", "the search control")?;
        let surface = self.surface_operand()?;
        let mut operands = vec![Operand::Num(stream.into()), Operand::Num(search.into())];
        operands.extend([self.raw_operand()?, self.raw_operand()?, surface]);
        for _ in 0..4 {
            operands.push(self.raw_operand()?);
        }
        self.emit(Opcode::VmeIme, Exec::SCALAR, head, &operands)
    }

    /// `vme_fbr (a,b,c) T6 ...`
    pub(super) fn vme_fbr(&mut self, head: Head) -> Parsed<()> {
        self.expect(Tok::LParen, "`(`")?;
        let mode = self.src_operand()?;
        self.expect(Tok::Comma, "`,`")?;
        let shape = self.src_operand()?;
        self.expect(Tok::Comma, "`,`")?;
        let prediction = self.src_operand()?;
        self.expect(Tok::RParen, "`)`")?;
        let surface = self.surface_operand()?;
        let inputs = [self.raw_operand()?, self.raw_operand()?];
        let operands = [inputs[0], inputs[1], surface, mode, shape, prediction, self.raw_operand()?];
        self.emit(Opcode::VmeFbr, Exec::SCALAR, head, &operands)
    }
}
