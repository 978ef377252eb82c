//! `private_mixed.cl`

use super::prelude::*;

pub(super) const KERNELS: Kernels =
    &[("shorts_and_longs", shorts_and_longs), ("vectors_on_stack", vectors_on_stack), ("grid", grid)];

const N: usize = 40;

fn shorts_and_longs(t: &mut Target) -> Vec<Case> {
    let a = t.ints::<u16>(24 * N);
    let out = each(N, |i| {
        let s = &a[24 * i..24 * i + 24];
        let l = each(12, |k| u64::from(s[usize::from(s[k] % 24)]) << (s[k + 12] & 31));
        (0..12).fold(0u64, |sum, k| sum.wrapping_add(l[usize::from(s[k] % 12)]))
    });
    Case::groups(2, N / 2).input(&a).output(&out).only()
}

fn vectors_on_stack(t: &mut Target) -> Vec<Case> {
    // Eighths, so that all results are exact.
    let a: Vec<[f32; 4]> = t
        .small(24 * N, -8000, 8000)
        .chunks_exact(4)
        .map(|c| std::array::from_fn(|k| c[k] as f32 / 8.0))
        .collect();
    let pick = t.ints::<u32>(N);
    let out = each(N, |i| {
        let v = |k: usize| a[6 * i + k].map(|x| x * (k + 1) as f32);
        let (p, q) = (v((pick[i] % 6) as usize), v((pick[i] >> 8) as usize % 6));
        std::array::from_fn::<_, 4, _>(|c| p[c] + q[3 - c])
    });
    Case::groups(2, N / 2).input(&a).input(&pick).output(&out).only()
}

fn grid(t: &mut Target) -> Vec<Case> {
    let a = t.small(1024, 0, 1_000_000);
    let out = each(N, |i| {
        let mut g = each(36, |k| a[(36 * i + k) % 1024]);
        let (mut r, mut c, mut sum) = ((g[0] & 3) as usize, (g[35] & 3) as usize, 0);
        for k in 0..10 {
            sum += g[6 * r + c];
            let t = ((g[6 * r + c] ^ k) & 0x7fff_ffff) as usize;
            g[6 * r + c] = sum & 0xffff;
            (r, c) = (t % 6, t / 6 % 6);
        }
        sum
    });
    Case::groups(2, N / 2).input(&a).output(&out).only()
}
