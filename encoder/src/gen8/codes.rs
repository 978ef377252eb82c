//! Field codes and what they mean.

use gen_ir::{Arf, Base, GrfNum, Physical, PredCtrl, Reg, Region, Sfid};
use narrow::{as_index, const_u8, to_u8, wide_u8};

/// Register file codes of a two-bit field.
pub(super) const FILE_ARF: u8 = 0;
pub(super) const FILE_GRF: u8 = 1;
pub(super) const FILE_IMM: u8 = 3;

/// Code of `:ud` and `:d`, in register and immediate fields of all platforms.
pub(super) const TYPE_UD: u8 = 0;
pub(super) const TYPE_D: u8 = 1;

/// A stride or width without a code, a code without a stride or width.
const NONE: u8 = 0x80;

/// Vertical stride of each code.
#[rustfmt::skip]
const VERT: [u8; 16] = [
    0, 1, 2, 4, 8, 16, 32, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, Region::VXH,
];
/// Width of each code.
const WIDTH: [u8; 8] = [1, 2, 4, 8, 16, NONE, NONE, NONE];
/// Horizontal stride of each code.
const HORZ: [u8; 4] = [0, 1, 2, 4];
/// Vertical stride of each code of an Align1 ternary source.
const TERNARY_VERT: [u8; 4] = [0, 2, 4, 8];

/// The code of each value in a table of values.
const fn inverse(values: &[u8]) -> [u8; 256] {
    let mut codes = [NONE; 256];
    let mut i = 0;
    while i < values.len() {
        if values[i] != NONE {
            codes[as_index(wide_u8(values[i]))] = const_u8(i);
        }
        i += 1;
    }
    codes
}

static VERT_CODES: [u8; 256] = inverse(&VERT);
static WIDTH_CODES: [u8; 256] = inverse(&WIDTH);
static HORZ_CODES: [u8; 256] = inverse(&HORZ);
static TERNARY_VERT_CODES: [u8; 256] = inverse(&TERNARY_VERT);

/// The region of each value of the nine region bits of a source; where there is none, its width is
/// [`NONE`].
static REGIONS: [Region; 512] = {
    let mut regions = [Region::new(0, NONE, 0); 512];
    let mut bits = 0;
    while bits < 512 {
        let (vert, width) = (VERT[bits >> 5], WIDTH[bits >> 2 & 7]);
        if vert != NONE && width != NONE {
            regions[bits] = Region::new(vert, width, HORZ[bits & 3]);
        }
        bits += 1;
    }
    regions
};

#[inline]
fn known(value: u8) -> Option<u8> {
    if value == NONE { None } else { Some(value) }
}

/// The region of a source's bits: vertical stride, width and horizontal stride, highest first.
#[inline]
pub(super) fn region(bits: u32) -> Option<Region> {
    let region = REGIONS[as_index(bits & 511)];
    if region.width == NONE { None } else { Some(region) }
}

/// The reverse.
#[inline]
pub(super) fn region_bits(region: Region) -> Option<u32> {
    let vert = VERT_CODES[usize::from(region.vert)];
    let width = WIDTH_CODES[usize::from(region.width)];
    let horz = HORZ_CODES[usize::from(region.horz)];
    if (vert | width | horz) & NONE != 0 {
        return None;
    }
    Some(u32::from(vert) << 5 | u32::from(width) << 2 | u32::from(horz))
}

/// Horizontal stride.
#[inline]
pub(super) fn horz(code: u8) -> u8 {
    HORZ[usize::from(code & 3)]
}

/// The code of a horizontal stride.
#[inline]
pub(super) fn horz_code(horz: u8) -> Option<u8> {
    known(HORZ_CODES[usize::from(horz)])
}

/// Vertical stride of an Align1 ternary source.
#[inline]
pub(super) fn ternary_vert(code: u8) -> u8 {
    TERNARY_VERT[usize::from(code & 3)]
}

/// The code of an Align1 ternary source's vertical stride.
#[inline]
pub(super) fn ternary_vert_code(vert: u8) -> Option<u8> {
    known(TERNARY_VERT_CODES[usize::from(vert)])
}

/// How an instruction addresses registers ("AccessMode").
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum AccessMode {
    /// By regions.
    Align1,
    /// In rows of four channels.
    Align16,
}

impl AccessMode {
    /// What the bit of a word says.
    pub(super) const fn of_bit(align16: bool) -> AccessMode {
        if align16 { AccessMode::Align16 } else { AccessMode::Align1 }
    }
}

/// Whether operands are those of a math macro, with an extra register each.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum OperandForm {
    Plain,
    Macro,
}

impl OperandForm {
    pub(super) const fn of_macro(is_macro: bool) -> OperandForm {
        if is_macro { OperandForm::Macro } else { OperandForm::Plain }
    }
}

/// Predicate controls in the order of their codes, from 1 on.
const fn pred_codes(mode: AccessMode) -> &'static [PredCtrl] {
    match mode {
        AccessMode::Align1 => &PredCtrl::BY_WIDTH,
        AccessMode::Align16 => &PredCtrl::ALIGN16,
    }
}

/// The predicate control of a code other than 0.
#[inline]
pub(super) fn pred(mode: AccessMode, code: u8) -> Option<PredCtrl> {
    pred_codes(mode).get(usize::from(code).wrapping_sub(1)).copied()
}

/// The code of a predicate control.
#[inline]
pub(super) fn pred_code(mode: AccessMode, ctrl: PredCtrl) -> Option<u8> {
    if ctrl == PredCtrl::Seq {
        return Some(1);
    }
    pred_codes(mode).iter().position(|&c| c == ctrl).map(|i| to_u8(i) + 1)
}

/// The code of a shared function, if the layout has it.
pub(super) fn sfid_code(sfid: Sfid) -> Option<u8> {
    let code = sfid.number();
    (Sfid::before_lsc(code) == sfid).then_some(code)
}

/// How many registers of each kind there are; the kind is the upper half of the register number.
const ARF_COUNT: [u8; 16] = [1, 1, 10, 2, 1, 8, 1, 2, 1, 1, 1, 1, 1, 5, 0, 1];

/// The architecture register that a register number means.
#[inline]
pub(super) fn arf(number: u8) -> Option<Arf> {
    let (high, low) = (number >> 4, number & 15);
    if low < ARF_COUNT[usize::from(high)] { Arf::from_code(high, low) } else { None }
}

/// The number of an architecture register, if the layout has it.
#[inline]
pub(super) fn arf_number(reg: Arf) -> Option<u8> {
    let (high, low) = reg.code();
    if low < ARF_COUNT[usize::from(high)] { Some(high << 4 | low) } else { None }
}

/// The file that a register is in.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum RegFile {
    /// Architecture registers.
    Arf,
    /// General registers.
    Grf,
}

impl RegFile {
    /// General registers where something holds. A single bit for the file means them in some words, the others in others.
    pub(super) const fn general_if(general: bool) -> RegFile {
        if general { RegFile::Grf } else { RegFile::Arf }
    }
}

/// The register that a file and a number mean.
#[inline]
pub(super) fn register(file: RegFile, number: u8, byte: u8) -> Option<Reg<Physical>> {
    match file {
        RegFile::Arf => arf(number).map(|a| Reg::arf(a, byte.into())),
        RegFile::Grf => (number < 128).then(|| Reg::grf(GrfNum::from(number), byte.into())),
    }
}

/// File and number of a register.
#[inline]
pub(super) fn register_number(reg: Reg<Physical>) -> Option<(RegFile, u8)> {
    match reg.base() {
        Base::Grf(n) if n.number() < 128 => Some((RegFile::Grf, to_u8(n.number()))),
        Base::Grf(_) => None,
        Base::Arf(a) => arf_number(a).map(|n| (RegFile::Arf, n)),
        Base::Var(never) => match never {},
    }
}
