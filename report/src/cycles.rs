//! Where a thread waits, by the cycle model of the scheduler: one thread alone, results after the latencies of
//! [`platforms`].

use gen_ir::{Clock, Direction, Inst, Physical};
use narrow::{to_index, to_u32};
use platforms::{Caps, Platform};

use crate::{flow::Flow, instruction::Instruction};

/// How often the body of a loop is taken to run.
const TRIPS: u64 = 8;
/// Loops inside of each other that still count.
const DEEPEST: u32 = 4;

/// The time of one instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wait {
    /// Cycles that it waits before it issues.
    pub cycles: u32,
    /// Cycles that it takes to issue.
    pub issue: u32,
    /// The instruction that it waits for: whose result it needs, or which still reads what it overwrites.
    pub on: Option<u32>,
}

/// Who touched a unit last: the instruction, and when it is done with it.
type Last = Option<(u64, u32)>;

struct Model {
    caps: &'static Caps,
    clock: Clock,
    now: u64,
    written: Vec<Last>,
    read: Vec<Last>,
}

/// Waits of all instructions, the cycles of executing each once, and with loops.
pub(crate) fn waits(platform: Platform, insts: &[Instruction], flow: &Flow) -> (Vec<Wait>, u64, u64) {
    let caps = platform.caps();
    let (written, read) = (vec![None; Clock::UNITS], vec![None; Clock::UNITS]);
    let mut model = Model { caps, clock: Clock::new(caps), now: 0, written, read };
    let step = |(at, i): (usize, &Instruction)| match &i.inst {
        Some(inst) => model.issue(to_index(at), inst),
        None => Wait { issue: 1, ..Wait::default() },
    };
    let waits: Vec<Wait> = insts.iter().enumerate().map(step).collect();
    let time = |w: &Wait| u64::from(w.cycles) + u64::from(w.issue);
    let once = waits.iter().map(time).sum();
    let in_loops = (0..flow.starts.len()).map(|block| {
        let body: u64 = waits[flow.range(block)].iter().map(time).sum();
        body * TRIPS.pow(flow.depth[block].min(DEEPEST))
    });
    let in_loops = in_loops.sum();
    (waits, once, in_loops)
}

impl Model {
    fn issue(&mut self, at: u32, inst: &Inst<Physical>) -> Wait {
        let takes = inst.timing(self.caps);
        let issue = takes.issue;
        let taken = self.clock.issue(inst);
        let cycles = to_u32(taken.saturating_sub(issue.into()));
        let start = self.now + u64::from(cycles);
        let on = if cycles > 0 { self.blame(inst) } else { None };
        self.now += taken;
        let there = start + u64::from(takes.latency);
        let done = start + u64::from(takes.read);
        units(inst, self.caps, |unit, does| {
            let (list, until) = match does {
                Direction::Read => (&mut self.read, done),
                Direction::Write => (&mut self.written, there),
            };
            list[unit] = list[unit].max(Some((until, at)));
        });
        Wait { cycles, issue, on }
    }

    /// Who is done last with what the instruction touches.
    fn blame(&self, inst: &Inst<Physical>) -> Option<u32> {
        let mut last: Last = None;
        units(inst, self.caps, |unit, does| {
            if does == Direction::Write {
                last = last.max(self.read[unit]);
            }
            if does == Direction::Read || self.caps.latencies.writes_wait {
                last = last.max(self.written[unit]);
            }
        });
        last.filter(|(until, _)| *until > self.now).map(|(_, at)| at)
    }
}

/// Units that an instruction touches, and what happens to each.
fn units(inst: &Inst<Physical>, caps: &Caps, mut f: impl FnMut(usize, Direction)) {
    inst.for_each_unit(caps.regs.grf_bytes.into(), &mut f);
    let accumulator = inst.implicit_accumulator();
    if accumulator.reads {
        Clock::IMPLICIT.for_each(|unit| f(unit, Direction::Read));
    }
    if accumulator.writes {
        Clock::IMPLICIT.for_each(|unit| f(unit, Direction::Write));
    }
}
