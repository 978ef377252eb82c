//! `mulhi.cl`

use super::prelude::*;

pub(super) const KERNELS: Kernels = &[
    ("mul_high", mul_high),
    ("wide_product", wide_product),
    ("product128", product128),
    ("montgomery", montgomery),
];

const N: usize = 120;

fn mul_high(t: &mut Target) -> Vec<Case> {
    let (a, b) = t.int_pairs::<i32>(N);
    let out = flat(N, |i| {
        let (x, y) = (a[i], b[i]);
        [
            x.mul_hi(y),
            (x as u32).mul_hi(y as u32) as i32,
            x.mad_hi(y, x),
            (x as i16).mul_hi(y as i16).into(),
            (x as u8).mul_hi(y as u8).into(),
        ]
    });
    Case::groups(3, 40).input(&a).input(&b).output(&out).only()
}

fn wide_product(t: &mut Target) -> Vec<Case> {
    let (a, b) = t.int_pairs::<u32>(N);
    let unsigned = each(N, |i| u64::from(a[i]) * u64::from(b[i]));
    let signed = each(N, |i| i64::from(a[i] as i32) * i64::from(b[i] as i32));
    Case::groups(3, 40).input(&a).input(&b).output(&unsigned).output(&signed).only()
}

fn product128(t: &mut Target) -> Vec<Case> {
    let (a, b) = t.int_pairs::<u64>(N);
    let out = each(N, |i| [a[i].wrapping_mul(b[i]), a[i].mul_hi(b[i])]);
    Case::groups(3, 40).input(&a).input(&b).output(&out).only()
}

fn montgomery(t: &mut Target) -> Vec<Case> {
    let m = 998_244_353u64;
    // -1 / m modulo 2^32, bit by bit.
    let mut inverse = 0u32;
    for bit in 0..32 {
        if (inverse.wrapping_mul(m as u32).wrapping_add(1)) >> bit & 1 != 0 {
            inverse |= 1 << bit;
        }
    }
    let (mut a, mut b) = t.int_pairs::<u32>(N);
    a.iter_mut().chain(&mut b).for_each(|v| *v %= m as u32);
    // The definition: x * y / 2^32 modulo m; 2^32 is divided by halving 32 times.
    let out = each(N, |i| {
        let mut r = u64::from(a[i]) * u64::from(b[i]) % m;
        for _ in 0..32 {
            r = if r.is_multiple_of(2) { r / 2 } else { (r + m) / 2 };
        }
        r as u32
    });
    Case::groups(3, 40).input(&a).input(&b).output(&out).scalar(m as u32).scalar(inverse).only()
}
