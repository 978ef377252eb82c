//! LSC instructions.

use std::fmt::{self, Write};

use super::Printer;
use crate::{inst::Record, lsc::*, opcode::Opcode, operand::*};

/// A word for an encoding, `?` for one without meaning.
fn word<T>(raw: u32, from_raw: fn(u8) -> Option<T>, name: fn(T) -> &'static str) -> &'static str {
    u8::try_from(raw).ok().and_then(from_raw).map_or("?", name)
}

impl Printer<'_> {
    pub(super) fn lsc(&mut self, record: &Record, operands: &[Operand]) -> fmt::Result {
        if record.opcode == Opcode::LscFence {
            return write!(
                self.out,
                "lsc_fence.{}.{}.{}",
                word(operands[0].num(), LscSfid::from_raw, LscSfid::name),
                word(operands[1].num(), LscFenceOp::from_raw, LscFenceOp::name),
                word(operands[2].num(), LscScope::from_raw, LscScope::name)
            );
        }
        let Some(op) = LscOp::from_raw(record.sub) else { return Ok(()) };
        let typed = record.opcode == Opcode::LscTyped;
        self.out.push_str(op.name());
        let at = if typed {
            self.out.push_str(".tgm");
            0
        } else {
            write!(self.out, ".{}", word(operands[0].num(), LscSfid::from_raw, LscSfid::name))?;
            1
        };
        let cache = [operands[at].num(), operands[at + 1].num()];
        if cache != [0, 0] {
            for level in cache {
                write!(self.out, ".{}", word(level, LscCache::from_raw, LscCache::name))?;
            }
        }
        let rest = &operands[at + 2..];
        match op {
            LscOp::LoadBlock2d | LscOp::StoreBlock2d if typed => self.typed_block(op, rest),
            LscOp::LoadBlock2d | LscOp::StoreBlock2d => self.block(record, op, rest),
            LscOp::ReadStateInfo => self.state_info(rest),
            LscOp::ApndctrAtomicAdd | LscOp::ApndctrAtomicSub => self.append(record, op, rest),
            _ if typed => self.typed(record, op, rest),
            _ => self.untyped(record, op, rest),
        }
    }

    /// A raw operand, its offset only if there is one.
    fn short_raw(&mut self, operand: &Operand) -> fmt::Result {
        let raw = operand.raw();
        self.var(raw.var)?;
        if raw.offset != 0 {
            write!(self.out, ".{}", raw.offset)?;
        }
        Ok(())
    }

    /// A scalar: constant without type, or register with its offset only if there is one.
    fn short_vector(&mut self, operand: &Operand) -> fmt::Result {
        match operand.vector() {
            VectorOperand::Immediate { bits, .. } => write!(self.out, "0x{bits:X}"),
            VectorOperand::General(g) => {
                self.var(g.var)?;
                if g.row != 0 || g.col != 0 {
                    write!(self.out, "({},{})", g.row, g.col)?;
                }
                Ok(())
            }
            other => self.vector(other),
        }
    }

    /// `:d32x4t`, `:d32.xyz`; operands are size, order, elements, mask.
    fn shape(&mut self, op: LscOp, shape: &[Operand]) -> fmt::Result {
        write!(self.out, ":{}", word(shape[0].num(), LscDataSize::from_raw, LscDataSize::name))?;
        if op.has_channel_mask() {
            self.out.push('.');
            for (bit, letter) in "xyzw".chars().enumerate() {
                if shape[3].num() >> bit & 1 != 0 {
                    self.out.push(letter);
                }
            }
            return Ok(());
        }
        self.out.push_str(word(shape[2].num(), LscElems::from_raw, LscElems::name));
        self.out.push_str(word(shape[1].num(), LscOrder::from_raw, LscOrder::name));
        Ok(())
    }

    fn data(&mut self, op: LscOp, register: &Operand, shape: &[Operand]) -> fmt::Result {
        self.out.push_str("  ");
        self.short_raw(register)?;
        self.shape(op, shape)
    }

    /// `flat`, `bti(0x1)`, `bss(V32,0x3)`
    fn model(&mut self, ty: &Operand, surface: &Operand, index: &Operand) -> fmt::Result {
        let raw = ty.num();
        self.out.push_str(word(raw, LscAddrType::from_raw, LscAddrType::name));
        let index = index.num();
        let zero = matches!(surface.vector(), VectorOperand::Immediate { bits: 0, .. }) && index == 0;
        let optional = raw == u32::from(LscAddrType::Flat.raw()) || raw == u32::from(LscAddrType::Arg.raw());
        if zero && optional {
            return Ok(());
        }
        self.out.push('(');
        self.short_vector(surface)?;
        if index != 0 {
            write!(self.out, ",0x{index:X}")?;
        }
        self.out.push(')');
        Ok(())
    }

    fn addr_size(&mut self, size: &Operand) -> fmt::Result {
        write!(self.out, ":{}", word(size.num(), LscAddrSize::from_raw, LscAddrSize::name))
    }

    /// Operands from the address type on.
    fn untyped(&mut self, record: &Record, op: LscOp, o: &[Operand]) -> fmt::Result {
        self.exec(record)?;
        let (ty, scale, offset, size, shape) =
            (&o[0], o[1].num(), (o[2].num()).cast_signed(), &o[3], &o[4..8]);
        let (dst, addr) = (&o[10], &o[11]);
        let src1 = if op.is_strided() { &o[13] } else { &o[12] };
        let kind = op.kind();
        if kind != LscKind::Store && op != LscOp::CcsUpdate {
            self.data(op, dst, shape)?;
        }
        self.out.push_str("  ");
        self.model(ty, &o[8], &o[9])?;
        self.out.push('[');
        if scale > 1 {
            write!(self.out, "{scale:#x}*")?;
        }
        self.short_raw(addr)?;
        if offset != 0 {
            let sign = if offset < 0 { '-' } else { '+' };
            write!(self.out, "{sign}{:#x}", offset.unsigned_abs())?;
        }
        if op.is_strided() && o[12].vector().var().is_none_or(|v| !v.is_null()) {
            self.out.push_str(", ");
            self.short_vector(&o[12])?;
        }
        self.out.push(']');
        self.addr_size(size)?;
        if kind == LscKind::Store || op == LscOp::CcsUpdate {
            self.data(op, src1, shape)?;
        }
        if kind == LscKind::Atomic {
            for source in &o[12..14] {
                self.out.push_str("  ");
                self.short_raw(source)?;
            }
        }
        Ok(())
    }

    fn typed(&mut self, record: &Record, op: LscOp, o: &[Operand]) -> fmt::Result {
        self.exec(record)?;
        let (shape, dst, src1, src2) = (&o[2..6], &o[8], &o[16], &o[17]);
        let kind = op.kind();
        if kind != LscKind::Store && op != LscOp::CcsUpdate {
            self.data(op, dst, shape)?;
        }
        self.out.push_str("  ");
        self.model(&o[0], &o[6], &o[7])?;
        self.out.push('[');
        for i in 0..4 {
            let at = 9 + 2 * i;
            if o[at].raw().is_null() {
                break;
            }
            if i > 0 {
                self.out.push(',');
            }
            self.short_raw(&o[at])?;
            if i < 3 {
                let offset = (o[at + 1].num()).cast_signed();
                if offset != 0 {
                    write!(self.out, "{offset:+}")?;
                }
            }
        }
        self.out.push(']');
        self.addr_size(&o[1])?;
        if kind == LscKind::Store || op == LscOp::CcsUpdate {
            self.data(op, src1, shape)?;
        }
        if kind == LscKind::Atomic {
            for source in [src1, src2] {
                self.out.push_str("  ");
                self.short_raw(source)?;
            }
        }
        Ok(())
    }

    fn state_info(&mut self, o: &[Operand]) -> fmt::Result {
        self.out.push_str("  ");
        self.short_raw(&o[8])?;
        self.out.push_str("  ");
        self.model(&o[0], &o[6], &o[7])?;
        self.out.push('[');
        self.short_raw(&o[9])?;
        self.out.push(']');
        Ok(())
    }

    /// `V1:d8.2x32x32nn`; operands are size, order, blocks, width, height, vnni.
    fn block_data(&mut self, register: &Operand, o: &[Operand]) -> fmt::Result {
        self.out.push_str("  ");
        self.short_raw(register)?;
        write!(self.out, ":{}.", word(o[0].num(), LscDataSize::from_raw, LscDataSize::name))?;
        if o[2].num() != 1 {
            write!(self.out, "{}x", o[2].num())?;
        }
        write!(self.out, "{}x{}", o[3].num(), o[4].num())?;
        self.out.push(if o[1].num() == u32::from(LscOrder::Transpose.raw()) { 't' } else { 'n' });
        self.out.push(if o[5].num() != 0 { 't' } else { 'n' });
        Ok(())
    }

    fn block(&mut self, record: &Record, op: LscOp, o: &[Operand]) -> fmt::Result {
        self.exec(record)?;
        if op == LscOp::LoadBlock2d {
            self.block_data(&o[6], &o[..6])?;
        }
        self.out.push_str("  flat[");
        for (i, operand) in o[7..13].iter().enumerate() {
            if i > 0 {
                self.out.push(',');
            }
            self.short_vector(operand)?;
        }
        self.out.push(']');
        if op == LscOp::StoreBlock2d {
            self.block_data(&o[13], &o[..6])?;
        }
        Ok(())
    }

    fn typed_block(&mut self, op: LscOp, o: &[Operand]) -> fmt::Result {
        let load = op == LscOp::LoadBlock2d;
        let data = |p: &mut Self, register: &Operand| {
            p.out.push_str("  ");
            p.short_raw(register)?;
            write!(p.out, ":{}x{}", o[1].num(), o[2].num())
        };
        if load {
            data(self, &o[5])?;
        }
        self.out.push_str("  ");
        self.model(&o[0], &o[3], &o[4])?;
        self.out.push('[');
        self.short_vector(&o[6])?;
        self.out.push(',');
        self.short_vector(&o[7])?;
        self.out.push(']');
        if load { Ok(()) } else { data(self, &o[8]) }
    }

    fn append(&mut self, record: &Record, op: LscOp, o: &[Operand]) -> fmt::Result {
        self.exec(record)?;
        self.data(op, &o[7], &o[1..5])?;
        self.out.push_str("  ");
        self.model(&o[0], &o[5], &o[6])?;
        self.data(op, &o[8], &o[1..5])
    }
}
