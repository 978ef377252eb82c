//! `saxpy.cl`

use super::prelude::*;

pub(super) const KERNELS: Kernels = &[("saxpy", saxpy), ("vector_add", vector_add)];

const N: usize = 120;

fn saxpy(t: &mut Target) -> Vec<Case> {
    let (x, y) = t.float_pairs::<f32>(N);
    let run = |a: f32, n: usize| {
        let after = each(N, |i| {
            // Multiplication and addition may be contracted (OpenCL C 6.12).
            if i < n { either([a * x[i] + y[i], a.mul_add(x[i], y[i])]) } else { exactly(y[i]) }
        });
        Case::groups(3, 40).change_within(&y, after).input(&x).scalar(a).scalar(n as u32)
    };
    vec![run(1.5, 101), run(-0.1, N), run(0.0, 1)]
}

fn vector_add(t: &mut Target) -> Vec<Case> {
    let (a, b) = t.int_pairs::<i32>(N);
    Case::groups(3, 40)
        .input(&a)
        .input(&b)
        .output(&each(N, |i| a[i].wrapping_add(b[i])))
        .only()
}
