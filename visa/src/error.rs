//! What can be wrong with an object, and where.

use std::fmt;

use crate::model::Version;

/// A fault in an object.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Error {
    /// Byte offset in the object.
    pub offset: usize,
    /// Kernel or function it is in.
    pub kernel: Option<String>,
    /// Instruction it is in.
    pub instruction: Option<&'static str>,
    /// Field of the format.
    pub field: &'static str,
    /// What is wrong.
    pub kind: ErrorKind,
}

/// Kinds of faults.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ErrorKind {
    /// The object ends too early.
    Truncated {
        /// Bytes that the field needs.
        needed: usize,
        /// Bytes there are.
        left: usize,
    },
    /// A count that the rest of the object cannot hold.
    CountTooLarge {
        /// The count.
        found: u64,
        /// The largest one that fits.
        allowed: u64,
    },
    /// Not a vISA object.
    BadMagic {
        /// First four bytes.
        found: u32,
    },
    /// A version whose layout is not known.
    UnsupportedVersion {
        /// `major.minor`.
        found: (u8, u8),
    },
    /// A byte that is no opcode.
    UnknownOpcode {
        /// The byte.
        found: u8,
    },
    /// A byte that is no sub-opcode of its opcode.
    UnknownSubOpcode {
        /// The byte.
        found: u8,
    },
    /// A value that the field cannot have.
    IllegalValue {
        /// The value.
        found: u64,
        /// What is allowed.
        allowed: &'static str,
    },
    /// Something that the header points to lies outside the object, or on top of something else.
    BadRange {
        /// First byte.
        start: u64,
        /// Byte after the last.
        end: u64,
        /// What is allowed.
        allowed: &'static str,
    },
    /// The code lost operands when the object was written; see the crate's `read` module.
    OperandsMissing,
    /// A string without its final zero byte.
    UnterminatedString,
}

impl ErrorKind {
    /// The variant's name, stable for tools.
    pub const fn name(&self) -> &'static str {
        match self {
            ErrorKind::Truncated { .. } => "Truncated",
            ErrorKind::CountTooLarge { .. } => "CountTooLarge",
            ErrorKind::BadMagic { .. } => "BadMagic",
            ErrorKind::UnsupportedVersion { .. } => "UnsupportedVersion",
            ErrorKind::UnknownOpcode { .. } => "UnknownOpcode",
            ErrorKind::UnknownSubOpcode { .. } => "UnknownSubOpcode",
            ErrorKind::IllegalValue { .. } => "IllegalValue",
            ErrorKind::BadRange { .. } => "BadRange",
            ErrorKind::UnterminatedString => "UnterminatedString",
            ErrorKind::OperandsMissing => "OperandsMissing",
        }
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ErrorKind::Truncated { needed, left } => {
                write!(f, "needs {needed} bytes, but {left} are left")
            }
            ErrorKind::CountTooLarge { found, allowed } => {
                write!(f, "found {found}, but the rest of the object holds at most {allowed}")
            }
            ErrorKind::BadMagic { found } => write!(f, "found {found:#010x}, allowed: 0x41534943 (\"CISA\")"),
            ErrorKind::UnsupportedVersion { found } => {
                write!(f, "found {}.{}, allowed: 3.0 to 4.1", found.0, found.1)
            }
            ErrorKind::UnknownOpcode { found } => write!(f, "found {found:#04x}, which is no opcode"),
            ErrorKind::UnknownSubOpcode { found } => {
                write!(f, "found {found:#04x}, which is no sub-opcode of this instruction")
            }
            ErrorKind::IllegalValue { found, allowed } => write!(f, "found {found:#x}, allowed: {allowed}"),
            ErrorKind::BadRange { start, end, allowed } => {
                write!(f, "found bytes {start} to {end}, allowed: {allowed}")
            }
            ErrorKind::OperandsMissing => f.write_str(
                "instructions lack operands: the compiler that wrote this object (IGC 1.0.12504 and its \
                 neighbours do so) dropped them; use its .visaasm output instead",
            ),
            ErrorKind::UnterminatedString => f.write_str("the string has no final zero byte"),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "byte {} ({:#x})", self.offset, self.offset)?;
        if let Some(kernel) = &self.kernel {
            write!(f, ", kernel `{kernel}`")?;
        }
        if let Some(instruction) = self.instruction {
            write!(f, ", instruction `{instruction}`")?;
        }
        write!(f, ", {}: {}", self.field, self.kind)
    }
}

impl std::error::Error for Error {}

/// Each fault on a line of its own.
pub(crate) fn on_lines(f: &mut fmt::Formatter<'_>, faults: &[impl fmt::Display]) -> fmt::Result {
    for (i, fault) in faults.iter().enumerate() {
        if i > 0 {
            writeln!(f)?;
        }
        fault.fmt(f)?;
    }
    Ok(())
}

/// All faults found in an object; never empty.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Errors(pub Vec<Error>);

impl fmt::Display for Errors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        on_lines(f, &self.0)
    }
}

impl std::error::Error for Errors {}

impl From<Error> for Errors {
    fn from(error: Error) -> Errors {
        Errors(vec![error])
    }
}

/// A module that no object of the chosen version can hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WriteError {
    /// Kernel or function.
    pub kernel: Option<String>,
    /// Field of the format.
    pub field: &'static str,
    /// What is wrong with it.
    pub fault: WriteFault,
}

/// Why a value cannot be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteFault {
    /// The field is too small for the value.
    TooLarge {
        /// The value.
        found: u64,
        /// The largest value that fits.
        most: u64,
    },
    /// No object has this version.
    Version {
        /// The module's version.
        found: Version,
    },
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(kernel) = &self.kernel {
            write!(f, "kernel `{kernel}`, ")?;
        }
        write!(f, "{}: ", self.field)?;
        match self.fault {
            WriteFault::TooLarge { found, most } => {
                write!(f, "found {found}, but the format holds at most {most}")
            }
            WriteFault::Version { found } => write!(f, "found {found}, allowed: 3.0 to 4.1"),
        }
    }
}

impl std::error::Error for WriteError {}

impl From<Box<Error>> for Errors {
    fn from(error: Box<Error>) -> Errors {
        Errors(vec![*error])
    }
}
