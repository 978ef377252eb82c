//! Compacted words of Xe-HPG: Tiger Lake's, with other tables of sources, and of all that three sources have.

use super::{
    super::{hpg_tables as hpg, tgl_tables as tgl},
    fields::{CompactBasic, CompactTernary, Compaction, TERNARY_SUB_REG},
    index::Index,
    tgl::TglTables,
};

pub(super) struct HpgTables;

impl Compaction for HpgTables {
    const SWSB: u128 = TglTables::SWSB;
    const CONTROL: Index = TglTables::CONTROL;
    const DATA_TYPE: Index = TglTables::DATA_TYPE;
    const DATA_TYPE_IMM: Index = TglTables::DATA_TYPE_IMM;
    const SUB_REG: Index = TglTables::SUB_REG;
    const SUB_REG_0: Index = TglTables::SUB_REG_0;
    const SUB_REG_DST: Index = TglTables::SUB_REG_DST;
    const SRC0: Index = Index::new(&[(44, 45), (64, 65), (80, 87)], &hpg::SRC0);
    const SRC1: Index = Index::new(&[(96, 97), (112, 121)], &hpg::SRC1);
    #[rustfmt::skip]
    const TERNARY: [Index; 3] = [
        Index::new(
            &[(16, 28), (31, 31), (32, 34), (36, 42), (48, 50), (80, 82), (88, 90), (92, 95)],
            &hpg::TERNARY_CONTROL,
        ),
        Index::new(
            &[(35, 35), (43, 47), (64, 66), (83, 87), (91, 91), (96, 98), (112, 114)],
            &hpg::TERNARY_SOURCE,
        ),
        Index::new(TERNARY_SUB_REG, &tgl::TERNARY_SUB_REG),
    ];
    const DPAS: [Index; 3] = Self::TERNARY;

    #[inline(always)]
    fn basic(b: &CompactBasic) -> u64 {
        TglTables::basic(b)
    }

    #[inline(always)]
    fn basic_of(word: u64) -> CompactBasic {
        TglTables::basic_of(word)
    }

    #[inline(always)]
    fn ternary(t: &CompactTernary) -> u64 {
        TglTables::ternary(t)
    }

    #[inline(always)]
    fn ternary_of(word: u64) -> CompactTernary {
        TglTables::ternary_of(word)
    }
}
