//! `math_basic.cl`: precision by the table of OpenCL C, section 7.4; `native_*` functions may have any, here
//! they get 16 units in the last place, or an absolute error of 2^-11 where the result passes zero.

use super::prelude::*;

pub(super) const KERNELS: Kernels = &[("native_math", native_math), ("divide", divide), ("roots", roots)];

const N: usize = 120;

fn native_math(t: &mut Target) -> Vec<Case> {
    let mut a = t.between::<f32>(N, 0.01, 20.0);
    a[..5].copy_from_slice(&[1.0, 2.0, 0.5, 16.0, 3.0]);
    let out = flat(N, |i| {
        let x = f64::from(a[i]);
        let loose = |v: f64| near(v, v.abs() * 2e-6 + 5e-4);
        [
            ulps(1.0 / x, 16.0),
            ulps(x.sqrt(), 16.0),
            ulps(1.0 / x.sqrt(), 16.0),
            ulps(x.exp2(), 16.0),
            loose(x.log2()),
            loose(x.sin()),
            loose(x.cos()),
            near(x.powf(1.5), x.powf(1.5) * 1e-4),
        ]
    });
    Case::groups(3, 40).input(&a).output_of::<f32>(out).only()
}

fn divide(t: &mut Target) -> Vec<Case> {
    let (a, b) = t.float_pairs::<f32>(N);
    let out = flat(N, |i| {
        let (x, y) = (f64::from(a[i]), f64::from(b[i]));
        let moderate = (1e-6..1e6).contains(&y.abs()) && x.abs() < 1e30;
        let remainder = a[i] % b[i];
        [
            ulps(x / y, 2.5),
            if moderate { ulps(x / y, 16.0) } else { Accept::Anything },
            exactly(remainder),
        ]
    });
    Case::groups(3, 40).input(&a).input(&b).output_of::<f32>(out).only()
}

fn roots(t: &mut Target) -> Vec<Case> {
    let a = t.floats::<f32>(N);
    let out = flat(N, |i| {
        let x = f64::from(a[i]);
        [ulps(x.sqrt(), 3.0), ulps(1.0 / x.sqrt(), 2.0), ulps(x.hypot(3.0), 4.0)]
    });
    Case::groups(3, 40).input(&a).output_of::<f32>(out).only()
}
