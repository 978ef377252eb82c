//! `atomics_float_native.cl`

use super::prelude::*;

pub(super) const KERNELS: Kernels =
    &[("float_min_max", float_min_max), ("float_fetch_add", float_fetch_add)];

const N: usize = 120;

fn float_min_max(t: &mut Target) -> Vec<Case> {
    let a = t.between::<f32>(N, -1e4, 1e4);
    let (low, high) = (a.iter().copied().fold(f32::MAX, f32::min), a.iter().copied().fold(f32::MIN, f32::max));
    Case::groups(3, 40).change(&[5.0, -5.0], &[low.min(5.0), high.max(-5.0)]).input(&a).only()
}

fn float_fetch_add(t: &mut Target) -> Vec<Case> {
    // Whole numbers: their sums are exact in any order.
    let a: Vec<f32> = t.small(N, -1000, 1000).into_iter().map(|v| v as f32).collect();
    Case::groups(3, 40).change(&[0.5], &[0.5 + a.iter().sum::<f32>()]).input(&a).only()
}
