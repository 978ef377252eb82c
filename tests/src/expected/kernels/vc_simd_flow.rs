//! `vc_simd_flow.ll`

use super::prelude::*;

pub(super) const KERNELS: Kernels = &[("if_then", if_then), ("halve", halve)];

fn if_then(t: &mut Target) -> Vec<Case> {
    let a = t.ints::<i32>(16);
    let run = |limit: i32| {
        let out = each(16, |i| if a[i] < limit { a[i].wrapping_mul(3) } else { a[i] });
        Case::groups(1, 1).input(&a).output(&out).scalar(limit)
    };
    vec![run(2), run(i32::MIN), run(i32::MAX)]
}

fn halve(t: &mut Target) -> Vec<Case> {
    let a = t.ints::<u32>(16);
    let run = |limit: u32| {
        let out = each(16, |i| {
            let mut x = a[i];
            while x >= limit {
                x >>= 1;
            }
            x
        });
        Case::groups(1, 1).input(&a).output(&out).scalar(limit)
    };
    vec![run(100), run(1), run(u32::MAX)]
}
