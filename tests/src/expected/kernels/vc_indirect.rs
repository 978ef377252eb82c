//! `vc_indirect.ll`

use super::prelude::*;

pub(super) const KERNELS: Kernels =
    &[("slide", slide), ("pick", pick), ("count", count), ("replace_row", replace_row)];

fn slide(t: &mut Target) -> Vec<Case> {
    let a = t.ints::<u32>(32);
    let run = |start: usize| Case::groups(1, 1).input(&a).output(&a[start..start + 8]).scalar(start as u32);
    vec![run(0), run(5), run(24)]
}

fn pick(t: &mut Target) -> Vec<Case> {
    let (a, index) = (t.ints::<u32>(32), t.ints::<u32>(8));
    let out = each(8, |i| a[(index[i] & 31) as usize]);
    Case::groups(1, 1).input(&a).input(&index).output(&out).only()
}

fn count(t: &mut Target) -> Vec<Case> {
    let a = t.below(120, 64);
    let run = |n: usize| {
        // Every fourth dword counts.
        let out = each(32, |v| (0..n).step_by(4).filter(|&k| (a[k] & 31) as usize == v).count() as u32);
        Case::groups(1, 1).input(&a).output(&out).scalar(n as u32)
    };
    vec![run(100), run(0)]
}

fn replace_row(t: &mut Target) -> Vec<Case> {
    let a = t.ints::<u32>(32);
    let run = |row: usize| {
        let out = each(32, |i| if i / 8 == row { a[i].wrapping_mul(2) } else { a[i] });
        Case::groups(1, 1).input(&a).output(&out).scalar(row as u32)
    };
    vec![run(0), run(3)]
}
