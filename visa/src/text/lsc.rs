//! LSC instructions.

use narrow::low_u32;

use super::{
    inst::Head,
    lexer::Tok,
    parser::{Parsed, Parser},
};
use crate::{
    ids::VarId,
    lsc::*,
    opcode::Opcode,
    operand::*,
    types::{Exec, ExecSize, Modifier, Region, Type},
};

/// `:d32x4`, `:d32.xyz`
#[derive(Clone, Copy)]
struct Shape {
    size: LscDataSize,
    order: LscOrder,
    /// Vector length code, or channel mask.
    elems: u8,
    is_mask: bool,
}

impl Shape {
    /// Size, order, elements, mask: the object repeats the count in both places.
    fn operands(self) -> [Operand; 4] {
        let elems = u32::from(self.elems);
        [self.size.raw().into(), self.order.raw().into(), elems, elems].map(Operand::Num)
    }
}

/// An address operand up to its brackets.
pub(super) struct Model {
    pub ty: LscAddrType,
    pub surface: Operand,
    pub index: u32,
}

/// A register as a scalar.
const fn scalar(var: VarId, row: u8, col: u8) -> Operand {
    let region = Region::src(0, 1, 0);
    Operand::Vector(VectorOperand::General(GeneralOperand {
        var,
        row,
        col,
        region,
        modifier: Modifier::None,
    }))
}

impl<'s> Parser<'s> {
    pub(super) fn lsc(&mut self, op: LscOp, head: Head) -> Parsed<()> {
        let sfid = match self.dot_word().and_then(LscSfid::from_name) {
            Some(sfid) => sfid,
            None => return self.fail("expected `.ugm`, `.ugml`, `.slm`, `.tgm` or `.urb`"),
        };
        if op == LscOp::ReadStateInfo {
            return self.lsc_state_info(head);
        }
        let cache = self.caches()?;
        self.eat_dot_word("ov");
        self.eat_dot_word("msaa");
        let typed = sfid == LscSfid::Tgm;
        match (op, typed) {
            (LscOp::LoadBlock2d | LscOp::StoreBlock2d, true) => return self.lsc_typed_block(op, cache, head),
            (LscOp::LoadBlock2d | LscOp::StoreBlock2d, false) => {
                return self.lsc_block(op, sfid, cache, head);
            }
            _ => {}
        }
        let exec = self.exec()?;
        match op {
            LscOp::ApndctrAtomicAdd | LscOp::ApndctrAtomicSub => self.lsc_append(op, sfid, cache, exec, head),
            _ if typed => self.lsc_typed(op, cache, exec, head),
            _ => self.lsc_untyped(op, sfid, cache, exec, head),
        }
    }

    /// `.ca.ca`, `.uc.wb`, or nothing; one alone is of the first level. A middle level (`.ca.ca.ca`) is not in this
    /// format.
    fn caches(&mut self) -> Parsed<[Operand; 2]> {
        let mut found = [LscCache::Default; 2];
        for slot in &mut found {
            let (Tok::Dot, Some(cache)) = (self.peek(), LscCache::from_name(self.slice_at(1))) else { break };
            self.at += 2;
            *slot = cache;
        }
        Ok(found.map(|c| Operand::Num(c.raw().into())))
    }

    fn shape(&mut self, op: LscOp) -> Parsed<Shape> {
        self.expect(Tok::Colon, "a data shape such as `:d32x4`")?;
        let at = self.at;
        let word = self.raw_word(b"[](),");
        match parse_shape(word) {
            Some(shape) if shape.is_mask == op.has_channel_mask() => Ok(shape),
            _ => {
                self.at = at;
                let example = if op.has_channel_mask() { "`:d32.xyz`" } else { "`:d32x4`" };
                self.expected(&format!("a data shape such as {example}"))
            }
        }
    }

    /// `flat`, `bti(0x1)`, `bss(V32(0,1),0x3)`, ...
    pub(super) fn model(&mut self) -> Parsed<Model> {
        let ty = match (self.peek(), LscAddrType::from_name(self.slice())) {
            (Tok::Ident, Some(ty)) => {
                self.at += 1;
                ty
            }
            (Tok::LBrack, _) => LscAddrType::Flat,
            _ => return self.expected("flat, bti, ss, bss, surf or arg"),
        };
        let mut model = Model { ty, surface: Self::zero_operand(), index: 0 };
        let optional = matches!(ty, LscAddrType::Flat | LscAddrType::Arg);
        if optional && self.peek() != Tok::LParen {
            return Ok(model);
        }
        self.expect(Tok::LParen, "`(` and the surface")?;
        let wide = matches!(ty, LscAddrType::Flat | LscAddrType::Surf);
        model.surface = self.reg_or_imm(if wide { Type::UQ } else { Type::UD })?;
        if self.eat(Tok::Comma) {
            model.index = self.int_in(0..=u32::MAX.into(), "the surface index")?;
        }
        self.expect(Tok::RParen, "`)`")?;
        if let Operand::Vector(VectorOperand::Immediate { ty, bits }) = &mut model.surface
            && *bits <= u64::from(u32::MAX)
        {
            // Small constants are dwords in the object, whatever the model.
            *ty = Type::UD;
        }
        Ok(model)
    }

    /// A scalar register `V32`, `V32.1`, `V32(0,1)`, or a constant.
    pub(super) fn reg_or_imm(&mut self, ty: Type) -> Parsed<Operand> {
        if !matches!(self.peek(), Tok::Ident | Tok::Builtin) || self.at_number_name() {
            let start = self.token().at();
            let value = self.int_exp()?;
            if ty != Type::UQ {
                self.in_range::<i64>(start, value, i32::MIN.into()..=u32::MAX.into(), "the constant")?;
            }
            let bits = if ty == Type::UQ { value.cast_unsigned() } else { u64::from(low_u32(value)) };
            return Ok(Operand::Vector(VectorOperand::Immediate { ty, bits }));
        }
        let var = self.general_name()?;
        let (row, col) = match self.peek() {
            Tok::LParen => self.pair("the row", "the column")?,
            Tok::Dot => {
                self.at += 1;
                (0, self.int_in(0..=255, "the column")?)
            }
            _ => (0, 0),
        };
        Ok(scalar(var, row, col))
    }

    fn addr_size(&mut self) -> Parsed<Operand> {
        if self.eat(Tok::Colon)
            && let Some(size) = LscAddrSize::from_name(self.slice())
        {
            self.at += 1;
            return Ok(Operand::Num(size.raw().into()));
        }
        self.expected("an address size: `:a16`, `:a32`, `:a32s`, `:a32u` or `:a64`")
    }

    /// `+0x10`, `-4`, or nothing.
    pub(super) fn addr_offset(&mut self) -> Parsed<i64> {
        let start = self.token().at();
        let negative = self.peek() == Tok::Minus;
        if !negative && self.peek() != Tok::Plus {
            return Ok(0);
        }
        self.at += 1;
        let value = self.int_exp_closed()?;
        let value = if negative { value.wrapping_neg() } else { value };
        self.in_range(start, value, i32::MIN.into()..=i32::MAX.into(), "the offset")
    }

    /// What is loaded stands before the address, with its shape.
    fn data_before(&mut self, op: LscOp) -> Parsed<(Operand, Option<Shape>)> {
        if !op.returns_data() {
            return Ok((Operand::Raw(RawOperand::NULL), None));
        }
        Ok((self.raw_operand()?, Some(self.shape(op)?)))
    }

    /// What is stored stands behind the address, with its shape, and so does what is computed with.
    fn data_behind(&mut self, op: LscOp, shape: Option<Shape>) -> Parsed<([Operand; 2], Shape)> {
        let null = Operand::Raw(RawOperand::NULL);
        let (stored, shape) = match shape {
            Some(shape) => (null, shape),
            None => (self.raw_operand()?, self.shape(op)?),
        };
        if op.kind() == LscKind::Atomic {
            return Ok(([self.raw_operand()?, self.raw_operand()?], shape));
        }
        Ok(([stored, null], shape))
    }

    fn lsc_untyped(
        &mut self,
        op: LscOp,
        sfid: LscSfid,
        cache: [Operand; 2],
        exec: Exec,
        head: Head,
    ) -> Parsed<()> {
        let (dst, shape) = self.data_before(op)?;
        let model = self.model()?;
        self.expect(Tok::LBrack, "`[` and the addresses")?;
        let mut scale = 1;
        if matches!(self.peek(), Tok::Int | Tok::Hex | Tok::LParen) {
            let start = self.token().at();
            let value = self.primary()?;
            scale = self.in_range(start, value, 0..=65535, "the address scale")?;
            self.expect(Tok::Star, "`*`")?;
        }
        let addr = self.raw_operand()?;
        let offset = self.addr_offset()?;
        let mut pitch = Self::zero_operand();
        if op.is_strided() && self.eat(Tok::Comma) {
            pitch = self.reg_or_imm(Type::UD)?;
        } else if op.is_strided() {
            pitch = scalar(VarId::NULL, 0, 0);
        }
        self.expect(Tok::RBrack, "`]`")?;
        let size = self.addr_size()?;
        let ([src1, src2], shape) = self.data_behind(op, shape)?;
        let [s0, s1, s2, s3] = shape.operands();
        let mut operands = vec![Operand::Num(sfid.raw().into()), cache[0], cache[1]];
        operands.extend([
            Operand::Num(model.ty.raw().into()),
            Operand::Num(scale),
            Operand::Num(low_u32(offset)),
            size,
        ]);
        operands.extend([s0, s1, s2, s3, model.surface, Operand::Num(model.index), dst, addr]);
        if op.is_strided() {
            operands.extend([pitch, src1]);
        } else {
            operands.extend([src1, src2]);
        }
        self.emit_sub(Opcode::LscUntyped, op.raw(), exec, head, &operands)
    }

    /// `V60:d32.xy  bss(V10)[U+1,V,R,LOD]:a32`
    fn lsc_typed(&mut self, op: LscOp, cache: [Operand; 2], exec: Exec, head: Head) -> Parsed<()> {
        let null = Operand::Raw(RawOperand::NULL);
        let (dst, shape) = self.data_before(op)?;
        let model = self.model()?;
        self.expect(Tok::LBrack, "`[` and the coordinates")?;
        let mut coords = [null; 4];
        let mut offsets = [0u32; 4];
        for i in 0..4 {
            coords[i] = self.raw_operand()?;
            if i < 3 {
                offsets[i] = low_u32(self.addr_offset()?);
            }
            if !self.eat(Tok::Comma) {
                break;
            }
        }
        self.expect(Tok::RBrack, "`]`")?;
        let size = self.addr_size()?;
        let ([src1, src2], shape) = self.data_behind(op, shape)?;
        let mut operands = vec![cache[0], cache[1], Operand::Num(model.ty.raw().into()), size];
        operands.extend(shape.operands());
        operands.extend([model.surface, Operand::Num(model.index), dst]);
        for i in 0..3 {
            operands.extend([coords[i], Operand::Num(offsets[i])]);
        }
        operands.extend([coords[3], src1, src2]);
        self.emit_sub(Opcode::LscTyped, op.raw(), exec, head, &operands)
    }

    /// `lsc_read_state_info.tgm V32 bti(0x4)[V33]`: a transposed read of 16 dwords. Text before the format had
    /// coordinates says none.
    fn lsc_state_info(&mut self, head: Head) -> Parsed<()> {
        let dst = self.raw_operand()?;
        let model = self.model()?;
        let (null, zero) = (Operand::Raw(RawOperand::NULL), Operand::Num(0));
        let mut coords = null;
        if self.eat(Tok::LBrack) {
            coords = self.raw_operand()?;
            self.expect(Tok::RBrack, "`]`")?;
        }
        let shape = Shape {
            size: LscDataSize::D32,
            order: LscOrder::Transpose,
            elems: LscElems::X16.raw(),
            is_mask: false,
        };
        let mut operands = vec![
            zero,
            zero,
            Operand::Num(model.ty.raw().into()),
            Operand::Num(LscAddrSize::A32.raw().into()),
        ];
        operands.extend(shape.operands());
        operands.extend([model.surface, Operand::Num(model.index), dst]);
        operands.extend([coords, zero, null, zero, null, zero, null, null, null]);
        let exec = Exec { size: ExecSize::S1, mask: crate::types::EMask::M1_NM };
        self.emit_sub(Opcode::LscTyped, LscOp::ReadStateInfo.raw(), exec, head, &operands)
    }

    /// `lsc_apndctr_atomic_add.ugm (M1, 16)  V1:d32  bti(0xA0)  V2:d32`
    fn lsc_append(
        &mut self,
        op: LscOp,
        sfid: LscSfid,
        cache: [Operand; 2],
        exec: Exec,
        head: Head,
    ) -> Parsed<()> {
        let dst = self.raw_operand()?;
        let shape = self.shape(op)?;
        let model = self.model()?;
        let src1 = self.raw_operand()?;
        let at = self.at;
        let (first, second) = (shape.operands(), self.shape(op)?.operands());
        if first != second {
            return self.fail_since(
                at,
                "found another shape than the result's, allowed: that one, as the message has no second",
            );
        }
        let mut operands = vec![Operand::Num(sfid.raw().into()), cache[0], cache[1]];
        operands.push(Operand::Num(model.ty.raw().into()));
        operands.extend(shape.operands());
        operands.extend([model.surface, Operand::Num(model.index), dst, src1]);
        self.emit_sub(Opcode::LscUntyped, op.raw(), exec, head, &operands)
    }

    /// `lsc_fence.ugm.evict.gpu`
    pub(super) fn lsc_fence(&mut self, head: Head) -> Parsed<()> {
        let sfid = self.dot_word().and_then(LscSfid::from_name);
        let op = self.dot_word().and_then(LscFenceOp::from_name);
        let scope = self.dot_word().and_then(LscScope::from_name);
        let (Some(sfid), Some(op), Some(scope)) = (sfid, op, scope) else {
            return self.fail("expected shared function, operation and scope such as `.ugm.evict.gpu`");
        };
        let operands = [sfid.raw(), op.raw(), scope.raw()].map(|v| Operand::Num(v.into()));
        self.emit(Opcode::LscFence, Exec::SCALAR, head, &operands)
    }
}

/// `d32`, `u8`, `d8c32`, `d16u32h`, and what follows.
pub(super) fn data_size(word: &str) -> Option<(LscDataSize, &str)> {
    use LscDataSize::*;
    let rest = word.strip_prefix(['d', 'u'])?;
    // The longest name first.
    const SIZES: [(&str, LscDataSize); 10] = [
        ("16c32h", D16U32H),
        ("16u32h", D16U32H),
        ("16c32", D16U32),
        ("16u32", D16U32),
        ("8c32", D8U32),
        ("8u32", D8U32),
        ("64", D64),
        ("32", D32),
        ("16", D16),
        ("8", D8),
    ];
    SIZES.iter().find_map(|(name, size)| Some((*size, rest.strip_prefix(name)?)))
}

fn parse_shape(word: &str) -> Option<Shape> {
    let (size, rest) = data_size(word)?;
    if let Some(channels) = rest.strip_prefix('.') {
        let mut mask = 0;
        for c in channels.chars() {
            mask |= 1 << "xyzw".find(c)?;
        }
        return (mask != 0).then_some(Shape {
            size,
            order: LscOrder::NonTranspose,
            elems: mask,
            is_mask: true,
        });
    }
    let (rest, order) = match rest.strip_suffix('t') {
        Some(rest) => (rest, LscOrder::Transpose),
        None => (rest, LscOrder::NonTranspose),
    };
    let elems = if rest == "x1" { LscElems::X1 } else { LscElems::from_name(rest)? };
    Some(Shape { size, order, elems: elems.raw(), is_mask: false })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes() {
        let shape = |w| parse_shape(w).map(|s| (s.size, s.order, s.elems, s.is_mask));
        assert_eq!(shape("d32x4t"), Some((LscDataSize::D32, LscOrder::Transpose, 4, false)));
        assert_eq!(shape("u8c32"), Some((LscDataSize::D8U32, LscOrder::NonTranspose, 1, false)));
        assert_eq!(shape("d16u32h"), Some((LscDataSize::D16U32H, LscOrder::NonTranspose, 1, false)));
        assert_eq!(shape("d32.xzw"), Some((LscDataSize::D32, LscOrder::NonTranspose, 13, true)));
        assert_eq!(shape("d33"), None);
    }
}
