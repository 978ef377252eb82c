//! Destination and sources of the basic format.

use std::ops::RangeInclusive;

use super::{
    Bad, Encoded, Fault,
    codes::{self, FILE_ARF, FILE_GRF, OperandForm, RegFile},
    layout::{Basic, SrcDirect, SrcIndirect},
    rules::Rules,
};
use gen_ir::{AddrSub, Dst, Mme, Physical, Reg, Region, Src, SrcMod, Type};
use narrow::{low_u8, to_u8};

/// Which of the two sources.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Slot {
    Src0,
    Src1,
}

/// Names of a source's fields, for errors.
pub(super) struct Names {
    pub operand: &'static str,
    pub file: &'static str,
    pub ty: &'static str,
    pub reg: &'static str,
    pub region: &'static str,
}

const SRC0: Names = Names {
    operand: "src0",
    file: "Src0RegFile",
    ty: "Src0DataType",
    reg: "Src0RegNum",
    region: "Src0 region",
};
const SRC1: Names = Names {
    operand: "src1",
    file: "Src1RegFile",
    ty: "Src1DataType",
    reg: "Src1RegNum",
    region: "Src1 region",
};

impl Slot {
    pub fn names(self) -> &'static Names {
        match self {
            Slot::Src0 => &SRC0,
            Slot::Src1 => &SRC1,
        }
    }

    /// The source's fields of a word.
    #[inline]
    pub fn get(self, w: Basic) -> SourceFields {
        let (file, ty, bits, imm_9) = match self {
            Slot::Src0 => (w.src0_reg_file(), w.src0_data_type(), w.src0(), w.src0_addr_imm_9()),
            Slot::Src1 => (w.src1_reg_file(), w.src1_data_type(), w.src1(), w.src1_addr_imm_9()),
        };
        SourceFields { file, ty, bits, imm_9 }
    }

    /// The word with these fields of the source.
    #[inline]
    pub fn set(self, w: Basic, fields: SourceFields) -> Basic {
        let SourceFields { file, ty, bits, imm_9 } = fields;
        match self {
            Slot::Src0 => {
                w.with_src0_reg_file(file).with_src0_data_type(ty).with_src0(bits).with_src0_addr_imm_9(imm_9)
            }
            Slot::Src1 => {
                w.with_src1_reg_file(file).with_src1_data_type(ty).with_src1(bits).with_src1_addr_imm_9(imm_9)
            }
        }
    }
}

/// What a word has of a source.
#[derive(Clone, Copy)]
pub struct SourceFields {
    /// [`FILE_GRF`], [`FILE_ARF`](super::codes::FILE_ARF) or [`FILE_IMM`](super::codes::FILE_IMM).
    pub file: u8,
    /// The type's code.
    pub ty: u8,
    /// Modifiers, register and region, as the mode has them.
    pub bits: u32,
    /// Bit 9 of an address's constant.
    pub imm_9: bool,
}

impl SourceFields {
    /// Those of a source without an address.
    #[inline]
    pub const fn direct(file: u8, ty: u8, bits: u32) -> SourceFields {
        SourceFields { file, ty, bits, imm_9: false }
    }
}

/// Register numbers and subregisters are byte positions in 32-byte registers.
const ALLOWED_REG: &str = "r0 to r127 or an architecture register, byte 0 to 31";
const ALLOWED_REGION: &str = "strides and width with a code";

fn sub_reg(reg: Reg<Physical>, what: &'static str) -> Encoded<u8, Bad> {
    if reg.byte < 32 { Ok(to_u8(reg.byte)) } else { Err(Bad::new(what, reg.byte, ALLOWED_REG)) }
}

/// File, number and subregister of a direct operand.
#[inline]
pub(super) fn direct(reg: Reg<Physical>, what: &'static str) -> Encoded<(u8, u8, u8), Bad> {
    let (file, number) =
        codes::register_number(reg).ok_or_else(|| Bad::new(what, "another register", ALLOWED_REG))?;
    let file = match file {
        RegFile::Arf => FILE_ARF,
        RegFile::Grf => FILE_GRF,
    };
    Ok((file, number, sub_reg(reg, what)?))
}

/// See [`crate::address_offsets`].
pub const ADDRESS_OFFSETS: RangeInclusive<i16> = -512..=511;

/// Address subregister and the low and high part of the address immediate.
#[inline]
pub(super) fn indirect(addr: Reg<Physical>, imm: i16, what: &'static str) -> Encoded<(u8, u16, bool), Bad> {
    let allowed = "a0.0 to a0.15 with -512 to 511";
    let sub = addr.address_sub().ok_or_else(|| Bad::new(what, addr.byte, allowed))?;
    if !ADDRESS_OFFSETS.contains(&imm) {
        return Err(Bad::new(what, i64::from(imm), allowed));
    }
    Ok((sub.number(), imm.cast_unsigned() & 0x1ff, imm < 0))
}

/// The address immediate of its low nine bits and its sign.
#[inline]
pub(super) fn addr_imm(low: u16, negative: bool) -> i16 {
    low.cast_signed() - if negative { 512 } else { 0 }
}

/// `a0.n`.
#[inline]
pub(super) fn addr_reg(sub: u8) -> Reg<Physical> {
    Reg::address(AddrSub::new(sub))
}

/// The destination. Of a math macro its subregister is the extra register.
#[inline]
pub(super) fn decode_dst(rules: &Rules, w: Basic, form: OperandForm) -> Result<Dst<Physical>, Fault> {
    let code = w.dst_data_type();
    let ty = rules.reg.types[usize::from(code)]
        .ok_or_else(|| Fault::new("DstDataType", code, "a register type of the platform"))?;
    let horz = codes::horz(w.dst_horz_stride());
    // An address leads to general registers, whatever file the word names.
    if w.dst_addr_mode() {
        if form == OperandForm::Macro {
            return Err(Fault::new("DstAddrMode", 1u8, "0 of a math macro"));
        }
        let number = u16::from(w.dst_reg_num());
        let low = (number & 15) << 5 | u16::from(w.dst_sub_reg_num());
        let imm = addr_imm(low, w.dst_addr_imm_9());
        return Ok(Dst::Indirect { addr: addr_reg(low_u8(number >> 4)), imm, horz, ty });
    }
    let file = w.dst_reg_file();
    if file > FILE_GRF {
        return Err(Fault::new("DstRegFile", file, "0 (ARF), 1 (GRF)"));
    }
    let byte = if form == OperandForm::Macro { 0 } else { w.dst_sub_reg_num() };
    let reg = codes::register(RegFile::general_if(file == FILE_GRF), w.dst_reg_num(), byte)
        .ok_or_else(|| Fault::new("DstRegNum", w.dst_reg_num(), ALLOWED_REG))?;
    if form == OperandForm::Macro {
        if horz != 1 {
            return Err(Fault::new("DstHorzStride", w.dst_horz_stride(), "1 of a math macro"));
        }
        return Ok(Dst::Macro { reg, mme: decode_mme(w.dst_sub_reg_num(), "DstMathMacroExt")?, ty });
    }
    Ok(Dst::Direct { reg, horz, ty })
}

/// The fields of a destination.
#[inline]
pub(super) fn encode_dst(rules: &Rules, dst: &Dst<Physical>, w: Basic) -> Encoded<Basic, Bad> {
    let code = |ty: Type| {
        rules.reg.code(ty).ok_or_else(|| Bad::new("dst type", ty, "a register type of the platform"))
    };
    let stride = |horz: u8| {
        codes::horz_code(horz).ok_or_else(|| Bad::new("dst stride", u32::from(horz), "0, 1, 2, 4"))
    };
    match *dst {
        Dst::Direct { reg, horz, ty } => {
            let (file, number, sub) = direct(reg, "dst")?;
            Ok(w.with_dst_reg_file(file)
                .with_dst_reg_num(number)
                .with_dst_sub_reg_num(sub)
                .with_dst_data_type(code(ty)?)
                .with_dst_horz_stride(stride(horz)?))
        }
        Dst::Indirect { addr, imm, horz, ty } => {
            let (sub, low, high) = indirect(addr, imm, "dst address")?;
            Ok(w.with_dst_reg_file(FILE_GRF)
                .with_dst_addr_mode(true)
                .with_dst_reg_num(sub << 4 | low_u8(low >> 5))
                .with_dst_sub_reg_num(low_u8(low) & 31)
                .with_dst_addr_imm_9(high)
                .with_dst_data_type(code(ty)?)
                .with_dst_horz_stride(stride(horz)?))
        }
        Dst::Macro { reg, mme, ty } => {
            let (file, number, _) = direct(reg.at(0), "dst")?;
            Ok(w.with_dst_reg_file(file)
                .with_dst_reg_num(number)
                .with_dst_sub_reg_num(encode_mme(mme)?)
                .with_dst_data_type(code(ty)?)
                .with_dst_horz_stride(1))
        }
        Dst::None => Err(Bad::new("dst", "none", "a destination")),
    }
}

/// A source of a register type in a register file: what both modes have.
pub(super) struct RegisterSource {
    /// [`FILE_GRF`] or the architecture file.
    pub file: u8,
    pub ty: Type,
    /// Modifiers, register and region, as the mode has them.
    pub bits: u32,
    /// Bit 9 of an address's constant.
    pub imm_9: bool,
}

impl RegisterSource {
    /// Refuses other types and files; `files` says in a fault which there are.
    #[inline]
    pub(super) fn get(
        rules: &Rules,
        slot: Slot,
        w: Basic,
        files: &'static str,
    ) -> Result<RegisterSource, Fault> {
        let SourceFields { file, ty, bits, imm_9 } = slot.get(w);
        let names = slot.names();
        let ty = rules.reg.types[usize::from(ty)]
            .ok_or_else(|| Fault::new(names.ty, ty, "a register type of the platform"))?;
        if file > FILE_GRF {
            return Err(Fault::new(names.file, file, files));
        }
        Ok(RegisterSource { file, ty, bits, imm_9 })
    }
}

/// A register source in Align1 mode.
#[inline]
pub(super) fn decode_src(rules: &Rules, slot: Slot, w: Basic) -> Result<Src<Physical>, Fault> {
    let names = slot.names();
    let RegisterSource { file, ty, bits, imm_9 } =
        RegisterSource::get(rules, slot, w, "0 (ARF), 1 (GRF), 3 (immediate) in the last source")?;
    let s = SrcDirect::from_bits(bits);
    let mods = SrcMod::new(s.abs(), s.negate());
    let region = codes::region(bits >> 16)
        .ok_or_else(|| Fault::new(names.region, bits >> 16 & 511, ALLOWED_REGION))?;
    if s.addr_mode() {
        let s = SrcIndirect::from_bits(bits);
        let (addr, imm) = (addr_reg(s.addr_sub_reg_num()), addr_imm(s.addr_imm(), imm_9));
        return Ok(Src::Indirect { addr, imm, region, mods, ty });
    }
    if region.vert == Region::VXH {
        return Err(Fault::new(names.region, s.vert_stride(), "VxH only with an address"));
    }
    let reg = codes::register(RegFile::general_if(file == FILE_GRF), s.reg_num(), s.sub_reg_num())
        .ok_or_else(|| Fault::new(names.reg, s.reg_num(), ALLOWED_REG))?;
    Ok(Src::Direct { reg, region, mods, ty })
}

/// The fields of a register source in Align1 mode.
#[inline]
pub(super) fn encode_src(rules: &Rules, slot: Slot, src: &Src<Physical>, w: Basic) -> Encoded<Basic, Bad> {
    let names = slot.names();
    let code = |ty: Type| {
        rules.reg.code(ty).ok_or_else(|| Bad::new(names.ty, ty, "a register type of the platform"))
    };
    match *src {
        Src::Direct { reg, region, mods, ty } => {
            let (file, number, sub) = direct(reg, names.operand)?;
            if region.vert == Region::VXH {
                return Err(Bad::new(names.region, "VxH", "VxH only with an address"));
            }
            let s = SrcDirect::from_bits(encode_region(region, mods, names)?)
                .with_sub_reg_num(sub)
                .with_reg_num(number);
            Ok(slot.set(w, SourceFields::direct(file, code(ty)?, s.into_bits())))
        }
        Src::Indirect { addr, imm, region, mods, ty } => {
            let (sub, low, high) = indirect(addr, imm, names.operand)?;
            let s = SrcIndirect::from_bits(encode_region(region, mods, names)?)
                .with_addr_sub_reg_num(sub)
                .with_addr_imm(low)
                .with_addr_mode(true);
            let fields = SourceFields { file: FILE_GRF, ty: code(ty)?, bits: s.into_bits(), imm_9: high };
            Ok(slot.set(w, fields))
        }
        _ => Err(Bad::new(names.operand, kind(src), "a register, direct or by address")),
    }
}

/// Region and modifier bits; they stand alike in direct and indirect operands.
#[inline]
fn encode_region(region: Region, mods: SrcMod, names: &Names) -> Encoded<u32, Bad> {
    let Some(bits) = codes::region_bits(region) else {
        let found = u32::from(region.vert) << 16 | u32::from(region.width) << 8 | u32::from(region.horz);
        return Err(Bad::new(names.region, found, ALLOWED_REGION));
    };
    Ok(bits << 16 | SrcDirect::new().with_abs(mods.abs()).with_negate(mods.neg()).into_bits())
}

/// What an operand is, for errors.
pub(super) fn kind(src: &Src<Physical>) -> &'static str {
    match src {
        Src::None => "none",
        Src::Direct { .. } => "a register",
        Src::Indirect { .. } => "a register by address",
        Src::Macro { .. } => "a math macro register",
        Src::Imm { .. } => "an immediate",
        _ => "a variable's address",
    }
}

/// The extra register of a math macro operand.
pub(super) fn decode_mme(code: u8, field: &'static str) -> Result<Mme, Fault> {
    match code {
        0..=7 => Ok(Mme::Reg(code)),
        8 => Ok(Mme::None),
        _ => Err(Fault::new(field, code, "0 to 8")),
    }
}

/// The code of a math macro operand's extra register.
pub(super) fn encode_mme(mme: Mme) -> Encoded<u8, Bad> {
    match mme {
        Mme::Reg(n) if n < 8 => Ok(n),
        Mme::None => Ok(8),
        Mme::Reg(n) => Err(Bad::new("math macro register", u32::from(n), "mme0 to mme7, nomme")),
    }
}
