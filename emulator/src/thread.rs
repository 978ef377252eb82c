//! One hardware thread: its registers, its channels, and moving operands between registers and lanes.

use crate::{
    file,
    group::{Member, Turn},
    num::Round,
    pair::Pair,
    program::{Condition, DescFrom, Dest, DestPlace, Operand, Pc, Predicate, Program, Shape, Source, Step},
};
use gen_ir::{FlagSub, PredCtrl, Type};
use narrow::{as_index, low_i8, low_u8, low_u16, low_u32, to_index};

/// Most channels an instruction has.
pub(crate) const LANES: usize = 32;

/// Where the lanes of a destination are in the file. Most lie at a stride, and are not written down.
#[derive(Clone, Debug)]
pub(crate) enum Places {
    None,
    Direct { at: u32, stride: u32 },
    Indirect(Box<[u32; LANES]>),
}

impl Places {
    /// The first byte of a lane.
    pub(crate) fn of(&self, lane: usize) -> Option<u32> {
        match self {
            Places::None => None,
            Places::Direct { at, stride } => Some(at + to_index(lane) * stride),
            Places::Indirect(lanes) => Some(lanes[lane]),
        }
    }
}

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

    /// First byte of each lane of an indirect source; lanes out of the register file are an error when
    /// they are enabled and read register 0 when not.
    #[allow(clippy::too_many_arguments)] // The fields of an indirect operand, and its lanes.
    fn indirect(
        &self,
        addr: u32,
        imm: i32,
        shape: Shape,
        per_row: u32,
        ty: Type,
        n: usize,
        on: u32,
    ) -> Result<[u32; LANES], Trap> {
        let mut out = [0; LANES];
        for (i, o) in out[..n].iter_mut().enumerate() {
            let i = to_index(i);
            let (row, within) = match i.checked_div(per_row) {
                None => (0, offset(shape, i)),
                Some(row) => (row, offset(shape, i % per_row)),
            };
            let base = i64::from(self.u16_at(addr + 2 * row)) + i64::from(imm) + i64::from(within);
            if base >= 0 && base + i64::from(ty.bytes()) <= i64::from(self.grf_end) {
                *o = low_u32(base);
            } else if on >> i & 1 != 0 {
                return Err(format!("channel {i} reads registers through address {base:#x}").into());
            }
        }
        Ok(out)
    }

    /// File offset of every lane of a source, for what works byte by byte.
    pub(crate) fn lane_offsets(&self, s: &Source, n: usize, on: u32) -> Result<Option<[u32; LANES]>, Trap> {
        match s.what {
            Operand::Direct { at, shape } => {
                Ok(Some(std::array::from_fn(|i| at + offset(shape, to_index(i)))))
            }
            Operand::Indirect { addr, imm, shape, per_row } => {
                self.indirect(addr, imm, shape, per_row, s.ty, n, on).map(Some)
            }
            _ => Ok(None),
        }
    }

    #[inline(always)]
    fn lanes_of<const B: usize, T: Copy>(
        &self,
        s: &Source,
        n: usize,
        on: u32,
        out: &mut [T; LANES],
        value: impl Fn([u8; B]) -> T,
    ) -> Result<(), Trap> {
        let at_byte = |at: usize| -> [u8; B] {
            let mut b = [0; B];
            b.copy_from_slice(&self.rf[at..at + B]);
            b
        };
        match s.what {
            Operand::Direct { at, shape } => {
                let at = as_index(at);
                match shape {
                    Shape::Scalar => out[..n].fill(value(at_byte(at))),
                    Shape::Linear(stride) if as_index(stride) == B => {
                        let bytes = &self.rf[at..at + n * B];
                        for (o, c) in out.iter_mut().zip(bytes.as_chunks::<B>().0) {
                            *o = value(*c);
                        }
                    }
                    Shape::Linear(stride) => {
                        for (i, o) in out[..n].iter_mut().enumerate() {
                            *o = value(at_byte(at + i * as_index(stride)));
                        }
                    }
                    Shape::Rows { .. } => {
                        for (i, o) in out[..n].iter_mut().enumerate() {
                            *o = value(at_byte(at + as_index(offset(shape, to_index(i)))));
                        }
                    }
                }
            }
            Operand::Indirect { addr, imm, shape, per_row } => {
                let places = self.indirect(addr, imm, shape, per_row, s.ty, n, on)?;
                for (o, at) in out[..n].iter_mut().zip(places) {
                    *o = value(at_byte(as_index(at)));
                }
            }
            Operand::Imm(bits) => {
                let mut b = [0; B];
                b.copy_from_slice(&bits.to_le_bytes()[..B]);
                out[..n].fill(value(b));
            }
            Operand::Vector(v) => {
                for (i, o) in out[..n].iter_mut().enumerate() {
                    let mut b = [0; B];
                    let bytes = i64::from(v[i % 8]).to_le_bytes();
                    b.copy_from_slice(&bytes[..B]);
                    *o = value(b);
                }
            }
            Operand::VectorF(v) => {
                for (i, o) in out[..n].iter_mut().enumerate() {
                    let mut b = [0; B];
                    let bytes = u64::from(v[i % 4].to_bits()).to_le_bytes();
                    b.copy_from_slice(&bytes[..B]);
                    *o = value(b);
                }
            }
            Operand::None => out[..n].fill(value([0; B])),
        }
        Ok(())
    }

    /// The bits of every lane, zero-extended.
    pub(crate) fn raw(&self, s: &Source, n: usize, on: u32, out: &mut [u64; LANES]) -> Result<(), Trap> {
        match s.ty.bytes() {
            1 => self.lanes_of(s, n, on, out, |[b]| u64::from(b)),
            2 => self.lanes_of(s, n, on, out, |b| u64::from(u16::from_le_bytes(b))),
            4 => self.lanes_of(s, n, on, out, |b| u64::from(u32::from_le_bytes(b))),
            _ => self.lanes_of(s, n, on, out, u64::from_le_bytes),
        }
    }

    /// Integer lanes, extended by their type; source modifiers are not applied.
    pub(crate) fn ints(&self, s: &Source, n: usize, on: u32, out: &mut [i64; LANES]) -> Result<(), Trap> {
        match s.ty {
            Type::Ub => self.lanes_of(s, n, on, out, |[b]| i64::from(b)),
            Type::B => self.lanes_of(s, n, on, out, |[b]| i64::from(low_i8(b))),
            Type::Uw | Type::Hf | Type::Bf => self.lanes_of(s, n, on, out, |b| u16::from_le_bytes(b).into()),
            Type::W => self.lanes_of(s, n, on, out, |b| i16::from_le_bytes(b).into()),
            Type::Ud | Type::F => self.lanes_of(s, n, on, out, |b| u32::from_le_bytes(b).into()),
            Type::D => self.lanes_of(s, n, on, out, |b| i32::from_le_bytes(b).into()),
            _ if s.ty.bytes() == 8 => self.lanes_of(s, n, on, out, i64::from_le_bytes),
            _ if s.ty.bytes() == 4 => self.lanes_of(s, n, on, out, |b| u32::from_le_bytes(b).into()),
            _ if s.ty.bytes() == 2 => self.lanes_of(s, n, on, out, |b| u16::from_le_bytes(b).into()),
            _ => self.lanes_of(s, n, on, out, |[b]| i64::from(b)),
        }
    }

    /// File offset of every destination lane.
    pub(crate) fn dest_lanes(&self, d: &Dest, n: usize, on: u32) -> Result<Places, Trap> {
        match d.what {
            DestPlace::None | DestPlace::Null => Ok(Places::None),
            DestPlace::Direct(at) => Ok(Places::Direct { at, stride: d.stride }),
            DestPlace::Indirect { addr, imm } => {
                let shape = Shape::Linear(d.stride);
                let lanes = self.indirect(addr, imm, shape, 0, d.ty, n, on)?;
                Ok(Places::Indirect(Box::new(lanes)))
            }
        }
    }

    /// Stores the low bytes of each lane in `on`.
    pub(crate) fn put(&mut self, d: &Dest, n: usize, on: u32, v: &[u64; LANES]) -> Result<(), Trap> {
        match d.ty.bytes() {
            1 => self.put_lanes(d, n, on, v, |x| [low_u8(x)]),
            2 => self.put_lanes(d, n, on, v, |x| low_u16(x).to_le_bytes()),
            4 => self.put_lanes(d, n, on, v, |x| low_u32(x).to_le_bytes()),
            _ => self.put_lanes(d, n, on, v, |x| x.to_le_bytes()),
        }
    }

    #[inline(always)]
    fn put_lanes<const B: usize>(
        &mut self,
        d: &Dest,
        n: usize,
        on: u32,
        v: &[u64; LANES],
        bytes: impl Fn(u64) -> [u8; B],
    ) -> Result<(), Trap> {
        if let DestPlace::Direct(at) = d.what {
            let (at, stride) = (as_index(at), as_index(d.stride));
            if stride == B && on == mask(to_index(n)) {
                let out = &mut self.rf[at..at + n * B];
                for (o, x) in out.as_chunks_mut::<B>().0.iter_mut().zip(v) {
                    *o = bytes(*x);
                }
            } else {
                let mut left = on;
                while left != 0 {
                    let i = as_index(left.trailing_zeros());
                    left &= left - 1;
                    let to = at + i * stride;
                    self.rf[to..to + B].copy_from_slice(&bytes(v[i]));
                }
            }
            return Ok(());
        }
        let DestPlace::Indirect { addr, imm } = d.what else { return Ok(()) };
        let places = self.indirect(addr, imm, Shape::Linear(d.stride), 0, d.ty, n, on)?;
        for i in 0..n {
            if on >> i & 1 != 0 {
                let to = as_index(places[i]);
                self.rf[to..to + B].copy_from_slice(&bytes(v[i]));
            }
        }
        Ok(())
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

/// Byte offset of a channel's element.
pub(crate) const fn offset(shape: Shape, i: u32) -> u32 {
    match shape {
        Shape::Scalar => 0,
        Shape::Linear(s) => i * s,
        Shape::Rows { vert, width, horz } => i / width * vert + i % width * horz,
    }
}
