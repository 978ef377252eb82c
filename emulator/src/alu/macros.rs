//! The IEEE division and square root macros: `math.invm`, `math.rsqtm` and `madm`.
//!
//! The sequence is Newton's iteration with fused multiply-adds whose intermediate values may lie
//! outside of the type's exponent range; the extra-precision register beside a GRF holds the exponent
//! bits that do not fit. Here it holds the whole intermediate value, as a significand rounded to the
//! type's precision and an exponent. The starting instruction gives a reciprocal (root) to work on, or,
//! where an operand is zero, infinite or not a number, the final result with the early-out flag.

use super::float;
use crate::{
    num::{DOUBLE, Format, Round, SINGLE, Unrounded},
    program::{Operand, Source, Step},
    thread::{LANES, Thread, Trap},
};
use gen_ir::{MathFn, Mme, Type};
use narrow::{low_i32, low_u32, low_u64};
use rustc_apfloat::{
    Float, FloatConvert, Round as ApRound, Status,
    ieee::{Double, Quad},
};

fn quad(x: f64) -> Quad {
    let mut loses = false;
    Double::from_bits(u128::from(x.to_bits())).convert(&mut loses).value
}

/// Rounds to odd what was truncated.
fn odd(x: rustc_apfloat::StatusAnd<Quad>) -> Quad {
    let bits = x.value.to_bits();
    if x.status.contains(Status::INEXACT) { Quad::from_bits(bits | 1) } else { x.value }
}

/// The value in a format: its bits.
fn narrow(x: Quad, format: Format, mode: Round) -> u64 {
    if x.is_nan() {
        return format.quiet_nan();
    }
    let sign = if x.is_negative() { format.sign_bit() } else { 0 };
    if x.is_infinite() {
        return sign | format.infinity();
    }
    let bits = x.to_bits();
    let exp = low_i32(bits >> 112 & 0x7fff) - 16383;
    if exp == -16383 {
        return sign;
    }
    let mant = bits & ((1 << 112) - 1) | 1 << 112;
    let low = mant & ((1 << 49) - 1) != 0;
    format.round(
        Unrounded { negative: x.is_negative(), mag: low_u64(mant >> 49), exp: exp - 63, sticky: low },
        mode,
    )
}

/// Rounds the significand to a format's precision, whatever the exponent.
fn keep(x: Quad, format: Format, mode: Round) -> Quad {
    if !x.is_finite_non_zero() {
        return x;
    }
    let bits = x.to_bits();
    let drop = 112 - format.mant;
    let rest = bits & ((1 << drop) - 1);
    let half = 1u128 << (drop - 1);
    let kept = bits >> drop;
    let negative = x.is_negative();
    let up = match mode {
        Round::Even => rest > half || rest == half && kept & 1 != 0,
        Round::Up => !negative && rest != 0,
        Round::Down => negative && rest != 0,
        Round::Zero => false,
    };
    Quad::from_bits((kept + u128::from(up)) << drop)
}

fn format(ty: Type) -> Result<Format, Trap> {
    match ty {
        Type::F => Ok(SINGLE),
        Type::Df => Ok(DOUBLE),
        other => Err(format!("a math macro on {other}").into()),
    }
}

fn load(t: &Thread, s: &Source, n: usize, on: u32) -> Result<[Quad; LANES], Trap> {
    let visible = float::load(t, &Source { mods: gen_ir::SrcMod::None, ..*s }, n, on)?;
    let fmt = format(s.ty)?;
    let mut out = visible.map(quad);
    if let Some(Mme::Reg(k)) = s.mme {
        let Some(held) = t.macros.get(usize::from(k)) else { return Err("no such extra register".into()) };
        for i in 0..n {
            // Stale where the register was written since.
            let x = held[i];
            if narrow(x, fmt, Round::Zero) == narrow(quad(visible[i]), fmt, Round::Zero) {
                out[i] = x;
            }
        }
    }
    for x in &mut out[..n] {
        if s.mods.abs() && x.is_negative() {
            *x = -*x;
        }
        if s.mods.neg() {
            *x = -*x;
        }
    }
    Ok(out)
}

fn store(t: &mut Thread, step: &Step, n: usize, on: u32, r: &[Quad; LANES]) -> Result<(), Trap> {
    let fmt = format(step.dst.ty)?;
    let mut out = [0; LANES];
    if let Some(Mme::Reg(k)) = step.dst.mme {
        let mode = t.mode.round;
        let Some(held) = t.macros.get_mut(usize::from(k)) else {
            return Err("no such extra register".into());
        };
        for i in 0..n {
            let x = keep(r[i], fmt, mode);
            out[i] = narrow(x, fmt, Round::Zero);
            if on >> i & 1 != 0 {
                held[i] = x;
            }
        }
    } else {
        for i in 0..n {
            out[i] = narrow(r[i], fmt, t.mode.round);
        }
    }
    t.put(&step.dst, n, on, &out)
}

/// `madm`: src0 + src1 * src2.
pub(super) fn madm(t: &mut Thread, step: &Step, n: usize, on: u32) -> Result<(), Trap> {
    let a = load(t, &step.src[0], n, on)?;
    let b = load(t, &step.src[1], n, on)?;
    let c = load(t, &step.src[2], n, on)?;
    let mut r = [Quad::ZERO; LANES];
    for i in 0..n {
        // A product of two 53-bit significands is exact in 113 bits.
        let fused = b[i].mul_add_r(c[i], a[i], ApRound::TowardZero);
        r[i] = odd(fused);
        if r[i].is_zero() && !fused.status.contains(Status::INEXACT) && t.mode.round != Round::Down {
            r[i] = if a[i].is_negative() && (b[i] * c[i]).value.is_negative() { r[i] } else { Quad::ZERO };
        }
    }
    store(t, step, n, on, &r)
}

/// `math.invm` and `math.rsqtm`.
pub(super) fn start(t: &mut Thread, step: &Step, n: usize, on: u32, f: MathFn) -> Result<(), Trap> {
    let none = matches!(step.src[1].what, Operand::None);
    let a = load(t, &step.src[0], n, on)?;
    let b = if none { a } else { load(t, &step.src[1], n, on)? };
    let mut r = [Quad::ZERO; LANES];
    let mut early = 0;
    for i in 0..n {
        let (value, done) = first(f, a[i], b[i]);
        r[i] = value;
        early |= u32::from(done) << i;
    }
    if let Some(c) = step.cond {
        t.set_flag(&c, step, on, early);
    }
    store(t, step, n, on, &r)
}

/// What a macro starts with: a value to work on, or the result and true.
fn first(f: MathFn, x: Quad, y: Quad) -> (Quad, bool) {
    if f == MathFn::Invm {
        return match x.is_finite_non_zero() && y.is_finite_non_zero() {
            true => ((quad(1.0) / y).value, false),
            false => ((x / y).value, true),
        };
    }
    if x.is_finite_non_zero() && !x.is_negative() {
        return (root(x), false);
    }
    (if x.is_zero() || x.is_infinite() && !x.is_negative() { x } else { Quad::NAN }, true)
}

/// `math.invm` and `math.rsqtm` on numbers of a format: the bits that a register without an extra-precision
/// one holds, and whether they are the result.
pub(crate) fn alone(f: MathFn, x: f64, y: f64, format: Format, mode: Round) -> (u64, bool) {
    let (value, done) = first(f, quad(x), quad(y));
    (narrow(keep(value, format, mode), format, Round::Zero), done)
}

/// 1 / sqrt(x), good to more than double precision.
fn root(x: Quad) -> Quad {
    let bits = x.to_bits();
    let exp = low_i32(bits >> 112) - 16383;
    let even = exp & !1;
    // x = m * 2^even with 1 <= m < 4.
    let m = Quad::from_bits(bits & ((1 << 112) - 1) | u128::from(low_u32(exp - even + 16383)) << 112);
    let mut loses = false;
    let near: Double = m.convert(&mut loses).value;
    let guess = 1.0 / f64::from_bits(low_u64(near.to_bits())).sqrt();
    // One Newton step: g + g * (1 - m * g * g) / 2.
    let g = quad(guess);
    let gg = (g * g).value;
    let e = (quad(1.0) - (m * gg).value).value;
    let y = (g + (g * (e * quad(0.5)).value).value).value;
    let bits = y.to_bits();
    let e = low_i32(bits >> 112 & 0x7fff) - even / 2;
    Quad::from_bits(bits & ((1 << 112) - 1) | u128::from(low_u32(e)) << 112)
}
