//! The word layout of Gen12 and later.
//!
//! A word's format follows from its opcode. Bits 32..0 are controls, the rest depends on the class of
//! the operation: one or two sources, three sources, systolic, message, flow control. Platforms differ
//! in where some fields stand; [`layout::Layout`] hides that from [`encode`](mod@encode) and
//! [`decode`](mod@decode), which deal with values; the classes of operations have a file each, both ways. [`words`] holds the formats that did not move,
//! [`tgl`] and [`pvc`] those that did.

mod basic;
mod branch;
mod codes;
mod compact;
mod decode;
mod encode;
mod layout;
mod operand;
mod pvc;
mod pvc_tables;
mod send;
mod swsb;
mod ternary;
mod tgl;
mod tgl_tables;
mod words;

use crate::{DecodeError, EncodeError};
use gen_ir::{Inst, Physical};
use layout::wide;
use platforms::Platform;

/// See [`crate::encode`].
#[inline]
pub fn encode(platform: Platform, inst: &Inst<Physical>) -> Result<u128, EncodeError> {
    if wide(platform) {
        encode::encode::<pvc::Pvc>(platform, inst)
    } else {
        encode::encode::<tgl::Tgl>(platform, inst)
    }
}

/// See [`crate::decode_into`].
#[inline]
pub fn decode_into(platform: Platform, word: u128, inst: &mut Inst<Physical>) -> Result<(), DecodeError> {
    if wide(platform) {
        decode::decode_into::<pvc::Pvc>(platform, word, inst)
    } else {
        decode::decode_into::<tgl::Tgl>(platform, word, inst)
    }
}

/// See [`crate::compact`].
#[inline]
pub fn compact(platform: Platform, word: u128) -> Option<u64> {
    compact::compact(platform, word)
}

/// See [`crate::expand`].
pub fn expand(platform: Platform, word: u64) -> Result<u128, DecodeError> {
    compact::expand(platform, word)
}
