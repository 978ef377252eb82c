//! A judge without a GPU: runs Gen code as the execution units would.
//!
//! In comes machine code ([`Program`]), a launch laid out as a runtime would ([`Dispatch`]) and the
//! memory it works on ([`Memory`]); out comes the changed memory and a [`RunReport`] with counts and
//! findings. With [`Options::strict`] the run reports what no correct program does (a branch on a register
//! nobody wrote, an access out of bounds); with [`Options::scoreboard`] it reports every read or write that
//! comes before the dependency information of the code allows it.
//!
//! ```text
//! launch     what to run, on which arguments         program    machine code, decoded once
//! dispatch   groups; `group`: their threads in turns thread     registers and channels; `file`: the registers' bytes
//! lanes      operands, lane by lane                  clk        what kernels are told of images
//! thread_memory  what thread headers name
//! memory     allocations, surfaces, samplers         alu        arithmetic; `num`: formats and rounding
//! link       symbols                                 flow       branches
//! tiling     where the bytes of an image lie         payload    inputs that nothing fills
//! infer      a launch, from the vISA alone           messages   one file a family
//! scoreboard, strict, shadow   what code may not rely on       learned  what need not be worked out again
//! cycles     what it costs                           pair       two threads with one instruction pointer
//! rounded    arithmetic that is rounded once         local_ids  what each thread of a group is given
//! options    what a run may be told                  report     what it tells
//! probe, opaque, watch         code whose messages are noted; functions not modelled; looking on
//! visa       the vISA interpreter, by the specification's pages
//! ```
//!
//! What holds: no code bytes make it panic, and none make it run forever
//! ([`Options::max_instructions`]). Equal input gives equal output.

// Numbers are converted by name (the crate `narrow`) or with an error.
#![cfg_attr(not(test), deny(clippy::as_conversions))]

mod alu;
mod clk;
mod cycles;
mod dispatch;
mod file;
mod flow;
mod group;
pub mod infer;
mod lanes;
mod launch;
mod learned;
pub mod link;
mod local_ids;
mod memory;
mod messages;
pub mod num;
mod opaque;
mod options;
mod pair;
mod payload;
pub mod probe;
mod program;
mod report;
mod rounded;
mod scoreboard;
mod shadow;
mod strict;
#[cfg(test)]
mod tests;
mod thread;
mod thread_memory;
mod tiling;
pub mod visa;
mod watch;

pub use dispatch::{GroupReport, Groups, run as run_program};
pub use launch::{Arg, Bindings, Dispatch, Launch, RawLaunch};
pub use learned::Learned;
pub use memory::{Buffer, Image, Memory, MemoryFault, Outside, Sampler, Surface, Texel, Wrap};
pub use options::{Error, Options, Poison};
pub use payload::{Unfilled, unfilled};
pub use program::Program;
pub use report::{Fault, Report, RunReport, SendKind};
pub use tiling::Tiling;
pub use watch::{Seen, Watch, Watched};

use platforms::Platform;

/// A program with so many registers, or as many as there can be.
fn program(platform: Platform, code: &[u8], registers: u32) -> Result<Program, Error> {
    match registers {
        0 => Program::load(platform, code),
        count => Program::load_with(platform, code, count),
    }
}

/// Runs the code of an OpenCL kernel.
pub fn run(
    platform: Platform,
    code: &[u8],
    launch: &Launch,
    memory: &mut Memory,
    options: &Options,
) -> Result<RunReport, Error> {
    let program = program(platform, code, launch.kernel.grf_count)?;
    let kept = memory.count();
    let result =
        Dispatch::new(platform, launch, memory).and_then(|d| dispatch::run(&program, &d, memory, options));
    memory.truncate(kept);
    result
}

/// Runs the code of a kernel whose payload is given.
pub fn run_raw(
    platform: Platform,
    code: &[u8],
    launch: &RawLaunch,
    memory: &mut Memory,
    options: &Options,
) -> Result<RunReport, Error> {
    let program = program(platform, code, launch.registers)?;
    let dispatch = Dispatch::raw(platform, launch)?;
    dispatch::run(&program, &dispatch, memory, options)
}
