//! vISA to native Gen machine code: the pipeline, as a library for compilers and runtimes.
//!
//! # What comes in, what goes out
//!
//! ```text
//! object bytes ──read_module──┐
//! vISA assembly ──read_text───┼──▶ visa::Module ──Finalizer──▶ Binary { code, info, relocations, symbols, … }
//! visa::builder::KernelBuilder┘                           └──▶ Refusal: every fault, with its place
//! ```
//!
//! A [`Finalizer`] belongs to one platform and its [`Options`]. It keeps scratch memory from one kernel to
//! the next, so make one per thread and keep it.
//!
//! # An object
//!
//! ```
//! use finalizer::{Finalizer, Options};
//! use platforms::Platform;
//!
//! # let object = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/saxpy_skl.isa"))?;
//! let mut finalizer = Finalizer::new(Options::new(Platform::Skl));
//! let binary = finalizer.finalize_named(&object, "saxpy")?;
//!
//! // What a launch needs:
//! let info = &binary.info;
//! println!("{} bytes, SIMD{}, {} registers", binary.code.len(), info.simd, info.grf_count);
//! println!("{} bytes of scratch a thread, {} of SLM", info.scratch_bytes, info.slm_bytes);
//! for input in &info.inputs {
//!     println!("{}: {} bytes at payload offset {}", input.name, input.size, input.offset);
//! }
//! # assert_eq!(info.simd, 16);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! All kernels of an object at once, on as many threads as the machine has; the bytes are the same:
//!
//! ```
//! # use finalizer::{Finalizer, Options};
//! # use platforms::Platform;
//! # let object = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/saxpy_skl.isa"))?;
//! let module = finalizer::read_module(&object)?;
//! let threads = std::thread::available_parallelism()?;
//! let mut finalizer = Finalizer::new(Options::new(Platform::Skl));
//! let binaries = finalizer.finalize_parallel(&module, threads)?;
//! # assert_eq!(binaries.len(), module.kernels.len());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # A kernel made in memory
//!
//! [`visa::builder`] makes kernels without a file in between:
//!
//! ```
//! use finalizer::{Finalizer, Options};
//! use platforms::Platform;
//! use visa::{
//!     Access, Align, Exec, ExecSize, Type,
//!     builder::KernelBuilder,
//!     op::{BlockAlignment, SurfaceModifier},
//! };
//!
//! let mut b = KernelBuilder::new("fill", Platform::Skl);
//! let (surface, data) = (b.surface("out"), b.general("data", Type::UD, 8, Align::Grf));
//! b.mov(Exec::no_mask(ExecSize::S8), data, 42u32);
//! b.oword_block(Access::Store, BlockAlignment::Oword, 2, SurfaceModifier::None, surface, 0u32, data);
//! b.ret();
//! let module = b.finish()?;
//! let binary = Finalizer::new(Options::new(Platform::Skl)).finalize_kernel(&module, 0)?;
//! # assert!(!binary.code.is_empty());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What is refused
//!
//! ```
//! # use finalizer::{Finalizer, Options};
//! # use platforms::Platform;
//! let mut finalizer = Finalizer::new(Options::new(Platform::Skl));
//! let refusal = finalizer.finalize_object(b"CISA\x02\x00").unwrap_err();
//! let fault = &refusal.0[0];
//! assert_eq!(fault.code, "UnsupportedVersion");
//! println!("{fault}"); // its place, what was found, what is allowed
//! ```
//!
//! Why an instruction has no code on a platform is a value, too ([`Diagnostic::unsupported`]).
//!
//! # Where things are
//!
//! ```text
//! api        options, input, refusals, what comes out
//! driver     the list of passes, and what runs it
//! lower      vISA to Gen instructions over variables     messages   those of messages
//! optimize   fewer of them                               legalize   what the platform can encode
//! schedule   their order                                 swsb       what they wait for
//! errata     what keeps faults of the hardware from happening
//! link       a kernel with its functions, symbols, debug information
//! build      small constructors of instructions          identities what integers simplify to
//! unsupported   why an instruction has no code           lists      lists that keep their memory
//! ```
//!
//! # What holds
//!
//! * No input panics, hangs or exhausts memory; what is refused is refused with every fault and its place.
//! * Equal input gives equal bytes, on any number of threads.
//! * [`Finalizer`] is `Send`; there is no global state, no output and no file access.
//!
//! C and C++ reach the same through the library of the crate `capi`; a runtime that loads Intel's
//! `libigc` for its `JITCompile`, through the one of the crate `jit`.

// Numbers are converted by name (the crate `narrow`) or with an error.
#![cfg_attr(not(test), deny(clippy::as_conversions))]

mod api;
mod build;
mod driver;
mod errata;
mod identities;
mod legalize;
mod link;
mod lists;
mod lower;
mod messages;
mod optimize;
#[cfg(test)]
mod pages;
mod schedule;
pub mod swsb;
mod unsupported;

pub use api::{
    binary::{
        Binary, FunctionInfo, InputInfo, InputKind, KernelInfo, Line, Lines, Origin, Relocation,
        RelocationKind, Stats, Symbol, SymbolKind,
    },
    diagnostic::{Diagnostic, Place, Refusal, Severity},
    info::{inputs_of, instructions},
    input::{
        compiled_for_other_registers, kernel_named, platform_name, read_input, read_kernel, read_module,
        read_text,
    },
    options::{Grf, Level, Options, ThreadPairs},
    settings::{SETTINGS, Setting},
};
pub use driver::{
    alone::Alone,
    finalizer::Finalizer,
    pass::Pass,
    pass_set::{PassSet, PassTime},
    passes::PASSES,
};
/// Part of [`Unsupported`].
pub use gen_ir::Type;
pub use gen_ir::{Stop, Watch};
/// Part of [`Unsupported`].
pub use legalize::NotLegal;
pub use link::relocate::PAYLOAD_OFFSET;
/// Part of [`Options`].
pub use platforms::Platform;
pub use unsupported::{Feature, NoVariable, Unsupported};
/// The crate that defines [`visa::Module`] and all that makes one.
pub use visa;
