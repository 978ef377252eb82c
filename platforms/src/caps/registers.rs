//! The registers of a thread.

/// The registers of a thread.
#[derive(Clone, Copy, Debug)]
pub struct Registers {
    /// One general register, in bytes.
    pub grf_bytes: u16,
    /// General registers a thread has by default.
    pub grf_count: u16,
    /// General registers in large-GRF mode (equal to `grf_count` where there is no such mode).
    pub grf_count_large: u16,
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

impl Registers {
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
