//! The word layout of Gen8 to Gen11.
//!
//! [`layout`] names the bits, [`codes`] and [`rules`] say what their values mean and where platforms
//! differ; one module for each family of instructions goes both ways between a word and an [`Inst`].
//! Bits that an instruction does not read may hold anything, as in the reference disassembler; encoding what they decode to
//! leaves them zero.

mod align16;
mod basic;
mod branch;
mod codes;
mod compact;
mod compact_tables;
mod control;
mod fault;
mod layout;
mod lookup;
mod operand;
mod rules;
mod send;
mod ternary1;
mod ternary16;

use crate::{DecodeError, EncodeError, error::Encoded, opcodes};
use fault::{Bad, Fault};
use gen_ir::{Class, Inst, Options, Physical};
use narrow::low_u8;
pub use operand::ADDRESS_OFFSETS;
use platforms::{Caps, Format, Gen8Format, Platform};

// A platform's row says no more of its words than they have room for.
const _: () = {
    let mut at = 0;
    while at < Platform::ROWS.len() {
        let Caps { words, sends, .. } = Platform::ROWS[at].caps();
        let most = if sends.split { layout::Sends::MOST_SRC1 } else { 0 };
        assert!(
            !matches!(words.format, Format::Gen8(_)) || sends.second_most == most,
            "`second_most` of a row, and the bits of the second payload's length in its words"
        );
        at += 1;
    }
};

/// See [`crate::encode`].
pub fn encode(platform: Platform, format: Gen8Format, inst: &Inst<Physical>) -> Result<u128, EncodeError> {
    let error = |b: Box<Bad>| EncodeError::new(inst.op, b.field, b.found, b.allowed);
    let Some(number) = opcodes::number(platform, inst.op) else {
        return Err(error(Bad::new("opcode", inst.op.name(), "an opcode of the platform")));
    };
    let rules = rules::of(format);
    let info = inst.op.info();
    match info.class {
        Class::Basic | Class::Math => basic::encode(rules, info, inst, number),
        Class::Ternary if rules.align16 => ternary16::encode(rules, inst, number),
        Class::Ternary => ternary1::encode(rules, inst, number),
        Class::Send => send::encode(rules, inst, number),
        Class::Branch => branch::encode(rules, inst, number),
        Class::Nullary => nullary(inst, number),
        Class::Dpas | Class::Sync => Err(Bad::new("opcode", inst.op.name(), "an opcode of the platform")),
    }
    .map_err(error)
}

/// See [`crate::decode_into`].
pub fn decode_into(
    platform: Platform,
    format: Gen8Format,
    word: u128,
    inst: &mut Inst<Physical>,
) -> Result<(), DecodeError> {
    decode(platform, format, word, inst).map_err(|f| DecodeError::native(word, f.field, f.found, f.allowed))
}

#[inline]
fn decode(
    platform: Platform,
    format: Gen8Format,
    word: u128,
    inst: &mut Inst<Physical>,
) -> Result<(), Fault> {
    let number = low_u8(word) & 0x7f;
    inst.op = opcodes::from_number(platform, number)
        .ok_or_else(|| Fault::new("Opcode", number, "an opcode of the platform"))?;
    let rules = rules::of(format);
    let info = inst.op.info();
    let has_mode = rules.align16 && info.class != Class::Send;
    let word = if has_mode { word } else { word & !ACCESS_MODE };
    match info.class {
        Class::Basic | Class::Math => basic::decode(rules, info, word, inst),
        Class::Ternary if rules.align16 => ternary16::decode(rules, word, inst),
        Class::Ternary => ternary1::decode(rules, word, inst),
        Class::Send => send::decode(rules, word, inst),
        Class::Branch => branch::decode(rules, word, inst),
        Class::Nullary | Class::Dpas | Class::Sync => {
            decode_nullary(word, inst);
            Ok(())
        }
    }
}

/// `AccessMode`, which neither Gen11 nor messages have.
const ACCESS_MODE: u128 = 1 << 8;

/// `DebugCtrl`, the only field of an instruction without operands.
const DEBUG_CTRL: u128 = 1 << 30;

fn nullary(inst: &Inst<Physical>, number: u8) -> Encoded<u128, Bad> {
    let opts = inst.opts.without(Options::BREAKPOINT).without(Options::COMPACTED);
    let bare = Inst { opts: Options::NONE, origin: Inst::<Physical>::NO_ORIGIN, ..*inst };
    if bare != Inst::new(inst.op, inst.exec) || opts != Options::NONE {
        return Err(Bad::new("operands and options", "some", "none but Breakpoint"));
    }
    let debug = if inst.opts.has(Options::BREAKPOINT) { DEBUG_CTRL } else { 0 };
    Ok(u128::from(number) | debug)
}

fn decode_nullary(word: u128, inst: &mut Inst<Physical>) {
    if word & DEBUG_CTRL != 0 {
        inst.opts = Options::BREAKPOINT;
    }
}

/// See [`crate::compact`].
pub fn compact(platform: Platform, format: Gen8Format, word: u128) -> Option<u64> {
    compact::compact(platform, format, word)
}

/// See [`crate::expand`].
pub fn expand(platform: Platform, format: Gen8Format, word: u64) -> Result<u128, DecodeError> {
    compact::expand(platform, format, word)
        .map_err(|f| DecodeError::compacted(word, f.field, f.found, f.allowed))
}
