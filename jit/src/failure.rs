//! Why there is no code.

use std::fmt;

/// A return code other than 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Code {
    /// An argument is null, names nothing, or contradicts another.
    BadInput = 1,
    /// The object or the kernel is refused.
    Refused = 3,
    /// The platform is not known.
    BadPlatform = 5,
}

narrow::enum_numbers!(Code: number i32);

/// Why there is no code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Failure {
    pub code: Code,
    pub message: String,
}

impl Failure {
    pub fn new(code: Code, message: impl fmt::Display) -> Failure {
        Failure { code, message: message.to_string() }
    }
}
