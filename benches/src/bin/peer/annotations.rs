//! A clock of platforms with a software scoreboard: instructions wait for what their annotations say, needed or not.
//!
//! The [`Clock`] waits for registers, so it cannot tell whether an annotation asks for more than the code needs, nor that a
//! message takes an SBID that another one has still (the hardware holds it up until that is done).

use gen_ir::{Clock, Direction, Inst, Payload, Physical, Pipe, SbidMode, Src, SyncFn};
use platforms::Platform;
use tests::dependencies::in_order_pipe;

const SBIDS: usize = 32;
/// In-order pipes: float, integer, long, math.
const PIPES: usize = 4;
/// Instructions of a pipe that a distance can mean.
const FURTHEST: usize = 8;

/// One thread alone, issuing instructions in order.
pub struct AnnotationClock {
    platform: Platform,
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
    pub fn new(platform: Platform) -> AnnotationClock {
        AnnotationClock {
            platform,
            now: 0,
            units: vec![0; Clock::UNITS],
            done: [[0; FURTHEST]; PIPES],
            read: [0; SBIDS],
            written: [0; SBIDS],
        }
    }

    /// Issues an instruction. Returns the cycles until the next one can, the time that it waits included.
    pub fn issue(&mut self, inst: &Inst<Physical>) -> u64 {
        let (began, caps) = (self.now, self.platform.caps());
        let grf_bytes = u32::from(caps.regs.grf_bytes);
        let mut start = began;
        let pipe = in_order_pipe(self.platform, inst).map(usize::from);
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
        inst.for_each_unit(grf_bytes, |unit, does| {
            if unit >= Clock::GENERAL && does == Direction::Read {
                start = start.max(self.units[unit]);
            }
        });
        let accumulator = inst.implicit_accumulator();
        if accumulator.reads {
            start = self.units[Clock::IMPLICIT].iter().copied().fold(start, u64::max);
        }
        let takes = inst.timing(caps);
        let there = start + u64::from(takes.latency);
        inst.for_each_unit(grf_bytes, |unit, does| {
            if unit >= Clock::GENERAL && does == Direction::Write {
                self.units[unit] = self.units[unit].max(there);
            }
        });
        if accumulator.writes {
            self.units[Clock::IMPLICIT].fill(there);
        }
        if let Some(p) = pipe {
            self.done[p].rotate_right(1);
            self.done[p][0] = there;
        }
        if let Some((SbidMode::Set, id)) = inst.swsb.sbid {
            let id = usize::from(id);
            self.read[id] = start + u64::from(takes.read);
            let silent = inst.send().is_some_and(|s| s.dst_len == 0);
            self.written[id] = if silent { self.read[id] } else { there };
        }
        self.now = start + u64::from(takes.issue);
        self.now - began
    }
}
