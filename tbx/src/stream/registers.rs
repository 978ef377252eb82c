//! Registers that commands and the driver read and write, and the clock.

use narrow::low_u32;
use rustc_hash::FxHashMap;

/// Registers kept: the register file has 8 MB, and no driver uses more than a few hundred of it.
const MOST: usize = 1 << 16;

/// The registers of a connection's engines.
#[derive(Debug, Default)]
pub struct Registers {
    values: FxHashMap<u32, u32>,
    clock: u64,
}

/// Registers of an engine, counted from its first one (PRM volume 2, "Command Reference: Registers").
pub mod engine {
    /// EXECLIST_SUBMITPORT (to Gen9): takes two context descriptors, a dword at a time.
    pub const SUBMIT_PORT: u32 = 0x230;
    /// EXECLIST_STATUS.
    pub const STATUS: u32 = 0x234;
    /// RING_TIMESTAMP.
    pub const TIMESTAMP: u32 = 0x358;
    /// CTX_TIMESTAMP: the time that a context has had.
    pub const CONTEXT_TIME: u32 = 0x3a8;
    /// EXECLIST_SQ_CONTENTS (from Gen11 on): the first context descriptor of the submission queue.
    pub const QUEUE: u32 = 0x510;
    /// EXECLIST_CONTROL (from Gen11 on): bit 0 submits the queue.
    pub const CONTROL: u32 = 0x550;
}

impl Registers {
    /// A register's value.
    pub fn get(&self, offset: u32) -> u32 {
        match offset & 0xfff {
            // Execution lists are empty: the last submission has been taken.
            engine::STATUS => 0x100,
            engine::TIMESTAMP | engine::CONTEXT_TIME => low_u32(self.clock),
            low if low == engine::TIMESTAMP + 4 || low == engine::CONTEXT_TIME + 4 => {
                low_u32(self.clock >> 32)
            }
            _ => self.values.get(&offset).copied().unwrap_or(0),
        }
    }

    /// Sets a register; beyond a bound, those never set before stay as they are.
    pub fn set(&mut self, offset: u32, value: u32) {
        if self.values.len() < MOST || self.values.contains_key(&offset) {
            self.values.insert(offset, value);
        }
    }

    /// Lets time pass: a tick a command and more for what it does, so that equal runs take equal times.
    pub fn tick(&mut self) {
        self.pass(1);
    }

    /// Lets some more time pass.
    pub fn pass(&mut self, ticks: u64) {
        self.clock = self.clock.wrapping_add(ticks);
    }

    /// The time.
    pub fn clock(&self) -> u64 {
        self.clock
    }
}
