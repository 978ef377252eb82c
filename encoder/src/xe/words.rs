//! Formats whose fields stand at the same bits on every platform of the layout.
//!
//! Bits 32..0 of every word are the controls, which moved between Tiger Lake ([`super::tgl`]) and Ponte
//! Vecchio ([`super::pvc`]); a format here skips over them. An operand fills one 16-bit slot of a word:
//! destination at bit 48, sources at 64, 96 and 112; a [`Direct`], [`Indirect`] or [`Macro`] lays out
//! its bits.
//!
//! Source: Programmer's Reference Manual for Tiger Lake, volume 8, "EU Instruction Format".

use bitfield_struct::bitfield;

/// Slot of a direct operand.
#[bitfield(u16)]
#[derive(PartialEq, Eq)]
pub(super) struct Direct {
    /// Code of the stride in elements. Ternary destinations use only its low bit.
    #[bits(2)]
    pub horz_stride: u8,
    /// 1: general register, 0: architecture register.
    pub reg_file: bool,
    /// Offset in the register: bytes on Tiger Lake, words on Ponte Vecchio.
    #[bits(5)]
    pub sub_reg_num: u8,
    /// Register number.
    pub reg_num: u8,
}

/// Slot of an indirect operand.
#[bitfield(u16)]
#[derive(PartialEq, Eq)]
pub(super) struct Indirect {
    /// Code of the stride in elements.
    #[bits(2)]
    pub horz_stride: u8,
    /// Offset added to the address: bytes on Tiger Lake, words on Ponte Vecchio.
    #[bits(10)]
    pub addr_imm: i16,
    /// Subregister of `a0` (words).
    #[bits(4)]
    pub addr_sub_reg_num: u8,
}

/// Slot of a math macro operand.
#[bitfield(u16)]
#[derive(PartialEq, Eq)]
pub(super) struct Macro {
    /// Code of the stride, always 1 or 0 by the operand's place.
    #[bits(2)]
    pub horz_stride: u8,
    /// 1: general register.
    pub reg_file: bool,
    /// `mme0` to `mme7`, 8 for `nomme`.
    #[bits(4)]
    pub math_macro_ext: u8,
    __: bool,
    /// Register number.
    pub reg_num: u8,
}

/// Three sources.
#[bitfield(u128)]
pub(super) struct Ternary {
    #[bits(33)]
    __: u64,
    /// `AccWrEn` (Tiger Lake; reserved later).
    pub acc_wr_ctrl: bool,
    pub saturate: bool,
    /// Low bit of the code.
    pub src0_vert_stride_0: bool,
    /// Types of all operands share [`Ternary::exec_data_type`] as bit 3.
    #[bits(3)]
    pub dst_data_type: u8,
    /// 0: integers, 1: floats.
    pub exec_data_type: bool,
    #[bits(3)]
    pub src0_data_type: u8,
    /// High bit of the code.
    pub src0_vert_stride_1: bool,
    /// Bit 0: absolute value, bit 1: negation. Condition of `bfn`.
    #[bits(2)]
    pub src0_src_mod: u8,
    pub src0_is_imm: bool,
    pub src2_is_imm: bool,
    #[bits(16)]
    pub dst: u16,
    /// Operand slot, or a 16-bit immediate.
    #[bits(16)]
    pub src0: u16,
    #[bits(3)]
    pub src2_data_type: u8,
    /// Low bit of the code.
    pub src1_vert_stride_0: bool,
    /// Low half of `bfn`'s truth table takes this and the next field.
    #[bits(2)]
    pub src2_src_mod: u8,
    #[bits(2)]
    pub src1_src_mod: u8,
    #[bits(3)]
    pub src1_data_type: u8,
    /// High bit of the code.
    pub src1_vert_stride_1: bool,
    /// Condition, or the high half of `bfn`'s truth table.
    #[bits(4)]
    pub cond_modifier: u8,
    #[bits(16)]
    pub src1: u16,
    /// Operand slot, or a 16-bit immediate.
    #[bits(16)]
    pub src2: u16,
}

/// `dpas`.
#[bitfield(u128)]
pub(super) struct Dpas {
    #[bits(36)]
    __: u64,
    /// Types of all operands share [`Dpas::exec_data_type`] as bit 3.
    #[bits(3)]
    pub dst_data_type: u8,
    /// 0: integers, 1: floats.
    pub exec_data_type: bool,
    #[bits(3)]
    pub src0_data_type: u8,
    /// Repeat count, less one.
    #[bits(3)]
    pub repeat_count: u8,
    #[bits(2)]
    __: u8,
    /// The stride bits of the slot hold the code of the systolic depth.
    #[bits(16)]
    pub dst: u16,
    #[bits(16)]
    pub src0: u16,
    #[bits(3)]
    pub src2_data_type: u8,
    __: bool,
    /// 0: as the type says, 1: 4 bits, 2: 2 bits.
    #[bits(2)]
    pub src2_precision: u8,
    #[bits(2)]
    pub src1_precision: u8,
    #[bits(3)]
    pub src1_data_type: u8,
    #[bits(5)]
    __: u8,
    #[bits(16)]
    pub src1: u16,
    #[bits(16)]
    pub src2: u16,
}

/// Flow control.
#[bitfield(u128)]
pub(super) struct Branch {
    #[bits(33)]
    __: u64,
    pub branch_ctrl: bool,
    #[bits(12)]
    __: u16,
    /// JIP is given; otherwise the target is in a register.
    pub src0_is_imm: bool,
    /// UIP is given.
    pub src1_is_imm: bool,
    /// Where a call leaves its return address.
    #[bits(16)]
    pub dst: u16,
    /// UIP, bytes from this instruction. A register target fills the low 16 bits with its slot.
    pub uip: u32,
    /// JIP, bytes from this instruction (`calla`: the address itself).
    pub jip: u32,
}

/// A mask of bits `low` to `high`.
pub(super) const fn bits(low: u32, high: u32) -> u128 {
    (u128::MAX >> (127 - high)) & (u128::MAX << low)
}
