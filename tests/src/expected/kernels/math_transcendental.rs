//! `math_transcendental.cl`: precision by the table of OpenCL C, section 7.4.

use std::f32::consts::{FRAC_PI_2, FRAC_PI_4, PI};

use super::prelude::*;

pub(super) const KERNELS: Kernels =
    &[("exponentials", exponentials), ("trigonometry", trigonometry), ("powers", powers)];

const N: usize = 80;

fn exponentials(t: &mut Target) -> Vec<Case> {
    let mut a = t.floats::<f32>(N);
    a[20..30].copy_from_slice(&[88.0, 89.0, -87.0, -104.0, 38.5, -37.5, 1e-6, -0.99999, 1.0000001, 2.718_281_7]);
    let out = flat(N, |i| {
        let x = f64::from(a[i]);
        [ulps(x.exp(), 3.0), ulps(x.ln(), 3.0), ulps(10f64.powf(x), 3.0), ulps(x.ln_1p(), 2.0)]
    });
    Case::groups(2, 40).input(&a).output_of::<f32>(out).only()
}

fn trigonometry(t: &mut Target) -> Vec<Case> {
    let mut a = t.floats::<f32>(N);
    a[20..28].copy_from_slice(&[PI, FRAC_PI_2, FRAC_PI_4, 100.0, 1e4, 6e4, -22.0, 1e-4]);
    let out = flat(N, |i| {
        let x = f64::from(a[i]);
        let (s, c) = (x.sin(), x.cos());
        let angle = s.atan2(c);
        // Its operands are already off by up to four units.
        let error = 16.0 * f64::from(f32::EPSILON) * angle.abs().max(s.abs());
        [ulps(s, 4.0), ulps(c, 4.0), near(angle, error.max(1e-44))]
    });
    Case::groups(2, 40).input(&a).output_of::<f32>(out).only()
}

fn powers(t: &mut Target) -> Vec<Case> {
    let (a, b) = t.float_pairs::<f32>(N);
    let mut n = t.small(N, -12, 13);
    n[..10].copy_from_slice(&[0, 1, -1, 2, 3, i32::MAX, i32::MIN, -2, 100, -101]);
    let out = flat(N, |i| {
        let (x, y) = (f64::from(a[i]), f64::from(b[i]));
        [ulps(x.powf(y), 16.0), ulps(x.powf(n[i].into()), 16.0), ulps(x.tanh(), 5.0)]
    });
    Case::groups(2, 40).input(&a).input(&b).input(&n).output_of::<f32>(out).only()
}
