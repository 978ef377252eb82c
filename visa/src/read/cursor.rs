//! A position in the bytes of an object.

use narrow::to_u64;
use std::ops::Range;

use crate::{
    error::{Error, ErrorKind},
    model::StringPool,
};

/// What is read, or what is wrong with it: in one word, since almost all that is read is right.
pub(super) type Read<T> = Result<T, Box<Error>>;

/// Reads little-endian fields one after another, never beyond its end.
pub(super) struct Cursor<'a> {
    /// What is left.
    rest: &'a [u8],
    /// Position of the end of `rest` in the object.
    end: usize,
}

impl<'a> Cursor<'a> {
    /// Reads the bytes of a range of the object.
    pub(super) fn new(object: &'a [u8], range: Range<usize>) -> Cursor<'a> {
        let end = range.end;
        Cursor { rest: &object[range], end }
    }

    #[inline]
    pub(super) fn left(&self) -> usize {
        self.rest.len()
    }

    /// Position in the object.
    #[inline]
    pub(super) fn pos(&self) -> usize {
        self.end - self.rest.len()
    }

    #[cold]
    #[inline(never)]
    pub(super) fn error_at(&self, offset: usize, field: &'static str, kind: ErrorKind) -> Box<Error> {
        Box::new(Error { offset, kernel: None, instruction: None, field, kind })
    }

    /// An illegal value that was read in the last `size` bytes.
    #[cold]
    #[inline(never)]
    pub(super) fn illegal(
        &self,
        size: usize,
        field: &'static str,
        found: u64,
        allowed: &'static str,
    ) -> Box<Error> {
        self.error_at(self.pos() - size, field, ErrorKind::IllegalValue { found, allowed })
    }

    #[cold]
    #[inline(never)]
    fn truncated(&self, needed: usize, field: &'static str) -> Box<Error> {
        self.error_at(self.pos(), field, ErrorKind::Truncated { needed, left: self.left() })
    }

    #[inline]
    pub(super) fn take(&mut self, len: usize, field: &'static str) -> Read<&'a [u8]> {
        let Some((taken, rest)) = self.rest.split_at_checked(len) else {
            return Err(self.truncated(len, field));
        };
        self.rest = rest;
        Ok(taken)
    }

    #[inline]
    pub(super) fn array<const N: usize>(&mut self, field: &'static str) -> Read<[u8; N]> {
        let Some((taken, rest)) = self.rest.split_first_chunk() else {
            return Err(self.truncated(N, field));
        };
        self.rest = rest;
        Ok(*taken)
    }

    #[inline]
    pub(super) fn u8(&mut self, field: &'static str) -> Read<u8> {
        Ok(self.array::<1>(field)?[0])
    }

    #[inline]
    pub(super) fn u16(&mut self, field: &'static str) -> Read<u16> {
        Ok(u16::from_le_bytes(self.array(field)?))
    }

    #[inline]
    pub(super) fn u32(&mut self, field: &'static str) -> Read<u32> {
        Ok(u32::from_le_bytes(self.array(field)?))
    }

    #[inline]
    pub(super) fn u64(&mut self, field: &'static str) -> Read<u64> {
        Ok(u64::from_le_bytes(self.array(field)?))
    }

    /// Four bytes if `wide`, else two.
    #[inline]
    pub(super) fn wide(&mut self, wide: bool, field: &'static str) -> Read<u32> {
        if wide { self.u32(field) } else { Ok(u32::from(self.u16(field)?)) }
    }

    /// A count of things that take at least `size` bytes each, if the rest can hold them.
    pub(super) fn fits(&self, field: &'static str, count: u64, size: usize) -> Read<usize> {
        let allowed = self.left() / size;
        match usize::try_from(count) {
            Ok(count) if count <= allowed => Ok(count),
            _ => {
                let kind = ErrorKind::CountTooLarge { found: count, allowed: to_u64(allowed) };
                Err(self.error_at(self.pos(), field, kind))
            }
        }
    }

    /// So many strings, each with a zero byte behind it, into a pool.
    pub(super) fn c_strs(&mut self, field: &'static str, count: usize, pool: &mut StringPool) -> Read<()> {
        let len = pool
            .read(self.rest, count)
            .map_err(|at| self.error_at(self.pos() + at, field, ErrorKind::UnterminatedString))?;
        self.rest = &self.rest[len..];
        Ok(())
    }
}
