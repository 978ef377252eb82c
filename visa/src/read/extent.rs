//! Pieces of an object, and what declarations of a kernel share with those of a file.

use super::cursor::{Cursor, Read};
use crate::{
    error::ErrorKind,
    types::{Align, Type},
};

/// What a place in an object holds.
#[derive(Clone, Copy, Debug)]
pub(super) enum Part {
    /// The body of kernel `.0`.
    Kernel(u32),
    /// The body of function `.0`.
    Function(u32),
    /// Gen binary `.1` of kernel `.0`.
    GenBinary(u32, u32),
}

/// Where the header says a piece is.
#[derive(Debug)]
pub(super) struct Extent {
    pub(super) piece: Part,
    pub(super) start: usize,
    pub(super) size: usize,
    /// Position of the offset field in the header, for messages.
    pub(super) field_at: usize,
    /// The header's `input_offset`.
    pub(super) input_offset: u32,
}

/// Type in the low nibble, alignment in the high one.
pub(super) fn bit_properties(c: &mut Cursor<'_>) -> Read<(Type, Align)> {
    let raw = c.u8("bit properties")?;
    let fault = |c: &Cursor<'_>, allowed| {
        Err(c.error_at(
            c.pos() - 1,
            "bit properties",
            ErrorKind::IllegalValue { found: u64::from(raw), allowed },
        ))
    };
    match (Type::from_raw(raw & 15), Align::from_raw(raw >> 4)) {
        (Some(ty), Some(align)) => Ok((ty, align)),
        (None, _) => fault(c, "a type of 0 to 15 in bits 0-3"),
        (_, None) => fault(c, "an alignment of 0 to 9 in bits 4-7"),
    }
}
