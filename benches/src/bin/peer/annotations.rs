//! A clock of platforms with a software scoreboard: instructions wait for what their annotations say, needed or not.
//!
//! The [`Clock`] waits for registers, so it cannot tell whether an annotation asks for more than the code needs, nor that a
//! message takes an SBID that another one has still (the hardware holds it up until that is done).

use gen_ir::{Class, Clock, Inst, Op, Payload, Physical, Pipe, SbidMode, Src, SyncFn, Type};
use platforms::Caps;

const SBIDS: usize = 32;
/// In-order pipes: float, integer, long, math.
const PIPES: usize = 4;
/// Instructions of a pipe that a distance can mean.
const FURTHEST: usize = 8;

/// One thread alone, issuing instructions in order.
pub struct AnnotationClock {
    caps: &'static Caps,
    now: u64,
    /// For what the hardware watches itself: flags, accumulators, addresses.
    units: Vec<u64>,
    /// By pipe: when the results of the last instructions are there, the last one first.
    done: [[u64; FURTHEST]; PIPES],
    /// By SBID: when its sources have been read, and when its results are there.
    read: [u64; SBIDS],
    written: [u64; SBIDS],
}

impl AnnotationClock {
    pub fn new(caps: &'static Caps) -> AnnotationClock {
        AnnotationClock {
            caps,
            now: 0,
            units: vec![0; Clock::UNITS],
            done: [[0; FURTHEST]; PIPES],
            read: [0; SBIDS],
            written: [0; SBIDS],
        }
    }

    /// Issues an instruction. Returns the cycles until the next one can, the time that it waits included.
    pub fn issue(&mut self, inst: &Inst<Physical>) -> u64 {
        let (began, caps) = (self.now, self.caps);
        let grf_bytes = u32::from(caps.regs.grf_bytes);
        let mut start = began;
        let pipe = pipe(inst, caps);
        if let Some((which, dist)) = inst.swsb.dist {
            let at = usize::from(dist) - 1;
            let from = |p: usize| self.done[p][at];
            start = start.max(match which {
                Pipe::Own => from(pipe.unwrap_or(0)),
                Pipe::Float => from(0),
                Pipe::Int => from(1),
                Pipe::Long => from(2),
                Pipe::Math => from(3),
                _ => (0..PIPES).map(from).max().unwrap_or(0),
            });
        }
        let out_of_order = matches!(inst.op.info().class, Class::Send | Class::Dpas)
            || inst.op.info().class == Class::Math && !caps.scoreboard.pipes.have_math();
        if let Some((mode, id)) = inst.swsb.sbid {
            let id = usize::from(id);
            start = start.max(match mode {
                SbidMode::Src => self.read[id],
                SbidMode::Set | SbidMode::Dst => self.written[id].max(self.read[id]),
            });
        }
        if let Payload::Sync(f @ (SyncFn::AllRd | SyncFn::AllWr)) = inst.payload {
            let mask = match inst.src[0] {
                Src::Imm { bits, .. } => bits,
                _ => u64::MAX,
            };
            for id in (0..SBIDS).filter(|id| mask >> id & 1 != 0) {
                start = start.max(if f == SyncFn::AllRd { self.read[id] } else { self.written[id] });
            }
        }
        inst.for_each_unit(grf_bytes, |unit, write| {
            if unit >= Clock::GENERAL && !write {
                start = start.max(self.units[unit]);
            }
        });
        let (acc_read, acc_written) = inst.implicit_accumulator();
        if acc_read {
            start = self.units[Clock::IMPLICIT].iter().copied().fold(start, u64::max);
        }
        let takes = inst.timing(caps);
        let there = start + u64::from(takes.latency);
        inst.for_each_unit(grf_bytes, |unit, write| {
            if unit >= Clock::GENERAL && write {
                self.units[unit] = self.units[unit].max(there);
            }
        });
        if acc_written {
            self.units[Clock::IMPLICIT].fill(there);
        }
        if let Some(p) = pipe {
            self.done[p].rotate_right(1);
            self.done[p][0] = there;
        }
        if out_of_order && let Some((SbidMode::Set, id)) = inst.swsb.sbid {
            let id = usize::from(id);
            self.read[id] = start + u64::from(takes.read);
            let silent = inst.send().is_some_and(|s| s.dst_len == 0);
            self.written[id] = if silent { self.read[id] } else { there };
        }
        let issue = if matches!(inst.op, Op::Nop | Op::Illegal) { 1 } else { takes.issue };
        self.now = start + u64::from(issue);
        self.now - began
    }
}

/// The pipe that an instruction goes through in order.
fn pipe(inst: &Inst<Physical>, caps: &Caps) -> Option<usize> {
    match inst.op.info().class {
        Class::Math if caps.scoreboard.pipes.have_math() => Some(3),
        Class::Basic | Class::Ternary if !caps.scoreboard.pipes.have_names() => Some(0),
        Class::Basic | Class::Ternary => match inst.dst.ty().or_else(|| inst.src[0].ty()) {
            Some(Type::Df) => Some(2),
            Some(ty) if ty.is_float() => Some(0),
            _ => Some(1),
        },
        _ => None,
    }
}
