//! What scheduling tells instructions apart by.

/// How an instruction may move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Mobility {
    /// Nothing may pass it.
    Stays,
    /// As its operands allow.
    Plain,
    /// A message that only reads memory: as its operands allow, but past no store.
    Load,
    /// A message that does more to memory, in order with all others; or what orders messages: fences, barriers, waits.
    Store,
    /// It sets modes of floats alone: operations on floats stay where they are to it.
    Mode,
}
