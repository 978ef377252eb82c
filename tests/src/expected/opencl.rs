//! Built-in functions of OpenCL C (specification, section 6.15) that Rust has under no name of its own.
//!
//! `add_sat`, `sub_sat`, `rotate`, `clz`, `popcount`, `abs_diff` are Rust's `saturating_add`,
//! `saturating_sub`, `rotate_left`, `leading_zeros`, `count_ones` and `abs_diff`; `convert_int_sat(float)`
//! is `as i32`, which truncates, saturates and makes zero of NaN.

use half::f16;

/// Integer built-ins.
pub trait IntegerFunctions: Copy {
    /// The high half of the product.
    fn mul_hi(self, other: Self) -> Self;
    /// `mul_hi` plus a third operand.
    fn mad_hi(self, b: Self, c: Self) -> Self;
    /// The product plus a third operand, saturated.
    fn mad_sat(self, b: Self, c: Self) -> Self;
    /// Half of the sum, rounded down.
    fn hadd(self, other: Self) -> Self;
    /// Half of the sum, rounded up.
    fn rhadd(self, other: Self) -> Self;
    /// The nearest value of the type.
    fn saturate(v: i128) -> Self;
}

macro_rules! integer_functions {
    ($($t:ty),*) => {$(
        impl IntegerFunctions for $t {
            fn mul_hi(self, other: $t) -> $t {
                if <$t>::MIN == 0 {
                    ((self as u128 * other as u128) >> <$t>::BITS) as $t
                } else {
                    ((self as i128 * other as i128) >> <$t>::BITS) as $t
                }
            }
            fn mad_hi(self, b: $t, c: $t) -> $t {
                self.mul_hi(b).wrapping_add(c)
            }
            fn mad_sat(self, b: $t, c: $t) -> $t {
                match (self as i128).checked_mul(b as i128).and_then(|p| p.checked_add(c as i128)) {
                    Some(v) => <$t>::saturate(v),
                    // Two unsigned operands of 64 bits: their product alone is beyond the range.
                    None => <$t>::MAX,
                }
            }
            fn hadd(self, other: $t) -> $t {
                ((self as i128 + other as i128) >> 1) as $t
            }
            fn rhadd(self, other: $t) -> $t {
                ((self as i128 + other as i128 + 1) >> 1) as $t
            }
            fn saturate(v: i128) -> $t {
                v.clamp(<$t>::MIN as i128, <$t>::MAX as i128) as $t
            }
        }
    )*};
}

integer_functions!(u8, i8, u16, i16, u32, i32, u64, i64);

/// Rounds to a half what `x * y + z` is exactly.
pub fn fma16(x: f16, y: f16, z: f16) -> f16 {
    // The product is exact in a double. The sum is rounded to odd, so that rounding it again is right.
    let p = x.to_f64() * y.to_f64();
    f16::from_f64(add_to_odd(p, z.to_f64()))
}

/// A sum whose last bit is set where it is not exact (then a second rounding cannot go wrong).
fn add_to_odd(a: f64, b: f64) -> f64 {
    let sum = a + b;
    if !sum.is_finite() {
        return sum;
    }
    let back = sum - a;
    let error = (a - (sum - back)) + (b - back);
    if error == 0.0 || sum.to_bits() & 1 == 1 {
        return sum;
    }
    // Towards where the exact sum lies.
    let away = (error > 0.0) == (sum > 0.0);
    f64::from_bits(if away { sum.to_bits() + 1 } else { sum.to_bits() - 1 })
}

/// `nextafter` for floats.
pub fn nextafter(x: f32, y: f32) -> f32 {
    if x.is_nan() || y.is_nan() {
        return f32::NAN;
    }
    match x.partial_cmp(&y) {
        Some(std::cmp::Ordering::Less) => x.next_up(),
        Some(std::cmp::Ordering::Greater) => x.next_down(),
        _ => y,
    }
}

/// `frexp`: a fraction of magnitude from 0.5 to below 1, and the power of two.
pub fn frexp(x: f32) -> (f32, i32) {
    if x == 0.0 || !x.is_finite() {
        return (x, 0);
    }
    // A double holds every float as a normal number.
    let bits = f64::from(x).to_bits();
    let exponent = (bits >> 52 & 0x7ff) as i32 - 1022;
    let fraction = f64::from_bits(bits & !(0x7ff << 52) | 1022 << 52);
    (fraction as f32, exponent)
}

/// `ldexp`: correctly rounded.
pub fn ldexp(x: f32, n: i32) -> f32 {
    // Every float times such a power of two is a normal double, or zero or infinity as a float.
    (f64::from(x) * f64::from(n.clamp(-400, 400)).exp2()) as f32
}

/// `fmin`: the other operand where one is NaN.
pub fn fmin(x: f32, y: f32) -> f32 {
    if x.is_nan() || y < x { y } else { x }
}

/// `fmax`: the other operand where one is NaN.
pub fn fmax(x: f32, y: f32) -> f32 {
    if x.is_nan() || y > x { y } else { x }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn high_halves() {
        assert_eq!(i32::MIN.mul_hi(i32::MIN), 0x4000_0000);
        assert_eq!((-1i32).mul_hi(1), -1);
        assert_eq!(u32::MAX.mul_hi(u32::MAX), u32::MAX - 1);
        assert_eq!(u64::MAX.mul_hi(u64::MAX), u64::MAX - 1);
        assert_eq!((-1i64).mul_hi(1), -1);
        assert_eq!(200u8.mul_hi(200), 156);
        assert_eq!((-128i8).mul_hi(127), -64);
        assert_eq!(u32::MAX.mad_hi(u32::MAX, 17), 15);
    }

    #[test]
    fn averages_and_saturation() {
        assert_eq!(i32::MAX.hadd(i32::MAX - 1), i32::MAX - 1);
        assert_eq!(i32::MAX.rhadd(i32::MAX - 1), i32::MAX);
        assert_eq!((-1i8).hadd(0), -1);
        assert_eq!((-1i8).rhadd(0), 0);
        assert_eq!(u32::MAX.mad_sat(2, 3), u32::MAX);
        assert_eq!(u64::MAX.mad_sat(u64::MAX, 3), u64::MAX);
        assert_eq!(i16::MIN.mad_sat(2, 3), i16::MIN);
        assert_eq!(u8::saturate(-3), 0);
        assert_eq!(i8::saturate(300), 127);
    }

    #[test]
    fn half_fma_rounds_once() {
        let h = f16::from_f64;
        assert_eq!(fma16(h(2.0), h(3.0), h(1.0)), h(7.0));
        // 1 + 2^-11 is a tie; a tiny third operand breaks it upwards.
        let tie = h(1.0 + 1.0 / 1024.0);
        let product = tie.to_f64() * tie.to_f64();
        assert_eq!(fma16(tie, tie, f16::ZERO), h(product));
        assert_eq!(fma16(h(2048.0), h(1.0), h(1.0)), h(2048.0));
        assert_eq!(fma16(h(2050.0), h(1.0), h(1.0)), h(2052.0));
        assert_eq!(add_to_odd(1.0, 1e-30).to_bits(), 1f64.to_bits() + 1);
        assert_eq!(add_to_odd(1.0, -1e-30).to_bits(), 1f64.to_bits() - 1);
    }

    #[test]
    fn parts_of_floats() {
        assert_eq!(frexp(8.0), (0.5, 4));
        assert_eq!(frexp(-0.75), (-0.75, 0));
        assert_eq!(frexp(f32::from_bits(1)), (0.5, -148));
        assert_eq!(ldexp(1.0, -149), f32::from_bits(1));
        assert_eq!(ldexp(1.5, 200), f32::INFINITY);
        assert_eq!(ldexp(f32::from_bits(1), 149), 1.0);
        assert_eq!(nextafter(1.0, 2.0), 1.0 + f32::EPSILON);
        assert_eq!(nextafter(0.0, -1.0), -f32::from_bits(1));
        assert_eq!(fmin(f32::NAN, 1.0), 1.0);
        assert_eq!(fmax(2.0, f32::NAN), 2.0);
    }
}
