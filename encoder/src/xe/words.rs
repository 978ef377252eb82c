//! Formats whose fields stand at the same bits in every layout of the family.
//!
//! Bits 32..0 of every word are the controls, which moved between Tiger Lake ([`super::tgl`]) and Ponte
//! Vecchio ([`super::pvc`]); a format here skips over them. An operand fills one 16-bit slot of a word:
//! destination at bit 48, sources at 64, 96 and 112; a [`Direct`], [`Indirect`] or [`Macro`] lays out
//! its bits.
//!
//! Source: Programmer's Reference Manual for Tiger Lake, volume 8, "EU Instruction Format".

use bitfield_struct::bitfield;
use narrow::const_u8;

/// Slot of a direct operand.
#[bitfield(u16)]
#[derive(PartialEq, Eq)]
pub(super) struct Direct {
    /// Code of the stride in elements. Ternary destinations use only its low bit.
    #[bits(2)]
    pub horz_stride: u8,
    /// 1: general register, 0: architecture register.
    pub reg_file: bool,
    /// Offset in the register, in bytes or words ([`super::layout::Layout::WORD_OFFSETS`]).
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
    /// Offset added to the address, in bytes or words.
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

/// One or two sources.
#[bitfield(u128)]
pub(super) struct BasicWord {
    #[bits(33)]
    __: u64,
    /// `AccWrEn`; where subregisters count in words, the lowest bit of the destination's byte offset.
    pub acc_wr_or_dst_low: bool,
    pub saturate: bool,
    pub dst_addr_mode: bool,
    #[bits(4)]
    pub dst_data_type: u8,
    #[bits(4)]
    pub src0_data_type: u8,
    #[bits(2)]
    pub src0_src_mod: u8,
    pub src0_is_imm: bool,
    pub src1_is_imm: bool,
    #[bits(16)]
    pub dst: u16,
    #[bits(16)]
    pub src0: u16,
    pub src0_addr_mode: bool,
    #[bits(3)]
    pub src0_width: u8,
    /// Where subregisters count in words, three bits and the lowest one of the source's byte offset.
    #[bits(4)]
    pub src0_vert_stride: u8,
    #[bits(4)]
    pub src1_data_type: u8,
    /// Condition, or the function of `math` and `sync`.
    #[bits(4)]
    pub cond_modifier: u8,
    #[bits(16)]
    pub src1: u16,
    pub src1_addr_mode: bool,
    #[bits(3)]
    pub src1_width: u8,
    /// Where subregisters count in words, three bits.
    #[bits(4)]
    pub src1_vert_stride: u8,
    #[bits(2)]
    pub src1_src_mod: u8,
    #[bits(6)]
    __: u8,
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

/// `send`, `sendc`. The descriptors lie in parts.
#[bitfield(u128)]
pub(super) struct SendWord {
    #[bits(33)]
    __: u64,
    /// 1: serialize the two threads of a fused pair, where there are such.
    pub fusion_ctrl: bool,
    pub eot: bool,
    /// Bits 23..11 of the extended descriptor. With a register instead: bits 7..5 its number, and where the word has the
    /// length of the second payload, bit 0 `CPS`, bit 4 `ExBSO`.
    #[bits(13)]
    pub ex_desc_11: u32,
    pub desc_reg: bool,
    pub ex_desc_reg: bool,
    pub dst_reg_file: bool,
    #[bits(5)]
    pub desc_20: u32,
    pub dst_reg_num: u8,
    #[bits(2)]
    pub ex_desc_24: u32,
    pub src0_reg_file: bool,
    #[bits(5)]
    pub desc_25: u32,
    pub src0_reg_num: u8,
    __: bool,
    #[bits(11)]
    pub desc_0: u32,
    #[bits(4)]
    pub sfid: u8,
    #[bits(2)]
    pub ex_desc_26: u32,
    pub src1_reg_file: bool,
    /// Bits 10..6 of the extended descriptor, or the length of the second payload.
    #[bits(5)]
    pub src1_length: u8,
    pub src1_reg_num: u8,
    __: bool,
    #[bits(9)]
    pub desc_11: u32,
    #[bits(2)]
    pub desc_30: u32,
    #[bits(4)]
    pub ex_desc_28: u32,
}

impl SendWord {
    /// Registers that `src1_length` can count.
    pub(super) const MOST_SRC1: u8 = const_u8((1 << SendWord::SRC1_LENGTH_BITS) - 1);
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
