//! `gathers_stateless.cl`

use super::{
    gathers::{chase, gather, gather_vectors},
    prelude::*,
};

pub(super) const KERNELS: Kernels = &[
    ("far_bytes", |t| gather::<u8>(t, |v| v)),
    ("far_shorts", |t| gather::<u16>(t, |v| v.wrapping_add(1))),
    ("far_dwords", |t| gather::<u32>(t, |v| v.wrapping_add(1))),
    ("far_qwords", |t| gather::<u64>(t, |v| v.wrapping_add(1))),
    ("far_vectors", gather_vectors),
    ("far_chase", chase),
    ("far_offset", far_offset),
];

const N: usize = 128;

fn far_offset(t: &mut Target) -> Vec<Case> {
    let (offset, bytes) = (t.below(N, 200), t.ints::<u8>(600));
    let offset = each(N, |i| u64::from(offset[i]));
    let out = each(N, |i| u32::from(bytes[3 * offset[i] as usize + 1]));
    Case::items(N).input(&offset).input(&bytes).output(&out).only()
}
