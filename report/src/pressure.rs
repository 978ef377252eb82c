//! General registers in use over the code.
//!
//! Liveness is worked out on the machine code itself, in dwords: a write that no predicate guards ends what the
//! dwords that it fills held, and nothing is in use before something can have written it. Values flow as one lane
//! goes; what lanes need that wait at a block stays in use while others run ([`gen_ir::Waits`]). What code reaches through
//! addresses is not seen: registers that are only read like that do not count.

use gen_ir::{Base, Dst, Inst, Op, Physical, Src};
use narrow::{as_index, to_index, to_u16};
use platforms::{Caps, Platform, Registers};

use crate::{flow::Flow, instruction::Instruction};

/// Registers in use.
#[derive(Clone, Debug, Default)]
pub struct Pressure {
    /// How many general registers are in use at each instruction: those that it writes, and those whose values it or a
    /// later instruction still reads.
    pub live: Vec<u16>,
    /// What they hold.
    pub values: Vec<Value>,
    /// Registers that each instruction reads, as pairs of the first and how many.
    pub reads: Vec<Vec<u16>>,
    /// And those that it writes.
    pub writes: Vec<Vec<u16>>,
    /// One past the highest register that is named.
    pub registers: u32,
    /// Instructions that reach registers through addresses.
    pub indirect: usize,
}

/// Something that neighbouring registers hold for some time.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Value {
    /// The instruction that makes it, or the first where it is in use.
    pub start: u32,
    /// One past the last instruction where it is in use.
    pub end: u32,
    /// The first register.
    pub first: u16,
    /// Registers.
    pub count: u16,
}

impl Pressure {
    /// The instruction with the most registers in use, the first of them.
    pub fn peak(&self) -> Option<usize> {
        let most = self.live.iter().max()?;
        self.live.iter().position(|n| n == most)
    }
}

/// Bytes of a unit.
const UNIT: u32 = 4;
/// Registers of the largest file.
const REGISTERS: usize = Registers::MOST_GRFS;

/// A set of units.
#[derive(Clone, PartialEq, Eq)]
struct Units(Vec<u64>);

impl Units {
    fn new(len: usize) -> Units {
        Units(vec![0; len.div_ceil(64)])
    }

    fn add(&mut self, range: std::ops::Range<usize>) {
        range.for_each(|u| self.0[u / 64] |= 1 << (u % 64));
    }

    fn remove(&mut self, range: std::ops::Range<usize>) {
        range.for_each(|u| self.0[u / 64] &= !(1 << (u % 64)));
    }

    /// Adds another set; whether that was news.
    fn join(&mut self, other: &Units) -> bool {
        let mut grown = false;
        for (a, b) in self.0.iter_mut().zip(&other.0) {
            grown |= *b & !*a != 0;
            *a |= b;
        }
        grown
    }

    /// Takes out what is not in another set.
    fn keep(&mut self, other: &Units) {
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a &= b);
    }

    /// Whether a register of so many units has one in the set. Registers do not cross words of the set.
    fn has_of(&self, register: usize, a_register: usize) -> bool {
        let first = register * a_register;
        self.0[first / 64] >> (first % 64) & ((1 << a_register) - 1) != 0
    }

    /// Takes out another set.
    fn without(&mut self, other: &Units) {
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a &= !b);
    }
}

/// What an instruction does to units.
#[derive(Default)]
struct Touch {
    reads: Vec<std::ops::Range<usize>>,
    writes: Vec<std::ops::Range<usize>>,
    /// Of the writes: what no longer holds what it held.
    ends: Vec<std::ops::Range<usize>>,
    indirect: bool,
}

fn touch(inst: &Inst<Physical>, caps: &Caps, units: usize) -> Touch {
    let grf_bytes = u32::from(caps.regs.grf_bytes);
    let mut t = Touch {
        indirect: matches!(inst.dst, Dst::Indirect { .. })
            || inst.src.iter().any(|s| matches!(s, Src::Indirect { .. })),
        ..Touch::default()
    };
    // A predicate of `sel` chooses between sources; everywhere else it leaves channels as they were.
    let whole = (inst.pred.is_none() || inst.op == Op::Sel) && inst.dst_is_dense();
    inst.for_each_reg(|role, reg| {
        let (Base::Grf(n), Some(extent)) = (reg.base(), inst.extent(role, grf_bytes)) else { return };
        if extent.is_empty() {
            return;
        }
        let extent = extent.in_file(n, grf_bytes);
        let unit = |byte: u32| as_index(byte).min(units * as_index(UNIT));
        let outer = unit(extent.start) / as_index(UNIT)..unit(extent.end).div_ceil(as_index(UNIT));
        if !role.is_write() {
            t.reads.push(outer);
            return;
        }
        let inner = unit(extent.start).div_ceil(as_index(UNIT))..unit(extent.end) / as_index(UNIT);
        if whole && !inner.is_empty() {
            t.ends.push(inner);
        }
        t.writes.push(outer);
    });
    t
}

/// Works it out. `inputs` are bytes that hold values at the start, if that is known.
pub(crate) fn pressure(
    platform: Platform,
    insts: &[Instruction],
    flow: &Flow,
    inputs: Option<&[(u32, u32)]>,
) -> Pressure {
    let caps = platform.caps();
    let a_register = usize::from(caps.regs.grf_bytes) / as_index(UNIT);
    let units = REGISTERS * a_register;
    let none = Touch::default;
    let touches: Vec<Touch> =
        insts.iter().map(|i| i.inst.as_ref().map_or_else(none, |inst| touch(inst, caps, units))).collect();
    let (live_in, live_out) = live(&touches, flow, units);
    let defined = defined(&touches, flow, units, a_register, inputs);
    let waited_for = waited_for(flow, &live_in, &defined, units);
    let mut out = Pressure {
        live: vec![0; insts.len()],
        indirect: touches.iter().filter(|t| t.indirect).count(),
        reads: touches.iter().map(|t| registers(&t.reads, a_register)).collect(),
        writes: touches.iter().map(|t| registers(&t.writes, a_register)).collect(),
        ..Pressure::default()
    };
    let all = touches.iter().flat_map(|t| t.reads.iter().chain(&t.writes));
    out.registers = to_index(all.map(|r| r.end.div_ceil(a_register)).max().unwrap_or(0));
    let known = Known { live_out: &live_out, defined: &defined, waited_for: &waited_for };
    scan(&touches, flow, known, a_register, &mut out);
    out
}

/// Rounds after which an analysis gives what it has: far more than code of compilers needs, and an end for what
/// somebody made to have none.
const MOST_ROUNDS: usize = 500;

/// Units that are needed where each block starts, and behind it.
fn live(touches: &[Touch], flow: &Flow, units: usize) -> (Vec<Units>, Vec<Units>) {
    let blocks = flow.starts.len();
    let none = || vec![Units::new(units); blocks];
    let (mut live_in, mut live_out, mut ends) = (none(), none(), none());
    for block in 0..blocks {
        for at in flow.range(block).rev() {
            touches[at].ends.iter().for_each(|r| ends[block].add(r.clone()));
            before(&touches[at], &mut live_in[block]);
        }
    }
    let mut after_calls = Units::new(units);
    for _ in 0..MOST_ROUNDS {
        let mut again = false;
        for block in (0..blocks).rev() {
            let out = &mut live_out[block];
            let mut grown = false;
            for e in flow.edges[block].iter().filter(|e| e.kind != 'p') {
                grown |= out.join(&live_in[e.to]);
            }
            if flow.is_return[block] {
                grown |= out.join(&after_calls);
            }
            if grown {
                let mut through = out.clone();
                through.without(&ends[block]);
                again |= live_in[block].join(&through);
            }
        }
        for &block in &flow.returns_to {
            again |= after_calls.join(&live_in[block]);
        }
        if !again {
            break;
        }
    }
    (live_in, live_out)
}

/// What waiting lanes need during each block. Intervals of blocks are joined into the nodes of a tree that cover
/// them, and from there into the blocks.
fn waited_for(flow: &Flow, live_in: &[Units], defined: &[Units], units: usize) -> Vec<Units> {
    let leaves = flow.starts.len().next_power_of_two();
    let mut tree = vec![Units::new(units); 2 * leaves];
    for (at, since) in flow.waits.iter() {
        let mut needed = live_in[at.index()].clone();
        needed.keep(&defined[at.index()]);
        let (mut low, mut high) = (since.index() + leaves, at.index() + leaves);
        while low < high {
            if low & 1 == 1 {
                tree[low].join(&needed);
                low += 1;
            }
            if high & 1 == 1 {
                high -= 1;
                tree[high].join(&needed);
            }
            (low, high) = (low / 2, high / 2);
        }
    }
    for node in 2..2 * leaves {
        let (above, below) = tree.split_at_mut(node);
        below[0].join(&above[node / 2]);
    }
    tree.drain(leaves..).take(flow.starts.len()).collect()
}

/// From what is needed behind an instruction to what is needed before it.
fn before(t: &Touch, live: &mut Units) {
    t.ends.iter().for_each(|r| live.remove(r.clone()));
    t.reads.iter().for_each(|r| live.add(r.clone()));
}

/// Units that something can have written where each block starts.
fn defined(
    touches: &[Touch],
    flow: &Flow,
    units: usize,
    a_register: usize,
    inputs: Option<&[(u32, u32)]>,
) -> Vec<Units> {
    let blocks = flow.starts.len();
    let mut at_start = vec![Units::new(units); blocks];
    let Some(first) = at_start.first_mut() else { return at_start };
    match inputs {
        None => first.add(0..units),
        Some(inputs) => {
            // The header of the thread.
            first.add(0..a_register);
            for (from, to) in inputs {
                let end = as_index(to.div_ceil(UNIT)).min(units);
                first.add(as_index(from / UNIT)..end.max(as_index(from / UNIT)));
            }
        }
    }
    let mut writes = vec![Units::new(units); blocks];
    for (block, written) in writes.iter_mut().enumerate() {
        touches[flow.range(block)].iter().flat_map(|t| &t.writes).for_each(|r| written.add(r.clone()));
    }
    let mut returned = Units::new(units);
    for _ in 0..MOST_ROUNDS {
        let mut again = false;
        for block in 0..blocks {
            let mut here = at_start[block].clone();
            here.join(&writes[block]);
            for e in flow.edges[block].iter().filter(|e| e.kind != 'p') {
                again |= at_start[e.to].join(&here);
            }
            if flow.is_return[block] {
                again |= returned.join(&here);
            }
        }
        for &block in &flow.returns_to {
            again |= at_start[block].join(&returned);
        }
        if !again {
            break;
        }
    }
    at_start
}

/// Sets of each block.
#[derive(Clone, Copy)]
struct Known<'a> {
    live_out: &'a [Units],
    defined: &'a [Units],
    waited_for: &'a [Units],
}

/// Walks the code backward: registers in use, and from where to where.
fn scan(touches: &[Touch], flow: &Flow, known: Known<'_>, a_register: usize, out: &mut Pressure) {
    let Known { live_out, defined, waited_for } = known;
    let file = as_index(out.registers);
    // Where the run of each register that is in use ends.
    let mut open: Vec<Option<u32>> = vec![None; file];
    let mut runs = Vec::new();
    for block in (0..flow.starts.len()).rev() {
        let mut live = live_out[block].clone();
        let mut there = there(touches, flow, block, &defined[block]);
        for at in flow.range(block).rev() {
            let t = &touches[at];
            let here = there.pop().unwrap_or_else(|| defined[block].clone());
            let mut occupied = live.clone();
            t.writes.iter().for_each(|r| occupied.add(r.clone()));
            before(t, &mut live);
            let mut needed = live.clone();
            needed.keep(&here);
            needed.join(&waited_for[block]);
            t.reads.iter().for_each(|r| needed.add(r.clone()));
            occupied.keep(&written_by(&here, t));
            occupied.join(&needed);
            let mut count = 0;
            for (register, end) in open.iter_mut().enumerate() {
                let at = to_index(at);
                let is_in_use = occupied.has_of(register, a_register);
                count += u16::from(is_in_use);
                match (*end, is_in_use) {
                    (None, true) => *end = Some(at + 1),
                    (Some(until), false) => {
                        runs.push(Value { start: at + 1, end: until, first: to_u16(register), count: 1 });
                        *end = None;
                    }
                    _ => {}
                }
                // A value is made here: what the register held before is another.
                if let (Some(until), true) = (*end, is_in_use && !needed.has_of(register, a_register)) {
                    runs.push(Value { start: at, end: until, first: to_u16(register), count: 1 });
                    *end = None;
                }
            }
            out.live[at] = count;
        }
    }
    let start = |(register, end): (usize, &Option<u32>)| {
        Some(Value { start: 0, end: (*end)?, first: to_u16(register), count: 1 })
    };
    runs.extend(open.iter().enumerate().filter_map(start));
    out.values = joined(runs);
}

/// What can have been written before each instruction of a block.
fn there(touches: &[Touch], flow: &Flow, block: usize, at_start: &Units) -> Vec<Units> {
    let mut here = at_start.clone();
    let mut all = Vec::new();
    for at in flow.range(block) {
        all.push(here.clone());
        touches[at].writes.iter().for_each(|r| here.add(r.clone()));
    }
    all
}

fn written_by(here: &Units, t: &Touch) -> Units {
    let mut all = here.clone();
    t.writes.iter().for_each(|r| all.add(r.clone()));
    all
}

/// Neighbouring registers that are in use from and to the same instructions hold one value.
fn joined(mut runs: Vec<Value>) -> Vec<Value> {
    runs.sort_unstable();
    let mut out: Vec<Value> = Vec::with_capacity(runs.len());
    for run in runs {
        match out.last_mut() {
            Some(last)
                if (last.start, last.end) == (run.start, run.end) && last.first + last.count == run.first =>
            {
                last.count += 1;
            }
            _ => out.push(run),
        }
    }
    out
}

/// Registers of some units, as pairs of the first and how many.
fn registers(ranges: &[std::ops::Range<usize>], a_register: usize) -> Vec<u16> {
    let pair = |r: &std::ops::Range<usize>| {
        let first = r.start / a_register;
        [to_u16(first), to_u16(r.end.div_ceil(a_register) - first)]
    };
    ranges.iter().filter(|r| !r.is_empty()).flat_map(pair).collect()
}
