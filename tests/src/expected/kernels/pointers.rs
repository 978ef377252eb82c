//! `pointers.cl`

use super::prelude::*;

pub(super) const KERNELS: Kernels =
    &[("generic_pointers", generic_pointers), ("selected", selected), ("list", list)];

const N: usize = 120;

fn generic_pointers(t: &mut Target) -> Vec<Case> {
    let a = t.small(N, -10_000, 10_000);
    let sum3 = |p: [i32; 3]| p[0] + p[1] * 10 + p[2] * 100;
    let run = |mode: i32| {
        let out = each(N, |i| match mode {
            0 => sum3([a[0], a[1], a[2]]),
            1 => sum3([0, 7, 14]),
            _ => sum3([a[i], a[i] + 1, a[i] + 2]),
        });
        Case::groups(3, 40).input(&a).output(&out).scalar(mode)
    };
    (0..3).map(run).collect()
}

fn selected(t: &mut Target) -> Vec<Case> {
    let (a, b, which) = (t.ints::<i32>(N), t.ints::<i32>(N), t.ints::<u32>(N));
    let out = each(N, |i| {
        let p = if which[i] & 1 != 0 { &a } else { &b };
        p[i].wrapping_add(p[i ^ 1])
    });
    Case::groups(3, 40).input(&a).input(&b).input(&which).output(&out).only()
}

fn list(t: &mut Target) -> Vec<Case> {
    let (size, values, hops) = (300u64, t.ints::<i32>(300), t.below(300, 40));
    // Every node leads further on, or to the end.
    let nodes: Vec<u64> = (0..size)
        .map(|i| {
            let next = i + 1 + u64::from(hops[i as usize]);
            u64::from(values[i as usize] as u32) << 32 | if next < size { next } else { 0 }
        })
        .collect();
    let out = each(N, |i| {
        let (mut sum, mut node) = (0i32, nodes[i]);
        while node as u32 != 0 {
            sum = sum.wrapping_add((node >> 32) as i32);
            node = nodes[node as u32 as usize];
        }
        sum
    });
    Case::groups(3, 40).input(&nodes).output(&out).only()
}
