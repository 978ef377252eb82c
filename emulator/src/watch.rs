//! Looking at threads before they run an instruction.

/// What to look at, and before which instruction.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Watch {
    /// Byte offset of the instruction in code, or its number in a vISA kernel.
    pub at: u32,
    /// What.
    pub of: Watched,
}

/// What is looked at.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Watched {
    /// Bytes of the register file: the first, and how many.
    Registers(u32, u32),
    /// A variable of the vISA kernel.
    Variable(::visa::VarId),
}

/// What was seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// The watch.
    pub watch: Watch,
    /// The group.
    pub group: [u32; 3],
    /// The thread in its group.
    pub thread: u32,
    /// Channels that are about to run.
    pub active: u32,
    /// The bytes; of variables `None` where nobody wrote any.
    pub bytes: Vec<Option<u8>>,
}

/// The watches before an instruction, of all of them in the order of instructions.
pub(crate) fn before(watches: &[Watch], at: u32) -> &[Watch] {
    let first = watches.partition_point(|w| w.at < at);
    let count = watches[first..].partition_point(|w| w.at == at);
    &watches[first..first + count]
}
