//! `private_arrays.cl`

use super::prelude::*;

pub(super) const KERNELS: Kernels = &[
    ("small_array", small_array),
    ("uniform_index", uniform_index),
    ("bytes_on_stack", bytes_on_stack),
    ("large_array", large_array),
];

const N: usize = 40;

fn small_array(t: &mut Target) -> Vec<Case> {
    let a = t.ints::<u32>(32 * N);
    let out = flat(N, |i| {
        each(16, |k| a[32 * i..32 * i + 32].iter().filter(|v| (**v & 15) as usize == k).count() as u32)
    });
    Case::groups(2, N / 2).input(&a).output(&out).only()
}

fn uniform_index(t: &mut Target) -> Vec<Case> {
    let a = t.small(8 * N, -100_000_000, 100_000_000);
    let run = |which: usize| {
        let v = |i: usize, k: usize| a[8 * i + (k & 7)] * ((k & 7) as i32 + 1);
        let out = each(N, |i| v(i, which) - v(i, which + 3));
        Case::groups(2, N / 2).input(&a).output(&out).scalar(which as u32)
    };
    vec![run(2), run(13)]
}

fn bytes_on_stack(t: &mut Target) -> Vec<Case> {
    let a = t.ints::<u8>(32 * N);
    let out = flat(N, |i| {
        let mut order = each(32, |k| k as u8);
        (0..32).for_each(|k| order.swap(k, usize::from(a[32 * i + k] & 31)));
        order
    });
    Case::groups(2, N / 2).input(&a).output(&out).only()
}

fn large_array(t: &mut Target) -> Vec<Case> {
    let n = 18;
    let a = t.ints::<i32>(n * N);
    let mut out = a.clone();
    out.chunks_mut(n).for_each(<[i32]>::sort_unstable);
    Case::groups(2, N / 2).input(&a).output(&out).scalar(n as i32).only()
}
