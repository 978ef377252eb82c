//! `work_group_functions.cl`

use super::prelude::*;

pub(super) const KERNELS: Kernels = &[("collectives", collectives), ("group_max", group_max)];

fn collectives(t: &mut Target) -> Vec<Case> {
    let mut run = |groups: usize, local: usize| {
        let mut a = t.ints::<i32>(groups * local);
        // A group without negative values that has 42 in it.
        a[..local].iter_mut().for_each(|v| *v &= 0xffff);
        a[local / 2] = 42;
        let sum = |v: &[i32]| v.iter().fold(0i32, |s, &x| s.wrapping_add(x));
        let out = flat(groups * local, |i| {
            let group = &a[i - i % local..][..local];
            let votes = i32::from(group.contains(&42)) + 2 * i32::from(group.iter().all(|&x| x >= 0));
            [sum(group), sum(&group[..=i % local]), group[local - 1], votes]
        });
        Case::groups(groups, local).input(&a).output(&out)
    };
    vec![run(2, 64), run(2, 40)]
}

fn group_max(t: &mut Target) -> Vec<Case> {
    let mut run = |groups: usize, local: usize| {
        let a = t.ints::<u32>(groups * local);
        let best = each(groups, |g| *a[g * local..][..local].iter().max().unwrap());
        Case::groups(groups, local).input(&a).output(&best)
    };
    vec![run(2, 64), run(3, 40)]
}
