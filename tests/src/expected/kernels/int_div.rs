//! `int_div.cl`

use super::prelude::*;

pub(super) const KERNELS: Kernels =
    &[("div32", div32), ("div_const", div_const), ("div_narrow", div_narrow), ("digit_sum", digit_sum)];

const N: usize = 120;

fn div32(t: &mut Target) -> Vec<Case> {
    let (a, mut b) = t.int_pairs::<i32>(N);
    for (x, y) in a.iter().zip(&mut b) {
        // Zero divides nothing, and INT_MIN / -1 is no int.
        if *y == 0 || (*x == i32::MIN && *y == -1) {
            *y = 3;
        }
    }
    let out = flat(N, |i| {
        let (x, y) = (a[i], b[i]);
        let (ux, uy) = (x as u32, y as u32);
        [x / y, x % y, (ux / uy) as i32, (ux % uy) as i32]
    });
    Case::groups(3, 40).input(&a).input(&b).output(&out).only()
}

fn div_const(t: &mut Target) -> Vec<Case> {
    let a = t.ints::<i32>(N);
    let out = flat(N, |i| {
        let (x, u) = (a[i], a[i] as u32);
        [x / 10, x % 10, x / 16, x % 16, (u / 7) as i32, (u % 1_000_003) as i32]
    });
    Case::groups(3, 40).input(&a).output(&out).only()
}

fn div_narrow(t: &mut Target) -> Vec<Case> {
    let (a, mut b) = t.int_pairs::<i16>(N);
    let (c, mut d) = t.int_pairs::<u8>(N);
    b.iter_mut().filter(|y| **y == 0).for_each(|y| *y = -7);
    d.iter_mut().filter(|y| **y == 0).for_each(|y| *y = 9);
    let out = flat(N, |i| {
        // In C these are divisions of ints.
        let (x, y, u, v) = (i32::from(a[i]), i32::from(b[i]), i32::from(c[i]), i32::from(d[i]));
        [x / y, x % y, u / v * 256 + u % v]
    });
    Case::groups(3, 40).input(&a).input(&b).input(&c).input(&d).output(&out).only()
}

fn digit_sum(t: &mut Target) -> Vec<Case> {
    let a = t.ints::<u32>(N);
    let run = |base: u32| {
        let out = each(N, |i| {
            let (mut x, mut sum) = (a[i], 0);
            while x != 0 {
                sum += x % base;
                x /= base;
            }
            sum
        });
        Case::groups(3, 40).input(&a).output(&out).scalar(base)
    };
    vec![run(10), run(2), run(65_537)]
}
