//! `int64_arith.cl`

use super::prelude::*;

pub(super) const KERNELS: Kernels = &[("long_ops", long_ops), ("ulong_shifts", ulong_shifts), ("lcg64", lcg64)];

const N: usize = 120;

fn long_ops(t: &mut Target) -> Vec<Case> {
    let (a, b) = t.int_pairs::<i64>(N);
    let out = flat(N, |i| {
        let (x, y) = (a[i], b[i]);
        [
            exactly(x.wrapping_add(y)),
            exactly(x.wrapping_sub(y)),
            exactly(x.wrapping_mul(y)),
            exactly(x.mul_hi(y)),
            exactly(x & !y),
            exactly((x | y) ^ 0x0123_4567_89ab_cdef),
            exactly(x.min(y)),
            // A sum beyond the range is undefined.
            if x < y { exactly(x) } else { y.checked_add(1).map_or(Accept::Anything, exactly) },
            exactly(x.unsigned_abs()),
            // Intel's library takes a sum that wraps around to zero for one beyond the top; the vISA is so.
            if (x, y) == (i64::MIN, i64::MIN) {
                either([i64::MIN, i64::MAX])
            } else {
                exactly(x.saturating_add(y))
            },
        ]
    });
    Case::groups(3, 40).input(&a).input(&b).output_of::<i64>(out).only()
}

fn ulong_shifts(t: &mut Target) -> Vec<Case> {
    let (a, mut s) = (t.ints::<u64>(N), t.below(N, 64));
    s[..6].copy_from_slice(&[0, 63, 32, 31, 33, 64 + 5]);
    let out = flat(N, |i| {
        let (x, n) = (a[i], s[i] & 63);
        [
            x << n,
            x >> n,
            (x as i64 >> n) as u64,
            x.rotate_left(13),
            x.rotate_left(n),
            x >> 32,
            x.saturating_sub(u64::from(n) << 40),
        ]
    });
    Case::groups(3, 40).input(&a).input(&s).output(&out).only()
}

fn lcg64(t: &mut Target) -> Vec<Case> {
    let seed = t.ints::<u64>(N);
    let run = |steps: u32| {
        let step = |s: u64| s.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let out = each(N, |i| (0..steps).fold(seed[i], |s, _| step(s)));
        Case::groups(3, 40).input(&seed).output(&out).scalar(steps)
    };
    vec![run(5), run(0)]
}
