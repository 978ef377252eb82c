//! Lengths of messages, in registers.

use std::fmt;

/// More registers than a descriptor can count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooLong {
    what: &'static str,
    registers: u32,
    most: u32,
}

impl fmt::Display for TooLong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let TooLong { what, registers, most } = self;
        write!(f, "{what} of {registers} registers, where a message has {most} at most")
    }
}

impl std::error::Error for TooLong {}

impl From<TooLong> for String {
    fn from(fault: TooLong) -> String {
        fault.to_string()
    }
}

/// A length that a field of a descriptor counts: the type's name, the most it can count, and what a fault calls what is
/// counted, as in `length!(/** Registers of the response. */ ResponseLength, 31, "a response");`.
macro_rules! length {
    ($(#[$meta:meta])* $name:ident, $most:literal, $what:literal) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
        pub struct $name(u8);

        impl $name {
            /// Nothing.
            pub const NONE: $name = $name(0);
            /// One register.
            pub const ONE: $name = $name(1);
            /// The longest there is.
            pub const MOST: u32 = $most;

            /// A length in registers, if the field can count that many.
            pub const fn new(registers: u32) -> Result<$name, TooLong> {
                if registers <= $most {
                    Ok($name(narrow::const_u8(narrow::as_index(registers))))
                } else {
                    Err(TooLong { what: $what, registers, most: $most })
                }
            }

            /// A length that the caller has bounded itself.
            ///
            /// # Panics
            ///
            /// If the field cannot count that many: a bug of the caller.
            pub const fn of(registers: u32) -> $name {
                assert!(registers <= $most, $what);
                $name(narrow::const_u8(narrow::as_index(registers)))
            }

            /// Registers.
            pub const fn registers(self) -> u8 {
                self.0
            }

            /// Whether there is none.
            pub const fn is_none(self) -> bool {
                self.0 == 0
            }

            /// What the field holds.
            pub(crate) const fn into_bits(self) -> u32 {
                narrow::wide_u8(self.0)
            }

            /// What the field, masked by its width, says.
            pub(crate) const fn from_bits(bits: u32) -> $name {
                $name(narrow::const_u8(narrow::as_index(bits & 0xff)))
            }
        }

        impl TryFrom<u32> for $name {
            type Error = TooLong;

            fn try_from(registers: u32) -> Result<$name, TooLong> {
                $name::new(registers)
            }
        }
    };
}

length!(
    /// Registers of the payload, or of its first part where messages are split ("Message Length").
    MessageLength, 15, "a payload"
);
length!(
    /// Registers of the response ("Response Length").
    ResponseLength, 31, "a response"
);
length!(
    /// Registers of the second part of the payload ("Extended Message Length").
    ExtendedLength, 31, "a second payload"
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_refuse_what_their_fields_cannot_hold() {
        assert_eq!(MessageLength::new(15).map(MessageLength::registers), Ok(15));
        assert_eq!(ResponseLength::new(31).map(ResponseLength::registers), Ok(31));
        let fault = MessageLength::new(16).unwrap_err();
        assert_eq!(fault.to_string(), "a payload of 16 registers, where a message has 15 at most");
        assert!(ResponseLength::new(32).is_err() && ExtendedLength::new(32).is_err());
    }
}
