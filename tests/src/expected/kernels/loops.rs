//! `loops.cl`

use super::prelude::*;

pub(super) const KERNELS: Kernels = &[
    ("collatz", collatz),
    ("gcd", gcd),
    ("break_continue", break_continue),
    ("triangle", triangle),
    ("do_while", do_while),
    ("search", search),
];

const N: usize = 120;

fn collatz(t: &mut Target) -> Vec<Case> {
    let mut a = t.below(N, 200);
    a[..4].copy_from_slice(&[0, 1, 27, 97]);
    let out = each(N, |i| {
        std::iter::successors(Some(a[i]), |&x| (x > 1).then(|| if x % 2 == 1 { 3 * x + 1 } else { x / 2 })).count()
            as u32
            - 1
    });
    Case::groups(3, 40).input(&a).output(&out).only()
}

fn gcd(t: &mut Target) -> Vec<Case> {
    let (a, b) = t.int_pairs::<u32>(N);
    // The largest number that divides both, by subtraction of powers of two times the smaller.
    fn divisor(a: u32, b: u32) -> u32 {
        if b == 0 { a } else { divisor(b, a % b) }
    }
    Case::groups(3, 40).input(&a).input(&b).output(&each(N, |i| divisor(a[i], b[i]))).only()
}

fn break_continue(t: &mut Target) -> Vec<Case> {
    let lists = t.small(400, -6, 7);
    let start = t.below(N, 380);
    let run = |limit: usize| {
        let out = each(N, |i| {
            let list = &lists[start[i] as usize..][..limit];
            list.iter().take_while(|v| **v != 0).filter(|v| **v % 2 != 0).sum::<i32>()
        });
        Case::groups(3, 40).input(&lists).input(&start).output(&out).scalar(limit as u32)
    };
    vec![run(20), run(1), run(0)]
}

fn triangle(t: &mut Target) -> Vec<Case> {
    let (a, before) = (t.ints::<u32>(N), t.below(2 * N, 40));
    let mut after = before.clone();
    for i in 0..N {
        let mut sum = 0;
        for j in 0..a[i] & 15 {
            for k in 0..=j {
                if (k * j) & 3 == 3 {
                    break;
                }
                sum += before[k as usize] + j;
            }
            if sum > 1000 {
                break;
            }
        }
        after[N + i] = sum;
    }
    Case::groups(3, 40).input(&a).change(&before, &after).only()
}

fn do_while(t: &mut Target) -> Vec<Case> {
    let a = t.ints::<u32>(N);
    let out = each(N, |i| {
        let digits = a[i].to_string();
        digits.bytes().rev().fold(0u32, |r, d| r.wrapping_mul(10).wrapping_add(u32::from(d - b'0')))
    });
    Case::groups(3, 40).input(&a).output(&out).only()
}

fn search(t: &mut Target) -> Vec<Case> {
    let mut sorted = t.permutation(300).into_iter().map(|v| v as i32 * 2 - 100).collect::<Vec<_>>();
    sorted.truncate(90);
    sorted.sort_unstable();
    let mut keys = t.small(N, -120, 520);
    for i in (0..N).step_by(3) {
        keys[i] = sorted[i % sorted.len()];
    }
    let run = |n: usize| {
        let out = each(N, |i| match sorted[..n].binary_search(&keys[i]) {
            Ok(at) => at as i32,
            Err(at) => !(at as i32),
        });
        Case::groups(3, 40).input(&sorted).input(&keys).output(&out).scalar(n as i32)
    };
    vec![run(90), run(1), run(0)]
}
