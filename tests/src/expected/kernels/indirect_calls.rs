//! `indirect_calls.cl`

use super::prelude::*;

pub(super) const KERNELS: Kernels = &[("blended", blended), ("walked", walked)];

const N: usize = 120;

fn blended(t: &mut Target) -> Vec<Case> {
    let (a, mut b) = (t.small(N, -100_000, 100_000), t.small(N, -100_000, 100_000));
    for i in (0..N).step_by(5) {
        b[i] = a[i];
    }
    let out = each(N, |i| {
        let share = i as i32 & 255;
        if a[i] == b[i] { a[i] } else { (a[i] * share + b[i] * (256 - share)) >> 8 }
    });
    Case::groups(3, 40).input(&a).input(&b).output(&out).only()
}

fn hash(x: u32) -> u32 {
    let x = (x ^ x >> 16).wrapping_mul(0x45d_9f3b);
    x ^ x >> 13
}

fn walked(t: &mut Target) -> Vec<Case> {
    let table = t.ints::<u32>(64);
    let out = each(N, |i| {
        (0..i & 7).fold(i as u32, |at, _| hash(table[(at & 63) as usize].wrapping_add(at)) & 63)
    });
    Case::groups(3, 40).input(&table).output(&out).only()
}
