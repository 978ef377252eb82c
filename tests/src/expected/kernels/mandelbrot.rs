//! `mandelbrot.cl`

use super::prelude::*;

pub(super) const KERNELS: Kernels = &[("mandelbrot", mandelbrot), ("julia_fixed", julia_fixed), ("life", life)];

/// How long a point stays, in a way to compute `a * b + c`.
fn stays(cr: f32, ci: f32, limit: u32, mad: fn(f32, f32, f32) -> f32) -> u32 {
    let (mut zr, mut zi, mut k) = (0.0f32, 0.0f32, 0);
    while k < limit && mad(zr, zr, zi * zi) <= 4.0 {
        let next = mad(zr, zr, mad(-zi, zi, cr));
        zi = mad(2.0 * zr, zi, ci);
        zr = next;
        k += 1;
    }
    k
}

fn mandelbrot(_: &mut Target) -> Vec<Case> {
    let (width, height) = (24, 12);
    let (left, top, step, limit) = (-2.1f32, -1.2f32, 0.11f32, 30);
    let out = flat(height, |y| {
        each(width, |x| {
            let at = |mad: fn(f32, f32, f32) -> f32| {
                stays(mad(step, x as f32, left), mad(step, y as f32, top), limit, mad)
            };
            let (split, fused) = (at(|a, b, c| a * b + c), at(f32::mul_add));
            // Where contraction matters the count is anybody's.
            if split == fused { exactly(split) } else { Accept::Anything }
        })
    });
    assert!(out.iter().filter(|a| **a == Accept::Anything).count() < 10, "most counts are certain");
    Case::grid([width, height, 1], [width, 3, 1])
        .output_of::<u32>(out)
        .scalar(left)
        .scalar(top)
        .scalar(step)
        .scalar(limit)
        .only()
}

fn julia_fixed(t: &mut Target) -> Vec<Case> {
    let (n, limit) = (120, 25);
    let start: Vec<[i32; 2]> =
        t.small(2 * n, -(3 << 27), 3 << 27).chunks_exact(2).map(|c| [c[0], c[1]]).collect();
    let (cr, ci) = (-(1i32 << 27) - 12345, 3 << 26);
    let out = each(n, |i| {
        let [mut zr, mut zi] = start[i].map(i64::from);
        (0..limit)
            .find(|_| {
                let (rr, ii) = ((zr * zr) >> 28, (zi * zi) >> 28);
                if rr + ii > 4 << 28 {
                    return true;
                }
                zi = ((2 * zr * zi) >> 28) + i64::from(ci);
                zr = rr - ii + i64::from(cr);
                false
            })
            .unwrap_or(limit)
    });
    Case::groups(3, 40).output(&out).input(&start).scalar(cr).scalar(ci).scalar(limit).only()
}

fn life(t: &mut Target) -> Vec<Case> {
    let (width, height) = (20, 12);
    let cells: Vec<u8> = t.below(width * height, 10).into_iter().map(|v| u8::from(v < 4)).collect();
    let at = |x: usize, y: usize| cells[y % height * width + x % width];
    let out = flat(height, |y| {
        each(width, |x| {
            let block: u8 = (0..9).map(|k| at(x + width + k % 3 - 1, y + height + k / 3 - 1)).sum();
            let alive = block - at(x, y);
            u8::from(alive == 3 || (alive == 2 && at(x, y) != 0))
        })
    });
    Case::grid([width, height, 1], [width, 4, 1])
        .input(&cells)
        .output(&out)
        .scalar(width as i32)
        .scalar(height as i32)
        .only()
}
