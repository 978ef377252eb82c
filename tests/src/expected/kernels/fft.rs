//! `fft.cl`

use super::prelude::*;

pub(super) const KERNELS: Kernels = &[("fft8", fft8), ("ntt16", ntt16)];

const N: usize = 40;

/// The transform by its definition; outputs stand in bit-reversed order.
fn fft8(t: &mut Target) -> Vec<Case> {
    let points = t.between::<f32>(16 * N, -10.0, 10.0);
    let out = flat(N, |i| {
        let block = &points[16 * i..16 * i + 16];
        let size: f64 = block.iter().map(|v| f64::from(v.abs())).sum();
        flat(8, |place| {
            let k = (place as u8).reverse_bits() >> 5;
            let (mut re, mut im) = (0.0, 0.0);
            for (n, p) in block.chunks_exact(2).enumerate() {
                let angle = -std::f64::consts::TAU * f64::from(k) * n as f64 / 8.0;
                let (x, y) = (f64::from(p[0]), f64::from(p[1]));
                re += x * angle.cos() - y * angle.sin();
                im += x * angle.sin() + y * angle.cos();
            }
            // Each of three stages rounds a few times, relative to at most the sum of all points.
            [near(re, size * 1e-6), near(im, size * 1e-6)]
        })
    });
    Case::groups(2, 20).input(&points).output_of::<f32>(out).only()
}

const PRIME: u64 = 998_244_353;

fn power(base: u64, exponent: u64) -> u64 {
    (0..exponent.ilog2() + 1).rev().fold(1, |r, bit| {
        let r = r * r % PRIME;
        if exponent >> bit & 1 != 0 { r * base % PRIME } else { r }
    })
}

fn ntt16(t: &mut Target) -> Vec<Case> {
    // 3 generates all residues, so this power has order sixteen.
    let root = power(3, (PRIME - 1) / 16);
    let mut points = t.ints::<u32>(16 * N);
    points.iter_mut().for_each(|v| *v %= PRIME as u32);
    let out = flat(N, |i| {
        each(16, |place| {
            let k = u64::from((place as u8).reverse_bits() >> 4);
            let terms = (0..16).map(|n| {
                let twiddle = (0..n as u64 * k).fold(1, |w, _| w * root % PRIME);
                u64::from(points[16 * i + n]) * twiddle % PRIME
            });
            (terms.sum::<u64>() % PRIME) as u32
        })
    });
    Case::groups(2, 20).input(&points).output(&out).scalar(root as u32).only()
}
