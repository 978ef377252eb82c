//! Compacted words of Tiger Lake.

use super::{
    super::{tgl_tables as tgl, words::bits},
    fields::{CompactBasic, CompactTernary, Compaction, DATA_TYPE, DATA_TYPE_IMM, TERNARY_SUB_REG},
    index::Index,
};
use bitfield_struct::bitfield;
use narrow::low_u8;

#[bitfield(u64)]
struct TglBasic {
    #[bits(7)]
    opcode: u8,
    debug_ctrl: bool,
    swsb: u8,
    dst_reg_num: u8,
    #[bits(5)]
    control_index: u8,
    #[bits(default = true)]
    cmpt_ctrl: bool,
    #[bits(5)]
    data_type_index: u8,
    #[bits(5)]
    sub_reg_index: u8,
    src0_reg_num: u8,
    #[bits(4)]
    src0_index: u8,
    /// `Src1Index` in the low 4 bits, `Src1.RegNum` above; or a compacted immediate.
    #[bits(12)]
    src1: u16,
}

#[bitfield(u64)]
struct TglTernary {
    #[bits(7)]
    opcode: u8,
    debug_ctrl: bool,
    swsb: u8,
    dst_reg_num: u8,
    #[bits(5)]
    control_index: u8,
    #[bits(default = true)]
    cmpt_ctrl: bool,
    #[bits(5)]
    source_index: u8,
    #[bits(5)]
    sub_reg_index: u8,
    src0_reg_num: u8,
    src2_reg_num: u8,
    src1_reg_num: u8,
}

pub(super) struct TglTables;

impl Compaction for TglTables {
    const SWSB: u128 = bits(8, 15);
    const CONTROL: Index = Index::new(&[(16, 28), (31, 31), (32, 34), (92, 95)], &tgl::CONTROL);
    const DATA_TYPE: Index = Index::new(DATA_TYPE, &tgl::DATA_TYPE);
    const DATA_TYPE_IMM: Index = Index::new(DATA_TYPE_IMM, &tgl::DATA_TYPE);
    const SUB_REG: Index = Index::new(&[(51, 55), (67, 71), (99, 103)], &tgl::SUB_REG);
    const SUB_REG_0: Index = Index::new(&[(51, 55), (67, 71)], &tgl::SUB_REG);
    const SUB_REG_DST: Index = Index::new(&[(51, 55)], &tgl::SUB_REG);
    const SRC0: Index = Index::new(&[(44, 45), (64, 65), (80, 87)], &tgl::SRC0);
    const SRC1: Index = Index::new(&[(96, 97), (112, 121)], &tgl::SRC1);
    #[rustfmt::skip]
    const TERNARY: [Index; 3] = [
        Index::new(
            &[(16, 28), (31, 31), (32, 34), (36, 42), (48, 48), (50, 50), (80, 82), (88, 90), (92, 95)],
            &tgl::TERNARY_CONTROL,
        ),
        Index::new(
            &[(35, 35), (43, 47), (64, 66), (83, 87), (91, 91), (96, 98), (112, 114)],
            &tgl::TERNARY_SOURCE,
        ),
        Index::new(TERNARY_SUB_REG, &tgl::TERNARY_SUB_REG),
    ];
    /// Tiger Lake has no `dpas`.
    const DPAS: [Index; 3] = Self::TERNARY;

    #[inline(always)]
    fn basic(b: &CompactBasic) -> u64 {
        TglBasic::new()
            .with_opcode(b.opcode)
            .with_debug_ctrl(b.debug_ctrl)
            .with_swsb(low_u8(b.swsb))
            .with_dst_reg_num(b.dst_reg)
            .with_control_index(b.control)
            .with_data_type_index(b.data_type)
            .with_sub_reg_index(b.sub_reg)
            .with_src0_reg_num(b.src0_reg)
            .with_src0_index(b.src0)
            .with_src1(b.src1)
            .into_bits()
    }

    #[inline(always)]
    fn basic_of(word: u64) -> CompactBasic {
        let w = TglBasic::from_bits(word);
        CompactBasic {
            opcode: w.opcode(),
            debug_ctrl: w.debug_ctrl(),
            swsb: w.swsb().into(),
            control: w.control_index(),
            data_type: w.data_type_index(),
            sub_reg: w.sub_reg_index(),
            src0: w.src0_index(),
            dst_reg: w.dst_reg_num(),
            src0_reg: w.src0_reg_num(),
            src1: w.src1(),
        }
    }

    #[inline(always)]
    fn ternary(t: &CompactTernary) -> u64 {
        TglTernary::new()
            .with_opcode(t.opcode)
            .with_debug_ctrl(t.debug_ctrl)
            .with_swsb(low_u8(t.swsb))
            .with_dst_reg_num(t.dst_reg)
            .with_control_index(t.control)
            .with_source_index(t.source)
            .with_sub_reg_index(t.sub_reg)
            .with_src0_reg_num(t.src0_reg)
            .with_src2_reg_num(t.src2_reg)
            .with_src1_reg_num(t.src1_reg)
            .into_bits()
    }

    #[inline(always)]
    fn ternary_of(word: u64) -> CompactTernary {
        let w = TglTernary::from_bits(word);
        CompactTernary {
            opcode: w.opcode(),
            debug_ctrl: w.debug_ctrl(),
            swsb: w.swsb().into(),
            control: w.control_index(),
            source: w.source_index(),
            sub_reg: w.sub_reg_index(),
            dst_reg: w.dst_reg_num(),
            src0_reg: w.src0_reg_num(),
            src1_reg: w.src1_reg_num(),
            src2_reg: w.src2_reg_num(),
        }
    }
}
