//! vISA assembly: text to [`Module`](crate::Module) and back.
//!
//! The syntax is the specification's appendix "vISA Assembly Syntax" and what Intel's tools print; what
//! they print, [`parse`] reads. [`print()`] writes a kernel as Intel's `-dumpcommonisa` does, token for
//! token.
//!
//! General variables keep their names; predicates, addresses, samplers, surfaces and labels are known in
//! printed text by kind and index (`P1`, `A0`, `S0`, `T6`), as in Intel's.

mod directive;
mod expression;
mod flow;
mod inst;
mod lexer;
mod lsc;
mod lsc_block;
mod memory;
mod operand;
mod parser;
mod print;
mod sampler;
mod strings;
mod symbols;
mod tokens;

pub use parser::{Fault, Faults, parse};
pub use print::{print, print_kernel};

/// What text means beyond its letters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TextOptions {
    /// Bytes of a register: `&V32[100]` is stored as a row and a column.
    pub grf_bytes: u32,
    /// Print what Intel's tools print when they read an object: their reader numbers labels by their
    /// string (`BB_1_2` becomes `BB_1_2_87`) and calls input provenance 4 a pseudo input. Text is then not
    /// stable when it goes through an object again.
    pub intel_names: bool,
}

impl Default for TextOptions {
    fn default() -> TextOptions {
        TextOptions { grf_bytes: 32, intel_names: false }
    }
}
