//! What the C libraries share: no panic crosses into the caller, and what the caller hands over is checked
//! as far as a callee can.
//!
//! # What holds
//!
//! * [`guard`] turns a panic (a fault of ours) into a value, and keeps it off the caller's stderr.
//! * [`memory`] counts what each thread takes of the allocator, for limits.
//! * [`pointers`] is all the `unsafe` reading and writing of the C libraries: null is an answer, not a crash.
#![deny(unsafe_op_in_unsafe_fn)]
// Numbers are converted by name (the crate `narrow`) or with an error.
#![cfg_attr(not(test), deny(clippy::as_conversions))]

mod guard;
pub mod memory;
pub mod pointers;

pub use guard::{Bug, guard};
