//! The instruction table: one row per opcode and sub-opcode says which operands the instruction has,
//! in what order and form they stand in the object, and which types and classes are allowed.
//!
//! The reader, the writer, the verifier and the tests walk these rows. Facts are from the
//! specification's instruction pages; where those are silent, from objects that Intel's compiler wrote.
//!
//! A new instruction that computes a destination from sources is a line of `plain`, a new message an entry of `message`, or
//! of `structs` where its view is handed on whole; all that this crate does with them follows. What is neither has its
//! opcode in `opcode`, its row beside its like in a file of this folder, and its view: a variant of `op` and a row of
//! `op::views`. `va` has rows and text alone: no page says what its operands mean.
//! `finalizer::lower` then says what it becomes. A Gen instruction that is new as well has its row in `gen_ir`'s `op.rs` and
//! its number in `encoder`'s `opcodes.rs`; where platforms lack it, `finalizer::legalize::opcodes` says what stands for it.
//! The interpreter that judges it (`emulator::visa`) says what it computes in words of its own.

mod alu;
mod fields;
mod memory;
mod message;
mod misc;
mod plain;
mod row;
mod sets;
mod structs;
mod va;

/// The fields that entries of messages name.
pub(crate) mod entry_fields {
    pub(crate) use super::{
        fields::*,
        row::{i32, raw_dst, raw_src},
    };
}
pub(crate) use message::message_instructions;
pub(crate) use plain::plain_instructions;
pub(crate) use structs::struct_instructions;

pub use row::{Classes, Enc, Family, Role, Row, Saturates, Slot, Text, Types, When};

use crate::opcode::Opcode;
use narrow::{as_index, wide_u8};

const TOPICS: [&[Row]; 6] = [alu::PLAIN, alu::OTHER, memory::ROWS, memory::STRUCTS, va::ROWS, misc::ROWS];

/// Sub-opcodes that an opcode may have.
const SUBS: usize = 64;

/// Opcodes whose rows differ by sub-opcode.
const WITH_SUB: [Opcode; 5] =
    [Opcode::Svm, Opcode::Va, Opcode::VaSklPlus, Opcode::LscUntyped, Opcode::LscTyped];

/// The rows of opcodes without sub-opcode, by opcode.
static PLAIN: [Option<&Row>; 256] = {
    let mut plain = [None; 256];
    let mut topic = 0;
    while topic < TOPICS.len() {
        let mut i = 0;
        while i < TOPICS[topic].len() {
            let row = &TOPICS[topic][i];
            if row.sub.is_none() {
                plain[row.opcode.index()] = Some(row);
            }
            i += 1;
        }
        topic += 1;
    }
    plain
};

/// The rows of each of [`WITH_SUB`], by sub-opcode.
static BY_SUB: [[Option<&Row>; SUBS]; WITH_SUB.len()] = {
    let mut by_sub = [[None; SUBS]; WITH_SUB.len()];
    let mut topic = 0;
    while topic < TOPICS.len() {
        let mut i = 0;
        while i < TOPICS[topic].len() {
            let row = &TOPICS[topic][i];
            let mut at = 0;
            while at < WITH_SUB.len() {
                if let Some(sub) = row.sub
                    && WITH_SUB[at].raw() == row.opcode.raw()
                {
                    by_sub[at][as_index(wide_u8(sub))] = Some(row);
                }
                at += 1;
            }
            i += 1;
        }
        topic += 1;
    }
    by_sub
};

/// All rows, by topic.
pub fn rows() -> impl Iterator<Item = &'static Row> {
    TOPICS.into_iter().flatten()
}

/// The rows of messages whose text their fields say.
pub(crate) fn messages() -> impl Iterator<Item = &'static Row> {
    memory::ROWS.iter().filter(|row| row.family == Family::Message)
}

/// The row of a message whose text its fields say, by its name, where that is no opcode's.
pub(crate) fn message_by_sub(name: &str) -> Option<&'static Row> {
    messages().find(|row| row.sub.is_some() && row.name == name)
}

/// True if the byte after this opcode is a sub-opcode that selects the row.
pub const fn has_sub(opcode: Opcode) -> bool {
    matches!(opcode, Opcode::Svm | Opcode::Va | Opcode::VaSklPlus | Opcode::LscUntyped | Opcode::LscTyped)
}

/// The row of an opcode and sub-opcode (0 for opcodes without).
#[inline]
pub fn lookup(opcode: Opcode, sub: u8) -> Option<&'static Row> {
    match PLAIN[usize::from(opcode.raw())] {
        Some(row) => Some(row),
        None => lookup_sub(opcode, sub),
    }
}

fn lookup_sub(opcode: Opcode, sub: u8) -> Option<&'static Row> {
    let at = WITH_SUB.iter().position(|o| *o == opcode)?;
    *BY_SUB[at].get(usize::from(sub))?
}

/// Fields of typed gathers and scatters before version 3.2: no predicate, no level of detail, and the
/// channel mask (complemented) before the execution size.
pub(crate) fn slots_for(row: &'static Row, version: u16) -> &'static [Slot] {
    if version < 302 && matches!(row.opcode, Opcode::Gather4Typed | Opcode::Scatter4Typed) {
        memory::TYPED4_OLD
    } else {
        row.slots
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_opcode_has_a_row() {
        for &opcode in Opcode::ALL {
            let found = rows().filter(|r| r.opcode == opcode).count();
            assert!(found >= 1, "{opcode}");
            assert!(has_sub(opcode) || found == 1, "{opcode} has {found} rows");
        }
        for row in rows() {
            assert!(std::ptr::eq(lookup(row.opcode, row.sub.unwrap_or(0)).unwrap(), row), "{}", row.name);
            assert_eq!(has_sub(row.opcode), row.sub.is_some());
            assert_eq!(has_sub(row.opcode), row.slots.first().is_some_and(|s| s.enc == Enc::Sub));
        }
    }
}
