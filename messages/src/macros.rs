//! Declarations that the modules share: `codes!` for a field whose values have names, `rows!` where a table says more of
//! each, `kinds!` for structs that are descriptors.

/// An enum of the codes of a field: `code` gives the number, `from_bits` the name or `None`.
///
/// ```text
/// codes! {
///     /// Bits of an address.
///     pub enum AddressSize { A16 = 1, A32 = 2, A64 = 3, }
/// }
/// ```
///
/// A field of a bitfield struct that holds such codes is an `Option` of the enum:
/// `#[bits(2, from = AddressSize::from_bits, into = AddressSize::into_bits)]`.
macro_rules! codes {
    ($(#[$meta:meta])* pub enum $name:ident { $($(#[$vmeta:meta])* $variant:ident = $code:literal,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[repr(u8)]
        pub enum $name { $($(#[$vmeta])* $variant = $code,)* }

        impl $name {
            /// All of them, in the order of their codes.
            pub const ALL: &[$name] = &[$($name::$variant),*];

            /// What a field holds for it.
            #[expect(clippy::as_conversions, reason = "nothing else reads the code of a variant")]
            pub const fn code(self) -> u32 {
                self as u32
            }

            /// What a field's bits name.
            pub const fn from_bits(bits: u32) -> Option<$name> {
                match bits {
                    $($code => Some($name::$variant),)*
                    _ => None,
                }
            }

            #[allow(dead_code, reason = "not every enum is the whole of a field")]
            pub(crate) const fn into_bits(value: Option<$name>) -> u32 {
                match value {
                    Some(value) => value.code(),
                    None => 0,
                }
            }
        }
    };
}

/// Conversions between a word that descriptors travel in and the kinds of it, which are other views of the same 32 bits.
///
/// `kinds!(Descriptor: Urb);` makes `Urb::from(descriptor)` and `Descriptor::from(urb)`; extended descriptors are
/// `kinds!(ExtendedDescriptor: FlatExtended, BtiExtended);`.
macro_rules! kinds {
    ($word:ident: $($name:ident),*) => {
        $(
            impl From<crate::$word> for $name {
                #[inline]
                fn from(word: crate::$word) -> $name {
                    $name::from_bits(word.into_bits())
                }
            }

            impl From<$name> for crate::$word {
                #[inline]
                fn from(kind: $name) -> crate::$word {
                    crate::$word::from_bits(kind.into_bits())
                }
            }
        )*
    };
}

/// An enum as `codes!` makes it, and `row`, which says what a code stands for: behind each code is a constant of the type
/// that the enum's name is followed by.
///
/// ```text
/// rows! {
///     /// Where in the pixel.
///     pub enum Place: Effect { SharedOffset = 0: Effect::Load, Sample = 1: Effect::Load, }
/// }
/// ```
macro_rules! rows {
    ($(#[$meta:meta])* pub enum $name:ident: $row:ty {
        $($(#[$vmeta:meta])* $variant:ident = $code:literal: $value:expr,)*
    }) => {
        codes! {
            $(#[$meta])*
            pub enum $name { $($(#[$vmeta])* $variant = $code,)* }
        }

        impl $name {
            /// What is known of it.
            pub const fn row(self) -> $row {
                match self {
                    $($name::$variant => $value,)*
                }
            }
        }
    };
}
