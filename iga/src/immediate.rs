//! Immediates as text: IGA's choice between decimal, hexadecimal and floating-point notation.

use super::columns::{put_decimal, put_hex};
use gen_ir::Type;
use narrow::{low_i8, low_i16, low_i32, low_u16, low_u32, single};
use std::fmt::Write;

/// Writes the value of an immediate, without its type.
pub(super) fn put_immediate(text: &mut String, bits: u64, ty: Type) {
    match ty {
        Type::B => put_signed(text, low_i8(bits).into()),
        Type::W => put_signed(text, low_i16(bits).into()),
        Type::D => put_signed(text, low_i32(bits).into()),
        Type::Q => put_signed(text, bits.cast_signed()),
        Type::F | Type::Tf32 => put_f32(text, low_u32(bits)),
        Type::Df => put_f64(text, bits),
        Type::Hf => put_f16(text, low_u16(bits)),
        _ => put_hex(text, bits, 0),
    }
}

fn put_signed(text: &mut String, value: i64) {
    if value < 0 {
        text.push('-');
    }
    put_decimal(text, value.unsigned_abs());
}

fn put_f32(text: &mut String, bits: u32) {
    let value = f32::from_bits(bits);
    if value.is_nan() {
        put_nan(text, bits.into(), 23, 31);
    } else if !put_float(text, value.into(), |v| single(v) == value) {
        put_hex(text, bits.into(), 0);
    }
}

fn put_f64(text: &mut String, bits: u64) {
    let value = f64::from_bits(bits);
    if value.is_nan() {
        put_nan(text, bits, 52, 63);
    } else if !put_float(text, value, |v| v == value) {
        put_hex(text, bits, 0);
    }
}

fn put_f16(text: &mut String, bits: u16) {
    let value = gen_ir::half_to_f32(bits);
    if value.is_nan() {
        put_nan(text, bits.into(), 10, 15);
    } else if !put_float(text, value.into(), |v| single(v) == value) {
        put_hex(text, bits.into(), 0);
    }
}

/// `-qnan(0x1)`: sign, whether the top bit of the mantissa is set, the rest of it.
fn put_nan(text: &mut String, bits: u64, mantissa: u32, sign: u32) {
    if bits >> sign & 1 != 0 {
        text.push('-');
    }
    text.push_str(if bits >> (mantissa - 1) & 1 != 0 { "qnan(" } else { "snan(" });
    put_hex(text, bits & ((1 << (mantissa - 1)) - 1), 0);
    text.push(')');
}

/// Writes a float in six significant digits, or else in seven with an exponent, if `exact` says that
/// reading it back gives the same value; `false` (and nothing written) if neither does.
fn put_float(text: &mut String, value: f64, exact: impl Fn(f64) -> bool) -> bool {
    if value.is_infinite() {
        text.push_str(if value < 0.0 { "-inf" } else { "inf" });
        return true;
    }
    let start = text.len();
    for write in [put_general, put_scientific] {
        write(text, value);
        if text[start..].parse::<f64>().is_ok_and(&exact) {
            return true;
        }
        text.truncate(start);
    }
    false
}

/// C's `%g`: six significant digits, no trailing zeros, an exponent where it is below -4 or above 5;
/// `.0` is added to what would look like an integer.
fn put_general(text: &mut String, value: f64) {
    let start = text.len();
    let (e, exponent) = put_digits(text, value, 5);
    if (-4..6).contains(&exponent) {
        text.truncate(start);
        let _ = write!(text, "{value:.*}", usize::try_from(5 - exponent).unwrap_or_default());
        if text[start..].contains('.') {
            trim_zeros(text);
        }
        if !text[start..].contains('.') {
            text.push_str(".0");
        }
    } else {
        text.truncate(e);
        trim_zeros(text);
        put_exponent(text, exponent);
    }
}

/// C's `%e`: six digits after the point.
fn put_scientific(text: &mut String, value: f64) {
    let (e, exponent) = put_digits(text, value, 6);
    text.truncate(e);
    put_exponent(text, exponent);
}

/// Writes a float with so many digits behind the point and its exponent; gives the place of that and its value.
fn put_digits(text: &mut String, value: f64, digits: usize) -> (usize, i32) {
    let start = text.len();
    let _ = write!(text, "{value:.digits$e}");
    let e = start + text[start..].find('e').expect("exponential notation has an `e`");
    (e, text[e + 1..].parse().expect("an exponent is a number"))
}

fn trim_zeros(text: &mut String) {
    let kept = text.trim_end_matches('0').trim_end_matches('.').len();
    text.truncate(kept);
}

fn put_exponent(text: &mut String, exponent: i32) {
    text.push('e');
    text.push(if exponent < 0 { '-' } else { '+' });
    let _ = write!(text, "{:02}", exponent.unsigned_abs());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(bits: u64, ty: Type) -> String {
        let mut text = String::new();
        put_immediate(&mut text, bits, ty);
        text
    }

    #[test]
    fn floats_as_iga_writes_them() {
        for (bits, text) in [
            (0x3dcc_cccd, "0.1"),
            (0x3f80_0001, "0x3F800001"),
            (0x7f7f_ffff, "0x7F7FFFFF"),
            (0x0000_0001, "1.4013e-45"),
            (0x7f80_0001, "snan(0x1)"),
            (0xffc0_0001, "-qnan(0x1)"),
            (0xff80_0000, "-inf"),
            (0x4b18_9680, "1e+07"),
            (0x47c3_5000, "100000.0"),
            (0x3727_c5ac, "1e-05"),
            (0x38d1_b717, "0.0001"),
            (0x8000_0000, "-0.0"),
        ] {
            assert_eq!(show(bits, Type::F), text);
        }
        assert_eq!(show(0x4009_21fb_5444_2d18, Type::Df), "0x400921FB54442D18");
        assert_eq!(show(1, Type::Df), "4.94066e-324");
        assert_eq!(show(0x7bff, Type::Hf), "65504.0");
        assert_eq!(show(0x0001, Type::Hf), "0x1");
        assert_eq!(show(0x7c01, Type::Hf), "snan(0x1)");
    }

    #[test]
    fn integers_as_iga_writes_them() {
        assert_eq!(show(0xfffb, Type::W), "-5");
        assert_eq!(show(1 << 63, Type::Q), "-9223372036854775808");
        assert_eq!(show(5, Type::Uq), "0x5");
        assert_eq!(show(0x1234_5678, Type::V), "0x12345678");
    }
}
