//! `vc_media.ll`

use emulator::Texel;

use super::prelude::*;
use crate::expected::picture::{Picture, shape, written};

pub(super) const KERNELS: Kernels = &[("vertical", vertical), ("transpose8", transpose8)];

fn vertical(t: &mut Target) -> Vec<Case> {
    // Two rows more than are written.
    let (width, height) = (64, 14);
    let image = shape(2, [width, height, 1], 1, 1, Texel::Uint);
    let p = Picture::random(&image, t);
    let before = Picture::random(&image, t);
    let after = written(&image, |x, y, _| {
        let at = |dy: u32| p.raw(x, y + dy, 0)[0] as i32;
        let v = if y < 12 {
            // The vector compiler makes one saturating addition of the subtraction and the truncation,
            // which so stops at zero too.
            (at(0) + at(1) - (at(2) >> 1)).clamp(0, 255) as u8
        } else {
            before.raw(x, y, 0)[0] as u8
        };
        [v; 4].map(exactly)
    });
    Case::grid([2, 2, 1], [1, 1, 1])
        .image(&image, p.bytes())
        .image_after(&image, Some(before.bytes()), after)
        .only()
}

fn transpose8(t: &mut Target) -> Vec<Case> {
    let image = shape(2, [16, 16, 1], 1, 1, Texel::Uint);
    let p = Picture::random(&image, t);
    let after = written(&image, |x, y, _| [p.raw(y, x, 0)[0] as u8; 4].map(exactly));
    Case::grid([2, 2, 1], [1, 1, 1]).image(&image, p.bytes()).image_after(&image, None, after).only()
}
