//! Compacted words of Ponte Vecchio.

use super::{
    super::{pvc_tables as pvc, words::bits},
    fields::{CompactBasic, CompactTernary, Compaction, DATA_TYPE, DATA_TYPE_IMM, TERNARY_SUB_REG},
    index::Index,
};
use bitfield_struct::bitfield;

#[bitfield(u64)]
struct PvcBasic {
    #[bits(7)]
    opcode: u8,
    debug_ctrl: bool,
    #[bits(10)]
    swsb: u16,
    #[bits(5)]
    control_index: u8,
    #[bits(3)]
    src0_index: u8,
    #[bits(3)]
    data_type_index_0: u8,
    #[bits(default = true)]
    cmpt_ctrl: bool,
    #[bits(2)]
    data_type_index_3: u8,
    dst_reg_num: u8,
    src0_reg_num: u8,
    #[bits(4)]
    sub_reg_index: u8,
    /// `Src1Index` in the low 4 bits, `Src1.RegNum` above; or a compacted immediate.
    #[bits(12)]
    src1: u16,
}

#[bitfield(u64)]
struct PvcTernary {
    #[bits(7)]
    opcode: u8,
    debug_ctrl: bool,
    #[bits(10)]
    swsb: u16,
    #[bits(4)]
    control_index: u8,
    #[bits(4)]
    source_index: u8,
    #[bits(3)]
    sub_reg_index_0: u8,
    #[bits(default = true)]
    cmpt_ctrl: bool,
    #[bits(2)]
    sub_reg_index_3: u8,
    dst_reg_num: u8,
    src0_reg_num: u8,
    src2_reg_num: u8,
    src1_reg_num: u8,
}

pub(super) struct PvcTables;

impl PvcTables {
    const SUB_REG_PARTS: &'static [(u32, u32)] = &[(33, 33), (51, 55), (67, 71), (87, 87)];
    #[rustfmt::skip]
    const TERNARY_CONTROL: &'static [(u32, u32)] =
        &[(18, 28), (31, 31), (32, 32), (34, 34), (36, 42), (48, 50), (80, 82), (88, 90), (92, 95)];
    const TERNARY_SOURCE: &'static [(u32, u32)] =
        &[(35, 35), (43, 47), (64, 66), (83, 87), (91, 91), (96, 98), (112, 114)];
}

impl Compaction for PvcTables {
    const SWSB: u128 = bits(8, 17);
    const CONTROL: Index = Index::new(&[(18, 28), (31, 31), (32, 32), (34, 34), (92, 95)], &pvc::CONTROL);
    const DATA_TYPE: Index = Index::new(DATA_TYPE, &pvc::DATA_TYPE);
    const DATA_TYPE_IMM: Index = Index::new(DATA_TYPE_IMM, &pvc::DATA_TYPE);
    const SUB_REG: Index = Index::new(Self::SUB_REG_PARTS, &pvc::SUB_REG);
    const SUB_REG_0: Index = Self::SUB_REG;
    const SUB_REG_DST: Index = Self::SUB_REG;
    const SRC0: Index = Index::new(&[(44, 45), (64, 65), (80, 86)], &pvc::SRC0);
    const SRC1: Index = Index::new(&[(96, 97), (99, 103), (112, 118), (120, 121)], &pvc::SRC1);
    const TERNARY: [Index; 3] = [
        Index::new(Self::TERNARY_CONTROL, &pvc::TERNARY_CONTROL),
        Index::new(Self::TERNARY_SOURCE, &pvc::TERNARY_SOURCE),
        Index::new(TERNARY_SUB_REG, &pvc::TERNARY_SUB_REG),
    ];
    const DPAS: [Index; 3] = [
        Index::new(Self::TERNARY_CONTROL, &pvc::DPAS_CONTROL),
        Index::new(Self::TERNARY_SOURCE, &pvc::DPAS_SOURCE),
        Index::new(TERNARY_SUB_REG, &pvc::TERNARY_SUB_REG),
    ];

    #[inline(always)]
    fn basic(b: &CompactBasic) -> u64 {
        PvcBasic::new()
            .with_opcode(b.opcode)
            .with_debug_ctrl(b.debug_ctrl)
            .with_swsb(b.swsb)
            .with_control_index(b.control)
            .with_src0_index(b.src0)
            .with_data_type_index_0(b.data_type & 7)
            .with_data_type_index_3(b.data_type >> 3)
            .with_dst_reg_num(b.dst_reg)
            .with_src0_reg_num(b.src0_reg)
            .with_sub_reg_index(b.sub_reg)
            .with_src1(b.src1)
            .into_bits()
    }

    #[inline(always)]
    fn basic_of(word: u64) -> CompactBasic {
        let w = PvcBasic::from_bits(word);
        CompactBasic {
            opcode: w.opcode(),
            debug_ctrl: w.debug_ctrl(),
            swsb: w.swsb(),
            control: w.control_index(),
            data_type: w.data_type_index_3() << 3 | w.data_type_index_0(),
            sub_reg: w.sub_reg_index(),
            src0: w.src0_index(),
            dst_reg: w.dst_reg_num(),
            src0_reg: w.src0_reg_num(),
            src1: w.src1(),
        }
    }

    #[inline(always)]
    fn ternary(t: &CompactTernary) -> u64 {
        PvcTernary::new()
            .with_opcode(t.opcode)
            .with_debug_ctrl(t.debug_ctrl)
            .with_swsb(t.swsb)
            .with_control_index(t.control)
            .with_source_index(t.source)
            .with_sub_reg_index_0(t.sub_reg & 7)
            .with_sub_reg_index_3(t.sub_reg >> 3)
            .with_dst_reg_num(t.dst_reg)
            .with_src0_reg_num(t.src0_reg)
            .with_src2_reg_num(t.src2_reg)
            .with_src1_reg_num(t.src1_reg)
            .into_bits()
    }

    #[inline(always)]
    fn ternary_of(word: u64) -> CompactTernary {
        let w = PvcTernary::from_bits(word);
        CompactTernary {
            opcode: w.opcode(),
            debug_ctrl: w.debug_ctrl(),
            swsb: w.swsb(),
            control: w.control_index(),
            source: w.source_index(),
            sub_reg: w.sub_reg_index_3() << 3 | w.sub_reg_index_0(),
            dst_reg: w.dst_reg_num(),
            src0_reg: w.src0_reg_num(),
            src1_reg: w.src1_reg_num(),
            src2_reg: w.src2_reg_num(),
        }
    }
}
