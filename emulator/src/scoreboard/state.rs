//! What the scoreboard knows of a thread.

use gen_ir::Sfid;
use platforms::{Pipes, Registers};

/// In-order pipes: float, integer, long, math; a single-pipe platform uses the first.
pub(super) const PIPES: usize = Pipes::MOST;

/// Who a register byte waits for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(super) enum Owner {
    #[default]
    Nobody,
    /// An in-order instruction: its pipe and number there.
    InOrder(u8, u32),
    /// An out-of-order one: its token, and how often the token had been taken.
    Token(u8, u32),
    /// An out-of-order one without a token: nothing can wait for it.
    Untracked,
}

/// Tokens, and one more for instructions that should have one and have none.
pub(super) const TOKENS: usize = 32;

pub(super) const UNTRACKED: usize = TOKENS;

#[derive(Clone, Debug, Default)]
pub(super) struct Token {
    pub(super) taken: u32,
    pub(super) written: u32,
    /// Those of one kind read their sources in order.
    pub(super) kind: Option<Kind>,
    /// Registers that the holder may still have to read.
    pub(super) reads: Ranges,
}

/// Messages to one function, or `math` where it is out of order, run or not run alike: by the same predicate and the same
/// channels.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Kind {
    /// None of `math`.
    pub(super) function: Option<(Sfid, bool)>,
    pub(super) no_mask: bool,
    pub(super) lanes: u8,
    pub(super) chan: u8,
    pub(super) predicate: Option<gen_ir::FlagSub>,
}

/// Where a thread is on the known ways.
#[derive(Clone, Debug)]
pub(crate) struct Walk {
    /// The node behind which it is; none where its way since the last jump is not noted.
    pub(super) at: u32,
    /// What is under way there, where that had to be worked out.
    pub(super) board: Option<Box<Software>>,
}

/// The node where all threads start.
pub(super) const START: u32 = 0;

impl Default for Walk {
    fn default() -> Walk {
        Walk { at: START, board: None }
    }
}

/// Registers whose dependency is left set, a bit each.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Held([u64; HELD_WORDS]);

const HELD_WORDS: usize = Registers::MOST_GRFS.div_ceil(64);

impl Held {
    pub(super) fn is_empty(self) -> bool {
        self.0 == [0; HELD_WORDS]
    }

    pub(super) fn has(self, register: usize) -> bool {
        self.0[register / 64] >> (register % 64) & 1 != 0
    }

    pub(super) fn set(&mut self, register: usize, held: bool) {
        let word = &mut self.0[register / 64];
        *word = *word & !(1 << (register % 64)) | u64::from(held) << (register % 64);
    }
}

#[derive(Clone, Debug)]
pub(crate) enum Scoreboard {
    Software(Walk),
    DependencyControl(Held),
}

#[derive(Clone, Debug)]
pub(super) struct Software {
    pub(super) pipes: Pipes,
    /// By pipe: instructions after which a result has arrived by itself.
    pub(super) depths: [u32; PIPES],
    /// The instruction before touched a register that holds up what follows.
    pub(super) held: bool,
    /// Instructions issued per pipe, and the number below which all are complete.
    pub(super) issued: [u32; PIPES],
    pub(super) complete: [u32; PIPES],
    pub(super) tokens: Vec<Token>,
    /// Per register byte: who writes it.
    pub(super) writer: Vec<Owner>,
    /// Per register byte: the tokens whose holders may still have to read it, a bit each.
    pub(super) readers: Vec<u64>,
    /// Per register byte: the last instruction of each in-order pipe that reads it, numbered from 1.
    pub(super) piped: Vec<[u32; PIPES]>,
}

/// Byte ranges of general registers that an instruction touches: first byte and length.
pub(super) type Ranges = Vec<(u32, u32)>;
