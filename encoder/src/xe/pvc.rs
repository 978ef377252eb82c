//! The controls of Ponte Vecchio's words.
//!
//! SWSB and the flag register grew, at the cost of the channel offset and of named predicate widths. Measured with the
//! reference assembler and disassembler.

use super::{
    layout::{Controls, Layout},
    swsb,
    words::bits,
};
use bitfield_struct::bitfield;
use gen_ir::{FlagSub, Swsb, SwsbKind};
use platforms::Pipes;

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

/// Ponte Vecchio.
pub(super) struct Pvc;

impl Layout for Pvc {
    const CHANNELS: u8 = 8;
    const SWSB: u128 = bits(8, 17);
    const FLAG: u128 = bits(21, 23);
    const WORD_OFFSETS: bool = true;

    #[inline(always)]
    fn controls(c: &Controls) -> u128 {
        PvcControlWord::new()
            .with_opcode(c.opcode)
            .with_swsb(c.swsb)
            .with_exec_size(c.exec_size)
            .with_channel_offset(c.channel / 8)
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
        let w = PvcControlWord::from_bits(word);
        Controls {
            opcode: w.opcode(),
            swsb: w.swsb(),
            exec_size: w.exec_size(),
            channel: w.channel_offset() * 8,
            flag: FlagSub::new(w.flag_reg_num(), w.flag_sub_reg_num()),
            pred_ctrl: w.pred_ctrl(),
            pred_inv: w.pred_inv(),
            debug: w.debug_ctrl(),
            no_mask: w.mask_ctrl(),
            atomic: w.atomic_ctrl(),
        }
    }

    #[inline(always)]
    fn swsb_code(swsb: Swsb, kind: SwsbKind, _: Pipes) -> Option<u16> {
        swsb::multi::encode(swsb, kind)
    }

    fn swsb_of(code: u16, kind: SwsbKind, _: Pipes) -> Option<Swsb> {
        swsb::multi::decode(code, kind)
    }
}
