//! `image_blocks.cl`: a group is one sub-group, and reads a block of its own.

use emulator::Texel;
use platforms::Platform;

use super::prelude::*;
use crate::expected::picture::{Picture, shape, written};

pub(super) const KERNELS: Kernels =
    &[("copy_rows", copy_rows), ("add_columns", add_columns), ("one_row", one_row)];

fn copy_rows(t: &mut Target) -> Vec<Case> {
    let (width, height) = (t.simd * 3, 16);
    let image = shape(2, [width as u32, height, 1], 1, 4, Texel::Uint);
    let p = Picture::random(&image, t);
    // Each block of eight rows is turned over.
    let after = written(&image, |x, y, _| [p.raw(x, y / 8 * 8 + 7 - y % 8, 0)[0]; 4].map(exactly));
    Case::grid([width, 2, 1], [t.simd, 1, 1]).image(&image, p.bytes()).image_after(&image, None, after).only()
}

fn add_columns(t: &mut Target) -> Vec<Case> {
    let width = t.simd * 4;
    let image = shape(2, [width as u32, 4, 1], 1, 2, Texel::Uint);
    let p = Picture::random(&image, t);
    let out = each(width, |x| (0..4).map(|y| p.raw(x as u32, y, 0)[0]).sum::<u32>() as u16);
    Case::groups(4, t.simd).image(&image, p.bytes()).output(&out).only()
}

fn one_row(t: &mut Target) -> Vec<Case> {
    let (width, height) = (t.simd * 2, 3);
    let image = shape(2, [width as u32, height, 1], 1, 4, Texel::Uint);
    let p = Picture::random(&image, t);
    // The compiler's vISA for Xe-HPC has the second half of the block in both places.
    let twice = t.platform == Platform::Pvc;
    let run = |shift: u32| {
        let from = |x: u32| if twice { x / 16 * 16 + 8 + x % 8 } else { x };
        let after = written(&image, |x, y, _| [p.raw(from(x), y, 0)[0] << shift; 4].map(exactly));
        Case::grid([width, 3, 1], [t.simd, 1, 1])
            .image(&image, p.bytes())
            .image_after(&image, None, after)
            .scalar(shift as i32)
    };
    vec![run(5), run(0)]
}
