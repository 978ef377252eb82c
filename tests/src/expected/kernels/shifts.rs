//! `shifts.cl`

use super::prelude::*;

pub(super) const KERNELS: Kernels = &[
    ("shift_ops", shift_ops),
    ("bit_fields", bit_fields),
    ("reverse_bits", reverse_bits),
    ("narrow_shifts", narrow_shifts),
];

const N: usize = 120;

fn shift_ops(t: &mut Target) -> Vec<Case> {
    let (a, s) = t.int_pairs::<u32>(N);
    let out = flat(N, |i| {
        let (x, n) = (a[i], s[i] & 31);
        [
            x << n,
            x >> n,
            (x as i32 >> n) as u32,
            x.rotate_left(n),
            x.rotate_left(7),
            x.count_ones(),
            x.leading_zeros(),
            x.trailing_zeros(),
        ]
    });
    Case::groups(3, 40).input(&a).input(&s).output(&out).only()
}

fn bit_fields(t: &mut Target) -> Vec<Case> {
    let (a, b) = t.int_pairs::<u32>(N);
    let out = flat(N, |i| {
        let (x, y) = (a[i], b[i]);
        [
            x >> 5 & 0x7ff,
            ((x << 9) as i32 >> 20) as u32,
            x & 0xff00_00ff | (y & 0xffff) << 8,
            x & y | !x & 0x0f0f_0f0f,
            !(x ^ y),
            (x & 0x5555_5555) << 1 | x >> 1 & 0x5555_5555,
        ]
    });
    Case::groups(3, 40).input(&a).input(&b).output(&out).only()
}

fn reverse_bits(t: &mut Target) -> Vec<Case> {
    let a = t.ints::<u32>(N);
    Case::groups(3, 40).input(&a).output(&each(N, |i| a[i].reverse_bits())).only()
}

fn narrow_shifts(t: &mut Target) -> Vec<Case> {
    let (a, b) = (t.ints::<u16>(N), t.ints::<u8>(N));
    let out = flat(N, |i| {
        let (x, y) = (a[i], b[i]);
        let n = y & 15;
        // y << 3 is an int: the bits above the byte stay.
        [x << n, x >> n, (x as i16 >> n) as u16, u16::from(y) << 3 | u16::from(y >> 5)]
    });
    Case::groups(3, 40).input(&a).input(&b).output(&out).only()
}
