//! `pixels.cl`

use super::prelude::*;

pub(super) const KERNELS: Kernels = &[
    ("to_gray", to_gray),
    ("blend", blend),
    ("pack565", pack565),
    ("box", box_filter),
    ("threshold", threshold),
];

const N: usize = 120;

fn pixels(t: &mut Target) -> Vec<[u8; 4]> {
    t.ints::<u8>(4 * N).chunks_exact(4).map(|c| [c[0], c[1], c[2], c[3]]).collect()
}

fn to_gray(t: &mut Target) -> Vec<Case> {
    let a = pixels(t);
    let out = each(N, |i| {
        let [r, g, b, _] = a[i].map(u32::from);
        ((r * 77 + g * 150 + b * 29 + 128) >> 8) as u8
    });
    Case::groups(3, 40).input(&a).output(&out).only()
}

fn blend(t: &mut Target) -> Vec<Case> {
    let (a, b) = (pixels(t), pixels(t));
    let out = each(N, |i| {
        let w = u32::from(b[i][3]);
        std::array::from_fn::<_, 4, _>(|c| {
            ((u32::from(a[i][c]) * (255 - w) + u32::from(b[i][c]) * w + 127) / 255) as u8
        })
    });
    Case::groups(3, 40).input(&a).input(&b).output(&out).only()
}

fn pack565(t: &mut Target) -> Vec<Case> {
    let a = pixels(t);
    let packed = each(N, |i| {
        let [r, g, b, _] = a[i].map(u16::from);
        r >> 3 << 11 | g >> 2 << 5 | b >> 3
    });
    let back = each(N, |i| {
        let (r, g, b) = (packed[i] >> 11, packed[i] >> 5 & 63, packed[i] & 31);
        [(r << 3 | r >> 2) as u8, (g << 2 | g >> 4) as u8, (b << 3 | b >> 2) as u8, 255]
    });
    Case::groups(3, 40).input(&a).output(&packed).output(&back).only()
}

fn box_filter(t: &mut Target) -> Vec<Case> {
    let (width, height) = (20usize, 12usize);
    let a = t.ints::<u8>(width * height);
    let run = |radius: usize| {
        let out = flat(height, |y| {
            each(width, |x| {
                let rows = y.saturating_sub(radius)..(y + radius + 1).min(height);
                let columns = x.saturating_sub(radius)..(x + radius + 1).min(width);
                let count = rows.len() * columns.len();
                let sum: usize =
                    rows.flat_map(|r| columns.clone().map(move |c| (r, c))).map(|(r, c)| usize::from(a[r * width + c])).sum();
                (sum / count) as u8
            })
        });
        Case::grid([width, height, 1], [width, 4, 1])
            .input(&a)
            .output(&out)
            .scalar(width as i32)
            .scalar(height as i32)
            .scalar(radius as i32)
    };
    vec![run(2), run(0)]
}

fn threshold(t: &mut Target) -> Vec<Case> {
    let mut a = t.between::<f32>(32 * N, -0.5, 1.5);
    a[..6].copy_from_slice(&[0.5, 0.50000006, f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -0.0]);
    let out = each(N, |i| (0..32).map(|k| u32::from(a[32 * i + k] > 0.5) << k).sum::<u32>());
    Case::groups(3, 40).input(&a).output(&out).only()
}
