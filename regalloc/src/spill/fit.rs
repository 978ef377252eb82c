//! Registers for what spilling adds, beside a placement.
//!
//! Temporaries live for a few instructions only, so most find registers that are free there. For one that
//! does not, the cheapest variables in its way are spilled too, at once: what they had is free from then on
//! wherever they lived, for their own temporaries as well. So nothing has to be placed again.

use crate::{
    analysis::{
        flow::Flow,
        position::{Position, Range},
    },
    place::{self, File, Interval, IntervalId, Intervals, Placement, matrix::RegMatrix},
    spill::{
        join,
        plan::{Known, Plan, Temp},
    },
};
use gen_ir::{FileByte, RegisterSet, Var, VarId};
use narrow::{as_index, span, to_f32, to_index};

/// Positions of a stretch of code whose variables are looked at together.
const STRETCH: usize = 256;

/// A placement, and what it was made of.
pub(crate) struct FitContext<'a> {
    pub file: File,
    /// The bytes of the file that temporaries may have: from, and one past the last.
    pub limits: (u32, u32),
    pub intervals: &'a Intervals,
    pub known: Known<'a>,
    pub flow: &'a Flow,
}

/// Memory of the search.
#[derive(Default)]
pub(crate) struct FitMemory {
    /// Intervals by the stretches of code in which they are alive, and behind their numbers the temporaries so far.
    near: Vec<Vec<u32>>,
    /// Whether that was made.
    looked: bool,
    around: Vec<u32>,
    /// What it costs to empty each register.
    cost: Vec<f32>,
    evicted: Vec<VarId>,
    join: join::JoinMemory,
}

/// Puts what `plan` adds where `out`, the last placement with this memory, has left registers free. More
/// variables may have to be spilled for that; they come to the plan and to the others in `out`. Returns whether
/// all of it fits; if not, plan and list are as they were.
pub(crate) fn fit(
    placed: &FitContext<'_>,
    plan: &mut Plan,
    scan: &mut place::ScanMemory,
    s: &mut FitMemory,
    out: &mut Placement,
) -> bool {
    let mark = plan.mark();
    s.looked = false;
    s.evicted.clear();
    let narrow = place::UseTables::<2>::hold(placed.file);
    let fits = if narrow {
        Fit::new(placed, &mut scan.narrow.wholes, s, out).all(plan)
    } else {
        Fit::new(placed, &mut scan.wide.wholes, s, out).all(plan)
    };
    if !fits {
        plan.back_to(&mark);
        return false;
    }
    if !s.evicted.is_empty() {
        plan.sort();
        out.spilled.extend(&s.evicted);
        out.spilled.sort_unstable();
    }
    if narrow {
        join_all(placed, plan, &mut scan.narrow.wholes, s, out);
    } else {
        join_all(placed, plan, &mut scan.wide.wholes, s, out);
    }
    true
}

/// Joins temporaries that can be one (`join`).
fn join_all<const W: usize>(
    placed: &FitContext<'_>,
    plan: &mut Plan,
    matrix: &mut RegMatrix<W>,
    s: &mut FitMemory,
    out: &mut Placement,
) {
    let FitContext { known, flow, .. } = *placed;
    let Placement { at, used, .. } = out;
    let at = at.raw.get_mut(known.kernel.vars.len()..).unwrap_or(&mut []);
    let grf = placed.file.reg_bytes();
    join::join(plan, (known, flow), (matrix, at), (grf, |t| bases(placed, t)), &mut s.join);
    let ends = plan.temps.iter().zip(at).filter_map(|(t, at)| Some(at.as_ref()?.bytes() + t.bytes(grf)));
    *used = ends.fold(*used, u32::max);
}

/// The first registers that a temporary may have.
fn bases<const W: usize>(placed: &FitContext<'_>, t: &Temp) -> RegisterSet<W> {
    let rb = placed.file.reg_bytes();
    let (low, high) = placed.limits;
    let n = t.bytes(rb).div_ceil(rb);
    RegisterSet::between(low.div_ceil(rb), (high / rb + 1).saturating_sub(n))
        & RegisterSet::multiples((t.align / rb).max(1))
}

struct Fit<'a, const W: usize> {
    p: &'a FitContext<'a>,
    vars: &'a [Var],
    /// What the second chance has left of the registers that are in use, as wholes or in part.
    matrix: &'a mut RegMatrix<W>,
    out: &'a mut Placement,
    /// The next temporary's register: they are taken in turn, then one seldom waits for the message of the one
    /// before.
    next: u32,
    s: &'a mut FitMemory,
}

impl<'a, const W: usize> Fit<'a, W> {
    fn new(
        p: &'a FitContext<'a>,
        matrix: &'a mut RegMatrix<W>,
        s: &'a mut FitMemory,
        out: &'a mut Placement,
    ) -> Fit<'a, W> {
        Fit { p, vars: &p.known.kernel.vars, matrix, out, next: 0, s }
    }

    fn all(&mut self, plan: &mut Plan) -> bool {
        if !plan.inputs.iter().all(|i| self.keep_input(i.var, plan)) {
            return false;
        }
        let planned = plan.temps.len();
        for t in 0..planned {
            // What that brings along comes first: it fits best where its variables were.
            let mut done = plan.temps.len();
            let mut next = Some(t);
            while let Some(t) = next {
                if !self.put(t, plan) {
                    let before = self.s.evicted.len();
                    self.evict_for(t, plan);
                    if self.s.evicted.len() == before || !self.put(t, plan) {
                        return false;
                    }
                    plan.add(&self.s.evicted[before..], self.p.known);
                }
                next = (done < plan.temps.len()).then_some(done);
                done += 1;
            }
        }
        true
    }

    /// Keeps the place of an input until it is saved, and puts it there. Returns whether nothing else is there
    /// before.
    fn keep_input(&mut self, v: VarId, plan: &Plan) -> bool {
        let rb = self.p.file.reg_bytes();
        let Var { fixed: Some(from), bytes, .. } = self.vars[v.index()] else { return false };
        let (to, end) = (from.plus(bytes), saved(plan).end);
        let met = self.p.intervals.iter().any(|i| {
            let there = self.out.at[i.var].is_some_and(|at| at < to && from < at.plus(i.bytes));
            there && self.ranges(i).first().is_some_and(|r| r.start < end)
        });
        if met || end.index() > self.matrix.positions() {
            return false;
        }
        self.matrix.set(RegisterSet::between(from.bytes() / rb, to.bytes().div_ceil(rb)), &[saved(plan)]);
        self.out.at[v] = Some(from);
        self.out.used = self.out.used.max(to.bytes());
        true
    }

    /// The variable that a temporary will be: they stand behind the kernel's.
    fn id_of(&self, temp: usize) -> VarId {
        VarId::from(self.vars.len() + temp)
    }

    fn ranges(&self, i: &Interval) -> &'a [Range] {
        self.p.known.live.of(i.var)
    }

    /// Gives temporary `t` registers, if there are enough free.
    fn put(&mut self, t: usize, plan: &Plan) -> bool {
        let temp = &plan.temps[t];
        if temp.range.end.index() > self.matrix.positions() {
            return false;
        }
        let rb = self.p.file.reg_bytes();
        let n = temp.bytes(rb).div_ceil(rb);
        let starts = (!self.matrix.within(&[temp.range])).starts_of(n) & bases(self.p, temp);
        let behind = starts & RegisterSet::between(self.next, u32::MAX);
        let Some(r) = behind.first().or_else(|| starts.first()) else { return false };
        self.next = r + n;
        self.matrix.set(RegisterSet::between(r, r + n), &[temp.range]);
        let v = self.id_of(t);
        if self.out.at.len() <= v.index() {
            self.out.at.resize(v.index() + 1, None);
        }
        self.out.at[v] = Some(FileByte::new(r * rb));
        if self.s.looked {
            let near = to_index(self.p.intervals.len() + t);
            self.s.near[stretches(temp.range)].iter_mut().for_each(|list| list.push(near));
        }
        true
    }

    /// Takes the registers from what is cheapest to spill of the variables that are in the way of temporary `t`,
    /// none if nothing there can be spilled. What was taken from is added to the evicted.
    fn evict_for(&mut self, t: usize, plan: &Plan) {
        let rb = self.p.file.reg_bytes();
        let temp = plan.temps[t];
        let n = temp.bytes(rb).div_ceil(rb);
        if temp.range.end.index() > self.matrix.positions() {
            return;
        }
        if !self.s.looked {
            self.look_around(plan);
        }
        let (mut around, mut cost) = (std::mem::take(&mut self.s.around), std::mem::take(&mut self.s.cost));
        self.find_costs(&temp, n, plan, &mut around, &mut cost);
        let bases = bases::<W>(self.p, &temp);
        let sum = |r: u32| cost[span(r..r + n)].iter().sum::<f32>();
        let best = (0..self.p.file.regs)
            .filter(|&r| bases.contains(r))
            .map(|r| (sum(r), r))
            .filter(|(c, _)| c.is_finite())
            .min_by(|a, b| a.0.total_cmp(&b.0));
        if let Some((_, r)) = best {
            let intervals = self.p.intervals;
            let (from, to) = (r * rb, (r + n) * rb);
            for i in around.iter().map(|&i| &intervals[IntervalId(i)]) {
                let at = self.out.at[i.var].map(FileByte::bytes);
                if at.is_some_and(|at| at < to && from < at + i.bytes) {
                    self.s.evicted.push(i.var);
                    self.release(i);
                }
            }
        }
        (self.s.around, self.s.cost) = (around, cost);
    }

    /// Finds what it costs to spill whatever is in the way of a temporary of `n` registers: by register in `cost`, infinite
    /// where something stays. The variables among it are left in `around`.
    fn find_costs(&self, temp: &Temp, n: u32, plan: &Plan, around: &mut Vec<u32>, cost: &mut Vec<f32>) {
        let rb = self.p.file.reg_bytes();
        around.clear();
        around.extend(self.s.near[stretches(temp.range)].iter().flatten());
        around.sort_unstable();
        around.dedup();
        let (intervals, intervals_end) = (self.p.intervals, to_index(self.p.intervals.len()));
        cost.clear();
        cost.resize(as_index(self.p.file.regs), 0.0);
        let mut pay = |at: Option<FileByte>, bytes: u32, c: f32| {
            let Some(from) = at.map(FileByte::bytes) else { return };
            cost[span(from / rb..(from + bytes).div_ceil(rb))].iter_mut().for_each(|r| *r += c);
        };
        around.retain(|&near| {
            if let Some(other) = near.checked_sub(intervals_end).map(|t| &plan.temps[as_index(t)]) {
                let at = self.out.at[self.id_of(as_index(near - intervals_end))];
                if other.range.meets(temp.range) {
                    pay(at, other.bytes(rb), f32::INFINITY);
                }
                return false;
            }
            let i = &intervals[IntervalId(near)];
            let at = self.out.at[i.var];
            if at.is_none() || !self.meets(i, temp.range) {
                return false;
            }
            let (known, addressed) = (&self.p.known, self.vars[i.var.index()].address_taken);
            let goes = i.cost.is_finite()
                && !addressed
                && i.fixed.is_none()
                && !plan.is_source(i.var)
                && !self.is_used(i.var, temp.range);
            let weight = known.costs.of(i.var, known.accesses, known.remat);
            // A variable over several registers is paid for once.
            let share = weight / to_f32(i.bytes.div_ceil(rb).min(n));
            pay(at, i.bytes, if goes { share } else { f32::INFINITY });
            true
        });
        for input in &plan.inputs {
            let at = self.out.at[input.var];
            if temp.range.start < saved(plan).end {
                pay(at, self.vars[input.var.index()].bytes, f32::INFINITY);
            }
        }
    }

    /// Finds what is alive in each stretch of code.
    fn look_around(&mut self, plan: &Plan) {
        let stretches_all = self.matrix.positions().div_ceil(STRETCH);
        self.s.near.iter_mut().for_each(Vec::clear);
        if self.s.near.len() < stretches_all {
            self.s.near.resize_with(stretches_all, Vec::new);
        }
        self.s.looked = true;
        for (i, interval) in self.p.intervals.iter().enumerate() {
            // Inputs are there until they are saved only, whatever their ranges say.
            if self.out.at[interval.var].is_some() && !plan.is_spilled(interval.var) {
                // Ranges are in order: those of one stretch follow each other.
                let mut from = 0;
                for &r in self.ranges(interval) {
                    let std::ops::Range { start, end } = stretches(r);
                    let start = start.max(from);
                    self.s.near[start..end.max(start)].iter_mut().for_each(|list| list.push(to_index(i)));
                    from = end;
                }
            }
        }
        let placed = self.out.at.raw.get(self.vars.len()..).unwrap_or(&[]);
        for (t, _) in placed.iter().enumerate().filter(|p| p.1.is_some()) {
            let near = to_index(self.p.intervals.len() + t);
            self.s.near[stretches(plan.temps[t].range)].iter_mut().for_each(|list| list.push(near));
        }
    }

    fn meets(&self, i: &Interval, range: Range) -> bool {
        let ranges = self.ranges(i);
        ranges.get(ranges.partition_point(|r| r.end <= range.start)).is_some_and(|r| r.start < range.end)
    }

    /// Whether an instruction in `range` touches `v`: it would need a temporary there.
    fn is_used(&self, v: VarId, range: Range) -> bool {
        let accesses = self.p.known.accesses;
        (range.start.inst()..=range.end.previous().inst())
            .any(|i| accesses.of(as_index(i)).iter().any(|a| a.var == v))
    }

    /// Takes the place of an interval away, which had not to be there.
    fn release(&mut self, interval: &Interval) {
        let rb = self.p.file.reg_bytes();
        let Some(from) = self.out.at[interval.var].take().map(FileByte::bytes) else { return };
        let to = from + interval.bytes;
        let (r, end) = (from / rb, to.div_ceil(rb));
        self.matrix.reset(RegisterSet::between(r, end), self.ranges(interval));
        // Other intervals may have had a part of the first or the last of these registers at the same time, or all of
        // them: in other lanes, at another call, or in the instruction that makes the one of the other.
        for &range in self.ranges(interval) {
            for &near in self.s.near[stretches(range)].iter().flatten() {
                let Some(other) = self.p.intervals.get(IntervalId(near)) else { continue };
                let Some(at) = self.out.at[other.var].map(FileByte::bytes) else { continue };
                if at < end * rb && r * rb < at + other.bytes {
                    let regs =
                        RegisterSet::between((at / rb).max(r), (at + other.bytes).div_ceil(rb).min(end));
                    self.matrix.set(regs, self.ranges(other));
                }
            }
        }
    }
}

/// The stretches of code that a range meets.
const fn stretches(range: Range) -> std::ops::Range<usize> {
    range.start.index() / STRETCH..range.end.index().div_ceil(STRETCH)
}

/// The positions at which inputs have registers that are saved to memory.
const fn saved(plan: &Plan) -> Range {
    Range { start: Position::START, end: Range::during(plan.loaded).end }
}
