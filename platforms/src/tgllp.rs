//! Tiger Lake, Gen12.

use crate::{Caps, Layout, Platform};

/// Tiger Lake's row.
pub(crate) const CAPS: Caps = Caps {
    platform: Platform::Tgllp,
    name: "tgllp",
    gen_platform: 12,
    iga_name: "12p1",
    layout: Layout::Xe,
    grf_bytes: 32,
    grf_count: 128,
    grf_count_large: 128,
    flag_count: 2,
    acc_count: 2,
    addr_subregs: 16,
    sbid_count: 16,
    swsb_multi_pipe: false,
    no_dd: false,
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
    dp4a: true,
    dot_product: false,
};
