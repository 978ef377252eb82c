//! A position in the bytes of an object.

use crate::error::{Error, ErrorKind};

/// Reads little-endian fields one after another, never beyond `end`.
pub(super) struct Cursor<'a> {
    bytes: &'a [u8],
    end: usize,
    pub(super) pos: usize,
    /// Instruction being read, for messages.
    pub(super) instruction: Option<&'static str>,
}

impl<'a> Cursor<'a> {
    /// At the start of `bytes`, which are not read from `end` on.
    pub(super) fn new(bytes: &'a [u8], end: usize) -> Cursor<'a> {
        Cursor { bytes, end, pos: 0, instruction: None }
    }

    pub(super) fn left(&self) -> usize {
        self.end - self.pos
    }

    #[cold]
    pub(super) fn error_at(&self, offset: usize, field: &'static str, kind: ErrorKind) -> Error {
        Error { offset, kernel: None, instruction: self.instruction, field, kind }
    }

    /// An illegal value that was read in the last `size` bytes.
    #[cold]
    pub(super) fn illegal(
        &self,
        size: usize,
        field: &'static str,
        found: u64,
        allowed: &'static str,
    ) -> Error {
        self.error_at(self.pos - size, field, ErrorKind::IllegalValue { found, allowed })
    }

    #[inline]
    pub(super) fn take(&mut self, len: usize, field: &'static str) -> Result<&'a [u8], Error> {
        if len > self.left() {
            return Err(self.error_at(
                self.pos,
                field,
                ErrorKind::Truncated { needed: len, left: self.left() },
            ));
        }
        let taken = &self.bytes[self.pos..self.pos + len];
        self.pos += len;
        Ok(taken)
    }

    #[inline]
    pub(super) fn array<const N: usize>(&mut self, field: &'static str) -> Result<[u8; N], Error> {
        let mut out = [0; N];
        out.copy_from_slice(self.take(N, field)?);
        Ok(out)
    }

    #[inline]
    pub(super) fn u8(&mut self, field: &'static str) -> Result<u8, Error> {
        Ok(self.array::<1>(field)?[0])
    }

    #[inline]
    pub(super) fn u16(&mut self, field: &'static str) -> Result<u16, Error> {
        Ok(u16::from_le_bytes(self.array(field)?))
    }

    #[inline]
    pub(super) fn u32(&mut self, field: &'static str) -> Result<u32, Error> {
        Ok(u32::from_le_bytes(self.array(field)?))
    }

    #[inline]
    pub(super) fn u64(&mut self, field: &'static str) -> Result<u64, Error> {
        Ok(u64::from_le_bytes(self.array(field)?))
    }

    /// Four bytes if `wide`, else two.
    #[inline]
    pub(super) fn wide(&mut self, wide: bool, field: &'static str) -> Result<u32, Error> {
        if wide { self.u32(field) } else { Ok(u32::from(self.u16(field)?)) }
    }

    /// A count of things that take at least `size` bytes each, if the rest can hold them.
    pub(super) fn fits(&self, field: &'static str, count: u64, size: usize) -> Result<usize, Error> {
        let allowed = (self.left() / size) as u64;
        if count > allowed {
            return Err(self.error_at(self.pos, field, ErrorKind::CountTooLarge { found: count, allowed }));
        }
        Ok(count as usize)
    }

    /// Bytes up to a zero byte, which is consumed.
    pub(super) fn c_str(&mut self, field: &'static str) -> Result<&'a [u8], Error> {
        let rest = &self.bytes[self.pos..self.end];
        match rest.iter().position(|b| *b == 0) {
            Some(len) => {
                self.pos += len + 1;
                Ok(&rest[..len])
            }
            None => Err(self.error_at(self.pos, field, ErrorKind::UnterminatedString)),
        }
    }
}
