//! The 64-bit form of instructions.
//!
//! A compacted word holds register numbers as they are and everything else as indices into tables of
//! bit patterns ([`compact_tables`](super::compact_tables)), found by [`lookup`](super::lookup). An instruction compacts if each of its
//! patterns stands in the table; where a pattern stands there twice the first index is the one.
//!
//! The reference assembler also compacts instructions that start at an odd group of four channels, and
//! loses that start; those keep their native form here.

use super::{
    Fault,
    codes::{FILE_ARF, FILE_IMM},
    compact_tables::{TERNARY_CONTROL, TERNARY_SOURCE},
    lookup::{CONTROLS, SOURCES, SUB_REGS},
    operand::Slot,
    rules::{self, Rules},
};
use crate::{CMPT_CTRL, opcodes};
use bitfield_struct::bitfield;
use gen_ir::{Class, MathFn, Op};
use narrow::{halves, low_i32, low_u8, low_u32, to_u8, wide_u32};
use platforms::{Gen8Format, Platform};

/// Compacted one- and two-source format.
#[bitfield(u64)]
struct Compact {
    #[bits(7)]
    opcode: u8,
    debug_ctrl: bool,
    #[bits(5)]
    control_index: u8,
    #[bits(5)]
    data_type_index: u8,
    #[bits(5)]
    sub_reg_index: u8,
    acc_wr_ctrl: bool,
    #[bits(4)]
    cond_modifier: u8,
    reserved_28: bool,
    cmpt_ctrl: bool,
    #[bits(5)]
    src0_index: u8,
    /// Immediates: bits 11..8 and the sign.
    #[bits(5)]
    src1_index: u8,
    dst_reg_num: u8,
    src0_reg_num: u8,
    /// Immediates: bits 7..0.
    src1_reg_num: u8,
}

/// Compacted three-source format.
#[bitfield(u64)]
struct TernaryCompact {
    #[bits(7)]
    opcode: u8,
    reserved_7: bool,
    #[bits(2)]
    control_index: u8,
    #[bits(2)]
    source_index: u8,
    #[bits(7)]
    dst_reg_num: u8,
    #[bits(9)]
    reserved_19: u16,
    src0_rep_ctrl: bool,
    cmpt_ctrl: bool,
    debug_ctrl: bool,
    saturate: bool,
    src1_rep_ctrl: bool,
    src2_rep_ctrl: bool,
    #[bits(3)]
    src0_sub_reg_num: u8,
    #[bits(3)]
    src1_sub_reg_num: u8,
    #[bits(3)]
    src2_sub_reg_num: u8,
    #[bits(7)]
    src0_reg_num: u8,
    #[bits(7)]
    src1_reg_num: u8,
    #[bits(7)]
    src2_reg_num: u8,
}

/// How an instruction compacts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Gen8Form {
    One,
    Two,
    Three,
    None,
}

#[inline]
fn form(rules: &Rules, op: Op, math: u8) -> Gen8Form {
    match op {
        Op::Movi if rules.movi_two => Gen8Form::Two,
        Op::Movi => Gen8Form::One,
        Op::Ret => Gen8Form::One,
        Op::Send | Op::Sendc if rules.send_compacts => Gen8Form::Two,
        _ => match op.info().class {
            Class::Basic if op.info().srcs == 1 => Gen8Form::One,
            Class::Basic => Gen8Form::Two,
            Class::Math => match MathFn::from_code(math).map(MathFn::sources) {
                Some(1) => Gen8Form::One,
                _ => Gen8Form::Two,
            },
            // The patterns are those of the Align16 forms.
            Class::Ternary if rules.align16 => Gen8Form::Three,
            _ => Gen8Form::None,
        },
    }
}

/// Bits `high..low` of a word, at `to` and up.
#[inline]
fn take(word: u64, low: u32, high: u32, to: u32) -> u32 {
    low_u32(word >> low & ((1 << (high - low + 1)) - 1)) << to
}

/// The reverse: bits from `at` on of a pattern, at `low..high` of a word.
#[inline]
const fn put(pattern: u32, at: u32, low: u32, high: u32) -> u64 {
    (wide_u32(pattern) >> at & ((1 << (high - low + 1)) - 1)) << low
}

/// Native bits that no compacted form holds: 7, 11, 47 and 95.
const LOST_LOW: u64 = 1 << 7 | 1 << 11 | CMPT_CTRL | 1 << 47;
const LOST_HIGH: u64 = 1 << 31;
/// Upper halves: unused bits beside a register source 1, and the type and file of source 1.
const BEYOND_SRC1: u64 = 0x7f << 57;
const SRC1: u64 = 0xffff_ffff_0000_0000;

/// See [`crate::compact`].
#[inline]
pub(super) fn compact(platform: Platform, format: Gen8Format, word: u128) -> Option<u64> {
    let rules = rules::of(format);
    let (low, high) = halves(word);
    let op = opcodes::from_number(platform, low_u8(low) & 0x7f)?;
    match form(rules, op, low_u8(low >> 24) & 15) {
        Gen8Form::One => compact_basic(rules, low, high, Slot::Src0),
        // Only `movi` could, whose null source 1 has no compacted form.
        Gen8Form::Two if op == Op::Movi && last_file(low, high, Slot::Src1) == FILE_ARF => None,
        Gen8Form::Two => compact_basic(rules, low, high, Slot::Src1),
        Gen8Form::Three => compact_ternary(low, high),
        Gen8Form::None => None,
    }
}

#[inline]
fn compact_basic(rules: &Rules, low: u64, high: u64, last: Slot) -> Option<u64> {
    let two = last == Slot::Src1;
    if low & LOST_LOW != 0 || high & LOST_HIGH != 0 {
        return None;
    }
    let data = take(low, 35, 46, 0) | take(high, 25, 30, 12) | take(low, 61, 63, 18);
    let data_type_index = rules.data_types.find(data)?;
    let control = take(low, 8, 8, 0)
        | take(low, 34, 34, 1)
        | take(low, 9, 10, 2)
        | take(low, 12, 23, 4)
        | take(low, 31, 31, 16)
        | take(low, 32, 33, 17);
    let control_index = CONTROLS.find(control)?;
    let imm = last_file(low, high, last) == FILE_IMM;
    let registers = usize::from(two) + usize::from(!imm);
    let mut sub = take(low, 48, 52, 0);
    if registers >= 1 {
        sub |= take(high, 0, 4, 5);
    }
    if registers == 2 {
        sub |= take(high, 32, 36, 10);
    }
    let sub_reg_index = SUB_REGS[registers].find(sub)?;
    let (src1_index, src1_reg_num) = if imm {
        let value = low_i32(high >> 32);
        if !(-4096..4096).contains(&value) || !two && low_u32(high) != 0 {
            return None;
        }
        (value.cast_unsigned() >> 8 & 31, low_u8(value))
    } else if two {
        if high & BEYOND_SRC1 != 0 {
            return None;
        }
        (SOURCES.find(take(high, 45, 56, 0))?.into(), low_u8(high >> 37))
    } else {
        if high & SRC1 != 0 {
            return None;
        }
        (0, 0)
    };
    let src0_index = SOURCES.find(take(high, 13, 24, 0))?;
    Some(
        Compact::new()
            .with_opcode(low_u8(low) & 0x7f)
            .with_debug_ctrl(low >> 30 & 1 != 0)
            .with_control_index(control_index)
            .with_data_type_index(data_type_index)
            .with_sub_reg_index(sub_reg_index)
            .with_acc_wr_ctrl(low >> 28 & 1 != 0)
            .with_cond_modifier(low_u8(low >> 24) & 15)
            .with_cmpt_ctrl(true)
            .with_src0_index(src0_index)
            .with_src1_index(low_u8(src1_index))
            .with_dst_reg_num(low_u8(low >> 53))
            .with_src0_reg_num(low_u8(high >> 5))
            .with_src1_reg_num(src1_reg_num)
            .into_bits(),
    )
}

/// Register file of the last source.
#[inline]
fn last_file(low: u64, high: u64, last: Slot) -> u8 {
    match last {
        Slot::Src0 => low_u8(low >> 41) & 3,
        Slot::Src1 => low_u8(high >> 25) & 3,
    }
}

/// Upper bits of three register numbers (83, 104, 125) and bit 127 count as patterns or must be zero.
#[inline]
fn ternary_source(low: u64, high: u64) -> u64 {
    (low >> 37 & 0x7_ffff)
        | (high >> 1 & 0xff) << 19
        | (high >> 22 & 0xff) << 27
        | (high >> 43 & 0xff) << 35
        | (high >> 19 & 3) << 43
        | (high >> 40 & 3) << 45
        | (high >> 61 & 3) << 47
}

fn compact_ternary(low: u64, high: u64) -> Option<u64> {
    if low & (1 << 7 | CMPT_CTRL | 1 << 63) != 0 || high >> 63 != 0 {
        return None;
    }
    let control = take(low, 8, 28, 0) | take(low, 32, 36, 21);
    let control_index = TERNARY_CONTROL.iter().position(|&c| c == control)?;
    let source = ternary_source(low, high);
    let source_index = TERNARY_SOURCE.iter().position(|&s| s == source)?;
    Some(
        TernaryCompact::new()
            .with_opcode(low_u8(low) & 0x7f)
            .with_control_index(to_u8(control_index))
            .with_source_index(to_u8(source_index))
            .with_dst_reg_num(low_u8(low >> 56) & 0x7f)
            .with_src0_rep_ctrl(high & 1 != 0)
            .with_cmpt_ctrl(true)
            .with_debug_ctrl(low >> 30 & 1 != 0)
            .with_saturate(low >> 31 & 1 != 0)
            .with_src1_rep_ctrl(high >> 21 & 1 != 0)
            .with_src2_rep_ctrl(high >> 42 & 1 != 0)
            .with_src0_sub_reg_num(low_u8(high >> 9) & 7)
            .with_src1_sub_reg_num(low_u8(high >> 30) & 7)
            .with_src2_sub_reg_num(low_u8(high >> 51) & 7)
            .with_src0_reg_num(low_u8(high >> 12) & 0x7f)
            .with_src1_reg_num(low_u8(high >> 33) & 0x7f)
            .with_src2_reg_num(low_u8(high >> 54) & 0x7f)
            .into_bits(),
    )
}

/// See [`crate::expand`].
#[inline]
pub(super) fn expand(platform: Platform, format: Gen8Format, word: u64) -> Result<u128, Fault> {
    let number = low_u8(word) & 0x7f;
    let op = opcodes::from_number(platform, number)
        .ok_or_else(|| Fault::new("Opcode", number, "an opcode of the platform"))?;
    if word & CMPT_CTRL == 0 {
        return Err(Fault::new("CmptCtrl", 0u8, "1"));
    }
    let rules = rules::of(format);
    match form(rules, op, low_u8(word >> 24) & 15) {
        Gen8Form::One => Ok(expand_basic(rules, Compact::from_bits(word), Slot::Src0)),
        Gen8Form::Two => {
            let native = expand_basic(rules, Compact::from_bits(word), Slot::Src1);
            let (low, high) = halves(native);
            if op == Op::Movi && last_file(low, high, Slot::Src1) == FILE_ARF {
                return Err(Fault::new("DataTypeIndex", word >> 13 & 31, "one with a source 1"));
            }
            Ok(native)
        }
        Gen8Form::Three => Ok(expand_ternary(TernaryCompact::from_bits(word))),
        Gen8Form::None => Err(Fault::new("Opcode", number, "an opcode with a compacted form")),
    }
}

#[inline]
fn expand_basic(rules: &Rules, c: Compact, last: Slot) -> u128 {
    let two = last == Slot::Src1;
    let control = CONTROLS.pattern(c.control_index());
    let data = rules.data_types.pattern(c.data_type_index());
    let mut low = u64::from(c.opcode())
        | put(control, 0, 8, 8)
        | put(control, 1, 34, 34)
        | put(control, 2, 9, 10)
        | put(control, 4, 12, 23)
        | put(control, 16, 31, 31)
        | put(control, 17, 32, 33)
        | u64::from(c.cond_modifier()) << 24
        | u64::from(c.acc_wr_ctrl()) << 28
        | u64::from(c.debug_ctrl()) << 30
        | put(data, 0, 35, 46)
        | put(data, 18, 61, 63)
        | u64::from(c.dst_reg_num()) << 53;
    let mut high = put(data, 12, 25, 30);
    let imm = last_file(low, high, last) == FILE_IMM;
    let registers = usize::from(two) + usize::from(!imm);
    let sub = SUB_REGS[registers].pattern(c.sub_reg_index());
    low |= put(sub, 0, 48, 52);
    high |= put(sub, 5, 0, 4) | put(sub, 10, 32, 36);
    // Beside a lone immediate nothing else is read.
    if two || !imm {
        high |= u64::from(c.src0_reg_num()) << 5 | u64::from(SOURCES.pattern(c.src0_index())) << 13;
    }
    if imm {
        // Thirteen bits, the sign on top.
        let value = (u32::from(c.src1_index()) << 8 | u32::from(c.src1_reg_num())) << 19;
        high |= u64::from((value.cast_signed() >> 19).cast_unsigned()) << 32;
    } else if two {
        high |= u64::from(SOURCES.pattern(c.src1_index())) << 45;
        high |= u64::from(c.src1_reg_num()) << 37;
    }
    u128::from(low) | u128::from(high) << 64
}

fn expand_ternary(c: TernaryCompact) -> u128 {
    let control = TERNARY_CONTROL[usize::from(c.control_index())];
    let source = TERNARY_SOURCE[usize::from(c.source_index())];
    let low = u64::from(c.opcode())
        | put(control, 0, 8, 28)
        | put(control, 21, 32, 36)
        | u64::from(c.debug_ctrl()) << 30
        | u64::from(c.saturate()) << 31
        | (source & 0x7_ffff) << 37
        | u64::from(c.dst_reg_num()) << 56;
    let high = u64::from(c.src0_rep_ctrl())
        | (source >> 19 & 0xff) << 1
        | u64::from(c.src0_sub_reg_num()) << 9
        | u64::from(c.src0_reg_num()) << 12
        | (source >> 43 & 3) << 19
        | u64::from(c.src1_rep_ctrl()) << 21
        | (source >> 27 & 0xff) << 22
        | u64::from(c.src1_sub_reg_num()) << 30
        | u64::from(c.src1_reg_num()) << 33
        | (source >> 45 & 3) << 40
        | u64::from(c.src2_rep_ctrl()) << 42
        | (source >> 35 & 0xff) << 43
        | u64::from(c.src2_sub_reg_num()) << 51
        | u64::from(c.src2_reg_num()) << 54
        | (source >> 47 & 3) << 61;
    u128::from(low) | u128::from(high) << 64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_odd_group_of_four_channels_keeps_its_native_form() {
        // mov (4|M0) r10.0<1>:f r11.0<4;4,1>:f, and the same at M4.
        let word = 0x0000_0000_0069_0160_2140_3ae8_0040_0001_u128;
        for platform in [Platform::Bdw, Platform::Skl, Platform::Bxt] {
            assert_eq!(crate::compact(platform, word), Some(0x000b_0a05_6001_0101));
            assert_eq!(crate::compact(platform, word | 1 << 11), None);
        }
    }
}
