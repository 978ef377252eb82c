//! The registers of a thread.

use crate::Platform;

/// A size of the register file that threads can have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RegisterFile {
    /// General registers.
    pub grfs: u16,
    /// SBIDs of the software scoreboard, 0 where the hardware tracks dependencies itself.
    pub sbids: u8,
    /// Threads with such a file that an execution unit runs.
    pub threads: u8,
}

/// The registers of a thread.
#[derive(Clone, Copy, Debug)]
pub struct Registers {
    /// One general register, in bytes.
    pub grf_bytes: u16,
    /// The sizes of the register file, from the smallest on; the first is what a thread has by default (Intel's finalizer,
    /// the constructor of `GRFMode`).
    pub files: &'static [RegisterFile],
    /// General registers that assembly can name, whatever a thread has (measured with the reference assembler).
    pub grf_names: u16,
    /// Flag registers (32 bits each).
    pub flag_count: u8,
    /// Accumulator registers (one GRF each) usable for float operands.
    pub acc_count: u8,
    /// Accumulators that assembly calls by that name.
    pub acc_names: u8,
    /// Behind those come the ones of macros, which assembly calls `mme0` and so on.
    pub mme_names: bool,
    /// What may be an accumulator in operations on floats, where results are there earlier in one than in a general
    /// register.
    pub float_accumulators: Option<FloatAccumulators>,
    /// 16-bit address subregisters in `a0`.
    pub addr_subregs: u8,
}

/// The most that the registers of a platform say, those of invented ones, too: for arrays.
macro_rules! most {
    ($regs:ident => $what:expr) => {{
        let (mut at, mut most) = (0, 0);
        while at < Platform::ROWS.len() {
            let $regs = &Platform::ROWS[at].caps().regs;
            #[expect(clippy::as_conversions, reason = "no `From` can be called in constants")]
            let found = $what as usize;
            if found > most {
                most = found;
            }
            at += 1;
        }
        most
    }};
}

impl Registers {
    /// Bytes of a general register at most.
    pub const MOST_GRF_BYTES: usize = most!(regs => regs.grf_bytes);

    /// General registers that a thread has at most.
    pub const MOST_GRFS: usize = most!(regs => regs.largest_file().grfs);

    /// Bytes of a register file at most.
    pub const MOST_BYTES: usize = most!(regs => regs.largest_file().grfs * regs.grf_bytes);

    /// Flag registers at most.
    pub const MOST_FLAGS: usize = most!(regs => regs.flag_count);

    /// Address subregisters at most.
    pub const MOST_ADDR_SUBREGS: usize = most!(regs => regs.addr_subregs);

    /// Accumulators at most, those of macros, too.
    pub const MOST_ACCUMULATORS: usize = most!(regs => regs.accumulators());

    /// Accumulators, those of macros, too: there are eight of these (`mme0` to `mme7`) where they have names of their own.
    pub const fn accumulators(&self) -> u8 {
        self.acc_names + if self.mme_names { 8 } else { 0 }
    }

    /// What a thread has by default.
    pub const fn default_file(&self) -> RegisterFile {
        self.files[0]
    }

    /// The largest file there is.
    pub const fn largest_file(&self) -> RegisterFile {
        self.files[self.files.len() - 1]
    }

    /// The file with so many general registers, if threads can have it.
    pub fn file(&self, grfs: u32) -> Option<RegisterFile> {
        self.files.iter().copied().find(|file| u32::from(file.grfs) == grfs)
    }

    /// The file of threads of which an execution unit runs so many, if there is one.
    pub fn file_of_threads(&self, threads: u64) -> Option<RegisterFile> {
        self.files.iter().copied().find(|file| u64::from(file.threads) == threads)
    }

    /// How many general registers threads can have, of any platform: each number once, in order.
    pub fn all_sizes() -> impl Iterator<Item = u16> {
        let files = || Platform::ALL.iter().flat_map(|p| p.caps().regs.files);
        let above = move |size: u16| files().map(|file| file.grfs).filter(|grfs| *grfs > size).min();
        std::iter::successors(above(0), move |size| above(*size))
    }

    /// The native width: as many channels as a register has elements of 32 bits (Intel's finalizer, `getNativeExecSize`).
    /// So many has a message of them, `math` that gives half floats (`fixMathInst`), and at most an operation on halves and
    /// floats that gives floats or packed halves (volume 7, "Special Restrictions for Handling Mixed Mode Float Operations";
    /// `fixMixedHFInst`) or `math` on halves that gives floats.
    pub const fn native_lanes(&self) -> u16 {
        self.grf_bytes / 4
    }
}

/// Which operands of `add`, `mul`, `mad`, `sel` and the like may be accumulators (Intel's graphics compiler,
/// `visa/G4_IR.cpp`, `canDstBeAcc` and `canSrcBeAcc`, and `visa/Passes/AccSubstitution.cpp`, `replaceDstWithAcc`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FloatAccumulators {
    /// The result, and of an instruction one source, which is the same accumulator if the result is one: the first of two,
    /// the addend or the first factor of `mad`, these without a sign.
    One,
    /// The result and the first two sources, but for both factors of `mul`.
    Several,
}
