//! `atomics32.cl`

use super::prelude::*;
use crate::expected::element::values_of;

pub(super) const KERNELS: Kernels = &[
    ("global_atomics", global_atomics),
    ("take_slots", take_slots),
    ("local_histogram", local_histogram),
    ("cas_multiply", cas_multiply),
    ("exchange", exchange),
];

const N: usize = 120;

fn global_atomics(t: &mut Target) -> Vec<Case> {
    let a = t.ints::<i32>(N);
    let before = [5i32, -6, 7, 8, 1000, -1000, -1, 0x100, 0x5555];
    let ubefore = [u32::MAX - 1, 3];
    let sum = a.iter().fold(0i32, |s, &x| s.wrapping_add(x));
    let all = |f: fn(i32, i32) -> i32, start: i32| a.iter().fold(start, |s, &x| f(s, x));
    let after = [
        before[0].wrapping_add(sum),
        before[1].wrapping_sub(sum),
        before[2] + N as i32,
        before[3] - N as i32,
        all(i32::min, before[4]),
        all(i32::max, before[5]),
        all(|s, x| s & x, before[6]),
        all(|s, x| s | x, before[7]),
        all(|s, x| s ^ x, before[8]),
    ];
    let unsigned = || a.iter().map(|&x| x as u32);
    let uafter = [unsigned().min().unwrap().min(ubefore[0]), unsigned().max().unwrap().max(ubefore[1])];
    Case::groups(3, 40).change(&before, &after).change(&ubefore, &uafter).input(&a).only()
}

fn take_slots(t: &mut Target) -> Vec<Case> {
    let mut wanted: Vec<u8> = t.ints(N);
    wanted.iter_mut().step_by(3).for_each(|w| *w = 0);
    let takers: Vec<u32> = (0..N as u32).filter(|&i| wanted[i as usize] != 0).collect();
    let (first, none) = (3, u32::MAX);
    Case::groups(3, 40)
        .change(&[first], &[first + takers.len() as u32])
        .input(&wanted)
        .checked(&vec![none; N + 3])
        .check(move |buffers| {
            let out = values_of::<u32>(buffers[2]);
            let (used, rest) = out[first as usize..].split_at(takers.len());
            let mut sorted = used.to_vec();
            sorted.sort_unstable();
            let untouched = out[..first as usize].iter().chain(rest).all(|&v| v == none);
            if sorted == takers && untouched { Ok(()) } else { Err(format!("slots hold {out:?}")) }
        })
        .only()
}

fn local_histogram(t: &mut Target) -> Vec<Case> {
    let run = |per_item: usize, input: &[u8], before: &[u32]| {
        let mut after = before.to_vec();
        input.iter().for_each(|v| after[usize::from(v & 63)] += 1);
        Case::groups(3, 40).input(input).change(before, &after).scalar(per_item as u32)
    };
    let (input, before) = (t.ints::<u8>(5 * N), t.below(64, 1000));
    // All items of the second case count the same thing.
    vec![run(5, &input, &before), run(2, &[130; 2 * N], &before)]
}

fn cas_multiply(t: &mut Target) -> Vec<Case> {
    let a = t.ints::<u32>(N);
    let after = a.iter().fold(3u32, |p, &x| p.wrapping_mul(x | 1));
    Case::groups(3, 40).change(&[3u32], &[after]).input(&a).only()
}

fn exchange(_: &mut Target) -> Vec<Case> {
    Case::groups(3, 40)
        .checked(&[0i32])
        .checked(&[-1i32; N])
        .check(|buffers| {
            let mut all = values_of::<i32>(buffers[1]);
            all.extend(values_of::<i32>(buffers[0]));
            all.sort_unstable();
            if all.iter().copied().eq(0..=N as i32) { Ok(()) } else { Err(format!("values seen: {all:?}")) }
        })
        .only()
}
