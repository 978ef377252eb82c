//! Instructions as a kernel stores them.

use crate::{
    opcode::Opcode,
    operand::PredOperand,
    table::{self, Row},
    types::Exec,
};

/// An instruction as stored: its operands are `Kernel::operands[first..first + count]`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Record {
    /// Opcode.
    pub opcode: Opcode,
    /// Sub-opcode, 0 for opcodes without.
    pub sub: u8,
    /// Execution size and mask; [`Exec::SCALAR`] for opcodes without.
    pub exec: Exec,
    /// Guard predicate.
    pub pred: Option<PredOperand>,
    /// First operand.
    pub first: u32,
    /// Number of operands.
    pub count: u16,
    /// Where the instruction came from: byte offset in the object, or line of the text.
    pub place: u32,
}

impl Record {
    /// The table row; `None` only for a sub-opcode that does not exist.
    #[inline]
    pub fn row(&self) -> Option<&'static Row> {
        table::lookup(self.opcode, self.sub)
    }
}
