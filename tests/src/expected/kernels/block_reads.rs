//! `block_reads.cl`

use super::prelude::*;

pub(super) const KERNELS: Kernels = &[
    ("block_dwords", block_dwords),
    ("block_dwords2", |t| dwords::<2>(t, |v| [v[1], v[0]])),
    ("block_dwords4", |t| dwords::<4>(t, |v| [v[3], v[2], v[1], v[0]])),
    ("block_dwords8", |t| dwords::<8>(t, |v| std::array::from_fn(|k| v[k].wrapping_add(v[7 - k])))),
    ("block_shorts", block_shorts),
];

const N: usize = 128;

/// A block of a sub-group holds the first elements of all its lanes, then their second elements, and so on.
pub(super) fn blocks<T: Copy + Default, const K: usize>(
    input: &[T],
    simd: usize,
    f: impl Fn([T; K]) -> [T; K],
) -> Vec<T> {
    let mut out = vec![T::default(); input.len()];
    for (block, result) in input.chunks(simd * K).zip(out.chunks_mut(simd * K)) {
        for lane in 0..simd {
            let v = f(std::array::from_fn(|k| block[k * simd + lane]));
            v.into_iter().enumerate().for_each(|(k, v)| result[k * simd + lane] = v);
        }
    }
    out
}

fn block_dwords(t: &mut Target) -> Vec<Case> {
    let a = t.ints::<u32>(N);
    Case::items(N).input(&a).output(&each(N, |i| a[i].wrapping_mul(3).wrapping_add(1))).only()
}

fn dwords<const K: usize>(t: &mut Target, f: fn([u32; K]) -> [u32; K]) -> Vec<Case> {
    let a = t.ints::<u32>(K * N);
    Case::items(N).input(&a).output(&blocks(&a, t.simd, f)).only()
}

fn block_shorts(t: &mut Target) -> Vec<Case> {
    let a = t.ints::<u16>(2 * N);
    let out = blocks(&a, t.simd, |[x, y]| [x.wrapping_add(1), y.wrapping_add(2)]);
    Case::items(N).input(&a).output(&out).only()
}
