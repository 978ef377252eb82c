//! Skylake, Gen9. What the row does not name is as on Broadwell.

use crate::{
    Caps, Errata, Format, Gen8Format, HalfMath, Memory, Mixing, Operations, Platform, Regions, Sampler,
    Sends, Words, bdw::BDW,
};

/// Skylake's row.
pub(crate) const SKL: Caps = Caps {
    platform: Platform::Skl,
    name: "skl",
    aliases: &["skylake", "gen9", "kbl", "cfl"],
    title: "Skylake, Gen9",
    products: &[18, 19, 20],
    gen_platform: 5,
    other_gen_platforms: &[],
    genx_name: "SKL",
    iga_name: "9",
    iga_json_name: "skl",
    words: Words { format: Format::Gen8(Gen8Format::Gen9), ..BDW.words },
    ops: Operations { mul_dword_to_acc: true, half_math: HalfMath::Anywhere, ..BDW.ops },
    regions: Regions { mixed_half: Mixing::All, even_writes: false, ..BDW.regions },
    sends: Sends { split: true, split_opcode: true, second_most: 15, ..BDW.sends },
    memory: Memory {
        scattered_header: false,
        typed_header: false,
        slm_pages: false,
        qpitch_by_dimensions: true,
        stack_surfaces: [1, 2],
        ..BDW.memory
    },
    sampler: Sampler {
        header: true,
        short_responses: true,
        level_after_u: false,
        media_plus: true,
        ..BDW.sampler
    },
    errata: Errata { stale_notifications: true, ..BDW.errata },
    ..BDW
};
