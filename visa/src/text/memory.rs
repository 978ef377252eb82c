//! Data port and SVM instructions.

use narrow::to_index;

use super::{
    inst::Head,
    lexer::Tok,
    parser::{Parsed, Parser},
};
use crate::{
    opcode::Opcode,
    operand::Operand,
    types::{AtomicOp, ChannelMask, EMask, Exec, ExecSize},
};

/// Media load and store modifiers, in encoding order.
pub(super) const MEDIA_MODIFIERS: [&str; 6] = ["nomod", "modified", "top", "bottom", "top_mod", "bottom_mod"];

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
        let Some(modifier) = MEDIA_MODIFIERS.iter().position(|m| *m == word) else {
            return self.fail(format!("expected one of .{}", MEDIA_MODIFIERS.join(", .")));
        };
        let (width, height) = self.pair("the width", "the height")?;
        let surface = self.surface_operand()?;
        let plain = matches!(self.peek(), Tok::Int | Tok::Hex) && self.peek_at(1) != Tok::Colon;
        let plane = if plain { self.plain_int_in(0..=255, "the plane")? } else { 0 };
        let operands = [
            Operand::Num(to_index(modifier)),
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

    /// `gather.4 (M1, 16) .mod T6 global offsets data`
    pub(super) fn gather(&mut self, store: bool, head: Head) -> Parsed<()> {
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
        if store {
            self.emit(Opcode::Scatter, Exec::SCALAR, head, &[size, count, surface, global, offsets, data])
        } else {
            let modifier = Operand::Num(modified.into());
            let operands = [size, modifier, count, surface, global, offsets, data];
            self.emit(Opcode::Gather, Exec::SCALAR, head, &operands)
        }
    }

    pub(super) fn typed4(&mut self, name: &str, head: Head) -> Parsed<()> {
        let opcode = self.opcode_of(name)?;
        let mask = Operand::Num(self.channels()?.0.into());
        let exec = self.exec()?;
        let surface = self.surface_operand()?;
        let [u, v, r, lod, data] = self.raws()?;
        self.emit(opcode, exec, head, &[mask, surface, u, v, r, lod, data])
    }

    /// `N` raw operands.
    pub(super) fn raws<const N: usize>(&mut self) -> Parsed<[Operand; N]> {
        let mut out = [Operand::Absent; N];
        for operand in &mut out {
            *operand = self.raw_operand()?;
        }
        Ok(out)
    }

    pub(super) fn scaled4(&mut self, name: &str, head: Head) -> Parsed<()> {
        let opcode = self.opcode_of(name)?;
        let mask = Operand::Num(self.channels()?.0.into());
        let exec = self.exec()?;
        let (surface, global) = (self.surface_operand()?, self.src_operand()?);
        let [offsets, data] = self.raws()?;
        self.emit(opcode, exec, head, &[mask, Operand::Num(0), surface, global, offsets, data])
    }

    pub(super) fn scaled(&mut self, name: &str, head: Head) -> Parsed<()> {
        let opcode = self.opcode_of(name)?;
        self.expect(Tok::Dot, "`.` and the number of bytes")?;
        let blocks = Operand::Num(self.power(8, "the number of bytes")?);
        let exec = self.exec()?;
        let (surface, global) = (self.surface_operand()?, self.src_operand()?);
        let [offsets, data] = self.raws()?;
        let zero = Operand::Num(0);
        self.emit(opcode, exec, head, &[zero, blocks, zero, surface, global, offsets, data])
    }

    pub(super) fn qword(&mut self, name: &str, head: Head) -> Parsed<()> {
        let opcode = self.opcode_of(name)?;
        self.expect(Tok::Dot, "`.` and the number of qwords")?;
        let blocks = Operand::Num(self.power(8, "the number of qwords")?);
        let exec = self.exec()?;
        let surface = self.surface_operand()?;
        let [offsets, data] = self.raws()?;
        self.emit(opcode, exec, head, &[blocks, surface, offsets, data])
    }

    /// `.add`, `.add.16`, `.add.64`
    fn atomic_op(&mut self) -> Parsed<Operand> {
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
        Ok(Operand::Num(u32::from(op.raw()) | width << 5))
    }

    pub(super) fn dword_atomic(&mut self, head: Head) -> Parsed<()> {
        let op = self.atomic_op()?;
        let exec = self.exec()?;
        let surface = self.surface_operand()?;
        let [offsets, src0, src1, dst] = self.raws()?;
        self.emit(Opcode::DwordAtomic, exec, head, &[op, surface, offsets, src0, src1, dst])
    }

    pub(super) fn typed_atomic(&mut self, head: Head) -> Parsed<()> {
        let op = self.atomic_op()?;
        let exec = self.exec()?;
        let surface = self.surface_operand()?;
        let [u, v, r, lod, src0, src1, dst] = self.raws()?;
        let operands = [op, surface, u, v, r, lod, src0, src1, dst];
        self.emit(Opcode::TypedAtomic3d, exec, head, &operands)
    }

    pub(super) fn svm(&mut self, name: &str, head: Head) -> Parsed<bool> {
        match name {
            "block_ld" | "block_st" => {
                // Without a word on alignment the block is only dword-aligned.
                let aligned = self.eat_dot_word("aligned");
                if !aligned {
                    self.eat_dot_word("unaligned");
                }
                let size = self.power_in_parens(16, "the number of owords")?;
                let properties = Operand::Num(size | if aligned { 0 } else { 8 });
                let (address, data) = (self.src_operand()?, self.raw_operand()?);
                let sub = if name == "block_ld" { 1 } else { 2 };
                self.emit_sub(Opcode::Svm, sub, Exec::SCALAR, head, &[properties, address, data])?;
            }
            "gather" | "scatter" => {
                self.expect(Tok::Dot, "`.` and the block size")?;
                let size = match self.power(8, "the block size")? {
                    0 => 0,
                    2 => 1,
                    3 => 2,
                    _ => {
                        self.at -= 1;
                        return self.fail("the block size must be 1, 4 or 8");
                    }
                };
                self.expect(Tok::Dot, "`.` and the number of blocks")?;
                let blocks = self.power(8, "the number of blocks")?;
                let exec = self.exec()?;
                let [addresses, data] = self.raws()?;
                let sub = if name == "gather" { 3 } else { 4 };
                let operands = [Operand::Num(size), Operand::Num(blocks), addresses, data];
                self.emit_sub(Opcode::Svm, sub, exec, head, &operands)?;
            }
            "atomic" => {
                let op = self.atomic_op()?;
                let exec = self.exec()?;
                // The text has the destination before the sources.
                let [addresses, dst, src0, src1] = self.raws()?;
                self.emit_sub(Opcode::Svm, 5, exec, head, &[op, addresses, src0, src1, dst])?;
            }
            "gather4scaled" | "scatter4scaled" => {
                let mask = Operand::Num(self.channels()?.0.into());
                let exec = self.exec()?;
                let address = self.src_operand()?;
                let [offsets, data] = self.raws()?;
                let sub = if name == "gather4scaled" { 6 } else { 7 };
                let operands = [mask, Operand::Num(0), address, offsets, data];
                self.emit_sub(Opcode::Svm, sub, exec, head, &operands)?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }
}
