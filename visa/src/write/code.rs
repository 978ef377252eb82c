//! Instructions, driven by the table.

use narrow::{as_index, low_u16, low_u32, to_index};

use super::out::{Out, limit};
use crate::{
    error::WriteError,
    inst::Record,
    model::{Kernel, TypeBits, Version},
    operand::*,
    table::{self, Enc, Slot, When},
    types::{Exec, Modifier},
};

pub(super) fn write(out: &mut Out, kernel: &Kernel, version: Version) -> Result<(), WriteError> {
    let mut writer = Writer {
        out,
        version,
        number: version.number(),
        wide: version.at_least(3, 4),
        surface_index: !kernel.quirks.no_surface_index,
        type_bits: &kernel.quirks.type_bits,
        bits: 0,
    };
    for record in &kernel.code {
        writer.instruction(record, kernel.operands_of(record))?;
    }
    Ok(())
}

struct Writer<'a> {
    out: &'a mut Out,
    version: Version,
    number: u16,
    wide: bool,
    surface_index: bool,
    /// Bits above types, by operand.
    type_bits: &'a [TypeBits],
    /// Those of the operand being written.
    bits: u8,
}

impl Writer<'_> {
    fn instruction(&mut self, record: &Record, operands: &[Operand]) -> Result<(), WriteError> {
        let Some(row) = record.row() else {
            return Err(limit("sub-opcode", record.sub.into(), 0));
        };
        self.out.u8(record.opcode.raw());
        let mut at = 0;
        for slot in table::slots_for(row, self.number) {
            match slot.enc {
                Enc::Sub => self.out.u8(record.sub),
                Enc::Exec => self.exec(record.exec)?,
                Enc::Pred => self.pred(record.pred)?,
                Enc::LabelCount => self.out.count8(slot.name, operands.len().saturating_sub(1))?,
                Enc::RawList => {
                    self.out.count8(slot.name, operands.len() - at)?;
                    for operand in &operands[at..] {
                        self.operand(slot, operand)?;
                    }
                }
                Enc::LabelList => {
                    for operand in &operands[at..] {
                        self.operand(slot, operand)?;
                    }
                }
                _ => {
                    self.bits = self.bits_above(record.first + to_index(at));
                    self.field(slot, &operands[at])?;
                    at += 1;
                }
            }
        }
        Ok(())
    }

    /// Bits above the type of an operand.
    fn bits_above(&self, operand: u32) -> u8 {
        let found = self.type_bits.binary_search_by_key(&operand, |b| b.operand);
        found.map_or(0, |at| self.type_bits[at].bits)
    }

    fn field(&mut self, slot: &Slot, operand: &Operand) -> Result<(), WriteError> {
        match slot.when {
            // What the version cannot say must be what it means by saying nothing.
            When::Since(number) if self.number < number && *operand == slot.default_operand() => Ok(()),
            When::Since(number) if self.number < number => Err(limit(slot.name, 1, 0)),
            When::SurfaceIndex if !self.surface_index && *operand == slot.default_operand() => Ok(()),
            When::SurfaceIndex if !self.surface_index => Err(limit(slot.name, 1, 0)),
            _ => self.operand(slot, operand),
        }
    }

    fn operand(&mut self, slot: &Slot, operand: &Operand) -> Result<(), WriteError> {
        let name = slot.name;
        match (*operand, slot.enc) {
            (Operand::Absent, _) => Ok(()),
            (Operand::Vector(VectorOperand::Immediate { bits, .. }), Enc::Aoffimmi) if !self.wide => {
                self.out.count16(name, usize::try_from(bits).unwrap_or(usize::MAX))
            }
            (Operand::Vector(_), Enc::Aoffimmi) if !self.wide => Err(limit(name, 1, 0)),
            (Operand::Vector(v), _) => self.vector(&v, name),
            (Operand::Raw(r), _) => {
                self.out.wide(self.wide, name, r.var.0)?;
                self.out.u16(r.offset);
                Ok(())
            }
            (Operand::Surface(s), _) => self.out.count8(name, s.index()),
            (Operand::Sampler(s), _) => self.out.count8(name, s.index()),
            (Operand::Label(l), _) => self.out.count16(name, l.index()),
            (Operand::Str(s), Enc::StrWide) => self.out.wide(self.wide, name, s.0),
            (Operand::Str(s), _) => self.out.count16(name, s.index()),
            (Operand::Num(n), Enc::U8) => self.out.count8(name, as_index(n)),
            (Operand::Num(n), Enc::U16) => self.out.count16(name, as_index(n)),
            (Operand::Num(n), Enc::VarWide) => self.out.wide(self.wide, name, n),
            (Operand::Num(n), Enc::SampleOp) if self.version.major >= 4 => {
                self.out.count16(name, as_index(n))
            }
            (Operand::Num(n), Enc::SampleOp) => {
                if n & 0xff > 0x1f {
                    return Err(limit(name, as_index(n) & 0xff, 0x1f));
                }
                self.out.count8(name, as_index((n & 0x1f) | n >> 8 << 5))
            }
            (Operand::Num(n), _) => {
                self.out.u32(n);
                Ok(())
            }
        }
    }

    fn exec(&mut self, exec: Exec) -> Result<(), WriteError> {
        if self.number == 300 && exec.mask.raw() > 8 {
            return Err(limit("execution mask", exec.mask.raw().into(), 8));
        }
        self.out.u8(exec.raw());
        Ok(())
    }

    fn pred(&mut self, pred: Option<PredOperand>) -> Result<(), WriteError> {
        let word = match pred {
            None => 0,
            Some(p) if p.id.0 > 0xfff => return Err(limit("predicate", p.id.index(), 0xfff)),
            Some(p) => low_u16(p.id.0) | u16::from(p.ctrl.raw()) << 13 | u16::from(p.inverse) << 15,
        };
        self.out.u16(word);
        Ok(())
    }

    fn vector(&mut self, operand: &VectorOperand, field: &'static str) -> Result<(), WriteError> {
        let out = &mut *self.out;
        let tag = |class: u8, modifier: Modifier| class | modifier.raw() << 3;
        match *operand {
            VectorOperand::General(g) => {
                out.u8(tag(0, g.modifier));
                out.wide(self.wide, field, g.var.0)?;
                out.u8(g.row);
                out.u8(g.col);
                out.u16(g.region.raw());
            }
            VectorOperand::Address(a) => {
                out.u8(tag(1, a.modifier));
                out.u16(a.addr.0);
                out.u8(a.offset);
                out.u8(a.width.raw());
            }
            VectorOperand::Predicate(pred, modifier) => {
                out.u8(tag(2, modifier));
                self.pred(Some(pred))?;
            }
            VectorOperand::Indirect(i) => {
                out.u8(tag(3, i.modifier));
                out.u16(i.addr.0);
                out.u8(i.addr_offset);
                out.u16(i.offset.cast_unsigned());
                out.u8(i.ty.raw() | self.bits);
                out.u16(i.region.raw());
            }
            VectorOperand::Immediate { ty, bits } => {
                out.u8(5);
                out.u8(ty.raw() | self.bits);
                if ty.bytes() == 8 { out.u64(bits) } else { out.u32(low_u32(bits)) }
            }
            VectorOperand::Surface { surface, offset } => {
                out.u8(6);
                out.u8(0);
                out.u16(surface.0);
                out.u8(offset);
            }
            VectorOperand::Sampler { sampler, offset } => {
                out.u8(6);
                out.u8(1);
                out.u16(sampler.0);
                out.u8(offset);
            }
        }
        Ok(())
    }
}
