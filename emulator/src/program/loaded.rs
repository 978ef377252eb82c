//! A program as it is run.

use super::step::{Message, Pc, Step};
use gen_ir::{Inst, Physical};
use platforms::Platform;

/// A program of a platform.
#[derive(Clone, Debug)]
pub struct Program {
    pub(crate) platform: Platform,
    /// Bytes of a GRF.
    pub(crate) grf: u32,
    pub(crate) grf_count: u32,
    pub(crate) steps: Vec<Step>,
    pub(crate) messages: Vec<Message>,
    pub(crate) bad: Vec<String>,
    /// Instruction at every 8 bytes of code, [`NOWHERE`] inside of one.
    pub(super) index: Vec<Pc>,
    pub(super) insts: Vec<Option<Inst<Physical>>>,
    /// Where threads run as pairs: for each instruction, the place behind the last loop that it is in, 0 for none.
    pub(super) loop_ends: Vec<Pc>,
}
