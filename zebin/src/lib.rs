//! Compiled programs of Intel's graphics compiler: what `ocloc` writes and what drivers load and cache.
//!
//! # What comes in, what goes out
//!
//! A *zebin* is an ELF file (machine type 205) with a section of machine code for each kernel, `.text.NAME`, a
//! description of all of them for the runtime, `.ze_info`, and, if the compiler was asked for it
//! (`-ze-emit-zebin-visa-sections`), the vISA that the code was made from, `.visaasm`.
//!
//! ```text
//! elf               the file as sections, to be changed; laid out anew when it is written
//! relocation_entry  entries of relocation sections
//! program           what a runtime loads: code, data, relocations, and which platform it is for
//! document          `.ze_info` as a tree
//! info              what it says of a kernel
//! edit              values of it, changed where they stand
//! ```
//!
//! # What holds
//!
//! * No input panics: what is no such file, or lies about its sizes, is an [`Error`].
//! * Reading takes time and memory in proportion to the file.
//! * What nobody changes is written as it was read: sections, numbers, lines.
//!
//! Sources: Intel's graphics compiler, `IGC/ZEBinWriter/zebin/spec/` (`elf.md`, `zeinfo.md`, `gen-relocation.md`).

// Numbers are converted by name (the crate `narrow`) or with an error.
#![cfg_attr(not(test), deny(clippy::as_conversions))]

mod document;
mod edit;
mod elf;
pub mod info;
mod program;
mod relocation_entry;

pub use edit::ZeInfo;
pub use elf::{Elf, Patch, Section, is_elf, relocation_bytes};
pub use info::KernelInfo;
pub use program::{Data, Part, Program, Relocation, Unit, platform_of, product};

/// Why a file is no compiled program, or its description none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The file does not hold what it says.
    #[error("{0}")]
    File(String),
    /// `.ze_info` cannot be read.
    #[error(".ze_info: {0}")]
    Description(String),
}

fn bad(message: impl Into<String>) -> Error {
    Error::File(message.into())
}
