//! Machine code as text and text as machine code: IGA's assembly syntax and its JSON form.
//!
//! ```text
//! listing      a kernel as text: labels, blocks              asm       text to instructions, with all faults and their places
//!   instruction  a line of it, operand, options, swsb, ...     token, cursor   the text as it is read
//!   message      what a message means, a file a function       instruction, mnemonic, operand, message, ...
//! json         a kernel as IGA JSON 2.0                      bfn       expressions of `bfn`'s truth tables
//! columns      text padded as IGA pads it                    immediate  numbers in IGA's notation
//! ```
//!
//! [`disassemble`] prints what Intel's assembler prints for the same bytes, character for character.

// Numbers are converted by name (the crate `narrow`) or with an error.
#![cfg_attr(not(test), deny(clippy::as_conversions))]

mod asm;
mod bfn;
mod columns;
mod immediate;
mod instruction;
mod json;
mod listing;
mod message;
mod operand;
mod options;
mod swsb;

pub use asm::{AsmError, AsmOptions, assemble, parse_instructions};
pub use json::{JsonOptions, disassemble_json, to_json};
pub use listing::{ListingOptions, disassemble, list};
