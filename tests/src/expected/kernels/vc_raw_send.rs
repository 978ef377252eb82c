//! `vc_raw_send.ll`

use super::prelude::*;

pub(super) const KERNELS: Kernels = &[("copy_by_message", copy_by_message)];

fn copy_by_message(t: &mut Target) -> Vec<Case> {
    let a = t.ints::<u32>(24);
    Case::groups(3, 1).input(&a).output(&each(24, |i| a[i].wrapping_add(1))).only()
}
