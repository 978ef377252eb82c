//! The fields of a word, in bit order, under the manual's names.
//!
//! Source: Programmer's Reference Manual volume 7 ("3D Media GPGPU"), "EU Instruction Formats" of
//! Broadwell, Skylake and Ice Lake, confirmed bit by bit with the reference assembler.
//!
//! Bits 0..34 ([`Control`]) are common to all formats. [`Basic`] holds one- and two-source
//! instructions, flow control and `math`; its two sources share [`SrcDirect`], [`SrcIndirect`] and
//! [`SrcAlign16`]. [`Ternary16`] and [`Ternary1`] hold three sources, [`Sends`] the split messages.

use bitfield_struct::bitfield;
use narrow::const_u8;

/// Bits 34..0 of every word: "Header" and "Operand Control" up to `MaskCtrl`.
#[bitfield(u64)]
#[derive(PartialEq, Eq)]
pub(super) struct Control {
    /// Opcode.
    #[bits(7)]
    pub opcode: u8,
    pub reserved_7: bool,
    /// Align1 (0) or Align16 (1).
    pub access_mode: bool,
    pub no_dd_clr: bool,
    pub no_dd_chk: bool,
    /// `NibCtrl` and `QtrCtrl`: the first channel, in steps of four.
    #[bits(3)]
    pub chan_off: u8,
    /// 1 Atomic, 2 Switch, 3 NoPreempt.
    #[bits(2)]
    pub thread_ctrl: u8,
    #[bits(4)]
    pub pred_ctrl: u8,
    pub pred_inv: bool,
    #[bits(3)]
    pub exec_size: u8,
    /// Condition modifier; function of `math`; shared function of a message.
    #[bits(4)]
    pub cond_modifier: u8,
    /// `AccWrCtrl`; `BranchCtrl`; `NoSrcDepSet` of a message.
    pub acc_wr_ctrl: bool,
    pub cmpt_ctrl: bool,
    pub debug_ctrl: bool,
    pub saturate: bool,
    pub flag_sub_reg_num: bool,
    pub flag_reg_num: bool,
    pub mask_ctrl: bool,
    #[bits(29)]
    __: u32,
}

/// One- and two-source format.
#[bitfield(u128)]
#[derive(PartialEq, Eq)]
pub(super) struct Basic {
    /// [`Control`].
    #[bits(35)]
    __: u64,
    #[bits(2)]
    pub dst_reg_file: u8,
    #[bits(4)]
    pub dst_data_type: u8,
    #[bits(2)]
    pub src0_reg_file: u8,
    #[bits(4)]
    pub src0_data_type: u8,
    /// `DstAddrImm[9]`.
    pub dst_addr_imm_9: bool,
    /// `DstSubRegNum`; Align16: `DstChanEn` and `DstSubRegNum[4]`.
    #[bits(5)]
    pub dst_sub_reg_num: u8,
    #[bits(8)]
    pub dst_reg_num: u8,
    #[bits(2)]
    pub dst_horz_stride: u8,
    /// Direct (0) or indirect (1).
    pub dst_addr_mode: bool,
    #[bits(25)]
    pub src0: u32,
    #[bits(2)]
    pub src1_reg_file: u8,
    #[bits(4)]
    pub src1_data_type: u8,
    /// `Src0AddrImm[9]`.
    pub src0_addr_imm_9: bool,
    #[bits(25)]
    pub src1: u32,
    /// `Src1AddrImm[9]`.
    pub src1_addr_imm_9: bool,
    #[bits(6)]
    pub reserved_122: u8,
}

/// A source of the basic format, direct, Align1.
#[bitfield(u32)]
pub(super) struct SrcDirect {
    #[bits(5)]
    pub sub_reg_num: u8,
    #[bits(8)]
    pub reg_num: u8,
    /// `SrcMod`, absolute.
    pub abs: bool,
    /// `SrcMod`, negate.
    pub negate: bool,
    /// Direct (0) or indirect (1).
    pub addr_mode: bool,
    #[bits(2)]
    pub horz_stride: u8,
    #[bits(3)]
    pub width: u8,
    #[bits(4)]
    pub vert_stride: u8,
    #[bits(7)]
    __: u8,
}

/// A source of the basic format, indirect, Align1.
#[bitfield(u32)]
pub(super) struct SrcIndirect {
    /// `AddrImm[8:0]`.
    #[bits(9)]
    pub addr_imm: u16,
    #[bits(4)]
    pub addr_sub_reg_num: u8,
    pub abs: bool,
    pub negate: bool,
    pub addr_mode: bool,
    #[bits(2)]
    pub horz_stride: u8,
    #[bits(3)]
    pub width: u8,
    #[bits(4)]
    pub vert_stride: u8,
    #[bits(7)]
    __: u8,
}

/// A source of the basic format, direct, Align16.
#[bitfield(u32)]
pub(super) struct SrcAlign16 {
    /// `ChanSel[3:0]`: what channels x and y read. Math macros: the extra register.
    #[bits(4)]
    pub chan_sel_xy: u8,
    /// `SubRegNum[4]`.
    pub sub_reg_num_4: bool,
    #[bits(8)]
    pub reg_num: u8,
    pub abs: bool,
    pub negate: bool,
    pub addr_mode: bool,
    /// `ChanSel[7:4]`: what channels z and w read.
    #[bits(4)]
    pub chan_sel_zw: u8,
    pub reserved_20: bool,
    #[bits(4)]
    pub vert_stride: u8,
    #[bits(7)]
    __: u8,
}

/// Three-source format, Align16 (Gen8, Gen9).
#[bitfield(u128)]
#[derive(PartialEq, Eq)]
pub(super) struct Ternary16 {
    /// [`Control`].
    #[bits(35)]
    __: u64,
    /// Source 2 is half (1) or single float (0), where `SrcDataType` is one of them.
    pub src2_type: bool,
    /// The same of source 1.
    pub src1_type: bool,
    pub src0_abs: bool,
    pub src0_negate: bool,
    pub src1_abs: bool,
    pub src1_negate: bool,
    pub src2_abs: bool,
    pub src2_negate: bool,
    #[bits(3)]
    pub src_data_type: u8,
    #[bits(3)]
    pub dst_data_type: u8,
    /// Written channels; math macros: the extra register.
    #[bits(4)]
    pub dst_chan_en: u8,
    /// `DstSubRegNum[4:2]`.
    #[bits(3)]
    pub dst_sub_reg_num: u8,
    #[bits(8)]
    pub dst_reg_num: u8,
    /// [`Ternary16Src`].
    #[bits(21)]
    pub src0: u32,
    #[bits(21)]
    pub src1: u32,
    #[bits(21)]
    pub src2: u32,
    pub reserved_127: bool,
}

/// A source of [`Ternary16`].
#[bitfield(u32)]
pub(super) struct Ternary16Src {
    pub rep_ctrl: bool,
    /// `ChanSel`; math macros: the extra register.
    #[bits(8)]
    pub chan_sel: u8,
    /// `SubRegNum[4:2]`.
    #[bits(3)]
    pub sub_reg_num: u8,
    #[bits(8)]
    pub reg_num: u8,
    /// `SubRegNum[1]`.
    pub sub_reg_num_1: bool,
    #[bits(11)]
    __: u16,
}

/// Three-source format, Align1 (Gen11).
#[bitfield(u128)]
#[derive(PartialEq, Eq)]
pub(super) struct Ternary1 {
    /// [`Control`].
    #[bits(35)]
    __: u64,
    /// Integer (0) or float (1): how the type fields read.
    pub exec_type: bool,
    /// General (0) or architecture register (1).
    pub dst_reg_file: bool,
    pub src0_abs: bool,
    pub src0_negate: bool,
    pub src1_abs: bool,
    pub src1_negate: bool,
    pub src2_abs: bool,
    pub src2_negate: bool,
    /// General register (0); immediate, or the accumulator where the type is `:nf` (1).
    pub src0_reg_file: bool,
    /// General (0) or architecture register (1).
    pub src1_reg_file: bool,
    /// General register (0) or immediate (1).
    pub src2_reg_file: bool,
    #[bits(3)]
    pub dst_data_type: u8,
    /// 1 (0) or 2 (1).
    pub dst_horz_stride: bool,
    #[bits(2)]
    pub reserved_50: u8,
    /// `DstSubRegNum[4:3]` in its upper two bits; math macros: `DstMathMacroExt`.
    #[bits(4)]
    pub dst_sub_reg_num: u8,
    #[bits(8)]
    pub dst_reg_num: u8,
    /// [`Ternary1Src`], or type and `Src0TernaryImm`.
    #[bits(20)]
    pub src0: u32,
    pub reserved_84: bool,
    #[bits(20)]
    pub src1: u32,
    pub reserved_105: bool,
    /// [`Ternary1Src2`], or type and `Src2TernaryImm`.
    #[bits(20)]
    pub src2: u32,
    #[bits(2)]
    pub reserved_126: u8,
}

/// Sources 0 and 1 of [`Ternary1`].
#[bitfield(u32)]
pub(super) struct Ternary1Src {
    #[bits(3)]
    pub data_type: u8,
    /// 0, 2, 4, 8.
    #[bits(2)]
    pub vert_stride: u8,
    #[bits(2)]
    pub horz_stride: u8,
    /// Math macros: `MathMacroExt` in its upper four bits.
    #[bits(5)]
    pub sub_reg_num: u8,
    #[bits(8)]
    pub reg_num: u8,
    #[bits(12)]
    __: u16,
}

/// Source 2 of [`Ternary1`].
#[bitfield(u32)]
pub(super) struct Ternary1Src2 {
    #[bits(3)]
    pub data_type: u8,
    #[bits(2)]
    pub reserved_109: u8,
    #[bits(2)]
    pub horz_stride: u8,
    #[bits(5)]
    pub sub_reg_num: u8,
    #[bits(8)]
    pub reg_num: u8,
    #[bits(12)]
    __: u16,
}

/// `sends`, `sendsc` (Gen9, Gen11).
#[bitfield(u128)]
#[derive(PartialEq, Eq)]
pub(super) struct Sends {
    /// [`Control`].
    #[bits(35)]
    __: u64,
    /// Architecture (0) or general register (1).
    pub dst_reg_file: bool,
    pub src1_reg_file: bool,
    #[bits(4)]
    pub dst_data_type: u8,
    #[bits(3)]
    pub reserved_41: u8,
    #[bits(8)]
    pub src1_reg_num: u8,
    /// `DstSubRegNum[4]`; indirect: `DstAddrImm[4]`.
    pub dst_sub_reg_num_4: bool,
    /// Indirect: `DstAddrSubRegNum` and `DstAddrImm[8:5]`.
    #[bits(8)]
    pub dst_reg_num: u8,
    /// The extended descriptor is in an address register.
    pub sel_reg32_ex_desc: bool,
    /// `DstAddrImm[9]`.
    pub dst_addr_imm_9: bool,
    pub dst_addr_mode: bool,
    /// `ExDesc[9:6]`.
    #[bits(4)]
    pub ex_desc_6: u8,
    /// `Src0SubRegNum[4]`; indirect: `Src0AddrImm[4]`.
    pub src0_sub_reg_num_4: bool,
    /// Indirect: `Src0AddrSubRegNum` and `Src0AddrImm[8:5]`.
    #[bits(8)]
    pub src0_reg_num: u8,
    /// The descriptor is in `a0.0`.
    pub sel_reg32_desc: bool,
    /// `Src0AddrImm[9]`.
    pub src0_addr_imm_9: bool,
    pub src0_addr_mode: bool,
    /// `ExDesc[31:16]`, or the dword of `a0` that holds the extended descriptor.
    #[bits(16)]
    pub ex_desc_16: u16,
    #[bits(31)]
    pub desc: u32,
    pub eot: bool,
}

impl Sends {
    /// Registers that `ex_desc_6`, with an immediate the length of the second payload, can count.
    pub(super) const MOST_SRC1: u8 = const_u8((1 << Sends::EX_DESC_6_BITS) - 1);
}
