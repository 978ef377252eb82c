//! `image_dims.cl`

use emulator::{Sampler, Texel, Wrap};

use super::{image_sample::sampled, prelude::*};
use crate::expected::picture::{Picture, array, shape, written};

pub(super) const KERNELS: Kernels = &[
    ("volume", volume),
    ("slices", slices),
    ("line", line),
    ("buffer_image", buffer_image),
    ("sample_volume", sample_volume),
];

fn volume(t: &mut Target) -> Vec<Case> {
    let image = shape(3, [8, 4, 4], 4, 4, Texel::Float);
    let p = Picture::random(&image, t);
    let after = written(&image, |x, y, z| {
        let [_, _, above] = p.clamped(x.into(), y.into(), i64::from(z) + 1);
        let (a, b) = (p.floats(x, y, z), p.floats(x, y, above));
        std::array::from_fn(|c| exactly((a[c] + b[c]) * 0.5))
    });
    Case::grid([8, 4, 4], [8, 2, 2]).image(&image, p.bytes()).image_after(&image, None, after).only()
}

fn slices(t: &mut Target) -> Vec<Case> {
    let run = |bytes: u8| {
        let layers = 3;
        let image = array(shape(2, [8, 4, 1], 4, bytes, Texel::Uint), layers);
        let p = Picture::random(&image, t);
        let mask = u64::MAX >> (64 - 8 * u32::from(bytes));
        let after = written(&image, |x, y, z| {
            p.ints(x, y, layers - 1 - z).map(|v| Accept::Bits(u64::from(v) & mask))
        });
        Case::grid([8, 4, 3], [8, 4, 1]).image(&image, p.bytes()).image_after(&image, None, after)
    };
    [4, 1].into_iter().map(run).collect()
}

fn line(t: &mut Target) -> Vec<Case> {
    let n = 40;
    let single = shape(1, [30, 1, 1], 4, 4, Texel::Float);
    let stacked = array(shape(1, [35, 1, 1], 4, 4, Texel::Float), 3);
    let (p, q) = (Picture::random(&single, t), Picture::random(&stacked, t));
    let out = flat(n, |i| {
        let ([x, ..], [u, ..]) = (p.clamped(i as i64, 0, 0), q.clamped(i as i64, 0, 0));
        let (a, b) = (p.floats(x, 0, 0), q.floats(u, 0, 1));
        std::array::from_fn::<_, 4, _>(|c| a[c] + b[c])
    });
    Case::groups(2, n / 2).image(&single, p.bytes()).image(&stacked, q.bytes()).output(&out).only()
}

fn buffer_image(t: &mut Target) -> Vec<Case> {
    let n = 40;
    let image = shape(1, [n, 1, 1], 4, 4, Texel::Sint);
    let p = Picture::random(&image, t);
    let after = written(&image, |x, y, z| p.ints(x, y, z).map(|v| exactly(v.wrapping_add(n))));
    Case::groups(2, n as usize / 2).image(&image, p.bytes()).image_after(&image, None, after).only()
}

fn sample_volume(t: &mut Target) -> Vec<Case> {
    let n = 40;
    let image = shape(3, [8, 5, 4], 4, 4, Texel::Float);
    let p = Picture::random(&image, t);
    let at = t.vectors(n, -0.2, 1.2);
    let smooth = Sampler { normalized: true, linear: true, wrap: Wrap::Edge };
    let out = flat(n, |i| sampled(&p, smooth, [at[i][0], at[i][1], at[i][2]]));
    Case::groups(2, n / 2).image(&image, p.bytes()).input(&at).output_of::<f32>(out).only()
}
