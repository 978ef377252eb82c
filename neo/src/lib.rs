//! A library that Intel's compute runtime (NEO) loads: the programs that it builds get our code.
//!
//! # What comes in, what goes out
//!
//! The runtime calls a compiler through objects of C++ (an interface that it calls CIF), and so can it call this
//! library, in one of two places:
//!
//! * in the *finalizer's slot* of releases that have one (`FinalizerLibraryName`): it hands over the compiled program
//!   and takes what it gets back;
//! * in any release *in front of the compiler*: named `libigc.so.1`, the library loads the compiler that
//!   [`Settings::compiler`] names, hands its objects on, and puts our code into the programs that it gives.
//!
//! ```text
//! settings   what the environment and the internal options of a build ask for
//! work       a program in, a program and a log out; no pointers
//! cif        the interface: objects, tables, foreign objects; all `unsafe` of this crate
//! ```
//!
//! # What holds
//!
//! * What cannot be finalized keeps the compiler's code, and the build log says why; with [`Mode::Strict`] the build
//!   fails instead.
//! * Nothing unwinds into the runtime: a fault of ours counts as a refusal, and the log says so.
//! * Builds may run in many threads at once. Nothing is shared but tables that never change once they are there.
//! * Nothing is printed, and no file is touched but [`Settings::log`].
#![deny(unsafe_op_in_unsafe_fn)]
// Numbers are converted by name (the crate `narrow`) or with an error.
#![cfg_attr(not(test), deny(clippy::as_conversions))]

#[cfg_attr(not(test), expect(clippy::as_conversions, reason = "tables of C hold functions as pointers"))]
mod cif;
mod settings;
mod work;

pub use cif::CIFCreateMain;
pub use settings::{Mode, Settings};
pub use work::{Outcome, finalize};
