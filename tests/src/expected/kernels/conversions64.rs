//! `conversions64.cl`

use super::prelude::*;

pub(super) const KERNELS: Kernels = &[
    ("long_to_narrow", long_to_narrow),
    ("narrow_to_long", narrow_to_long),
    ("long_to_float", long_to_float),
    ("float_to_long", float_to_long),
];

const N: usize = 120;

fn long_to_narrow(t: &mut Target) -> Vec<Case> {
    let mut a = t.ints::<i64>(N);
    a[12..20].copy_from_slice(&[1 << 31, (1 << 31) - 1, -(1 << 31), -(1 << 31) - 1, 1 << 32, (1 << 32) - 1, 32768, -32769]);
    let wide = |i: usize| i128::from(a[i]);
    let out = flat(N, |i| [a[i] as i32, i32::saturate(wide(i)), u32::saturate(wide(i)) as i32]);
    Case::groups(3, 40).input(&a).output(&out).output(&each(N, |i| i16::saturate(wide(i)))).only()
}

fn narrow_to_long(t: &mut Target) -> Vec<Case> {
    let (a, b) = (t.ints::<i32>(N), t.ints::<u8>(N));
    let out = flat(N, |i| [i64::from(a[i]), i64::from(a[i] as u32), i64::from(b[i]) << 33]);
    Case::groups(3, 40).input(&a).input(&b).output(&out).only()
}

fn long_to_float(t: &mut Target) -> Vec<Case> {
    let mut a = t.ints::<i64>(N);
    // Ties between two floats, and a bit far below one.
    a[12..18].copy_from_slice(&[0x100_0001, 0x100_0003, 0x100_0001 << 20, (0x100_0001 << 20) + 1, -0x100_0001, (1 << 62) + (1 << 38)]);
    let out = flat(N, |i| [a[i] as f32, a[i] as u64 as f32]);
    Case::groups(3, 40).input(&a).output(&out).only()
}

fn float_to_long(t: &mut Target) -> Vec<Case> {
    // What is beyond the range of long is undefined.
    let mut a = t.between::<f32>(N, -4e18, 4e18);
    a[..60].copy_from_slice(&t.between::<f32>(60, -1e5, 1e5));
    a[..8].copy_from_slice(&[0.0, -0.0, 0.99999994, -0.99999994, 1e-40, 4294967296.0, -2147483648.0, 9.2e18]);
    let out = flat(N, |i| [a[i] as i64, a[i].abs() as u64 as i64]);
    Case::groups(3, 40).input(&a).output(&out).only()
}
