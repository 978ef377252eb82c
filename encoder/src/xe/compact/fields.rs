//! What a compacted word holds, and what a layout says of it.

use super::index::Index;

/// Contents of a compacted word with one or two sources.
#[derive(Clone, Copy, Default)]
pub(super) struct CompactBasic {
    pub(super) opcode: u8,
    pub(super) debug_ctrl: bool,
    pub(super) swsb: u16,
    pub(super) control: u8,
    pub(super) data_type: u8,
    pub(super) sub_reg: u8,
    pub(super) src0: u8,
    pub(super) dst_reg: u8,
    pub(super) src0_reg: u8,
    /// Register number and index of source 1, or an immediate.
    pub(super) src1: u16,
}

/// Contents of a compacted word with three sources.
#[derive(Clone, Copy, Default)]
pub(super) struct CompactTernary {
    pub(super) opcode: u8,
    pub(super) debug_ctrl: bool,
    pub(super) swsb: u16,
    pub(super) control: u8,
    pub(super) source: u8,
    pub(super) sub_reg: u8,
    pub(super) dst_reg: u8,
    pub(super) src0_reg: u8,
    pub(super) src1_reg: u8,
    pub(super) src2_reg: u8,
}

/// Where a platform keeps the fields of compacted words, and its tables.
pub(super) trait Compaction {
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
    fn basic(b: &CompactBasic) -> u64;
    fn basic_of(word: u64) -> CompactBasic;
    fn ternary(t: &CompactTernary) -> u64;
    fn ternary_of(word: u64) -> CompactTernary;
}

/// `DataTypeIndex` on both platforms; the last part only without immediate.
pub(super) const DATA_TYPE: &[(u32, u32)] = &[(35, 43), (46, 50), (66, 66), (88, 91), (98, 98)];

pub(super) const DATA_TYPE_IMM: &[(u32, u32)] = &[(35, 43), (46, 50), (66, 66), (88, 91)];

pub(super) const TERNARY_SUB_REG: &[(u32, u32)] = &[(51, 55), (67, 71), (99, 103), (115, 119)];
