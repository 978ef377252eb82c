//! A library that is loaded before a program's others: threads take turns at the socket that Intel's driver has for
//! simulators.
//!
//! # What comes in, what goes out
//!
//! The driver (`tbx_sockets_imp.cpp`) sends a question, then reads an answer, and holds no lock meanwhile, although
//! several of its threads do so. This library has functions of the names that the driver calls, `send`, `recv`, `shutdown` and `close`.
//! They do what the system's do, but on that socket a thread waits until the others' messages are whole and answered, and
//! what is sent goes out when the server has something to do: the driver sends thousands of messages of a few bytes. Memory
//! for a GPU begins with 0, so `malloc` is here, too. So are the functions that start other programs: these are to find the same
//! driver.
//!
//! ```text
//! message   where messages end, and which are questions
//! known     what the server holds
//! socket    what is known of one
//! sockets   who has a socket
//! start     what programs are started by name
//! exports   the functions; all `unsafe` of this crate
//! ```
//!
//! # What holds
//!
//! * Bytes pass unchanged, and the results are the system's, but for what is sent again, which is left out, and what is
//!   fetched and the GPU has not changed: it is not sent, and does not overwrite what another thread of the program may have
//!   written in the meantime.
//! * A driver that ends its connection finds how far the GPU was then: it asks no more, and may wait.
//! * What one thread has sent is on its way before another's question, on whichever socket.
//! * A thread that has a socket is one that sent a part of a message, or a question that is not yet answered.
#![deny(unsafe_op_in_unsafe_fn)]
// Numbers are converted by name (the crate `narrow`) or with an error.
#![cfg_attr(not(test), deny(clippy::as_conversions))]

mod exports;
mod known;
mod message;
mod socket;
mod sockets;
mod start;
