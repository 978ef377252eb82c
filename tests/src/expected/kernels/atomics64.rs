//! `atomics64.cl`

use super::prelude::*;

pub(super) const KERNELS: Kernels = &[("long_atomics", long_atomics), ("long_cas", long_cas)];

const N: usize = 120;

fn long_atomics(t: &mut Target) -> Vec<Case> {
    let a = t.ints::<i64>(N);
    let before = [1i64 << 40, -6, u32::MAX.into(), 5, -5, -1, 1 << 33, 0x5555_0000_5555];
    let sum = a.iter().fold(0i64, |s, &x| s.wrapping_add(x));
    let all = |f: fn(i64, i64) -> i64, start: i64| a.iter().fold(start, |s, &x| f(s, x));
    let after = [
        before[0].wrapping_add(sum),
        before[1].wrapping_sub(sum),
        before[2] + N as i64,
        all(i64::min, before[3]),
        all(i64::max, before[4]),
        all(|s, x| s & x, before[5]),
        all(|s, x| s | x, before[6]),
        all(|s, x| s ^ x, before[7]),
    ];
    let largest = a.iter().map(|&x| x as u64).max().unwrap();
    Case::groups(3, 40).change(&before, &after).change(&[7u64], &[largest]).input(&a).only()
}

fn long_cas(t: &mut Target) -> Vec<Case> {
    let a = t.ints::<u64>(N);
    // Bits that differ plus twice the bits in common: a sum.
    let after = a.iter().fold(9u64, |s, &x| s.wrapping_add(x));
    Case::groups(3, 40).change(&[9u64], &[after]).input(&a).only()
}
