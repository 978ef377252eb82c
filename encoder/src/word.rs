//! What all instruction words have in common.

/// Bit 29 of either form: the instruction is compacted. (`CmptCtrl` in the manuals.)
pub const CMPT_CTRL: u64 = 1 << 29;
