//! `live400.cl`

use super::prelude::*;

pub(super) const KERNELS: Kernels = &[("live_registers", live_registers)];

const N: usize = 48;
const LIVE: usize = 224;

fn live_registers(t: &mut Target) -> Vec<Case> {
    let a = t.ints::<u32>(LIVE * N);
    let mut out = vec![0; LIVE * N];
    for i in 0..N {
        let mut v = each(LIVE, |k| a[k * N + i]);
        for k in 0..LIVE {
            v[k] = v[k].wrapping_add(v[(k + 97) % LIVE] ^ v[LIVE - 1 - k]);
        }
        for k in 0..LIVE {
            out[k * N + i] = v[k].wrapping_mul(v[(k + 31) % LIVE]);
        }
    }
    Case::groups(2, N / 2).input(&a).output(&out).only()
}
