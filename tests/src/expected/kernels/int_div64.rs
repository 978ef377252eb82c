//! `int_div64.cl`

use super::prelude::*;

pub(super) const KERNELS: Kernels = &[("div64", div64), ("udiv64", udiv64), ("div64_const", div64_const)];

const N: usize = 120;

fn div64(t: &mut Target) -> Vec<Case> {
    let (a, mut b) = t.int_pairs::<i64>(N);
    for (x, y) in a.iter().zip(&mut b) {
        if *y == 0 || (*x == i64::MIN && *y == -1) {
            *y = -3;
        }
    }
    Case::groups(3, 40).input(&a).input(&b).output(&flat(N, |i| [a[i] / b[i], a[i] % b[i]])).only()
}

fn udiv64(t: &mut Target) -> Vec<Case> {
    let (a, mut b) = t.int_pairs::<u64>(N);
    b.iter_mut().filter(|y| **y == 0).for_each(|y| *y = 10_000_000_000);
    Case::groups(3, 40).input(&a).input(&b).output(&flat(N, |i| [a[i] / b[i], a[i] % b[i]])).only()
}

fn div64_const(t: &mut Target) -> Vec<Case> {
    let a = t.ints::<u64>(N);
    let out = flat(N, |i| [a[i] / 1_000_000_007, (a[i] as i64 % 97) as u64]);
    Case::groups(3, 40).input(&a).output(&out).only()
}
