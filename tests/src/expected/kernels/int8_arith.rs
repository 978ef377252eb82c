//! `int8_arith.cl`

use super::prelude::*;

pub(super) const KERNELS: Kernels = &[("char_ops", char_ops), ("uchar_ops", uchar_ops)];

const N: usize = 120;

fn char_ops(t: &mut Target) -> Vec<Case> {
    let (a, b) = t.int_pairs::<i8>(N);
    let out = flat(N, |i| {
        let (x, y) = (a[i], b[i]);
        [
            x.wrapping_add(y),
            x.wrapping_sub(y),
            x.wrapping_mul(y),
            x.saturating_add(y),
            x.saturating_sub(y),
            x.hadd(y),
            x.min(y),
            x.mul_hi(y),
        ]
    });
    Case::groups(3, 40).input(&a).input(&b).output(&out).only()
}

fn uchar_ops(t: &mut Target) -> Vec<Case> {
    let (a, b) = t.int_pairs::<u8>(N);
    let out = flat(N, |i| {
        let (x, y) = (a[i], b[i]);
        [
            x.wrapping_add(y),
            x.wrapping_sub(y),
            x.wrapping_mul(y),
            x.saturating_add(y),
            x.saturating_sub(y),
            x.rhadd(y),
            x.max(y),
            x.abs_diff(y),
        ]
    });
    Case::groups(3, 40).input(&a).input(&b).output(&out).only()
}
