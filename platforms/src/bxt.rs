//! Broxton, Gen9 low power. What the row does not name is as on Skylake.

use crate::{Caps, Operations, Platform, Regions, skl::SKL};

/// Broxton's row.
pub(crate) const BXT: Caps = Caps {
    platform: Platform::Bxt,
    name: "bxt",
    aliases: &["broxton", "apl", "gen9lp", "glk"],
    title: "Broxton, Gen9 low power",
    products: &[22, 23],
    gen_platform: 6,
    like: Some(Platform::Skl),
    genx_name: "BXT",
    iga_name: "9",
    ops: Operations { mul_dword: false, mul_qword_result: false, ..SKL.ops },
    regions: Regions { restricted_64bit: true, ..SKL.regions },
    ..SKL
};
