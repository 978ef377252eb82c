//! `functions.cl`

use super::prelude::*;

pub(super) const KERNELS: Kernels =
    &[("calls", calls), ("calls_in_loop", calls_in_loop), ("vector_call", vector_call)];

const N: usize = 120;

fn square_plus(x: i32, y: i32) -> i32 {
    x.wrapping_mul(x).wrapping_add(y)
}

fn calls(t: &mut Target) -> Vec<Case> {
    let mut a = t.small(N, -30_000, 30_000);
    a[..6].copy_from_slice(&[0, 1, -1, 6, -9, 7]);
    let out = each(N, |i| {
        let x = a[i];
        let r = if x > 0 { square_plus(x, 1) + square_plus(x + 1, 2) } else { square_plus(x, 5) } - 100;
        if r >= 0 { r } else { -r * 2 }
    });
    Case::groups(3, 40).input(&a).output(&out).only()
}

fn calls_in_loop(t: &mut Target) -> Vec<Case> {
    let a = t.ints::<i32>(N);
    let out = each(N, |i| {
        let (mut x, mut sum) = (a[i] & 15, 0);
        while x > 0 {
            sum += square_plus(x, sum & 7);
            x -= 2;
        }
        sum
    });
    Case::groups(3, 40).input(&a).output(&out).only()
}

fn vector_call(t: &mut Target) -> Vec<Case> {
    let a = t.vectors(N, -100.0, 100.0);
    let turn = |[x, y, z, w]: [f32; 4], by: f32| [y * by, -x, w, z + by];
    Case::groups(3, 40).input(&a).output(&each(N, |i| turn(turn(a[i], 2.0), 0.5))).only()
}
