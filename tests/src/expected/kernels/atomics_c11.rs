//! `atomics_c11.cl`

use super::prelude::*;

pub(super) const KERNELS: Kernels =
    &[("orders", orders), ("last_sums", last_sums), ("local_counter", local_counter)];

const N: usize = 120;

fn orders(t: &mut Target) -> Vec<Case> {
    let a = t.ints::<i32>(N);
    let sum = a.iter().fold(0i32, |s, &x| s.wrapping_add(x));
    let or = a.iter().fold(0x40, |s, &x| s | x);
    Case::groups(3, 40)
        .change(&[-3, 0x40, 17], &[sum.wrapping_sub(3), or, 17i32.wrapping_sub(sum)])
        .input(&a)
        .only()
}

fn last_sums(_: &mut Target) -> Vec<Case> {
    let squares = each(N, |i| (i * i) as i32);
    let sum: i32 = squares.iter().sum();
    Case::groups(3, 40).output(&squares).change(&[0u32], &[N as u32]).output(&[sum]).only()
}

fn local_counter(_: &mut Target) -> Vec<Case> {
    Case::groups(3, 40).output(&[1u32; N]).only()
}
