//! Compiled programs of Intel's graphics compiler: what `ocloc` writes and what drivers load and cache.
//!
//! # What comes in, what goes out
//!
//! A *zebin* is an ELF file (machine type 205) with a section of machine code for each kernel, `.text.NAME`, a
//! description of all of them for the runtime, `.ze_info`, and, if the compiler was asked for it
//! (`-ze-emit-zebin-visa-sections`), the vISA that the code was made from, `.visaasm`. [`finalize`] makes new code
//! from that vISA and gives the same program with it: code, symbols, relocations and description are of the new
//! code; every other section, key and number stays as it was.
//!
//! ```text
//! elf        the file as sections; laid out anew when it is written
//! program    which vISA belongs to which code; the platform that the program is for
//! ze_info    values of `.ze_info`, changed where they stand
//! rewrite    new code for a kernel: its section, symbols, relocations
//! ```
//!
//! # What holds
//!
//! * No input panics: what is no such file, or lies about its sizes, is refused.
//! * What the program says of its kernels is true of the new code: channels, registers, scratch memory, barriers,
//!   where a launch may enter.
//!
//! Sources: Intel's graphics compiler, `IGC/ZEBinWriter/zebin/spec/` (`elf.md`, `zeinfo.md`, `gen-relocation.md`).

mod elf;
mod program;
mod rewrite;
mod ze_info;

pub use elf::is_elf;
pub use program::{Options, Program, finalize, platform_of};
