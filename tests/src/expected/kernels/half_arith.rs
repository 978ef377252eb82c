//! `half_arith.cl`

use half::f16;
use platforms::Platform;

use super::prelude::*;

pub(super) const KERNELS: Kernels = &[
    ("half_ops", half_ops),
    ("half_convert", half_convert),
    ("half_memory", half_memory),
    ("half_vectors", half_vectors),
];

const N: usize = 120;

/// An operation in single precision, rounded to half: with 24 bits for operands of 11, rounding twice
/// is rounding once.
fn half(x: f16, y: f16, f: fn(f32, f32) -> f32) -> f16 {
    f16::from_f32(f(x.to_f32(), y.to_f32()))
}

fn half_ops(t: &mut Target) -> Vec<Case> {
    let (a, b) = t.float_pairs::<f16>(N);
    // For Broadwell Intel's library makes `x >= 0 ? -x : x` of this, which is +0 for -0; the vISA is so.
    let bdw = t.platform.with_kernels() == Platform::Bdw;
    let minus_fabs = |x: f16| {
        if bdw && x.to_f32() == 0.0 { either([x, -x]) } else { exactly(f16::from_bits(x.to_bits() | 0x8000)) }
    };
    let out = flat(N, |i| {
        let (x, y) = (a[i], b[i]);
        [
            exactly(half(x, y, |x, y| x + y)),
            exactly(half(x, y, |x, y| x - y)),
            exactly(half(x, y, |x, y| x * y)),
            exactly(opencl::fma16(x, y, f16::from_f32(0.5))),
            either([half(x, y, opencl::fmin), half(y, x, opencl::fmin)]),
            either([half(x, y, opencl::fmax), half(y, x, opencl::fmax)]),
            minus_fabs(x),
            exactly(if x < y { x } else { f16::from_f32(2.0) }),
        ]
    });
    Case::groups(3, 40).input(&a).input(&b).output_of::<f16>(out).only()
}

fn half_convert(t: &mut Target) -> Vec<Case> {
    let (a, mut b) = (t.floats::<f16>(N), t.floats::<f32>(N));
    // Ties, the largest half and what rounds up from it, denormal halves.
    b[20..30].copy_from_slice(&[2049.0, 2051.0, 65504.0, 65519.0, 65520.0, 1e-5, 6e-8, 2.9e-8, 3e-8, -6.1e-5]);
    let wide = each(N, |i| a[i].to_f32() * 2.0);
    Case::groups(3, 40).input(&a).input(&b).output(&wide).output(&each(N, |i| f16::from_f32(b[i]))).only()
}

fn half_memory(t: &mut Target) -> Vec<Case> {
    let a = t.floats::<f16>(N);
    let run = |scale: f32| {
        let out = each(N, |i| f16::from_f32(a[i].to_f32() * scale));
        Case::groups(3, 40).input(&a).output(&out).scalar(scale)
    };
    vec![run(1.0 / 3.0), run(1.0)]
}

fn half_vectors(t: &mut Target) -> Vec<Case> {
    let v = t.floats::<f16>(4 * N);
    let out = flat(N, |i| {
        each(4, |c| {
            let (x, y, h) = (v[4 * i + c], v[4 * i + 3 - c], f16::from_f32(0.5));
            // Contracted or not.
            either([opencl::fma16(y, h, x), half(half(y, h, |y, h| y * h), x, |p, x| p + x)])
        })
    });
    Case::groups(3, 40).input(&v).output_of::<f16>(out).only()
}
