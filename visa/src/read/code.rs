//! Instructions, driven by the table.

use narrow::{as_index, low_u8, to_index, to_u16};

use super::cursor::{Cursor, Read};
use crate::{
    error::{Error, ErrorKind},
    ids::*,
    inst::Record,
    model::{Kernel, TypeBits, Version},
    opcode::Opcode,
    operand::*,
    table::{self, Enc, Row, Slot, When},
    types::*,
};

/// Reads instructions up to the cursor's end.
pub(super) fn read(c: &mut Cursor<'_>, version: Version, kernel: &mut Kernel) -> Read<()> {
    kernel.code.clear();
    kernel.operands.clear();
    kernel.quirks.type_bits.clear();
    let mut reader = CodeReader::new(version);
    if kernel.quirks.no_surface_index {
        reader = reader.without_surface_index();
    }
    // Instructions average over 20 bytes and hold about three operands.
    kernel.code.reserve(c.left() / 24);
    kernel.operands.reserve(c.left() / 7);
    while c.left() > 0 {
        reader.instruction(c, kernel)?;
    }
    Ok(())
}

pub(super) struct CodeReader {
    surface_index: bool,
    version: Version,
    number: u16,
    wide: bool,
    /// First number of the instruction, which conditional fields depend on.
    mode: u32,
    /// Bits above the type of the operand that was read last.
    type_bits: u8,
}

impl CodeReader {
    pub(super) fn new(version: Version) -> CodeReader {
        CodeReader {
            surface_index: true,
            version,
            number: version.number(),
            wide: version.at_least(3, 4),
            mode: u32::MAX,
            type_bits: 0,
        }
    }

    /// One of objects whose messages to the load/store cache leave the surface index out.
    pub(super) fn without_surface_index(self) -> CodeReader {
        CodeReader { surface_index: false, ..self }
    }

    /// One field of a damaged instruction; its value does not matter.
    pub(super) fn field(&mut self, c: &mut Cursor<'_>, slot: &Slot, scratch: &mut Kernel) -> Read<()> {
        match slot.enc {
            Enc::Exec => self.exec(c).map(|_| ()),
            Enc::Pred => match c.u16("predicate")? {
                0 => Ok(()),
                raw => pred(raw).map(|_| ()).ok_or_else(|| bad_pred(c, raw)),
            },
            _ => {
                let operand = self.operand(c, slot)?;
                scratch.operands.push(operand);
                Ok(())
            }
        }
    }

    fn instruction(&mut self, c: &mut Cursor<'_>, kernel: &mut Kernel) -> Read<()> {
        let place = c.pos();
        let byte = c.u8("opcode")?;
        let unknown = || c.error_at(place, "opcode", ErrorKind::UnknownOpcode { found: byte });
        let opcode = Opcode::from_raw(byte).ok_or_else(unknown)?;
        let mut sub = 0;
        if table::has_sub(opcode) {
            sub = c.u8("sub-opcode").map_err(|e| within(opcode.name(), e))?;
        }
        let Some(row) = table::lookup(opcode, sub) else {
            let kind = ErrorKind::UnknownSubOpcode { found: sub };
            return Err(within(opcode.name(), c.error_at(c.pos() - 1, "sub-opcode", kind)));
        };
        let first = to_index(kernel.operands.len());
        let place = to_index(place);
        let record = Record { opcode, sub, exec: Exec::SCALAR, pred: None, first, count: 0, place };
        self.fields(c, row, record, kernel).map_err(|e| within(row.name, e))
    }

    /// What follows the opcode.
    #[inline]
    fn fields(
        &mut self,
        c: &mut Cursor<'_>,
        row: &'static Row,
        mut record: Record,
        kernel: &mut Kernel,
    ) -> Read<()> {
        let mut label_count = 0;
        self.mode = u32::MAX;
        for slot in table::slots_for(row, self.number) {
            match slot.enc {
                Enc::Vector if slot.when == When::Always => {
                    let operand = self.vector(c, slot.name)?;
                    kernel.operands.push(Operand::Vector(operand));
                    self.note_type_bits(kernel);
                }
                Enc::Sub => {}
                Enc::Exec => record.exec = self.exec(c)?,
                Enc::Pred => {
                    record.pred = match c.u16("predicate")? {
                        0 => None,
                        raw => Some(pred(raw).ok_or_else(|| bad_pred(c, raw))?),
                    }
                }
                Enc::LabelCount => label_count = c.u8(slot.name)?,
                Enc::LabelList => {
                    for _ in 0..label_count {
                        kernel.operands.push(Operand::Label(LabelId(c.u16("label")?.into())));
                    }
                }
                Enc::RawList => {
                    for _ in 0..c.u8("number of parameters")? {
                        kernel.operands.push(Operand::Raw(self.raw(c, "parameter")?));
                    }
                }
                _ => {
                    kernel.operands.push(self.operand(c, slot)?);
                    self.note_type_bits(kernel);
                }
            }
        }
        record.count = to_u16(kernel.operands.len() - as_index(record.first));
        kernel.code.push(record);
        Ok(())
    }

    /// One operand, or what stands for it if the object does not have it.
    fn operand(&mut self, c: &mut Cursor<'_>, slot: &Slot) -> Read<Operand> {
        match slot.when {
            When::Always => {}
            When::Since(number) if self.number < number => return Ok(slot.default_operand()),
            When::SurfaceIndex if !self.surface_index => return Ok(slot.default_operand()),
            when if !when.holds(self.mode) => return Ok(Operand::Absent),
            _ => {}
        }
        let name = slot.name;
        Ok(match slot.enc {
            Enc::Aoffimmi if !self.wide => Operand::Vector(VectorOperand::imm(Type::UW, c.u16(name)?.into())),
            Enc::Vector | Enc::Aoffimmi => Operand::Vector(self.vector(c, name)?),
            Enc::Raw => Operand::Raw(self.raw(c, name)?),
            Enc::U8 => self.num(c.u8(name)?.into()),
            Enc::U16 => self.num(c.u16(name)?.into()),
            Enc::U32 | Enc::I32 => Operand::Num(c.u32(name)?),
            Enc::Surface => Operand::Surface(SurfaceId(c.u8(name)?.into())),
            Enc::Sampler => Operand::Sampler(SamplerId(c.u8(name)?.into())),
            Enc::Label => Operand::Label(LabelId(c.u16(name)?.into())),
            Enc::Str => Operand::Str(StrId(c.u16(name)?.into())),
            Enc::StrWide => Operand::Str(StrId(c.wide(self.wide, name)?)),
            Enc::VarWide => Operand::Num(c.wide(self.wide, name)?),
            Enc::SampleOp if self.version.major >= 4 => Operand::Num(c.u16(name)?.into()),
            Enc::SampleOp => {
                let old = u32::from(c.u8(name)?);
                Operand::Num((old & 0x1f) | (old >> 5) << 8)
            }
            Enc::Exec | Enc::Pred | Enc::Sub | Enc::LabelCount | Enc::LabelList | Enc::RawList => {
                Operand::Absent
            }
        })
    }

    fn num(&mut self, value: u32) -> Operand {
        if self.mode == u32::MAX {
            self.mode = value;
        }
        Operand::Num(value)
    }

    /// A type. Only the low nibble counts: compilers of version 3.2 left bits above it, and Intel's reader
    /// has always masked them out.
    fn data_type(&mut self, c: &mut Cursor<'_>, field: &'static str) -> Read<Type> {
        let raw = c.u8(field)?;
        self.type_bits = raw & 0xf0;
        match Type::from_raw(raw & 15) {
            Some(ty) if ty != Type::Bool => Ok(ty),
            _ => Err(c.illegal(1, field, raw.into(), "a type of 0 to 15 other than bool (10) in bits 0-3")),
        }
    }

    /// Keeps the bits above the type of the last operand, so that the writer gives them back.
    fn note_type_bits(&mut self, kernel: &mut Kernel) {
        if self.type_bits != 0 {
            let operand = to_index(kernel.operands.len()) - 1;
            kernel.quirks.type_bits.push(TypeBits { operand, bits: self.type_bits });
            self.type_bits = 0;
        }
    }

    fn exec(&self, c: &mut Cursor<'_>) -> Read<Exec> {
        let mut raw = c.u8("execution size")?;
        if self.number == 300 {
            // Version 3.0 numbers the masks M0-M7, NoMask (8), default (9).
            let mask = match raw >> 4 {
                mask @ 0..=8 => mask,
                _ => return Err(c.illegal(1, "execution mask", raw.into(), "0 to 8 in bits 4-7")),
            };
            raw = (raw & 15) | mask << 4;
        }
        Exec::from_raw(raw)
            .ok_or_else(|| c.illegal(1, "execution size", raw.into(), "0 to 5 (1 to 32 lanes)"))
    }

    fn raw(&self, c: &mut Cursor<'_>, field: &'static str) -> Read<RawOperand> {
        Ok(RawOperand { var: VarId(c.wide(self.wide, field)?), offset: c.u16(field)? })
    }

    /// A vector operand: a part of its two callers, since it is most of what there is to read.
    #[inline(always)]
    fn vector(&mut self, c: &mut Cursor<'_>, field: &'static str) -> Read<VectorOperand> {
        let tag = c.u8(field)?;
        let modifier = match Modifier::from_raw(tag >> 3) {
            Some(modifier) => modifier,
            None => return Err(c.illegal(1, field, tag.into(), "a modifier of 0 to 5 in bits 3-7")),
        };
        let plain = |c: &Cursor<'_>| match modifier {
            Modifier::None => Ok(()),
            _ => Err(c.illegal(1, field, tag.into(), "no modifier on this class of operand")),
        };
        Ok(match tag & 7 {
            0 => {
                let var = VarId(c.wide(self.wide, field)?);
                let [row, col, low, high] = c.array(field)?;
                let region = region(c, field, u16::from_le_bytes([low, high]))?;
                VectorOperand::General(GeneralOperand { var, row, col, region, modifier })
            }
            1 => {
                let (addr, offset, width) = (AddrId(c.u16(field)?), c.u8(field)?, c.u8(field)?);
                let width = ExecSize::from_raw(width).ok_or_else(|| {
                    c.illegal(1, field, width.into(), "a width of 0 to 5 (1 to 32 elements)")
                })?;
                VectorOperand::Address(AddressOperand { addr, offset, width, modifier })
            }
            2 => match c.u16("predicate")? {
                0 => return Err(c.illegal(2, field, 0, "a predicate other than P0")),
                raw => VectorOperand::Predicate(pred(raw).ok_or_else(|| bad_pred(c, raw))?, modifier),
            },
            3 => {
                let (addr, addr_offset) = (AddrId(c.u16(field)?), c.u8(field)?);
                let offset = (c.u16(field)?).cast_signed();
                let ty = self.data_type(c, field)?;
                let word = c.u16(field)?;
                let region = region(c, field, word)?;
                VectorOperand::Indirect(IndirectOperand { addr, addr_offset, offset, ty, region, modifier })
            }
            5 => {
                plain(c)?;
                let ty = self.data_type(c, field)?;
                let bits = if ty.bytes() == 8 { c.u64(field)? } else { c.u32(field)?.into() };
                VectorOperand::Immediate { ty, bits }
            }
            6 => {
                plain(c)?;
                let class = c.u8(field)?;
                let (index, offset) = (c.u16(field)?, c.u8(field)?);
                match class {
                    0 => VectorOperand::Surface { surface: SurfaceId(index), offset },
                    1 => VectorOperand::Sampler { sampler: SamplerId(index), offset },
                    _ => return Err(c.illegal(4, field, class.into(), "0 (surface), 1 (sampler)")),
                }
            }
            class => {
                let allowed = "an operand class of 0 (general), 1, 2, 3, 5 or 6 in bits 0-2";
                return Err(c.illegal(1, field, class.into(), allowed));
            }
        })
    }
}

/// The fault of an instruction's field.
#[cold]
fn within(instruction: &'static str, mut fault: Box<Error>) -> Box<Error> {
    fault.instruction = Some(instruction);
    fault
}

/// The region of a word that was read last.
fn region(c: &Cursor<'_>, field: &'static str, raw: u16) -> Read<Region> {
    Region::from_raw(raw).ok_or_else(|| c.illegal(2, field, raw.into(), "three region codes of 0 to 7"))
}

/// A predicate word other than 0: id in bits 0-11, combination in bits 13-14, inversion in bit 15.
fn pred(raw: u16) -> Option<PredOperand> {
    let id = PredId(u32::from(raw & 0xfff));
    let ctrl = PredCtrl::from_raw(low_u8(raw >> 13 & 3))?;
    let is_legal = raw & 0x1000 == 0 && id.0 != 0;
    is_legal.then_some(PredOperand { id, inverse: raw & 0x8000 != 0, ctrl })
}

#[cold]
fn bad_pred(c: &Cursor<'_>, raw: u16) -> Box<Error> {
    let allowed = "0, or a predicate of 1 to 4095, bit 12 clear, a combination of 0 to 2";
    c.illegal(2, "predicate", raw.into(), allowed)
}
