//! `double_arith.cl`

use super::prelude::*;

pub(super) const KERNELS: Kernels = &[("double_ops", double_ops), ("double_convert", double_convert)];

const N: usize = 120;

fn double_ops(t: &mut Target) -> Vec<Case> {
    let (a, b) = t.float_pairs::<f64>(N);
    let fmin = |x: f64, y: f64| if x.is_nan() || y < x { y } else { x };
    let fmax = |x: f64, y: f64| if x.is_nan() || y > x { y } else { x };
    let out = flat(N, |i| {
        let (x, y) = (a[i], b[i]);
        [
            exactly(x + y),
            exactly(x - y),
            exactly(x * y),
            exactly(x.mul_add(y, -1.5)),
            // Which zero comes back is open.
            either([fmin(x, y), fmin(y, x)]),
            either([fmax(x.abs(), -y), fmax(-y, x.abs())]),
            exactly(if x < y { 1.0 } else { x }),
        ]
    });
    Case::groups(3, 40).input(&a).input(&b).output_of::<f64>(out).only()
}

fn double_convert(t: &mut Target) -> Vec<Case> {
    let mut a = t.floats::<f64>(N);
    // Ties between two floats, limits of int, results that are denormal floats.
    a[20..28].copy_from_slice(&[
        1.0 + 1.0 / 16_777_216.0,
        1.0 + 3.0 / 16_777_216.0,
        1.0 + 1.0 / 16_777_216.0 + 1e-15,
        2147483647.5,
        -2147483648.9,
        2147483648.0,
        1e-40,
        3.5e38,
    ]);
    let (n, f) = (t.ints::<i32>(N), t.floats::<f32>(N));
    Case::groups(3, 40)
        .input(&a)
        .input(&n)
        .input(&f)
        .output(&each(N, |i| a[i] as i32))
        .output(&each(N, |i| a[i] as f32))
        .output(&flat(N, |i| [f64::from(n[i]), f64::from(f[i])]))
        .only()
}
