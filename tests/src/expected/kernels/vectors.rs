//! `vectors.cl`

use super::prelude::*;

pub(super) const KERNELS: Kernels = &[
    ("swizzles", swizzles),
    ("products", products),
    ("wide", wide),
    ("vector_select", vector_select),
    ("load3", load3),
    ("variable_shuffle", variable_shuffle),
];

const N: usize = 120;

fn swizzles(t: &mut Target) -> Vec<Case> {
    let a = t.vectors(N, -100.0, 100.0);
    let out = flat(N, |i| {
        let [x, y, z, w] = a[i];
        [[w, z, y, x], [x, z, y, w], [x + w * 2.0, x + z * 2.0, y + y * 2.0, y + x * 2.0]]
    });
    // The last of them is exact but for one rounding, contracted or not: doubling loses nothing.
    Case::groups(3, 40).input(&a).output(&out).only()
}

fn products(t: &mut Target) -> Vec<Case> {
    let (a, b) = (t.vectors(N, -10.0, 10.0), t.vectors(N, -10.0, 10.0));
    let out = each(N, |i| dot::<4>(std::array::from_fn(|c| (a[i][c], b[i][c]))));
    let cross = flat(N, |i| {
        let (x, y) = (a[i], b[i]);
        let minor = |p: usize, q: usize| dot([(x[p], y[q]), (-x[q], y[p])]);
        [minor(1, 2), minor(2, 0), minor(0, 1), exactly(0f32)]
    });
    Case::groups(3, 40).input(&a).input(&b).output_of::<f32>(out).output_of::<f32>(cross).only()
}

fn wide(t: &mut Target) -> Vec<Case> {
    let (a, b) = (t.small(8 * N, -1 << 28, 1 << 28), t.ints::<u8>(16 * N));
    let out = flat(N, |i| {
        let mut v: [i32; 8] = a[8 * i..8 * i + 8].try_into().unwrap();
        for k in (0..8).step_by(2) {
            v[k + 1] = v[k] * 3 - v[k + 1];
        }
        v.reverse();
        v
    });
    let bytes = flat(N, |i| each(16, |k| b[16 * i + 8 + k / 2].saturating_add(b[16 * i + k / 2])));
    Case::groups(3, 40).input(&a).output(&out).input(&b).output(&bytes).only()
}

fn vector_select(t: &mut Target) -> Vec<Case> {
    let (a, b) = t.int_pairs::<i32>(4 * N);
    let out = each(4 * N, |k| if a[k] < b[k] { a[k].wrapping_add(7) } else { b[k] });
    Case::groups(3, 40).input(&a).input(&b).output(&out).only()
}

fn load3(t: &mut Target) -> Vec<Case> {
    let a = t.ints::<i16>(3 * N);
    let out = flat(N, |i| {
        [a[3 * i + 2].wrapping_add(1), a[3 * i].wrapping_add(2), a[3 * i + 1].wrapping_add(3)]
    });
    Case::groups(3, 40).input(&a).output(&out).only()
}

fn variable_shuffle(t: &mut Target) -> Vec<Case> {
    let (a, mask) = (t.ints::<u32>(4 * N), t.ints::<u32>(4 * N));
    // Two bits of a mask's element matter.
    let out = each(4 * N, |k| a[k / 4 * 4 + (mask[k] & 3) as usize]);
    Case::groups(3, 40).input(&a).input(&mask).output(&out).only()
}
