//! Names and attributes of a kernel and its declarations, each kind in one table.

use narrow::{as_index, span, to_index};

use crate::ids::StrId;

/// Strings of a kernel, each ended by a zero byte in the object.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct StringPool {
    bytes: Vec<u8>,
    ends: Vec<u32>,
}

impl StringPool {
    /// An empty pool.
    pub fn new() -> StringPool {
        StringPool::default()
    }

    /// No strings, in the memory of these.
    pub(super) fn emptied(mut self) -> StringPool {
        self.bytes.clear();
        self.ends.clear();
        self
    }

    /// Number of strings.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Adds a string (without zero bytes) and returns its index.
    pub fn push(&mut self, s: &[u8]) -> StrId {
        debug_assert!(!s.contains(&0));
        self.bytes.extend_from_slice(s);
        self.ends.push(to_index(self.bytes.len()));
        StrId(to_index(self.ends.len()) - 1)
    }

    /// The bytes of a string.
    pub fn get(&self, id: StrId) -> Option<&[u8]> {
        let i = id.index();
        let end = as_index(*self.ends.get(i)?);
        let start = if i == 0 { 0 } else { as_index(self.ends[i - 1]) };
        Some(&self.bytes[start..end])
    }

    /// All strings in order.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.len()).map(|i| self.get(StrId(to_index(i))).unwrap_or_default())
    }
}

/// A run of attributes in [`AttrTable`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct AttrRange {
    /// First attribute.
    pub start: u32,
    /// Number of attributes.
    pub len: u16,
}

/// Attributes of a kernel and its declarations, in one table.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct AttrTable {
    /// Name, and end of the value in `bytes`.
    entries: Vec<(StrId, u32)>,
    bytes: Vec<u8>,
}

impl AttrTable {
    /// Adds an attribute. Values are at most 255 bytes long in the object.
    pub fn push(&mut self, name: StrId, value: &[u8]) {
        self.bytes.extend_from_slice(value);
        self.entries.push((name, to_index(self.bytes.len())));
    }

    /// No attributes, in the memory of these.
    pub(super) fn emptied(mut self) -> AttrTable {
        self.entries.clear();
        self.bytes.clear();
        self
    }

    /// Number of attributes.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The attributes of a range; indices beyond the table are skipped.
    pub fn range(&self, range: AttrRange) -> impl Iterator<Item = (StrId, &[u8])> {
        let start = as_index(range.start);
        (start..start + usize::from(range.len)).filter_map(|i| {
            let (name, end) = *self.entries.get(i)?;
            let begin = if i == 0 { 0 } else { self.entries[i - 1].1 };
            Some((name, &self.bytes[span(begin..end)]))
        })
    }
}

/// An attribute's value as an integer: little-endian, sign-extended, 1 if there is no value.
pub fn attr_value(bytes: &[u8]) -> Option<i32> {
    match *bytes {
        [] => Some(1),
        [b] => Some(i32::from(b.cast_signed())),
        [a, b] => Some(i32::from(i16::from_le_bytes([a, b]))),
        [a, b, c, d] => Some(i32::from_le_bytes([a, b, c, d])),
        _ => None,
    }
}
