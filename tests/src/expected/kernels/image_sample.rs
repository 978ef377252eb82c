//! `image_sample.cl`: the addressing and filtering of OpenCL's "Determine texel" rules.

use emulator::{Sampler, Texel, Wrap};

use super::prelude::*;
use crate::expected::{
    inputs::Inputs,
    picture::{Picture, shape, written},
};

pub(super) const KERNELS: Kernels = &[
    ("resize", resize),
    ("two_samplers", two_samplers),
    ("red_only", red_only),
    ("divergent_sample", divergent_sample),
];

const N: usize = 40;
const REPEAT: Sampler = Sampler { normalized: true, linear: true, wrap: Wrap::Repeat };
const MIRROR: Sampler = Sampler { normalized: true, linear: false, wrap: Wrap::Mirror };

/// The two texels along an axis that a coordinate lies between, and the share of the second; for the
/// nearest texel the share is zero. None stands for the border.
fn texels(s: f64, n: u32, sampler: Sampler) -> [(Option<u32>, f64); 2] {
    let size = f64::from(n);
    let u = match sampler.wrap {
        Wrap::Repeat => (s - s.floor()) * size,
        Wrap::Mirror => (s - 2.0 * (0.5 * s).round_ties_even()).abs() * size,
        _ if sampler.normalized => s * size,
        _ => s,
    };
    let inside = |i: f64| -> Option<u32> {
        let i = match sampler.wrap {
            Wrap::Repeat => i.rem_euclid(size),
            Wrap::Edge | Wrap::Mirror => i.clamp(0.0, size - 1.0),
            Wrap::Border => i,
        };
        (0.0..size).contains(&i).then_some(i as u32)
    };
    if !sampler.linear {
        return [(inside(u.floor()), 1.0), (Some(0), 0.0)];
    }
    let (i, share) = ((u - 0.5).floor(), u - 0.5 - (u - 0.5).floor());
    [(inside(i), 1.0 - share), (inside(i + 1.0), share)]
}

/// The four channels of a sample. Filters have eight bits of weight on each axis.
pub(super) fn sampled(p: &Picture, sampler: Sampler, at: [f32; 3]) -> [Accept; 4] {
    let size = [p.image.width, p.image.height, p.image.depth];
    let axes: [_; 3] = std::array::from_fn(|d| {
        if d < usize::from(p.image.dims) {
            texels(at[d].into(), size[d], sampler)
        } else {
            [(Some(0), 1.0), (Some(0), 0.0)]
        }
    });
    let mut sum = [0f64; 4];
    let (mut low, mut high) = ([f64::MAX; 4], [f64::MIN; 4]);
    for corner in 0..8 {
        let pick: [_; 3] = std::array::from_fn(|d| axes[d][corner >> d & 1]);
        let weight: f64 = pick.iter().map(|(_, w)| w).product();
        let texel = match pick.map(|(i, _)| i) {
            [Some(x), Some(y), Some(z)] => p.floats(x, y, z),
            _ => [0.0; 4],
        };
        for c in 0..4 {
            sum[c] += weight * f64::from(texel[c]);
            low[c] = low[c].min(texel[c].into());
            high[c] = high[c].max(texel[c].into());
        }
    }
    std::array::from_fn(|c| {
        let error = if sampler.linear { (high[c] - low[c]) * 0.01 } else { 0.0 };
        near(sum[c], error + sum[c].abs() * 1e-6)
    })
}

/// Coordinates over several repetitions of an image, away from where the nearest texel changes.
fn coordinates(t: &mut Inputs, width: u32, height: u32) -> Vec<[f32; 2]> {
    let mut one = |size: u32| {
        let texel = t.range(1, -20, 40)[0] as f64;
        ((texel + t.between::<f64>(1, 0.05, 0.95)[0]) / f64::from(size)) as f32
    };
    each(N, |_| [one(width), one(height)])
}

fn resize(t: &mut Target) -> Vec<Case> {
    // Sizes without a factor in common: no coordinate falls between two texels.
    let (input, out) = (shape(2, [7, 5, 1], 4, 4, Texel::Float), shape(2, [16, 8, 1], 4, 4, Texel::Float));
    let p = Picture::random(&input, t);
    let run = |sampler: Sampler| {
        let after = written(&out, |x, y, _| {
            sampled(&p, sampler, [(x as f32 + 0.5) / 16.0, (y as f32 + 0.5) / 8.0, 0.0])
        });
        Case::grid([16, 8, 1], [16, 4, 1])
            .image(&input, p.bytes())
            .image_after(&out, None, after)
            .sampler(sampler)
    };
    let sampler = |linear: bool, wrap: Wrap| Sampler { normalized: true, linear, wrap };
    vec![
        run(sampler(true, Wrap::Edge)),
        run(sampler(true, Wrap::Repeat)),
        run(sampler(false, Wrap::Edge)),
        run(sampler(true, Wrap::Border)),
    ]
}

fn two_samplers(t: &mut Target) -> Vec<Case> {
    let image = shape(2, [7, 5, 1], 4, 4, Texel::Float);
    let (p, at) = (Picture::random(&image, t), coordinates(t, 7, 5));
    let out = flat(N, |i| {
        let at = [at[i][0], at[i][1], 0.0];
        let (smooth, nearest) = (sampled(&p, REPEAT, at), sampled(&p, MIRROR, at));
        std::array::from_fn::<_, 4, _>(|c| match (&smooth[c], &nearest[c]) {
            (Accept::Range(a, b), Accept::Range(x, y)) => Accept::Range(a - y, b - x),
            _ => Accept::Nan,
        })
    });
    Case::groups(2, N / 2).image(&image, p.bytes()).input(&at).output_of::<f32>(out).only()
}

fn red_only(t: &mut Target) -> Vec<Case> {
    let image = shape(2, [7, 5, 1], 1, 1, Texel::Unorm);
    let (p, at) = (Picture::random(&image, t), coordinates(t, 7, 5));
    let out = each(N, |i| {
        let [red, ..] = sampled(&p, REPEAT, [at[i][0], at[i][1], 0.0]);
        red
    });
    Case::groups(2, N / 2).image(&image, p.bytes()).input(&at).output_of::<f32>(out).only()
}

fn divergent_sample(t: &mut Target) -> Vec<Case> {
    let image = shape(2, [7, 5, 1], 4, 4, Texel::Float);
    let (p, at) = (Picture::random(&image, t), coordinates(t, 7, 5));
    let out = flat(N, |i| {
        if at[i][0] >= 0.0 { sampled(&p, REPEAT, [at[i][0], at[i][1], 0.0]) } else { [-1f32; 4].map(exactly) }
    });
    Case::groups(2, N / 2).image(&image, p.bytes()).input(&at).output_of::<f32>(out).only()
}
