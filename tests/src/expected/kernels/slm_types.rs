//! `slm_types.cl`

use super::prelude::*;

pub(super) const KERNELS: Kernels = &[
    ("byte_table", byte_table),
    ("short_reverse", short_reverse),
    ("vector_exchange", vector_exchange),
    ("long_rotate", long_rotate),
];

const GROUPS: usize = 3;
const LOCAL: usize = 40;
const N: usize = GROUPS * LOCAL;

/// The item of the same group that has local id `f(local id)`.
fn neighbour(i: usize, f: impl Fn(usize) -> usize) -> usize {
    i - i % LOCAL + f(i % LOCAL)
}

fn byte_table(t: &mut Target) -> Vec<Case> {
    let (a, table) = (t.ints::<u8>(N), t.ints::<u8>(256));
    let out = each(N, |i| table[usize::from(a[i])]);
    Case::groups(GROUPS, LOCAL).input(&a).input(&table).output(&out).only()
}

fn short_reverse(t: &mut Target) -> Vec<Case> {
    let a = t.ints::<i16>(N);
    let out = each(N, |i| a[neighbour(i, |l| LOCAL - 1 - l)]);
    Case::groups(GROUPS, LOCAL).input(&a).output(&out).local(2 * LOCAL).only()
}

fn vector_exchange(t: &mut Target) -> Vec<Case> {
    let a = t.vectors(N, -100.0, 100.0);
    let out = flat(N, |i| {
        let (x, y) = (a[neighbour(i, |l| l ^ 1)], a[neighbour(i, |l| LOCAL - 1 - l)]);
        [x[0] + y[0], x[1] + y[1], x[2] + y[2], x[3] + y[3]]
    });
    Case::groups(GROUPS, LOCAL).input(&a).output(&out).local(16 * LOCAL).only()
}

fn long_rotate(t: &mut Target) -> Vec<Case> {
    let a = t.ints::<i64>(N);
    let run = |by: usize| {
        let out = each(N, |i| a[neighbour(i, |l| (l + by) % LOCAL)]);
        Case::groups(GROUPS, LOCAL).input(&a).output(&out).local(8 * LOCAL).scalar(by as u32)
    };
    vec![run(7), run(1000)]
}
