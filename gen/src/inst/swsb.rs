//! Software scoreboard: what an instruction waits for, and the name that others wait for it by.

/// In-order pipes of a software scoreboard distance.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Pipe {
    /// No pipe named (Gen12: the only pipe; Xe-HPC: that of the instruction itself).
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
