//! Conversions to narrower integers. A bare `as` does not say whether it means the number or some of its bits, and
//! cuts in silence; these say it.
//!
//! - `to_u8`, `to_u16`, `to_u32`, `to_i16`, `to_i32`: the same number. Those that call them know that it fits (a count of
//!   things in memory, an offset in a register, a stride); where it does not, that is a fault of ours, and it ends here
//!   and not as wrong code.
//! - `low_u8`, `low_u16`, `low_u32`, `low_u64`, `low_i16`, `low_i32`: the lowest bits of a word, whatever stands above
//!   them (immediates, words of instructions, fields that a mask follows).
//! - `to_index`: an index of a list in memory; `index_type`: index types of tables; `every`: a range in steps.
//! - `const_u8`, `const_u16`, `const_u32`: as `to_u8` and so on, in constants and functions that make them.
//!
//! What comes from outside and may be too large is no case for either: there `try_from` makes an error.

// A number is made narrower by name (the crate `narrow`) or with an error.
#![cfg_attr(
    not(test),
    deny(
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        clippy::cast_sign_loss,
        clippy::cast_lossless
    )
)]

use std::{iter::StepBy, ops::Range};

/// A word, as far as its 64 lowest bits.
pub trait Word: Copy {
    /// The lowest bits; of a negative number those of its two's complement.
    fn low(self) -> u64;
}

macro_rules! word {
    ($($ty:ty),*) => {$(
        impl Word for $ty {
            #[inline]
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_lossless)] // that is what it is for
            fn low(self) -> u64 {
                self as u64
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
        #[allow(clippy::cast_possible_truncation, clippy::cast_possible_wrap)] // that is what it is for
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
}

/// An index of a list in memory, or its length, in 32 bits. No list is longer: texts and objects of more than 4 GiB are
/// refused. As there are so many, only builds with debug assertions look.
#[inline]
#[track_caller]
#[allow(clippy::cast_possible_truncation)] // see above
pub const fn to_index(number: usize) -> u32 {
    debug_assert!(number <= u32::MAX as usize, "a list is too long for its indices");
    number as u32
}

/// The numbers of a range, every `step`th one from its first on.
#[inline]
pub fn every(range: Range<u32>, step: u32) -> StepBy<Range<u32>> {
    range.step_by(step as usize)
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
                self.0 as usize
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

macro_rules! constants {
    ($($ty:ident $name:ident;)*) => {$(
        /// The same number in fewer bits, where constants are made.
        ///
        /// # Panics
        ///
        /// If it does not fit.
        #[inline]
        #[track_caller]
        #[allow(clippy::cast_possible_truncation)] // asserted
        pub const fn $name(number: u64) -> $ty {
            assert!(number <= $ty::MAX as u64, "a number does not fit what it is to be kept in");
            number as $ty
        }
    )*};
}

constants! {
    u8 const_u8;
    u16 const_u16;
    u32 const_u32;
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
