//! LSC instructions.

use std::fmt::{self, Write};

use super::Printer;
use crate::{inst::Record, lsc::*, opcode::Opcode, operand::*};

/// A word for an encoding, `?` for one without meaning.
fn word<T>(raw: u32, from_raw: fn(u8) -> Option<T>, name: fn(T) -> &'static str) -> &'static str {
    u8::try_from(raw).ok().and_then(from_raw).map_or("?", name)
}

/// Size, order, elements, mask.
type Shape<'a> = [&'a Operand; 4];

/// Operands, which are named in the order of their row of the table (`table/structs.rs`); more may follow.
fn fields<const N: usize>(operands: &[Operand]) -> &[Operand; N] {
    operands.first_chunk().unwrap_or_else(|| panic!("{N} operands of the table's row, found {operands:?}"))
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

    /// `:d32x4t`, `:d32.xyz`.
    fn shape(&mut self, op: LscOp, shape: Shape<'_>) -> fmt::Result {
        let [size, order, elements, mask] = shape.map(Operand::num);
        write!(self.out, ":{}", word(size, LscDataSize::from_raw, LscDataSize::name))?;
        if op.has_channel_mask() {
            self.out.push('.');
            for (bit, letter) in "xyzw".chars().enumerate() {
                if mask >> bit & 1 != 0 {
                    self.out.push(letter);
                }
            }
            return Ok(());
        }
        self.out.push_str(word(elements, LscElems::from_raw, LscElems::name));
        self.out.push_str(word(order, LscOrder::from_raw, LscOrder::name));
        Ok(())
    }

    fn data(&mut self, op: LscOp, register: &Operand, shape: Shape<'_>) -> fmt::Result {
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

    /// Data that are stored, or operands of an atomic operation; those of loads stand before the address.
    fn data_behind(&mut self, op: LscOp, sources: [&Operand; 2], shape: Shape<'_>) -> fmt::Result {
        if !op.returns_data() {
            self.data(op, sources[0], shape)?;
        }
        if op.kind() == LscKind::Atomic {
            for source in sources {
                self.out.push_str("  ");
                self.short_raw(source)?;
            }
        }
        Ok(())
    }

    /// `operands` begin with the address type, or with what stands behind shared function and caches.
    fn untyped(&mut self, record: &Record, op: LscOp, operands: &[Operand]) -> fmt::Result {
        let [ty, scale, offset, size, s0, s1, s2, s3, surface, index, dst, addr, first, second] =
            fields(operands);
        // A strided access has a pitch in front of its only source.
        let (pitch, sources) =
            if op.is_strided() { (Some(first), [second, second]) } else { (None, [first, second]) };
        let shape = [s0, s1, s2, s3];
        self.exec(record)?;
        if op.returns_data() {
            self.data(op, dst, shape)?;
        }
        self.out.push_str("  ");
        self.model(ty, surface, index)?;
        self.out.push('[');
        if scale.num() > 1 {
            write!(self.out, "{:#x}*", scale.num())?;
        }
        self.short_raw(addr)?;
        let offset = offset.num().cast_signed();
        if offset != 0 {
            let sign = if offset < 0 { '-' } else { '+' };
            write!(self.out, "{sign}{:#x}", offset.unsigned_abs())?;
        }
        if let Some(pitch) = pitch
            && pitch.vector().var().is_none_or(|v| !v.is_null())
        {
            self.out.push_str(", ");
            self.short_vector(pitch)?;
        }
        self.out.push(']');
        self.addr_size(size)?;
        self.data_behind(op, sources, shape)
    }

    fn typed(&mut self, record: &Record, op: LscOp, operands: &[Operand]) -> fmt::Result {
        let [
            ty,
            size,
            s0,
            s1,
            s2,
            s3,
            surface,
            index,
            dst,
            u,
            u_offset,
            v,
            v_offset,
            r,
            r_offset,
            lod,
            src1,
            src2,
        ] = fields(operands);
        let shape = [s0, s1, s2, s3];
        self.exec(record)?;
        if op.returns_data() {
            self.data(op, dst, shape)?;
        }
        self.out.push_str("  ");
        self.model(ty, surface, index)?;
        self.out.push('[');
        let coordinates = [(u, Some(u_offset)), (v, Some(v_offset)), (r, Some(r_offset)), (lod, None)];
        let given = coordinates.iter().take_while(|(coordinate, _)| !coordinate.raw().is_null());
        for (i, (coordinate, offset)) in given.enumerate() {
            if i > 0 {
                self.out.push(',');
            }
            self.short_raw(coordinate)?;
            let offset = offset.map_or(0, |offset| offset.num().cast_signed());
            if offset != 0 {
                write!(self.out, "{offset:+}")?;
            }
        }
        self.out.push(']');
        self.addr_size(size)?;
        self.data_behind(op, [src1, src2], shape)
    }

    fn state_info(&mut self, operands: &[Operand]) -> fmt::Result {
        let [ty, _size, _, _, _, _, surface, index, dst, coordinate] = fields(operands);
        self.out.push_str("  ");
        self.short_raw(dst)?;
        self.out.push_str("  ");
        self.model(ty, surface, index)?;
        self.out.push('[');
        self.short_raw(coordinate)?;
        self.out.push(']');
        Ok(())
    }

    fn block(&mut self, record: &Record, op: LscOp, operands: &[Operand]) -> fmt::Result {
        let [size, order, blocks, width, height, vnni, dst, base, base_width, base_height, pitch, x, y, src1] =
            fields(operands);
        // `V1:d8.2x32x32nn`
        let data = |p: &mut Self, register: &Operand| {
            p.out.push_str("  ");
            p.short_raw(register)?;
            write!(p.out, ":{}.", word(size.num(), LscDataSize::from_raw, LscDataSize::name))?;
            if blocks.num() != 1 {
                write!(p.out, "{}x", blocks.num())?;
            }
            write!(p.out, "{}x{}", width.num(), height.num())?;
            p.out.push(if order.num() == u32::from(LscOrder::Transpose.raw()) { 't' } else { 'n' });
            p.out.push(if vnni.num() != 0 { 't' } else { 'n' });
            Ok(())
        };
        self.exec(record)?;
        if op == LscOp::LoadBlock2d {
            data(self, dst)?;
        }
        self.out.push_str("  flat[");
        for (i, operand) in [base, base_width, base_height, pitch, x, y].into_iter().enumerate() {
            if i > 0 {
                self.out.push(',');
            }
            self.short_vector(operand)?;
        }
        self.out.push(']');
        if op == LscOp::StoreBlock2d { data(self, src1) } else { Ok(()) }
    }

    fn typed_block(&mut self, op: LscOp, operands: &[Operand]) -> fmt::Result {
        let [ty, width, height, surface, index, dst, x, y, src1] = fields(operands);
        let data = |p: &mut Self, register: &Operand| {
            p.out.push_str("  ");
            p.short_raw(register)?;
            write!(p.out, ":{}x{}", width.num(), height.num())
        };
        let load = op == LscOp::LoadBlock2d;
        if load {
            data(self, dst)?;
        }
        self.out.push_str("  ");
        self.model(ty, surface, index)?;
        self.out.push('[');
        self.short_vector(x)?;
        self.out.push(',');
        self.short_vector(y)?;
        self.out.push(']');
        if load { Ok(()) } else { data(self, src1) }
    }

    fn append(&mut self, record: &Record, op: LscOp, operands: &[Operand]) -> fmt::Result {
        let [ty, s0, s1, s2, s3, surface, index, dst, src1] = fields(operands);
        let shape = [s0, s1, s2, s3];
        self.exec(record)?;
        self.data(op, dst, shape)?;
        self.out.push_str("  ");
        self.model(ty, surface, index)?;
        self.data(op, src1, shape)
    }
}
