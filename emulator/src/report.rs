//! What a run tells: counts, modelled cycles, and everything that the hardware would let pass or hang
//! on but no correct program does.

use std::{collections::BTreeMap, fmt};

use crate::watch::Seen;
use messages::Access;

/// What was found.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Fault {
    /// A branch or a message address depends on a register nothing wrote.
    Uninitialized,
    /// A value that depends on a register nothing wrote is stored. Correct programs do so with the padding of
    /// structures, and where a stack in memory saves whole registers.
    UndefinedData,
    /// An access outside of a surface or of shared local memory: reads give zero, writes are dropped.
    OutOfBounds,
    /// An access at an address where nothing is, which the hardware may do anything with. Here reads give zero
    /// and writes are dropped.
    NoMemory,
    /// A message length that its type does not have.
    MessageLength,
    /// A region or operand type the hardware does not allow.
    Illegal,
    /// The end of a thread with a payload outside of r112 to r127.
    Eot,
    /// Channels waiting where the thread never came.
    LanesLeft,
    /// A register read or written before an earlier instruction was done with it.
    Hazard,
}

impl Fault {
    /// Whether no correct program does it.
    pub const fn is_error(self) -> bool {
        !matches!(self, Fault::UndefinedData)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Fault::Uninitialized => "uninitialized register",
            Fault::UndefinedData => "undefined data",
            Fault::OutOfBounds => "out of bounds",
            Fault::NoMemory => "no memory",
            Fault::MessageLength => "message length",
            Fault::Illegal => "illegal operand",
            Fault::Eot => "end of thread",
            Fault::LanesLeft => "channels left waiting",
            Fault::Hazard => "hazard",
        })
    }
}

/// One finding. The same finding at the same instruction is counted, not repeated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// What.
    pub fault: Fault,
    /// Byte offset of the instruction.
    pub pc: u32,
    /// Its text.
    pub inst: String,
    /// What exactly, where it was seen first.
    pub detail: String,
    /// The group it was seen in first.
    pub group: [u32; 3],
    /// The thread of that group.
    pub thread: u32,
    /// How often.
    pub count: u64,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [x, y, z] = self.group;
        write!(
            f,
            "{:#07x}: {}: {} (group {x},{y},{z} thread {}; {} times)\n    {}",
            self.pc, self.fault, self.detail, self.thread, self.count, self.inst
        )
    }
}

/// Findings of a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reports {
    found: BTreeMap<(u32, Fault), Report>,
}

impl Reports {
    pub(crate) fn add(&mut self, fault: Fault, pc: u32, make: impl FnOnce() -> Report) {
        self.found.entry((pc, fault)).or_insert_with(make).count += 1;
    }

    pub(crate) fn into_vec(self) -> Vec<Report> {
        self.found.into_values().collect()
    }
}

/// What messages did.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum SendKind {
    /// Reads memory.
    Load,
    /// Writes memory.
    Store,
    /// Reads and writes memory in one.
    Atomic,
    /// Reads or writes scratch.
    Scratch,
    /// Reads or writes shared local memory.
    Slm,
    /// Samples an image, or asks about one.
    Sampler,
    /// Orders memory accesses.
    Fence,
    /// Signals a barrier, or another thread.
    Gateway,
    /// Ends a thread.
    Eot,
}

impl From<Access> for SendKind {
    fn from(access: Access) -> SendKind {
        match access {
            Access::Load => SendKind::Load,
            Access::Store => SendKind::Store,
        }
    }
}

/// What a run did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunReport {
    /// Threads that ran.
    pub threads: u64,
    /// Instructions executed.
    pub instructions: u64,
    /// Instructions executed per mnemonic.
    pub opcodes: BTreeMap<&'static str, u64>,
    /// Executions by byte offset, in code order.
    pub executed: Vec<(u32, u64)>,
    /// By instruction: a hash of what it left in its destination and flags each time it ran, where asked
    /// for.
    pub results: Vec<u64>,
    /// Messages sent per kind.
    pub sends: BTreeMap<SendKind, u64>,
    /// Cycles of the threads one after the other, as the platform's latency figures have them.
    pub cycles: u64,
    /// Findings, in code order.
    pub reports: Vec<Report>,
    /// One line per executed instruction, where asked for.
    pub trace: Vec<String>,
    /// What watches saw, in order.
    pub seen: Vec<Seen>,
    /// What functions were asked that are not modelled ([`crate::Options::opaque`]), in order: a number for each
    /// message, or channel of one to the sampler.
    pub asked: Vec<u64>,
}
