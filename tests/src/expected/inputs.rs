//! Inputs for kernels: the edges of a type first, then values from a fixed seed.

use crate::splitmix::SplitMix;
use half::f16;

/// An integer type of OpenCL C, with its edges.
pub trait Integer: Copy + 'static {
    /// Zero, one, the ends of the range, bit patterns.
    const EDGES: &'static [Self];
    /// The low bits of a random number.
    fn from_bits(bits: u64) -> Self;
    /// A small number, of either sign where the type has one.
    fn small(bits: u64) -> Self;
}

macro_rules! integer {
    ($($u:ident $i:ident $pattern:literal),*) => {$(
        impl Integer for $u {
            const EDGES: &'static [$u] = &[0, 1, 2, 3, 7, $u::MAX, $u::MAX - 1, $u::MAX / 2, $u::MAX / 2 + 1, $pattern];
            fn from_bits(bits: u64) -> $u {
                bits as $u
            }
            fn small(bits: u64) -> $u {
                (bits % 100) as $u
            }
        }
        impl Integer for $i {
            const EDGES: &'static [$i] = &[0, 1, -1, 2, -2, $i::MAX, $i::MIN, $i::MAX - 1, $i::MIN + 1, $pattern];
            fn from_bits(bits: u64) -> $i {
                bits as $i
            }
            fn small(bits: u64) -> $i {
                (bits % 200) as $i - 100
            }
        }
    )*};
}

impl Integer for u8 {
    const EDGES: &'static [u8] = &[0, 1, 2, 3, 7, 255, 254, 127, 128, 0x55];
    fn from_bits(bits: u64) -> u8 {
        bits as u8
    }
    fn small(bits: u64) -> u8 {
        (bits % 100) as u8
    }
}

impl Integer for i8 {
    const EDGES: &'static [i8] = &[0, 1, -1, 2, -2, 127, -128, 126, -127, 0x55];
    fn from_bits(bits: u64) -> i8 {
        bits as i8
    }
    fn small(bits: u64) -> i8 {
        (bits % 100) as i8 - 50
    }
}

integer!(u16 i16 0x5a3c, u32 i32 0x5a3c_96f0, u64 i64 0x5a3c_96f0_1234_5678);

/// A float type of OpenCL C.
pub trait Float: Copy {
    /// The nearest value of the type.
    fn from_f64(v: f64) -> Self;
    /// Zeros, ones, halves, denormals, the ends of the range, infinities and NaN.
    fn edges() -> Vec<Self>;
}

/// What all float types have on their edge, beside the four values that depend on the type.
fn float_edges<T: Float>(special: [T; 4]) -> Vec<T> {
    let common =
        [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.5, 0.1, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 1000.0];
    common.into_iter().map(T::from_f64).chain(special).collect()
}

impl Float for f32 {
    fn from_f64(v: f64) -> f32 {
        v as f32
    }
    fn edges() -> Vec<f32> {
        float_edges([f32::MIN_POSITIVE, -1e-40, f32::MAX, f32::MIN])
    }
}

impl Float for f64 {
    fn from_f64(v: f64) -> f64 {
        v
    }
    fn edges() -> Vec<f64> {
        float_edges([f64::MIN_POSITIVE, -5e-310, f64::MAX, f64::MIN])
    }
}

impl Float for f16 {
    fn from_f64(v: f64) -> f16 {
        f16::from_f64(v)
    }
    fn edges() -> Vec<f16> {
        float_edges([f16::MIN_POSITIVE, f16::from_bits(0x8011), f16::MAX, f16::MIN])
    }
}

/// A source of inputs.
#[derive(Clone, Debug)]
pub struct Inputs(SplitMix);

impl Inputs {
    /// From a seed.
    pub fn new(seed: u64) -> Inputs {
        Inputs(SplitMix::new(seed))
    }

    /// Sixty-four random bits.
    pub fn bits(&mut self) -> u64 {
        self.0.bits()
    }

    /// One integer: an edge, a small one or any.
    fn integer<T: Integer>(&mut self) -> T {
        let (kind, bits) = (self.bits() % 6, self.bits());
        match kind {
            0 => T::EDGES[(bits % T::EDGES.len() as u64) as usize],
            1 | 2 => T::small(bits),
            _ => T::from_bits(bits),
        }
    }

    /// `n` integers: all edges first, then a mix.
    pub fn ints<T: Integer>(&mut self, n: usize) -> Vec<T> {
        (0..n).map(|i| if i < T::EDGES.len() { T::EDGES[i] } else { self.integer() }).collect()
    }

    /// Two lists of `n` integers that meet every edge with every other (for `n` of 100 or more).
    pub fn int_pairs<T: Integer>(&mut self, n: usize) -> (Vec<T>, Vec<T>) {
        let e = T::EDGES;
        (0..n)
            .map(|i| {
                if i < e.len() * e.len() {
                    (e[i % e.len()], e[i / e.len()])
                } else {
                    (self.integer(), self.integer())
                }
            })
            .unzip()
    }

    /// `n` numbers from `low` to below `high`.
    pub fn range(&mut self, n: usize, low: i64, high: i64) -> Vec<i64> {
        (0..n).map(|_| low + (self.bits() % (high - low) as u64) as i64).collect()
    }

    /// `n` numbers below `bound`: indices, counts.
    pub fn below(&mut self, n: usize, bound: u32) -> Vec<u32> {
        (0..n).map(|_| (self.bits() % u64::from(bound)) as u32).collect()
    }

    /// `n` integers from `low` to below `high`, as `int`.
    pub fn small(&mut self, n: usize, low: i32, high: i32) -> Vec<i32> {
        self.range(n, low.into(), high.into()).into_iter().map(|v| v as i32).collect()
    }

    /// The numbers below `n` in some order.
    pub fn permutation(&mut self, n: usize) -> Vec<u32> {
        let mut order: Vec<u32> = (0..n as u32).collect();
        for i in (1..n).rev() {
            order.swap(i, (self.bits() % (i as u64 + 1)) as usize);
        }
        order
    }

    /// One float of moderate size or, now and then, of any magnitude.
    fn float<T: Float>(&mut self) -> T {
        let unit = (self.bits() >> 11) as f64 / (1u64 << 53) as f64 * 2.0 - 1.0;
        let scale = [1.0, 8.0, 8.0, 300.0, 1e6, 1e-6][(self.bits() % 6) as usize];
        T::from_f64(unit * scale)
    }

    /// `n` floats: all edges first, then a mix.
    pub fn floats<T: Float>(&mut self, n: usize) -> Vec<T> {
        let edges = T::edges();
        (0..n).map(|i| if i < edges.len() { edges[i] } else { self.float() }).collect()
    }

    /// Two lists of `n` floats; edges meet each other at distances that differ from pair to pair.
    pub fn float_pairs<T: Float>(&mut self, n: usize) -> (Vec<T>, Vec<T>) {
        let e = T::edges();
        let edged = n / 2;
        (0..n)
            .map(|i| {
                if i < edged {
                    (e[i % e.len()], e[(i * 5 + i / e.len() * 3) % e.len()])
                } else {
                    (self.float(), self.float())
                }
            })
            .unzip()
    }

    /// `n` finite floats from `low` to `high`.
    pub fn between<T: Float>(&mut self, n: usize, low: f64, high: f64) -> Vec<T> {
        (0..n)
            .map(|_| T::from_f64(low + (high - low) * ((self.bits() >> 11) as f64 / (1u64 << 53) as f64)))
            .collect()
    }

    /// `n` times four floats from `low` to `high`.
    pub fn vectors(&mut self, n: usize, low: f64, high: f64) -> Vec<[f32; 4]> {
        let v = self.between::<f32>(4 * n, low, high);
        v.chunks_exact(4).map(|c| [c[0], c[1], c[2], c[3]]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_come_first_and_meet() {
        let (a, b) = Inputs::new(1).int_pairs::<i32>(128);
        for x in i32::EDGES {
            for y in i32::EDGES {
                assert!(a.iter().zip(&b).any(|(p, q)| p == x && q == y), "{x} {y}");
            }
        }
        assert_eq!(Inputs::new(1).ints::<u8>(40), Inputs::new(1).ints::<u8>(40));
        let f = Inputs::new(2).floats::<f32>(20);
        assert!(f.iter().any(|v| v.is_nan()) && f.iter().any(|v| v.is_subnormal()));
    }

    #[test]
    fn permutations_are_complete() {
        let mut p = Inputs::new(3).permutation(50);
        p.sort_unstable();
        assert!(p.into_iter().eq(0..50));
    }
}
