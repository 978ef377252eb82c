//! `vc_gather_atomic.ll`

use super::prelude::*;

pub(super) const KERNELS: Kernels = &[
    ("far_gather", far_gather),
    ("reverse", reverse),
    ("add_counters", add_counters),
    ("far_block", far_block),
];

fn far_gather(t: &mut Target) -> Vec<Case> {
    let (a, before) = (t.ints::<u32>(32), t.ints::<u32>(16));
    let after = each(16, |i| if a[2 * i] & 1 != 0 { a[2 * i] } else { before[i] });
    Case::groups(1, 1).input(&a).change(&before, &after).only()
}

fn reverse(t: &mut Target) -> Vec<Case> {
    let a = t.ints::<u32>(16);
    Case::groups(1, 1).input(&a).output(&each(16, |i| a[15 - i])).only()
}

fn add_counters(t: &mut Target) -> Vec<Case> {
    let (before, by) = (t.ints::<u32>(8), 0x1234_5678);
    let after = each(8, |i| before[i].wrapping_add(by));
    let old = each(16, |i| before.get(i).copied().unwrap_or(0));
    Case::groups(1, 1).change(&before, &after).output(&old).scalar(by).only()
}

fn far_block(t: &mut Target) -> Vec<Case> {
    let a = t.ints::<u32>(17);
    Case::groups(1, 1).input(&a).output(&a[1..]).only()
}
