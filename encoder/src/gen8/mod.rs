//! The word layout of Gen8 to Gen11.

use crate::{DecodeError, EncodeError};
use gen_ir::{Inst, Physical};
use platforms::Platform;

/// See [`crate::encode`].
pub fn encode(platform: Platform, inst: &Inst<Physical>) -> Result<u128, EncodeError> {
    Err(EncodeError::new(inst.op, "platform", platform.caps().name, "a platform with the Xe layout"))
}

/// See [`crate::decode`].
pub fn decode(_platform: Platform, word: u128) -> Result<Inst<Physical>, DecodeError> {
    Err(DecodeError::native(word, "platform", 0, "a platform with the Xe layout"))
}

/// See [`crate::compact`].
pub fn compact(_platform: Platform, _word: u128) -> Option<u64> {
    None
}

/// See [`crate::expand`].
pub fn expand(_platform: Platform, word: u64) -> Result<u128, DecodeError> {
    Err(DecodeError::compacted(word, "platform", 0, "a platform with the Xe layout"))
}
