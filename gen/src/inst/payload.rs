//! The fields that only some families of instructions have.

use super::send::SendInfo;
use crate::{BlockId, Space};

/// Function of a `math` instruction.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum MathFn {
    /// 1/x.
    Inv = 1,
    /// log2.
    Log = 2,
    /// 2^x.
    Exp = 3,
    /// Square root.
    Sqt = 4,
    /// 1/sqrt.
    Rsqt = 5,
    /// Sine.
    Sin = 6,
    /// Cosine.
    Cos = 7,
    /// Division (float), older platforms.
    Fdiv = 9,
    /// |x|^y.
    Pow = 10,
    /// Integer division, quotient and remainder.
    Idivmod = 11,
    /// Integer quotient.
    Iqot = 12,
    /// Integer remainder.
    Irem = 13,
    /// Inverse, macro with extra precision.
    Invm = 14,
    /// Reciprocal square root, macro with extra precision.
    Rsqtm = 15,
}

narrow::enum_numbers!(MathFn: number u8);

impl MathFn {
    /// The function that words have under a code (volume 2a, `math`), whether a platform has it or not.
    #[inline]
    pub const fn from_code(code: u8) -> Option<MathFn> {
        Some(match code {
            1 => MathFn::Inv,
            2 => MathFn::Log,
            3 => MathFn::Exp,
            4 => MathFn::Sqt,
            5 => MathFn::Rsqt,
            6 => MathFn::Sin,
            7 => MathFn::Cos,
            9 => MathFn::Fdiv,
            10 => MathFn::Pow,
            11 => MathFn::Idivmod,
            12 => MathFn::Iqot,
            13 => MathFn::Irem,
            14 => MathFn::Invm,
            15 => MathFn::Rsqtm,
            _ => return None,
        })
    }

    /// How many sources it has.
    #[inline]
    pub const fn sources(self) -> u8 {
        match self {
            MathFn::Fdiv | MathFn::Pow | MathFn::Idivmod | MathFn::Iqot | MathFn::Irem | MathFn::Invm => 2,
            _ => 1,
        }
    }

    /// Whether it is a macro, with an extra register beside each operand (`r12.mme1`).
    #[inline]
    pub const fn is_macro(self) -> bool {
        matches!(self, MathFn::Invm | MathFn::Rsqtm)
    }
}

/// Function of a `sync` instruction.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum SyncFn {
    /// Wait for the instruction's own dependencies.
    Nop = 0,
    /// All reads of the named SBIDs are done.
    AllRd = 2,
    /// All writes of the named SBIDs are done.
    AllWr = 3,
    /// Fence.
    Fence = 13,
    /// Barrier notification.
    Bar = 14,
    /// Host notification.
    Host = 15,
}

narrow::enum_numbers!(SyncFn: number u8);

/// A branch target.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Target {
    /// The form has no such target, or it is not known yet.
    None,
    /// The start of a block.
    Block(BlockId),
    /// Bytes relative to the start of this instruction, as in the manual's JIP and UIP fields (on
    /// every platform, whatever the word counts from).
    Rel(i32),
}

/// The fields that only some families of instructions have.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Payload<S: Space> {
    /// Nothing more.
    None,
    /// `math`.
    Math(MathFn),
    /// `sync`.
    Sync(SyncFn),
    /// `bfn`: the truth table.
    Bfn(u8),
    /// `dpas`.
    Dpas {
        /// Systolic depth: 1, 2, 4 or 8.
        depth: u8,
        /// Repeat count: 1 to 8.
        repeat: u8,
    },
    /// Flow control.
    Branch {
        /// Where execution resumes when no channel goes on here.
        jip: Target,
        /// Where the branching channels go.
        uip: Target,
        /// `BranchCtrl` (`goto.b`, and `if`/`else`).
        ctrl: bool,
    },
    /// Message.
    Send(SendInfo<S>),
    /// The calling convention; gone before encoding.
    Outside(Outside),
}

/// What an instruction has to do with code that is not in its kernel or function: stack calls.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Outside {
    /// `sync`: registers that other code reads or writes here, in bytes. What is both read and written
    /// is copied, unless source and destination are the same registers.
    Touch {
        /// Bytes of source 0 that are read.
        read: u16,
        /// Bytes of the destination that are written.
        written: u16,
    },
    /// `sync`: for the lanes that run there is nothing in the destination any more (`lifetime.start`). It is gone once
    /// registers are allocated.
    StartOfLife {
        /// Bytes of the destination.
        written: u16,
    },
    /// `add`: source 1 is the size of this function's frame in scratch memory, known only when
    /// registers are allocated.
    Frame {
        /// The frame is left (subtract).
        leave: bool,
    },
    /// `calla`: a stack call; the return address goes to the destination. Source 0, if there is one,
    /// holds the callee's address.
    Call,
    /// `ret`: the end of a function that is called through the stack.
    Return,
    /// A branch to the start of another function of the binary, by its number.
    Callee(u32),
}
