//! `dpas`: systolic dot products, accumulated.
//!
//! For each of `repeat` rows and each channel: dst[row][ch] = src0[row][ch] + the sum over `depth`
//! stages of dot(src1[stage][ch], src2[row][stage]), where a stage's element is one dword holding 4
//! bytes, 8 nibbles, 2 halves or 1 single. src1 holds the weights of all rows, src2 the rows.

use crate::{
    num::{self, BF8, HALF, TF32},
    program::{DestPlace, Extra, Operand, Program, Source, Step},
    thread::{Thread, Trap},
};
use gen_ir::Type;

/// Bits of one element, and how many a dword holds.
fn packing(ty: Type) -> (u32, u32) {
    let bits = match ty {
        Type::U2 | Type::S2 => 2,
        Type::U4 | Type::S4 => 4,
        Type::Ub | Type::B | Type::Bf8 => 8,
        Type::Hf | Type::Bf => 16,
        _ => 32,
    };
    (bits, 32 / bits)
}

fn int(dword: u32, k: u32, ty: Type) -> i64 {
    let (bits, _) = packing(ty);
    let v = u64::from(dword >> (k * bits)) & ((1 << bits) - 1);
    if ty.is_signed() { (v as i64) << (64 - bits) >> (64 - bits) } else { v as i64 }
}

fn real(dword: u32, k: u32, ty: Type) -> f64 {
    match ty {
        Type::Hf => HALF.to_f64(u64::from(dword >> (16 * k) & 0xffff)),
        Type::Bf => num::bf16_to_f32((dword >> (16 * k)) as u16).into(),
        Type::Bf8 => BF8.to_f64(u64::from(dword >> (8 * k) & 0xff)),
        Type::Tf32 => TF32.to_f64(u64::from(dword >> 13)),
        _ => f32::from_bits(dword).into(),
    }
}

pub(super) fn run(t: &mut Thread, program: &Program, step: &Step, on: u32) -> Result<(), Trap> {
    let Extra::Dpas { depth, repeat } = step.extra else { return Err("dpas without a shape".into()) };
    let (depth, repeat) = (u32::from(depth), u32::from(repeat));
    let lanes = u32::from(step.lanes);
    let at = |s: &Source| match s.what {
        Operand::Direct { at, .. } => Some(at),
        _ => None,
    };
    let [s0, s1, s2] = &step.src;
    let (Some(weights), Some(rows)) = (at(s1), at(s2)) else {
        return Err("dpas on operands that are no registers".into());
    };
    let DestPlace::Direct(out) = step.dst.what else { return Err("dpas without a destination".into()) };
    // A null first source adds nothing.
    let sum = at(s0).filter(|&a| a != crate::file::NULL);
    let (_, per1) = packing(s1.ty);
    let (_, per2) = packing(s2.ty);
    let per = per1.min(per2);
    let float = s1.ty.is_float();
    let dst_bytes = step.dst.ty.bytes();
    // A stage takes as many bits of each source as the narrower packing of the two holds elements.
    let (bits1, bits2) = (packing(s1.ty).0 * per, packing(s2.ty).0 * per);
    let limit = program.grf * program.grf_count;
    let last = [
        weights + depth * lanes * bits1 / 8,
        rows + repeat * depth * bits2 / 8,
        out + repeat * lanes * dst_bytes,
        sum.map_or(0, |a| a + repeat * lanes * s0.ty.bytes()),
    ];
    if last.iter().any(|&l| l > limit) {
        return Err("dpas runs past the last register".into());
    }
    let element = |t: &Thread, base: u32, index: u32, bits: u32| {
        let bit = index * bits;
        t.u32_at(base + bit / 32 * 4) >> (bit % 32)
    };
    let mut results = Vec::with_capacity((repeat * lanes) as usize);
    for row in 0..repeat {
        for ch in 0..lanes {
            let index = row * lanes + ch;
            let bits = if float {
                let start = sum.map_or(0.0, |a| match s0.ty {
                    Type::Bf => num::bf16_to_f32(t.u16_at(a + 2 * index)).into(),
                    Type::Hf => HALF.to_f64(t.u16_at(a + 2 * index).into()),
                    _ => f64::from(f32::from_bits(t.u32_at(a + 4 * index))),
                });
                let mut total = start;
                for stage in 0..depth {
                    let w = element(t, weights, stage * lanes + ch, bits1);
                    let x = element(t, rows, row * depth + stage, bits2);
                    for k in 0..per {
                        total = num::fma_odd(real(w, k, s1.ty), real(x, k, s2.ty), total);
                    }
                    total = f64::from(num::to_f32(total, num::Round::Even));
                }
                super::encode(total, step.dst.ty, t, false)
            } else {
                let mut total = sum.map_or(0, |a| {
                    let v = t.u32_at(a + 4 * index);
                    if s0.ty.is_signed() { i64::from(v as i32) } else { i64::from(v) }
                });
                for stage in 0..depth {
                    let w = element(t, weights, stage * lanes + ch, bits1);
                    let x = element(t, rows, row * depth + stage, bits2);
                    for k in 0..per {
                        total += int(w, k, s1.ty) * int(x, k, s2.ty);
                    }
                }
                if step.sat {
                    let (min, max) = super::range(step.dst.ty);
                    total = total.clamp(min as i64, max as i64);
                }
                total as u64
            };
            results.push(bits);
        }
    }
    for row in 0..repeat {
        for ch in (0..lanes).filter(|ch| on >> ch & 1 != 0) {
            let index = row * lanes + ch;
            let to = (out + index * dst_bytes) as usize;
            let bytes = results[index as usize].to_le_bytes();
            t.rf[to..to + dst_bytes as usize].copy_from_slice(&bytes[..dst_bytes as usize]);
        }
    }
    Ok(())
}
