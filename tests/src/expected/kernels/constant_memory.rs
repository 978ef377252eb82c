//! `constant_memory.cl`

use super::prelude::*;

pub(super) const KERNELS: Kernels = &[
    ("substitute", substitute),
    ("weighted", weighted),
    ("constant_arguments", constant_arguments),
    ("mix64", mix64),
];

const N: usize = 120;

fn substitute(t: &mut Target) -> Vec<Case> {
    let sbox = [12, 5, 6, 11, 9, 0, 10, 13, 3, 14, 15, 8, 4, 7, 1, 2];
    let a = t.ints::<u32>(N);
    let out = each(N, |i| (0..8).map(|k| sbox[(a[i] >> (4 * k) & 15) as usize] << (4 * k)).sum::<u32>());
    Case::groups(3, 40).input(&a).output(&out).only()
}

fn weighted(t: &mut Target) -> Vec<Case> {
    let weights = [[1.0, 2.0, 3.0, 4.0], [0.5, 0.25, 0.125, 0.0625], [-1.0, -2.0, -4.0, -8.0f32]];
    let a = t.vectors(N, -10.0, 10.0);
    let run = |row: usize| {
        let out = each(N, |i| dot::<4>(std::array::from_fn(|c| (a[i][c], weights[row][c]))));
        Case::groups(3, 40).input(&a).output_of::<f32>(out).scalar(row as i32)
    };
    (0..3).map(run).collect()
}

fn constant_arguments(t: &mut Target) -> Vec<Case> {
    let (table, vectors, index) = (t.small(16, -50, 50), t.vectors(8, -4.0, 4.0), t.ints::<u32>(N));
    let out = flat(N, |i| {
        let (v, w) = (vectors[(index[i] & 7) as usize], table[(index[i] & 15) as usize] as f32);
        std::array::from_fn::<_, 4, _>(|c| dot([(v[c], w), (vectors[0][c], 1.0), (table[3] as f32, 1.0)]))
    });
    Case::groups(3, 40).input(&table).input(&vectors).input(&index).output_of::<f32>(out).only()
}

fn mix64(t: &mut Target) -> Vec<Case> {
    let mixers =
        [0x9e37_79b9_7f4a_7c15u64, 0xbf58_476d_1ce4_e5b9, 0x94d0_49bb_1331_11eb, 0xd6e8_feb8_6659_fd93];
    let a = t.ints::<u64>(N);
    let out = each(N, |i| {
        let mut x = a[i];
        x = (x ^ x >> 30).wrapping_mul(mixers[i & 3]);
        x = (x ^ x >> 27).wrapping_mul(mixers[(i + 1) & 3]);
        x ^ x >> 31
    });
    Case::groups(3, 40).input(&a).output(&out).only()
}
