//! `pressure.cl`

use super::prelude::*;

pub(super) const KERNELS: Kernels =
    &[("sixty_four", sixty_four), ("matrix8", matrix8), ("across_loop", across_loop)];

const N: usize = 40;

/// Items whose element `k` stands at `k * N + i`.
fn columns<T: Copy + Default, const K: usize>(input: &[T], f: impl Fn([T; K]) -> [T; K]) -> Vec<T> {
    let mut out = vec![T::default(); K * N];
    for i in 0..N {
        let result = f(std::array::from_fn(|k| input[k * N + i]));
        result.into_iter().enumerate().for_each(|(k, v)| out[k * N + i] = v);
    }
    out
}

fn sixty_four(t: &mut Target) -> Vec<Case> {
    let a = t.ints::<u32>(64 * N);
    let out = columns(&a, |mut v: [u32; 64]| {
        for round in 1..=3 {
            for k in 0..64 {
                v[k] = v[k].wrapping_mul(31).wrapping_add(v[(k * 5 + round) & 63]);
            }
        }
        v
    });
    Case::groups(2, N / 2).input(&a).output(&out).only()
}

fn matrix8(t: &mut Target) -> Vec<Case> {
    let (a, b) = (t.between::<f32>(64 * N, -10.0, 10.0), t.between::<f32>(64 * N, -10.0, 10.0));
    let out = flat(N, |i| {
        each(64, |at| {
            let (r, c) = (at / 8, at % 8);
            (0..8).fold(0f32, |sum, j| a[64 * i + 8 * r + j].mul_add(b[64 * i + 8 * j + c], sum))
        })
    });
    Case::groups(2, N / 2).input(&a).input(&b).output(&out).only()
}

fn across_loop(t: &mut Target) -> Vec<Case> {
    let a = t.ints::<i32>(32 * N);
    let out = columns(&a, |mut v: [i32; 32]| {
        let mut x = v[0] & 63;
        while x > 0 {
            x -= (v[1] & 3) + 1;
            v[2] = v[2].wrapping_add(x);
        }
        let mut sum = 0i32;
        std::array::from_fn(|k| {
            sum = sum.wrapping_mul(3).wrapping_add(v[k]);
            sum ^ v[31 - k]
        })
    });
    Case::groups(2, N / 2).input(&a).output(&out).only()
}
