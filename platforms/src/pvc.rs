//! Ponte Vecchio, Xe-HPC. What the row does not name is as on Tiger Lake.

use crate::{
    Caps, EndFence, Errata, FarCall, FloatAccumulators, Flow, Format, HalfMath, Latencies, Memory, Mixing,
    Operations, Pipes, Platform, Regions, RegisterFile, Registers, Sampler, Scoreboard, Sends, Thread, Words,
    XeFormat, tgllp::TGLLP,
};

/// Ponte Vecchio's row.
pub(crate) const PVC: Caps = Caps {
    platform: Platform::Pvc,
    name: "pvc",
    aliases: &["pontevecchio", "xe-hpc", "pvcxt"],
    title: "Ponte Vecchio, Xe-HPC",
    products: &[1271],
    gen_platform: 15,
    other_gen_platforms: &[14],
    like: None,
    genx_name: "PVCXT",
    iga_name: "12p72",
    iga_json_name: "xehpc",
    words: Words {
        format: Format::Xe(XeFormat::XeHpc),
        acc_write_enable: false,
        pred_width: false,
        nibble_offset: false,
        ternary_lanes: 32,
        float_moves_compact: false,
        ..TGLLP.words
    },
    regs: Registers {
        grf_bytes: 64,
        files: &[
            RegisterFile { grfs: 128, sbids: 16, threads: 8 },
            RegisterFile { grfs: 256, sbids: 32, threads: 4 },
        ],
        flag_count: 4,
        acc_count: 4,
        acc_names: 16,
        mme_names: false,
        float_accumulators: Some(FloatAccumulators::Several),
        ..TGLLP.regs
    },
    ops: Operations {
        int64: true,
        fp64: true,
        mov64: true,
        bf16: true,
        shift_by_qword: false,
        mul_qword_result: false,
        int_div: false,
        half_math: HalfMath::FromStart,
        math_macros: true,
        madm: true,
        double_macro_lanes: 16,
        systolic: true,
        srnd: true,
        add3_bfn: true,
        ..TGLLP.ops
    },
    regions: Regions {
        restricted_64bit: false,
        float_regions: false,
        half_to_int: false,
        byte_to_float: false,
        ternary_align: 4,
        mixed_half: Mixing::None,
        narrow_packs_restricted: true,
        ..TGLLP.regions
    },
    flow: Flow { structured: false, far_call: FarCall::ByAddress, fused_pairs: false, ..TGLLP.flow },
    sends: Sends {
        late_functions: true,
        length_in_word: true,
        surface_offsets: true,
        responses_apart: true,
        ..TGLLP.sends
    },
    scoreboard: Scoreboard {
        pipes: Pipes::Four,
        // `SWSB_MAX_ALU_DEPENDENCE_DISTANCE`, the same with `_64BIT`, `SWSB_MAX_MATH_DEPENDENCE_DISTANCE` of Intel's graphics
        // compiler (visa/G4_IR.hpp, visa/LocalScheduler/SWSB_G4IR.h).
        depths: [11, 11, 15, 18],
        waits_for_accumulators: true,
        waits_for_flags: true,
        address_writes_overtake: true,
        slm_stores_overtake: true,
        bytes_as_words: true,
        ..TGLLP.scoreboard
    },
    memory: Memory {
        lsc: true,
        late_data_cache: true,
        thread_in_header: false,
        surface_qwords: true,
        a64_gather_8_bytes: true,
        fence_before_eot: EndFence::Never,
        scratch_surface: true,
        scratch_most: 256 << 10,
        ..TGLLP.memory
    },
    sampler: Sampler { exists: false, late_modes: true, media: false, cps: None, ..TGLLP.sampler },
    // `LSC_UNTYPED_L3` of Intel's graphics compiler (visa/LocalScheduler/LatencyTable.h).
    latencies: Latencies { memory: 200, ..TGLLP.latencies },
    thread: Thread {
        payload_prologue: true,
        eot_gateway: true,
        named_barriers: true,
        barrier_counts: true,
        ..TGLLP.thread
    },
    errata: Errata {
        addresses_of_all: true,
        fetches_past_end: true,
        late_payloads: true,
        suppressed_floats: true,
        odd_words_of_sel: true,
        odd_words_to_bytes: true,
        swizzled_words_to_bytes: true,
        ..Errata::NONE
    },
};
