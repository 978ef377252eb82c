//! Keys of bits, and a memory of what was found out about them.

use narrow::{as_index, low_u32};
use platforms::Platform;
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

/// What was found out about keys on one platform. Each has one place, which a newer one with the same place takes over, so
/// it forgets, but what it answers is of the key asked for. It is as large as was asked for: a small kernel touches little
/// memory.
#[derive(Clone, Debug)]
pub struct KeyMemory<const N: usize, T> {
    /// A power of two of places, or none. Zeros for a place without a key.
    places: Vec<([u64; N], T)>,
    platform: Option<Platform>,
}

/// Places of the smallest memory and of the largest one, as powers of two.
const FEWEST: u32 = 6;
const MOST: u32 = 12;

impl<const N: usize, T> Default for KeyMemory<N, T> {
    fn default() -> KeyMemory<N, T> {
        KeyMemory { places: Vec::new(), platform: None }
    }
}

impl<const N: usize, T: Copy + Default> KeyMemory<N, T> {
    /// The memory of a platform: what is known on another one is forgotten.
    #[inline]
    pub fn of(&mut self, platform: Platform) -> &mut KeyMemory<N, T> {
        if self.platform.replace(platform) != Some(platform) {
            self.places.fill(([0; N], T::default()));
        }
        self
    }

    /// What is known of a key, which is not all zeros.
    #[inline]
    pub fn get(&self, key: &[u64; N]) -> Option<T> {
        debug_assert_ne!(*key, [0; N], "zeros stand for no key");
        let bits = self.places.len().checked_ilog2()?;
        let (kept, what) = self.places.get(slot(key, bits))?;
        (kept == key).then_some(*what)
    }

    /// Makes room for so many keys, or as many as the largest memory has. What is known stays, if it was room for fewer.
    pub fn make_room(&mut self, keys: usize) {
        let wanted = 1 << (keys.next_power_of_two().ilog2() + 1).clamp(FEWEST, MOST);
        if self.places.len() < wanted {
            let before = std::mem::replace(&mut self.places, vec![([0; N], T::default()); wanted]);
            before.into_iter().filter(|(key, _)| *key != [0; N]).for_each(|(key, what)| self.add(key, what));
        }
    }

    /// Notes what is known of a key, which is not all zeros, if there is room for any.
    pub fn add(&mut self, key: [u64; N], what: T) {
        if let Some(bits) = self.places.len().checked_ilog2() {
            self.places[slot(&key, bits)] = (key, what);
        }
    }
}

/// One of `1 << bits` places for a key of some words: the highest bits of a sum of products, which all bits of the key
/// have a say in. Keys share places.
#[inline]
fn slot<const N: usize>(key: &[u64; N], bits: u32) -> usize {
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

#[cfg(test)]
mod tests {
    use super::*;

    /// More keys than there are places: what is still known is right, and the last key is.
    #[test]
    fn answers_are_of_the_key_asked_for() {
        let mut memory = KeyMemory::<2, u64>::default();
        let key = |n: u64| [n | 1 << 63, n * n];
        memory.add(key(1), 1);
        assert_eq!(memory.get(&key(1)), None);
        for room in [1, 500, 20_000] {
            memory.make_room(room);
            for n in 0..20_000 {
                memory.add(key(n), n);
                assert_eq!(memory.get(&key(n)), Some(n));
            }
        }
        let known =
            (0..20_000).filter(|&n| memory.get(&key(n)).inspect(|&what| assert_eq!(what, n)).is_some());
        assert!((1 << (MOST - 1)..=1 << MOST).contains(&known.count()));
        assert_eq!(memory.places.len(), 1 << MOST);
        let known = |memory: &KeyMemory<2, u64>| (0..20_000).any(|n| memory.get(&key(n)).is_some());
        assert!(!known(memory.of(Platform::Skl)));
        memory.add(key(1), 1);
        assert!(known(memory.of(Platform::Skl)) && !known(memory.of(Platform::Bdw)));
    }
}
