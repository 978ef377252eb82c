//! What an instruction costs its thread: cycles of issue, and until its result is there.
//!
//! The figures are rows of [`Latencies`]; a scheduler orders by them, and cycle models count with them.

use std::ops::Range;

use crate::{
    AddrSub, Arf, Base, Class, Descriptors, Direction, Dst, FlagSub, Inst, MathFn, Payload, Sfid, Space,
};
use narrow::as_index;
use platforms::{Caps, Registers};

/// Cycles of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Timing {
    /// Before the thread's next instruction can issue.
    pub issue: u32,
    /// From its issue until what it writes can be read.
    pub latency: u32,
    /// From its issue until what it reads can be overwritten.
    pub read: u32,
}

impl<S: Space> Inst<S> {
    /// Native widths that the instruction is executed in, one after the other.
    fn passes(&self, caps: &Caps) -> u32 {
        let mut bytes = self.dst.ty().map_or(4, |ty| ty.bytes().max(4));
        for ty in self.src.iter().filter_map(crate::Src::ty) {
            bytes = bytes.max(ty.bytes());
        }
        let width = u32::from(caps.regs.grf_bytes);
        // Registers have a power of two of bytes.
        (self.exec.lanes() * bytes + width - 1) >> width.trailing_zeros()
    }

    /// What it costs its thread.
    pub fn timing(&self, caps: &Caps) -> Timing {
        let row = &caps.latencies;
        let cycles = |base: u16, more: u16, passes: u32| u32::from(base) + u32::from(more) * (passes - 1);
        let (issue, latency) = match (self.op.info().class, &self.payload) {
            (Class::Math, payload) => {
                let long = matches!(payload, Payload::Math(MathFn::Fdiv | MathFn::Pow));
                let passes = self.passes(caps);
                let base = if long { row.math_long } else { row.math };
                let times = 1 + u32::from(long);
                (times * u32::from(row.issue_math) * passes, cycles(base, row.math_wider, passes))
            }
            (Class::Basic | Class::Ternary, _) => {
                let passes = self.passes(caps);
                (u32::from(row.issue) * passes, self.plain_latency(caps, passes))
            }
            (Class::Branch, _) => (row.branch.into(), row.branch.into()),
            (Class::Send, Payload::Send(send)) => {
                let latency = match send.sfid {
                    Sfid::Sampler => row.sampler,
                    Sfid::Slm => row.slm,
                    Sfid::Dc0 | Sfid::Dc1 | Sfid::Dc2 | Sfid::DcRo | Sfid::Render => row.memory,
                    Sfid::Ugm | Sfid::Ugml | Sfid::Tgm => row.memory,
                    _ => row.other,
                };
                (row.issue.into(), latency.into())
            }
            (Class::Dpas, Payload::Dpas { repeat, .. }) => {
                (row.issue.into(), u32::from(row.dpas) + u32::from(*repeat))
            }
            _ => (row.issue.into(), self.plain_latency(caps, self.passes(caps))),
        };
        let read = match &self.payload {
            Payload::Send(send) => {
                u32::from(row.send_read) + u32::from(send.src0_len) + u32::from(send.src1_len)
            }
            _ => 0,
        };
        Timing { issue, latency, read }
    }

    /// Cycles until the result of an operation is there that no shared function makes.
    fn plain_latency(&self, caps: &Caps, passes: u32) -> u32 {
        let row = &caps.latencies;
        let cycles = |base: u16| u32::from(base) + u32::from(row.alu_wider) * (passes - 1);
        let Dst::Direct { reg, .. } = self.dst else { return cycles(row.alu) };
        match reg.base() {
            Base::Arf(Arf::Acc(_)) => cycles(row.acc),
            Base::Arf(Arf::Null) if self.cond.is_none() => cycles(row.alu),
            Base::Arf(_) => row.arf.into(),
            _ => cycles(row.alu),
        }
    }
}

/// A unit of registers that the clock keeps apart: a dword.
const UNIT: u32 = 4;
/// General registers, then flags, addresses and accumulators.
const FLAGS: usize = Registers::MOST_BYTES / as_index(UNIT);
const ADDRESSES: usize = FLAGS + Registers::MOST_FLAGS * as_index(FlagSub::REGISTER_BYTES / UNIT);
const ACCUMULATOR: usize =
    ADDRESSES + Registers::MOST_ADDR_SUBREGS * as_index(AddrSub::BYTES) / as_index(UNIT);
/// An accumulator is one unit, those of the macros for quotients and roots, too.
const UNITS: usize = ACCUMULATOR + Registers::MOST_ACCUMULATORS;

/// One thread alone, issuing instructions in order: how long each makes it wait.
#[derive(Clone, Debug)]
pub struct Clock {
    caps: &'static Caps,
    now: u64,
    /// When what was written can be read, and when what is being read can be overwritten.
    written: Vec<u64>,
    read: Vec<u64>,
    descs: Descriptors,
}

impl Clock {
    /// The units of general registers come first, this many.
    pub const GENERAL: usize = FLAGS;
    /// How many units of registers are kept apart.
    pub const UNITS: usize = UNITS;
    /// The units of the accumulators that operations may touch beside their operands: `acc0` and `acc1`.
    pub const IMPLICIT: Range<usize> = ACCUMULATOR..ACCUMULATOR + 2;

    /// A thread that starts.
    pub fn new(caps: &'static Caps) -> Clock {
        Clock { caps, now: 0, written: vec![0; UNITS], read: vec![0; UNITS], descs: Descriptors::default() }
    }

    /// Issues an instruction. Returns the cycles until the next one can, the time that it waits included.
    pub fn issue(&mut self, inst: &Inst<crate::Physical>) -> u64 {
        let (began, caps) = (self.now, self.caps);
        self.descs.see(inst);
        let long = self.descs.with_lengths(inst);
        let inst = long.as_ref().unwrap_or(inst);
        let grf_bytes = u32::from(caps.regs.grf_bytes);
        let accumulator = inst.implicit_accumulator();
        let mut start = began;
        inst.for_each_unit(grf_bytes, |unit, direction| {
            if direction == Direction::Write {
                start = start.max(self.read[unit]);
            }
            if direction == Direction::Read || caps.latencies.writes_wait {
                start = start.max(self.written[unit]);
            }
        });
        if accumulator.reads {
            start = self.written[Clock::IMPLICIT].iter().copied().fold(start, u64::max);
        }
        let takes = inst.timing(caps);
        let there = start + u64::from(takes.latency);
        let done = start + u64::from(takes.read);
        inst.for_each_unit(grf_bytes, |unit, direction| {
            match direction {
                Direction::Write => self.written[unit] = self.written[unit].max(there),
                // Descriptors and predicates are read as the message leaves.
                Direction::Read if unit >= FLAGS => {}
                Direction::Read => self.read[unit] = self.read[unit].max(done),
            }
        });
        if accumulator.writes {
            self.written[Clock::IMPLICIT].fill(there);
        }
        self.now = start + u64::from(takes.issue);
        self.now - began
    }
}

impl Inst<crate::Physical> {
    /// The units of registers that operands touch, as a [`Clock`] counts them, and what happens to each.
    pub fn for_each_unit(&self, grf_bytes: u32, mut f: impl FnMut(usize, Direction)) {
        self.for_each_reg(|role, reg| {
            let Some(extent) = self.extent(role, grf_bytes) else { return };
            let (first, end) = match reg.base() {
                Base::Grf(n) => (as_index(n.start(grf_bytes).bytes() / UNIT), FLAGS),
                Base::Arf(Arf::Flag(n)) => (FLAGS + usize::from(n), ADDRESSES),
                Base::Arf(Arf::Addr(_)) => (ADDRESSES, ACCUMULATOR),
                Base::Arf(Arf::Acc(n)) => {
                    let first = ACCUMULATOR + usize::from(n);
                    let end = first + as_index(extent.end.div_ceil(grf_bytes));
                    (first..end.min(UNITS)).for_each(|unit| f(unit, role.direction()));
                    return;
                }
                _ => return,
            };
            let from = first + as_index(extent.start / UNIT);
            let to = first + as_index(extent.end.div_ceil(UNIT));
            (from..to.min(end)).for_each(|unit| f(unit, role.direction()));
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ExecSize, GrfNum, Op, Physical, Reg, Src, Type};
    use platforms::Platform;

    fn add(to: u16, from: u16) -> Inst<Physical> {
        let mut i = Inst::new(Op::Add, ExecSize::S8);
        i.dst = Dst::packed(Reg::grf(GrfNum::new(to), 0), Type::F);
        i.src[0] = Src::packed(Reg::grf(GrfNum::new(from), 0), Type::F);
        i.src[1] = Src::packed(Reg::grf(GrfNum::new(1), 0), Type::F);
        i
    }

    #[test]
    fn a_result_is_waited_for_and_its_neighbours_are_not() {
        for (platform, issue, latency) in [(Platform::Skl, 2, 14), (Platform::Tgllp, 1, 10)] {
            let mut clock = Clock::new(platform.caps());
            assert_eq!(clock.issue(&add(10, 2)), issue);
            assert_eq!(clock.issue(&add(11, 3)), issue);
            // It began one issue after the first.
            assert_eq!(clock.issue(&add(12, 10)), latency - 2 * issue + issue);
        }
    }

    #[test]
    fn wider_instructions_take_longer() {
        let caps = Platform::Skl.caps();
        let mut wide = add(10, 2);
        wide.exec = ExecSize::S16;
        assert_eq!((add(10, 2).timing(caps).issue, wide.timing(caps).issue), (2, 4));
        let caps = Platform::Pvc.caps();
        assert_eq!((wide.timing(caps).issue, wide.timing(caps).latency), (1, 10));
    }
}
