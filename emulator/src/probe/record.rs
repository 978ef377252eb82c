//! What a probe notes.

use gen_ir::Sfid;
use std::ops::Range;

/// A message as it was sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sent {
    /// Byte offset of the instruction.
    pub offset: u32,
    /// Shared function, as the word has it.
    pub sfid: Sfid,
    /// Descriptor, and whether it came from a register.
    pub desc: (u32, bool),
    /// Extended descriptor, and whether it came from a register.
    pub ex_desc: (u32, bool),
    /// The register with the extended descriptor is all surface state offset.
    pub ex_bso: bool,
    /// The message ends the thread.
    pub eot: bool,
    /// It waits for other threads (`sendc`).
    pub conditional: bool,
    /// Channels of the instruction.
    pub lanes: u32,
    /// It ignores the execution mask.
    pub no_mask: bool,
    /// Channels for which it was sent.
    pub on: u32,
    /// Bytes of the payload; `None` for one that nobody wrote.
    pub payload: Vec<Option<u8>>,
    /// How many of them are of the second range.
    pub second: usize,
    /// Registers of the response, none where it goes nowhere.
    pub response: u32,
}

/// What code did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Probed {
    /// Its messages, in order.
    pub sent: Vec<Sent>,
    /// The general registers at the end; `None` for a byte that nobody wrote.
    pub registers: Vec<Option<u8>>,
}

/// The probe in a run.
pub(crate) struct Probe {
    pub(super) seed: u64,
    pub(super) header: Vec<u8>,
    pub(super) hidden: Vec<Range<u32>>,
    /// Bytes of payload that the prologue loads still; they are in their registers from the start.
    pub(super) prologue: usize,
    pub(super) probed: Probed,
}
