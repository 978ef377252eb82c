//! `conversions.cl`

use super::prelude::*;

pub(super) const KERNELS: Kernels = &[
    ("int_to_narrow", int_to_narrow),
    ("narrow_to_int", narrow_to_int),
    ("float_to_int", float_to_int),
    ("int_to_float", int_to_float),
    ("bits", bits),
];

const N: usize = 120;

fn int_to_narrow(t: &mut Target) -> Vec<Case> {
    let mut a = t.ints::<i32>(N);
    a.truncate(N - 12);
    a.extend([127, 128, -128, -129, 255, 256, 32767, 32768, -32768, -32769, 65535, 65536]);
    let wide = |i: usize| i128::from(a[i]);
    Case::groups(3, 40)
        .input(&a)
        .output(&flat(N, |i| [a[i] as i8, i8::saturate(wide(i))]))
        .output(&flat(N, |i| [a[i] as u8, u8::saturate(wide(i))]))
        .output(&flat(N, |i| [a[i] as i16, i16::saturate(wide(i))]))
        .output(&flat(N, |i| [a[i] as u16, u16::saturate(wide(i))]))
        .only()
}

fn narrow_to_int(t: &mut Target) -> Vec<Case> {
    let (c, uc, s, us) = (t.ints::<i8>(N), t.ints::<u8>(N), t.ints::<i16>(N), t.ints::<u16>(N));
    let out = flat(N, |i| [c[i].into(), uc[i].into(), s[i].into(), i32::from(us[i])]);
    Case::groups(3, 40).input(&c).input(&uc).input(&s).input(&us).output(&out).only()
}

/// Floats around the limits of the integer types and around ties.
fn float_edges(t: &mut Target) -> Vec<f32> {
    let mut a = t.floats::<f32>(N - 24);
    a.extend([1.5f32, 2.5, -1.5, -2.5, 0.49999997, -0.5, 126.5, 127.5, 127.99, 128.0, -128.5, -129.0]);
    a.extend([254.5, 255.5, 65534.5, 65535.5, 2147483520.0, 2147483648.0, -2147483648.0, -2147483904.0]);
    a.extend([4294967040.0, 4294967296.0, 8388607.5, -8388607.5]);
    a
}

fn float_to_int(t: &mut Target) -> Vec<Case> {
    let a = float_edges(t);
    let out = flat(N, |i| {
        let x = a[i];
        [x as i32, x.round_ties_even() as i32, x.ceil() as i32, x.floor() as i32, (x as i8).into()]
    });
    let unsigned = flat(N, |i| {
        let x = a[i];
        [x as u32, (x as u8).into(), (x.round_ties_even() as u16).into()]
    });
    Case::groups(3, 40).input(&a).output(&out).output(&unsigned).only()
}

fn int_to_float(t: &mut Target) -> Vec<Case> {
    let (mut a, mut b, c) = (t.ints::<i32>(N), t.ints::<u32>(N), t.ints::<u8>(N));
    // Ties between two floats.
    a[20..24].copy_from_slice(&[0x100_0001, 0x100_0003, -0x100_0001, -0x100_0003]);
    b[20..24].copy_from_slice(&[0x8000_0080, 0x8000_0180, 0xffff_ff7f, 0xffff_ff80]);
    let out = flat(N, |i| [a[i] as f32, b[i] as f32, c[i].into(), (a[i] as i16).into()]);
    Case::groups(3, 40).input(&a).input(&b).input(&c).output(&out).only()
}

fn bits(t: &mut Target) -> Vec<Case> {
    let a = float_edges(t);
    // Exponent, mantissa, sign, from the top: the float's bits, turned left by one.
    let out = each(N, |i| a[i].to_bits().rotate_left(1));
    Case::groups(3, 40).input(&a).output(&out).only()
}
