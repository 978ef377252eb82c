//! `compare_select.cl`

use super::prelude::*;

pub(super) const KERNELS: Kernels = &[
    ("compare_int", compare_int),
    ("compare_float", compare_float),
    ("compare_long", compare_long),
    ("many_predicates", many_predicates),
    ("median5", median5),
];

const N: usize = 120;

/// A bit for each truth, from the lowest on.
pub(super) fn bits<const K: usize>(truths: [bool; K]) -> u32 {
    truths.into_iter().enumerate().map(|(k, t)| u32::from(t) << k).sum()
}

fn compare_int(t: &mut Target) -> Vec<Case> {
    let (a, b) = t.int_pairs::<i32>(N);
    let out = each(N, |i| {
        let (x, y) = (a[i], b[i]);
        bits([
            x == y,
            x != y,
            x < y,
            x <= y,
            x as u32 > y as u32,
            x as u32 >= y as u32,
            (x as i16) < y as i16,
            (x as u8) < y as u8,
        ])
    });
    Case::groups(3, 40).input(&a).input(&b).output(&out).only()
}

fn compare_float(t: &mut Target) -> Vec<Case> {
    let (a, mut b) = t.float_pairs::<f32>(N);
    b[100..].copy_from_slice(&a[100..]);
    let out = each(N, |i| {
        let (x, y) = (a[i], b[i]);
        let unordered = x.is_nan() || y.is_nan();
        bits([x == y, x != y, x < y, x <= y, x > y, x >= y, unordered || x >= y, unordered])
    });
    Case::groups(3, 40).input(&a).input(&b).output(&out).only()
}

fn compare_long(t: &mut Target) -> Vec<Case> {
    let (a, b) = t.int_pairs::<i64>(N);
    let out = flat(N, |i| {
        let (x, y) = (a[i], b[i]);
        let difference =
            if x as u64 >= y as u64 { x.wrapping_sub(y) } else { y.wrapping_sub(x) };
        [x.min(y), difference, i64::from(x == y)]
    });
    Case::groups(3, 40).input(&a).input(&b).output(&out).only()
}

fn many_predicates(t: &mut Target) -> Vec<Case> {
    let mut list = || t.small(N, 60, 140);
    let (a, b, c) = (list(), list(), list());
    let out = each(N, |i| {
        let (x, y, z) = (a[i], b[i], c[i]);
        let (p, q, r, s, t, u) = (x < y, y < z, z < x, x > 100, y > 100, z > 100);
        let mut result = match () {
            () if p && q => x,
            () if r && !s => y,
            () if t || u => z,
            () => -1,
        };
        result += if p && u { 10 } else { 20 };
        result += if q || (r && t) { 100 } else { 200 };
        result + if (p != s) && (q != t) { 1000 } else { 2000 }
    });
    Case::groups(3, 40).input(&a).input(&b).input(&c).output(&out).only()
}

fn median5(t: &mut Target) -> Vec<Case> {
    let mut a = t.between::<f32>(5 * N, -100.0, 100.0);
    // Some equal ones, some beyond all bounds.
    a[10..13].fill(2.5);
    (a[15], a[16], a[21]) = (f32::INFINITY, f32::NEG_INFINITY, -1e-40);
    let out = each(N, |i| {
        let mut five = a[5 * i..5 * i + 5].to_vec();
        five.sort_by(f32::total_cmp);
        five[2]
    });
    Case::groups(3, 40).input(&a).output(&out).only()
}
