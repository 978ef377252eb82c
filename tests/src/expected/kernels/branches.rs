//! `branches.cl`

use super::prelude::*;

pub(super) const KERNELS: Kernels = &[
    ("if_else", if_else),
    ("nested", nested),
    ("chain", chain),
    ("uniform_outer", uniform_outer),
    ("early_return", early_return),
];

const N: usize = 120;

fn if_else(t: &mut Target) -> Vec<Case> {
    let (a, before) = (t.ints::<i32>(N), t.ints::<i32>(3 * N));
    let mut after = before.clone();
    for i in 0..N {
        let r = if a[i] > 0 {
            a[i].wrapping_mul(3).wrapping_add(before[i])
        } else {
            after[2 * N + i] = a[i].wrapping_sub(7);
            a[i].wrapping_sub(7)
        };
        after[N + i] = r;
    }
    Case::groups(3, 40).input(&a).change(&before, &after).only()
}

fn nested(t: &mut Target) -> Vec<Case> {
    let (a, b, before) = (t.small(N, 0, 20), t.small(N, -5, 40), t.ints::<i32>(4 * N));
    let mut after = before.clone();
    for i in 0..N {
        let (x, y) = (a[i], b[i]);
        let o = &mut after[4 * i..4 * i + 4];
        o[3] = 0;
        if x < 10 {
            o[0] = x;
            if y < 10 {
                o[1] = y;
                if (x ^ y) & 1 != 0 {
                    o[2] = x + y;
                    o[3] = 1;
                } else {
                    o[3] = 2;
                }
            } else {
                o[2] = x - y;
                o[3] = 3;
            }
        } else if y < 20 {
            o[0] = -y;
            o[3] = 4;
        }
    }
    Case::groups(3, 40).input(&a).input(&b).change(&before, &after).only()
}

fn chain(t: &mut Target) -> Vec<Case> {
    let (a, before) = (t.below(N, 50), t.ints::<u32>(N));
    let after = each(N, |i| {
        let o = before[i];
        match a[i] {
            0..10 => o.wrapping_add(1),
            10..20 => o.wrapping_mul(2),
            20..30 => o.wrapping_sub(3),
            30..40 => o ^ 0xff,
            _ => 0,
        }
    });
    Case::groups(3, 40).input(&a).change(&before, &after).only()
}

fn uniform_outer(t: &mut Target) -> Vec<Case> {
    let (a, before) = (t.ints::<i32>(N), t.ints::<i32>(N));
    let run = |mode: i32| {
        let after = each(N, |i| match mode {
            1 if a[i] & 1 != 0 => a[i].wrapping_mul(5),
            1 => a[i] >> 1,
            2 => a[i].wrapping_neg(),
            _ => before[i],
        });
        Case::groups(3, 40).input(&a).change(&before, &after).scalar(mode)
    };
    (0..4).map(run).collect()
}

fn early_return(t: &mut Target) -> Vec<Case> {
    let n = 100;
    // Half of the elements of `a` name themselves, as the kernel looks them up.
    let mut a = t.small(N, -20, 100);
    for i in (0..N).step_by(2) {
        a[i] = i as i32 % n;
    }
    let before = t.ints::<i32>(N);
    let after = each(N, |i| match a[i] {
        _ if i as i32 >= n => before[i],
        x if x < 0 => -1,
        x if a[(x % n) as usize] == x => before[i],
        x => x + a[(x % n) as usize],
    });
    Case::groups(3, 40).input(&a).change(&before, &after).scalar(n as u32).only()
}
