//! The controls of Tiger Lake's words.
//!
//! Source: Programmer's Reference Manual for Tiger Lake, volume 8, "EU Instruction Format".

use super::{
    layout::{Controls, Layout},
    swsb,
    words::bits,
};
use bitfield_struct::bitfield;
use gen_ir::{FlagSub, Swsb, SwsbKind};
use narrow::low_u8;
use platforms::Pipes;

/// Bits 32..0 of every word.
#[bitfield(u128)]
struct TglControlWord {
    #[bits(7)]
    opcode: u8,
    __: bool,
    swsb: u8,
    #[bits(3)]
    exec_size: u8,
    /// First channel in units of 4.
    #[bits(3)]
    channel_offset: u8,
    #[bits(1)]
    flag_sub_reg_num: u8,
    #[bits(1)]
    flag_reg_num: u8,
    #[bits(4)]
    pred_ctrl: u8,
    pred_inv: bool,
    cmpt_ctrl: bool,
    debug_ctrl: bool,
    mask_ctrl: bool,
    atomic_ctrl: bool,
    #[bits(95)]
    __: u128,
}

/// Tiger Lake.
pub(super) struct Tgl;

impl Layout for Tgl {
    const CHANNELS: u8 = 4;
    const SWSB: u128 = bits(8, 15);
    const FLAG: u128 = bits(22, 23);
    const WORD_OFFSETS: bool = false;

    #[inline(always)]
    fn controls(c: &Controls) -> u128 {
        TglControlWord::new()
            .with_opcode(c.opcode)
            .with_swsb(low_u8(c.swsb))
            .with_exec_size(c.exec_size)
            .with_channel_offset(c.channel / 4)
            .with_flag_sub_reg_num(c.flag.half())
            .with_flag_reg_num(c.flag.register())
            .with_pred_ctrl(c.pred_ctrl)
            .with_pred_inv(c.pred_inv)
            .with_debug_ctrl(c.debug)
            .with_mask_ctrl(c.no_mask)
            .with_atomic_ctrl(c.atomic)
            .into_bits()
    }

    #[inline(always)]
    fn controls_of(word: u128) -> Controls {
        let w = TglControlWord::from_bits(word);
        Controls {
            opcode: w.opcode(),
            swsb: w.swsb().into(),
            exec_size: w.exec_size(),
            channel: w.channel_offset() * 4,
            flag: FlagSub::new(w.flag_reg_num(), w.flag_sub_reg_num()),
            pred_ctrl: w.pred_ctrl(),
            pred_inv: w.pred_inv(),
            debug: w.debug_ctrl(),
            no_mask: w.mask_ctrl(),
            atomic: w.atomic_ctrl(),
        }
    }

    fn swsb_code(swsb: Swsb, kind: SwsbKind, pipes: Pipes) -> Option<u16> {
        swsb::byte::encode(swsb, kind, pipes)
    }

    fn swsb_of(code: u16, kind: SwsbKind, pipes: Pipes) -> Option<Swsb> {
        swsb::byte::decode(code, kind, pipes)
    }
}
