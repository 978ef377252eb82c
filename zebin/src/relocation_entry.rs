//! Entries of relocation sections, as ELF has them: with or without something to add.

use narrow::{as_index, low_u32};
use object::elf::{SHT_REL, SHT_RELA};

/// Relocation types (`gen-relocation.md`).
pub(crate) mod r_type {
    /// All 64 bits of a symbol's address: `R_ZE_SYM_ADDR`.
    pub const SYM_ADDR: u32 = 1;
    /// The low 32 bits: `R_ZE_SYM_ADDR_32`.
    pub const SYM_ADDR_32: u32 = 2;
    /// The high 32 bits: `R_ZE_SYM_ADDR_32_HI`.
    pub const SYM_ADDR_32_HI: u32 = 3;
    /// A value of 32 bits: `R_GLOBAL_IMM_32`.
    pub const GLOBAL_IMM_32: u32 = 5;
    /// The low 16 bits: `R_SYM_ADDR_16`.
    pub const SYM_ADDR_16: u32 = 7;
}

/// Bytes of an entry of a section of this type; `None` if it holds no relocations.
pub(crate) fn size_of_entry(section_type: u32) -> Option<usize> {
    match section_type {
        kind if kind == SHT_REL.0 => Some(16),
        kind if kind == SHT_RELA.0 => Some(24),
        _ => None,
    }
}

/// One relocation.
#[derive(Clone, Copy)]
pub(crate) struct RelocationEntry {
    /// Byte offset of the place, in the section that is relocated.
    pub offset: u64,
    /// Number of the symbol.
    pub symbol: usize,
    /// One of [`r_type`], or another.
    pub kind: u32,
    /// What is added to the symbol's address; 0 where entries have nothing to add.
    pub addend: i64,
}

impl RelocationEntry {
    /// Reads an entry; what its bytes do not have is 0.
    fn read(bytes: &[u8]) -> RelocationEntry {
        let word = |at: usize| {
            let bytes = bytes.get(at..).and_then(|b| b.first_chunk());
            bytes.map_or(0, |b| u64::from_le_bytes(*b))
        };
        let info = word(8);
        RelocationEntry {
            offset: word(0),
            symbol: as_index(low_u32(info >> 32)),
            kind: low_u32(info),
            addend: word(16).cast_signed(),
        }
    }

    /// The entries of a section's bytes, each with its own bytes; what is left at the end is no entry.
    pub fn all(data: &[u8], size: usize) -> impl Iterator<Item = (RelocationEntry, &[u8])> {
        data.chunks_exact(size).map(|bytes| (RelocationEntry::read(bytes), bytes))
    }

    /// The field of symbol and type.
    pub fn info(symbol: u64, kind: u32) -> u64 {
        symbol << 32 | u64::from(kind)
    }
}
