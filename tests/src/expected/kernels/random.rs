//! `random.cl`

use super::prelude::*;

pub(super) const KERNELS: Kernels =
    &[("philox", philox), ("xorshift", xorshift), ("quarter_circle", quarter_circle)];

const N: usize = 120;

fn philox(_: &mut Target) -> Vec<Case> {
    let start = 0xdead_beefu32;
    let out = each(N, |i| {
        let (mut x, mut y) = (i as u32, 0);
        for r in 0..10u32 {
            let key = start.wrapping_add(r.wrapping_mul(0x9e37_79b9));
            let product = 0xd256_d193u64 * u64::from(x);
            (x, y) = ((product >> 32) as u32 ^ key ^ y, product as u32);
        }
        [x, y]
    });
    Case::groups(3, 40).output(&out).scalar(start).only()
}

fn xorshift(t: &mut Target) -> Vec<Case> {
    let seed: Vec<[u32; 4]> = t.ints::<u32>(4 * N).chunks_exact(4).map(|c| [c[0], c[1], c[2], c[3]]).collect();
    let run = |steps: u32| {
        let out = each(N, |i| {
            let ([mut x, mut y, mut z, mut w], mut sum) = (seed[i], 0u32);
            for _ in 0..steps {
                let t = x ^ x << 11;
                (x, y, z, w) = (y, z, w, w ^ w >> 19 ^ t ^ t >> 8);
                sum += w >> 16;
            }
            sum
        });
        Case::groups(3, 40).input(&seed).output(&out).scalar(steps)
    };
    vec![run(10), run(0)]
}

fn quarter_circle(t: &mut Target) -> Vec<Case> {
    let (seed, steps) = (t.ints::<u32>(N), 12);
    let out = each(N, |i| {
        let mut s = seed[i];
        let mut next = || {
            s = s.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
            s >> 17
        };
        (0..steps).filter(|_| {
            let (x, y) = (next(), next());
            x * x + y * y < 1 << 30
        })
        .count() as u32
    });
    Case::groups(3, 40).input(&seed).output(&out).scalar(steps).only()
}
