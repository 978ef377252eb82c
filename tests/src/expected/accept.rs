//! What an element of a buffer may hold after a run.

use half::f16;

/// Values that are right for one element.
#[derive(Clone, Debug, PartialEq)]
pub enum Accept {
    /// These bits alone.
    Bits(u64),
    /// Any NaN of the element's width.
    Nan,
    /// A float from the first to the second, both included.
    Range(f64, f64),
    /// One of these.
    OneOf(Vec<Accept>),
    /// Whatever: nobody defines it, or a check of the whole case looks at it.
    Anything,
}

/// The float that `bits` are, by the element's width in bytes.
fn float(bits: u64, width: usize) -> f64 {
    match width {
        2 => f16::from_bits(bits as u16).to_f64(),
        4 => f64::from(f32::from_bits(bits as u32)),
        _ => f64::from_bits(bits),
    }
}

impl Accept {
    /// Whether an element of `width` bytes may hold `bits`.
    pub fn allows(&self, bits: u64, width: usize) -> bool {
        match self {
            Accept::Bits(b) => *b == bits,
            Accept::Nan => width > 1 && float(bits, width).is_nan(),
            Accept::Range(low, high) => (*low..=*high).contains(&float(bits, width)),
            Accept::OneOf(choices) => choices.iter().any(|c| c.allows(bits, width)),
            Accept::Anything => true,
        }
    }

    /// Text for a report.
    pub fn describe(&self, width: usize) -> String {
        match self {
            Accept::Bits(b) => show(*b, width),
            Accept::OneOf(choices) => {
                choices.iter().map(|c| c.describe(width)).collect::<Vec<_>>().join(" or ")
            }
            Accept::Range(low, high) => format!("{low:e} to {high:e}"),
            other => format!("{other:?}"),
        }
    }
}

/// Bits of an element, in hex and, where it may be one, as a float.
pub fn show(bits: u64, width: usize) -> String {
    match width {
        1 => format!("{bits:#x}"),
        _ => format!("{bits:#x} ({:e})", float(bits, width)),
    }
}

/// A float within `ulps` units in the last place of a single-precision result; a result below the
/// normal range may also be flushed to zero, where the precision is not "correctly rounded" (0).
pub fn ulps(exact: f64, ulps: f64) -> Accept {
    if exact.is_nan() {
        return Accept::Nan;
    }
    if exact.is_infinite() {
        return Accept::Bits((exact as f32).to_bits().into());
    }
    let unit = unit(exact);
    let (mut low, mut high) = (exact - ulps * unit, exact + ulps * unit);
    if exact.abs() < f64::from(f32::MIN_POSITIVE) && ulps > 0.0 {
        (low, high) = (low.min(0.0), high.max(0.0));
    }
    // Rounding the exact value is always right.
    let rounded = f64::from(exact as f32);
    (low, high) = (low.min(rounded), high.max(rounded));
    let top = f64::from(f32::MAX);
    Accept::Range(
        if low < -top { f64::NEG_INFINITY } else { low },
        if high > top { f64::INFINITY } else { high },
    )
}

/// The unit in the last place of a single-precision float, as OpenCL C (7.4) has it.
pub fn unit(exact: f64) -> f64 {
    let exponent = exact.abs().max(f64::from(f32::MIN_POSITIVE)).log2().floor();
    (exponent - 23.0).exp2()
}

/// A float at most `error` away.
pub fn near(exact: f64, error: f64) -> Accept {
    if exact.is_nan() { Accept::Nan } else { Accept::Range(exact - error, exact + error) }
}

/// A sum of products in single precision, in whatever order and with whatever contraction: at most one
/// rounding a product and one an addition.
pub fn dot<const N: usize>(products: [(f32, f32); N]) -> Accept {
    let terms = products.map(|(a, b)| f64::from(a) * f64::from(b));
    let magnitude: f64 = terms.iter().map(|t| t.abs()).sum();
    near(terms.iter().sum(), magnitude * (N + 1) as f64 * f64::from(f32::EPSILON) / 2.0)
}

#[cfg(test)]
mod tests {
    use super::{super::element::either, *};

    #[test]
    fn an_element_is_judged_by_its_width() {
        assert!(Accept::Bits(0x80).allows(0x80, 1));
        assert!(!Accept::Bits(0x80).allows(0x81, 1));
        assert!(Accept::Nan.allows(0x7e00, 2) && !Accept::Nan.allows(0x7c00, 2));
        assert!(Accept::Nan.allows(0xffc0_0001, 4));
        assert!(!Accept::Nan.allows(0xff, 1));
        assert!(Accept::Range(1.0, 2.0).allows(1.5f64.to_bits(), 8));
        assert!(!Accept::Range(1.0, 2.0).allows(f64::NAN.to_bits(), 8));
        assert!(either([1f32, 2.0]).allows(2f32.to_bits().into(), 4));
    }

    #[test]
    fn units_in_the_last_place() {
        assert_eq!(unit(1.0), f64::from(f32::EPSILON));
        assert_eq!(unit(3.9), 2.0 * f64::from(f32::EPSILON));
        assert_eq!(unit(0.0), f64::from(f32::from_bits(1)));
        let two = ulps(1.0, 2.0);
        assert!(two.allows((1.0 + 2.0 * f32::EPSILON).to_bits().into(), 4));
        assert!(!two.allows((1.0 + 3.0 * f32::EPSILON).to_bits().into(), 4));
        assert!(ulps(1e-40, 2.0).allows(0, 4));
        assert!(!ulps(1e-40, 0.0).allows(0, 4));
        assert!(ulps(1e39, 1.0).allows(f32::INFINITY.to_bits().into(), 4));
    }
}
