//! Machine code as text and text as machine code: IGA's assembly syntax and its JSON form.
//!
//! [`disassemble`] prints what Intel's assembler prints for the same bytes, character for character.

mod asm;
mod bfn;
mod columns;
mod immediate;
mod instruction;
mod json;
mod listing;
mod message;
mod operand;

pub use asm::{AsmError, AsmOptions, assemble, parse_instructions};
pub use json::{JsonOptions, disassemble_json, to_json};
pub use listing::{ListingOptions, disassemble, list};
