//! The tables of compaction, searched by pattern.

use super::compact_tables::{CONTROL, DATA_TYPE_GEN8, DATA_TYPE_GEN11, SOURCE, SUB_REG};
use narrow::{as_index, const_u8};

/// Finds the index of a pattern: a hash table with linear probing, built at compile time.
pub(super) struct Lookup {
    keys: [u32; Lookup::SLOTS],
    index: [u8; Lookup::SLOTS],
    patterns: [u32; 32],
}

impl Lookup {
    const SLOTS: usize = 128;
    const EMPTY: u32 = u32::MAX;

    const fn slot(key: u32) -> usize {
        as_index(key.wrapping_mul(0x9e37_79b1) >> 25)
    }

    const fn new(table: [u32; 32], mask: u32) -> Lookup {
        let mut l =
            Lookup { keys: [Lookup::EMPTY; Lookup::SLOTS], index: [0; Lookup::SLOTS], patterns: table };
        let mut i = 0;
        while i < 32 {
            let key = table[i] & mask;
            l.patterns[i] = key;
            let mut slot = Lookup::slot(key);
            while l.keys[slot] != Lookup::EMPTY && l.keys[slot] != key {
                slot = (slot + 1) % Lookup::SLOTS;
            }
            if l.keys[slot] == Lookup::EMPTY {
                l.keys[slot] = key;
                l.index[slot] = const_u8(i);
            }
            i += 1;
        }
        l
    }

    /// The first index of a pattern.
    #[inline]
    pub fn find(&self, key: u32) -> Option<u8> {
        let mut slot = Lookup::slot(key);
        loop {
            match self.keys[slot] {
                Lookup::EMPTY => return None,
                k if k == key => return Some(self.index[slot]),
                _ => slot = (slot + 1) % Lookup::SLOTS,
            }
        }
    }

    /// The pattern of an index.
    #[inline]
    pub fn pattern(&self, index: u8) -> u32 {
        self.patterns[usize::from(index & 31)]
    }
}

pub(super) static CONTROLS: Lookup = Lookup::new(CONTROL, u32::MAX);
pub(super) static TYPES_GEN8: Lookup = Lookup::new(DATA_TYPE_GEN8, u32::MAX);
pub(super) static TYPES_GEN11: Lookup = Lookup::new(DATA_TYPE_GEN11, u32::MAX);
pub(super) static SOURCES: Lookup = Lookup::new(SOURCE, u32::MAX);
/// Subregisters of the destination and up to two sources, by how many of them are registers.
pub(super) static SUB_REGS: [Lookup; 3] =
    [Lookup::new(SUB_REG, 0x1f), Lookup::new(SUB_REG, 0x3ff), Lookup::new(SUB_REG, 0x7fff)];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_is_found_where_it_first_stands() {
        for (lookup, table) in [(&CONTROLS, CONTROL), (&TYPES_GEN8, DATA_TYPE_GEN8), (&SOURCES, SOURCE)] {
            for (i, &pattern) in table.iter().enumerate() {
                assert_eq!(lookup.find(pattern), Some(i as u8), "{pattern:#x}");
                assert_eq!(lookup.pattern(i as u8), pattern);
            }
            assert_eq!(lookup.find(0x7777), None);
        }
        // Without source 1, indices 0 and 11 mean the same.
        assert_eq!(SUB_REGS[1].find(0), Some(0));
        assert_eq!(SUB_REGS[1].pattern(11), 0);
        assert_eq!(SUB_REGS[2].find(0x1000), Some(11));
    }
}
