//! Files in and out: inputs mapped and bounded, outputs complete or absent.

mod input;
mod output;

pub use input::{Input, LONGEST_CODE, is_standard};
pub use output::{Sink, write};
