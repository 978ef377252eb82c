//! Software scoreboard: what an instruction waits for, and the name that others wait for it by.

use platforms::Pipes;

use crate::{Class, Op};

/// In-order pipes of a software scoreboard distance.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Pipe {
    /// No pipe named: the only one, or that of the instruction itself.
    Own,
    /// Float.
    Float,
    /// Integer.
    Int,
    /// Long (64-bit).
    Long,
    /// Math.
    Math,
    /// All pipes.
    All,
    /// Scalar.
    Scalar,
}

narrow::enum_numbers!(Pipe: number u8, index usize);

/// What an SBID in an annotation means.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum SbidMode {
    /// This instruction takes the SBID (`$3`).
    Set,
    /// Wait until the sources of its holder have been read (`$3.src`).
    Src,
    /// Wait until its holder has written its results (`$3.dst`).
    Dst,
}

narrow::enum_numbers!(SbidMode: number u8, index usize);

/// The software scoreboard annotation (Xe): what an instruction waits for, and the SBID it takes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Swsb {
    /// Wait for the instruction this many places back in the pipe (1 to 7).
    pub dist: Option<(Pipe, u8)>,
    /// SBID part.
    pub sbid: Option<(SbidMode, u8)>,
    /// `NoAccSBSet`.
    pub no_acc_sb_set: bool,
}

impl Swsb {
    /// Nothing to wait for.
    pub const NONE: Swsb = Swsb { dist: None, sbid: None, no_acc_sb_set: false };
}

/// What decides which pairs of a distance and an SBID a word can say.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SwsbKind {
    /// `send`, `sendc`.
    Send,
    /// `math`.
    Math,
    /// `dpas`.
    Dpas,
    /// Everything else.
    Other,
}

impl SwsbKind {
    /// That of an opcode.
    #[inline(always)]
    pub fn of(op: Op) -> SwsbKind {
        match op.info().class {
            Class::Send => SwsbKind::Send,
            Class::Math => SwsbKind::Math,
            Class::Dpas => SwsbKind::Dpas,
            Class::Basic | Class::Ternary | Class::Branch | Class::Sync | Class::Nullary => SwsbKind::Other,
        }
    }

    /// The one pair of pipe and meaning where the word's eight bits have room for no other; `pipes` are those that distances name.
    /// (Programmer's Reference Manual for Tiger Lake, volume 8, "Software Scoreboard"; Intel's assembler,
    /// `SWSB::verify<ThreeDistPipe>`.)
    #[inline]
    pub const fn only_pair(self, pipes: Pipes) -> (Pipe, SbidMode) {
        match self {
            SwsbKind::Send if pipes.have_names() => (Pipe::All, SbidMode::Set),
            SwsbKind::Send | SwsbKind::Math | SwsbKind::Dpas => (Pipe::Own, SbidMode::Set),
            SwsbKind::Other => (Pipe::Own, SbidMode::Dst),
        }
    }

    /// With four in-order pipes: the pairs of pipe and meaning, in the order of their codes from 1 on. (Encodings of the
    /// reference assembler.)
    #[inline(always)]
    pub const fn pairs(self) -> [(Pipe, SbidMode); 3] {
        match self {
            SwsbKind::Send => {
                [(Pipe::All, SbidMode::Set), (Pipe::Float, SbidMode::Set), (Pipe::Int, SbidMode::Set)]
            }
            SwsbKind::Dpas => {
                [(Pipe::Own, SbidMode::Set), (Pipe::Own, SbidMode::Src), (Pipe::Own, SbidMode::Dst)]
            }
            SwsbKind::Math | SwsbKind::Other => {
                [(Pipe::Own, SbidMode::Dst), (Pipe::Own, SbidMode::Src), (Pipe::All, SbidMode::Dst)]
            }
        }
    }

    /// Whether a word can say a distance in a pipe beside an SBID of that meaning.
    pub fn has_pair(self, pipe: Pipe, mode: SbidMode, pipes: Pipes) -> bool {
        match pipes {
            Pipes::Four => self.pairs().contains(&(pipe, mode)),
            Pipes::One | Pipes::Three => (pipe, mode) == self.only_pair(pipes),
        }
    }
}
