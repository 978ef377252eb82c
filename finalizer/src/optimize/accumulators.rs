//! Floats that are soon read go through an accumulator, whose result is there earlier than a register's.
//!
//! `mul r10 = r2, r3; add r11 = r10, r4` is `mul acc0 = r2, r3; add r11 = acc0, r4`, if nothing else reads what is in `r10`
//! then. On the last order of the instructions, so that it is known what is in an accumulator when.
//!
//! What may be an accumulator is a platform's row ([`platforms::FloatAccumulators`]); beside that, a value that
//! - is the result of one operation on floats, in one or two whole registers, of whatever lanes run;
//! - is read by operations on floats alone, in the same block and in the same lanes, each channel its own element;
//! - is written over afterwards, or not read behind the block ([`LiveRegisters`]);
//! - finds an accumulator free, which it is not where integer products and carries have them.

use std::ops::Range;

use gen_ir::{
    Arf, Base, BlockId, Dst, Extent, ImplicitAccumulator, Inst, Kernel, Op, Options, Payload, Physical, Reg,
    RegisterSet, Role, Src, Type, rules,
};
use narrow::{as_index, span, to_index, to_u8};
use platforms::{FloatAccumulators, Platform, Registers};

use super::live_registers::{LiveRegisters, numbers, written_whole};
use crate::{legalize::ternary_region, schedule::implicit_accumulator};

/// How many instructions behind it a value is read first: after that, a register is as good.
const SOON: usize = 10;
/// How many instructions behind it a value is read last: others may want the accumulator.
const LATE: usize = 32;

/// Memory of the pass.
#[derive(Debug, Default)]
pub(crate) struct AccumulatorMemory {
    live: LiveRegisters,
    touches: Touches,
    /// By instruction: whether it touches accumulators itself, or what is in one is read behind it.
    own: Vec<bool>,
    /// The values of the block at hand, and all that reads them.
    values: Vec<Value>,
    uses: Vec<usize>,
    /// What becomes of the instructions that have to do with one value.
    changed: Vec<(usize, Inst<Physical>)>,
    /// By accumulator: from which to which instruction it is held.
    held: [Vec<(usize, usize)>; 4],
}

/// Which instructions of a block touch each register.
#[derive(Debug, Default)]
struct Touches {
    /// By register: its first entry in `insts`.
    starts: Vec<u32>,
    insts: Vec<u32>,
    /// Those that touch registers which nothing names, and those that may touch any.
    through: Vec<u32>,
    anywhere: Vec<u32>,
    /// The registers that the former may touch.
    addressed: RegisterSet,
}

/// A value that may go through an accumulator.
#[derive(Clone, Copy, Debug)]
struct Value {
    /// The instruction that makes it.
    made: usize,
    /// The last one that reads it.
    last: usize,
    /// Its bytes of the register file.
    bytes: Extent,
    /// Its readers, among all: the first, and one past the last. One that reads it twice is there twice.
    uses: (usize, usize),
}

impl Value {
    /// Whether it is held where another one is, from one instruction to another. The last reader of one may make the other.
    fn meets(&self, (from, to): (usize, usize)) -> bool {
        from < self.last && self.made < to
    }
}

/// Looks through every block.
pub(crate) fn use_accumulators(
    kernel: &mut Kernel<Physical>,
    s: &mut AccumulatorMemory,
    legal: &mut rules::Seen,
) {
    let caps = kernel.platform.caps();
    let Some(row) = caps.regs.float_accumulators else { return };
    let at = Accumulators {
        platform: kernel.platform,
        grf_bytes: caps.regs.grf_bytes.into(),
        several: row == FloatAccumulators::Several,
        count: caps.regs.acc_count.into(),
    };
    s.live.forget();
    for b in 0..kernel.blocks.len() {
        at.block(kernel, b, s, legal);
    }
}

/// What the platform has.
struct Accumulators {
    platform: Platform,
    grf_bytes: u32,
    /// One instruction may name several of them.
    several: bool,
    /// Registers.
    count: u32,
}

impl Accumulators {
    fn block(
        &self,
        kernel: &mut Kernel<Physical>,
        b: usize,
        s: &mut AccumulatorMemory,
        legal: &mut rules::Seen,
    ) {
        let insts = &kernel.blocks[b].insts;
        if !insts.iter().any(|i| self.result(i).is_some()) {
            return;
        }
        s.touches.find(insts, kernel.addressed, self.grf_bytes);
        find_own(insts, &mut s.own);
        s.values.clear();
        s.uses.clear();
        for i in 0..insts.len() {
            let uses = s.uses.len();
            match self.value(kernel, (b, i), s) {
                Some(value) => s.values.push(value),
                None => s.uses.truncate(uses),
            }
        }
        s.values.sort_unstable_by_key(|v| (v.last - v.made, v.made));
        s.held.iter_mut().for_each(Vec::clear);
        let insts = &mut kernel.blocks[b].insts;
        for value in &s.values {
            let uses = &s.uses[value.uses.0..value.uses.1];
            let size = value.bytes.len() / self.grf_bytes;
            let fits = |first: &u32| {
                (*first..first + size).all(|a| s.held[as_index(a)].iter().all(|other| !value.meets(*other)))
            };
            let places = (0..self.count / size).map(|n| n * size);
            let place = places
                .filter(fits)
                .find(|&first| self.put(insts, (value.made, uses), first, (&mut s.changed, legal)));
            if let Some(first) = place {
                s.held[span(first..first + size)].iter_mut().for_each(|h| h.push((value.made, value.last)));
            }
        }
    }

    /// The bytes of the register file that an operation on floats has its result in, if that may be an accumulator.
    fn result(&self, inst: &Inst<Physical>) -> Option<Extent> {
        let chooses = inst.op == Op::Sel;
        let Dst::Direct { reg, horz: 1, ty: Type::F } = inst.dst else { return None };
        let plain = inst.opts == Options::NONE && (chooses || inst.pred.is_none() && inst.cond.is_none());
        let Base::Grf(first) = reg.base() else { return None };
        let bytes = inst.exec.lanes() * 4;
        let whole = reg.byte == 0 && (bytes == self.grf_bytes || bytes == 2 * self.grf_bytes);
        (may_be_accumulators(inst.op).result
            && plain
            && whole
            && inst.chan.is_multiple_of(16)
            && of_floats(inst))
        .then(|| Extent::new(0, bytes).in_file(first, self.grf_bytes))
    }

    /// The result of instruction `i` of block `b`, if all that reads it may read an accumulator.
    fn value(
        &self,
        kernel: &Kernel<Physical>,
        (b, i): (usize, usize),
        s: &mut AccumulatorMemory,
    ) -> Option<Value> {
        let insts = &kernel.blocks[b].insts;
        let bytes = self.result(&insts[i])?;
        if s.own[i] {
            return None;
        }
        let first_use = s.uses.len();
        let regs = numbers(bytes, self.grf_bytes);
        let end = s.touches.next_unnamed(i, regs.clone()).unwrap_or(insts.len());
        let mut over = false;
        let mut seen = i;
        for j in s.touches.of(regs.start).iter().map(|&j| as_index(j)) {
            // One that names it twice is there twice.
            if j <= seen {
                continue;
            }
            seen = j;
            if j >= end || s.uses.len() == first_use && j > i + SOON {
                return None;
            }
            self.add_uses(insts, (i, j), bytes, &mut s.uses)?;
            over = self.ends(&insts[i], &insts[j], bytes)?;
            if over {
                break;
            }
        }
        let uses = (first_use, s.uses.len());
        let last = *s.uses[first_use..].last()?;
        let late = last > i + LATE || s.own[i + 1..=last].contains(&true);
        // Until it is over, nothing else has to do with its other register.
        let until = if over { seen } else { insts.len() };
        let apart = regs.skip(1).any(|r| {
            let mut touching = s.touches.of(r).iter().map(|&j| as_index(j)).filter(|&j| j > i && j < until);
            touching.any(|j| !s.uses[first_use..].contains(&j))
        });
        if late || apart {
            return None;
        }
        let gone = over || end == insts.len() && !s.live.is_read_behind(kernel, BlockId(to_index(b)), bytes);
        gone.then_some(Value { made: i, last, bytes, uses })
    }

    /// Adds what instruction `j` reads of the value that `i` makes. None if it may not read an accumulator for it.
    fn add_uses(
        &self,
        insts: &[Inst<Physical>],
        (i, j): (usize, usize),
        bytes: Extent,
        uses: &mut Vec<usize>,
    ) -> Option<()> {
        let (made, inst) = (&insts[i], &insts[j]);
        let reads = |k: usize| {
            let Src::Direct { reg, .. } = inst.src[k] else { return None };
            let Base::Grf(first) = reg.base() else { return None };
            let read = inst.src_extent(k, self.grf_bytes)?.in_file(first, self.grf_bytes);
            read.overlaps(bytes).then_some(read)
        };
        if inst.src.iter().any(|s| matches!(s, Src::Macro { .. })) {
            return None;
        }
        for k in 0..3 {
            let Some(read) = reads(k) else { continue };
            let same = read == bytes
                && (made.exec, made.chan) == (inst.exec, inst.chan)
                && (made.no_mask || !inst.no_mask);
            if !same || !self.may_read(inst) {
                return None;
            }
            uses.push(j);
        }
        Some(())
    }

    /// Whether an instruction may have accumulators as sources.
    fn may_read(&self, inst: &Inst<Physical>) -> bool {
        let written = match inst.dst {
            Dst::Direct { reg, horz: 1, ty: Type::F } => match reg.base() {
                Base::Grf(_) => reg.byte == 0,
                Base::Arf(Arf::Null) => inst.op == Op::Cmp,
                _ => false,
            },
            _ => false,
        };
        may_be_accumulators(inst.op).sources && written && inst.opts == Options::NONE && of_floats(inst)
    }

    /// Whether instruction `inst` writes over all that `made` has in `bytes`. None if over a part.
    fn ends(&self, made: &Inst<Physical>, inst: &Inst<Physical>, bytes: Extent) -> Option<bool> {
        let Some(reg) = inst.dst.reg() else { return Some(false) };
        let Base::Grf(first) = reg.base() else { return Some(false) };
        let touched = inst.dst_extent(self.grf_bytes)?.in_file(first, self.grf_bytes);
        if !touched.overlaps(bytes) {
            return Some(false);
        }
        let whole = written_whole(inst, self.grf_bytes).is_some_and(|w| w.contains(bytes));
        let dwords = inst.dst.ty().is_some_and(|ty| ty.bytes() == 4) && !inst.op.is_send();
        let same_lanes = dwords && made.same_channels(inst);
        (whole && (inst.no_mask || same_lanes)).then_some(true)
    }

    /// Puts a value into accumulator `first` and the next, if the instructions stay legal. Returns whether they do.
    fn put(
        &self,
        insts: &mut [Inst<Physical>],
        (i, uses): (usize, &[usize]),
        first: u32,
        (changed, legal): (&mut Vec<(usize, Inst<Physical>)>, &mut rules::Seen),
    ) -> bool {
        let reg = Reg::arf(Arf::Acc(to_u8(first)), 0);
        changed.clear();
        let mut made = insts[i];
        if let Dst::Direct { reg: to, .. } = &mut made.dst {
            *to = reg;
        }
        if !self.several && accumulators(&made).any(|a| a != first) {
            return false;
        }
        changed.push((i, made));
        let from = insts[i].dst.reg();
        for &j in uses {
            let at = changed.iter().position(|c| c.0 == j);
            let inst = at.map_or(insts[j], |at| changed[at].1);
            // Sources may have changed places for another value.
            let read = |src: &Src<Physical>| matches!(src, Src::Direct { .. }) && src.reg() == from;
            let Some(k) = inst.src.iter().position(read) else { return false };
            let Some(reader) = self.reading(&inst, k, reg) else { return false };
            match at {
                Some(at) => changed[at].1 = reader,
                None => changed.push((j, reader)),
            }
        }
        let is_legal = changed.iter().all(|(_, inst)| legal.is_legal(self.platform, inst));
        if is_legal {
            changed.iter().for_each(|&(j, inst)| insts[j] = inst);
        }
        is_legal
    }

    /// An instruction whose source `k` is an accumulator instead, if it may be: sources that commute change places for
    /// that.
    fn reading(&self, inst: &Inst<Physical>, k: usize, acc: Reg<Physical>) -> Option<Inst<Physical>> {
        let mut inst = *inst;
        let has_one = accumulators(&inst).next().is_some();
        let other = |d: Reg<Physical>| matches!(d.base(), Base::Arf(Arf::Acc(_))) && d != acc;
        if !self.several && inst.dst.reg().is_some_and(other) {
            return None;
        }
        // Of a product one factor is, and where no more than one source is, one only.
        if has_one && (!self.several || inst.op == Op::Mul) {
            return None;
        }
        let ternary = inst.op == Op::Mad;
        let bare = !inst.src.iter().any(|s| s.mods().any());
        let named = |k: usize| inst.src[k].reg().is_some_and(|r| matches!(r.base(), Base::Grf(_)));
        let k = match (ternary, k) {
            (true, 0) => (self.several || !inst.src[0].mods().any()).then_some(0)?,
            (true, 1) => (self.several || !inst.src[1].mods().any()).then_some(1)?,
            (true, _) if bare && named(1) => self.swap_factors(&mut inst).then_some(1)?,
            (false, 0) => 0,
            // Of `sel`, Intel's compiler has no sign there.
            (false, _) if self.several && (inst.op != Op::Sel || !inst.src[k].mods().any()) => k,
            (false, _) if bare && named(0) && matches!(inst.op, Op::Add | Op::Mul) => {
                inst.src.swap(0, 1);
                0
            }
            _ => return None,
        };
        if let Src::Direct { reg, .. } = &mut inst.src[k] {
            *reg = acc;
        }
        Some(inst)
    }

    /// The factors of a `mad` change places, if they may.
    fn swap_factors(&self, inst: &mut Inst<Physical>) -> bool {
        let lanes = inst.exec.lanes();
        let unit = self.platform.caps().regions.ternary_unit_stride;
        let factor = |k: usize, to: usize| {
            let Src::Direct { reg, region, mods, ty } = inst.src[k] else { return None };
            let stride = if region.is_scalar() { 0 } else { region.one_by_one(lanes).then_some(1)? };
            Some(Src::Direct { reg, region: ternary_region(to, stride, unit), mods, ty })
        };
        let (Some(second), Some(first)) = (factor(1, 2), factor(2, 1)) else { return false };
        (inst.src[1], inst.src[2]) = (first, second);
        true
    }
}

/// Which operands of an operation on floats may be accumulators.
struct Operands {
    result: bool,
    sources: bool,
}

const fn may_be_accumulators(op: Op) -> Operands {
    let (result, sources) = match op {
        Op::Add | Op::Mul | Op::Mad | Op::Sel => (true, true),
        Op::Cmp | Op::Frc | Op::Rndd | Op::Rnde | Op::Rndu | Op::Rndz => (false, true),
        _ => (false, false),
    };
    Operands { result, sources }
}

/// Whether all sources are floats, in registers that are named, or constants.
fn of_floats(inst: &Inst<Physical>) -> bool {
    inst.src.iter().all(|s| match s {
        Src::None => true,
        Src::Imm { ty, .. } => *ty == Type::F,
        Src::Direct { reg, ty, .. } => {
            *ty == Type::F && matches!(reg.base(), Base::Grf(_) | Base::Arf(Arf::Acc(_)))
        }
        _ => false,
    })
}

/// The accumulators that an instruction names as sources.
fn accumulators(inst: &Inst<Physical>) -> impl Iterator<Item = u32> {
    inst.src.iter().filter_map(|s| match s {
        Src::Direct { reg, .. } => match reg.base() {
            Base::Arf(Arf::Acc(n)) => Some(n.into()),
            _ => None,
        },
        _ => None,
    })
}

/// Finds where accumulators are not free, from the end of a block on: nothing is in them there that is read behind it.
fn find_own(insts: &[Inst<Physical>], own: &mut Vec<bool>) {
    own.clear();
    own.resize(insts.len(), false);
    let mut held = false;
    for (inst, own) in insts.iter().zip(own).rev() {
        let ImplicitAccumulator { mut reads, mut writes } = implicit_accumulator(inst);
        inst.for_each_reg(|role, reg| {
            if matches!(reg.base(), Base::Arf(Arf::Acc(_))) {
                *(if role == Role::Dst { &mut writes } else { &mut reads }) = true;
            }
        });
        *own = held || reads || writes;
        held = reads || held && !writes;
    }
}

impl Touches {
    fn find(&mut self, insts: &[Inst<Physical>], addressed: RegisterSet, grf_bytes: u32) {
        self.starts.clear();
        self.starts.resize(Registers::MOST_GRFS + 2, 0);
        self.through.clear();
        self.anywhere.clear();
        self.addressed = addressed;
        for (i, inst) in (0..).zip(insts) {
            if inst.reads_through_address() || matches!(inst.dst, Dst::Indirect { .. }) {
                self.through.push(i);
            }
            if matches!(inst.payload, Payload::Outside(_)) {
                self.anywhere.push(i);
            }
            // Counted one row further on: filling the rows moves each start to the next one.
            for_each_register(inst, grf_bytes, |r| self.starts[r + 2] += 1);
        }
        for r in 1..self.starts.len() {
            self.starts[r] += self.starts[r - 1];
        }
        self.insts.clear();
        self.insts.resize(as_index(self.starts[Registers::MOST_GRFS + 1]), 0);
        for (i, inst) in (0..).zip(insts) {
            for_each_register(inst, grf_bytes, |r| {
                let at = &mut self.starts[r + 1];
                self.insts[as_index(*at)] = i;
                *at += 1;
            });
        }
    }

    /// Instructions that touch register `r`, in order; one that names it twice is listed twice.
    fn of(&self, r: u32) -> &[u32] {
        let r = as_index(r);
        &self.insts[as_index(self.starts[r])..as_index(self.starts[r + 1])]
    }

    /// The next instruction behind `i` that may touch some of these registers without naming them.
    fn next_unnamed(&self, i: usize, mut regs: Range<u32>) -> Option<usize> {
        let next = |list: &[u32]| list.get(list.partition_point(|&j| as_index(j) <= i)).copied();
        let through = if regs.any(|r| self.addressed.contains(r)) { next(&self.through) } else { None };
        through.into_iter().chain(next(&self.anywhere)).min().map(as_index)
    }
}

/// Calls back with each register of a file that an operand covers.
fn for_each_register(inst: &Inst<Physical>, grf_bytes: u32, mut f: impl FnMut(usize)) {
    inst.for_each_reg(|role, reg| {
        if let Base::Grf(first) = reg.base()
            && let Some(bytes) = inst.extent(role, grf_bytes)
        {
            numbers(bytes.in_file(first, grf_bytes), grf_bytes)
                .map(as_index)
                .filter(|&r| r < Registers::MOST_GRFS)
                .for_each(&mut f);
        }
    });
}
