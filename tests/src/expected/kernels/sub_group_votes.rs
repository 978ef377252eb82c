//! `sub_group_votes.cl`

use super::prelude::*;

pub(super) const KERNELS: Kernels = &[
    ("ballots", ballots),
    ("divergent_arithmetic", divergent_arithmetic),
    ("elected", elected),
    ("clustered", clustered),
];

const N: usize = 128;

fn ballots(t: &mut Target) -> Vec<Case> {
    let (a, simd) = (t.ints::<i32>(N), t.simd);
    let out = flat(N, |i| {
        let (first, lane) = (i - i % simd, i % simd);
        let votes: u32 = (0..simd).map(|l| ((a[first + l] & 1) as u32) << l).sum();
        let up_to_here = votes & (u32::MAX >> (31 - lane));
        [votes, votes.count_ones(), up_to_here.count_ones(), votes >> lane & 1]
    });
    Case::items(N).input(&a).output(&out).only()
}

fn divergent_arithmetic(t: &mut Target) -> Vec<Case> {
    let (mut a, simd) = (t.ints::<i32>(N), t.simd);
    // A sub-group that goes one way only.
    a[64..96].iter_mut().for_each(|v| *v |= 1);
    let out = each(N, |i| {
        let group = &a[i - i % simd..][..simd];
        if a[i] & 1 != 0 {
            group.iter().filter(|x| **x & 1 != 0).fold(0i32, |s, &x| s.wrapping_add(x))
        } else {
            group.iter().filter(|x| **x & 1 == 0).max().unwrap().wrapping_neg()
        }
    });
    Case::items(N).input(&a).output(&out).only()
}

fn elected(t: &mut Target) -> Vec<Case> {
    let (mut a, simd) = (t.ints::<i32>(N), t.simd);
    a[32..64].fill(-1);
    let out = each(N, |i| {
        let first = (i - i % simd..i).find(|&k| a[k] > 0).unwrap_or(i);
        if a[i] <= 0 { 0 } else if first == i { 2 } else { 1 }
    });
    Case::items(N).input(&a).output(&out).only()
}

fn clustered(t: &mut Target) -> Vec<Case> {
    let a = t.ints::<i32>(N);
    let out = flat(N, |i| {
        let cluster = |n: usize| &a[i - i % n..][..n];
        [cluster(4).iter().fold(0i32, |s, &x| s.wrapping_add(x)), *cluster(8).iter().max().unwrap()]
    });
    Case::items(N).input(&a).output(&out).only()
}
