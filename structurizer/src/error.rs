//! Faults of a control flow graph.

use gen_ir::BlockId;
use std::fmt;

/// Why a kernel cannot be structured. Each variant names the block at fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// The last block of the kernel or of a subroutine does not end in `ret` or an end-of-thread
    /// message, nor jump elsewhere.
    FallsOffEnd(BlockId),
    /// A branch names a block that does not exist, or no block at all.
    BadTarget(BlockId),
    /// A branch stands before the end of its block.
    BranchInside(BlockId),
    /// A jump leaves its subroutine other than by `call` and `ret`.
    LeavesSubroutine(BlockId),
    /// The kernel has no blocks.
    Empty,
    /// The thread ends in a block where other lanes still wait to run.
    EndsWhileLanesWait(BlockId),
    /// Flow control that is not accepted as input here.
    UnexpectedOp(BlockId, gen_ir::Op),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::FallsOffEnd(b) => write!(f, "block {}: control runs past the end of the code", b.0),
            Error::BadTarget(b) => write!(f, "block {}: the branch has no valid target", b.0),
            Error::BranchInside(b) => write!(f, "block {}: a branch before the end of the block", b.0),
            Error::LeavesSubroutine(b) => write!(f, "block {}: a jump leaves its subroutine", b.0),
            Error::Empty => f.write_str("the kernel has no blocks"),
            Error::EndsWhileLanesWait(b) => {
                write!(f, "block {}: the thread ends while other lanes wait to run", b.0)
            }
            Error::UnexpectedOp(b, op) => {
                write!(f, "block {}: `{op}` is not accepted before structurization", b.0)
            }
        }
    }
}

impl std::error::Error for Error {}
