//! `print.cl`: what the kernels leave beside their text, whose buffer is the runtime's.

use super::prelude::*;

pub(super) const KERNELS: Kernels = &[("hello", hello), ("values", values), ("vectors", vectors)];

const N: usize = 40;

fn hello(_: &mut Target) -> Vec<Case> {
    Case::groups(2, N / 2).output(&each(N, |i| i as i32)).only()
}

fn values(t: &mut Target) -> Vec<Case> {
    let (a, f) = (t.small(N, 0, 130), t.between::<f32>(N, -5.0, 5.0));
    Case::groups(2, N / 2).input(&a).input(&f).output(&each(N, |i| a[i] + 1)).only()
}

fn vectors(t: &mut Target) -> Vec<Case> {
    let a = t.vectors(N, -3.0, 10.0);
    Case::groups(2, N / 2).input(&a).output(&each(N, |i| a[i].map(|v| v * 2.0))).only()
}
