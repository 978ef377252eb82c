//! vISA to native Gen machine code.

mod binary;
mod build;
mod calls;
mod diagnostic;
mod finalizer;
mod input;
mod legalize;
mod lower;
mod messages;
mod optimize;
mod options;
mod pass;
mod relocate;
pub mod swsb;

pub use binary::{Binary, FunctionInfo, InputInfo, KernelInfo, Relocation, RelocationKind, Stats};
pub use diagnostic::{Diagnostic, Place, Refusal, Severity};
pub use finalizer::Finalizer;
pub use input::{read_input, read_module, read_text};
pub use options::Options;
pub use pass::{PASSES, PassTime};
