//! Gen IR to machine words and machine words to Gen IR.
//!
//! In comes an [`Inst`] in physical registers, out goes a 128-bit word ([`encode`]), and back
//! ([`decode`]). Many words have a 64-bit form: [`compact`] and [`expand`] go between the two.
//! [`CodeBuffer`] encodes a whole kernel, and [`decode_all`] walks the bytes of one.
//!
//! What holds: `encode(decode(w)) == w` for every word `w` that has nothing in bits which its instruction does not read, as
//! compilers write them. Other words decode, too, as in the reference disassembler; encoding gives such bits their usual values,
//! and `decode(encode(decode(w))) == decode(w)`. [`Decoded::comes_back`] tells them apart. `expand(compact(w)) == w` for
//! every word that compacts. No input panics: what a platform cannot express is an [`EncodeError`], fields whose values
//! mean nothing are a [`DecodeError`], both with the field at fault.
//!
//! Two families of layouts exist, one module each: `gen8` for Broadwell to Ice Lake, `xe` for Tiger Lake and later. A
//! platform's row names the layout in its family ([`platforms::Format`]). [`opcodes`] numbers the operations of both.

// Numbers are converted by name (the crate `narrow`) or with an error.
#![cfg_attr(not(test), deny(clippy::as_conversions))]

mod buffer;
mod decode_all;
mod error;
mod gen8;
pub mod opcodes;
#[cfg(test)]
mod outcomes;
#[cfg(test)]
mod tests;
mod word;
mod xe;

pub use buffer::{CodeBuffer, CodeOptions};
pub use decode_all::{DecodeAll, Decoded, decode_all};
pub use error::{DecodeError, EncodeError, Found, Raw};
pub use word::CMPT_CTRL;

use std::ops::RangeInclusive;

use gen_ir::{ExecSize, Inst, Op, Physical};
use platforms::{Format, Platform};

/// The native 128-bit word of an instruction, never compacted. Branch targets must be
/// [`Target::Rel`](gen_ir::Target::Rel).
pub fn encode(platform: Platform, inst: &Inst<Physical>) -> Result<u128, EncodeError> {
    match platform.caps().words.format {
        Format::Gen8(format) => gen8::encode(platform, format, inst),
        Format::Xe(format) => xe::encode(platform, format, inst),
    }
}

/// The instruction in a native 128-bit word.
#[inline]
pub fn decode(platform: Platform, word: u128) -> Result<Inst<Physical>, DecodeError> {
    let mut inst = Inst::new(Op::Illegal, ExecSize::S1);
    decode_into(platform, word, &mut inst)?;
    Ok(inst)
}

/// [`decode`] in place, for loops: `inst` must be fresh ([`Inst::new`]); after an error it holds anything.
#[inline]
pub fn decode_into(platform: Platform, word: u128, inst: &mut Inst<Physical>) -> Result<(), DecodeError> {
    match platform.caps().words.format {
        Format::Gen8(format) => gen8::decode_into(platform, format, word, inst),
        Format::Xe(format) => xe::decode_into(platform, format, word, inst),
    }
}

/// The byte offsets that may be added to an address.
pub fn address_offsets(platform: Platform) -> RangeInclusive<i16> {
    match platform.caps().words.format {
        Format::Gen8(_) => gen8::ADDRESS_OFFSETS,
        Format::Xe(format) => xe::address_offsets(format),
    }
}

/// The 64-bit form of a native word, if it has one.
pub fn compact(platform: Platform, word: u128) -> Option<u64> {
    match platform.caps().words.format {
        Format::Gen8(format) => gen8::compact(platform, format, word),
        Format::Xe(format) => xe::compact(platform, format, word),
    }
}

/// Adds a native word to code, in its 64-bit form if it has one.
pub fn append_compacted(platform: Platform, word: u128, code: &mut Vec<u8>) {
    let small = compact(platform, word);
    // All 16 bytes, then the last 8 off: which of the two forms it is, is hard to foretell.
    code.extend_from_slice(&small.map_or(word, u128::from).to_le_bytes());
    code.truncate(code.len() - if small.is_some() { 8 } else { 0 });
}

/// The native word of a compacted one.
pub fn expand(platform: Platform, word: u64) -> Result<u128, DecodeError> {
    match platform.caps().words.format {
        Format::Gen8(format) => gen8::expand(platform, format, word),
        Format::Xe(format) => xe::expand(platform, format, word),
    }
}
