//! Files in and out: inputs mapped and bounded, outputs complete or absent.

mod input;
mod output;

pub use input::{Input, LONGEST_CODE, is_standard};
pub use output::{Sink, write};

use finalizer::Diagnostic;
use std::fmt::Display;

/// The refusal of an input that cannot be read.
pub fn cannot_read(why: impl Display) -> Diagnostic {
    Diagnostic::error("CannotRead", why.to_string())
}

/// The refusal of an output that cannot be written.
pub fn cannot_write(why: impl Display) -> Diagnostic {
    Diagnostic::error("CannotWrite", why.to_string())
}
