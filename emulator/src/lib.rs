//! A judge without a GPU: runs Gen code as the execution units would.
//!
//! In comes machine code ([`Program`]), a launch laid out as a runtime would ([`Dispatch`]) and the
//! memory it works on ([`Memory`]); out comes the changed memory and a [`RunReport`] with counts and
//! findings. With [`Options::strict`] the run reports what no correct program does (a branch on a register
//! nobody wrote, an access out of bounds); with [`Options::scoreboard`] it reports every read or write that
//! comes before the dependency information of the code allows it.
//!
//! What holds: no code bytes make it panic, and none make it run forever
//! ([`Options::max_instructions`]). Equal input gives equal output.

mod alu;
mod cycles;
mod dispatch;
mod file;
mod flow;
pub mod infer;
mod launch;
pub mod link;
mod memory;
mod messages;
pub mod num;
mod opaque;
mod payload;
pub mod probe;
mod program;
mod report;
mod scoreboard;
mod strict;
#[cfg(test)]
mod tests;
mod thread;
pub mod visa;

pub use dispatch::{GroupReport, Groups, run as run_program};
pub use launch::{Arg, Bindings, Dispatch, Launch, RawLaunch};
pub use memory::{Buffer, Fault as MemoryFault, Image, Memory, Outside, Sampler, Surface, Texel, Wrap};
pub use payload::{Unfilled, unfilled};
pub use program::Program;
pub use report::{Fault, Report, RunReport, SendKind};

use platforms::Platform;

/// Why a run ended early.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// An instruction could not be run.
    #[error("{pc:#07x}: {reason}\n    {inst}\n    (group {},{},{} thread {thread})", group[0], group[1], group[2])]
    Trap {
        /// Byte offset of the instruction.
        pc: u32,
        /// Its text.
        inst: String,
        /// The group.
        group: [u32; 3],
        /// The thread in its group.
        thread: u32,
        /// What is wrong.
        reason: String,
    },
    /// More instructions than allowed.
    #[error("stopped after {instructions} instructions, at {pc:#07x}")]
    Limit {
        /// The limit.
        instructions: u64,
        /// Where the run was.
        pc: u32,
    },
    /// Threads wait at a barrier that not all of their group reach.
    #[error("group {},{},{}: {waiting} threads wait at a barrier that {arrived} signalled", group[0], group[1], group[2])]
    Deadlock {
        /// The group.
        group: [u32; 3],
        /// Threads waiting.
        waiting: u32,
        /// Signals the barrier has.
        arrived: u32,
    },
    /// The launch does not suit the kernel.
    #[error("launch: {0}")]
    Launch(String),
    /// What a kernel is described to be handed cannot be.
    #[error("layout of arguments: {0}")]
    Layout(String),
    /// A compiled program does not define what its code refers to.
    #[error("linking: {0}")]
    Link(String),
}

/// Instructions whose results count as undefined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Poison {
    /// What the one at this byte offset computes for these channels; of a message, what it loads, and what
    /// it stores to scratch.
    At(u32, u32),
    /// Those that run while no channel does.
    Idle,
}

/// How to run.
#[derive(Clone, Debug)]
pub struct Options {
    /// Report what no correct program does.
    pub strict: bool,
    /// Report what comes before its dependencies.
    pub scoreboard: bool,
    /// Keep a line per executed instruction, up to `trace_lines`.
    pub trace: bool,
    /// Most lines of trace.
    pub trace_lines: usize,
    /// Only what these instructions compute counts as undefined, and storing it is reported too: a strict
    /// run without such a report proves that their results do not matter.
    pub poison: Option<Poison>,
    /// The instruction at this byte offset leaves random bits, made from the second number.
    pub scramble: Option<(u32, u64)>,
    /// Hash the results of all instructions into [`RunReport::results`].
    pub results: bool,
    /// Instructions that a thread of a group runs before the next has its turn.
    pub turn: u64,
    /// Most instructions of all threads together.
    pub max_instructions: u64,
    /// Shared functions that answer what is not modelled of them with a number made of the message, where it is an
    /// error otherwise: to compare what two codes ask ([`RunReport::asked`]). Of the sampler's these are operations; of
    /// others all messages.
    pub opaque: Vec<gen_ir::Sfid>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            strict: true,
            scoreboard: true,
            trace: false,
            trace_lines: 100_000,
            poison: None,
            scramble: None,
            results: false,
            turn: 4096,
            max_instructions: 1_000_000_000,
            opaque: Vec::new(),
        }
    }
}

impl Options {
    /// Nothing but running.
    pub fn fast() -> Options {
        Options { strict: false, scoreboard: false, ..Options::default() }
    }
}

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
