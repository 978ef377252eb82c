//! Broadwell, Gen8.

use crate::{Caps, Layout, Platform};

/// Broadwell's row.
pub(crate) const CAPS: Caps = Caps {
    platform: Platform::Bdw,
    name: "bdw",
    gen_platform: 3,
    iga_name: "8",
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
    ternary_align16: true,
    int64: true,
    fp64: true,
    mov64: true,
    restricted_64bit_regions: false,
    mul_dword: false,
    int_div: true,
    split_send: false,
    lsc: false,
    payload_prologue: false,
    structured_flow: true,
    add3_bfn: false,
    bf16: false,
    pln: true,
    lrp: true,
    rotate: false,
    dp4a: false,
    dot_product: true,
};
