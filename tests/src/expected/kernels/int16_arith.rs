//! `int16_arith.cl`

use super::prelude::*;

pub(super) const KERNELS: Kernels =
    &[("short_ops", short_ops), ("ushort_ops", ushort_ops), ("mixed_width", mixed_width)];

const N: usize = 120;

fn short_ops(t: &mut Target) -> Vec<Case> {
    let (a, b) = t.int_pairs::<i16>(N);
    let out = flat(N, |i| {
        let (x, y) = (a[i], b[i]);
        [
            x.wrapping_add(y),
            x.wrapping_mul(y).wrapping_add(7),
            x.saturating_add(y),
            x.saturating_sub(y),
            x.mul_hi(y),
            x.max(y),
            x.wrapping_neg(),
            x.unsigned_abs() as i16,
        ]
    });
    Case::groups(3, 40).input(&a).input(&b).output(&out).only()
}

fn ushort_ops(t: &mut Target) -> Vec<Case> {
    let (a, b) = t.int_pairs::<u16>(N);
    let out = flat(N, |i| {
        let (x, y) = (a[i], b[i]);
        [
            x.wrapping_add(y),
            x.wrapping_mul(y).wrapping_add(7),
            x.saturating_add(y),
            x.saturating_sub(y),
            x.mul_hi(y),
            x.min(y),
            x.hadd(y),
            x.abs_diff(y),
        ]
    });
    Case::groups(3, 40).input(&a).input(&b).output(&out).only()
}

fn mixed_width(t: &mut Target) -> Vec<Case> {
    let (a, b, c) = (t.ints::<i16>(N), t.ints::<i8>(N), t.ints::<i32>(N));
    let out = flat(N, |i| {
        let (x, y, wide) = (i32::from(a[i]), i32::from(b[i]), c[i]);
        [
            (x * y).wrapping_add(wide),
            wide.wrapping_sub(x),
            wide.wrapping_mul(i32::from(a[i] as u16)) ^ y,
        ]
    });
    Case::groups(3, 40).input(&a).input(&b).input(&c).output(&out).only()
}
