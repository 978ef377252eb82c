//! `irreducible.cl`

use super::prelude::*;

pub(super) const KERNELS: Kernels =
    &[("two_entries", two_entries), ("jump_out", jump_out), ("states", states)];

const N: usize = 120;

fn two_entries(t: &mut Target) -> Vec<Case> {
    let (a, before) = (t.ints::<u32>(N), t.ints::<u32>(2 * N));
    let mut after = before.clone();
    for i in 0..N {
        let (mut x, mut n) = (a[i], 0u32);
        let mut skip_top = x & 1 != 0;
        loop {
            if !skip_top {
                x = x.wrapping_mul(3).wrapping_add(before[(n & 7) as usize]);
                n += 1;
            }
            skip_top = false;
            x ^= x >> 3;
            n += 1;
            if n >= 20 || x & 0x30 == 0x30 {
                break;
            }
        }
        after[N + i] = x.wrapping_add(n);
    }
    Case::groups(3, 40).input(&a).change(&before, &after).only()
}

fn jump_out(t: &mut Target) -> Vec<Case> {
    let (rows, columns) = (6, 9);
    let mut run = |hole: bool| {
        let mut m: Vec<i32> = t.below(rows * columns, N as u32).into_iter().map(|v| v as i32).collect();
        if hole {
            m[40] = -5;
        }
        let out = each(N, |i| {
            let stop = m.iter().position(|&v| v == i as i32 || v < 0);
            stop.filter(|&at| m[at] >= 0).map_or(-1, |at| at as i32)
        });
        Case::groups(3, 40).input(&m).output(&out).scalar(rows as i32).scalar(columns as i32)
    };
    vec![run(false), run(true)]
}

/// Words are what stands between blanks; a comment runs from `#` to the end of its line.
fn words(text: &[u8]) -> u32 {
    let (mut count, mut comment, mut inside) = (0, false, false);
    for &c in text {
        comment = if comment { c != b'\n' } else { c == b'#' };
        let letter = !comment && c != b' ' && c != b'\n' && c != b'#';
        count += u32::from(letter && !inside);
        inside = letter;
    }
    count
}

fn states(t: &mut Target) -> Vec<Case> {
    let letters = b"ab# \n ";
    let text: Vec<u8> = t.below(900, 6).into_iter().map(|v| letters[v as usize]).collect();
    let mut start = t.below(N + 1, 900);
    start.sort_unstable();
    let out = each(N, |i| words(&text[start[i] as usize..start[i + 1] as usize]));
    Case::groups(3, 40).input(&text).input(&start).output(&out).only()
}
