//! What a message's descriptors say: one module a shared function, one bitfield struct a kind of message, in the
//! words of the Programmer's Reference Manuals.
//!
//! Lowering builds descriptors here and spilling too; the scoreboard, the emulator, the listing and the JSON read
//! them here. A field has its place in one line of this crate.
//!
//! ```text
//! Descriptor ──from──▶ hdc::Surface, hdc::ScratchBlock, lsc::Untyped, sampler::Sample, ...
//!            ◀─into──
//! ```
//!
//! Why a crate of its own and not a module of the Gen IR: a descriptor is a word that the hardware defines, it
//! needs nothing of the IR, and readers of raw vISA messages (the vISA interpreter) know no IR. Whether a message loads or
//! stores ([`Access`]) is one word for all: the model of vISA (`visa`) has it from here, too.
//!
//! A new message of a form that is here is a row: code of the message type, effect on memory, form of descriptor and
//! payload, what it is addressed by, words of a listing (`hdc/types.rs`, `lsc/types.rs`, `sampler/types.rs`). What makes it
//! of vISA's instruction (`finalizer::messages`) builds the struct and ends in `send`, which fills in lengths and
//! refuses a payload or response that the descriptor cannot count. A form that no message had is a variant of `Form` and
//! its struct; the compiler then stops where forms differ, in the emulator and in `iga`.
//!
//! What headers and payloads say in bits stands here, too: the sampler's control, the size of a media block, what a barrier
//! counts, the header of a render target, what scales a block of pixels, and the header that each thread starts with.
//!
//! What holds: a struct has all 32 bits, those that its kind of message does not use too, so a descriptor goes
//! through any struct unchanged. Codes without a name give `None`, never another name. Lengths are types that
//! check their range when built ([`MessageLength`], [`ResponseLength`], [`ExtendedLength`]).
//!
//! Sources: volume 7 ("3D Media GPGPU", "Shared Functions") and volume 2d (descriptors, "Message Descriptor" and
//! "Extended Message Descriptor") of the Skylake to Tiger Lake manuals; for Xe-HPC the reference disassembler,
//! whose answers `tests/golden` keeps.

// Numbers are converted by name (the crate `narrow`) or with an error.
#![cfg_attr(not(test), deny(clippy::as_conversions))]

#[macro_use]
mod macros;
mod descriptor;
mod effect;
pub mod gateway;
pub mod hdc;
pub mod interpolator;
mod length;
pub mod lsc;
pub mod ray;
pub mod render;
pub mod sampler;
mod sfid;
pub mod spawner;
pub mod thread;
pub mod urb;
pub mod vme;

pub use descriptor::{Descriptor, ExtendedDescriptor, SurfaceIndex};
pub use effect::{Access, Effect, Operation};
pub use length::{ExtendedLength, MessageLength, ResponseLength, TooLong};
pub use sfid::Sfid;
