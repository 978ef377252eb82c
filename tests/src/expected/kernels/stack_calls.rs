//! `stack_calls.cl`

use super::prelude::*;

pub(super) const KERNELS: Kernels = &[("by_value", by_value), ("by_pointer", by_pointer)];

const N: usize = 40;

fn by_value(t: &mut Target) -> Vec<Case> {
    let a = t.small(N, -100_000_000, 100_000_000);
    let out = each(N, |i| {
        let x = a[i];
        x + (x + 1) * 2 + (x & 0xff) + (x - 2) + x - 2 * x + 3 - 4
    });
    Case::groups(2, N / 2).input(&a).output(&out).only()
}

fn by_pointer(t: &mut Target) -> Vec<Case> {
    let a = t.ints::<i32>(N);
    let out = each(N, |i| {
        let mut seed = a[i];
        let v = each(20, |_| {
            seed = seed.wrapping_mul(5).wrapping_add(3);
            seed
        });
        (0..20).fold(0, |sum, k| sum ^ v[(k * 7 + (a[i] & 3) as usize) % 20])
    });
    Case::groups(2, N / 2).input(&a).output(&out).only()
}
