//! Cherryview, Gen8 low power. What the row does not name is as on Broadwell.
//!
//! Sources: Programmer's Reference Manuals, Cherryview, volume 7, "Special Requirements for Handling Double Precision Data
//! Types" and volume 2a, "mul"; Intel's finalizer (visa/HWCaps.inc, `no64bitRegioning`, `hasQDDMul`; `fixMathInst`). The mixed float
//! modes that it has and Broadwell lacks are not used: floats are converted as on Broadwell.

use crate::{
    Caps, Format, Gen8Format, HalfMath, Memory, Operations, Platform, Regions, Sampler, Words, bdw::BDW,
};

/// Cherryview's row.
pub(crate) const CHV: Caps = Caps {
    platform: Platform::Chv,
    name: "chv",
    aliases: &["cherryview", "bsw", "braswell", "gen8lp"],
    title: "Cherryview, Gen8 low power",
    products: &[17],
    gen_platform: 4,
    like: Some(Platform::Bdw),
    genx_name: "CHV",
    words: Words { format: Format::Gen8(Gen8Format::Gen8Lp), ..BDW.words },
    memory: Memory { typed_header: false, ..BDW.memory },
    sampler: Sampler { header: true, ..BDW.sampler },
    ops: Operations { mul_dword: false, mul_qword_result: false, half_math: HalfMath::Anywhere, ..BDW.ops },
    regions: Regions { restricted_64bit: true, ..BDW.regions },
    ..BDW
};
