//! Registers that a message may still be reading.
//!
//! A message reads its payload some time after it was issued, and what writes there waits for that. What is placed soon
//! behind it goes elsewhere, if there is room.

use crate::analysis::position::Position;
use gen_ir::{FileByte, RegisterSet};

/// How far behind a message its payload is left alone, in positions.
const WHILE: u32 = 48;

/// The payloads that were placed, as far as they may matter.
#[derive(Default)]
pub(crate) struct Sent(Vec<Payload>);

struct Payload {
    /// Where the message was issued.
    end: Position,
    /// Its registers: the first, and one past the last.
    regs: (u32, u32),
}

impl Sent {
    /// There are none.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// What was read long before `now` is forgotten: all that is placed from here on begins no sooner.
    pub fn forget_before(&mut self, now: Position) {
        self.0.retain(|p| p.end > now || now.since(p.end) < WHILE);
    }

    /// A payload that is dead from `end` on has these bytes of a file of registers of so many bytes.
    pub fn add(&mut self, end: Position, (from, to): (FileByte, FileByte), reg_bytes: u32) {
        self.0.push(Payload { end, regs: (from.bytes() / reg_bytes, to.bytes().div_ceil(reg_bytes)) });
    }

    /// Registers that may still be read where something begins to live.
    pub fn before<const W: usize>(&self, start: Position) -> RegisterSet<W> {
        let mut regs = RegisterSet::EMPTY;
        for p in self.0.iter().filter(|p| p.end <= start && start.since(p.end) < WHILE) {
            regs |= RegisterSet::between(p.regs.0, p.regs.1);
        }
        regs
    }
}
