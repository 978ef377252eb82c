//! A GPU made of the emulator, behind the socket that Intel's compute runtime (NEO) offers to simulators.
//!
//! # What comes in, what goes out
//!
//! The driver writes to a made-up GPU through a socket (its TBX mode): memory, page tables, command buffers, and at last
//! a submission. A [`Server`] keeps the memory, runs the commands, and runs the kernels that they launch on the
//! [`emulator`]; the driver reads the results back. An unmodified OpenCL program does not notice. What the emulator finds
//! on the way (undefined data that is used, accesses out of bounds, missed dependencies) are the [`Findings`].
//!
//! ```text
//! socket ─▶ protocol ─▶ server ─▶ memory, pages      bytes at addresses
//!                          │
//!                          └────▶ stream (MI_*, state) ─▶ walker ─▶ run ─▶ emulator, over a view of the memory
//!                                                            │        └──▶ findings
//!                                                            └ kernels: whose code it is
//! device: what a driver can be made to believe in
//! ```
//!
//! # What holds
//!
//! * No bytes from the socket make it panic, run for ever or take more memory than it is given: what is no message
//!   closes the connection, what is no command ends the submission, and both are told.
//! * Groups run on all processors; results and findings are those of one group after the other.

// Numbers are converted by name (the crate `narrow`) or with an error.
#![cfg_attr(not(test), deny(clippy::as_conversions))]

mod device;
mod error;
mod findings;
mod kernels;
mod launch;
mod memory;
mod pages;
mod protocol;
mod run;
mod server;
mod stream;
mod view;
mod walker;

pub use device::{DEVICES, Device};
pub use error::Error;
pub use findings::Findings;
pub use launch::{Driver, LIBRARY, Launch, LaunchError, TURNS};
pub use server::{Config, Server};
