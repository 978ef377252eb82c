//! What controls the channels of an instruction: execution size, predicate, condition, options.

use crate::{Reg, Space};

/// Number of channels an instruction works on: 1, 2, 4, 8, 16 or 32.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum ExecSize {
    /// Scalar.
    S1 = 0,
    /// 2 channels.
    S2 = 1,
    /// 4 channels.
    S4 = 2,
    /// 8 channels.
    S8 = 3,
    /// 16 channels.
    S16 = 4,
    /// 32 channels.
    S32 = 5,
}

narrow::enum_numbers!(ExecSize: number u8);

impl ExecSize {
    /// All sizes, smallest first.
    pub const ALL: [ExecSize; 6] =
        [ExecSize::S1, ExecSize::S2, ExecSize::S4, ExecSize::S8, ExecSize::S16, ExecSize::S32];

    /// The number of channels.
    pub const fn lanes(self) -> u32 {
        1 << self.number()
    }

    /// The size with `lanes` channels, if there is one.
    pub const fn from_lanes(lanes: u32) -> Option<ExecSize> {
        match lanes {
            1 => Some(ExecSize::S1),
            2 => Some(ExecSize::S2),
            4 => Some(ExecSize::S4),
            8 => Some(ExecSize::S8),
            16 => Some(ExecSize::S16),
            32 => Some(ExecSize::S32),
            _ => None,
        }
    }
}

/// How the bits of a flag register decide a channel's predicate.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum PredCtrl {
    /// The channel's own bit.
    Seq,
    /// Any of the 32, 16, ... channels (`any32h`), or of the whole width on Xe (`any`).
    Any2h,
    /// All of two.
    All2h,
    /// Any of four.
    Any4h,
    /// All of four.
    All4h,
    /// Any of eight.
    Any8h,
    /// All of eight.
    All8h,
    /// Any of sixteen.
    Any16h,
    /// All of sixteen.
    All16h,
    /// Any of thirty-two.
    Any32h,
    /// All of thirty-two.
    All32h,
    /// Both `f0.n` and `f1.n` have the bit (`anyv`: any of them).
    AnyV,
    /// Both flags.
    AllV,
    /// Align16: replicate component x.
    X,
    /// Align16: replicate component y.
    Y,
    /// Align16: replicate component z.
    Z,
    /// Align16: replicate component w.
    W,
    /// `any` over the instruction's channels (Xe-HPC).
    Any,
    /// `all` over the instruction's channels (Xe-HPC).
    All,
}

narrow::enum_numbers!(PredCtrl: number u8);

impl PredCtrl {
    /// Controls over as many channels as their name says, in the order of their codes from 1 on (BDW and SKL PRM,
    /// volume 2a, "EU_INSTRUCTION_CONTROLS", `PredCtrl`, Align1).
    pub const BY_WIDTH: [PredCtrl; 13] = [
        PredCtrl::Seq,
        PredCtrl::AnyV,
        PredCtrl::AllV,
        PredCtrl::Any2h,
        PredCtrl::All2h,
        PredCtrl::Any4h,
        PredCtrl::All4h,
        PredCtrl::Any8h,
        PredCtrl::All8h,
        PredCtrl::Any16h,
        PredCtrl::All16h,
        PredCtrl::Any32h,
        PredCtrl::All32h,
    ];
    /// Controls in Align16 mode, in the order of their codes from 1 on (the same, Align16).
    pub const ALIGN16: [PredCtrl; 7] =
        [PredCtrl::Seq, PredCtrl::X, PredCtrl::Y, PredCtrl::Z, PredCtrl::W, PredCtrl::Any4h, PredCtrl::All4h];
    /// Controls over the execution size (Xe-HPC), in the order of their codes from 1 on.
    pub const BY_SIZE: [PredCtrl; 3] = [PredCtrl::Seq, PredCtrl::Any, PredCtrl::All];

    /// How many channels share an answer, where that is the control's own: `any16h` looks at sixteen.
    pub const fn channels(self) -> Option<u32> {
        match self {
            PredCtrl::Seq => Some(1),
            PredCtrl::Any2h | PredCtrl::All2h => Some(2),
            PredCtrl::Any4h | PredCtrl::All4h => Some(4),
            PredCtrl::Any8h | PredCtrl::All8h => Some(8),
            PredCtrl::Any16h | PredCtrl::All16h => Some(16),
            PredCtrl::Any32h | PredCtrl::All32h => Some(32),
            _ => None,
        }
    }

    /// The control that asks whether any of the channels of an execution size is set, where words say how many
    /// (`by_width`) and where they do not.
    pub const fn any_of(exec: ExecSize, by_width: bool) -> PredCtrl {
        match exec {
            _ if !by_width => PredCtrl::Any,
            ExecSize::S1 => PredCtrl::Seq,
            ExecSize::S2 => PredCtrl::Any2h,
            ExecSize::S4 => PredCtrl::Any4h,
            ExecSize::S8 => PredCtrl::Any8h,
            ExecSize::S16 => PredCtrl::Any16h,
            ExecSize::S32 => PredCtrl::Any32h,
        }
    }

    /// The same, whether all of them are.
    pub const fn all_of(exec: ExecSize, by_width: bool) -> PredCtrl {
        match exec {
            _ if !by_width => PredCtrl::All,
            ExecSize::S1 => PredCtrl::Seq,
            ExecSize::S2 => PredCtrl::All2h,
            ExecSize::S4 => PredCtrl::All4h,
            ExecSize::S8 => PredCtrl::All8h,
            ExecSize::S16 => PredCtrl::All16h,
            ExecSize::S32 => PredCtrl::All32h,
        }
    }
}

/// A predicate.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Pred<S: Space> {
    /// Flag subregister (`f0.1` is byte 2 of flag 0), or predicate variable.
    pub flag: Reg<S>,
    /// Inverted.
    pub inv: bool,
    /// How bits combine.
    pub ctrl: PredCtrl,
}

/// Condition that a condition modifier tests.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Cond {
    /// Equal / zero.
    Eq = 1,
    /// Not equal / not zero.
    Ne = 2,
    /// Greater.
    Gt = 3,
    /// Greater or equal.
    Ge = 4,
    /// Less.
    Lt = 5,
    /// Less or equal.
    Le = 6,
    /// Overflow.
    Ov = 8,
    /// Unordered (NaN).
    Un = 9,
    /// Early out: what `math.invm` and `math.rsqtm` always write. It has no encoding of its own; the
    /// word holds only the flag.
    Eo = 15,
}

narrow::enum_numbers!(Cond: number u8);

impl Cond {
    /// What stands in words (volume 2a, `CondModifier`); none for [`Cond::Eo`], which the math function implies.
    #[inline]
    pub const fn code(self) -> Option<u8> {
        match self {
            Cond::Eo => None,
            other => Some(other.number()),
        }
    }

    /// The condition of a [`code`](Cond::code).
    #[inline]
    pub const fn from_code(code: u8) -> Option<Cond> {
        Some(match code {
            1 => Cond::Eq,
            2 => Cond::Ne,
            3 => Cond::Gt,
            4 => Cond::Ge,
            5 => Cond::Lt,
            6 => Cond::Le,
            8 => Cond::Ov,
            9 => Cond::Un,
            _ => return None,
        })
    }
}

/// A condition modifier and the flag it writes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct CondMod<S: Space> {
    /// What is tested.
    pub cond: Cond,
    /// Flag subregister or predicate variable. (`sel`, `csel`: not written, but encoded.)
    pub flag: Reg<S>,
}

/// Instruction options, a set of bits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Options(pub u16);

impl Options {
    /// No option.
    pub const NONE: Options = Options(0);
    /// `AccWrEn`: the accumulator is written too.
    pub const ACC_WR_EN: Options = Options(1);
    /// `NoDDClr`.
    pub const NO_DD_CLR: Options = Options(1 << 1);
    /// `NoDDChk`.
    pub const NO_DD_CHK: Options = Options(1 << 2);
    /// `Atomic` (thread control).
    pub const ATOMIC: Options = Options(1 << 3);
    /// `Switch` (thread control).
    pub const SWITCH: Options = Options(1 << 4);
    /// `NoPreempt` (thread control).
    pub const NO_PREEMPT: Options = Options(1 << 5);
    /// `Breakpoint` (debug control).
    pub const BREAKPOINT: Options = Options(1 << 6);
    /// The word is compacted (set by a decoder; an encoder compacts where asked and possible).
    pub const COMPACTED: Options = Options(1 << 7);
    /// Align16 access mode.
    pub const ALIGN16: Options = Options(1 << 8);
    /// `NoSrcDepSet` (Gen8..11 `send`).
    pub const NO_SRC_DEP_SET: Options = Options(1 << 9);
    /// `Serialize` (`send`, Xe).
    pub const SERIALIZE: Options = Options(1 << 10);
    /// `ExBSO`: the extended descriptor holds a bindless surface offset.
    pub const EX_BSO: Options = Options(1 << 11);
    /// `CPS` (`send`).
    pub const CPS: Options = Options(1 << 12);
    /// A linker fills the dword immediate with the low half of a symbol's address. Not a bit of the
    /// machine word: it is gone before encoding.
    pub const SYMBOL_LOW: Options = Options(1 << 13);
    /// The same with the high half.
    pub const SYMBOL_HIGH: Options = Options(1 << 14);
    /// The word keeps its 16 bytes: code counts on the distance.
    pub const NO_COMPACT: Options = Options(1 << 15);

    /// Whether all bits of `other` are set.
    pub const fn has(self, other: Options) -> bool {
        self.0 & other.0 == other.0
    }

    /// Both sets together.
    #[must_use]
    pub const fn with(self, other: Options) -> Options {
        Options(self.0 | other.0)
    }

    /// The set without `other`.
    #[must_use]
    pub const fn without(self, other: Options) -> Options {
        Options(self.0 & !other.0)
    }
}
