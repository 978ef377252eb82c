//! The 64-bit form of an instruction.
//!
//! A compacted word keeps opcode, annotation and register numbers, and replaces groups of other bits by
//! indices into tables of the groups that programs use most. Which bits make a group depends on the
//! platform and on the form: one or two sources, with or without immediate, three sources. A word
//! compacts when every group is in its table, and every bit outside is zero.
//!
//! Source: Programmer's Reference Manual for Tiger Lake, volume 8, "EU Compact Instruction Format".

use super::{pvc_tables as pvc, tgl_tables as tgl, words::bits};
use crate::{CMPT_CTRL, DecodeError, opcodes};
use bitfield_struct::bitfield;
use gen_ir::Class;
use platforms::Platform;

/// See [`crate::compact`].
pub(super) fn compact(platform: Platform, word: u128) -> Option<u64> {
    let form = form(platform, word as u64)?;
    if super::wide(platform) { compact_as::<Pvc>(form, word) } else { compact_as::<Tgl>(form, word) }
}

/// See [`crate::expand`].
pub(super) fn expand(platform: Platform, word: u64) -> Result<u128, DecodeError> {
    let Some(form) = form(platform, word) else {
        let found = word & 0x7f;
        return Err(DecodeError::compacted(word, "Opcode", found, "an operation with a compacted form"));
    };
    if word & CMPT_CTRL == 0 {
        return Err(DecodeError::compacted(word, "CmptCtrl", 0, "1"));
    }
    if super::wide(platform) { expand_as::<Pvc>(form, word) } else { expand_as::<Tgl>(form, word) }
}

/// Which groups of bits an operation's words have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    One,
    Two,
    Three,
    Dpas,
}

/// The form of a native or compacted word, both of which have the opcode in bits 6..0.
#[inline]
fn form(platform: Platform, word: u64) -> Option<Form> {
    FORMS[platform as usize][(word & 0x7f) as usize]
}

static FORMS: [[Option<Form>; 128]; Platform::ROWS.len()] = {
    let mut table = [[None; 128]; Platform::ROWS.len()];
    let mut p = 0;
    while p < Platform::ROWS.len() {
        let mut number = 0;
        while number < 128 {
            if let Some(op) = opcodes::from_number(Platform::ROWS[p], number as u8) {
                let info = op.info();
                table[p][number] = match info.class {
                    Class::Sync => Some(Form::One),
                    Class::Basic if info.srcs == 1 => Some(Form::One),
                    Class::Basic => Some(Form::Two),
                    Class::Ternary => Some(Form::Three),
                    Class::Dpas => Some(Form::Dpas),
                    _ => None,
                };
            }
            number += 1;
        }
        p += 1;
    }
    table
};

/// Contents of a compacted word with one or two sources.
#[derive(Clone, Copy, Default)]
struct Basic {
    opcode: u8,
    debug_ctrl: bool,
    swsb: u16,
    control: u8,
    data_type: u8,
    sub_reg: u8,
    src0: u8,
    dst_reg: u8,
    src0_reg: u8,
    /// Register number and index of source 1, or an immediate.
    src1: u16,
}

/// Contents of a compacted word with three sources.
#[derive(Clone, Copy, Default)]
struct Ternary {
    opcode: u8,
    debug_ctrl: bool,
    swsb: u16,
    control: u8,
    source: u8,
    sub_reg: u8,
    dst_reg: u8,
    src0_reg: u8,
    src1_reg: u8,
    src2_reg: u8,
}

/// Where a platform keeps the fields of compacted words, and its tables.
trait Compaction {
    /// Bits of SWSB, the same in native and compacted words.
    const SWSB: u128;
    const CONTROL: Index;
    const DATA_TYPE: Index;
    /// Beside an immediate.
    const DATA_TYPE_IMM: Index;
    /// Two register sources.
    const SUB_REG: Index;
    /// One register source, or two with an immediate.
    const SUB_REG_0: Index;
    /// Immediate only.
    const SUB_REG_DST: Index;
    const SRC0: Index;
    const SRC1: Index;
    const TERNARY: [Index; 3];
    const DPAS: [Index; 3];
    fn basic(b: &Basic) -> u64;
    fn basic_of(word: u64) -> Basic;
    fn ternary(t: &Ternary) -> u64;
    fn ternary_of(word: u64) -> Ternary;
}

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
fn compact_as<C: Compaction>(form: Form, word: u128) -> Option<u64> {
    match form {
        Form::Three => ternary::<C>(const { &C::TERNARY }, word),
        Form::Dpas => ternary::<C>(const { &C::DPAS }, word),
        Form::One if word & SRC0_IS_IMM != 0 => basic::<C, false, true>(word),
        Form::One => basic::<C, false, false>(word),
        Form::Two if word & SRC1_IS_IMM != 0 => basic::<C, true, true>(word),
        Form::Two => basic::<C, true, false>(word),
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
        let code = if two { word >> 88 } else { word >> 40 } as u8 & 0xf;
        compact_imm(code, (word >> 96) as u32, &mut all)
    } else {
        let register = if two { u16::from(field(word, 104)) << 4 } else { 0 };
        u16::from(src1.find(word, &mut all)) | register
    };
    let small = C::basic(&Basic {
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
    let small = C::ternary(&Ternary {
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

fn expand_as<C: Compaction>(form: Form, small: u64) -> Result<u128, DecodeError> {
    let tables = match form {
        Form::Three => const { &C::TERNARY },
        Form::Dpas => const { &C::DPAS },
        Form::One => return expand_basic::<C>(false, small),
        Form::Two => return expand_basic::<C>(true, small),
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
    } else if b.src0_reg != 0 {
        let found = b.src0_reg.into();
        return Err(DecodeError::compacted(small, "Src0.RegNum", found, "0 beside an immediate"));
    }
    if imm {
        let code = if two { word >> 88 } else { word >> 40 } as u8 & 0xf;
        let Some(value) = expand_imm(code, b.src1) else {
            let found = code.into();
            return Err(DecodeError::compacted(small, "DataType", found, "a type of compacted immediates"));
        };
        return Ok(word | u128::from(value) << 96);
    }
    word |= src1.expand((b.src1 & 0xf) as u8);
    if two {
        word |= u128::from(b.src1 >> 4) << 104;
    } else if b.src1 >> 4 != 0 {
        let found = (b.src1 >> 4).into();
        return Err(DecodeError::compacted(small, "Src1.RegNum", found, "0 without a second source"));
    }
    Ok(word)
}

fn field(word: u128, low: u32) -> u8 {
    (word >> low) as u8
}

fn swsb<C: Compaction>(word: u128) -> u16 {
    ((word & C::SWSB) >> 8) as u16
}

/// The 12 bits of an immediate, by the code of its type: 16-bit types stand twice in the native word.
/// Whether it has such a form goes to `all`.
#[inline]
fn compact_imm(code: u8, imm: u32, all: &mut bool) -> u16 {
    let half = imm & 0xffff;
    let twice = half == imm >> 16;
    let (fits, small) = match code {
        0 | 2 | 4 | 8 => (imm <= 0xfff, imm),
        1 => (twice && half <= 0xfff, half),
        5 => (twice && half.wrapping_add(0x800) & 0xffff <= 0xfff, half),
        6 => (imm.wrapping_add(0x800) <= 0xfff, imm),
        9 => (twice && half & 0xf == 0, half >> 4),
        10 => (imm & 0xf_ffff == 0, imm >> 20),
        _ => (false, 0),
    };
    *all &= fits;
    small as u16 & 0xfff
}

/// The native immediate of 12 bits: integers extend as their type says, floats at the low end.
fn expand_imm(code: u8, small: u16) -> Option<u32> {
    let small = u32::from(small);
    let signed = ((small << 20) as i32 >> 20) as u32;
    let twice = |half: u32| half & 0xffff | half << 16;
    match code {
        0 | 2 | 4 | 8 => Some(small),
        1 => Some(twice(small)),
        5 => Some(twice(signed)),
        6 => Some(signed),
        9 => Some(twice(small << 4)),
        10 => Some(small << 20),
        _ => None,
    }
}

/// A group of native bits with its table.
struct Index {
    /// All of the bits.
    mask: u128,
    /// The rows, each bit where the native word has it.
    native: [u128; 32],
    /// How many rows there are.
    len: u8,
    /// What [`Index::place`] multiplies by: no two rows share a place.
    factor: u64,
    /// Row numbers by place; where there is none, any.
    places: [u8; 256],
}

impl Index {
    /// `parts`: runs of bits, lowest and highest, which rows list from low to high; none crosses bit 64.
    /// `rows` are cut to the bits that the parts have.
    const fn new(parts: &'static [(u32, u32)], rows: &[u64]) -> Index {
        let mut mask = 0;
        let mut width = 0;
        let mut i = 0;
        while i < parts.len() {
            mask |= bits(parts[i].0, parts[i].1);
            width += parts[i].1 - parts[i].0 + 1;
            i += 1;
        }
        let mut native = [0; 32];
        let mut r = 0;
        while r < rows.len() {
            native[r] = scatter(parts, rows[r] & ((1 << width) - 1));
            r += 1;
        }
        let mut factor: u64 = 0x9e37_79b9_7f4a_7c15;
        loop {
            if let Some(places) = Index::spread(&native, rows.len(), factor) {
                return Index { mask, native, len: rows.len() as u8, factor, places };
            }
            factor = factor.wrapping_mul(0xd134_2543_de82_ef95).wrapping_add(2);
        }
    }

    /// The place of each row, if all differ. Of equal rows the first counts.
    const fn spread(native: &[u128; 32], rows: usize, factor: u64) -> Option<[u8; 256]> {
        const NONE: u8 = 0xff;
        let mut places = [NONE; 256];
        let mut r = 0;
        while r < rows {
            let place = Index::place(native[r], factor);
            if places[place] == NONE {
                places[place] = r as u8;
            } else if native[places[place] as usize] != native[r] {
                return None;
            }
            r += 1;
        }
        let mut p = 0;
        while p < places.len() {
            if places[p] == NONE {
                places[p] = 0;
            }
            p += 1;
        }
        Some(places)
    }

    #[inline(always)]
    const fn place(group: u128, factor: u64) -> usize {
        let low = (group as u64).wrapping_mul(factor);
        let high = ((group >> 64) as u64).wrapping_mul(factor.rotate_left(32) | 1);
        (low.wrapping_add(high) >> 56) as usize
    }

    /// The first row that equals the word's bits; whether there is one goes to `all`, which spares a
    /// branch that is hard to foretell.
    #[inline(always)]
    fn find(&self, word: u128, all: &mut bool) -> u8 {
        let group = word & self.mask;
        let found = self.places[Index::place(group, self.factor)];
        *all &= self.native[(found & 31) as usize] == group;
        found
    }

    /// The native bits of a row; `index` has no more bits than rows need.
    fn expand(&self, index: u8) -> u128 {
        debug_assert!(index < self.len);
        self.native[(index & 31) as usize]
    }
}

/// A row's bits, spread over the parts of a native word.
const fn scatter(parts: &[(u32, u32)], mut row: u64) -> u128 {
    let mut word = 0;
    let mut i = 0;
    while i < parts.len() {
        let (low, high) = parts[i];
        let width = high - low + 1;
        word |= ((row & ((1 << width) - 1)) as u128) << low;
        row >>= width;
        i += 1;
    }
    word
}

/// `DataTypeIndex` on both platforms; the last part only without immediate.
const DATA_TYPE: &[(u32, u32)] = &[(35, 43), (46, 50), (66, 66), (88, 91), (98, 98)];
const DATA_TYPE_IMM: &[(u32, u32)] = &[(35, 43), (46, 50), (66, 66), (88, 91)];
const TERNARY_SUB_REG: &[(u32, u32)] = &[(51, 55), (67, 71), (99, 103), (115, 119)];

#[bitfield(u64)]
struct TglBasic {
    #[bits(7)]
    opcode: u8,
    debug_ctrl: bool,
    swsb: u8,
    dst_reg_num: u8,
    #[bits(5)]
    control_index: u8,
    #[bits(default = true)]
    cmpt_ctrl: bool,
    #[bits(5)]
    data_type_index: u8,
    #[bits(5)]
    sub_reg_index: u8,
    src0_reg_num: u8,
    #[bits(4)]
    src0_index: u8,
    /// `Src1Index` in the low 4 bits, `Src1.RegNum` above; or a compacted immediate.
    #[bits(12)]
    src1: u16,
}

#[bitfield(u64)]
struct TglTernary {
    #[bits(7)]
    opcode: u8,
    debug_ctrl: bool,
    swsb: u8,
    dst_reg_num: u8,
    #[bits(5)]
    control_index: u8,
    #[bits(default = true)]
    cmpt_ctrl: bool,
    #[bits(5)]
    source_index: u8,
    #[bits(5)]
    sub_reg_index: u8,
    src0_reg_num: u8,
    src2_reg_num: u8,
    src1_reg_num: u8,
}

struct Tgl;

impl Compaction for Tgl {
    const SWSB: u128 = bits(8, 15);
    const CONTROL: Index = Index::new(&[(16, 28), (31, 31), (32, 34), (92, 95)], &tgl::CONTROL);
    const DATA_TYPE: Index = Index::new(DATA_TYPE, &tgl::DATA_TYPE);
    const DATA_TYPE_IMM: Index = Index::new(DATA_TYPE_IMM, &tgl::DATA_TYPE);
    const SUB_REG: Index = Index::new(&[(51, 55), (67, 71), (99, 103)], &tgl::SUB_REG);
    const SUB_REG_0: Index = Index::new(&[(51, 55), (67, 71)], &tgl::SUB_REG);
    const SUB_REG_DST: Index = Index::new(&[(51, 55)], &tgl::SUB_REG);
    const SRC0: Index = Index::new(&[(44, 45), (64, 65), (80, 87)], &tgl::SRC0);
    const SRC1: Index = Index::new(&[(96, 97), (112, 121)], &tgl::SRC1);
    #[rustfmt::skip]
    const TERNARY: [Index; 3] = [
        Index::new(
            &[(16, 28), (31, 31), (32, 34), (36, 42), (48, 48), (50, 50), (80, 82), (88, 90), (92, 95)],
            &tgl::TERNARY_CONTROL,
        ),
        Index::new(
            &[(35, 35), (43, 47), (64, 66), (83, 87), (91, 91), (96, 98), (112, 114)],
            &tgl::TERNARY_SOURCE,
        ),
        Index::new(TERNARY_SUB_REG, &tgl::TERNARY_SUB_REG),
    ];
    /// Tiger Lake has no `dpas`.
    const DPAS: [Index; 3] = Self::TERNARY;

    #[inline(always)]
    fn basic(b: &Basic) -> u64 {
        TglBasic::new()
            .with_opcode(b.opcode)
            .with_debug_ctrl(b.debug_ctrl)
            .with_swsb(b.swsb as u8)
            .with_dst_reg_num(b.dst_reg)
            .with_control_index(b.control)
            .with_data_type_index(b.data_type)
            .with_sub_reg_index(b.sub_reg)
            .with_src0_reg_num(b.src0_reg)
            .with_src0_index(b.src0)
            .with_src1(b.src1)
            .into_bits()
    }

    #[inline(always)]
    fn basic_of(word: u64) -> Basic {
        let w = TglBasic::from_bits(word);
        Basic {
            opcode: w.opcode(),
            debug_ctrl: w.debug_ctrl(),
            swsb: w.swsb().into(),
            control: w.control_index(),
            data_type: w.data_type_index(),
            sub_reg: w.sub_reg_index(),
            src0: w.src0_index(),
            dst_reg: w.dst_reg_num(),
            src0_reg: w.src0_reg_num(),
            src1: w.src1(),
        }
    }

    #[inline(always)]
    fn ternary(t: &Ternary) -> u64 {
        TglTernary::new()
            .with_opcode(t.opcode)
            .with_debug_ctrl(t.debug_ctrl)
            .with_swsb(t.swsb as u8)
            .with_dst_reg_num(t.dst_reg)
            .with_control_index(t.control)
            .with_source_index(t.source)
            .with_sub_reg_index(t.sub_reg)
            .with_src0_reg_num(t.src0_reg)
            .with_src2_reg_num(t.src2_reg)
            .with_src1_reg_num(t.src1_reg)
            .into_bits()
    }

    #[inline(always)]
    fn ternary_of(word: u64) -> Ternary {
        let w = TglTernary::from_bits(word);
        Ternary {
            opcode: w.opcode(),
            debug_ctrl: w.debug_ctrl(),
            swsb: w.swsb().into(),
            control: w.control_index(),
            source: w.source_index(),
            sub_reg: w.sub_reg_index(),
            dst_reg: w.dst_reg_num(),
            src0_reg: w.src0_reg_num(),
            src1_reg: w.src1_reg_num(),
            src2_reg: w.src2_reg_num(),
        }
    }
}

#[bitfield(u64)]
struct PvcBasic {
    #[bits(7)]
    opcode: u8,
    debug_ctrl: bool,
    #[bits(10)]
    swsb: u16,
    #[bits(5)]
    control_index: u8,
    #[bits(3)]
    src0_index: u8,
    #[bits(3)]
    data_type_index_0: u8,
    #[bits(default = true)]
    cmpt_ctrl: bool,
    #[bits(2)]
    data_type_index_3: u8,
    dst_reg_num: u8,
    src0_reg_num: u8,
    #[bits(4)]
    sub_reg_index: u8,
    /// `Src1Index` in the low 4 bits, `Src1.RegNum` above; or a compacted immediate.
    #[bits(12)]
    src1: u16,
}

#[bitfield(u64)]
struct PvcTernary {
    #[bits(7)]
    opcode: u8,
    debug_ctrl: bool,
    #[bits(10)]
    swsb: u16,
    #[bits(4)]
    control_index: u8,
    #[bits(4)]
    source_index: u8,
    #[bits(3)]
    sub_reg_index_0: u8,
    #[bits(default = true)]
    cmpt_ctrl: bool,
    #[bits(2)]
    sub_reg_index_3: u8,
    dst_reg_num: u8,
    src0_reg_num: u8,
    src2_reg_num: u8,
    src1_reg_num: u8,
}

struct Pvc;

impl Pvc {
    const SUB_REG_PARTS: &'static [(u32, u32)] = &[(33, 33), (51, 55), (67, 71), (87, 87)];
    #[rustfmt::skip]
    const TERNARY_CONTROL: &'static [(u32, u32)] =
        &[(18, 28), (31, 31), (32, 32), (34, 34), (36, 42), (48, 50), (80, 82), (88, 90), (92, 95)];
    const TERNARY_SOURCE: &'static [(u32, u32)] =
        &[(35, 35), (43, 47), (64, 66), (83, 87), (91, 91), (96, 98), (112, 114)];
}

impl Compaction for Pvc {
    const SWSB: u128 = bits(8, 17);
    const CONTROL: Index = Index::new(&[(18, 28), (31, 31), (32, 32), (34, 34), (92, 95)], &pvc::CONTROL);
    const DATA_TYPE: Index = Index::new(DATA_TYPE, &pvc::DATA_TYPE);
    const DATA_TYPE_IMM: Index = Index::new(DATA_TYPE_IMM, &pvc::DATA_TYPE);
    const SUB_REG: Index = Index::new(Self::SUB_REG_PARTS, &pvc::SUB_REG);
    const SUB_REG_0: Index = Self::SUB_REG;
    const SUB_REG_DST: Index = Self::SUB_REG;
    const SRC0: Index = Index::new(&[(44, 45), (64, 65), (80, 86)], &pvc::SRC0);
    const SRC1: Index = Index::new(&[(96, 97), (99, 103), (112, 118), (120, 121)], &pvc::SRC1);
    const TERNARY: [Index; 3] = [
        Index::new(Self::TERNARY_CONTROL, &pvc::TERNARY_CONTROL),
        Index::new(Self::TERNARY_SOURCE, &pvc::TERNARY_SOURCE),
        Index::new(TERNARY_SUB_REG, &pvc::TERNARY_SUB_REG),
    ];
    const DPAS: [Index; 3] = [
        Index::new(Self::TERNARY_CONTROL, &pvc::DPAS_CONTROL),
        Index::new(Self::TERNARY_SOURCE, &pvc::DPAS_SOURCE),
        Index::new(TERNARY_SUB_REG, &pvc::TERNARY_SUB_REG),
    ];

    #[inline(always)]
    fn basic(b: &Basic) -> u64 {
        PvcBasic::new()
            .with_opcode(b.opcode)
            .with_debug_ctrl(b.debug_ctrl)
            .with_swsb(b.swsb)
            .with_control_index(b.control)
            .with_src0_index(b.src0)
            .with_data_type_index_0(b.data_type & 7)
            .with_data_type_index_3(b.data_type >> 3)
            .with_dst_reg_num(b.dst_reg)
            .with_src0_reg_num(b.src0_reg)
            .with_sub_reg_index(b.sub_reg)
            .with_src1(b.src1)
            .into_bits()
    }

    #[inline(always)]
    fn basic_of(word: u64) -> Basic {
        let w = PvcBasic::from_bits(word);
        Basic {
            opcode: w.opcode(),
            debug_ctrl: w.debug_ctrl(),
            swsb: w.swsb(),
            control: w.control_index(),
            data_type: w.data_type_index_3() << 3 | w.data_type_index_0(),
            sub_reg: w.sub_reg_index(),
            src0: w.src0_index(),
            dst_reg: w.dst_reg_num(),
            src0_reg: w.src0_reg_num(),
            src1: w.src1(),
        }
    }

    #[inline(always)]
    fn ternary(t: &Ternary) -> u64 {
        PvcTernary::new()
            .with_opcode(t.opcode)
            .with_debug_ctrl(t.debug_ctrl)
            .with_swsb(t.swsb)
            .with_control_index(t.control)
            .with_source_index(t.source)
            .with_sub_reg_index_0(t.sub_reg & 7)
            .with_sub_reg_index_3(t.sub_reg >> 3)
            .with_dst_reg_num(t.dst_reg)
            .with_src0_reg_num(t.src0_reg)
            .with_src2_reg_num(t.src2_reg)
            .with_src1_reg_num(t.src1_reg)
            .into_bits()
    }

    #[inline(always)]
    fn ternary_of(word: u64) -> Ternary {
        let w = PvcTernary::from_bits(word);
        Ternary {
            opcode: w.opcode(),
            debug_ctrl: w.debug_ctrl(),
            swsb: w.swsb(),
            control: w.control_index(),
            source: w.source_index(),
            sub_reg: w.sub_reg_index_3() << 3 | w.sub_reg_index_0(),
            dst_reg: w.dst_reg_num(),
            src0_reg: w.src0_reg_num(),
            src1_reg: w.src1_reg_num(),
            src2_reg: w.src2_reg_num(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn short_of(code: u8, imm: u32) -> Option<u16> {
        let mut fits = true;
        let short = compact_imm(code, imm, &mut fits);
        fits.then_some(short)
    }

    /// A value has a short form exactly when one of the 4,096 short forms expands to it.
    #[test]
    fn short_immediates_are_those_that_expand() {
        for code in 0..16 {
            let long: Vec<Option<u32>> = (0..0x1000).map(|small| expand_imm(code, small)).collect();
            for (small, imm) in (0..).zip(&long) {
                let Some(imm) = *imm else { continue };
                assert_eq!(short_of(code, imm), Some(small), "type {code}, {imm:#x}");
                for near in [imm ^ 1, imm ^ 0x800, imm ^ 0x8000, imm ^ 0x1_0000, imm ^ 1 << 31, !imm] {
                    let short = long.iter().position(|l| *l == Some(near)).map(|s| s as u16);
                    assert_eq!(short_of(code, near), short, "type {code}, {near:#x}");
                }
            }
        }
    }
}
