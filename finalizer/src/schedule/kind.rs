//! What scheduling tells instructions apart by.

use gen_ir::MemoryAccess;

/// How an instruction may move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Mobility {
    /// Nothing may pass it.
    Stays,
    /// As its operands allow.
    Plain,
    /// As its operands allow and what others do to the memory that it is about: a message, or what orders messages, which are
    /// fences, barriers and waits.
    Memory(MemoryAccess),
    /// It sets modes of floats alone: operations on floats stay where they are to it.
    Mode,
}
