//! `recursion.cl`

use super::prelude::*;

pub(super) const KERNELS: Kernels = &[("fib", fib), ("ack", ack)];

const N: usize = 40;

fn fib(t: &mut Target) -> Vec<Case> {
    let a = t.ints::<u32>(N);
    let numbers = [0u32, 1, 1, 2, 3, 5, 8, 13];
    Case::groups(2, N / 2).input(&a).output(&each(N, |i| numbers[(a[i] & 7) as usize])).only()
}

fn ack(t: &mut Target) -> Vec<Case> {
    let a = t.ints::<u32>(N);
    // A(0, n) = n + 1 and A(1, n) = n + 2.
    let out = each(N, |i| (a[i] >> 1 & 3) + 1 + (a[i] & 1));
    Case::groups(2, N / 2).input(&a).output(&out).only()
}
