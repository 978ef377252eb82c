//! Rust values as a buffer's bytes.

use half::f16;

use super::accept::Accept;

/// A type that a buffer can be made of. Arrays stand for vectors: `[f32; 4]` is a `float4` (or a
/// `float3` with its padding).
pub trait Element: Copy {
    /// Bytes of one scalar of it.
    const WIDTH: usize;
    /// Appends its bytes.
    fn put(self, out: &mut Vec<u8>);
    /// Appends what its scalars have to be, when this is what is expected: a NaN may be any NaN.
    fn expect(self, out: &mut Vec<Accept>);
    /// Reads it from as many bytes as it has.
    fn get(bytes: &[u8]) -> Self;
    /// Bytes of it.
    fn size() -> usize;
}

macro_rules! element {
    ($($t:ty, $isnan:expr, $bits:expr;)*) => {$(
        impl Element for $t {
            const WIDTH: usize = size_of::<$t>();
            fn put(self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_le_bytes());
            }
            fn expect(self, out: &mut Vec<Accept>) {
                let (is_nan, bits): (fn($t) -> bool, fn($t) -> u64) = ($isnan, $bits);
                out.push(if is_nan(self) { Accept::Nan } else { Accept::Bits(bits(self)) });
            }
            fn get(bytes: &[u8]) -> Self {
                <$t>::from_le_bytes(bytes.try_into().expect("as many bytes as the type has"))
            }
            fn size() -> usize {
                Self::WIDTH
            }
        }
    )*};
}

element! {
    u8, |_| false, |v| v.into();
    i8, |_| false, |v| (v as u8).into();
    u16, |_| false, |v| v.into();
    i16, |_| false, |v| (v as u16).into();
    u32, |_| false, |v| v.into();
    i32, |_| false, |v| (v as u32).into();
    u64, |_| false, |v| v;
    i64, |_| false, |v| v as u64;
    f16, |v| v.is_nan(), |v| v.to_bits().into();
    f32, |v| v.is_nan(), |v| v.to_bits().into();
    f64, |v| v.is_nan(), |v| v.to_bits();
}

impl<T: Element, const N: usize> Element for [T; N] {
    const WIDTH: usize = T::WIDTH;
    fn put(self, out: &mut Vec<u8>) {
        self.into_iter().for_each(|v| v.put(out));
    }
    fn expect(self, out: &mut Vec<Accept>) {
        self.into_iter().for_each(|v| v.expect(out));
    }
    fn get(bytes: &[u8]) -> Self {
        std::array::from_fn(|k| T::get(&bytes[k * T::size()..(k + 1) * T::size()]))
    }
    fn size() -> usize {
        N * T::size()
    }
}

/// The bytes of a slice.
pub fn bytes_of<T: Element>(values: &[T]) -> Vec<u8> {
    let mut out = Vec::with_capacity(values.len() * T::size());
    values.iter().for_each(|v| v.put(&mut out));
    out
}

/// A buffer's bytes as values.
pub fn values_of<T: Element>(bytes: &[u8]) -> Vec<T> {
    bytes.chunks_exact(T::size()).map(T::get).collect()
}

/// One of several values; a NaN among them stands for all.
pub fn either<T: Element, const N: usize>(values: [T; N]) -> Accept {
    Accept::OneOf(values.into_iter().map(exactly).collect())
}

/// This scalar and no other, but any NaN for a NaN.
pub fn exactly<T: Element>(value: T) -> Accept {
    let mut accept = Vec::with_capacity(1);
    value.expect(&mut accept);
    accept.pop().expect("a scalar")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_bytes_and_back() {
        let values = [[1u16, 2, 3], [4, 5, 0xffff]];
        let bytes = bytes_of(&values);
        assert_eq!(bytes, [1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 0xff, 0xff]);
        assert_eq!(values_of::<[u16; 3]>(&bytes), values);
        let mut accept = Vec::new();
        [f32::NAN, -0.0].expect(&mut accept);
        assert_eq!(accept, [Accept::Nan, Accept::Bits(0x8000_0000)]);
    }
}
