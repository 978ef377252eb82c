//! `switches.cl`

use super::prelude::*;

pub(super) const KERNELS: Kernels = &[
    ("dense", dense),
    ("sparse", sparse),
    ("machine", machine),
    ("uniform_switch", uniform_switch),
];

const N: usize = 120;

fn dense(t: &mut Target) -> Vec<Case> {
    let (op, a, b, before) = (t.below(N, 10), t.ints::<i32>(N), t.ints::<i32>(N), t.ints::<i32>(2 * N));
    let mut after = before.clone();
    for i in 0..N {
        let (x, y, o) = (a[i], b[i], before[i]);
        after[N + i] = match op[i] {
            0 => x.wrapping_add(y),
            1 => x.wrapping_sub(y),
            2 => x.wrapping_mul(y),
            3 => o & y,
            4 => o | y,
            5 => x ^ y,
            6 => x << (y & 15),
            7 => before[(x & 7) as usize],
            _ => 0,
        };
    }
    Case::groups(3, 40).input(&op).input(&a).input(&b).change(&before, &after).only()
}

fn sparse(t: &mut Target) -> Vec<Case> {
    let keys = [-1000, 3, 77, 4096, 1 << 20, 5];
    let a: Vec<i32> = t.below(N, 6).into_iter().map(|k| keys[k as usize]).collect();
    let before = t.ints::<i32>(3 * N);
    let mut after = before.clone();
    for i in 0..N {
        let o = &mut after[3 * i..3 * i + 3];
        o[2] = match a[i] {
            -1000 => 11,
            3 => 10,
            77 => 11100,
            4096 => 11000,
            0x10_0000 => 10000,
            _ => 0,
        };
        match a[i] {
            -1000 | 3 => o[0] = o[2],
            77 => o[1] = 1100,
            4096 => o[1] = 1000,
            _ => {}
        }
    }
    Case::groups(3, 40).input(&a).change(&before, &after).only()
}

fn machine(t: &mut Target) -> Vec<Case> {
    // Every way through the code ends: jumps lead forward, only counted ones back, and halts close it.
    let mut code = t.ints::<u8>(300);
    code.extend([7; 40]);
    let (entry, a) = (t.below(N, 300), t.small(N, -1000, 1000));
    let out = each(N, |i| {
        let (mut pc, mut acc, mut count) = (entry[i] as usize, a[i], 0);
        loop {
            let insn = code[pc];
            pc += 1;
            let arg = i32::from(insn >> 3);
            match insn & 7 {
                0 => acc = acc.wrapping_add(arg),
                1 => acc = acc.wrapping_sub(arg),
                2 => acc = acc.wrapping_mul(arg),
                3 => acc = !acc,
                4 => pc += if acc < 0 { arg as usize } else { 0 },
                5 => {
                    count += 1;
                    if count < arg {
                        pc = entry[i] as usize;
                    }
                }
                6 => acc >>= arg,
                _ => return acc,
            }
        }
    });
    Case::groups(3, 40).input(&code).input(&entry).input(&a).output(&out).only()
}

fn uniform_switch(t: &mut Target) -> Vec<Case> {
    let (a, before) = (t.floats::<f32>(N), t.floats::<f32>(N));
    let run = |mode: i32| {
        let after = each(N, |i| match mode {
            0 => a[i] * 2.0,
            1 => a[i] + 1.0,
            2 => -a[i],
            3 => a[i ^ 1],
            _ => before[i],
        });
        Case::groups(3, 40).input(&a).change(&before, &after).scalar(mode)
    };
    (-1..5).map(run).collect()
}
