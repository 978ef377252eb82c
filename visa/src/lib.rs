//! vISA: Intel's virtual instruction set, as objects (`.isa`), as text (`.visaasm`) and as a model.
//!
//! # What comes in, what goes out
//!
//! ```text
//! &[u8]      --read-->   Module --validate--> ValidModule
//! .visaasm   --parse-->  Module --print-->    .visaasm
//! builder    --finish--> Module --write-->    Vec<u8>      (equal to the bytes read, unless edited)
//! ```
//!
//! ```text
//! model    kernels, functions, variables       table      a row an opcode: which operands, of which types
//! record   an instruction as it is stored      op         an instruction as its readers see it, and back
//! inst     how a kernel stores instructions, and how readers see them       ids   typed indices
//! lsc      the words of the load/store cache   near     words that are easily mistaken for another
//! read, write, text, builder   the ways in and out         verify     the specification's rules, each with a name
//! ```
//!
//! # How the model is stored
//!
//! A [`Kernel`] holds flat vectors addressed by typed indices ([`VarId`], [`LabelId`], ...). Its code is
//! a vector of 24-byte [`Record`]s and one shared vector of 16-byte [`Operand`]s, so decoding allocates
//! nothing per instruction. The instruction table ([`table`]) says which operands an opcode has and how
//! they are laid out; the reader, the writer, the verifier and the fuzz generator walk the same rows.
//!
//! Consumers do not look at records: [`Kernel::insts`] yields [`Inst`]s, each with a typed [`Op`].
//!
//! # What holds
//!
//! * `write(&read(bytes)?) == bytes`.
//! * Every operand in a [`Kernel`] has the kind that its table row asks for.
//! * A [`ValidModule`] has only indices in range, defined labels and acyclic aliases in bounds.

// Numbers are converted by name (the crate `narrow`) or with an error.
#![cfg_attr(not(test), deny(clippy::as_conversions))]

pub mod builder;
pub mod error;
pub mod ids;
pub mod inst;
pub mod lsc;
pub mod model;
mod near;
pub mod op;
pub mod opcode;
pub mod operand;
pub mod read;
mod record;
pub mod table;
pub mod text;
pub mod types;
pub mod verify;
pub mod write;

pub use error::{Error, ErrorKind, Errors, WriteError, WriteFault};
pub use ids::*;
pub use inst::{Inst, Record};
pub use messages::Access;
pub use model::*;
pub use op::Op;
pub use opcode::Opcode;
pub use operand::*;
pub use read::{Reader, is_object, read, read_kernel};
pub use types::*;
pub use verify::{
    Finding, Rule, Severity, Subject, TAIL_REGISTERS, ValidKernel, ValidModule, Verifier, VerifyOptions,
    validate, verify, verify_safety,
};
pub use write::write;
