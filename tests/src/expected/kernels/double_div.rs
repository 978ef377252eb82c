//! `double_div.cl`

use super::prelude::*;

pub(super) const KERNELS: Kernels = &[("double_div", double_div), ("double_sqrt", double_sqrt)];

const N: usize = 120;

fn double_div(t: &mut Target) -> Vec<Case> {
    let (a, b) = t.float_pairs::<f64>(N);
    Case::groups(3, 40).input(&a).input(&b).output(&each(N, |i| a[i] / b[i])).only()
}

fn double_sqrt(t: &mut Target) -> Vec<Case> {
    let a = t.floats::<f64>(N);
    Case::groups(3, 40).input(&a).output(&each(N, |i| a[i].sqrt())).only()
}
