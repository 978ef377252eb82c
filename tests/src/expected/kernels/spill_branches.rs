//! `spill_branches.cl`

use super::prelude::*;

pub(super) const KERNELS: Kernels =
    &[("spill_divergent", spill_divergent), ("spill_widths", spill_widths)];

const N: usize = 40;

fn spill_divergent(t: &mut Target) -> Vec<Case> {
    let (a, before) = (t.ints::<i32>(96 * N), t.ints::<i32>(96 * N));
    let mut after = before.clone();
    for i in 0..N {
        let mut v = each(96, |k| a[k * N + i]);
        if v[0] & 1 != 0 {
            for k in (0..96).step_by(2) {
                v[k] = v[k].wrapping_mul(3).wrapping_add(v[95 - k]);
            }
        } else {
            for k in (1..96).step_by(2) {
                v[k] = v[k].wrapping_sub(v[95 - k]);
            }
            if v[3] > 0 {
                v[50] = before[i];
            }
        }
        for k in 0..96 {
            after[k * N + i] = v[k] ^ v[(k * 7 + 3) % 96];
        }
    }
    Case::groups(2, N / 2).input(&a).change(&before, &after).only()
}

fn spill_widths(t: &mut Target) -> Vec<Case> {
    let (b, s, q) = (t.ints::<u8>(24 * N), t.ints::<u16>(24 * N), t.ints::<u64>(40 * N));
    let mut out = vec![0u64; 40 * N];
    for i in 0..N {
        let mut v = each(40, |k| q[k * N + i]);
        for k in 0..40 {
            let product = v[(k + 13) % 40].wrapping_mul(b[k % 24 * N + i].into());
            v[k] = v[k].wrapping_add(product).wrapping_add(s[(k + 5) % 24 * N + i].into());
        }
        for k in 0..40 {
            out[k * N + i] = v[k].wrapping_sub(v[39 - k]);
        }
    }
    Case::groups(2, N / 2).input(&b).input(&s).input(&q).output(&out).only()
}
