//! What goes wrong on the way from the socket to a kernel.

use std::io;

/// Why a connection is closed, or what a submission stopped at.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The socket.
    #[error("socket: {0}")]
    Io(#[from] io::Error),
    /// A message that is none.
    #[error("message {number}: {reason}")]
    Message {
        /// The number that the sender gave it.
        number: u32,
        /// What is wrong.
        reason: String,
    },
    /// More memory than the GPU has.
    #[error("found more than {limit} bytes of memory written, allowed: {limit}")]
    Memory {
        /// The GPU's memory.
        limit: u64,
    },
    /// No page at an address of the global table.
    #[error("global address {0:#x} is not mapped")]
    Global(u64),
    /// No page at an address of a process.
    #[error("address {0:#x} is not mapped")]
    Unmapped(u64),
    /// A command.
    #[error("command at {address:#x}: {reason}")]
    Command {
        /// Where it is, in its ring or in the process.
        address: u64,
        /// What is wrong.
        reason: String,
    },
}

impl Error {
    pub(crate) fn command(address: u64, reason: impl Into<String>) -> Error {
        Error::Command { address, reason: reason.into() }
    }
}
