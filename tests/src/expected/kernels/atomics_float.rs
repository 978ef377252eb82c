//! `atomics_float.cl`

use super::prelude::*;
use crate::expected::element::values_of;

pub(super) const KERNELS: Kernels =
    &[("float_add", float_add), ("float_swap", float_swap), ("local_float_sum", local_float_sum)];

const N: usize = 120;

/// Small whole numbers, whose sums are exact in any order.
fn whole(t: &mut Target) -> Vec<f32> {
    t.small(N, -1000, 1000).into_iter().map(|v| v as f32).collect()
}

fn float_add(t: &mut Target) -> Vec<Case> {
    let a = whole(t);
    let after = 0.5 + a.iter().sum::<f32>();
    Case::groups(3, 40).change(&[0.5f32], &[after]).input(&a).only()
}

fn float_swap(_: &mut Target) -> Vec<Case> {
    Case::groups(3, 40)
        .checked(&[-1f32])
        .checked(&[-2f32; N])
        .check(|buffers| {
            let mut all = values_of::<f32>(buffers[1]);
            all.extend(values_of::<f32>(buffers[0]));
            all.sort_by(f32::total_cmp);
            let right = all.iter().copied().eq((-1..N as i32).map(|v| v as f32));
            if right { Ok(()) } else { Err(format!("values seen: {all:?}")) }
        })
        .only()
}

fn local_float_sum(t: &mut Target) -> Vec<Case> {
    let a = whole(t);
    let sums = each(3, |g| a[40 * g..40 * (g + 1)].iter().sum::<f32>());
    Case::groups(3, 40).input(&a).output(&sums).only()
}
