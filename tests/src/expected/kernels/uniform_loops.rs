//! `uniform_loops.cl`

use super::prelude::*;

pub(super) const KERNELS: Kernels = &[
    ("matrix_multiply", matrix_multiply),
    ("convolve", convolve),
    ("nested_uniform", nested_uniform),
    ("rounds", rounds),
];

const N: usize = 120;

fn matrix_multiply(t: &mut Target) -> Vec<Case> {
    let n = 12;
    let (a, b) = (t.between::<f32>(n * n, -10.0, 10.0), t.between::<f32>(n * n, -10.0, 10.0));
    let out = flat(n, |row| {
        each(n, |column| (0..n).fold(0f32, |sum, k| a[row * n + k].mul_add(b[k * n + column], sum)))
    });
    Case::grid([n, n, 1], [n, 4, 1]).input(&a).input(&b).output(&out).scalar(n as i32).only()
}

fn convolve(t: &mut Target) -> Vec<Case> {
    let (a, weights) = (t.ints::<i32>(N + 9), t.ints::<i32>(9));
    let run = |taps: usize| {
        let out =
            each(N, |i| (0..taps).fold(0i32, |s, k| s.wrapping_add(a[i + k].wrapping_mul(weights[k]))));
        Case::groups(3, 40).input(&a).input(&weights).output(&out).scalar(taps as i32)
    };
    vec![run(9), run(1), run(0)]
}

fn nested_uniform(_: &mut Target) -> Vec<Case> {
    let run = |outer: u32, inner: u32| {
        let out = each(N, |i| {
            let mut x = i as u32;
            for j in 0..outer {
                x = (0..inner).fold(x, |x, _| x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223)) ^ j;
                x = if j == 5 { x.wrapping_add(99) } else { x };
            }
            x
        });
        Case::groups(3, 40).output(&out).scalar(outer).scalar(inner)
    };
    vec![run(8, 3), run(6, 0), run(0, 5)]
}

fn rounds(t: &mut Target) -> Vec<Case> {
    let constants = [
        0x428a_2f98u32, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
        0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3,
    ];
    let a: Vec<[u32; 2]> = t.ints::<u32>(2 * N).chunks_exact(2).map(|c| [c[0], c[1]]).collect();
    let run = |count: usize| {
        let out = each(N, |i| {
            (0..count).fold(a[i], |[x, y], r| {
                let x = x.rotate_left(5).wrapping_add(y);
                [x, (y ^ x).rotate_left(11).wrapping_add(constants[r % 12])]
            })
        });
        Case::groups(3, 40).input(&a).output(&out).scalar(count as u32)
    };
    vec![run(15), run(0)]
}
