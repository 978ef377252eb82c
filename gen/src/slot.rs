//! Where memories of a fixed size keep what they know of a key, and how keys are put together.

use narrow::{as_index, low_u32};
use std::ops::Range;

/// A word of a key, made of fields. No two have a bit in common, and each number fits its field (builds with debug
/// assertions hold them to that): so two keys are equal if, and only if, all fields are.
#[derive(Clone, Copy, Debug)]
pub struct KeyWord {
    bits: u64,
    #[cfg(debug_assertions)]
    taken: u64,
}

impl KeyWord {
    /// No field yet.
    pub const EMPTY: KeyWord = KeyWord {
        bits: 0,
        #[cfg(debug_assertions)]
        taken: 0,
    };

    /// With a number in some bits.
    #[inline]
    #[must_use]
    pub fn with(mut self, number: impl Into<u64>, at: Range<u32>) -> KeyWord {
        let number = number.into();
        #[cfg(debug_assertions)]
        {
            let mask = u64::MAX >> (u64::BITS - (at.end - at.start));
            assert!(number & !mask == 0, "{number:#x} does not fit bits {at:?} of a key");
            assert!(self.taken & mask << at.start == 0, "bits {at:?} of a key are taken");
            self.taken |= mask << at.start;
        }
        self.bits |= number << at.start;
        self
    }

    /// The word.
    #[inline]
    pub const fn bits(self) -> u64 {
        self.bits
    }
}

/// One of `1 << bits` places for a key of some words: the highest bits of a sum of products, which all bits of the key
/// have a say in. Keys share places, so a memory compares the whole key.
#[inline]
pub fn slot<const N: usize>(key: &[u64; N], bits: u32) -> usize {
    debug_assert!(bits <= 32, "more places than a table has");
    // Odd numbers without a pattern: the golden ratio and square roots in 64 bits.
    const FACTORS: [u64; 7] = [
        0x9e37_79b9_7f4a_7c15,
        0x6a09_e667_f3bc_c909,
        0xbb67_ae85_84ca_a73b,
        0x3c6e_f372_fe94_f82b,
        0xa54f_f53a_5f1d_36f1,
        0x510e_527f_ade6_82d1,
        0x9b05_688c_2b3e_6c1f,
    ];
    const { assert!(N <= FACTORS.len(), "a word without a factor") };
    let products = key.iter().zip(FACTORS).map(|(word, factor)| word.wrapping_mul(factor));
    as_index(low_u32(products.fold(0, u64::wrapping_add) >> (u64::BITS - bits)))
}
