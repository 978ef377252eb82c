//! `image_write.cl`

use emulator::{Image, Texel};

use super::prelude::*;
use crate::expected::picture::{Picture, shape, written};

pub(super) const KERNELS: Kernels = &[("fill", fill), ("invert_in_place", invert_in_place), ("sobel", sobel)];

const GLOBAL: [usize; 3] = [16, 8, 1];
const LOCAL: [usize; 3] = [16, 4, 1];

fn image(channels: u8, channel_bytes: u8, texel: Texel) -> Image {
    shape(2, [16, 8, 1], channels, channel_bytes, texel)
}

fn fill(_: &mut Target) -> Vec<Case> {
    let run = |bytes: u8| {
        let (f, u, s) =
            (image(4, 4, Texel::Float), image(4, bytes, Texel::Uint), image(4, bytes, Texel::Sint));
        let mask = u64::MAX >> (64 - 8 * u32::from(bytes));
        let low = |v: i32| Accept::Bits(i64::from(v) as u64 & mask);
        let floats =
            written(&f, |x, y, _| [0.25 * x as f32, 0.5 * y as f32, 1.0, 0.0].map(exactly));
        let unsigned = written(&u, |x, y, _| [x as i32, y as i32, (x ^ y) as i32, 255].map(low));
        let signed = written(&s, |x, y, _| [-(x as i32), -(y as i32), 0, 1].map(low));
        Case::grid(GLOBAL, LOCAL)
            .image_after(&f, None, floats)
            .image_after(&u, None, unsigned)
            .image_after(&s, None, signed)
    };
    vec![run(4), run(1), run(2)]
}

fn invert_in_place(t: &mut Target) -> Vec<Case> {
    let image = image(4, 1, Texel::Uint);
    let p = Picture::random(&image, t);
    let after = written(&image, |x, y, z| p.ints(x, y, z).map(|v| exactly(255 - v as u8)));
    Case::grid(GLOBAL, LOCAL).image_after(&image, Some(p.bytes()), after).only()
}

fn sobel(t: &mut Target) -> Vec<Case> {
    let mut run = |input: Image| {
        let out = image(4, 4, Texel::Float);
        // Small multiples of 1/8: the filter is exact, contracted or not.
        let p = Picture::random(&input, t);
        let after = written(&out, |x, y, _| {
            let at = |dx: i64, dy: i64| {
                let [x, y, z] = p.clamped(i64::from(x) + dx, i64::from(y) + dy, 0);
                p.floats(x, y, z)[0]
            };
            let gx = at(1, -1) + 2.0 * at(1, 0) + at(1, 1) - at(-1, -1) - 2.0 * at(-1, 0) - at(-1, 1);
            let gy = at(-1, 1) + 2.0 * at(0, 1) + at(1, 1) - at(-1, -1) - 2.0 * at(0, -1) - at(1, -1);
            [gx.abs() + gy.abs(); 4].map(exactly)
        });
        Case::grid(GLOBAL, LOCAL).image(&input, p.bytes()).image_after(&out, None, after)
    };
    vec![run(image(4, 4, Texel::Float)), run(image(1, 2, Texel::Float))]
}
