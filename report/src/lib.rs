//! Reports on machine code: what people look at, of one code or of two.
//!
//! ```text
//! machine code ──Code::new──▶ Code: instructions, their text, messages, cycles, live registers, blocks
//!                              ├──page::html──▶ one self-contained page (a kernel or a batch)
//!                              └──Comparison::new──▶ counts and aligned listings of two codes
//! ```
//!
//! Everything is worked out from the machine code itself, so code of other compilers is looked at in the same way;
//! what only the finalizer knows (which vISA instruction an instruction is for, times of passes) is added where
//! it is there. The page needs no network and no server: style, script and data are in it. Nothing that comes from
//! an input (names, listings) is markup in it: it is data, and the script shows it as text.
//!
//! What holds: no input panics; equal input gives an equal page.

// Numbers are converted by name (the crate `narrow`) or with an error.
#![cfg_attr(not(test), deny(clippy::as_conversions))]

mod code;
mod compare;
mod cycles;
mod flow;
mod instruction;
mod message;
pub mod page;
mod pressure;

pub use code::{Code, Counts};
pub use compare::{Comparison, Normalize, Row, Tag};
pub use cycles::Wait;
pub use flow::{Edge, Flow};
pub use message::Message;
pub use pressure::{Pressure, Value};
