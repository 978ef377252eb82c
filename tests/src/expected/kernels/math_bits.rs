//! `math_bits.cl`

use super::{compare_select::bits, prelude::*};

pub(super) const KERNELS: Kernels = &[("split", split), ("scale", scale), ("classify", classify)];

const N: usize = 120;

fn split(t: &mut Target) -> Vec<Case> {
    let a = t.floats::<f32>(N);
    let frac = flat(N, |i| {
        let x = a[i];
        let rest = if x.is_infinite() { 0.0 } else { x - x.trunc() };
        // Intel's library gives +0 for -0; the vISA is so.
        let frexp = if x == 0.0 { either([0f32, -0.0]) } else { exactly(opencl::frexp(x).0) };
        [frexp, exactly(rest.copysign(x))]
    });
    // The exponent of what is not finite is anybody's.
    let exponent =
        each(N, |i| if a[i].is_finite() { exactly(opencl::frexp(a[i]).1) } else { Accept::Anything });
    Case::groups(3, 40)
        .input(&a)
        .output_of::<f32>(frac)
        .output_of::<i32>(exponent)
        .output(&each(N, |i| a[i].trunc()))
        .only()
}

fn scale(t: &mut Target) -> Vec<Case> {
    let (a, mut n) = (t.floats::<f32>(N), t.small(N, -160, 160));
    n[..20].copy_from_slice(&t.ints::<i32>(20));
    let out = flat(N, |i| [opencl::ldexp(a[i], n[i]), opencl::nextafter(a[i], 1.0e30)]);
    Case::groups(3, 40).input(&a).input(&n).output(&out).only()
}

fn classify(t: &mut Target) -> Vec<Case> {
    let a = t.floats::<f32>(N);
    let out = each(N, |i| {
        let x = a[i];
        bits([x.is_nan(), x.is_infinite(), x.is_finite(), x.is_normal(), x.is_sign_negative(), x == 0.0])
    });
    Case::groups(3, 40).input(&a).output(&out).only()
}
