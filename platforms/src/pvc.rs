//! Ponte Vecchio, Xe-HPC.

use crate::{Caps, Layout, Platform};

/// Ponte Vecchio's row.
pub(crate) const CAPS: Caps = Caps {
    platform: Platform::Pvc,
    name: "pvc",
    gen_platform: 15,
    iga_name: "12p72",
    layout: Layout::Xe,
    grf_bytes: 64,
    grf_count: 128,
    grf_count_large: 256,
    flag_count: 4,
    acc_count: 4,
    addr_subregs: 16,
    sbid_count: 16,
    swsb_multi_pipe: true,
    no_dd: false,
    ternary_align16: false,
    int64: true,
    fp64: true,
    mov64: true,
    restricted_64bit_regions: false,
    mul_dword: false,
    int_div: false,
    split_send: true,
    lsc: true,
    payload_prologue: true,
    structured_flow: false,
    add3_bfn: true,
    bf16: true,
    pln: false,
    lrp: false,
    rotate: true,
    dp4a: true,
    dot_product: false,
};
