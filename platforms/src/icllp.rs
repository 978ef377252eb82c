//! Ice Lake, Gen11. What the row does not name is as on Skylake.

use crate::{
    Caps, EndFence, Errata, Flow, Format, Gen8Format, Memory, Mixing, Operations, Platform, Regions, Sampler,
    Sends, TernaryImm, Thread, Words, skl::SKL,
};

/// Ice Lake's row.
pub(crate) const ICLLP: Caps = Caps {
    platform: Platform::Icllp,
    name: "icllp",
    aliases: &["icl", "icelake", "gen11", "gen11lp"],
    title: "Ice Lake, Gen11",
    products: &[25, 26, 27, 28],
    gen_platform: 10,
    genx_name: "ICLLP",
    iga_name: "11",
    iga_json_name: "icl",
    words: Words {
        format: Format::Gen8(Gen8Format::Gen11),
        ternary_align16: false,
        ternary_imm: TernaryImm::LastWord,
        ..SKL.words
    },
    ops: Operations {
        int64: false,
        int64_logic: false,
        fp64: false,
        mov64: false,
        mul_dword: false,
        mul_qword_result: false,
        macl: true,
        math_macros: false,
        rotate: true,
        dot_product: false,
        sad: false,
        pln: false,
        lrp: false,
        ..SKL.ops
    },
    regions: Regions {
        byte_sources: false,
        mixed_half: Mixing::Moves,
        restricted_64bit: true,
        registers_in_turn: true,
        ternary_unit_stride: 2,
        ..SKL.regions
    },
    flow: Flow { goto_jumps_on_true: true, ..SKL.flow },
    // The workaround's table has it from stepping B0 on, which is before the part that was sold.
    memory: Memory { slm_fence: true, fence_commit: true, fence_before_eot: EndFence::CmData, ..SKL.memory },
    sampler: Sampler {
        bindless: true,
        header: false,
        half_parameters: true,
        cps: Some(11),
        cps_in_word: true,
        ..SKL.sampler
    },
    thread: Thread { ids_of_12_bits: true, barrier_mask: 0x7f00_0000, ..SKL.thread },
    errata: Errata { preempted_r2: true, addresses_of_all: true, ..Errata::NONE },
    sends: Sends { half_by_type: false, responses_apart: true, target_in_descriptor: true, ..SKL.sends },
    ..SKL
};
