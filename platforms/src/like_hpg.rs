//! An invented platform: what Intel's sources say of Xe-HPG (DG2) as far as a row can say it, on top of Tiger Lake, and
//! nothing that was measured on one. Each field names its source: functions of `visa/HWCaps.inc` of Intel's graphics
//! compiler, and of its assembler.

use crate::{
    Caps, EndFence, Errata, FarCall, Flow, Format, Latencies, Memory, Mixing, Operations, Pipes, Platform,
    Regions, RegisterFile, Registers, Sampler, Scoreboard, Sends, Thread, Words, XeFormat, tgllp::TGLLP,
};

/// Its row.
pub(crate) const LIKE_HPG: Caps = Caps {
    platform: Platform::LikeHpg,
    name: "like-hpg",
    aliases: &[],
    title: "No GPU: what is published of Xe-HPG",
    products: &[],
    gen_platform: 0xfe,
    other_gen_platforms: &[],
    // Instructions of the load/store cache are written for it as for Ponte Vecchio.
    like: Some(Platform::Pvc),
    iga_name: "12p71",
    iga_json_name: "xehpg",
    // `encodeAccWrEn`, `predCtrlHasWidth`: as before Ponte Vecchio.
    words: Words { format: Format::Xe(XeFormat::XeHpg), float_moves_compact: false, ..TGLLP.words },
    // `GRFMode`.
    regs: Registers {
        files: &[
            RegisterFile { grfs: 128, sbids: 16, threads: 8 },
            RegisterFile { grfs: 256, sbids: 16, threads: 4 },
        ],
        ..TGLLP.regs
    },
    // `noInt64`, `noFP64`, `hasMadm`: as Tiger Lake.
    ops: Operations {
        // `getFP64MadmExecSize`.
        double_macro_lanes: 8,
        // `verifyInstructionArith` of its verifier.
        int_div: false,
        add3_bfn: true,
        ..TGLLP.ops
    },
    regions: Regions {
        // `supportFloatOr64bRegioning`.
        float_regions: false,
        // `noScalarByteToFloat`.
        byte_to_float: false,
        // `getMixModeType`: bfloat16, which the row does not have.
        mixed_half: Mixing::None,
        // `get3SrcDstAlign`.
        ternary_align: 4,
        ..TGLLP.regions
    },
    // `supportCallaRegSrc`.
    flow: Flow { far_call: FarCall::ByAddress, ..TGLLP.flow },
    scoreboard: Scoreboard {
        // `hasThreeALUPipes`.
        pipes: Pipes::Three,
        // As on Ponte Vecchio, whose row names the source.
        depths: [11, 11, 15, 0],
        waits_for_accumulators: true,
        waits_for_flags: true,
        // `hasA0WARHWissue`, `hasSLMWARIssue`.
        address_writes_overtake: true,
        slm_stores_overtake: true,
        ..TGLLP.scoreboard
    },
    sends: Sends {
        // `intToSFID`.
        late_functions: true,
        // `encodeSendSrc1Length`.
        length_in_word: true,
        surface_offsets: true,
        ..TGLLP.sends
    },
    // `late_modes` as on Ponte Vecchio. Shared function 8, which motion estimation had, is that of ray tracing (`intToSFID`).
    sampler: Sampler { late_modes: true, media: false, ..TGLLP.sampler },
    memory: Memory {
        // `supportsLSC`.
        lsc: true,
        // As on Ponte Vecchio.
        late_data_cache: true,
        thread_in_header: false,
        surface_qwords: true,
        // `has8ByteA64Gather`, `noL3Flush`.
        a64_gather_8_bytes: true,
        fence_flushes: true,
        // `needFenceBeforeEOT`.
        fence_before_eot: EndFence::Never,
        // `hasScratchSurface`.
        scratch_surface: true,
        // `getMaxPTSS`.
        scratch_most: 256 << 10,
        ..TGLLP.memory
    },
    // As on Ponte Vecchio, whose row names the source.
    latencies: Latencies { memory: 200, ..TGLLP.latencies },
    thread: Thread {
        // `loadThreadPayload`.
        payload_prologue: true,
        // `getInlineDataSize`.
        inline_bytes: 32,
        // `getEOTSFID`.
        eot_gateway: true,
        // `hasUnifiedBarrier`.
        barrier_counts: true,
        ..TGLLP.thread
    },
    // `skuwa/iacm_g10_hw_wa.c`, as far as the row has words for it. Reads are not suppressed (`hasRSForSpecificPlatform`).
    errata: Errata {
        addresses_of_all: true,
        suppressed_addresses: true,
        early_end: true,
        fetches_past_end: true,
        ..Errata::NONE
    },
    ..TGLLP
};
