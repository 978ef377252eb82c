//! Why an allocation cannot succeed.

use gen_ir::{BlockId, Stop, VarClass, VarId};
use std::fmt;

/// A fault of the input or of the machine's size. Variants name the place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// An operand names bytes that its variable does not have, or a variable of the wrong file.
    BadOperand {
        /// Block of the instruction.
        block: BlockId,
        /// Index in the block.
        inst: usize,
        /// What is wrong.
        fault: String,
    },
    /// A variable's declaration cannot be satisfied whatever else is live.
    BadVariable {
        /// The variable.
        var: VarId,
        /// What is wrong.
        fault: String,
    },
    /// Registers do not suffice and nothing (more) can be spilled.
    OutOfRegisters {
        /// Register file that ran out.
        class: VarClass,
        /// A variable for which there was no place.
        var: VarId,
    },
    /// The result did not pass the checker: a bug of this crate, not of the input.
    Unsound(String),
    /// Rewriting for spills did not settle within this many rounds.
    NoEnd(u32),
    /// Somebody wants it to end: [`Options::watch`](crate::Options::watch).
    Stopped(Stop),
    /// More instructions or variables than an index holds.
    TooLarge,
    /// Spills would need more scratch memory than messages can address.
    ScratchFull {
        /// Bytes needed.
        bytes: u64,
        /// Bytes allowed.
        limit: u64,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::BadOperand { block, inst, fault } => {
                write!(f, "block {}, instruction {inst}: {fault}", block.0)
            }
            Error::BadVariable { var, fault } => write!(f, "variable {}: {fault}", var.0),
            Error::OutOfRegisters { class, var } => {
                write!(f, "no {class:?} register left for variable {}, and nothing can be spilled", var.0)
            }
            Error::Unsound(what) => write!(f, "allocation check failed: {what}"),
            Error::NoEnd(n) => write!(f, "no allocation after {n} rounds of spilling"),
            Error::Stopped(why) => why.fmt(f),
            Error::TooLarge => f.write_str("the kernel is too large"),
            Error::ScratchFull { bytes, limit } => {
                write!(f, "spills need {bytes} bytes of scratch memory, {limit} can be addressed")
            }
        }
    }
}

impl std::error::Error for Error {}
