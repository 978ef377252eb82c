//! Data port and SVM instructions.

use narrow::to_index;

use super::{
    inst::Head,
    lexer::Tok,
    parser::{Parsed, Parser},
};
use crate::{
    Access,
    op::MediaModifier,
    opcode::Opcode,
    operand::Operand,
    table::{Enc, Row, Slot, Text},
    types::{AtomicOp, ChannelMask, EMask, Exec, ExecSize},
};

/// Bytes of a block by their code; the last has no meaning.
pub(super) const BLOCK_BYTES: [u32; 4] = [1, 4, 8, 8];

impl<'s> Parser<'s> {
    fn opcode_of(&mut self, name: &str) -> Parsed<Opcode> {
        match Opcode::from_name(name) {
            Some(opcode) => Ok(opcode),
            None => self.fail(format!("`{name}` is no instruction")),
        }
    }

    /// `(4)` as the code of a power of two up to `max`; a mask in front, `(M1, 4)`, says nothing about a block.
    fn power_in_parens(&mut self, max: i64, what: &str) -> Parsed<u32> {
        self.expect(Tok::LParen, "`(`")?;
        if EMask::from_name(self.slice()).is_some() {
            self.at += 1;
            self.expect(Tok::Comma, "`,`")?;
        }
        let code = self.power(max, what)?;
        self.expect(Tok::RParen, "`)`")?;
        Ok(code)
    }

    fn power(&mut self, max: i64, what: &str) -> Parsed<u32> {
        let start = self.token().at();
        let value = self.primary()?;
        let value: u32 = self.in_range(start, value, 1..=max, what)?;
        if value.count_ones() != 1 {
            self.at -= 1;
            return self.fail(format!("{what} is {value}, expected a power of two"));
        }
        Ok(value.trailing_zeros())
    }

    /// `.RGBA`
    pub(super) fn channels(&mut self) -> Parsed<ChannelMask> {
        match self.dot_word().and_then(ChannelMask::from_name) {
            Some(mask) if mask.0 != 0 => Ok(mask),
            _ => self.fail("expected channels such as `.RGBA`"),
        }
    }

    /// `oword_ld.mod (4) T6 offset data`
    pub(super) fn oword(&mut self, name: &str, head: Head) -> Parsed<()> {
        let opcode = self.opcode_of(name)?;
        let modified = self.eat_dot_word("mod");
        let size = Operand::Num(self.power_in_parens(16, "the number of owords")?);
        let (surface, offset, data) = (self.surface_operand()?, self.src_operand()?, self.raw_operand()?);
        if opcode == Opcode::OwordSt {
            self.emit(opcode, Exec::SCALAR, head, &[size, surface, offset, data])
        } else {
            let modifier = Operand::Num(modified.into());
            self.emit(opcode, Exec::SCALAR, head, &[size, modifier, surface, offset, data])
        }
    }

    /// `media_ld.nomod (32,8) T6 0 x y data`; the plane may be missing.
    pub(super) fn media(&mut self, name: &str, head: Head) -> Parsed<()> {
        let opcode = self.opcode_of(name)?;
        let word = self.dot_word().unwrap_or_default();
        let Some(modifier) = MediaModifier::from_name(word) else {
            let words: Vec<_> = MediaModifier::ALL.iter().map(|modifier| modifier.name()).collect();
            return self.fail(format!("expected one of .{}", words.join(", .")));
        };
        let (width, height) = self.pair("the width", "the height")?;
        let surface = self.surface_operand()?;
        let plain = matches!(self.peek(), Tok::Int | Tok::Hex) && self.peek_at(1) != Tok::Colon;
        let plane = if plain { self.plain_int_in(0..=255, "the plane")? } else { 0 };
        let operands = [
            Operand::Num(modifier.raw().into()),
            surface,
            Operand::Num(plane),
            Operand::Num(width.into()),
            Operand::Num(height.into()),
            self.src_operand()?,
            self.src_operand()?,
            self.raw_operand()?,
        ];
        self.emit(opcode, Exec::SCALAR, head, &operands)
    }

    /// A message whose text its row says: `gather4_scaled.RG (M1, 16) T6 global offsets data`.
    pub(super) fn by_slots(&mut self, row: &'static Row, head: Head) -> Parsed<()> {
        let mut operands = [Operand::Absent; 16];
        let mut count = 0;
        for (operand, slot) in operands.iter_mut().zip(row.operand_slots()) {
            if !slot.text.is_operand() {
                *operand = Operand::Num(self.behind_name(slot)?);
            }
            count += 1;
        }
        let exec = if row.has_exec() { self.exec()? } else { Exec::SCALAR };
        for text in [Text::First, Text::Operand] {
            for (operand, slot) in
                operands.iter_mut().zip(row.operand_slots()).filter(|(_, s)| s.text == text)
            {
                *operand = match slot.enc {
                    Enc::Vector => self.src_operand()?,
                    Enc::Surface => self.surface_operand()?,
                    Enc::Sampler => self.sampler_operand()?,
                    Enc::Raw => self.raw_operand()?,
                    _ => self.byte_operand(&format!("the {}", slot.name))?,
                };
            }
        }
        self.emit_sub(row.opcode, row.sub.unwrap_or(0), exec, head, &operands[..count])
    }

    /// What stands behind a message's name, as it is stored.
    fn behind_name(&mut self, slot: &Slot) -> Parsed<u32> {
        let what = format!("the {}", slot.name);
        Ok(match slot.text {
            Text::Power | Text::BlockBytes => {
                self.expect(Tok::Dot, &format!("`.` and {what}"))?;
                let power = self.power(8, &what)?;
                if slot.text == Text::Power {
                    return Ok(power);
                }
                match BLOCK_BYTES.iter().position(|bytes| *bytes == 1 << power) {
                    Some(code) => to_index(code),
                    None => {
                        self.at -= 1;
                        return self.fail(format!("{what} must be 1, 4 or 8"));
                    }
                }
            }
            Text::Channels => self.channels()?.0.into(),
            Text::Atomic => self.atomic_op()?,
            Text::Block => {
                // Without a word on alignment the block is only dword-aligned.
                let aligned = self.eat_dot_word("aligned");
                if !aligned {
                    self.eat_dot_word("unaligned");
                }
                self.power_in_parens(16, "the number of owords")? | if aligned { 0 } else { 8 }
            }
            Text::First | Text::Operand | Text::Zero => 0,
        })
    }

    /// `gather.4 (M1, 16) .mod T6 global offsets data`
    pub(super) fn gather(&mut self, access: Access, head: Head) -> Parsed<()> {
        let mut modified = self.eat_dot_word("mod");
        self.expect(Tok::Dot, "`.` and the element size")?;
        let size = Operand::Num(self.power(4, "the element size")?);
        let at = self.at;
        let exec = self.exec()?;
        let count = match exec.size {
            ExecSize::S8 => 0,
            ExecSize::S16 => 1,
            ExecSize::S1 => 2,
            _ => {
                self.at = at;
                return self.fail("gather and scatter work on 1, 8 or 16 elements");
            }
        };
        let count = Operand::Num(count | u32::from(exec.mask.raw()) << 4);
        modified |= self.eat_dot_word("mod");
        let rest = [self.surface_operand()?, self.src_operand()?, self.raw_operand()?, self.raw_operand()?];
        let [surface, global, offsets, data] = rest;
        match access {
            Access::Load => {
                let modifier = Operand::Num(modified.into());
                let operands = [size, modifier, count, surface, global, offsets, data];
                self.emit(Opcode::Gather, Exec::SCALAR, head, &operands)
            }
            Access::Store => {
                self.emit(Opcode::Scatter, Exec::SCALAR, head, &[size, count, surface, global, offsets, data])
            }
        }
    }

    /// `N` raw operands.
    pub(super) fn raws<const N: usize>(&mut self) -> Parsed<[Operand; N]> {
        let mut out = [Operand::Absent; N];
        for operand in &mut out {
            *operand = self.raw_operand()?;
        }
        Ok(out)
    }

    /// `.add`, `.add.16`, `.add.64`
    fn atomic_op(&mut self) -> Parsed<u32> {
        let Some(op) = self.dot_word().and_then(AtomicOp::from_name) else {
            return self.fail("expected an atomic operation such as `.add`");
        };
        let width = if self.eat_dot_word("16") {
            1
        } else if self.eat_dot_word("64") {
            2
        } else {
            self.eat_dot_word("32");
            0
        };
        Ok(u32::from(op.raw()) | width << 5)
    }
}
