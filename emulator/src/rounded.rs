//! Arithmetic whose results are rounded once, in a rounding mode.
//!
//! Single and half arithmetic goes through double precision "rounded to odd": a result that is not
//! exact gets its last bit set. Double has more than two bits beyond single, so rounding such a value
//! once more, in any mode, gives what rounding the exact result gives (Boldo and Melquiond, 2008).

use narrow::low_u64;
use rustc_apfloat::{Float, Round as ApRound, ieee::Double};

use crate::num::{Round, exp2i};

/// A sum as it is rounded to nearest, and how much is missing: rounded to odd.
fn odd(sum: f64, error: f64) -> f64 {
    if error == 0.0 || !sum.is_finite() || sum.to_bits() & 1 != 0 {
        return sum;
    }
    // The exact value lies beyond `sum` on the error's side: its odd neighbour there is the answer.
    let bits = sum.to_bits();
    if sum == 0.0 {
        return error;
    }
    let away = (error > 0.0) == (sum > 0.0);
    f64::from_bits(if away { bits + 1 } else { bits - 1 })
}

/// `a + b` rounded to odd.
pub fn add_odd(a: f64, b: f64) -> f64 {
    let s = a + b;
    let bb = s - a;
    let error = (a - (s - bb)) + (b - bb);
    if error.is_nan() { s } else { odd(s, error) }
}

/// A sum rounded to odd, with the zero of its rounding mode: terms that cancel leave -0 where rounding goes down
/// (IEEE 754, "The sign bit").
pub fn add_odd_in(a: f64, b: f64, mode: Round) -> f64 {
    let sum = add_odd(a, b);
    let both_positive = a.is_sign_positive() && b.is_sign_positive();
    if sum == 0.0 && mode == Round::Down && !both_positive { -0.0 } else { sum }
}

/// `a * b + c` rounded to odd, for single-precision values (whose product a double holds exactly).
pub fn fma_odd(a: f64, b: f64, c: f64) -> f64 {
    add_odd(a * b, c)
}

/// Square root rounded to odd.
pub fn sqrt_odd(a: f64) -> f64 {
    let r = a.sqrt();
    odd(r, (-r).mul_add(r, a))
}

/// `a / b` rounded to odd.
pub fn div_odd(a: f64, b: f64) -> f64 {
    let q = a / b;
    if !q.is_finite() || b.is_infinite() {
        return q;
    }
    let remainder = (-q).mul_add(b, a);
    odd(q, if b < 0.0 { -remainder } else { remainder })
}

fn ap(mode: Round) -> ApRound {
    match mode {
        Round::Even => ApRound::NearestTiesToEven,
        Round::Up => ApRound::TowardPositive,
        Round::Down => ApRound::TowardNegative,
        Round::Zero => ApRound::TowardZero,
    }
}

fn dbl(x: f64) -> Double {
    Double::from_bits(u128::from(x.to_bits()))
}

fn undbl(x: Double) -> f64 {
    f64::from_bits(low_u64(x.to_bits()))
}

/// Double addition in a rounding mode.
pub fn add_f64(a: f64, b: f64, mode: Round) -> f64 {
    if mode == Round::Even { a + b } else { undbl(dbl(a).add_r(dbl(b), ap(mode)).value) }
}

/// Double multiplication in a rounding mode.
pub fn mul_f64(a: f64, b: f64, mode: Round) -> f64 {
    if mode == Round::Even { a * b } else { undbl(dbl(a).mul_r(dbl(b), ap(mode)).value) }
}

/// Double fused multiply-add in a rounding mode.
pub fn fma_f64(a: f64, b: f64, c: f64, mode: Round) -> f64 {
    if mode == Round::Even {
        a.mul_add(b, c)
    } else {
        undbl(dbl(a).mul_add_r(dbl(b), dbl(c), ap(mode)).value)
    }
}

/// Double division in a rounding mode.
pub fn div_f64(a: f64, b: f64, mode: Round) -> f64 {
    if mode == Round::Even { a / b } else { undbl(dbl(a).div_r(dbl(b), ap(mode)).value) }
}

/// Double square root in a rounding mode.
pub fn sqrt_f64(a: f64, mode: Round) -> f64 {
    let root = a.sqrt();
    if !root.is_finite() || root == 0.0 {
        return root;
    }
    // Scaled, so that the error of the square is no denormal.
    let (up, half) = if a < exp2i(-500) { (exp2i(300), exp2i(150)) } else { (1.0, 1.0) };
    let scaled = root * half;
    let error = (-scaled).mul_add(scaled, a * up);
    match mode {
        Round::Up if error > 0.0 => root.next_up(),
        Round::Down | Round::Zero if error < 0.0 => root.next_down(),
        _ => root,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_rounding_gives_the_fused_result() {
        let mut x = 0x1234_5678_9abc_def1u64;
        let mut next = || {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            f32::from_bits((x as u32 & 0x807f_ffff) | (100 + (x >> 40 & 0x3f) as u32) << 23)
        };
        for _ in 0..100_000 {
            let (a, b, c) = (next(), next(), next());
            let wide = fma_odd(a.into(), b.into(), c.into());
            assert_eq!((wide as f32).to_bits(), a.mul_add(b, c).to_bits(), "{a:e} {b:e} {c:e}");
            let q = div_odd(a.into(), b.into());
            assert_eq!((q as f32).to_bits(), (a / b).to_bits());
        }
    }

    #[test]
    fn quotients_and_roots_of_doubles_are_bracketed() {
        for a in [2.0, 3.0, 0.1, 1e-310, 1.5e-323, 1e300, 4.0] {
            let [even, up, down, zero] =
                [Round::Even, Round::Up, Round::Down, Round::Zero].map(|mode| sqrt_f64(a, mode));
            assert_eq!(even, a.sqrt());
            assert!(down == zero && (even == up || even == down), "{a}");
            assert!(if a == 4.0 { up == down } else { up == down.next_up() }, "{a}");
            let [up, down] = [Round::Up, Round::Down].map(|mode| div_f64(a, 0.7, mode));
            assert!(up == down.next_up() && (a / 0.7 == up || a / 0.7 == down), "{a}");
        }
    }

    #[test]
    fn what_cancels_has_the_zero_of_its_rounding() {
        for mode in [Round::Even, Round::Up, Round::Down, Round::Zero] {
            for (a, b) in [(1.5, -1.5), (0.0, -0.0), (0.0, 0.0), (-0.0, -0.0)] {
                let doubles = add_f64(a, b, mode).to_bits();
                assert_eq!(add_odd_in(a, b, mode).to_bits(), doubles, "{a} + {b}, {mode:?}");
            }
        }
    }
}
