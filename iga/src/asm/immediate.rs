//! Numbers in assembly: constant expressions and the immediates they stand for.

use super::{cursor::Cursor, token::Token};
use gen_ir::Type;
use narrow::{low_u16, low_u32, low_u64, ones, single, to_i32, to_u16};

/// A value before its type is known.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Value {
    /// An integer; `raw` when it was written in hexadecimal or binary and may stand for float bits.
    Int { value: i128, raw: bool },
    /// A float.
    Float(f64),
    /// A NaN with a payload.
    Nan { negative: bool, quiet: bool, payload: u64 },
}

impl Cursor<'_> {
    /// A constant expression: numbers, `+ - * / % << >> & ^ |`, `- ~` and parentheses.
    pub(super) fn value(&mut self) -> Option<Value> {
        self.binary(0, 0)
    }

    /// A constant expression that must be an integer of 32 bits.
    pub(super) fn dword(&mut self, what: &str) -> Option<u32> {
        let at = self.here();
        match self.value()? {
            Value::Int { value, .. } if (-(1 << 31)..1i128 << 32).contains(&value) => Some(low_u32(value)),
            Value::Int { value, .. } => {
                self.error_at(at, value.to_string(), "an integer of 32 bits");
                None
            }
            _ => {
                self.error_at(at, "a float".into(), what);
                None
            }
        }
    }

    fn operator(&self) -> Option<(u8, Token<'static>)> {
        Some(match self.peek() {
            Token::Bar => (1, Token::Bar),
            Token::Caret => (2, Token::Caret),
            Token::Amp => (3, Token::Amp),
            Token::ShiftLeft => (4, Token::ShiftLeft),
            Token::ShiftRight => (4, Token::ShiftRight),
            Token::Plus => (5, Token::Plus),
            Token::Minus => (5, Token::Minus),
            Token::Star => (6, Token::Star),
            Token::Slash => (6, Token::Slash),
            Token::Percent => (6, Token::Percent),
            _ => return None,
        })
    }

    fn binary(&mut self, above: u8, depth: u32) -> Option<Value> {
        let mut left = self.unary(depth)?;
        while let Some((strength, operator)) = self.operator().filter(|o| o.0 > above) {
            let at = self.here();
            self.advance();
            let right = self.binary(strength, depth)?;
            let (Value::Int { value: a, raw }, Value::Int { value: b, raw: also }) = (left, right) else {
                self.error_at(at, "an operator on floats".into(), "integers on both sides");
                return None;
            };
            let value = match operator {
                Token::Bar => Some(a | b),
                Token::Caret => Some(a ^ b),
                Token::Amp => Some(a & b),
                Token::ShiftLeft => u32::try_from(b).ok().filter(|&b| b < 64).map(|b| a << b),
                Token::ShiftRight => u32::try_from(b).ok().filter(|&b| b < 64).map(|b| a >> b),
                Token::Plus => a.checked_add(b),
                Token::Minus => a.checked_sub(b),
                Token::Star => a.checked_mul(b),
                Token::Slash => a.checked_div(b),
                _ => a.checked_rem(b),
            };
            match value.filter(|v| v.unsigned_abs() <= u64::MAX.into()) {
                Some(value) => left = Value::Int { value, raw: raw | also },
                None => {
                    self.error_at(at, "an expression without a value".into(), "a value of 64 bits");
                    return None;
                }
            }
        }
        Some(left)
    }

    fn unary(&mut self, depth: u32) -> Option<Value> {
        const DEEPEST: u32 = 64;
        if depth > DEEPEST {
            return self.unexpected("an expression that is nested less deeply");
        }
        match self.peek() {
            Token::Minus => {
                self.advance();
                Some(match self.unary(depth + 1)? {
                    Value::Int { value, raw } => Value::Int { value: -value, raw },
                    Value::Float(v) => Value::Float(-v),
                    Value::Nan { negative, quiet, payload } => {
                        Value::Nan { negative: !negative, quiet, payload }
                    }
                })
            }
            Token::Tilde => {
                self.advance();
                match self.unary(depth + 1)? {
                    Value::Int { value, raw } => Some(Value::Int { value: !value, raw }),
                    _ => self.unexpected("an integer"),
                }
            }
            Token::LParen => {
                self.advance();
                let value = self.binary(0, depth + 1)?;
                self.expect(Token::RParen, "`)`")?;
                Some(value)
            }
            Token::Int(text) => self.integer(text),
            Token::Float(text) => match text.parse() {
                Ok(value) => {
                    self.advance();
                    Some(Value::Float(value))
                }
                Err(_) => self.unexpected("a number"),
            },
            Token::Word("inf") => {
                self.advance();
                Some(Value::Float(f64::INFINITY))
            }
            Token::Word("nan") => {
                self.advance();
                Some(Value::Nan { negative: false, quiet: true, payload: 1 })
            }
            Token::Word(word @ ("qnan" | "snan")) => {
                self.advance();
                self.expect(Token::LParen, "`(` and the payload")?;
                let payload = self.dword_or_more()?;
                self.expect(Token::RParen, "`)`")?;
                Some(Value::Nan { negative: false, quiet: word == "qnan", payload })
            }
            _ => self.unexpected("a register or a number"),
        }
    }

    fn dword_or_more(&mut self) -> Option<u64> {
        match self.unary(0)? {
            Value::Int { value, .. } => u64::try_from(value).ok(),
            _ => self.unexpected("an integer"),
        }
    }

    fn integer(&mut self, text: &str) -> Option<Value> {
        let (digits, radix) = match text.get(..2) {
            Some("0x" | "0X") => (&text[2..], 16),
            Some("0b" | "0B") => (&text[2..], 2),
            _ => (text, 10),
        };
        match u64::from_str_radix(digits, radix) {
            Ok(value) => {
                self.advance();
                Some(Value::Int { value: value.into(), raw: radix != 10 })
            }
            Err(_) => self.unexpected("an integer of 64 bits"),
        }
    }

    /// The bits of a value as an immediate of type `ty`; `at` is where it stands.
    pub(super) fn immediate_bits(&mut self, at: usize, value: Value, ty: Type) -> Option<u64> {
        let width = match ty {
            Type::V | Type::Uv | Type::Vf => 32,
            _ => ty.bytes() * 8,
        };
        let mask = ones(width);
        let float = matches!(ty, Type::F | Type::Hf | Type::Df | Type::Bf | Type::Tf32);
        match value {
            Value::Int { raw: false, .. } if float => {
                self.error_at(at, "a decimal integer".into(), "a float, or its bits in hexadecimal");
                None
            }
            Value::Int { value, .. } => {
                let bound = 1i128 << width;
                if value < -(bound / 2) || value >= bound {
                    let allowed = format!("{} to {}", -(bound / 2), bound - 1);
                    self.error_at(at, value.to_string(), &allowed);
                    return None;
                }
                Some(low_u64(value) & mask)
            }
            Value::Float(v) => match ty {
                Type::F => Some(single(v).to_bits().into()),
                Type::Df => Some(v.to_bits()),
                Type::Hf => Some(f32_to_half(single(v)).into()),
                _ => {
                    self.error_at(at, "a float".into(), "an integer, as the type says");
                    None
                }
            },
            Value::Nan { negative, quiet, payload } => {
                let mantissa = match ty {
                    Type::F => 23,
                    Type::Df => 52,
                    Type::Hf => 10,
                    _ => {
                        self.error_at(at, "a float".into(), "an integer, as the type says");
                        return None;
                    }
                };
                let quiet_bit = 1 << (mantissa - 1);
                if payload >= quiet_bit || (payload == 0 && !quiet) {
                    self.error_at(at, format!("a NaN payload of {payload:#x}"), "one that fits the type");
                    return None;
                }
                let exponent = (mask >> 1) & !((1 << mantissa) - 1);
                let sign = u64::from(negative) << (width - 1);
                Some(sign | exponent | u64::from(quiet) << (mantissa - 1) | payload)
            }
        }
    }
}

/// The half float nearest to `value`, ties to even.
fn f32_to_half(value: f32) -> u16 {
    let bits = value.to_bits();
    let sign = low_u16(bits >> 16) & 0x8000;
    let magnitude = bits & 0x7fff_ffff;
    if magnitude >= 0x7f80_0000 {
        return sign | if magnitude == 0x7f80_0000 { 0x7c00 } else { 0x7e00 };
    }
    // Scaled so that one unit in the last place of the result is an integer, of 11 bits at most; exact in double precision.
    let exponent = to_i32(magnitude >> 23) - 127;
    let ulp = exponent.max(-14) - 10;
    let scaled = f64::from(f32::from_bits(magnitude)) * 2f64.powi(-ulp);
    let mantissa = half_mantissa(scaled);
    // A carry out of the mantissa goes into the exponent, up to infinity.
    match exponent {
        16.. => sign | 0x7c00,
        -14.. => sign | ((to_u16(exponent + 14) << 10) + mantissa),
        _ => sign | mantissa,
    }
}

/// The integer nearest to a number below 2048, ties to even.
#[expect(clippy::as_conversions, reason = "between 0 and 2048")]
fn half_mantissa(scaled: f64) -> u16 {
    scaled.round_ties_even() as u16
}

#[cfg(test)]
mod tests {
    use super::*;
    use gen_ir::half_to_f32;

    #[test]
    fn halves_survive_both_ways() {
        for bits in 0..=u16::MAX {
            let value = half_to_f32(bits);
            if !value.is_nan() {
                assert_eq!(f32_to_half(value), bits, "{bits:#06x}");
            }
        }
        assert_eq!(f32_to_half(1.51234), 0x3e0d);
        assert_eq!(f32_to_half(65520.0), 0x7c00);
        assert_eq!(f32_to_half(65519.0), 0x7bff);
        assert_eq!(f32_to_half(1e-9), 0);
    }
}
