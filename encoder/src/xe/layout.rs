//! What the layouts of the family have in common: the values of a word's fields, apart from where
//! they stand.

use std::ops::RangeInclusive;

use super::words::{BasicWord, SendWord, bits};
use gen_ir::{FlagSub, Swsb, SwsbKind};
use narrow::{low_u8, to_i16, to_u8};
use platforms::Pipes;

/// Fields that every instruction has.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Controls {
    pub opcode: u8,
    pub swsb: u16,
    pub exec_size: u8,
    /// First channel.
    pub channel: u8,
    /// Register and half of it: `f1.0` is 2.
    pub flag: FlagSub,
    /// 0: no predicate.
    pub pred_ctrl: u8,
    pub pred_inv: bool,
    pub debug: bool,
    pub no_mask: bool,
    pub atomic: bool,
}

/// An operand's slot and the bits of it that stand elsewhere.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Operand {
    pub slot: u16,
    pub indirect: bool,
    /// Lowest bit of a byte offset, where the slot counts in words.
    pub low: bool,
}

/// A source of the basic format.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Source {
    pub operand: Operand,
    pub data_type: u8,
    pub src_mod: u8,
    pub is_imm: bool,
    pub width: u8,
    pub vert_stride: u8,
}

/// The basic format, immediates apart.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct BasicFields {
    pub acc_wr: bool,
    pub saturate: bool,
    /// Condition, or the function of `math` and `sync`.
    pub function: u8,
    pub dst: Operand,
    pub dst_type: u8,
    pub src0: Source,
    pub src1: Source,
}

/// `send` and `sendc`. Registers are pairs of file and number.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Send {
    pub serialize: bool,
    pub ex_bso: bool,
    pub cps: bool,
    pub eot: bool,
    /// The descriptor is in `a0.0`.
    pub desc_reg: bool,
    pub desc: u32,
    /// The dword of `a0` with the extended descriptor.
    pub ex_desc_reg: Option<u8>,
    /// Without bits 10..0.
    pub ex_desc: u32,
    /// Bits 10..6 of the extended descriptor, or a field of its own.
    pub src1_length: u8,
    pub dst: (bool, u8),
    pub src0: (bool, u8),
    pub src1: (bool, u8),
    pub sfid: u8,
}

/// Where a layout keeps the fields that moved, and what they may hold. What a platform can do is no part of it: that
/// is asked of the platform's row.
pub(super) trait Layout {
    /// Unit of the channel offset.
    const CHANNELS: u8;
    /// Bits of SWSB.
    const SWSB: u128;
    /// Bits of the flag register and subregister.
    const FLAG: u128;
    /// Subregisters and offsets added to an address count in words. The lowest bit of a byte offset stands elsewhere: a
    /// destination's at bit 33, that of source 0 of the basic format in the highest bit of its `VertStride`. Source 1 has
    /// none.
    const WORD_OFFSETS: bool;

    /// Bits of vertical strides, and of source subregisters outside of their slots.
    const SRC_VERT: u128 = bits(84, 87) | bits(116, if Self::WORD_OFFSETS { 118 } else { 119 });
    /// `VertStride` for one address per row.
    const VXH: u8 = if Self::WORD_OFFSETS { 7 } else { 15 };
    /// Range of the offset added to an address.
    const ADDR_IMM: RangeInclusive<i16> = if Self::WORD_OFFSETS { -1024..=1023 } else { -512..=511 };
    /// The same for source 1.
    const SRC1_ADDR_IMM: RangeInclusive<i16> = if Self::WORD_OFFSETS { -1024..=1022 } else { Self::ADDR_IMM };

    /// Bits 32..0 of a word.
    fn controls(controls: &Controls) -> u128;
    /// The fields in bits 32..0.
    fn controls_of(word: u128) -> Controls;
    /// `SWSB`.
    fn swsb_code(swsb: Swsb, kind: SwsbKind, pipes: Pipes) -> Option<u16>;
    /// The annotation of a [`Layout::swsb_code`].
    fn swsb_of(code: u16, kind: SwsbKind, pipes: Pipes) -> Option<Swsb>;

    /// A byte offset inside a register as what a slot holds and a bit outside.
    #[inline(always)]
    fn split_byte(byte: u32) -> (u8, bool) {
        if Self::WORD_OFFSETS { (to_u8(byte >> 1), byte & 1 != 0) } else { (to_u8(byte), false) }
    }

    /// The inverse of [`Layout::split_byte`].
    #[inline(always)]
    fn join_byte(sub: u8, low: bool) -> u32 {
        if Self::WORD_OFFSETS { u32::from(sub) << 1 | u32::from(low) } else { sub.into() }
    }

    /// An offset added to an address as what a slot holds and a bit outside.
    #[inline(always)]
    fn split_imm(imm: i32) -> (i16, bool) {
        if Self::WORD_OFFSETS { (to_i16(imm >> 1), imm & 1 != 0) } else { (to_i16(imm), false) }
    }

    /// The inverse of [`Layout::split_imm`].
    #[inline(always)]
    fn join_imm(imm: i16, low: bool) -> i32 {
        if Self::WORD_OFFSETS { i32::from(imm) << 1 | i32::from(low) } else { imm.into() }
    }
}

impl BasicFields {
    /// Bits 127..33 of the word.
    #[inline(always)]
    pub(super) fn pack(&self) -> u128 {
        // Where subregisters count in bytes, no offset has a bit outside; elsewhere no accumulator is written by the way.
        BasicWord::new()
            .with_acc_wr_or_dst_low(self.acc_wr | self.dst.low)
            .with_saturate(self.saturate)
            .with_dst_addr_mode(self.dst.indirect)
            .with_dst_data_type(self.dst_type)
            .with_src0_data_type(self.src0.data_type)
            .with_src0_src_mod(self.src0.src_mod)
            .with_src0_is_imm(self.src0.is_imm)
            .with_src1_is_imm(self.src1.is_imm)
            .with_dst(self.dst.slot)
            .with_src0(self.src0.operand.slot)
            .with_src0_addr_mode(self.src0.operand.indirect)
            .with_src0_width(self.src0.width)
            .with_src0_vert_stride(self.src0.vert_stride | u8::from(self.src0.operand.low) << 3)
            .with_src1_data_type(self.src1.data_type)
            .with_cond_modifier(self.function)
            .with_src1(self.src1.operand.slot)
            .with_src1_addr_mode(self.src1.operand.indirect)
            .with_src1_width(self.src1.width)
            .with_src1_vert_stride(self.src1.vert_stride)
            .with_src1_src_mod(self.src1.src_mod)
            .into_bits()
    }

    /// The fields of a word.
    #[inline(always)]
    pub(super) fn unpack<L: Layout>(word: u128) -> Self {
        let w = BasicWord::from_bits(word);
        let strides = if L::WORD_OFFSETS { 7 } else { 15 };
        BasicFields {
            acc_wr: !L::WORD_OFFSETS && w.acc_wr_or_dst_low(),
            saturate: w.saturate(),
            function: w.cond_modifier(),
            dst: Operand {
                slot: w.dst(),
                indirect: w.dst_addr_mode(),
                low: L::WORD_OFFSETS && w.acc_wr_or_dst_low(),
            },
            dst_type: w.dst_data_type(),
            src0: Source {
                operand: Operand {
                    slot: w.src0(),
                    indirect: w.src0_addr_mode(),
                    low: L::WORD_OFFSETS && w.src0_vert_stride() > strides,
                },
                data_type: w.src0_data_type(),
                src_mod: w.src0_src_mod(),
                is_imm: w.src0_is_imm(),
                width: w.src0_width(),
                vert_stride: w.src0_vert_stride() & strides,
            },
            src1: Source {
                operand: Operand { slot: w.src1(), indirect: w.src1_addr_mode(), low: false },
                data_type: w.src1_data_type(),
                src_mod: w.src1_src_mod(),
                is_imm: w.src1_is_imm(),
                width: w.src1_width(),
                vert_stride: w.src1_vert_stride() & strides,
            },
        }
    }
}

impl Send {
    /// Bits 127..33 of the word.
    #[inline(always)]
    pub(super) fn pack(&self) -> u128 {
        let ex_desc_11 = match self.ex_desc_reg {
            Some(sub) => u32::from(sub) << 5 | u32::from(self.ex_bso) << 4 | u32::from(self.cps),
            None => self.ex_desc >> 11 & 0x1fff,
        };
        SendWord::new()
            .with_fusion_ctrl(self.serialize)
            .with_eot(self.eot)
            .with_ex_desc_11(ex_desc_11)
            .with_desc_reg(self.desc_reg)
            .with_ex_desc_reg(self.ex_desc_reg.is_some())
            .with_dst_reg_file(self.dst.0)
            .with_desc_20(self.desc >> 20 & 0x1f)
            .with_dst_reg_num(self.dst.1)
            .with_ex_desc_24(self.ex_desc >> 24 & 3)
            .with_src0_reg_file(self.src0.0)
            .with_desc_25(self.desc >> 25 & 0x1f)
            .with_src0_reg_num(self.src0.1)
            .with_desc_0(self.desc & 0x7ff)
            .with_sfid(self.sfid)
            .with_ex_desc_26(self.ex_desc >> 26 & 3)
            .with_src1_reg_file(self.src1.0)
            .with_src1_length(self.src1_length)
            .with_src1_reg_num(self.src1.1)
            .with_desc_11(self.desc >> 11 & 0x1ff)
            .with_desc_30(self.desc >> 30)
            .with_ex_desc_28(self.ex_desc >> 28)
            .into_bits()
    }

    /// The fields of a word. `surface_offsets`: as [`platforms::Sends`] has it.
    #[inline(always)]
    pub(super) fn unpack(word: u128, surface_offsets: bool) -> Self {
        let w = SendWord::from_bits(word);
        let by_word = surface_offsets && w.ex_desc_reg();
        Send {
            serialize: w.fusion_ctrl(),
            ex_bso: by_word && w.ex_desc_11() >> 4 & 1 != 0,
            cps: by_word && w.ex_desc_11() & 1 != 0,
            eot: w.eot(),
            desc_reg: w.desc_reg(),
            desc: w.desc_0() | w.desc_11() << 11 | w.desc_20() << 20 | w.desc_25() << 25 | w.desc_30() << 30,
            ex_desc_reg: w.ex_desc_reg().then(|| low_u8(w.ex_desc_11() >> 5) & 7),
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
}
