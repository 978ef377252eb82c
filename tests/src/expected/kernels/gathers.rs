//! `gathers.cl`

use super::prelude::*;
use crate::expected::{element::Element, inputs::Integer};

pub(super) const KERNELS: Kernels = &[
    ("gather_bytes", |t| gather::<u8>(t, |v| v)),
    ("gather_shorts", |t| gather::<u16>(t, |v| v.wrapping_add(1))),
    ("gather_dwords", |t| gather::<u32>(t, |v| v.wrapping_add(1))),
    ("gather_qwords", |t| gather::<u64>(t, |v| v.wrapping_add(1))),
    ("gather_vectors", gather_vectors),
    ("chase", chase),
    ("unaligned_bytes", unaligned_bytes),
];

const N: usize = 128;

/// `out[index[i]] = f(table[index[i] ^ 5])`, for indices that no two items share.
pub(super) fn gather<T: Element + Integer>(t: &mut Target, f: fn(T) -> T) -> Vec<Case> {
    let (table, index) = (t.ints::<T>(N), t.permutation(N));
    let out = each(N, |k| f(table[k ^ 5]));
    Case::items(N).input(&table).input(&index).output(&out).only()
}

pub(super) fn gather_vectors(t: &mut Target) -> Vec<Case> {
    let t2 = t.ints::<u32>(2 * N).chunks_exact(2).map(|c| [c[0], c[1]]).collect::<Vec<_>>();
    let t4 = t.ints::<u32>(4 * N).chunks_exact(4).map(|c| [c[0], c[1], c[2], c[3]]).collect::<Vec<_>>();
    let index = t.permutation(N);
    let (mut o2, mut o4) = (vec![[0; 2]; N], vec![[0; 4]; N]);
    for i in 0..N {
        let k = index[i] as usize;
        let [x, y] = t2[k ^ 1];
        o2[k] = [y, x];
        o4[k] = std::array::from_fn(|c| t4[k ^ 3][3 - c].wrapping_add(t4[i][c]));
    }
    Case::items(N).input(&t2).input(&t4).input(&index).output(&o2).output(&o4).only()
}

pub(super) fn chase(t: &mut Target) -> Vec<Case> {
    let (next, start) = (t.below(200, 200), t.below(N, 200));
    let run = |steps: u32| {
        let out = each(N, |i| (0..steps).fold(start[i], |at, _| if at != 0 { next[at as usize] } else { 0 }));
        Case::items(N).input(&next).input(&start).output(&out).scalar(steps)
    };
    vec![run(9), run(0)]
}

fn unaligned_bytes(t: &mut Target) -> Vec<Case> {
    let bytes = t.ints::<u8>(7 * N);
    let out = each(N, |i| {
        let p = &bytes[7 * i..7 * i + 7];
        u32::from_le_bytes([p[1], p[2], p[4], p[6]])
    });
    Case::items(N).input(&bytes).output(&out).only()
}
