//! Registers and memory that remember what was never written.

/// Bits, and which of them are poison: never written, or made of such.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value {
    pub bits: u64,
    pub poison: u64,
}

impl Value {
    pub const POISON: Value = Value { bits: 0, poison: u64::MAX };

    pub const fn known(bits: u64) -> Value {
        Value { bits, poison: 0 }
    }

    /// All of it is poison if `poison` is.
    pub const fn known_unless(bits: u64, poison: bool) -> Value {
        Value { bits, poison: if poison { u64::MAX } else { 0 } }
    }

    /// Whether some of it is poison.
    pub const fn is_poison(self) -> bool {
        self.poison != 0
    }

    /// Bits that both have: a bit that is known to be clear in one is clear.
    pub fn and(self, other: Value) -> Value {
        let may_be_set = |v: Value| v.bits | v.poison;
        let poison = self.poison & may_be_set(other) | other.poison & may_be_set(self);
        Value { bits: self.bits & other.bits, poison }
    }
}

/// Bytes, with a mark for each bit that was never written.
#[derive(Clone)]
pub struct MarkedBytes {
    pub data: Vec<u8>,
    pub poison: Vec<u8>,
}

impl MarkedBytes {
    pub fn blank(n: usize) -> MarkedBytes {
        MarkedBytes { data: vec![0xa5; n], poison: vec![u8::MAX; n] }
    }

    pub fn load(&self, at: usize, bytes: usize) -> Value {
        let number = |of: &[u8]| of[at..at + bytes].iter().rev().fold(0, |v, b| v << 8 | u64::from(*b));
        Value { bits: number(&self.data), poison: number(&self.poison) }
    }

    pub fn save(&mut self, at: usize, bytes: usize, value: Value) {
        self.data[at..at + bytes].copy_from_slice(&value.bits.to_le_bytes()[..bytes]);
        self.poison[at..at + bytes].copy_from_slice(&value.poison.to_le_bytes()[..bytes]);
    }

    /// What is written at the start.
    pub fn fill(&mut self, at: usize, bytes: &[u8]) {
        self.data[at..at + bytes.len()].copy_from_slice(bytes);
        self.poison[at..at + bytes.len()].fill(0);
    }

    /// Copies bytes from elsewhere, poison and all.
    pub fn copy(&mut self, to: usize, from: &MarkedBytes, at: usize, bytes: usize) {
        self.data[to..to + bytes].copy_from_slice(&from.data[at..at + bytes]);
        self.poison[to..to + bytes].copy_from_slice(&from.poison[at..at + bytes]);
    }

    /// A bit, and whether it is poison.
    pub fn bit(&self, at: usize, bit: usize) -> (bool, bool) {
        let of = |bytes: &[u8]| bytes[at + bit / 8] >> (bit % 8) & 1 != 0;
        (of(&self.data), of(&self.poison))
    }

    pub fn set_bit(&mut self, at: usize, bit: usize, (value, poison): (bool, bool)) {
        let set = |bytes: &mut [u8], on: bool| {
            let byte = &mut bytes[at + bit / 8];
            *byte = *byte & !(1 << (bit % 8)) | u8::from(on) << (bit % 8);
        };
        set(&mut self.data, value);
        set(&mut self.poison, poison);
    }
}
