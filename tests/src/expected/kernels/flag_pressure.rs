//! `flag_pressure.cl`

use super::prelude::*;

pub(super) const KERNELS: Kernels = &[("flags", flags)];

const N: usize = 120;

fn flags(t: &mut Target) -> Vec<Case> {
    let (input, before) = (t.ints::<i32>(10 * N), t.ints::<i32>(2 * N));
    let mut after = before.clone();
    for i in 0..N {
        let v = each(10, |k| input[k * N + i]);
        let mut sum = 0i32;
        for round in 0..4 {
            for k in 0..9 {
                sum = if v[k] < v[k + 1] {
                    sum.wrapping_add(before[(k + round) & 7] ^ v[k])
                } else {
                    sum.wrapping_mul(5).wrapping_add(round as i32)
                };
            }
        }
        after[N + i] = sum;
    }
    Case::groups(3, 40).input(&input).change(&before, &after).only()
}
