//! Constant expressions, and numbers in their ranges.

use std::ops::RangeInclusive;

use narrow::low_u32;

use super::{
    lexer::Tok,
    parser::{Parsed, Parser},
};
use crate::model::attr_value;

/// Nesting of parentheses in constant expressions.
const MAX_NESTING: u32 = 64;

/// A binary operator; `None` for a division by zero.
type Apply = fn(i64, i64) -> Option<i64>;

impl<'s> Parser<'s> {
    /// A constant expression.
    pub(super) fn int_exp(&mut self) -> Parsed<i64> {
        self.nesting += 1;
        if self.nesting > MAX_NESTING {
            self.nesting = 0;
            return self.fail(format!("constant expressions nest at most {MAX_NESTING} deep"));
        }
        let condition = self.binary(0)?;
        let value = if self.eat(Tok::Question) {
            let (a, b) = (self.binary(0)?, {
                self.expect(Tok::Colon, "`:`")?;
                self.int_exp()?
            });
            if condition != 0 { a } else { b }
        } else {
            condition
        };
        self.nesting = self.nesting.saturating_sub(1);
        Ok(value)
    }

    /// A constant expression without comparisons, for places where `>` closes a bracket.
    pub(super) fn int_exp_closed(&mut self) -> Parsed<i64> {
        self.binary(4)
    }

    /// Binary operators from `level` up: `&`, `^`, `|`, comparisons, shifts, sums, products.
    fn binary(&mut self, level: u8) -> Parsed<i64> {
        if level == 7 {
            return self.unary();
        }
        let mut left = self.binary(level + 1)?;
        loop {
            let pair = |p: &Self, a, b| p.peek() == a && p.peek_at(1) == b && p.glued(1);
            let (tokens, apply): (usize, Apply) = match (level, self.peek()) {
                (0, Tok::Amp) => (1, |a, b| Some(a & b)),
                (1, Tok::Caret) => (1, |a, b| Some(a ^ b)),
                (2, Tok::Pipe) => (1, |a, b| Some(a | b)),
                (3, _) if pair(self, Tok::Eq, Tok::Eq) => (2, |a, b| Some((a == b).into())),
                (3, _) if pair(self, Tok::Bang, Tok::Eq) => (2, |a, b| Some((a != b).into())),
                (3, _) if pair(self, Tok::Lt, Tok::Eq) => (2, |a, b| Some((a <= b).into())),
                (3, _) if pair(self, Tok::Gt, Tok::Eq) => (2, |a, b| Some((a >= b).into())),
                (3, Tok::Lt) => (1, |a, b| Some((a < b).into())),
                (3, Tok::Gt) => (1, |a, b| Some((a > b).into())),
                (4, _) if pair(self, Tok::Lt, Tok::Lt) => (2, |a, b| Some(a.wrapping_shl(low_u32(b)))),
                (4, _) if pair(self, Tok::Gt, Tok::Gt) && self.peek_at(2) == Tok::Gt && self.glued(2) => {
                    (3, |a, b| Some(a.cast_unsigned().wrapping_shr(low_u32(b)).cast_signed()))
                }
                (4, _) if pair(self, Tok::Gt, Tok::Gt) => (2, |a, b| Some(a.wrapping_shr(low_u32(b)))),
                (5, Tok::Plus) => (1, |a, b| Some(a.wrapping_add(b))),
                (5, Tok::Minus) => (1, |a, b| Some(a.wrapping_sub(b))),
                (6, Tok::Star) => (1, |a, b| Some(a.wrapping_mul(b))),
                (6, Tok::Slash) => (1, |a, b| (b != 0).then(|| a.wrapping_div(b))),
                (6, Tok::Percent) => (1, |a, b| (b != 0).then(|| a.wrapping_rem(b))),
                _ => return Ok(left),
            };
            let operator = self.token();
            self.at += tokens;
            let right = self.binary(level + 1)?;
            left = match apply(left, right) {
                Some(value) => value,
                None => {
                    return self.fail_at(operator.range(), "division by zero");
                }
            };
        }
    }

    /// `-x`, `~x`, `!x`, a literal, `(x)`, a number by name.
    pub(super) fn unary(&mut self) -> Parsed<i64> {
        let mut operators = Vec::new();
        while let Tok::Minus | Tok::Tilde | Tok::Bang = self.peek() {
            operators.push(self.peek());
            self.at += 1;
        }
        let mut value = self.primary()?;
        for op in operators.into_iter().rev() {
            value = match op {
                Tok::Minus => value.wrapping_neg(),
                Tok::Tilde => !value,
                _ => (value == 0).into(),
            };
        }
        Ok(value)
    }

    /// Whether a number by name is next.
    pub(super) fn at_number_name(&self) -> bool {
        matches!(self.slice(), "%sizeof" | "%DispatchSimd")
    }

    /// A literal, `(x)`, `%sizeof v` or `%DispatchSimd`.
    pub(super) fn primary(&mut self) -> Parsed<i64> {
        match self.peek() {
            Tok::Int | Tok::Hex => self.literal(),
            Tok::LParen => {
                self.at += 1;
                let value = self.int_exp()?;
                self.expect(Tok::RParen, "`)`")?;
                Ok(value)
            }
            Tok::Builtin if self.slice() == "%sizeof" => {
                self.at += 1;
                let paren = self.eat(Tok::LParen);
                let value = self.size_of()?;
                if paren {
                    self.expect(Tok::RParen, "`)`")?;
                }
                Ok(value)
            }
            Tok::Builtin if self.slice() == "%DispatchSimd" => {
                let simd = self.intern(b"SimdSize");
                let value = self.kernel_attrs.iter().find(|a| a.0 == simd).and_then(|a| attr_value(&a.1));
                let Some(lanes) = value else {
                    return self.fail("%DispatchSimd is known behind `.kernel_attr SimdSize`");
                };
                self.at += 1;
                Ok(lanes.into())
            }
            _ => self.expected("a number"),
        }
    }

    fn size_of(&mut self) -> Parsed<i64> {
        let name = self.slice();
        if name == "GRF" && self.symbols.find(name).is_none() {
            self.at += 1;
            return Ok(self.options.grf_bytes.into());
        }
        let var = self.general_name()?;
        let kernel = self.k()?;
        Ok(kernel.var(var).map_or(0, |v| v.bytes().into()))
    }

    /// A decimal or hexadecimal literal of up to 64 bits.
    fn literal(&mut self) -> Parsed<i64> {
        let text = self.slice();
        let parsed = match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
            Some(hex) => u64::from_str_radix(hex, 16),
            None => text.parse::<u64>(),
        };
        match parsed {
            Ok(value) => {
                self.at += 1;
                Ok(value.cast_signed())
            }
            Err(_) => self.fail(format!("`{text}` does not fit into 64 bits")),
        }
    }

    /// A fault of all that has been read since a place.
    #[cold]
    pub(super) fn fail_since<T>(&mut self, start: usize, message: impl Into<String>) -> Parsed<T> {
        let end = self.tokens[self.at - 1].range().end;
        self.fail_at(start..end, message)
    }

    /// A number as it stands, where what follows may begin with a sign.
    pub(super) fn plain_int_in<T: TryFrom<i64>>(
        &mut self,
        range: RangeInclusive<i64>,
        what: &str,
    ) -> Parsed<T> {
        let start = self.token().at();
        let value = self.literal()?;
        self.in_range(start, value, range, what)
    }

    /// A constant expression with a value in a range.
    pub(super) fn int_in<T: TryFrom<i64>>(&mut self, range: RangeInclusive<i64>, what: &str) -> Parsed<T> {
        let start = self.token().at();
        let value = self.int_exp()?;
        self.in_range(start, value, range, what)
    }

    pub(super) fn in_range<T: TryFrom<i64>>(
        &mut self,
        start: usize,
        value: i64,
        range: RangeInclusive<i64>,
        what: &str,
    ) -> Parsed<T> {
        if range.contains(&value)
            && let Ok(value) = T::try_from(value)
        {
            return Ok(value);
        }
        self.fail_since(start, format!("{what} is {value}, allowed: {} to {}", range.start(), range.end()))
    }
}
