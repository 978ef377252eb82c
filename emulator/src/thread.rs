//! One hardware thread: its registers and its channels.

use crate::{
    file,
    group::{Member, Turn},
    num::Round,
    pair::Pair,
    program::{Condition, DescFrom, Pc, Predicate, Program, Step},
};
use gen_ir::{FlagSub, PredCtrl};
use narrow::as_index;

/// Most channels an instruction has.
pub(crate) const LANES: usize = 32;

/// Why a thread cannot go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Trap(pub String);

impl<T: Into<String>> From<T> for Trap {
    fn from(s: T) -> Self {
        Trap(s.into())
    }
}

/// What `cr0.0` says about floats.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FloatMode {
    pub round: Round,
    /// Denormals are kept (else flushed to zero).
    pub keep_f64: bool,
    pub keep_f32: bool,
    pub keep_f16: bool,
    /// Float to integer follows the rounding mode (else it truncates).
    pub round_int: bool,
}

impl FloatMode {
    pub(crate) fn from_control(cr: u32) -> FloatMode {
        FloatMode {
            round: match cr >> 4 & 3 {
                0 => Round::Even,
                1 => Round::Up,
                2 => Round::Down,
                _ => Round::Zero,
            },
            keep_f64: cr & 1 << 6 != 0,
            keep_f32: cr & 1 << 7 != 0,
            keep_f16: cr & 1 << 10 != 0,
            round_int: cr & 1 << 12 != 0,
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Thread {
    /// The register file, see [`file`].
    pub rf: Vec<u8>,
    /// Accumulator elements beyond their visible bits, by half-word: integers are wider than their type.
    pub acc_wide: Vec<i64>,
    /// Bytes of the integer elements in `acc_wide`, 0 for none.
    pub acc_size: Vec<u8>,
    /// Extra precision of math macros: the value itself, per register and channel.
    pub macros: Vec<[rustc_apfloat::ieee::Quad; LANES]>,
    pub pc: Pc,
    /// Channels that run.
    pub active: u32,
    /// Channels that exist.
    pub dispatched: u32,
    /// Channels that wait elsewhere, and where.
    pub waiting: u32,
    pub wait_at: [Pc; LANES],
    /// Channels of the current subroutine call; the others sleep until it returns.
    pub called: u32,
    /// How the thread stands to the other one of its pair, where hardware runs pairs and what it does wrong is tried.
    pub pair: Option<Pair>,
    pub mode: FloatMode,
    pub turn: Turn,
    pub number: u32,
    /// Definedness, where it is tracked.
    pub shadow: Option<Box<crate::shadow::Shadow>>,
    /// Dependencies, where they are watched.
    pub scoreboard: Option<crate::scoreboard::Scoreboard>,
    pub scratch: u64,
    pub scratch_len: u32,
    pub executed: u64,
    /// Bytes of the general registers of this thread, and of one of them.
    pub grf_end: u32,
    pub grf: u32,
}

impl Member for Thread {
    fn part(&mut self) -> &mut Turn {
        &mut self.turn
    }
}

impl Thread {
    pub(crate) fn new(program: &Program) -> Thread {
        Thread {
            rf: vec![0; as_index(file::END + 4096)],
            acc_wide: vec![0; as_index(file::ACC_COUNT * 32)],
            acc_size: vec![0; as_index(file::ACC_COUNT * 32)],
            macros: vec![[<rustc_apfloat::ieee::Quad as rustc_apfloat::Float>::ZERO; LANES]; 8],
            pc: 0,
            active: 0,
            dispatched: 0,
            waiting: 0,
            wait_at: [0; LANES],
            called: u32::MAX,
            pair: None,
            mode: FloatMode::from_control(0),
            turn: Turn::default(),
            number: 0,
            shadow: None,
            scoreboard: None,
            scratch: 0,
            scratch_len: 0,
            executed: 0,
            grf_end: program.grf * program.grf_count,
            grf: program.grf,
        }
    }

    /// Makes it a new thread. Which bytes of registers and memory count as defined stays as it is.
    pub(crate) fn reset(&mut self) {
        self.rf.fill(0);
        self.acc_wide.fill(0);
        self.acc_size.fill(0);
        self.macros.fill([<rustc_apfloat::ieee::Quad as rustc_apfloat::Float>::ZERO; LANES]);
        (self.pc, self.active, self.dispatched) = (0, 0, 0);
        (self.waiting, self.wait_at, self.called) = (0, [0; LANES], u32::MAX);
        self.pair = None;
        self.mode = FloatMode::from_control(0);
        (self.turn, self.number) = (Turn::default(), 0);
        self.scoreboard = None;
        (self.scratch, self.scratch_len, self.executed) = (0, 0, 0);
    }

    pub(crate) fn grf_bytes(&self) -> u32 {
        self.grf
    }

    pub(crate) fn u32_at(&self, at: u32) -> u32 {
        let at = as_index(at);
        u32::from_le_bytes(self.rf[at..at + 4].try_into().unwrap_or_default())
    }

    pub(crate) fn u16_at(&self, at: u32) -> u16 {
        let at = as_index(at);
        u16::from_le_bytes(self.rf[at..at + 2].try_into().unwrap_or_default())
    }

    pub(crate) fn set_u32(&mut self, at: u32, v: u32) {
        let at = as_index(at);
        self.rf[at..at + 4].copy_from_slice(&v.to_le_bytes());
    }

    /// The register that a flag is a half of.
    pub(crate) fn flag_register(&self, flag: FlagSub) -> u32 {
        self.u32_at(file::flag(flag.register()))
    }

    /// The bits of a flag, and of the other half behind it.
    pub(crate) fn flag(&self, flag: FlagSub) -> u32 {
        self.flag_register(flag) >> file::flag_bit(flag, 0)
    }

    /// The channels an instruction's flag bits stand for, lane 0 first.
    pub(crate) fn flag_lanes(&self, flag: FlagSub, chan: u8) -> u32 {
        self.flag_register(flag).checked_shr(file::flag_bit(flag, chan)).unwrap_or(0)
    }

    /// Lanes whose predicate holds.
    pub(crate) fn predicate(&self, p: &Predicate, step: &Step) -> u32 {
        let lanes = u32::from(step.lanes);
        let all = mask(lanes);
        let whole = self.flag(p.flag);
        let own = self.flag_lanes(p.flag, step.chan);
        let group = |n: u32, any: bool| -> u32 {
            let m = mask(n);
            let mut out = 0;
            for i in 0..lanes {
                let first = (u32::from(step.chan) + i) / n * n;
                let bits = whole.checked_shr(first).unwrap_or(0) & m;
                let hit = if any { bits != 0 } else { bits == m };
                out |= u32::from(hit) << i;
            }
            out
        };
        let bits = match p.ctrl {
            PredCtrl::Seq => own,
            PredCtrl::Any2h => group(2, true),
            PredCtrl::All2h => group(2, false),
            PredCtrl::Any4h => group(4, true),
            PredCtrl::All4h => group(4, false),
            PredCtrl::Any8h => group(8, true),
            PredCtrl::All8h => group(8, false),
            PredCtrl::Any16h => group(16, true),
            PredCtrl::All16h => group(16, false),
            PredCtrl::Any32h => group(32, true),
            PredCtrl::All32h => group(32, false),
            PredCtrl::AnyV => own | self.flag_lanes(FlagSub::new(1, p.flag.half()), step.chan),
            PredCtrl::AllV => own & self.flag_lanes(FlagSub::new(1, p.flag.half()), step.chan),
            PredCtrl::Any => {
                if own & all != 0 {
                    all
                } else {
                    0
                }
            }
            PredCtrl::All => {
                if own & all == all {
                    all
                } else {
                    0
                }
            }
            // Align16 replication: component of each group of four.
            PredCtrl::X | PredCtrl::Y | PredCtrl::Z | PredCtrl::W => {
                let k = u32::from(p.ctrl.number() - PredCtrl::X.number());
                let mut out = 0;
                for i in 0..lanes {
                    out |= (own >> (i / 4 * 4 + k) & 1) << i;
                }
                out
            }
        };
        (if p.inv { !bits } else { bits }) & all
    }

    /// Lanes enabled by the execution mask alone.
    pub(crate) fn enabled(&self, step: &Step) -> u32 {
        let all = mask(step.lanes.into());
        if step.no_mask { all } else { self.active.checked_shr(step.chan.into()).unwrap_or(0) & all }
    }

    /// Whether the thread runs while no channel of it is on, as its pair may make it.
    pub(crate) fn is_off(&self) -> bool {
        self.pair.as_ref().is_some_and(Pair::is_off)
    }

    /// Whether a message of such a thread is not sent: what ignores the mask is sent alone, where its predicate lets it.
    pub(crate) fn is_unsent(&self, step: &Step) -> bool {
        self.is_off() && self.enabled(step) & step.pred.map_or(u32::MAX, |p| self.predicate(&p, step)) == 0
    }

    /// Writes condition bits of the lanes in `lanes`.
    pub(crate) fn set_flag(&mut self, c: &Condition, step: &Step, lanes: u32, bits: u32) {
        let shift = file::flag_bit(c.flag, step.chan);
        if shift >= 32 {
            return;
        }
        let old = self.flag_register(c.flag);
        let new = old & !(lanes << shift) | (bits & lanes) << shift;
        self.set_u32(file::flag(c.flag.register()), new);
    }
}

impl<D: From<u32>> DescFrom<D> {
    /// What it says now.
    pub fn value(self, t: &Thread) -> D {
        match self {
            DescFrom::Imm(desc) => desc,
            DescFrom::Addr(at) => D::from(t.u32_at(at)),
        }
    }
}

/// The low `n` bits.
pub(crate) const fn mask(n: u32) -> u32 {
    if n >= 32 { u32::MAX } else { (1 << n) - 1 }
}
