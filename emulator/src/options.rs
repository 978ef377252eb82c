//! What a run may be told, and why it ends without a result.

use crate::watch::Watch;

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
    /// The results of the instruction at this byte offset, for the channels of this mask. If it is a message: what it loads,
    /// and what it stores to scratch memory.
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
    /// Where threads run as pairs: let each run what hardware may run of it while none of its channels is on. Results are
    /// those of a thread alone if the code guards against that; what is run so is not counted.
    pub pairs: bool,
    /// Keep a line per executed instruction, up to `trace_lines`.
    pub trace: bool,
    /// Most lines of trace, and most of what watches see.
    pub trace_lines: usize,
    /// What to look at before instructions, in the order of those: [`RunReport::seen`](crate::RunReport::seen).
    pub watches: Vec<Watch>,
    /// Only what these instructions compute counts as undefined, and storing it is reported too: a strict
    /// run without such a report proves that their results do not matter.
    pub poison: Option<Poison>,
    /// The instruction at this byte offset leaves random bits, made from the second number.
    pub scramble: Option<(u32, u64)>,
    /// Hash the results of all instructions into [`RunReport::results`](crate::RunReport::results).
    pub results: bool,
    /// Instructions that a thread of a group runs before the next has its turn.
    pub turn: u64,
    /// Most instructions of all threads together.
    pub max_instructions: u64,
    /// Shared functions that answer what is not modelled of them with a number made of the message, where it is an
    /// error otherwise: to compare what two codes ask ([`RunReport::asked`](crate::RunReport::asked)). Of the sampler's these are operations; of
    /// others all messages.
    pub opaque: Vec<gen_ir::Sfid>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            strict: true,
            scoreboard: true,
            pairs: true,
            trace: false,
            trace_lines: 100_000,
            watches: Vec::new(),
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
        Options { strict: false, scoreboard: false, pairs: false, ..Options::default() }
    }
}
