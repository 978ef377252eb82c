//! `int32_arith.cl`

use super::prelude::*;

pub(super) const KERNELS: Kernels = &[("int_ops", int_ops), ("uint_ops", uint_ops), ("add128", add128)];

const N: usize = 120;

fn int_ops(t: &mut Target) -> Vec<Case> {
    let (a, b) = t.int_pairs::<i32>(N);
    let out = flat(N, |i| {
        let (x, y) = (a[i], b[i]);
        let (x24, y24) = (x << 8 >> 8, y << 8 >> 8);
        [
            x.wrapping_add(y),
            x.wrapping_sub(y),
            x.wrapping_mul(y),
            x.mul_hi(y),
            x.saturating_add(y),
            x.saturating_sub(y),
            x.unsigned_abs() as i32,
            x.min(y),
            x.max(y),
            x.clamp(-1000, 1000),
            x24.wrapping_mul(y24).wrapping_add(5),
            x.hadd(y),
        ]
    });
    Case::groups(3, 40).input(&a).input(&b).output(&out).only()
}

fn uint_ops(t: &mut Target) -> Vec<Case> {
    let (a, b) = t.int_pairs::<u32>(N);
    let out = flat(N, |i| {
        let (x, y) = (a[i], b[i]);
        [
            x.wrapping_add(y),
            x.wrapping_sub(y),
            x.wrapping_mul(y),
            x.mul_hi(y),
            x.saturating_add(y),
            x.saturating_sub(y),
            x.mad_hi(y, 17),
            x.abs_diff(y),
            x.rhadd(y),
            x.mad_sat(y, 3),
        ]
    });
    Case::groups(3, 40).input(&a).input(&b).output(&out).only()
}

fn add128(t: &mut Target) -> Vec<Case> {
    let limbs = |v: Vec<u32>| v.chunks_exact(4).map(|c| [c[0], c[1], c[2], c[3]]).collect::<Vec<_>>();
    let (a, b) = t.int_pairs::<u32>(4 * N);
    let (a, b) = (limbs(a), limbs(b));
    let wide = |v: [u32; 4]| v.iter().rev().fold(0u128, |s, &l| s << 32 | u128::from(l));
    let out = each(N, |i| {
        let sum = wide(a[i]).wrapping_add(wide(b[i]));
        [sum as u32, (sum >> 32) as u32, (sum >> 64) as u32, (sum >> 96) as u32]
    });
    Case::groups(3, 40).input(&a).input(&b).output(&out).only()
}
