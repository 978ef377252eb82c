//! What can be wrong with a machine word, or with an instruction that is to become one.

use gen_ir::{Op, Type};
use std::fmt;

/// The bytes of an instruction as they stand in memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Raw {
    /// The word, first byte lowest. A compacted instruction fills the low 64 bits.
    pub word: u128,
    /// How many bytes were read: 16, 8, or fewer at a truncated end.
    pub len: u8,
}

impl fmt::Display for Raw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, byte) in self.word.to_le_bytes().iter().take(usize::from(self.len)).enumerate() {
            if i > 0 {
                f.write_str(" ")?;
            }
            write!(f, "{byte:02x}")?;
        }
        Ok(())
    }
}

/// Bits that are no instruction of the platform: where they stand, the field at fault, what it holds
/// and what it may hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DecodeError {
    /// Byte offset of the instruction from the start of the code (0 when a single word was decoded).
    pub offset: u32,
    /// The bytes.
    pub raw: Raw,
    /// The field's name in the manual.
    pub field: &'static str,
    /// The field's value.
    pub found: u64,
    /// Which values are allowed.
    pub allowed: &'static str,
}

impl DecodeError {
    /// An error in a native word.
    #[cold]
    pub fn native(word: u128, field: &'static str, found: u64, allowed: &'static str) -> Self {
        DecodeError { offset: 0, raw: Raw { word, len: 16 }, field, found, allowed }
    }

    /// An error in a compacted word.
    #[cold]
    pub fn compacted(word: u64, field: &'static str, found: u64, allowed: &'static str) -> Self {
        DecodeError { offset: 0, raw: Raw { word: word.into(), len: 8 }, field, found, allowed }
    }

    /// The same error at byte `offset` of the code.
    #[must_use]
    pub fn at(mut self, offset: u32) -> Self {
        self.offset = offset;
        self
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let DecodeError { offset, raw, field, found, allowed } = self;
        write!(f, "offset {offset:#x}: no instruction in {raw}: {field} is {found:#x}; allowed: {allowed}")
    }
}

impl std::error::Error for DecodeError {}

/// What stands where something else is allowed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Found {
    /// A number.
    Num(i64),
    /// A data type.
    Type(Type),
    /// Something with a name.
    Name(&'static str),
}

impl From<i64> for Found {
    fn from(value: i64) -> Self {
        Found::Num(value)
    }
}

impl From<u32> for Found {
    fn from(value: u32) -> Self {
        Found::Num(value.into())
    }
}

impl From<u8> for Found {
    fn from(value: u8) -> Self {
        Found::Num(value.into())
    }
}

impl From<Type> for Found {
    fn from(value: Type) -> Self {
        Found::Type(value)
    }
}

impl From<&'static str> for Found {
    fn from(value: &'static str) -> Self {
        Found::Name(value)
    }
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Found::Num(n) => write!(f, "{n}"),
            Found::Type(t) => write!(f, ":{t}"),
            Found::Name(n) => f.write_str(n),
        }
    }
}

/// An instruction that the platform has no word for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EncodeError {
    /// Position of the instruction in its kernel, in layout order (0 when one was encoded alone).
    pub index: u32,
    /// Its opcode.
    pub op: Op,
    /// The part at fault: a field's name in the manual, or an operand.
    pub field: &'static str,
    /// What was found.
    pub found: Found,
    /// What is allowed.
    pub allowed: &'static str,
}

/// What is encoded, or why it cannot be: in one word, since almost all that is encoded can.
pub(crate) type Encoded<T, E = EncodeError> = Result<T, Box<E>>;

impl EncodeError {
    /// An error in an instruction with opcode `op`.
    #[cold]
    pub fn new(op: Op, field: &'static str, found: impl Into<Found>, allowed: &'static str) -> Self {
        EncodeError { index: 0, op, field, found: found.into(), allowed }
    }

    /// The same error in the instruction at position `index`.
    #[must_use]
    pub fn at(mut self, index: u32) -> Self {
        self.index = index;
        self
    }
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let EncodeError { index, op, field, found, allowed } = self;
        write!(f, "instruction {index} ({op}): {field} is {found}; allowed: {allowed}")
    }
}

impl std::error::Error for EncodeError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_name_place_field_and_choice() {
        let e = DecodeError::compacted(0x7f01, "Opcode", 0x7f, "an opcode").at(0x20);
        let text =
            "offset 0x20: no instruction in 01 7f 00 00 00 00 00 00: Opcode is 0x7f; allowed: an opcode";
        assert_eq!(e.to_string(), text);
        let e = EncodeError::new(Op::Add, "src0 type", Type::Df, ":f").at(3);
        assert_eq!(e.to_string(), "instruction 3 (add): src0 type is :df; allowed: :f");
    }
}
