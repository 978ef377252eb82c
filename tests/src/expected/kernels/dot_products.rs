//! `dot_products.cl`

use super::prelude::*;

pub(super) const KERNELS: Kernels =
    &[("dot4", dot4), ("quantized", quantized), ("short_filter", short_filter)];

const N: usize = 120;

fn dot4(t: &mut Target) -> Vec<Case> {
    let (a, b) = t.int_pairs::<i8>(4 * N);
    let ua = t.ints::<u8>(4 * N);
    let out = flat(N, |i| {
        let lanes = 4 * i..4 * i + 4;
        [
            lanes.clone().map(|k| i32::from(a[k]) * i32::from(b[k])).sum::<i32>(),
            lanes.map(|k| i32::from(ua[k]) * i32::from(b[k])).sum::<i32>(),
        ]
    });
    Case::groups(3, 40).input(&a).input(&b).input(&ua).output(&out).only()
}

fn quantized(t: &mut Target) -> Vec<Case> {
    let n = 16;
    let (a, b) = (t.ints::<i8>(n * n), t.ints::<i8>(n * n));
    let run = |shift: i32| {
        let out = flat(n, |row| {
            each(n, |column| {
                let sum: i32 = (0..n).map(|k| i32::from(a[row * n + k]) * i32::from(b[column * n + k])).sum();
                i8::saturate((sum >> shift).into())
            })
        });
        Case::grid([n, n, 1], [n, 4, 1]).input(&a).input(&b).output(&out).scalar(n as i32).scalar(shift)
    };
    vec![run(9), run(0), run(31)]
}

fn short_filter(t: &mut Target) -> Vec<Case> {
    // Small enough that the sum stays an int.
    let (a, taps) = (t.ints::<i16>(N + 12), t.small(12, -5000, 5000).iter().map(|&v| v as i16).collect::<Vec<_>>());
    let out = each(N, |i| {
        let sum: i32 = (0..12).map(|k| i32::from(a[i + k]) * i32::from(taps[k])).sum();
        i16::saturate(((sum + (1 << 14)) >> 15).into())
    });
    Case::groups(3, 40).input(&a).input(&taps).output(&out).only()
}
