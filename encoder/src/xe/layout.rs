//! What the platforms of the layout have in common: the values of a word's fields, apart from where
//! they stand.

use super::swsb::Kind;
use gen_ir::{PredCtrl, Swsb};
use platforms::{Format, Platform};

/// Whether words are laid out as on Ponte Vecchio.
pub(super) const fn wide(platform: Platform) -> bool {
    matches!(platform.caps().words.format, Format::XeHpc)
}

/// Fields that every instruction has.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Controls {
    pub opcode: u8,
    pub swsb: u16,
    pub exec_size: u8,
    /// First channel.
    pub channel: u8,
    /// Register and half of it: `f1.0` is 2.
    pub flag: u8,
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
    /// Bits 10..6 of the extended descriptor (Tiger Lake), or a field of its own.
    pub src1_length: u8,
    pub dst: (bool, u8),
    pub src0: (bool, u8),
    pub src1: (bool, u8),
    pub sfid: u8,
}

/// Where a platform keeps the fields, and what they may hold.
pub(super) trait Layout {
    /// Bytes in a general register.
    const GRF_BYTES: u32;
    /// Number of flag registers.
    const FLAGS: u8;
    /// Unit of the channel offset.
    const CHANNELS: u8;
    /// `:bf` exists.
    const BF16: bool;
    /// `math.idiv`, `math.iqot` and `math.irem` exist.
    const INT_DIV: bool;
    /// `sync.fence` exists and `sync.bar` may have an immediate.
    const SYNC_FENCE: bool;
    /// `AccWrEn` exists.
    const ACC_WR: bool;
    /// Bits of SWSB.
    const SWSB: u128;
    /// Bits of the flag register and subregister.
    const FLAG: u128;
    /// Bits of the destination outside of its slot.
    const DST_LOW: u128;
    /// Bits of vertical strides, and of source subregisters outside of their slots.
    const SRC_VERT: u128;
    /// `VertStride` for one address per row.
    const VXH: u8;
    /// Range of the offset added to an address.
    const ADDR_IMM: (i32, i32);
    /// The same for source 1.
    const SRC1_ADDR_IMM: (i32, i32);
    /// `send` has `FusionCtrl`.
    const FUSION: bool;
    /// `send` has a field for the length of source 1.
    const SRC1_LENGTH: bool;
    /// The load/store cache exists: shared functions are named with it.
    const LSC: bool;

    /// Bits 32..0 of a word.
    fn controls(controls: &Controls) -> u128;
    /// The fields in bits 32..0.
    fn controls_of(word: u128) -> Controls;
    /// Bits 127..33 of a basic word.
    fn basic(basic: &BasicFields) -> u128;
    /// The fields in bits 127..33 of a basic word.
    fn basic_of(word: u128) -> BasicFields;
    /// Bits 127..33 of a message.
    fn send(send: &Send) -> u128;
    /// The fields in bits 127..33 of a message.
    fn send_of(word: u128) -> Send;
    /// A byte offset inside a register as what a slot holds and a bit outside.
    fn split_byte(byte: u32) -> (u8, bool);
    /// The inverse of [`Layout::split_byte`].
    fn join_byte(sub: u8, low: bool) -> u32;
    /// An offset added to an address as what a slot holds and a bit outside.
    fn split_imm(imm: i32) -> (i16, bool);
    /// The inverse of [`Layout::split_imm`].
    fn join_imm(imm: i16, low: bool) -> i32;
    /// `PredCtrl`.
    fn pred_code(ctrl: PredCtrl) -> Option<u8>;
    /// The control of a [`Layout::pred_code`].
    fn pred_of(code: u8) -> Option<PredCtrl>;
    /// `SWSB`.
    fn swsb_code(swsb: Swsb, kind: Kind) -> Option<u16>;
    /// The annotation of a [`Layout::swsb_code`].
    fn swsb_of(code: u16, kind: Kind) -> Option<Swsb>;
}
