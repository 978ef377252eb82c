//! `vc_oword_copy.ll`

use super::prelude::*;

pub(super) const KERNELS: Kernels =
    &[("scale_block", scale_block), ("even_odd", even_odd), ("interleave_words", interleave_words)];

const GROUPS: usize = 3;

fn scale_block(t: &mut Target) -> Vec<Case> {
    let (a, bias) = (t.ints::<u32>(32 * GROUPS), 77);
    let out = each(a.len(), |i| a[i].wrapping_mul(3).wrapping_add(bias));
    Case::groups(GROUPS, 1).input(&a).output(&out).scalar(bias).only()
}

fn even_odd(t: &mut Target) -> Vec<Case> {
    let a = t.ints::<u32>(32 * GROUPS);
    let out = flat(a.len() / 2, |i| {
        let (even, odd) = (a[2 * i], a[2 * i + 1]);
        [even.wrapping_add(odd), even.wrapping_sub(odd)]
    });
    Case::groups(GROUPS, 1).input(&a).output(&out).only()
}

fn interleave_words(t: &mut Target) -> Vec<Case> {
    let a = t.ints::<u16>(16 * GROUPS);
    let out = flat(GROUPS, |g| {
        each(16, |k| a[16 * g + k % 8 / 2 * 4 + k / 8 * 2 + k % 2])
    });
    Case::groups(GROUPS, 1).input(&a).output(&out).only()
}
