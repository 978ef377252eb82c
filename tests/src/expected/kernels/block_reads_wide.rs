//! `block_reads_wide.cl`

use super::{block_reads::blocks, prelude::*};

pub(super) const KERNELS: Kernels = &[("block_bytes", block_bytes), ("block_qwords", block_qwords)];

const N: usize = 128;

fn block_bytes(t: &mut Target) -> Vec<Case> {
    let a = t.ints::<u8>(4 * N);
    let out = blocks(&a, t.simd, |v: [u8; 4]| std::array::from_fn(|k| v[3 - k].wrapping_add(k as u8 + 1)));
    Case::items(N).input(&a).output(&out).only()
}

fn block_qwords(t: &mut Target) -> Vec<Case> {
    let a = t.ints::<u64>(N);
    Case::items(N).input(&a).output(&each(N, |i| a[i] ^ 0x00ff_00ff_00ff_00ff)).only()
}
