//! Ice Lake, Gen11.

use crate::{Caps, Layout, Platform};

/// Ice Lake's row.
pub(crate) const CAPS: Caps = Caps {
    platform: Platform::Icllp,
    name: "icllp",
    gen_platform: 10,
    iga_name: "11",
    layout: Layout::Gen8,
    grf_bytes: 32,
    grf_count: 128,
    grf_count_large: 128,
    flag_count: 2,
    acc_count: 2,
    addr_subregs: 16,
    sbid_count: 0,
    swsb_multi_pipe: false,
    no_dd: true,
    ternary_align16: false,
    int64: false,
    fp64: false,
    mov64: false,
    restricted_64bit_regions: false,
    mul_dword: false,
    int_div: true,
    split_send: true,
    lsc: false,
    payload_prologue: false,
    structured_flow: true,
    add3_bfn: false,
    bf16: false,
    pln: false,
    lrp: false,
    rotate: true,
    dp4a: false,
    dot_product: false,
};
