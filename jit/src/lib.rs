//! A library that stands where Intel's `libigc.so` stands: a runtime opens it, looks up `JITCompile` and
//! the others by name, and gets machine code for the kernels of a vISA object.
//!
//! # What comes in, what goes out
//!
//! The functions, their arguments and the information block are those that media-driver's CM runtime
//! declares and calls (its `cm_program.h`, `cm_jitter_info.h`, `cm_program.cpp`):
//!
//! | function | does |
//! |---|---|
//! | [`JITCompile`] | one kernel of an object, by name, for a platform by name: code, information, message |
//! | [`JITCompile_v2`] | the same, with a pointer for instrumentation, which is accepted and not used |
//! | [`freeBlock`] | frees code |
//! | [`getJITVersion`] | the newest vISA version that is read: 4.1 |
//!
//! # Return codes
//!
//! 0 done; 1 bad input (a null pointer, no kernel of that name, a version that is not the object's); 3 the
//! object or the kernel is refused; 5 the platform is not known. A fault of ours is 3, and says so. Unless
//! it is 0, `errorMsg` holds why, cut to 511 bytes and a zero; Intel's library leaves it alone.
//!
//! # Arguments
//!
//! | argument | meaning |
//! |---|---|
//! | `-O0`, `-O1`, `-O2` | how much work goes into good code; the last one counts, `-O2` is the default |
//! | `-nocompaction` | every instruction at its full 16 bytes |
//! | `-generateDebugInfo` | `gen_debug_info` is what Intel's `.dbg` file holds: places of vISA instructions, of variables where they can be told, subroutines |
//! | `-getfreegrfinfo` | `free_grf_info` is which bytes of the register file no instruction touches |
//! | `-noschedule` | instructions stay in the order of the vISA |
//! | `-TotalGRFNum N`, `-HWThreadNumberPerEU N`, `-autoGRFSelection` | registers of a thread, where platforms differ in that: as many as are named, as so many threads leave, 256 where a kernel then spills less |
//! | `-reservedGRFNum N` | the last N registers are given to no variable |
//! | `-abortOnSpill N`, `-abortonspill` | a kernel is refused that has N messages for spilled values in 200 instructions, or more, or any |
//! | `-scratchAllocForStackInKB N` | scratch memory of a thread whose calls have no known end (128 KiB if absent) |
//! | `-hashmovs HI LO` | a number behind the kernel's end, as Intel's library puts it there |
//! | `-setstartbp` | the kernel's first instruction is a breakpoint |
//! | `-useInlineData` | where kernels load their payload, its first bytes are in `r1`; refused where that is not known |
//! | `-noLoadPayload`, `-crossThreadDataAlignment N` but 32, where kernels load their payload; `-addIEEEExTrap`, `-GTPinScratchAreaSize N` | refused: the code would have to do what it does not |
//! | `-stepping S`, `-debug`, `-ncstateless`, `-enablePreemption`, any other | accepted, without effect: `table.rs` says of each that somebody passes why |
//!
//! They may come as words apart or several in one string.
//!
//! # What holds
//!
//! * Nothing unwinds into the caller, nothing is printed, no file is touched.
//! * May be called from many threads at once; each keeps its scratch memory for its next call.
//! * `genBinary` and `genBinarySize` are null and 0 unless the code is there.
#![deny(unsafe_op_in_unsafe_fn)]
// Numbers are converted by name (the crate `narrow`) or with an error.
#![cfg_attr(not(test), deny(clippy::as_conversions))]

mod arguments;
mod compile;
mod exports;
mod failure;
mod table;

pub use compile::platform;
pub use exports::{FinalizerInfo, JITCompile, JITCompile_v2, freeBlock, getJITVersion};
pub use failure::Code;
pub use table::{By, Done, Row, TABLE};
