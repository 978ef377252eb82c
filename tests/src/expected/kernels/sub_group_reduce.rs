//! `sub_group_reduce.cl`

use super::prelude::*;

pub(super) const KERNELS: Kernels = &[
    ("reductions", reductions),
    ("scans", scans),
    ("float_scans", float_scans),
    ("long_reduce", long_reduce),
];

const LOCAL: usize = 40;
const N: usize = 3 * LOCAL;

/// The sub-group of an item, and its place there: the last sub-group of a group is shorter.
fn sub_group<T>(values: &[T], i: usize, simd: usize) -> (&[T], usize) {
    let group = &values[i - i % LOCAL..][..LOCAL];
    let first = i % LOCAL / simd * simd;
    (&group[first..(first + simd).min(LOCAL)], i % LOCAL - first)
}

fn wrapping_sum(values: &[i32]) -> i32 {
    values.iter().fold(0, |s: i32, &v| s.wrapping_add(v))
}

fn reductions(t: &mut Target) -> Vec<Case> {
    let mut a = t.ints::<i32>(N);
    // Sub-groups where nothing is large and others where everything is.
    a[40..80].copy_from_slice(&t.small(40, -90, 90));
    let out = flat(N, |i| {
        let (group, _) = sub_group(&a, i, t.simd);
        [
            exactly(wrapping_sum(group)),
            exactly(*group.iter().min().unwrap()),
            exactly(*group.iter().max().unwrap()),
            exactly(i32::from(group.iter().any(|&x| x > 100))),
            exactly(i32::from(group.iter().all(|&x| x > -100))),
        ]
    });
    Case::groups(3, LOCAL).input(&a).output_of::<i32>(out).only()
}

fn scans(t: &mut Target) -> Vec<Case> {
    let a = t.ints::<i32>(N);
    let out = flat(N, |i| {
        let (group, at) = sub_group(&a, i, t.simd);
        [
            wrapping_sum(&group[..=at]),
            wrapping_sum(&group[..at]),
            *group[..=at].iter().max().unwrap(),
            group[..at].iter().copied().fold(i32::MAX, i32::min),
        ]
    });
    Case::groups(3, LOCAL).input(&a).output(&out).only()
}

fn float_scans(t: &mut Target) -> Vec<Case> {
    let mut a = t.between::<f32>(N, -1e3, 1e3);
    (a[5], a[50]) = (f32::INFINITY, f32::NEG_INFINITY);
    let out = flat(N, |i| {
        let (group, at) = sub_group(&a, i, t.simd);
        [
            group[..=at].iter().copied().fold(f32::NEG_INFINITY, f32::max),
            group.iter().copied().fold(f32::INFINITY, f32::min),
        ]
    });
    Case::groups(3, LOCAL).input(&a).output(&out).only()
}

fn long_reduce(t: &mut Target) -> Vec<Case> {
    let a = t.ints::<i64>(N);
    let sum = |v: &[i64]| v.iter().fold(0i64, |s, &x| s.wrapping_add(x));
    let out = flat(N, |i| {
        let (group, at) = sub_group(&a, i, t.simd);
        [sum(group), sum(&group[..at])]
    });
    Case::groups(3, LOCAL).input(&a).output(&out).only()
}
