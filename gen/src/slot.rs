//! Where memories of a fixed size keep what they know of a key.

/// One of `1 << bits` places for a key of some words: the highest bits of a sum of products, which all bits of the key
/// have a say in. Keys share places, so a memory compares the whole key.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "at most 32 bits are left")]
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
    (products.fold(0, u64::wrapping_add) >> (u64::BITS - bits)) as usize
}
