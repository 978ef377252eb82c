//! vISA to native Gen machine code.

mod build;
mod diagnostic;
mod input;
pub mod legalize;
pub mod lower;
mod messages;
mod optimize;
mod options;
mod pass;
pub mod swsb;

pub use diagnostic::{Diagnostic, Place, Refusal, Severity};
pub use input::read_module;
pub use options::Options;
pub use pass::{PASSES, PassTime};
