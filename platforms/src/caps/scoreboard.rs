//! Who tracks dependencies between instructions.

/// The in-order pipes that a distance of the software scoreboard may name, beside that of the instruction itself (Intel's
/// assembler, `SWSB_ENCODE_MODE`; its finalizer, `hasThreeALUPipes`, `hasFourALUPipes`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pipes {
    /// There is one, without a name. `math` is out of order and takes an SBID.
    One,
    /// Floats, integers, doubles. `math` is out of order and takes an SBID.
    Three,
    /// Floats, integers, doubles, `math`.
    Four,
}

impl Pipes {
    /// In-order pipes that a thread has at most, in this order: floats, integers, doubles, `math`.
    pub const MOST: usize = 4;

    /// Whether a distance says which pipe it counts in.
    pub const fn have_names(self) -> bool {
        !matches!(self, Pipes::One)
    }

    /// Whether `math` goes through a pipe.
    pub const fn have_math(self) -> bool {
        matches!(self, Pipes::Four)
    }
}

/// Who tracks dependencies between instructions.
#[derive(Clone, Copy, Debug)]
pub struct Scoreboard {
    /// Instructions say what they wait for; elsewhere the hardware tracks dependencies itself.
    pub software: bool,
    /// The in-order pipes of a software scoreboard.
    pub pipes: Pipes,
    /// By pipe, in the order of [`Pipes::MOST`]: an instruction so many places back has written its result. 0 where there is
    /// no such pipe.
    pub depths: [u8; Pipes::MOST],
    /// What reads or writes an accumulator waits for those in other pipes (Intel's finalizer, `getFootprintForOperand`, which
    /// looks at them where pipes have names). A read after a write is the hardware's everywhere.
    pub waits_for_accumulators: bool,
    /// The same for flags.
    pub waits_for_flags: bool,
    /// A write of an address register may overtake what reads it before: it waits for all pipes (Intel's finalizer,
    /// `hasA0WARHWissue`: from the first Xe-HP to before Xe2).
    pub address_writes_overtake: bool,
    /// A store to shared local memory, or a fence of it, may overtake the loads before it: it waits for their results
    /// (Intel's finalizer, `hasSLMWARIssue`: Xe-HPG and Xe-HPC, none later).
    pub slm_stores_overtake: bool,
    /// Bytes are written as words, whose other half is read before (Intel's assembler, `hasReadModifiedWriteOnByteDst`).
    pub bytes_as_words: bool,
    /// NoDDClr/NoDDChk dependency control bits exist.
    pub no_dd: bool,
}

impl Scoreboard {
    /// Instructions can ask for another thread (`Switch`), as those do that write a control register. With a software
    /// scoreboard all pipes are waited for there instead.
    pub const fn has_switch(&self) -> bool {
        !self.software
    }
}
