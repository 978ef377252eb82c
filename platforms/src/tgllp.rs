//! Tiger Lake, Gen12. What the row does not name is as on Ice Lake.

use crate::{
    Caps, EndFence, Errata, FarCall, FloatAccumulators, Flow, Format, Memory, Mixing, Operations, Platform,
    Regions, RegisterFile, Registers, Sampler, Scoreboard, Sends, TernaryImm, Words, XeFormat, icllp::ICLLP,
    latency::XE,
};

/// Tiger Lake's row.
pub(crate) const TGLLP: Caps = Caps {
    platform: Platform::Tgllp,
    name: "tgllp",
    aliases: &["tgl", "tigerlake", "gen12", "gen12lp", "xe-lp", "dg1", "adl", "rkl"],
    title: "Tiger Lake, Xe-LP (Gen12)",
    products: &[29, 30, 31, 32, 33, 1210],
    gen_platform: 12,
    genx_name: "TGLLP",
    iga_name: "12p1",
    iga_json_name: "xe",
    words: Words {
        format: Format::Xe(XeFormat::Gen12),
        offset_by_size: true,
        bare_operands: true,
        ternary_cond: false,
        ternary_imm: TernaryImm::FirstAndLast,
        float_moves_compact: true,
        ..ICLLP.words
    },
    ops: Operations { mul_source_mods: false, fdiv_pow: false, dp4a: true, madm: false, ..ICLLP.ops },
    regs: Registers {
        files: &[RegisterFile { grfs: 128, sbids: 16, threads: 7 }],
        grf_names: 256,
        acc_names: 8,
        float_accumulators: Some(FloatAccumulators::One),
        ..ICLLP.regs
    },
    regions: Regions { mixed_half: Mixing::FirstFactor, ternary_unit_stride: 1, ..ICLLP.regions },
    flow: Flow {
        switch_jump: false,
        far_call: FarCall::ByDistance,
        jumps_from_next: false,
        fused_pairs: true,
        ..ICLLP.flow
    },
    scoreboard: Scoreboard {
        software: true,
        // `SWSB_MAX_ALU_DEPENDENCE_DISTANCE` of Intel's graphics compiler (visa/G4_IR.hpp).
        depths: [11, 0, 0, 0],
        no_dd: false,
        ..ICLLP.scoreboard
    },
    sends: Sends {
        split_opcode: false,
        second_most: 31,
        function_in_descriptor: false,
        to_r127: true,
        responses_apart: false,
        null_target: true,
        ..ICLLP.sends
    },
    memory: Memory {
        a64_gather_8_bytes: false,
        fence_flushes: false,
        fence_before_eot: EndFence::Always,
        word_atomics: true,
        ..ICLLP.memory
    },
    // Objects of Intel's Media SDK for it send to motion estimation and its refinement.
    sampler: Sampler { cps_in_word: false, media_plus: false, ..ICLLP.sampler },
    latencies: XE,
    errata: Errata {
        addresses_of_all: true,
        unmasked_pairs: true,
        shared_calls: true,
        suppressed_reads: true,
        suppressed_addresses: true,
        suppressed_twins: true,
        accumulator_outlives_thread: true,
        early_end: true,
        fetches_past_end: true,
        ..Errata::NONE
    },
    ..ICLLP
};
