//! The 64-bit form of an instruction.
//!
//! A compacted word keeps opcode, annotation and register numbers, and replaces groups of other bits by
//! indices into tables of the groups that programs use most. Which bits make a group depends on the
//! platform and on the form: one or two sources, with or without immediate, three sources. A word
//! compacts when every group is in its table, and every bit outside is zero.
//!
//! Source: Programmer's Reference Manual for Tiger Lake, volume 8, "EU Compact Instruction Format".

mod fields;
mod hpg;
mod immediate;
mod index;
mod pvc;
mod tgl;

use self::{
    fields::{CompactBasic, CompactTernary, Compaction},
    hpg::HpgTables,
    immediate::{compact_imm, expand_imm},
    index::Index,
    pvc::PvcTables,
    tgl::TglTables,
};
use super::words::bits;
use crate::{CMPT_CTRL, DecodeError, opcodes};
use gen_ir::Class;
use narrow::{const_u8, low_u8, low_u16, low_u32, low_u64};
use platforms::{Platform, XeFormat};

/// See [`crate::compact`].
pub(super) fn compact(platform: Platform, format: XeFormat, word: u128) -> Option<u64> {
    let form = form(platform, low_u64(word))?;
    match format {
        XeFormat::Gen12 => compact_as::<TglTables>(form, word),
        XeFormat::XeHpg => compact_as::<HpgTables>(form, word),
        XeFormat::XeHpc => compact_as::<PvcTables>(form, word),
    }
}

/// See [`crate::expand`].
pub(super) fn expand(platform: Platform, format: XeFormat, word: u64) -> Result<u128, DecodeError> {
    let Some(form) = form(platform, word) else {
        let found = word & 0x7f;
        return Err(DecodeError::compacted(word, "Opcode", found, "an operation with a compacted form"));
    };
    if word & CMPT_CTRL == 0 {
        return Err(DecodeError::compacted(word, "CmptCtrl", 0, "1"));
    }
    match format {
        XeFormat::Gen12 => expand_as::<TglTables>(form, word),
        XeFormat::XeHpg => expand_as::<HpgTables>(form, word),
        XeFormat::XeHpc => expand_as::<PvcTables>(form, word),
    }
}

/// Which groups of bits an operation's words have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum XeForm {
    One,
    Two,
    Three,
    Dpas,
}

/// The form of a native or compacted word, both of which have the opcode in bits 6..0.
#[inline]
fn form(platform: Platform, word: u64) -> Option<XeForm> {
    FORMS[platform.index()][usize::from(low_u8(word & 0x7f))]
}

static FORMS: [[Option<XeForm>; 128]; Platform::ROWS.len()] = {
    let mut table = [[None; 128]; Platform::ROWS.len()];
    let mut p = 0;
    while p < Platform::ROWS.len() {
        let mut number = 0;
        while number < 128 {
            if let Some(op) = opcodes::from_number(Platform::ROWS[p], const_u8(number)) {
                let info = op.info();
                table[p][number] = match info.class {
                    Class::Sync => Some(XeForm::One),
                    Class::Basic if info.srcs == 1 => Some(XeForm::One),
                    Class::Basic => Some(XeForm::Two),
                    Class::Ternary => Some(XeForm::Three),
                    Class::Dpas => Some(XeForm::Dpas),
                    _ => None,
                };
            }
            number += 1;
        }
        p += 1;
    }
    table
};

const SRC0_IS_IMM: u128 = bits(46, 46);
const SRC1_IS_IMM: u128 = bits(47, 47);

// Native bits that no index covers, in every form.
const OPCODE: u128 = bits(0, 6);
const DEBUG: u128 = bits(30, 30);
const DST_REG: u128 = bits(56, 63);
const SRC0_REG: u128 = bits(72, 79);
const SRC1_REG: u128 = bits(104, 111);
const SRC2_REG: u128 = bits(120, 127);
const IMM: u128 = bits(96, 127);

#[inline]
fn compact_as<C: Compaction>(form: XeForm, word: u128) -> Option<u64> {
    match form {
        XeForm::Three => ternary::<C>(const { &C::TERNARY }, word),
        XeForm::Dpas => ternary::<C>(const { &C::DPAS }, word),
        XeForm::One if word & SRC0_IS_IMM != 0 => basic::<C, false, true>(word),
        XeForm::One => basic::<C, false, false>(word),
        XeForm::Two if word & SRC1_IS_IMM != 0 => basic::<C, true, true>(word),
        XeForm::Two => basic::<C, true, false>(word),
    }
}

/// `TWO`: two sources; `LAST_IMM`: the last one is an immediate. (Known when this is compiled, so that the
/// groups of bits are.)
#[inline]
fn basic<C: Compaction, const TWO: bool, const LAST_IMM: bool>(word: u128) -> Option<u64> {
    let (two, imm) = (TWO, LAST_IMM);
    let (control, src0, src1) = const { (&C::CONTROL, &C::SRC0, &C::SRC1) };
    let (data_type, sub_reg) = const { sub_tables::<C>(TWO, LAST_IMM) };
    let mut covered =
        OPCODE | DEBUG | C::SWSB | control.mask | data_type.mask | sub_reg.mask | src0.mask | DST_REG;
    covered |= if two || !imm { SRC0_REG } else { 0 };
    covered |= if imm { IMM } else { src1.mask };
    covered |= if two && !imm { SRC1_REG } else { 0 };
    let mut all = word & !covered == 0;
    let src1 = if imm {
        let code = low_u8(if two { word >> 88 } else { word >> 40 }) & 0xf;
        compact_imm(code, low_u32(word >> 96), &mut all)
    } else {
        let register = if two { u16::from(field(word, 104)) << 4 } else { 0 };
        u16::from(src1.find(word, &mut all)) | register
    };
    let small = C::basic(&CompactBasic {
        opcode: field(word, 0) & 0x7f,
        debug_ctrl: word & DEBUG != 0,
        swsb: swsb::<C>(word),
        control: control.find(word, &mut all),
        data_type: data_type.find(word, &mut all),
        sub_reg: sub_reg.find(word, &mut all),
        src0: src0.find(word, &mut all),
        dst_reg: field(word, 56),
        src0_reg: if two || !imm { field(word, 72) } else { 0 },
        src1,
    });
    all.then_some(small)
}

const fn sub_tables<C: Compaction>(two: bool, imm: bool) -> (&'static Index, &'static Index) {
    match (two, imm) {
        (true, false) => (const { &C::DATA_TYPE }, const { &C::SUB_REG }),
        (true, true) => (const { &C::DATA_TYPE_IMM }, const { &C::SUB_REG_0 }),
        (false, false) => (const { &C::DATA_TYPE }, const { &C::SUB_REG_0 }),
        (false, true) => (const { &C::DATA_TYPE_IMM }, const { &C::SUB_REG_DST }),
    }
}

#[inline(always)]
fn ternary<C: Compaction>([control, source, sub_reg]: &'static [Index; 3], word: u128) -> Option<u64> {
    let covered = OPCODE
        | DEBUG
        | C::SWSB
        | control.mask
        | source.mask
        | sub_reg.mask
        | DST_REG
        | SRC0_REG
        | SRC1_REG
        | SRC2_REG;
    let mut all = word & !covered == 0;
    let small = C::ternary(&CompactTernary {
        opcode: field(word, 0) & 0x7f,
        debug_ctrl: word & DEBUG != 0,
        swsb: swsb::<C>(word),
        control: control.find(word, &mut all),
        source: source.find(word, &mut all),
        sub_reg: sub_reg.find(word, &mut all),
        dst_reg: field(word, 56),
        src0_reg: field(word, 72),
        src1_reg: field(word, 104),
        src2_reg: field(word, 120),
    });
    all.then_some(small)
}

fn expand_as<C: Compaction>(form: XeForm, small: u64) -> Result<u128, DecodeError> {
    let tables = match form {
        XeForm::Three => const { &C::TERNARY },
        XeForm::Dpas => const { &C::DPAS },
        XeForm::One => return expand_basic::<C>(false, small),
        XeForm::Two => return expand_basic::<C>(true, small),
    };
    let t = C::ternary_of(small);
    let [control, source, sub_reg] = tables;
    Ok(u128::from(t.opcode)
        | u128::from(t.debug_ctrl) << 30
        | u128::from(t.swsb) << 8
        | control.expand(t.control)
        | source.expand(t.source)
        | sub_reg.expand(t.sub_reg)
        | u128::from(t.dst_reg) << 56
        | u128::from(t.src0_reg) << 72
        | u128::from(t.src1_reg) << 104
        | u128::from(t.src2_reg) << 120)
}

fn expand_basic<C: Compaction>(two: bool, small: u64) -> Result<u128, DecodeError> {
    let b = C::basic_of(small);
    // The row of either table says whether the last source is an immediate; they agree on that.
    let row = const { &C::DATA_TYPE }.expand(b.data_type);
    let imm = row & if two { SRC1_IS_IMM } else { SRC0_IS_IMM } != 0;
    let (data_type, sub_reg) = sub_tables::<C>(two, imm);
    let (control, src0, src1) = const { (&C::CONTROL, &C::SRC0, &C::SRC1) };
    let mut word = u128::from(b.opcode)
        | u128::from(b.debug_ctrl) << 30
        | u128::from(b.swsb) << 8
        | control.expand(b.control)
        | data_type.expand(b.data_type)
        | sub_reg.expand(b.sub_reg)
        | src0.expand(b.src0)
        | u128::from(b.dst_reg) << 56;
    if two || !imm {
        word |= u128::from(b.src0_reg) << 72;
    }
    if imm {
        let code = low_u8(if two { word >> 88 } else { word >> 40 }) & 0xf;
        let Some(value) = expand_imm(code, b.src1) else {
            let found = code.into();
            return Err(DecodeError::compacted(small, "DataType", found, "a type of compacted immediates"));
        };
        return Ok(word | u128::from(value) << 96);
    }
    word |= src1.expand(low_u8(b.src1 & 0xf));
    if two {
        word |= u128::from(b.src1 >> 4) << 104;
    }
    Ok(word)
}

fn field(word: u128, low: u32) -> u8 {
    low_u8(word >> low)
}

fn swsb<C: Compaction>(word: u128) -> u16 {
    low_u16((word & C::SWSB) >> 8)
}
