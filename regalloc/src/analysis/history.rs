//! What earlier rounds of an allocation have made of variables.

use gen_ir::VarId;
use typed_index_collections::{TiSlice, TiVec};

/// What is remembered of variables over the rounds of an allocation.
#[derive(Default)]
pub(crate) struct History {
    /// The backing of a variable, by variable.
    pub backing: TiVec<VarId, Option<VarId>>,
    /// Whether a variable came of splitting another one. It is touched in one block, or in one instruction; splitting the
    /// first kind again gives the second.
    pub split: TiVec<VarId, bool>,
    /// Registers that are payloads of messages whose channels read their own bytes alone, a bit each of the first of a variable;
    /// spilling makes others of them.
    payload: TiVec<VarId, u64>,
    /// Bytes in front of what addresses lead to.
    fronts: TiVec<VarId, u32>,
}

impl History {
    /// Forgets everything.
    pub fn clear(&mut self) {
        self.backing.clear();
        self.split.clear();
        self.payload.clear();
        self.fronts.clear();
    }

    /// Bytes at the start of variables that only messages know, by variable as far as there are any: what is accessed
    /// through addresses begins behind them.
    pub fn fronts(&self) -> &TiSlice<VarId, u32> {
        &self.fronts
    }

    /// Says how many such bytes a variable has.
    pub fn mark_front(&mut self, var: VarId, bytes: u32) {
        if self.fronts.len() <= var.index() {
            self.fronts.resize(var.index() + 1, 0);
        }
        self.fronts[var] = bytes;
    }

    /// Makes room for `n` variables.
    pub fn grow(&mut self, n: usize) {
        self.backing.resize(n, None);
        self.split.resize(n, false);
    }

    /// Whether a variable is a split: it lives in one block, and its first access there starts it.
    pub fn is_split(&self, var: VarId) -> bool {
        self.split.get(var).copied().unwrap_or(false)
    }

    /// The registers of a variable that are, or were in the one that it is a part of, payloads of messages under the mask alone.
    pub fn payload(&self, var: VarId) -> u64 {
        self.payload.get(var).copied().unwrap_or(0)
    }

    /// Says which registers of a variable are such payloads.
    pub fn mark_payload(&mut self, var: VarId, registers: u64) {
        if self.payload.len() <= var.index() {
            self.payload.resize(var.index() + 1, 0);
        }
        self.payload[var] |= registers;
    }

    /// Says that a variable is a split.
    pub fn mark_split(&mut self, var: VarId) {
        if self.split.len() <= var.index() {
            self.grow(var.index() + 1);
        }
        self.split[var] = true;
    }
}
