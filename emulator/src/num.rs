//! Number formats: half, bfloat16, single, double and the integers, with the rounding modes and
//! denormal control of the EU's control register (PRM volume 7, "Numeric data types", `cr0`).
//!
//! Shared by the EU emulator and the vISA interpreter: this module says what a number *is*, not what
//! an instruction does.
//!
//! Sums, products and roots that are rounded once are in `rounded`.

use narrow::{low_i32, low_u16, low_u32, low_u64, single};

/// Rounding mode, numbered as in `cr0.0[5:4]`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(u8)]
pub enum Round {
    /// To nearest, ties to even.
    #[default]
    Even = 0,
    /// Toward plus infinity.
    Up = 1,
    /// Toward minus infinity.
    Down = 2,
    /// Toward zero.
    Zero = 3,
}

/// A binary floating-point format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Format {
    /// Explicit mantissa bits.
    pub mant: u32,
    /// Exponent bits.
    pub exp: u32,
}

/// IEEE half.
pub const HALF: Format = Format { mant: 10, exp: 5 };
/// bfloat16.
pub const BF16: Format = Format { mant: 7, exp: 8 };
/// IEEE single.
pub const SINGLE: Format = Format { mant: 23, exp: 8 };
/// IEEE double.
pub const DOUBLE: Format = Format { mant: 52, exp: 11 };
/// E5M2, the 8-bit float of `dpas`.
pub const BF8: Format = Format { mant: 2, exp: 5 };
/// TensorFloat-32, kept in the high bits of a dword.
pub const TF32: Format = Format { mant: 10, exp: 8 };

/// Stochastic rounding of a single to a half, of a half to E5M2: the random number is added to the lowest
/// mantissa bits, those that the result has no place for, and the sum is truncated. Denormals are kept, NaNs and
/// infinities pass (vISA specification, "SRND": 13 and 8 random bits).
pub fn stochastic(bits: u64, to: Format, random: u64) -> u64 {
    let from = if to == HALF { SINGLE } else { HALF };
    let spare = from.mant - to.mant;
    let magnitude = bits & (from.sign_bit() - 1);
    if magnitude >= from.infinity() {
        return to.from_f64(from.to_f64(bits), Round::Zero);
    }
    let moved = magnitude + (random & ((1 << spare) - 1));
    if moved >= from.infinity() {
        return to.infinity() | if bits & from.sign_bit() != 0 { to.sign_bit() } else { 0 };
    }
    to.from_f64(from.to_f64(bits & from.sign_bit() | moved), Round::Zero)
}

/// A number before it is rounded.
#[derive(Clone, Copy, Debug)]
pub struct Unrounded {
    /// It is below zero, or a zero of that sign.
    pub negative: bool,
    /// Its magnitude is this, times two to the power of `exp`.
    pub mag: u64,
    /// See `mag`.
    pub exp: i32,
    /// There is something more below the last bit.
    pub sticky: bool,
}

impl Format {
    const fn bias(self) -> i32 {
        (1 << (self.exp - 1)) - 1
    }

    /// Bits of positive infinity.
    pub const fn infinity(self) -> u64 {
        ((1u64 << self.exp) - 1) << self.mant
    }

    /// Bits of the largest finite value.
    pub const fn largest(self) -> u64 {
        self.infinity() - 1
    }

    /// The sign bit.
    pub const fn sign_bit(self) -> u64 {
        1 << (self.mant + self.exp)
    }

    /// A quiet NaN.
    pub const fn quiet_nan(self) -> u64 {
        self.infinity() | 1 << (self.mant - 1)
    }

    /// Whether the bits are a non-zero denormal.
    const fn is_denormal(self, bits: u64) -> bool {
        bits & self.infinity() == 0 && bits & (self.sign_bit() - 1) != 0
    }

    /// The bits with a denormal replaced by zero of its sign.
    pub const fn flush(self, bits: u64) -> u64 {
        if self.is_denormal(bits) { bits & self.sign_bit() } else { bits }
    }

    /// The bits of a number in this format.
    pub fn round(self, number: Unrounded, mode: Round) -> u64 {
        let Unrounded { negative: sign, mag, exp, sticky } = number;
        let s = if sign { self.sign_bit() } else { 0 };
        if mag == 0 {
            // Only a sticky remainder: the tiniest value there is.
            let up = sticky && (mode == Round::Up && !sign || mode == Round::Down && sign);
            return s | u64::from(up);
        }
        let lead = mag.leading_zeros();
        let m = mag << lead;
        // Value = m / 2^63 * 2^e, with 1 <= m / 2^63 < 2.
        let e = exp + 63 - low_i32(lead);
        let min = 1 - self.bias();
        let (shift, mut biased) = if e >= min {
            (63 - self.mant, low_u64(e + self.bias()))
        } else {
            (63 - self.mant + low_u32((min - e).min(64)), 0)
        };
        let (kept, rest, half) = if shift > 64 {
            (0, 1, 2) // Something, and less than half.
        } else if shift == 64 {
            (0, (m >> 1) | (m & 1) | u64::from(sticky), 1 << 62)
        } else {
            let mask = (1u64 << shift) - 1;
            // One more low bit for the sticky remainder.
            let rest = (u128::from(m & mask) << 1) | u128::from(sticky);
            let half = 1u128 << shift;
            let order = match rest.cmp(&half) {
                std::cmp::Ordering::Less if rest == 0 => (0, 2),
                std::cmp::Ordering::Less => (1, 2),
                std::cmp::Ordering::Equal => (2, 2),
                std::cmp::Ordering::Greater => (3, 2),
            };
            (m >> shift, order.0, order.1)
        };
        let up = match mode {
            Round::Even => rest > half || rest == half && kept & 1 != 0,
            Round::Up => !sign && rest != 0,
            Round::Down => sign && rest != 0,
            Round::Zero => false,
        };
        let kept = kept + u64::from(up);
        // Dropping the leading one from normal numbers: a carry out of the mantissa lands in the exponent.
        biased = biased.saturating_sub(1);
        let bits = (biased << self.mant).saturating_add(kept);
        if bits >= self.infinity() {
            let finite = match mode {
                Round::Even => false,
                Round::Up => sign,
                Round::Down => !sign,
                Round::Zero => true,
            };
            return s | if finite { self.largest() } else { self.infinity() };
        }
        s | bits
    }

    /// The nearest value of this format to a double.
    pub fn from_f64(self, x: f64, mode: Round) -> u64 {
        let bits = x.to_bits();
        let sign = bits >> 63 != 0;
        let s = if sign { self.sign_bit() } else { 0 };
        let exp = low_i32(bits >> 52 & 0x7ff);
        let mant = bits & ((1 << 52) - 1);
        match exp {
            0x7ff if mant != 0 => {
                let payload = if self.mant >= 52 { mant } else { mant >> (52 - self.mant) };
                s | self.quiet_nan() | payload
            }
            0x7ff => s | self.infinity(),
            0 if mant == 0 => s,
            0 => self.round(Unrounded { negative: sign, mag: mant, exp: -1074, sticky: false }, mode),
            _ => self.round(
                Unrounded { negative: sign, mag: mant | 1 << 52, exp: exp - 1075, sticky: false },
                mode,
            ),
        }
    }

    /// The value as a double, exactly (formats up to double).
    pub fn to_f64(self, bits: u64) -> f64 {
        let sign = bits & self.sign_bit() != 0;
        let exp = low_i32(bits >> self.mant) & ((1 << self.exp) - 1);
        let mant = bits & ((1 << self.mant) - 1);
        let magnitude = if exp == (1 << self.exp) - 1 {
            if mant == 0 {
                f64::INFINITY
            } else {
                f64::from_bits(DOUBLE.quiet_nan() | mant << (52 - self.mant))
            }
        } else if exp == 0 {
            narrow::to_f64(mant) * exp2i(1 - self.bias() - low_i32(self.mant))
        } else {
            f64::from_bits(low_u64(exp - self.bias() + 1023) << 52 | mant << (52 - self.mant))
        };
        if sign { -magnitude } else { magnitude }
    }

    /// The nearest value of this format to an integer.
    pub fn from_int(self, x: i128, mode: Round) -> u64 {
        let mag = x.unsigned_abs();
        let extra = 64u32.saturating_sub(mag.leading_zeros().min(64));
        let sticky = extra > 0 && mag & ((1u128 << extra) - 1) != 0;
        if mag == 0 {
            return 0;
        }
        self.round(
            Unrounded { negative: x < 0, mag: low_u64(mag >> extra), exp: low_i32(extra), sticky },
            mode,
        )
    }
}

/// 2 to the power `e`, for exponents of normal doubles and the denormals' last place.
pub(crate) fn exp2i(e: i32) -> f64 {
    if e >= -1022 { f64::from_bits(low_u64(e + 1023) << 52) } else { f64::from_bits(1 << (e + 1074).max(0)) }
}

/// Half to single, exact.
pub fn f16_to_f32(bits: u16) -> f32 {
    let sign = u32::from(bits & 0x8000) << 16;
    let exp = u32::from(bits >> 10 & 0x1f);
    let mant = u32::from(bits & 0x3ff);
    match exp {
        0 => {
            let v = narrow::to_f32(mant) * f32::from_bits(0x3380_0000); // 2^-24
            f32::from_bits(v.to_bits() | sign)
        }
        0x1f => f32::from_bits(sign | 0x7f80_0000 | mant << 13 | if mant != 0 { 0x40_0000 } else { 0 }),
        _ => f32::from_bits(sign | (exp + 112) << 23 | mant << 13),
    }
}

/// Single to half.
pub fn f32_to_f16(x: f32, mode: Round) -> u16 {
    low_u16(HALF.from_f64(widen(x), mode))
}

/// bfloat16 to single, exact.
pub fn bf16_to_f32(bits: u16) -> f32 {
    f32::from_bits(u32::from(bits) << 16)
}

/// Single to double, keeping NaN payloads (quieted).
pub fn widen(x: f32) -> f64 {
    f64::from(x)
}

/// Rounds a double to single.
pub fn to_f32(x: f64, mode: Round) -> f32 {
    if mode == Round::Even { single(x) } else { f32::from_bits(low_u32(SINGLE.from_f64(x, mode))) }
}

/// The value of an 8-bit restricted float (`vf` immediates): sign, 3 exponent bits, 4 mantissa bits.
pub fn restricted_float(bits: u8) -> f32 {
    if bits & 0x7f == 0 {
        return if bits != 0 { -0.0 } else { 0.0 };
    }
    let sign = u32::from(bits >> 7) << 31;
    let exp = u32::from(bits >> 4 & 7);
    f32::from_bits(sign | (exp + 124) << 23 | u32::from(bits & 15) << 19)
}

/// A double as an integer between `min` and `max`; beyond them it stops there, NaN gives 0.
#[expect(clippy::as_conversions, reason = "it is rounded, and stops at the ends")]
pub fn to_int(x: f64, mode: Round, min: i128, max: i128) -> i128 {
    if x.is_nan() {
        return 0;
    }
    let r = match mode {
        Round::Even => x.round_ties_even(),
        Round::Up => x.ceil(),
        Round::Down => x.floor(),
        Round::Zero => x.trunc(),
    };
    (r as i128).clamp(min, max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_survive_the_way_through_wider_formats() {
        for bits in 0..=u16::MAX {
            let x = f16_to_f32(bits);
            assert_eq!(f64::from(x).to_bits(), HALF.to_f64(bits.into()).to_bits(), "{bits:#x}");
            let quiet = if x.is_nan() { bits | 0x200 } else { bits };
            for mode in [Round::Even, Round::Up, Round::Down, Round::Zero] {
                assert_eq!(f32_to_f16(x, mode), quiet, "{bits:#x} {mode:?}");
            }
        }
    }

    #[test]
    fn singles_round_as_the_processor_rounds() {
        let mut x = 0x9e37_79b9_7f4a_7c15u64;
        for _ in 0..100_000 {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            // Exponents around those of singles, denormals and overflow included.
            let d = f64::from_bits((x & !(0x7ff << 52)) | (0x380 - 32 + (x >> 52 & 0x13f)) << 52);
            assert_eq!(SINGLE.from_f64(d, Round::Even) as u32, (d as f32).to_bits(), "{d:e}");
        }
    }

    #[test]
    fn directed_rounding_brackets_the_value() {
        let third = 1.0f64 / 3.0;
        let down = to_f32(third, Round::Down);
        let up = to_f32(third, Round::Up);
        assert!(f64::from(down) < third && third < f64::from(up));
        assert_eq!(down.to_bits() + 1, up.to_bits());
        assert_eq!(to_f32(-third, Round::Zero), -down);
        assert_eq!(to_f32(1e300, Round::Zero), f32::MAX);
        assert_eq!(to_f32(1e300, Round::Up), f32::INFINITY);
        assert_eq!(to_f32(1e-300, Round::Up).to_bits(), 1);
        assert_eq!(f32_to_f16(1.0 + 1.0 / 2048.0, Round::Even), 0x3c00);
        assert_eq!(f32_to_f16(1.0 + 3.0 / 2048.0, Round::Even), 0x3c02);
    }

    #[test]
    fn integers_round_to_floats() {
        for x in [0i128, 1, -1, 0x0100_0001, 0x01ff_ffff, i64::MAX.into(), i64::MIN.into(), u64::MAX.into()] {
            assert_eq!(SINGLE.from_int(x, Round::Even) as u32, narrow::to_f32(x).to_bits(), "{x}");
            assert_eq!(DOUBLE.from_int(x, Round::Even), (x as f64).to_bits(), "{x}");
        }
        assert_eq!(SINGLE.from_int(0x01ff_ffff, Round::Zero) as u32, 33554430f32.to_bits());
        assert_eq!(HALF.from_int(70000, Round::Even), 0x7c00);
        assert_eq!(HALF.from_int(70000, Round::Zero), 0x7bff);
    }

    #[test]
    fn restricted_floats_cover_their_range() {
        // PRM: 0x30 is one, 0x48 is three... exponent bias 3, four mantissa bits.
        assert_eq!(restricted_float(0x30), 1.0);
        assert_eq!(restricted_float(0x48), 3.0);
        assert_eq!(restricted_float(0xb0), -1.0);
        assert_eq!(restricted_float(0x7f), 31.0);
        assert_eq!(restricted_float(0x80).to_bits(), (-0.0f32).to_bits());
    }
}
