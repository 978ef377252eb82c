//! `nbody.cl`

use super::prelude::*;

pub(super) const KERNELS: Kernels = &[("accelerate", accelerate), ("all_pairs", all_pairs)];

fn accelerate(t: &mut Target) -> Vec<Case> {
    let (n, local, dt) = (32, 16, 0.125f32);
    let (body, before) = (t.vectors(n, -2.0, 2.0), t.vectors(n, -1.0, 1.0));
    let after = flat(n, |i| {
        let (mut sum, mut size) = ([0f64; 3], [0f64; 3]);
        for b in &body {
            let d: [f64; 3] = std::array::from_fn(|c| f64::from(b[c]) - f64::from(body[i][c]));
            let r2 = d.iter().map(|v| v * v).sum::<f64>() + 0.01;
            let pull = f64::from(b[3]) * r2.powf(-1.5);
            for c in 0..3 {
                sum[c] += d[c] * pull;
                size[c] += (d[c] * pull).abs();
            }
        }
        each(4, |c| {
            let v = before[i][c];
            if c == 3 {
                return exactly(v);
            }
            // native_rsqrt has any precision; its cube and 32 additions stay far below 1e-4 of all terms.
            near(f64::from(v) + sum[c] * f64::from(dt), size[c] * 1e-4 + 1e-6)
        })
    });
    Case::groups(n / local, local)
        .input(&body)
        .change_within(&before, after)
        .local(16 * local)
        .scalar(n as u32)
        .scalar(dt)
        .only()
}

fn all_pairs(t: &mut Target) -> Vec<Case> {
    let (n, local) = (72, 24);
    let p: Vec<[i32; 2]> = t.small(2 * n, -1 << 30, 1 << 30).chunks_exact(2).map(|c| [c[0], c[1]]).collect();
    let out = each(n, |i| {
        p.iter().fold(0i64, |s, q| s.wrapping_add(i64::from(q[0] - p[i][0]) * i64::from(q[1] - p[i][1])))
    });
    Case::groups(n / local, local).input(&p).output(&out).local(8 * local).scalar(n as u32).only()
}
