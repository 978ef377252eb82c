//! vISA to native Gen machine code.

mod diagnostic;
mod optimize;
mod options;
mod pass;

pub use diagnostic::{Diagnostic, Place, Refusal, Severity};
pub use options::Options;
pub use pass::{PASSES, PassTime};
