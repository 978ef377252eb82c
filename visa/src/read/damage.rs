//! Recognizes objects whose code lost operands when it was written.
//!
//! The object writer of IGC 1.0.12504 (and neighbours) ends each instruction too early: it counts the
//! execution size and the predicate as if they were operands. `mov` keeps no operand, `add` only its
//! destination. The code section keeps its full size; what is left of it is stale memory. Nothing can
//! bring the operands back, but the user should hear what is wrong with the file.

use super::{code::CodeReader, cursor::Cursor};
use crate::{
    model::{Kernel, Version},
    opcode::Opcode,
    table::{self, Enc},
};

/// Instructions that whole code would not decode to by chance.
const CONVINCED: u32 = 5;

/// True if the bytes read as instructions of such a writer, up to a return or for long enough.
pub(super) fn is_damaged(c: &mut Cursor<'_>, version: Version) -> bool {
    let mut reader = CodeReader::new(version).without_surface_index();
    let mut scratch = Kernel::default();
    for _ in 0..CONVINCED {
        let Some((opcode, sub)) = opcode(c) else { return false };
        let Some(row) = table::lookup(opcode, sub) else { return false };
        let written = row.operand_slots().count() + usize::from(row.sub.is_some());
        for slot in row.slots.iter().take(written) {
            if slot.enc != Enc::Sub && reader.field(c, slot, &mut scratch).is_err() {
                return false;
            }
        }
        scratch.operands.clear();
        if matches!(opcode, Opcode::Ret | Opcode::Fret) {
            return true;
        }
    }
    true
}

fn opcode(c: &mut Cursor<'_>) -> Option<(Opcode, u8)> {
    let opcode = Opcode::from_raw(c.u8("opcode").ok()?)?;
    let sub = if table::has_sub(opcode) { c.u8("sub-opcode").ok()? } else { 0 };
    Some((opcode, sub))
}
