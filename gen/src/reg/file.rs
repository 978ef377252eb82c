//! Places in register files: registers by number, and bytes of a file.

use std::fmt::{self, Display, Formatter};

use narrow::{low_u16, to_u16};

/// The number of a general register, `r0` and up.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct GrfNum(u16);

impl GrfNum {
    /// `r0`, with which threads start.
    pub const R0: GrfNum = GrfNum(0);
    /// The last that eight bits of a word can name. No thread has more.
    pub const LAST: GrfNum = GrfNum(255);

    /// General register `number`.
    ///
    /// # Panics
    ///
    /// If no word can name it.
    #[inline]
    #[track_caller]
    pub const fn new(number: u16) -> GrfNum {
        assert!(number <= GrfNum::LAST.0, "no word can name a general register with such a number");
        GrfNum(number)
    }

    /// General register `number`, if words can name it.
    #[inline]
    pub fn try_new(number: u32) -> Option<GrfNum> {
        if number <= u32::from(GrfNum::LAST.0) { Some(GrfNum(low_u16(number))) } else { None }
    }

    /// The number.
    #[inline]
    pub const fn number(self) -> u16 {
        self.0
    }

    /// The byte of the register file that it starts at, where registers have so many bytes.
    #[inline]
    pub fn start(self, grf_bytes: u32) -> FileByte {
        FileByte::new(u32::from(self.0) * grf_bytes)
    }

    /// The register so many further on.
    ///
    /// # Panics
    ///
    /// If no word can name it.
    #[must_use]
    #[track_caller]
    pub const fn plus(self, registers: u16) -> GrfNum {
        GrfNum::new(self.0 + registers)
    }
}

impl From<u8> for GrfNum {
    #[inline]
    fn from(number: u8) -> GrfNum {
        GrfNum(number.into())
    }
}

impl From<GrfNum> for u32 {
    #[inline]
    fn from(number: GrfNum) -> u32 {
        number.0.into()
    }
}

impl From<GrfNum> for usize {
    #[inline]
    fn from(number: GrfNum) -> usize {
        number.0.into()
    }
}

impl Display for GrfNum {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "r{}", self.0)
    }
}

/// A byte of a register file, counted from where its first register starts: of the general registers from `r0.0`, of the
/// flags from `f0.0`, of the address registers from `a0.0`. Not an offset into a register or variable, which
/// [`Reg::byte`](crate::Reg::byte) is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct FileByte(u16);

impl FileByte {
    /// The first.
    pub const START: FileByte = FileByte(0);

    /// Byte `byte` of a file.
    ///
    /// # Panics
    ///
    /// If it is further on than any file reaches: 256 registers of 64 bytes need a quarter of 16 bits.
    #[inline]
    #[track_caller]
    pub fn new(byte: u32) -> FileByte {
        FileByte(to_u16(byte))
    }

    /// Byte `byte` of a file, if 16 bits hold that.
    #[inline]
    pub fn try_new(byte: u32) -> Option<FileByte> {
        u16::try_from(byte).ok().map(FileByte)
    }

    /// How many bytes of the file are before it.
    #[inline]
    pub fn bytes(self) -> u32 {
        self.0.into()
    }

    /// The byte so many further on.
    #[must_use]
    #[inline]
    #[track_caller]
    pub fn plus(self, bytes: u32) -> FileByte {
        FileByte::new(self.bytes() + bytes)
    }

    /// Whether it is a multiple of so many bytes away from the start of the file.
    #[inline]
    pub fn is_aligned(self, bytes: u32) -> bool {
        self.bytes().is_multiple_of(bytes)
    }
}

impl Display for FileByte {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Display::fmt(&self.0, f)
    }
}
