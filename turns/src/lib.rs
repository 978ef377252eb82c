//! A library that is loaded before a program's others: threads take turns at the socket that Intel's driver has for
//! simulators.
//!
//! # What comes in, what goes out
//!
//! The driver (`tbx_sockets_imp.cpp`) sends a question, then reads an answer, and holds no lock meanwhile, although
//! several of its threads do so. This library has functions of the names that the driver calls, `send` and `recv`. They
//! do what the system's do, but on that socket a thread waits until the others' messages are whole and answered.
//!
//! ```text
//! message   where messages end, and which are questions
//! sockets   who has a socket
//! exports   the functions; all `unsafe` of this crate
//! ```
//!
//! # What holds
//!
//! * Bytes pass unchanged, and the results are the system's, but for what is fetched and the GPU has not changed: it does
//!   not overwrite what another thread of the program may have written in the meantime.
//! * A thread that has a socket is one that sent a part of a message, or a question that is not yet answered.
#![deny(unsafe_op_in_unsafe_fn)]
// Numbers are converted by name (the crate `narrow`) or with an error.
#![cfg_attr(not(test), deny(clippy::as_conversions))]

mod exports;
mod message;
mod sockets;
