//! Declarations that the modules share.

/// An enum of the codes of a field: `from_bits` gives `None` for those without a name.
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

/// Conversions between a kind of descriptor and a [`Descriptor`](crate::Descriptor), or, with that named in front,
/// between a kind of extended descriptor and an [`ExtendedDescriptor`](crate::ExtendedDescriptor).
macro_rules! kinds {
    ($any:ident: $($name:ident),* $(,)?) => {
        $(
            impl From<crate::$any> for $name {
                #[inline]
                fn from(desc: crate::$any) -> $name {
                    $name::from_bits(desc.into_bits())
                }
            }

            impl From<$name> for crate::$any {
                #[inline]
                fn from(desc: $name) -> crate::$any {
                    crate::$any::from_bits(desc.into_bits())
                }
            }
        )*
    };
    ($($name:ident),* $(,)?) => {
        kinds!(Descriptor: $($name),*);
    };
}

/// An enum of codes, each with a row that says what it stands for.
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
