//! Word formats of Ponte Vecchio, where they differ from Tiger Lake.
//!
//! SWSB grew, `AccWrEn` and named predicate widths went, and with GRFs of 64 bytes a subregister field
//! counts in words: the lowest bit of a byte offset has a place of its own, for destination and source 0
//! of the basic format only. Measured with the reference assembler and disassembler.

use super::{
    codes,
    layout::{BasicFields, Controls, Layout, Operand, Send, Source},
    swsb::{self, Kind},
    words::bits,
};
use bitfield_struct::bitfield;
use gen_ir::{PredCtrl, Swsb};
use narrow::{to_i16, to_u8};

/// Bits 32..0 of every word.
#[bitfield(u128)]
struct PvcControlWord {
    #[bits(7)]
    opcode: u8,
    __: bool,
    #[bits(10)]
    swsb: u16,
    #[bits(3)]
    exec_size: u8,
    #[bits(1)]
    flag_sub_reg_num: u8,
    #[bits(2)]
    flag_reg_num: u8,
    /// First channel in units of 8.
    #[bits(2)]
    channel_offset: u8,
    #[bits(2)]
    pred_ctrl: u8,
    pred_inv: bool,
    cmpt_ctrl: bool,
    debug_ctrl: bool,
    mask_ctrl: bool,
    atomic_ctrl: bool,
    #[bits(95)]
    __: u128,
}

/// One or two sources.
#[bitfield(u128)]
struct PvcBasicWord {
    #[bits(33)]
    __: u64,
    /// Lowest bit of the destination's byte offset.
    dst_sub_reg_num_0: bool,
    saturate: bool,
    dst_addr_mode: bool,
    #[bits(4)]
    dst_data_type: u8,
    #[bits(4)]
    src0_data_type: u8,
    #[bits(2)]
    src0_src_mod: u8,
    src0_is_imm: bool,
    src1_is_imm: bool,
    #[bits(16)]
    dst: u16,
    #[bits(16)]
    src0: u16,
    src0_addr_mode: bool,
    #[bits(3)]
    src0_width: u8,
    #[bits(3)]
    src0_vert_stride: u8,
    /// Lowest bit of the source's byte offset.
    src0_sub_reg_num_0: bool,
    #[bits(4)]
    src1_data_type: u8,
    /// Condition, or the function of `math` and `sync`.
    #[bits(4)]
    cond_modifier: u8,
    #[bits(16)]
    src1: u16,
    src1_addr_mode: bool,
    #[bits(3)]
    src1_width: u8,
    #[bits(3)]
    src1_vert_stride: u8,
    __: bool,
    #[bits(2)]
    src1_src_mod: u8,
    #[bits(6)]
    __: u8,
}

/// `send`, `sendc`. The descriptors lie in pieces.
#[bitfield(u128)]
struct PvcSendWord {
    #[bits(33)]
    __: u64,
    __: bool,
    eot: bool,
    /// Bits 23..11 of the extended descriptor. With a register instead: bit 0 `CPS`, bit 4 `ExBSO`,
    /// bits 7..5 its number.
    #[bits(13)]
    ex_desc_11: u32,
    desc_reg: bool,
    ex_desc_reg: bool,
    dst_reg_file: bool,
    #[bits(5)]
    desc_20: u32,
    dst_reg_num: u8,
    #[bits(2)]
    ex_desc_24: u32,
    src0_reg_file: bool,
    #[bits(5)]
    desc_25: u32,
    src0_reg_num: u8,
    __: bool,
    #[bits(11)]
    desc_0: u32,
    #[bits(4)]
    sfid: u8,
    #[bits(2)]
    ex_desc_26: u32,
    src1_reg_file: bool,
    #[bits(5)]
    src1_length: u8,
    src1_reg_num: u8,
    __: bool,
    #[bits(9)]
    desc_11: u32,
    #[bits(2)]
    desc_30: u32,
    #[bits(4)]
    ex_desc_28: u32,
}

/// Ponte Vecchio.
pub(super) struct Pvc;

impl Layout for Pvc {
    const GRF_BYTES: u32 = 64;
    const FLAGS: u8 = 4;
    const CHANNELS: u8 = 8;
    const BF16: bool = true;
    const INT_DIV: bool = false;
    const SYNC_FENCE: bool = true;
    const ACC_WR: bool = false;
    const SWSB: u128 = bits(8, 17);
    const FLAG: u128 = bits(21, 23);
    const DST_LOW: u128 = bits(33, 33);
    const SRC_VERT: u128 = bits(84, 87) | bits(116, 118);
    const VXH: u8 = 7;
    const ADDR_IMM: (i32, i32) = (-1024, 1023);
    const SRC1_ADDR_IMM: (i32, i32) = (-1024, 1022);
    const FUSION: bool = false;
    const SRC1_LENGTH: bool = true;
    const LSC: bool = true;

    #[inline(always)]
    fn controls(c: &Controls) -> u128 {
        PvcControlWord::new()
            .with_opcode(c.opcode)
            .with_swsb(c.swsb)
            .with_exec_size(c.exec_size)
            .with_channel_offset(c.channel / 8)
            .with_flag_sub_reg_num(c.flag & 1)
            .with_flag_reg_num(c.flag >> 1)
            .with_pred_ctrl(c.pred_ctrl)
            .with_pred_inv(c.pred_inv)
            .with_debug_ctrl(c.debug)
            .with_mask_ctrl(c.no_mask)
            .with_atomic_ctrl(c.atomic)
            .into_bits()
    }

    #[inline(always)]
    fn controls_of(word: u128) -> Controls {
        let w = PvcControlWord::from_bits(word);
        Controls {
            opcode: w.opcode(),
            swsb: w.swsb(),
            exec_size: w.exec_size(),
            channel: w.channel_offset() * 8,
            flag: w.flag_reg_num() << 1 | w.flag_sub_reg_num(),
            pred_ctrl: w.pred_ctrl(),
            pred_inv: w.pred_inv(),
            debug: w.debug_ctrl(),
            no_mask: w.mask_ctrl(),
            atomic: w.atomic_ctrl(),
        }
    }

    #[inline(always)]
    fn basic(b: &BasicFields) -> u128 {
        PvcBasicWord::new()
            .with_dst_sub_reg_num_0(b.dst.low)
            .with_saturate(b.saturate)
            .with_dst_addr_mode(b.dst.indirect)
            .with_dst_data_type(b.dst_type)
            .with_src0_data_type(b.src0.data_type)
            .with_src0_src_mod(b.src0.src_mod)
            .with_src0_is_imm(b.src0.is_imm)
            .with_src1_is_imm(b.src1.is_imm)
            .with_dst(b.dst.slot)
            .with_src0(b.src0.operand.slot)
            .with_src0_addr_mode(b.src0.operand.indirect)
            .with_src0_width(b.src0.width)
            .with_src0_vert_stride(b.src0.vert_stride)
            .with_src0_sub_reg_num_0(b.src0.operand.low)
            .with_src1_data_type(b.src1.data_type)
            .with_cond_modifier(b.function)
            .with_src1(b.src1.operand.slot)
            .with_src1_addr_mode(b.src1.operand.indirect)
            .with_src1_width(b.src1.width)
            .with_src1_vert_stride(b.src1.vert_stride)
            .with_src1_src_mod(b.src1.src_mod)
            .into_bits()
    }

    #[inline(always)]
    fn basic_of(word: u128) -> BasicFields {
        let w = PvcBasicWord::from_bits(word);
        BasicFields {
            acc_wr: false,
            saturate: w.saturate(),
            function: w.cond_modifier(),
            dst: Operand { slot: w.dst(), indirect: w.dst_addr_mode(), low: w.dst_sub_reg_num_0() },
            dst_type: w.dst_data_type(),
            src0: Source {
                operand: Operand {
                    slot: w.src0(),
                    indirect: w.src0_addr_mode(),
                    low: w.src0_sub_reg_num_0(),
                },
                data_type: w.src0_data_type(),
                src_mod: w.src0_src_mod(),
                is_imm: w.src0_is_imm(),
                width: w.src0_width(),
                vert_stride: w.src0_vert_stride(),
            },
            src1: Source {
                operand: Operand { slot: w.src1(), indirect: w.src1_addr_mode(), low: false },
                data_type: w.src1_data_type(),
                src_mod: w.src1_src_mod(),
                is_imm: w.src1_is_imm(),
                width: w.src1_width(),
                vert_stride: w.src1_vert_stride(),
            },
        }
    }

    #[inline(always)]
    fn send(s: &Send) -> u128 {
        let ex_desc_11 = match s.ex_desc_reg {
            Some(sub) => u32::from(sub) << 5 | u32::from(s.ex_bso) << 4 | u32::from(s.cps),
            None => s.ex_desc >> 11 & 0x1fff,
        };
        PvcSendWord::new()
            .with_eot(s.eot)
            .with_ex_desc_11(ex_desc_11)
            .with_desc_reg(s.desc_reg)
            .with_ex_desc_reg(s.ex_desc_reg.is_some())
            .with_dst_reg_file(s.dst.0)
            .with_desc_20(s.desc >> 20 & 0x1f)
            .with_dst_reg_num(s.dst.1)
            .with_ex_desc_24(s.ex_desc >> 24 & 3)
            .with_src0_reg_file(s.src0.0)
            .with_desc_25(s.desc >> 25 & 0x1f)
            .with_src0_reg_num(s.src0.1)
            .with_desc_0(s.desc & 0x7ff)
            .with_sfid(s.sfid)
            .with_ex_desc_26(s.ex_desc >> 26 & 3)
            .with_src1_reg_file(s.src1.0)
            .with_src1_length(s.src1_length)
            .with_src1_reg_num(s.src1.1)
            .with_desc_11(s.desc >> 11 & 0x1ff)
            .with_desc_30(s.desc >> 30)
            .with_ex_desc_28(s.ex_desc >> 28)
            .into_bits()
    }

    #[inline(always)]
    fn send_of(word: u128) -> Send {
        let w = PvcSendWord::from_bits(word);
        Send {
            serialize: false,
            ex_bso: w.ex_desc_reg() && w.ex_desc_11() >> 4 & 1 != 0,
            cps: w.ex_desc_reg() && w.ex_desc_11() & 1 != 0,
            eot: w.eot(),
            desc_reg: w.desc_reg(),
            desc: w.desc_0() | w.desc_11() << 11 | w.desc_20() << 20 | w.desc_25() << 25 | w.desc_30() << 30,
            ex_desc_reg: w.ex_desc_reg().then(|| (w.ex_desc_11() >> 5 & 7) as u8),
            ex_desc: w.ex_desc_11() << 11
                | w.ex_desc_24() << 24
                | w.ex_desc_26() << 26
                | w.ex_desc_28() << 28,
            src1_length: w.src1_length(),
            dst: (w.dst_reg_file(), w.dst_reg_num()),
            src0: (w.src0_reg_file(), w.src0_reg_num()),
            src1: (w.src1_reg_file(), w.src1_reg_num()),
            sfid: w.sfid(),
        }
    }

    #[inline(always)]
    fn split_byte(byte: u32) -> (u8, bool) {
        (to_u8(byte >> 1), byte & 1 != 0)
    }

    #[inline(always)]
    fn join_byte(sub: u8, low: bool) -> u32 {
        u32::from(sub) << 1 | u32::from(low)
    }

    #[inline(always)]
    fn split_imm(imm: i32) -> (i16, bool) {
        (to_i16(imm >> 1), imm & 1 != 0)
    }

    #[inline(always)]
    fn join_imm(imm: i16, low: bool) -> i32 {
        i32::from(imm) << 1 | i32::from(low)
    }

    fn pred_code(ctrl: PredCtrl) -> Option<u8> {
        codes::pred_code_narrow(ctrl)
    }

    fn pred_of(code: u8) -> Option<PredCtrl> {
        codes::pred_of_narrow(code)
    }

    #[inline(always)]
    fn swsb_code(swsb: Swsb, kind: Kind) -> Option<u16> {
        swsb::multi::encode(swsb, kind)
    }

    fn swsb_of(code: u16, kind: Kind) -> Option<Swsb> {
        swsb::multi::decode(code, kind)
    }
}
