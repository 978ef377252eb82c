//! `bitonic.cl`

use super::prelude::*;

pub(super) const KERNELS: Kernels = &[("bitonic_sort", bitonic_sort), ("merge", merge)];

fn bitonic_sort(t: &mut Target) -> Vec<Case> {
    let mut run = |groups: usize, local: usize| {
        let a = t.ints::<i32>(groups * local);
        let mut sorted = a.clone();
        sorted.chunks_mut(local).for_each(<[i32]>::sort_unstable);
        Case::groups(groups, local).input(&a).output(&sorted)
    };
    vec![run(2, 64), run(1, 128)]
}

fn merge(t: &mut Target) -> Vec<Case> {
    let items = 40;
    let mut run = |n: usize| {
        let mut lists = || {
            let mut list = t.ints::<i32>(items * n);
            list.chunks_mut(n).for_each(<[i32]>::sort_unstable);
            list
        };
        let (a, b) = (lists(), lists());
        let out = flat(items, |i| {
            let mut both = [&a[i * n..(i + 1) * n], &b[i * n..(i + 1) * n]].concat();
            both.sort_unstable();
            both
        });
        Case::groups(2, items / 2).input(&a).input(&b).output(&out).scalar(n as u32)
    };
    vec![run(7), run(1)]
}
