//! `image_read.cl`

use emulator::{Image, Texel};

use super::prelude::*;
use crate::expected::picture::{Picture, shape};

pub(super) const KERNELS: Kernels =
    &[("read_float", read_float), ("read_uint", read_uint), ("read_int", read_int), ("sizes", sizes)];

/// The image is smaller than the launch, which so reads outside of it.
const SIZE: [u32; 3] = [13, 6, 1];
const GLOBAL: [usize; 3] = [16, 8, 1];
const LOCAL: [usize; 3] = [16, 4, 1];
const PITCH: usize = 16;

fn image(channels: u8, channel_bytes: u8, texel: Texel) -> Image {
    shape(2, SIZE, channels, channel_bytes, texel)
}

/// A value for each item of the launch.
fn items<I: IntoIterator>(f: impl Fn(i64, i64) -> I) -> Vec<I::Item> {
    flat(GLOBAL[1], |y| flat(GLOBAL[0], |x| f(x as i64, y as i64)))
}

fn read_float(t: &mut Target) -> Vec<Case> {
    let mut bgra = image(4, 1, Texel::Unorm);
    bgra.bgra = true;
    let formats = [
        image(4, 4, Texel::Float),
        image(4, 1, Texel::Unorm),
        bgra,
        image(1, 2, Texel::Float),
        image(2, 4, Texel::Float),
    ];
    let run = |image: &Image| {
        let p = Picture::random(image, t);
        let out = items(|x, y| {
            let [x, y, z] = p.clamped(x, y, 0);
            // A normalized integer may be off by one and a half units.
            let error = if image.texel == Texel::Unorm { 1.5 } else { 0.0 };
            p.floats(x, y, z).map(|v| ulps(f64::from(v) * 2.0, error))
        });
        Case::grid(GLOBAL, LOCAL).image(image, p.bytes()).output_of::<f32>(out).scalar(PITCH as i32)
    };
    formats.iter().map(run).collect()
}

fn read_uint(t: &mut Target) -> Vec<Case> {
    let run = |image: Image| {
        let p = Picture::random(&image, t);
        let out = items(|x, y| {
            // The border is black and transparent.
            let inside = p.contains(x - 1, y - 1);
            let v = if inside { p.ints(x as u32 - 1, y as u32 - 1, 0) } else { [0; 4] };
            v.map(|v| v.wrapping_add(1))
        });
        Case::grid(GLOBAL, LOCAL).image(&image, p.bytes()).output(&out).scalar(PITCH as i32)
    };
    [1, 2, 4].map(|bytes| image(4, bytes, Texel::Uint)).into_iter().map(run).collect()
}

fn read_int(t: &mut Target) -> Vec<Case> {
    let run = |image: Image| {
        let p = Picture::random(&image, t);
        let out = items(|x, y| {
            let [x, y, z] = p.clamped(i64::from(SIZE[0]) - 1 - x, i64::from(SIZE[1]) - 1 - y, 0);
            let v = p.ints(x, y, z);
            [v[0].wrapping_sub(v[3])]
        });
        Case::grid(GLOBAL, LOCAL).image(&image, p.bytes()).output(&out).scalar(PITCH as i32)
    };
    [(4, 1), (4, 2), (4, 4), (1, 4)].map(|(c, b)| image(c, b, Texel::Sint)).into_iter().map(run).collect()
}

fn sizes(t: &mut Target) -> Vec<Case> {
    let n = 40;
    // CLK_RGBA and CLK_FLOAT, CLK_R and CLK_UNORM_INT8, CLK_RG and CLK_UNSIGNED_INT16.
    let formats = [
        (image(4, 4, Texel::Float), 0x10b5, 0x10de),
        (image(1, 1, Texel::Unorm), 0x10b0, 0x10d2),
        (image(2, 2, Texel::Uint), 0x10b2, 0x10db),
    ];
    let run = |(image, order, kind): (Image, i32, i32)| {
        let p = Picture::random(&image, t);
        let out = each(n, |_| [SIZE[0] as i32, SIZE[1] as i32, order, kind]);
        Case::groups(2, n / 2).image(&image, p.bytes()).output(&out)
    };
    formats.into_iter().map(run).collect()
}
