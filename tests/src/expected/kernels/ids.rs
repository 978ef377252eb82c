//! `ids.cl`

use super::prelude::*;

pub(super) const KERNELS: Kernels =
    &[("ids3d", ids3d), ("sub_group_ids", sub_group_ids), ("required_size", required_size)];

fn ids3d(_: &mut Target) -> Vec<Case> {
    let run = |global: [usize; 3], local: [usize; 3], offset: [u32; 3], dims: u32| {
        let packed = |v: [usize; 3]| (v[0] | v[1] << 8 | v[2] << 16) as u32;
        let mut out = Vec::new();
        for z in 0..global[2] {
            for y in 0..global[1] {
                for x in 0..global[0] {
                    let at = [x, y, z];
                    let inner: [usize; 3] = std::array::from_fn(|d| at[d] % local[d]);
                    let groups: [usize; 3] = std::array::from_fn(|d| global[d] / local[d]);
                    out.extend([
                        x as u32 + offset[0],
                        packed(inner),
                        packed(std::array::from_fn(|d| at[d] / local[d])),
                        packed(local),
                        packed(groups),
                        dims,
                        ((inner[2] * local[1] + inner[1]) * local[0] + inner[0]) as u32,
                        ((z * global[1] + y) * global[0] + x) as u32,
                    ]);
                }
            }
        }
        Case::grid(global, local).starting_at(offset).output(&out)
    };
    vec![
        run([12, 6, 4], [4, 3, 2], [0; 3], 3),
        run([6, 4, 4], [3, 4, 2], [5, 100, 7], 3),
        run([40, 3, 1], [20, 1, 1], [1, 0, 0], 2),
        run([96, 1, 1], [48, 1, 1], [1000, 0, 0], 1),
    ]
}

fn sub_group_ids(t: &mut Target) -> Vec<Case> {
    let simd = t.simd;
    let run = |groups: usize, local: usize| {
        let out = flat(groups * local, |i| {
            let item = i % local;
            let (group, lane) = (item / simd, item % simd);
            let here = simd.min(local - group * simd);
            [group, lane, here, simd, local.div_ceil(simd)].map(|v| v as u32)
        });
        Case::groups(groups, local).output(&out)
    };
    vec![run(2, 64), run(3, 40)]
}

fn required_size(_: &mut Target) -> Vec<Case> {
    let (width, height) = (32, 8);
    let out = flat(height, |y| each(width, |x| (y % 4 * 16 + x % 16) as u32));
    Case::grid([width, height, 1], [16, 4, 1]).output(&out).scalar(width as u32).only()
}
