//! Values of lanes and of the accumulator, as several operations need them.

use crate::{
    file,
    num::{self, BF16, HALF, SINGLE},
    program::{Extra, Step},
    thread::{LANES, Thread},
};
use gen_ir::{Cond, Type};
use narrow::{as_index, low_i16, low_i32, low_u8, low_u64, to_index};

/// Notes the full value of integers written to an accumulator destination.
pub(super) fn set_wide(t: &mut Thread, step: &Step, n: usize, on: u32, v: &[i64; LANES], size: u8) {
    let crate::program::DestPlace::Direct(at) = step.dst.what else { return };
    if at < file::ACC {
        return;
    }
    let first = (at - file::ACC) / 2;
    for i in 0..n {
        if on >> i & 1 != 0 {
            let k = as_index(first + to_index(i) * step.dst.stride / 2);
            if let (Some(w), Some(s)) = (t.acc_wide.get_mut(k), t.acc_size.get_mut(k)) {
                *w = v[i];
                *s = size;
            }
        }
    }
}

/// Writes the implicit accumulator.
pub(super) fn set_acc(t: &mut Thread, n: usize, on: u32, v: &[i64; LANES], size: u32) {
    for i in 0..n {
        if on >> i & 1 == 0 {
            continue;
        }
        let at = as_index(file::ACC + to_index(i) * size);
        let bytes = v[i].to_le_bytes();
        let len = as_index(size.min(8));
        t.rf[at..at + len].copy_from_slice(&bytes[..len]);
        let k = as_index(to_index(i) * size / 2);
        t.acc_wide[k] = v[i];
        t.acc_size[k] = low_u8(size);
    }
}

/// Reads the implicit accumulator: the wide value where the visible bits are still its low part.
pub(super) fn acc(t: &Thread, n: usize, size: u32, signed: bool) -> [i64; LANES] {
    let mut out = [0; LANES];
    for (i, o) in out[..n].iter_mut().enumerate() {
        let at = as_index(file::ACC + to_index(i) * size);
        let (low, low_bits) = if size == 2 {
            let v = u16::from_le_bytes([t.rf[at], t.rf[at + 1]]);
            (if signed { i64::from(low_i16(v)) } else { v.into() }, 0xffff)
        } else {
            let v = t.u32_at(to_index(at));
            (if signed { i64::from(low_i32(v)) } else { v.into() }, 0xffff_ffff)
        };
        let k = as_index(to_index(i) * size / 2);
        let wide = t.acc_wide[k];
        *o = if u32::from(t.acc_size[k]) == size && (wide ^ low) & low_bits == 0 { wide } else { low };
    }
    out
}

/// Whether a condition holds for a value compared with zero.
pub(super) fn holds(cond: Cond, order: Option<std::cmp::Ordering>) -> bool {
    use std::cmp::Ordering::{Equal, Greater, Less};
    match cond {
        Cond::Eq => order == Some(Equal),
        Cond::Ne => order != Some(Equal),
        Cond::Gt => order == Some(Greater),
        Cond::Ge => matches!(order, Some(Greater | Equal)),
        Cond::Lt => order == Some(Less),
        Cond::Le => matches!(order, Some(Less | Equal)),
        Cond::Un => order.is_none(),
        _ => false,
    }
}

/// The bits of a double in a type of the machine.
pub(crate) fn encode(x: f64, ty: Type, t: &Thread, sat: bool) -> u64 {
    let mode = t.mode.round;
    let x = if sat && ty.is_float() { saturate(x) } else { x };
    match ty {
        // Both are rounded to even; an 8-bit float keeps denormals, a TensorFloat has none (spec "FCVT").
        Type::Bf8 => num::BF8.from_f64(x, num::Round::Even),
        Type::Tf32 => num::TF32.flush(num::TF32.from_f64(x, num::Round::Even)) << 13,
        Type::F => {
            let bits =
                if x.is_nan() { SINGLE.from_f64(x, mode) } else { num::to_f32(x, mode).to_bits().into() };
            if t.mode.keep_f32 { bits } else { SINGLE.flush(bits) }
        }
        Type::Hf => {
            let bits = HALF.from_f64(x, mode);
            if t.mode.keep_f16 { bits } else { HALF.flush(bits) }
        }
        Type::Bf => BF16.from_f64(x, num::Round::Even),
        Type::Df | Type::Nf => {
            let bits = x.to_bits();
            if t.mode.keep_f64 { bits } else { num::DOUBLE.flush(bits) }
        }
        _ => {
            let (min, max) = range(ty);
            let round = if t.mode.round_int { mode } else { num::Round::Zero };
            low_u64(num::to_int(x, round, min, max))
        }
    }
}

pub(super) fn saturate(x: f64) -> f64 {
    // NaN saturates to zero, and so does minus zero.
    if x > 0.0 { x.min(1.0) } else { 0.0 }
}

/// Smallest and largest integer of a type.
pub(crate) const fn range(ty: Type) -> (i128, i128) {
    let bits = ty.bytes() * 8;
    if ty.is_signed() { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) }
}

pub(super) fn truth_table(step: &Step) -> u8 {
    match step.extra {
        Extra::Bfn(table) => table,
        _ => 0,
    }
}

/// `bfn`: bit `a | b << 1 | c << 2` of the table, for every bit of the sources.
pub(super) fn bfn(table: u8, a: i64, b: i64, c: i64) -> i64 {
    let mut out = 0;
    for k in 0..8 {
        if table >> k & 1 != 0 {
            let pick = |v: i64, bit: u32| if k >> bit & 1 != 0 { v } else { !v };
            out |= pick(a, 0) & pick(b, 1) & pick(c, 2);
        }
    }
    out
}
