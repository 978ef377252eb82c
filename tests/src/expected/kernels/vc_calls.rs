//! `vc_calls.ll`

use super::prelude::*;

pub(super) const KERNELS: Kernels = &[("calls", calls)];

fn mix(a: u32, k: u32) -> u32 {
    a.wrapping_mul(k) ^ a
}

fn calls(t: &mut Target) -> Vec<Case> {
    let a = t.ints::<u32>(16);
    let run = |n: u32| {
        let out = each(16, |i| (0..n).fold(a[i], |x, k| mix(mix(mix(x, 7), 11), k)));
        Case::groups(1, 1).input(&a).output(&out).scalar(n)
    };
    vec![run(3), run(0)]
}
