//! Conversions of numbers, by names that say what is meant. A bare `as` does not say whether it means the number or some
//! of its bits, and cuts in silence; all crates but tests and benches deny it (`clippy::as_conversions`).
//!
//! | | |
//! |---|---|
//! | `to_u8`, `to_u16`, `to_u32`, `to_u64`, `to_i8`, ... | the same number. Who calls them knows that it fits (a count of things in memory, an offset in a register, a stride); where it does not, that is a fault of ours, and it ends here and not as wrong code |
//! | `low_u8`, `low_u16`, `low_u32`, `low_u64`, `low_i8`, ... | the lowest bits of a word, whatever stands above them (immediates, words of instructions, fields that a mask follows) |
//! | `halves`; `ones` | both halves of a word of 128 bits; a word of so many ones |
//! | `to_index`; `as_index`, `span`, `to_usize` | a position in memory in 32 bits; a number of 32 bits, a range of them, or a number of 64 bits as positions |
//! | `index_type` | an index type of a table |
//! | `enum_numbers` | the numbers of an enumeration's variants |
//! | `little`, `set_little` | up to eight bytes, the lowest first, as a number, and the other way round |
//! | `every` | the numbers of a range in steps |
//! | `to_f32`, `to_f64`, `single`; `whole` | the nearest number of single or double precision; what stands in front of the point |
//! | `const_u8`, `const_u16`; `wide_u8`, `wide_u16`, `wide_u32`, `wide_u64` | in constants, which can call no `From` yet: as `to_u8` and so on; a number of so many bits in twice as many, a byte in 32 |
//!
//! What comes from outside and may be too large is no case for these: there `try_from` makes an error.

// Numbers are converted by name (the crate `narrow`) or with an error.
#![cfg_attr(not(test), deny(clippy::as_conversions))]

use std::{iter::StepBy, ops::Range};

/// Up to eight bytes as a number, the lowest one first.
#[inline]
pub fn little(bytes: &[u8]) -> u64 {
    match *bytes {
        [a] => a.into(),
        [a, b] => u16::from_le_bytes([a, b]).into(),
        [a, b, c, d] => u32::from_le_bytes([a, b, c, d]).into(),
        [a, b, c, d, e, f, g, h] => u64::from_le_bytes([a, b, c, d, e, f, g, h]),
        _ => bytes.iter().take(8).rev().fold(0, |number, byte| number << 8 | u64::from(*byte)),
    }
}

/// Sets up to eight bytes to the low ones of a number.
#[inline]
pub fn set_little(bytes: &mut [u8], number: u64) {
    let all = number.to_le_bytes();
    match bytes.len() {
        // Lengths that are known cost no call.
        1 => bytes.copy_from_slice(&all[..1]),
        2 => bytes.copy_from_slice(&all[..2]),
        4 => bytes.copy_from_slice(&all[..4]),
        8 => bytes.copy_from_slice(&all),
        _ => bytes.iter_mut().zip(all).for_each(|(to, byte)| *to = byte),
    }
}

/// A whole number: its 64 lowest bits, and what floating-point has for it.
pub trait Word: Copy {
    /// The lowest bits; of a negative number those of its two's complement.
    fn low(self) -> u64;
    /// The nearest number of single precision.
    fn nearest_f32(self) -> f32;
    /// The nearest number of double precision.
    fn nearest_f64(self) -> f64;
}

macro_rules! word {
    ($($ty:ty),*) => {$(
        impl Word for $ty {
            #[inline]
            #[allow(clippy::as_conversions, reason = "that is what it is for")]
            fn low(self) -> u64 {
                self as u64
            }

            #[inline]
            #[allow(clippy::as_conversions, reason = "it rounds to the nearest, alike everywhere")]
            fn nearest_f32(self) -> f32 {
                self as f32
            }

            #[inline]
            #[allow(clippy::as_conversions, reason = "it rounds to the nearest, alike everywhere")]
            fn nearest_f64(self) -> f64 {
                self as f64
            }
        }
    )*};
}

word!(u8, u16, u32, u64, u128, usize, i8, i16, i32, i64, i128);

macro_rules! conversions {
    ($($ty:ident $to:ident $low:ident;)*) => {$(
        /// The same number in fewer bits.
        ///
        /// # Panics
        ///
        /// If it does not fit.
        #[inline]
        #[track_caller]
        pub fn $to<T: Copy>(number: T) -> $ty
        where
            $ty: TryFrom<T>,
        {
            match $ty::try_from(number) {
                Ok(number) => number,
                Err(_) => too_large(stringify!($ty)),
            }
        }

        /// The lowest bits of a word.
        #[inline]
        #[allow(clippy::as_conversions, reason = "that is what it is for")]
        pub fn $low(word: impl Word) -> $ty {
            word.low() as $ty
        }
    )*};
}

conversions! {
    u8 to_u8 low_u8;
    u16 to_u16 low_u16;
    u32 to_u32 low_u32;
    u64 to_u64 low_u64;
    i8 to_i8 low_i8;
    i16 to_i16 low_i16;
    i32 to_i32 low_i32;
    i64 to_i64 low_i64;
}

/// An index of a list in memory, or its length, in 32 bits. No list is longer: texts and objects of more than 4 GiB are
/// refused. As there are so many, only builds with debug assertions look.
#[inline]
#[track_caller]
#[expect(clippy::as_conversions, reason = "see above")]
pub const fn to_index(number: usize) -> u32 {
    debug_assert!(number <= as_index(u32::MAX), "a list is too long for its indices");
    number as u32
}

/// A number of 32 bits as a position in memory, or as a length.
#[inline]
#[expect(clippy::as_conversions, reason = "addresses have 32 bits or more: asserted below")]
pub const fn as_index(number: u32) -> usize {
    number as usize
}

/// A number of 64 bits as a position in memory, or as a length. Who calls it knows that memory has it.
///
/// # Panics
///
/// If addresses have fewer bits than it needs.
#[inline]
#[track_caller]
pub fn to_usize(number: u64) -> usize {
    usize::try_from(number).unwrap_or_else(|_| too_large("usize"))
}

/// Positions of a range.
#[inline]
pub const fn span(range: Range<u32>) -> Range<usize> {
    as_index(range.start)..as_index(range.end)
}

const _: () = assert!(usize::BITS >= u32::BITS && usize::BITS <= u64::BITS);

/// The lower and the upper half of a word of 128 bits.
#[inline]
#[expect(clippy::as_conversions, reason = "one half, beside the other")]
pub const fn halves(word: u128) -> (u64, u64) {
    (word as u64, (word >> 64) as u64)
}

/// A word whose lowest `count` bits are ones; all of them, where that is 64 or more.
#[inline]
pub const fn ones(count: u32) -> u64 {
    if count >= u64::BITS { u64::MAX } else { (1 << count) - 1 }
}

/// A word of which the bits from `first` to before `end` are ones, and those up to the highest where `end` is 64 or more.
#[inline]
pub const fn ones_between(first: u32, end: u32) -> u64 {
    ones(end) & !ones(first)
}

/// The number of single precision nearest to a whole number.
#[inline]
pub fn to_f32(number: impl Word) -> f32 {
    number.nearest_f32()
}

/// The number of double precision nearest to a whole number.
#[inline]
pub fn to_f64(number: impl Word) -> f64 {
    number.nearest_f64()
}

/// What stands in front of the point: the nearest that there is for numbers beyond the range, 0 for what is none.
#[inline]
#[expect(clippy::as_conversions, reason = "that is what it is for")]
pub const fn whole(number: f64) -> i64 {
    number as i64
}

/// The number of single precision nearest to one of double precision.
#[inline]
#[expect(clippy::as_conversions, reason = "it rounds, as arithmetic does")]
pub const fn single(number: f64) -> f32 {
    number as f32
}

/// The numbers of a range, every `step`th one from its first on.
#[inline]
pub fn every(range: Range<u32>, step: u32) -> StepBy<Range<u32>> {
    range.step_by(as_index(step))
}

/// What a typed vector asks of its indices: an index type, a tuple struct over `u32`, and positions in memory are made of
/// each other.
#[macro_export]
macro_rules! index_type {
    ($ty:ident) => {
        impl $ty {
            /// The position in its table.
            #[inline]
            pub const fn index(self) -> usize {
                $crate::as_index(self.0)
            }
        }

        impl From<$ty> for usize {
            #[inline]
            fn from(id: $ty) -> usize {
                id.index()
            }
        }

        impl From<usize> for $ty {
            #[inline]
            fn from(index: usize) -> $ty {
                $ty($crate::to_index(index))
            }
        }
    };
}

/// The numbers of an enumeration's variants, as they are declared: the method's name and its type.
#[macro_export]
macro_rules! enum_numbers {
    ($ty:ident: $($method:ident $int:ident),+) => {
        impl $ty {$(
            /// The number of the variant.
            #[inline]
            #[expect(clippy::as_conversions, reason = "nothing else reads it in constants")]
            pub const fn $method(self) -> $int {
                self as $int
            }
        )+}
    };
}

macro_rules! constants {
    ($($ty:ident $name:ident;)*) => {$(
        /// The same number in fewer bits, where constants are made.
        ///
        /// # Panics
        ///
        /// If it does not fit.
        #[inline]
        #[track_caller]
        #[expect(clippy::as_conversions, reason = "asserted")]
        pub const fn $name(number: usize) -> $ty {
            assert!(number <= $ty::MAX as usize, "a number does not fit what it is to be kept in");
            number as $ty
        }
    )*};
}

constants! {
    u8 const_u8;
    u16 const_u16;
}

/// As `u32::from`, where constants are made: it is not `const` yet.
#[inline]
pub const fn wide_u8(number: u8) -> u32 {
    u32::from_le_bytes([number, 0, 0, 0])
}

/// As `u32::from`, where constants are made.
#[inline]
pub const fn wide_u16(number: u16) -> u32 {
    let [low, high] = number.to_le_bytes();
    u32::from_le_bytes([low, high, 0, 0])
}

/// As `u64::from`, where constants are made.
#[inline]
pub const fn wide_u32(number: u32) -> u64 {
    let [a, b, c, d] = number.to_le_bytes();
    u64::from_le_bytes([a, b, c, d, 0, 0, 0, 0])
}

/// As `u128::from`, where constants are made.
#[inline]
#[expect(clippy::as_conversions, reason = "`From` is not `const` yet")]
pub const fn wide_u64(number: u64) -> u128 {
    number as u128
}

#[cold]
#[inline(never)]
#[track_caller]
fn too_large(ty: &str) -> ! {
    panic!("a number that was to fit {ty} does not")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_their_value_and_words_their_lowest_bits() {
        assert_eq!((to_u8(255usize), to_i16(-3i32), to_u32(u64::from(u32::MAX))), (255, -3, u32::MAX));
        assert_eq!((low_u8(0x1ffu32), low_i16(0xffff_fffeu64), low_u64(-1i128)), (0xff, -2, u64::MAX));
        assert_eq!((low_i8(0x80u16), const_u16(0xffff)), (i8::MIN, u16::MAX));
    }

    #[test]
    fn bytes_are_numbers_the_lowest_first() {
        let bytes = [1, 2, 3, 4, 5, 6, 7, 0x88];
        for len in 0..=8 {
            let number = little(&bytes[..len]);
            assert_eq!(number, if len == 0 { 0 } else { 0x8807_0605_0403_0201 & u64::MAX >> (64 - 8 * len) });
            let mut back = [9; 8];
            set_little(&mut back[..len], 0x8807_0605_0403_0201);
            assert_eq!((&back[..len], &back[len..]), (&bytes[..len], &[9; 8][len..]));
        }
    }

    #[test]
    #[should_panic = "a number that was to fit u8 does not"]
    fn what_does_not_fit_ends_here() {
        to_u8(256u32);
    }

    #[test]
    #[should_panic = "a number that was to fit u32 does not"]
    fn nor_is_a_sign_lost() {
        to_u32(-1i64);
    }
}
