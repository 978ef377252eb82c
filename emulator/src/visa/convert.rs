//! Between the bits of an operand, integers, and floats.

use super::{
    operand::{Lanes, each},
    thread::VisaThread,
};
use crate::{
    num::{self, BF8, BF16, DOUBLE, HALF, Round, SINGLE, TF32, to_int},
    thread::{FloatMode, LANES, Trap},
};
use narrow::{low_i64, low_u16, low_u64, to_f64};
use std::cmp::Ordering;
use visa::{CondMod, Modifier, Type};

/// Whether a relation holds; unordered values are only unequal.
pub(super) fn holds(cond: CondMod, order: Option<Ordering>) -> bool {
    match cond {
        CondMod::Eq => order == Some(Ordering::Equal),
        CondMod::Ne => order != Some(Ordering::Equal),
        CondMod::Gt => order == Some(Ordering::Greater),
        CondMod::Ge => matches!(order, Some(Ordering::Greater | Ordering::Equal)),
        CondMod::Lt => order == Some(Ordering::Less),
        CondMod::Le => matches!(order, Some(Ordering::Less | Ordering::Equal)),
    }
}

/// How the lanes of two sources compare.
pub(super) fn orders(
    t: &VisaThread<'_>,
    v: [&Lanes; 2],
    m: [Modifier; 2],
    on: u32,
) -> [Option<Ordering>; LANES] {
    let m = m.map(arithmetic);
    let mut out = [None; LANES];
    if v.iter().any(|l| l.ty.is_float()) {
        for i in each(on) {
            let x = |k: usize| float_value(v[k].bits[i], v[k].ty, m[k], &t.mode);
            out[i] = x(0).partial_cmp(&x(1));
        }
    } else {
        for i in each(on) {
            let x = |k: usize| int_value(v[k].bits[i], v[k].ty, m[k]);
            out[i] = Some(x(0).cmp(&x(1)));
        }
    }
    out
}

/// The range of an integer type.
pub(super) fn range(ty: Type) -> (i128, i128) {
    let bits = ty.bytes() * 8;
    if ty.is_signed_int() {
        (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1)
    } else {
        (0, (1i128 << bits) - 1)
    }
}

/// An exact integer as a destination holds it.
pub(super) fn from_int(x: i128, ty: Type, sat: bool, mode: &FloatMode) -> u64 {
    if ty.is_float() {
        if sat {
            return from_float(to_f64(x), ty, true, mode);
        }
        return match ty {
            Type::F => SINGLE.from_int(x, mode.round),
            Type::HF => HALF.from_int(x, mode.round),
            Type::BF => BF16.from_int(x, mode.round),
            _ => DOUBLE.from_int(x, mode.round),
        };
    }
    let (min, max) = range(ty);
    low_u64(if sat { x.clamp(min, max) } else { x })
}

/// A float as a destination holds it.
pub(super) fn from_float(x: f64, ty: Type, sat: bool, mode: &FloatMode) -> u64 {
    if !ty.is_float() {
        let (min, max) = range(ty);
        let round = if mode.round_int { mode.round } else { Round::Zero };
        return low_u64(to_int(x, round, min, max));
    }
    // NaN saturates to zero.
    let x = match sat {
        true if x > 0.0 => x.min(1.0),
        true => 0.0,
        false => x,
    };
    let (format, keep) = match ty {
        Type::F => (SINGLE, mode.keep_f32),
        Type::HF => (HALF, mode.keep_f16),
        Type::BF => (BF16, true),
        _ => (DOUBLE, mode.keep_f64),
    };
    let bits = format.from_f64(x, mode.round);
    if keep { bits } else { format.flush(bits) }
}

/// A float of a type on its way to another. No conversion leads from a double to a half in one instruction, it becomes a
/// single in between and is rounded twice (volume 2a, "mov").
pub(super) fn on_the_way(x: f64, from: Type, to: Type, mode: &FloatMode) -> f64 {
    match (from, to) {
        (Type::DF, Type::HF) => SINGLE.to_f64(from_float(x, Type::F, false, mode)),
        _ => x,
    }
}

/// The type that floats are computed in: the widest of the sources, and at least single where a
/// destination of single precision takes half sources.
pub(super) fn float_type(srcs: &[Lanes], dst: Type) -> Option<Type> {
    let rank = |ty: Type| match ty {
        Type::DF => 3,
        Type::F | Type::BF => 2,
        Type::HF => 1,
        _ => 0,
    };
    let widest = srcs.iter().map(|s| rank(s.ty)).max()?;
    match widest.max(if widest > 0 { rank(dst) } else { 0 }) {
        3 => Some(Type::DF),
        2 => Some(Type::F),
        1 => Some(Type::HF),
        _ => None,
    }
}

/// `fcvt`: an 8-bit float goes by the name of `:ub`, a TensorFloat-32 by that of `:ud`. Both are rounded to even; a
/// TensorFloat has no denormals.
pub(super) fn small_float(bits: u64, from: Type, to: Type, mode: &FloatMode) -> Result<u64, Trap> {
    Ok(match (from, to) {
        (Type::HF, Type::UB) => BF8.from_f64(HALF.to_f64(bits), Round::Even),
        (Type::UB, Type::HF) => {
            let half = HALF.from_f64(BF8.to_f64(bits), Round::Even);
            if mode.keep_f16 { half } else { HALF.flush(half) }
        }
        (Type::F, Type::UD) => TF32.flush(TF32.from_f64(SINGLE.to_f64(bits), Round::Even)) << 13,
        (Type::UD, Type::F) => bits,
        (from, to) => return Err(format!("fcvt from {from} to {to}").into()),
    })
}

/// A modifier of arithmetic. The machine's word has one bit for the bitwise not of logic and the minus of all else.
pub(super) fn arithmetic(modifier: Modifier) -> Modifier {
    if modifier == Modifier::Not { Modifier::Neg } else { modifier }
}

/// The value of an integer source under its modifier.
pub(super) fn int_value(bits: u64, ty: Type, modifier: Modifier) -> i128 {
    let width = ty.bytes() * 8;
    let raw = bits << (64 - width) >> (64 - width);
    let x = if ty.is_signed_int() {
        i128::from(low_i64(raw << (64 - width)) >> (64 - width))
    } else {
        i128::from(raw)
    };
    match modifier {
        Modifier::None | Modifier::Sat => x,
        Modifier::Abs => x.abs(),
        Modifier::Neg => -x,
        Modifier::NegAbs => -x.abs(),
        Modifier::Not => !x,
    }
}

/// The value of a source, integers included, under its modifier and the denormal mode.
pub(super) fn float_value(bits: u64, ty: Type, modifier: Modifier, mode: &FloatMode) -> f64 {
    let x = match ty {
        Type::F => SINGLE.to_f64(if mode.keep_f32 { bits } else { SINGLE.flush(bits) }),
        Type::HF => HALF.to_f64(if mode.keep_f16 { bits } else { HALF.flush(bits) }),
        Type::BF => num::bf16_to_f32(low_u16(bits)).into(),
        Type::DF => f64::from_bits(if mode.keep_f64 { bits } else { DOUBLE.flush(bits) }),
        _ => return to_f64(int_value(bits, ty, arithmetic(modifier))),
    };
    // The sign bit alone, of NaNs too.
    let sign = 1u64 << 63;
    f64::from_bits(match arithmetic(modifier) {
        Modifier::Abs => x.to_bits() & !sign,
        Modifier::Neg => x.to_bits() ^ sign,
        Modifier::NegAbs => x.to_bits() | sign,
        _ => x.to_bits(),
    })
}
