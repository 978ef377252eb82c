//! `sub_group_shuffles.cl`: all sub-groups are full, for what an absent lane holds nobody says.

use super::prelude::*;

pub(super) const KERNELS: Kernels = &[
    ("shuffle_dwords", shuffle_dwords),
    ("shuffle_widths", shuffle_widths),
    ("shuffle_vectors", shuffle_vectors),
    ("broadcasts", broadcasts),
    ("butterfly", butterfly),
];

const N: usize = 128;

fn shuffle_dwords(t: &mut Target) -> Vec<Case> {
    let (a, from, simd) = (t.ints::<i32>(N), t.ints::<u32>(N), t.simd);
    let out = flat(N, |i| {
        let (first, lane) = (i - i % simd, i % simd);
        [
            a[first + (from[i] as usize & (simd - 1))],
            a[i ^ 3],
            if lane >= 1 { a[i - 1] } else { 0 },
            if lane + 2 < simd { a[i + 2] } else { -1 },
        ]
    });
    Case::items(N).input(&a).input(&from).output(&out).only()
}

fn shuffle_widths(t: &mut Target) -> Vec<Case> {
    let (a, b) = (t.ints::<i64>(N), t.ints::<i16>(N));
    Case::items(N)
        .input(&a)
        .input(&b)
        .output(&each(N, |i| a[i ^ 1]))
        .output(&each(N, |i| b[i ^ 2]))
        .only()
}

fn shuffle_vectors(t: &mut Target) -> Vec<Case> {
    let a = t.vectors(N, -10.0, 10.0);
    Case::items(N).input(&a).output(&each(N, |i| a[i ^ 5])).only()
}

fn broadcasts(t: &mut Target) -> Vec<Case> {
    let (a, simd) = (t.ints::<i32>(N), t.simd);
    let run = |lane: usize| {
        let out = flat(N, |i| {
            let first = i - i % simd;
            [a[first], a[first + (lane & 7)], a[first + 6]]
        });
        Case::items(N).input(&a).output(&out).scalar(lane as u32)
    };
    vec![run(3), run(0xffff_fffd)]
}

fn butterfly(t: &mut Target) -> Vec<Case> {
    let (a, simd) = (t.ints::<i32>(N), t.simd);
    let out = each(N, |i| a[i - i % simd..][..simd].iter().fold(0i32, |s, &x| s.wrapping_add(x)));
    Case::items(N).input(&a).output(&out).only()
}
