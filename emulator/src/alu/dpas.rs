//! `dpas`: systolic dot products, accumulated (vISA specification, "DPAS"; PRM volume 2a, "Dot Product
//! Accumulate Systolic").
//!
//! For each of `repeat` rows and each channel: dst[row][ch] = src0[row][ch] + the sum over `depth` stages of
//! dot(src1[stage][ch], src2[row][stage]). A stage takes 2 halves, 1 single, 4 integers where one of the two
//! sources has bytes, and else 8. Rows (src2) lie element after element; the weights (src1) of a channel lie in
//! its own dword of each register, several stages in one where they are narrow.

use crate::{
    num::{self, BF8, HALF, TF32},
    program::{DestPlace, Extra, Operand, Program, Source, Step},
    thread::{Thread, Trap},
};
use gen_ir::Type;
use narrow::{as_index, low_i32, low_i64, low_u16, low_u32, low_u64, to_index};

/// What a `dpas` works on.
pub(crate) struct Array {
    pub depth: u32,
    pub repeat: u32,
    pub lanes: u32,
    pub dst: Type,
    /// Type of what is added to, if anything is.
    pub sum: Option<Type>,
    pub weights: Type,
    pub rows: Type,
    pub sat: bool,
}

const fn bits_of(ty: Type) -> u32 {
    match ty {
        Type::U2 | Type::S2 => 2,
        Type::U4 | Type::S4 => 4,
        Type::Ub | Type::B | Type::Bf8 => 8,
        Type::Hf | Type::Bf => 16,
        _ => 32,
    }
}

fn int(dword: u32, k: u32, ty: Type) -> i64 {
    let bits = bits_of(ty);
    let v = u64::from(dword >> (k * bits)) & ((1 << bits) - 1);
    if ty.is_signed() { low_i64(v) << (64 - bits) >> (64 - bits) } else { low_i64(v) }
}

fn real(dword: u32, k: u32, ty: Type) -> f64 {
    match ty {
        Type::Hf => HALF.to_f64(u64::from(dword >> (16 * k) & 0xffff)),
        Type::Bf => num::bf16_to_f32(low_u16(dword >> (16 * k))).into(),
        Type::Bf8 => BF8.to_f64(u64::from(dword >> (8 * k) & 0xff)),
        Type::Tf32 => TF32.to_f64(u64::from(dword >> 13)),
        _ => f32::from_bits(dword).into(),
    }
}

/// A number to add to.
fn start(bits: u64, ty: Type) -> f64 {
    match ty {
        Type::Bf => num::bf16_to_f32(low_u16(bits)).into(),
        Type::Hf => HALF.to_f64(bits & 0xffff),
        _ => f32::from_bits(low_u32(bits)).into(),
    }
}

/// A result before it is rounded to the destination's type.
pub(crate) enum Sum {
    Int(u64),
    Float(f64),
}

impl Array {
    /// Elements of each source that a stage takes.
    const fn per_stage(&self) -> u32 {
        match (bits_of(self.weights), bits_of(self.rows)) {
            (32, _) => 1,
            (16, _) => 2,
            (8, _) | (_, 8) => 4,
            _ => 8,
        }
    }

    /// Bytes of the weights, of the rows, of what is added to, and of the result.
    pub(crate) const fn extents(&self) -> [u32; 4] {
        let stages = 32 / (self.per_stage() * bits_of(self.weights));
        let all = self.repeat * self.lanes;
        let sum = match self.sum {
            Some(ty) => all * ty.bytes(),
            None => 0,
        };
        [
            self.depth.div_ceil(stages) * self.lanes * 4,
            self.repeat * self.depth * self.per_stage() * bits_of(self.rows) / 8,
            sum,
            all * self.dst.bytes(),
        ]
    }

    /// One element of the result. `weights` and `rows` give the dword at a byte offset, `sum` the bits to add to.
    pub(crate) fn element(
        &self,
        row: u32,
        ch: u32,
        sum: Option<u64>,
        weights: impl Fn(u32) -> u32,
        rows: impl Fn(u32) -> u32,
    ) -> Sum {
        let per = self.per_stage();
        let (w_bits, r_bits) = (per * bits_of(self.weights), per * bits_of(self.rows));
        let stages = 32 / w_bits;
        let pair = |stage: u32| {
            let w = weights((stage / stages * self.lanes + ch) * 4) >> (stage % stages * w_bits);
            let bit = (row * self.depth + stage) * r_bits;
            (w, rows(bit / 32 * 4) >> (bit % 32))
        };
        if self.weights.is_float() {
            let mut total = sum.map_or(0.0, |bits| start(bits, self.sum.unwrap_or(self.dst)));
            for (w, r) in (0..self.depth).map(pair) {
                for k in 0..per {
                    total = crate::rounded::fma_odd(real(w, k, self.weights), real(r, k, self.rows), total);
                }
                total = f64::from(num::to_f32(total, num::Round::Even));
            }
            return Sum::Float(total);
        }
        let signed = self.sum.is_some_and(Type::is_signed);
        let mut total =
            sum.map_or(0, |bits| if signed { i64::from(low_i32(bits)) } else { i64::from(low_u32(bits)) });
        for (w, r) in (0..self.depth).map(pair) {
            for k in 0..per {
                total += int(w, k, self.weights) * int(r, k, self.rows);
            }
        }
        if self.sat {
            let (min, max) = super::range(self.dst);
            total = total.clamp(low_i64(min), low_i64(max));
        }
        Sum::Int(low_u64(total))
    }
}

/// The shape of a `dpas`. `adds`: its first source is no null register.
pub(crate) fn array(step: &Step, adds: bool) -> Option<Array> {
    let Extra::Dpas { depth, repeat } = step.extra else { return None };
    let [s0, s1, s2] = &step.src;
    Some(Array {
        depth: depth.into(),
        repeat: repeat.into(),
        lanes: step.lanes.into(),
        dst: step.dst.ty,
        sum: adds.then_some(s0.ty),
        weights: s1.ty,
        rows: s2.ty,
        sat: step.sat,
    })
}

pub(super) fn run(t: &mut Thread, program: &Program, step: &Step, on: u32) -> Result<(), Trap> {
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
    let Some(array) = array(step, sum.is_some()) else { return Err("dpas without a shape".into()) };
    let limit = program.grf * program.grf_count;
    let starts = [weights, rows, sum.unwrap_or(0), out];
    if starts.iter().zip(array.extents()).any(|(from, bytes)| from + bytes > limit) {
        return Err("dpas runs past the last register".into());
    }
    let mut results = Vec::with_capacity(as_index(array.repeat * array.lanes));
    for (row, ch) in (0..array.repeat).flat_map(|row| (0..array.lanes).map(move |ch| (row, ch))) {
        let index = row * array.lanes + ch;
        let start = sum.map(|a| match s0.ty.bytes() {
            2 => t.u16_at(a + 2 * index).into(),
            _ => t.u32_at(a + 4 * index).into(),
        });
        let sum = array.element(row, ch, start, |at| t.u32_at(weights + at), |at| t.u32_at(rows + at));
        results.push(match sum {
            Sum::Int(bits) => bits,
            Sum::Float(x) => super::encode(x, step.dst.ty, t, false),
        });
    }
    let size = array.dst.bytes();
    for (index, bits) in results.iter().enumerate() {
        if on >> (to_index(index) % array.lanes) & 1 != 0 {
            let to = as_index(out + to_index(index) * size);
            t.rf[to..to + as_index(size)].copy_from_slice(&bits.to_le_bytes()[..as_index(size)]);
        }
    }
    Ok(())
}
