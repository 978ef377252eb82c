//! `barriers.cl`

use super::prelude::*;

pub(super) const KERNELS: Kernels =
    &[("reduce", reduce), ("scan", scan), ("transpose", transpose), ("hand_over", hand_over)];

fn reduce(t: &mut Target) -> Vec<Case> {
    let mut run = |groups: usize, local: usize| {
        let a = t.ints::<i32>(groups * local);
        let sums = each(groups, |g| a[g * local..][..local].iter().fold(0i32, |s, &x| s.wrapping_add(x)));
        Case::groups(groups, local).input(&a).output(&sums).local(4 * local)
    };
    vec![run(2, 64), run(1, 128), run(3, 4)]
}

fn scan(t: &mut Target) -> Vec<Case> {
    let mut run = |groups: usize, local: usize| {
        let a = t.ints::<u32>(groups * local);
        let sums = flat(groups, |g| {
            let group = &a[g * local..][..local];
            each(local, |i| group[..=i].iter().fold(0u32, |s, &x| s.wrapping_add(x)))
        });
        Case::groups(groups, local).input(&a).output(&sums)
    };
    vec![run(2, 64), run(3, 40), run(1, 1)]
}

fn transpose(t: &mut Target) -> Vec<Case> {
    let (width, height) = (32, 48);
    let a = t.floats::<f32>(width * height);
    let out = flat(width, |x| each(height, |y| a[y * width + x]));
    Case::grid([width, height, 1], [16, 16, 1])
        .input(&a)
        .output(&out)
        .scalar(width as i32)
        .scalar(height as i32)
        .only()
}

fn hand_over(_: &mut Target) -> Vec<Case> {
    let (groups, local) = (3, 40);
    let out = flat(groups, |g| each(local, |l| (2 * (g * local + (l + 1) % local) + 1) as i32));
    Case::groups(groups, local).output(&out).only()
}
