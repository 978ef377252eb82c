//! `float_arith.cl`

use super::prelude::*;

pub(super) const KERNELS: Kernels =
    &[("float_ops", float_ops), ("rounding", rounding), ("polynomial", polynomial)];

const N: usize = 120;

fn float_ops(t: &mut Target) -> Vec<Case> {
    let (a, b) = t.float_pairs::<f32>(N);
    let (c, _) = t.float_pairs::<f32>(N);
    let out = flat(N, |i| {
        let (x, y, z) = (a[i], b[i], c[i]);
        [
            exactly(x + y),
            exactly(x - y),
            exactly(x * y),
            exactly(x.mul_add(y, z)),
            exactly((-x).mul_add(y.abs(), -z)),
            // Which zero comes back is open.
            either([opencl::fmin(x, y), opencl::fmin(y, x)]),
            either([opencl::fmax(x, -y), opencl::fmax(-y, x)]),
            // clamp(NaN) is undefined: fmin(fmax(x, 0), 1) where it is a number.
            if x.is_nan() { Accept::Anything } else { either([x.clamp(0.0, 1.0), x.clamp(0.0, 1.0) + 0.0]) },
            exactly(-z.abs()),
            exactly(x.copysign(y)),
        ]
    });
    Case::groups(3, 40).input(&a).input(&b).input(&c).output_of::<f32>(out).only()
}

fn rounding(t: &mut Target) -> Vec<Case> {
    let mut a = t.floats::<f32>(N);
    a.extend([0.49999997f32, -0.49999997, 8388607.5, -8388608.0, 16777216.0, 1.5, 2.5, -0.5]);
    let out = flat(a.len(), |i| {
        let x = a[i];
        let to_zero = |r: f32| if r == 0.0 { either([0f32, -0.0]) } else { exactly(r) };
        let [floor, ceil, trunc, rint] = [x.floor(), x.ceil(), x.trunc(), x.round_ties_even()].map(exactly);
        // Intel's compiler makes trunc(x + 0.49999997) of `round`, which loses the sign of -0.
        [floor, ceil, trunc, rint, to_zero(x.round())]
    });
    Case::groups(4, 32).input(&a).output_of::<f32>(out).only()
}

fn polynomial(t: &mut Target) -> Vec<Case> {
    let a = t.floats::<f32>(N);
    let out = each(N, |i| [-0.25, 0.5, -1.0, 2.0, -4.0].iter().fold(0.125f32, |p, &c| p.mul_add(a[i], c)));
    Case::groups(3, 40).input(&a).output(&out).only()
}
