//! LSC instructions that load and store blocks.

use super::{
    inst::Head,
    lexer::Tok,
    lsc::data_size,
    parser::{Parsed, Parser},
};
use crate::{
    lsc::*,
    opcode::Opcode,
    operand::*,
    types::{Exec, Type},
};

impl Parser<'_> {
    /// `V53:d8.2x32x32nn  flat[base,width,height,pitch,x,y]`
    pub(super) fn lsc_block(
        &mut self,
        op: LscOp,
        sfid: LscSfid,
        cache: [Operand; 2],
        head: Head,
    ) -> Parsed<()> {
        let exec = self.exec()?;
        let null = Operand::Raw(RawOperand::NULL);
        let load = op == LscOp::LoadBlock2d;
        let mut data = (null, [Operand::Num(0); 6]);
        if load {
            data = self.block_data()?;
        }
        if !self.eat_word("flat") {
            return self.expected("flat");
        }
        self.expect(Tok::LBrack, "`[`")?;
        let mut addr = [null; 6];
        for (i, slot) in addr.iter_mut().enumerate() {
            if i > 0 {
                self.expect(Tok::Comma, "`,`")?;
            }
            *slot = self.reg_or_imm(Type::UD)?;
            if i >= 4 {
                self.no_block_offset()?;
            }
        }
        self.expect(Tok::RBrack, "`]`")?;
        if !load {
            data = self.block_data()?;
        }
        let (register, shape) = data;
        let mut operands = vec![Operand::Num(sfid.raw().into()), cache[0], cache[1]];
        operands.extend(shape);
        operands.push(if load { register } else { null });
        operands.extend(addr);
        operands.push(if load { null } else { register });
        self.emit_sub(Opcode::LscUntyped, op.raw(), exec, head, &operands)
    }

    /// Immediate offsets of blocks are younger than this format.
    fn no_block_offset(&mut self) -> Parsed<()> {
        let start = self.token().at();
        let offset = self.addr_offset()?;
        self.in_range::<i64>(start, offset, 0..=0, "the block offset").map(|_| ())
    }

    /// Register and size, order, blocks, width, height, vnni.
    fn block_data(&mut self) -> Parsed<(Operand, [Operand; 6])> {
        let register = self.raw_operand()?;
        self.expect(Tok::Colon, "a block shape such as `:d8.2x32x32nn`")?;
        let at = self.at;
        let word = self.raw_word(b"[](),");
        match parse_block(word) {
            Some(shape) => Ok((register, shape.map(Operand::Num))),
            None => {
                self.at = at;
                self.expected("a block shape such as `d8.2x32x32nn`")
            }
        }
    }

    /// `V53:64x4  bti(0x10)[x,y]`
    pub(super) fn lsc_typed_block(&mut self, op: LscOp, cache: [Operand; 2], head: Head) -> Parsed<()> {
        let exec = if self.peek() == Tok::LParen { self.exec()? } else { Exec::SCALAR };
        let null = Operand::Raw(RawOperand::NULL);
        let load = op == LscOp::LoadBlock2d;
        let mut data = (null, [Operand::Num(0); 2]);
        if load {
            data = self.typed_block_data()?;
        }
        let model = self.model()?;
        self.expect(Tok::LBrack, "`[`")?;
        let x = self.reg_or_imm(Type::UD)?;
        self.no_block_offset()?;
        self.expect(Tok::Comma, "`,`")?;
        let y = self.reg_or_imm(Type::UD)?;
        self.no_block_offset()?;
        self.expect(Tok::RBrack, "`]`")?;
        if !load {
            data = self.typed_block_data()?;
        }
        let (register, [width, height]) = data;
        let operands = [
            cache[0],
            cache[1],
            Operand::Num(model.ty.raw().into()),
            width,
            height,
            model.surface,
            Operand::Num(model.index),
            if load { register } else { null },
            x,
            y,
            if load { null } else { register },
        ];
        self.emit_sub(Opcode::LscTyped, op.raw(), exec, head, &operands)
    }

    fn typed_block_data(&mut self) -> Parsed<(Operand, [Operand; 2])> {
        let register = self.raw_operand()?;
        self.expect(Tok::Colon, "a block size such as `:64x4`")?;
        let at = self.at;
        let word = self.raw_word(b"[](),");
        let size =
            word.split_once('x').and_then(|(w, h)| Some((w.parse::<u16>().ok()?, h.parse::<u16>().ok()?)));
        match size {
            Some((w, h)) => Ok((register, [Operand::Num(w.into()), Operand::Num(h.into())])),
            None => {
                self.at = at;
                self.expected("a block size such as `64x4`")
            }
        }
    }
}

/// `d8.2x32x32nn`, `d8.32x64`
fn parse_block(word: &str) -> Option<[u32; 6]> {
    let (size, rest) = data_size(word)?;
    let rest = rest.strip_prefix('.')?;
    let digits = rest.trim_end_matches(['n', 't']);
    let flags = &rest.as_bytes()[digits.len()..];
    if flags.len() > 2 {
        return None;
    }
    let flag = |i: usize| flags.get(i) == Some(&b't');
    let order = if flag(0) { LscOrder::Transpose } else { LscOrder::NonTranspose };
    let numbers: Vec<u16> = digits.split('x').map(|n| n.parse().ok()).collect::<Option<_>>()?;
    let (blocks, width, height) = match numbers[..] {
        [width, height] => (1, width, height),
        [blocks, width, height] if blocks <= 255 => (blocks, width, height),
        _ => return None,
    };
    let vnni = u32::from(flag(1));
    Some([size.raw().into(), order.raw().into(), blocks.into(), width.into(), height.into(), vnni])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks() {
        assert_eq!(parse_block("d8.2x32x16nt"), Some([1, 1, 2, 32, 16, 1]));
        assert_eq!(parse_block("u16.8x4t"), Some([2, 2, 1, 8, 4, 0]));
        assert_eq!(parse_block("d8.4"), None);
    }
}
