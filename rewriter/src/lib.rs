//! New code for the kernels of compiled programs (zebins).
//!
//! # What comes in, what goes out
//!
//! [`finalize`] makes new code from the vISA that a program holds and gives the same program with it: code, symbols,
//! relocations and description are of the new code; every other section, key and number stays as it was, but for
//! sections that tell of the compiler's code what is not true of ours. Of debug information, lines and routines are
//! written anew, from the marks in the vISA; where variables are goes, as do instrumentation's tables, with a note.
//!
//! ```text
//! program    which vISA belongs to which code; all pieces, one after the other
//! piece      new code for a kernel: its section, symbols, relocations
//! sections   debug sections: which stay, which are new
//! table      one of them, put together
//! dwarf      lines and routines of new code
//! unit       new code by itself, for linkers that put it into memory
//! ```
//!
//! # What holds
//!
//! * No input panics: what is no such file, or lies about its sizes, is refused.
//! * What the program says of its kernels is true of the new code: channels, registers, scratch memory, barriers,
//!   where a launch may enter.
//! * A kernel has new code with all that belongs to it, or is as it was.

// Numbers are converted by name (the crate `narrow`) or with an error.
#![cfg_attr(not(test), deny(clippy::as_conversions))]

mod dwarf;
mod piece;
mod program;
mod sections;
mod table;
mod unit;

pub use program::{KernelVisa, Options, Program, finalize, platform_of, visa_of};
pub use unit::{retarget, unit};
