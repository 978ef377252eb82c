//! Names and attributes of a kernel and its declarations, each kind in one table.

use narrow::{as_index, span, to_index};

use crate::ids::StrId;

/// Strings of a kernel.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct StringPool {
    /// As in the object: each ends with a zero byte.
    bytes: Vec<u8>,
    /// Where those zeros are.
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
        self.bytes.push(0);
        StrId(to_index(self.ends.len()) - 1)
    }

    /// Adds `count` strings that stand one after the other, each with its zero byte behind it. Returns how many bytes that is;
    /// where one has no end, the error is where it starts.
    pub(crate) fn read(&mut self, bytes: &[u8], count: usize) -> Result<usize, usize> {
        let first = self.bytes.len();
        let mut len = 0;
        let ended = (0..count).all(|_| {
            let end = bytes[len..].iter().position(|b| *b == 0);
            if let Some(end) = end {
                self.ends.push(to_index(first + len + end));
                len += end + 1;
            }
            end.is_some()
        });
        self.bytes.extend_from_slice(&bytes[..len]);
        if ended { Ok(len) } else { Err(len) }
    }

    /// The bytes of a string.
    pub fn get(&self, id: StrId) -> Option<&[u8]> {
        let i = id.index();
        let end = as_index(*self.ends.get(i)?);
        let start = if i == 0 { 0 } else { as_index(self.ends[i - 1]) + 1 };
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
        let (start, entries) = self.entries_of(range);
        (start..).zip(entries).map(|(i, &(name, _))| (name, self.value(i)))
    }

    /// The value of the first attribute of a range that has such a name.
    pub fn find(&self, range: AttrRange, is_name: impl Fn(StrId) -> bool) -> Option<&[u8]> {
        let (start, entries) = self.entries_of(range);
        let at = entries.iter().position(|&(name, _)| is_name(name))?;
        Some(self.value(start + at))
    }

    /// What the table has of a range, and where it begins.
    fn entries_of(&self, range: AttrRange) -> (usize, &[(StrId, u32)]) {
        let start = as_index(range.start).min(self.entries.len());
        let rest = &self.entries[start..];
        (start, &rest[..usize::from(range.len).min(rest.len())])
    }

    /// The value of attribute `i`.
    fn value(&self, i: usize) -> &[u8] {
        let begin = if i == 0 { 0 } else { self.entries[i - 1].1 };
        &self.bytes[span(begin..self.entries[i].1)]
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
