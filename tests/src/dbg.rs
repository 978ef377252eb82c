//! The `.dbg` files of Intel's finalizer and of ours: a reader.

/// Where a variable is, before some instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The first and last vISA instruction.
    pub range: (u32, u32),
    /// The file of the variable and that of the place: 0 addresses, 1 flags, 2 general registers, 3 memory.
    pub files: (u8, u8),
    /// The place: a register and a byte in it, or an offset in memory.
    pub at: (u16, u16),
}

/// A kernel or function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Routine {
    /// Its name.
    pub name: String,
    /// Where it begins in the code; places count from there.
    pub start: u32,
    /// Offsets in the object, and places.
    pub offsets: Vec<(u32, u32)>,
    /// Numbers of vISA instructions, and places; the last is the end.
    pub insts: Vec<(u32, u32)>,
    /// Variables, and where they are.
    pub variables: Vec<(String, Vec<Place>)>,
    /// Name, first and last vISA instruction.
    pub subroutines: Vec<(String, u32, u32)>,
    /// Bytes of its frame.
    pub frame: u16,
}

struct Bytes<'a>(&'a [u8]);

impl Bytes<'_> {
    fn take(&mut self, count: usize) -> Option<&[u8]> {
        let (head, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(head)
    }

    fn number(&mut self, bytes: usize) -> Option<u32> {
        Some(self.take(bytes)?.iter().rev().fold(0, |n, b| n << 8 | u32::from(*b)))
    }

    fn name(&mut self) -> Option<String> {
        let length = self.number(2)? as usize;
        String::from_utf8(self.take(length)?.to_vec()).ok()
    }

    fn pairs(&mut self) -> Option<Vec<(u32, u32)>> {
        (0..self.number(4)?).map(|_| Some((self.number(4)?, self.number(4)?))).collect()
    }

    /// Live ranges with places.
    fn places(&mut self, bytes: usize) -> Option<Vec<Place>> {
        let place = |rest: &mut Self| {
            let range = (rest.number(bytes)?, rest.number(bytes)?);
            let files = (rest.number(1)? as u8, rest.number(1)? as u8);
            assert!(files.0 <= 2 && files.1 <= 3, "kinds of registers");
            let at = (rest.number(2)? as u16, rest.number(2)? as u16);
            Some(Place { range, files, at })
        };
        (0..self.number(2)?).map(|_| place(self)).collect()
    }

    /// Registers that are saved: place, registers, where each goes.
    fn saved(&mut self, count: u32) -> Option<()> {
        for _ in 0..count {
            self.take(4)?;
            for _ in 0..self.number(2)? {
                self.take(9)?;
            }
        }
        Some(())
    }

    fn routine(&mut self) -> Option<Routine> {
        let (name, start) = (self.name()?, self.number(4)?);
        let (offsets, insts) = (self.pairs()?, self.pairs()?);
        let variables =
            (0..self.number(4)?).map(|_| Some((self.name()?, self.places(2)?))).collect::<Option<_>>()?;
        let mut subroutines = Vec::new();
        for _ in 0..self.number(2)? {
            subroutines.push((self.name()?, self.number(4)?, self.number(4)?));
            self.places(2)?;
        }
        let frame = self.number(2)? as u16;
        for _ in 0..3 {
            if self.number(1)? != 0 {
                self.places(4)?;
            }
        }
        let callee = self.number(2)?;
        self.saved(callee)?;
        let caller = self.number(2)?;
        self.saved(caller)?;
        Some(Routine { name, start, offsets, insts, variables, subroutines, frame })
    }
}

/// Reads a file, to its last byte.
pub fn read(file: &[u8]) -> Option<Vec<Routine>> {
    let mut bytes = Bytes(file);
    if bytes.number(4)? != 0xdead_d010 {
        return None;
    }
    let routines = (0..bytes.number(2)?).map(|_| bytes.routine()).collect::<Option<Vec<_>>>()?;
    bytes.0.is_empty().then_some(routines)
}
