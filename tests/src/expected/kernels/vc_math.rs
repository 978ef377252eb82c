//! `vc_math.ll`

use half::f16;

use super::prelude::*;

pub(super) const KERNELS: Kernels = &[("integers", integers), ("floats", floats), ("longs", longs)];

fn integers(t: &mut Target) -> Vec<Case> {
    let mut run = || {
        let v = t.ints::<i32>(32);
        let (a, b) = v.split_at(16);
        let mut out = each(16, |i| i32::from(i16::saturate(a[i].into())));
        out.extend(each(16, |i| {
            let (largest, smallest) = (a[i].max(b[i]), (a[i] as u32).min(b[i] as u32) as i32);
            largest.wrapping_sub(smallest).wrapping_abs()
        }));
        out.extend(each(16, |i| {
            let bits = a[i].reverse_bits() ^ b[i].count_ones() as i32;
            let places = b[i].leading_zeros() as i32 + (a[i] >> 3 & 0x7f);
            bits.wrapping_add(places)
        }));
        Case::groups(1, 1).input(&v).output(&out)
    };
    vec![run(), run()]
}

fn floats(t: &mut Target) -> Vec<Case> {
    let mut a = t.between::<f32>(16, 0.01, 40.0);
    a[..6].copy_from_slice(&[0.5, 1.5, 2.5, 1.0, 0.9999, 100.25]);
    let mut out = each(16, |i| exactly(a[i].floor() + a[i].round_ties_even()));
    out.extend(each(16, |i| {
        let x = f64::from(a[i]);
        // A reciprocal and a root of the hardware, a product and a sum.
        let exact = x.sqrt() / x + x.clamp(0.0, 1.0);
        near(exact, exact * 1e-6)
    }));
    out.extend(each(16, |i| {
        let h = f16::from_f32(a[i]);
        exactly(f16::from_f32(h.to_f32() + h.to_f32()).to_f32())
    }));
    Case::groups(1, 1).input(&a).output_of::<f32>(out).only()
}

fn longs(t: &mut Target) -> Vec<Case> {
    let a = t.ints::<i64>(8);
    let out = each(8, |i| if a[i] < 0 { a[i] } else { (a[i] << 3).wrapping_sub(a[i]) });
    Case::groups(1, 1).input(&a).output(&out).only()
}
