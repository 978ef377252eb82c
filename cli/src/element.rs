//! Number types of values and printed elements.

use emulator::num;
use narrow::{low_i64, low_u16, low_u32, low_u64, single, to_f32, to_f64, to_u32};

/// Number types of values and printed elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    /// Unsigned, of so many bytes.
    Unsigned(usize),
    /// Signed, of so many bytes.
    Signed(usize),
    /// Float, of so many bytes.
    Float(usize),
}

impl Element {
    pub fn parse(text: &str) -> Option<Element> {
        let bits: usize = text.get(1..)?.parse().ok()?;
        let bytes = matches!(bits, 8 | 16 | 32 | 64).then_some(bits / 8)?;
        match text.as_bytes().first()? {
            b'u' => Some(Element::Unsigned(bytes)),
            b'i' => Some(Element::Signed(bytes)),
            b'f' if bytes > 1 => Some(Element::Float(bytes)),
            _ => None,
        }
    }

    /// Bytes of one element.
    pub fn bytes(self) -> usize {
        match self {
            Element::Unsigned(n) | Element::Signed(n) | Element::Float(n) => n,
        }
    }

    /// The little-endian bytes of a number in text.
    pub fn encode(self, text: &str) -> Result<Vec<u8>, String> {
        let bad = || format!("`{text}` is no number of this type");
        let n = self.bytes();
        let integer = |text: &str| {
            let (digits, negative) = text.strip_prefix('-').map_or((text, false), |d| (d, true));
            let magnitude = match digits.strip_prefix("0x") {
                Some(hex) => i128::from_str_radix(hex, 16).ok()?,
                None => digits.parse::<i128>().ok()?,
            };
            Some(if negative { -magnitude } else { magnitude })
        };
        let fits =
            |v: i128, low: i128, high: i128| if (low..=high).contains(&v) { Ok(v) } else { Err(bad()) };
        let bits = 8 * to_u32(n);
        let value = match self {
            Element::Unsigned(_) => low_u64(fits(integer(text).ok_or_else(bad)?, 0, (1 << bits) - 1)?),
            Element::Signed(_) => {
                low_u64(fits(integer(text).ok_or_else(bad)?, -(1 << (bits - 1)), (1 << (bits - 1)) - 1)?)
            }
            Element::Float(2) => num::f32_to_f16(text.parse().map_err(|_| bad())?, num::Round::Even).into(),
            Element::Float(4) => u64::from(text.parse::<f32>().map_err(|_| bad())?.to_bits()),
            Element::Float(_) => text.parse::<f64>().map_err(|_| bad())?.to_bits(),
        };
        Ok(value.to_le_bytes()[..n].to_vec())
    }

    /// A whole number; integers keep its low bits.
    pub fn whole_number(self, number: i64) -> Vec<u8> {
        let bits = match self {
            Element::Unsigned(_) | Element::Signed(_) => low_u64(number),
            Element::Float(2) => num::f32_to_f16(to_f32(number), num::Round::Even).into(),
            Element::Float(4) => u64::from(to_f32(number).to_bits()),
            Element::Float(_) => to_f64(number).to_bits(),
        };
        bits.to_le_bytes()[..self.bytes()].to_vec()
    }

    /// A number of random bits: a float from 0 to 1, or any integer.
    pub fn random_number(self, bits: u64) -> Vec<u8> {
        // As many bits as each type of float holds exactly.
        let part = |digits: u32| to_f64(bits >> (64 - digits)) / to_f64(1u64 << digits);
        let bits = match self {
            Element::Unsigned(_) | Element::Signed(_) => bits,
            Element::Float(2) => num::f32_to_f16(single(part(11)), num::Round::Even).into(),
            Element::Float(4) => u64::from(single(part(24)).to_bits()),
            Element::Float(_) => part(53).to_bits(),
        };
        bits.to_le_bytes()[..self.bytes()].to_vec()
    }

    /// An element as JSON: a number, or text where JSON has no such number (not a number, infinite).
    pub fn json(self, bytes: &[u8]) -> serde_json::Value {
        let text = self.show(bytes);
        text.parse::<serde_json::Number>().map_or_else(|_| text.into(), serde_json::Value::Number)
    }

    /// An element's text.
    pub fn show(self, bytes: &[u8]) -> String {
        let mut wide = [0; 8];
        wide[..bytes.len()].copy_from_slice(bytes);
        let raw = u64::from_le_bytes(wide);
        let shift = 64 - 8 * to_u32(self.bytes());
        match self {
            Element::Unsigned(_) => raw.to_string(),
            Element::Signed(_) => (low_i64(raw << shift) >> shift).to_string(),
            Element::Float(2) => num::f16_to_f32(low_u16(raw)).to_string(),
            Element::Float(4) => f32::from_bits(low_u32(raw)).to_string(),
            Element::Float(_) => f64::from_bits(raw).to_string(),
        }
    }
}
