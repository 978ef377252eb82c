//! What spilling will add: the temporaries on which instructions work that touch a spilled variable.
//!
//! A temporary has the registers of the variable that an instruction touches. One that holds the value still
//! serves the next few instructions.
//!
//! Variables that are touched together are one (`groups`): a temporary then has all registers of all of them.
//!
//! What an instruction may touch through an address is all of a variable, and the address was computed somewhere
//! else: all instructions that reach a variable in this way work on one *window*, another variable of its size, whose
//! address is taken in its place. It is filled as temporaries are, but whole; between, others have its registers.
//!
//! What can be computed again (`remat`), while its sources keep their registers, is not kept in memory: its
//! operations stand before the instructions that read it, and write their temporaries.
//!
//! Nothing is written yet: whether all this finds registers can be known
//! before (`fit`), and each variable's temporaries depend on that variable alone, so others can be added.

use crate::{
    analysis::{
        access::{Access, Kind},
        accesses::Accesses,
        facts,
        flow::Flow,
        liveness::{Liveness, Range},
    },
    spill::{
        chunks::{KEEP, chunks, grf_of},
        costs::Costs,
        groups::Groups,
        remat::Remat,
        scratch_space,
    },
};
use gen_ir::{Inst, Kernel, VarId, Virtual};
use narrow::to_index;

/// What is known of the kernel as it is.
#[derive(Clone, Copy)]
pub(crate) struct Known<'a> {
    pub kernel: &'a Kernel<Virtual>,
    pub accesses: &'a Accesses,
    pub live: &'a Liveness,
    pub costs: &'a Costs,
    /// What can be computed again.
    pub remat: &'a Remat,
}

/// A temporary that holds a part of a spilled variable.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Temp {
    /// The variable, or the first of its group.
    pub var: u32,
    /// First register of the variable, or group, that it holds, and one past the last.
    pub first: u32,
    pub end: u32,
    /// Bytes in front of the data.
    pub front: u32,
    /// Alignment in bytes.
    pub align: u32,
    /// Where it is needed, in the positions of the code as it was.
    pub range: Range,
    /// It is the variable's window.
    pub window: bool,
}

impl Temp {
    /// Its length in bytes, in a file of registers of `grf` bytes.
    pub const fn bytes(&self, grf: u32) -> u32 {
        self.front + (self.end - self.first) * grf
    }
}

/// What becomes of a spilled variable where an instruction touches it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fill {
    /// The temporary has all that is needed.
    None,
    /// It is read from memory before.
    Read,
    /// It is computed again before.
    Again,
    /// There is no temporary: the instruction computes the variable, as others will do again, and goes.
    Gone,
}

/// An instruction that touches a spilled variable.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Use {
    /// Its index among all, in the code as it was.
    pub inst: u32,
    pub var: u32,
    /// The temporary that it works on.
    pub temp: u32,
    /// What happens before.
    pub fill: Fill,
    /// Whether it is written there after.
    pub saved: bool,
    /// The first of the temporaries for messages that write it, where those need a header in front.
    pub messages: u32,
}

/// What spilling will add.
#[derive(Default)]
pub(crate) struct Plan {
    pub temps: Vec<Temp>,
    /// By instruction and variable.
    pub uses: Vec<Use>,
    /// Inputs among what is spilled, each saved before anything else happens to it.
    pub inputs: Vec<Use>,
    /// The instruction before which that happens.
    pub loaded: u32,
    /// Spilled variables that are one.
    pub groups: Groups,
    /// Whether a variable is spilled.
    spilled: Vec<bool>,
    /// Whether it is computed again, then, and whether others are from it.
    again: Vec<bool>,
    source: Vec<bool>,
    open: Vec<Open>,
    mine: Vec<u32>,
}

/// A temporary that serves more instructions.
#[derive(Clone, Copy)]
struct Open {
    temp: u32,
    /// Instruction that used it last.
    used: u32,
    /// The use that saves what was written last, among all uses, if memory may do without: while the temporary
    /// serves, nothing else reads it there.
    unsaved: Option<u32>,
}

/// How far a plan had come.
pub(crate) struct Mark {
    temps: usize,
    uses: usize,
}

impl Plan {
    /// Plans for `spilled`, each in no group if `alone`, and forgets all before.
    pub fn make(&mut self, spilled: &[VarId], known: Known<'_>, alone: bool) {
        let kernel = known.kernel;
        self.temps.clear();
        self.uses.clear();
        self.inputs.clear();
        self.spilled.clear();
        self.spilled.resize(kernel.vars.len(), false);
        spilled.iter().for_each(|v| self.spilled[v.index()] = true);
        for list in [&mut self.again, &mut self.source] {
            list.clear();
            list.resize(kernel.vars.len(), false);
        }
        spilled.iter().for_each(|&v| self.decide(v, known.remat));
        self.groups.clear(kernel.vars.len());
        if !alone {
            let again = &self.again;
            let kept = spilled.iter().copied().filter(|v| !again[v.index()]);
            self.groups.find(kept, (kernel, known.accesses));
        }
        let [_, loaded] = kernel.payload_ends();
        // A header for the messages is made before the first of them.
        let first = kernel.blocks.first().map_or(&[][..], |b| &b.insts[loaded..]);
        let surface = scratch_space::by_surface(kernel);
        let makes = |i: &&Inst<Virtual>| {
            let dst = i.dst.reg();
            // Where messages have addresses, those are written to the header's start.
            dst.and_then(|r| r.var()) == kernel.scratch_header
                && !(surface && dst.is_some_and(|r| r.byte == 0))
        };
        let header = if kernel.scratch_header.is_some() { first.iter().take_while(makes).count() } else { 0 };
        self.loaded = to_index(loaded + header);
        for v in spilled.iter().filter(|v| kernel.vars[v.index()].live_in) {
            let regs = kernel.vars[v.index()].bytes.div_ceil(grf_of(kernel));
            let temp = self.temp(kernel, v.0, (0, regs), true, self.loaded);
            let messages = self.messages(kernel, temp, self.loaded);
            let input = Use { inst: self.loaded, var: v.0, temp, fill: Fill::None, saved: true, messages };
            self.inputs.push(input);
        }
        let spilled = std::mem::take(&mut self.spilled);
        for b in 0..kernel.blocks.len() {
            if known.accesses.of_block(b).iter().any(|a| spilled[a.var as usize]) {
                let block = known.accesses.block(b);
                self.walk(known, block.clone(), block, |v| spilled[v as usize]);
            }
        }
        self.spilled = spilled;
    }

    /// Plans for one more variable, which is no input: its uses stand behind those before until they are
    /// [sorted](Plan::sort).
    pub fn add(&mut self, var: VarId, known: Known<'_>) {
        self.spilled[var.index()] = true;
        self.decide(var, known.remat);
        let ranges = known.live.of(var.index());
        let (Some(first), Some(last)) = (ranges.first(), ranges.last()) else { return };
        let (first, end) = (first.start as usize / 2, last.end as usize / 2 + 1);
        for b in 0..known.kernel.blocks.len() {
            let block = known.accesses.block(b);
            let part = block.start.max(first)..block.end.min(end);
            if !part.is_empty() {
                self.walk(known, part, block, |v| v == var.0);
            }
        }
    }

    /// Decides whether a variable that is spilled is computed again: its sources have to keep their registers.
    fn decide(&mut self, var: VarId, remat: &Remat) {
        if remat.has(var) && remat.sources(var.0).all(|s| !self.spilled[s.index()]) {
            self.again[var.index()] = true;
            remat.sources(var.0).for_each(|s| self.source[s.index()] = true);
        }
    }

    /// Whether a spilled variable is computed again, so that it has no place in memory.
    pub fn is_again(&self, var: VarId) -> bool {
        self.again[var.index()]
    }

    /// Whether a variable has to keep its registers, for others are computed from it.
    pub fn is_source(&self, var: VarId) -> bool {
        self.source[var.index()]
    }

    /// What it takes: messages, and what is computed again beside them, each worth more in loops.
    pub fn cost(&self, known: Known<'_>, flow: &Flow) -> f32 {
        let grf = grf_of(known.kernel);
        let messages = |u: &Use| {
            let Temp { first, end, .. } = self.temps[u.temp as usize];
            chunks(end - first, grf).count() as f32
        };
        let cost = |u: &Use| {
            let fill = match u.fill {
                Fill::Read => messages(u),
                Fill::Again => known.remat.cost(VarId(u.var)),
                Fill::None | Fill::Gone => 0.0,
            };
            let save = if u.saved { messages(u) } else { 0.0 };
            if fill + save == 0.0 {
                return 0.0;
            }
            let block = known.accesses.block_of(u.inst) as usize;
            (fill + save) * facts::worth(flow, block)
        };
        self.inputs.iter().chain(&self.uses).map(cost).sum()
    }

    /// Whether there are windows: they have one place wherever they are needed.
    pub fn has_windows(&self) -> bool {
        self.temps.iter().any(|t| t.window)
    }

    /// Whether this was [made](Plan::make) for a variable.
    pub fn is_spilled(&self, var: VarId) -> bool {
        self.spilled[var.index()]
    }

    /// What is planned so far.
    pub fn mark(&self) -> Mark {
        Mark { temps: self.temps.len(), uses: self.uses.len() }
    }

    /// Forgets what was planned after.
    pub fn back_to(&mut self, mark: &Mark) {
        self.temps.truncate(mark.temps);
        self.uses.truncate(mark.uses);
    }

    /// Puts uses in order after variables were added.
    pub fn sort(&mut self) {
        self.uses.sort_unstable_by_key(|u| (u.inst, u.var));
    }

    /// The uses in `part` of a block of those variables that `wanted` says.
    fn walk(
        &mut self,
        known: Known<'_>,
        part: std::ops::Range<usize>,
        block: std::ops::Range<usize>,
        wanted: impl Fn(u32) -> bool,
    ) {
        self.open.clear();
        let mut mine = std::mem::take(&mut self.mine);
        for i in part {
            mine.clear();
            let touched = known.accesses.of(i).iter().map(|a| a.var).filter(|&v| wanted(v));
            mine.extend(touched.map(|v| self.groups.first(v)));
            mine.sort_unstable();
            mine.dedup();
            if !mine.is_empty() {
                self.close(known, &block, |open, _| open.used + KEEP < to_index(i));
            }
            // Two windows at a time may be more than there is room for, even if the other comes later to be one.
            let other = |v: u32| {
                let through = |a: &Access| a.chan == Access::THROUGH_ADDRESS && a.var != v;
                known.accesses.of(i).iter().any(through)
            };
            self.close(known, &block, |_, temp| temp.window && other(temp.var));
            for &v in &mine {
                self.touch(known, v, i, &block);
            }
        }
        self.close(known, &block, |_, _| true);
        self.mine = mine;
    }

    /// Has those temporaries serve no more. What they hold is saved if somebody may read it from memory.
    fn close(
        &mut self,
        known: Known<'_>,
        block: &std::ops::Range<usize>,
        which: impl Fn(&Open, &Temp) -> bool,
    ) {
        let Plan { open, temps, uses, groups, .. } = self;
        open.retain(|o| {
            let temp = &temps[o.temp as usize];
            let closed = which(o, temp);
            if closed && let Some(u) = o.unsaved {
                uses[u as usize].saved = lives_behind(known, (temp.var, groups), o.used as usize, block);
            }
            !closed
        });
    }

    /// A temporary for variable `v` at instruction `i`, holding what is needed.
    fn touch(&mut self, known: Known<'_>, v: u32, i: usize, block: &std::ops::Range<usize>) {
        let Known { kernel, accesses, live, remat, .. } = known;
        let grf = grf_of(kernel);
        let (inst, at, top) = (to_index(i), to_index(i) * 2, to_index(block.start) * 2);
        let mut window = false;
        let (mut first, mut end) = (u32::MAX, 0);
        let (mut reads, mut written, mut early) = (false, false, false);
        let mut covers: Option<(u32, u32)> = None;
        let groups = &self.groups;
        for a in accesses.of(i).iter().filter(|a| groups.first(a.var) == v) {
            first = first.min(a.start / grf);
            end = end.max(a.end.div_ceil(grf));
            window |= a.chan == Access::THROUGH_ADDRESS;
            reads |= a.kind.has(Kind::READ);
            if a.kind.has(Kind::WRITE) {
                written = true;
                early |= a.kind.has(Kind::EARLY);
                if is_whole(a) {
                    covers = Some((a.start, a.end));
                }
            }
        }
        let in_group = groups.members(v).next().is_some();
        if in_group {
            (first, end, covers) = (0, groups.regs(v, kernel), None);
        }
        let again = self.again[v as usize];
        if again && written {
            self.uses.push(Use { inst, var: v, temp: 0, fill: Fill::Gone, saved: false, messages: 0 });
            return;
        }
        if again {
            // Whatever computes a part of it computes all that it does.
            let defs = remat.of(v);
            loop {
                let before = (first, end);
                for d in defs {
                    let regs = (d.start / grf, d.end.div_ceil(grf));
                    if regs.0 < end && first < regs.1 {
                        (first, end) = (first.min(regs.0), end.max(regs.1));
                    }
                }
                if before == (first, end) {
                    break;
                }
            }
        }
        let in_front = written && !kernel.platform.caps().sends.split;
        let serves = |t: &Temp| {
            let whole = t.first <= first && end <= t.end && (t.window || !window);
            t.var == v && whole && (!in_front || t.front > 0)
        };
        let mut fill = Fill::None;
        let temp = if let Some(o) = self.open.iter_mut().find(|o| serves(&self.temps[o.temp as usize])) {
            o.used = inst;
            self.temps[o.temp as usize].range.end = at + 1 + u32::from(written);
            if written && let Some(u) = o.unsaved.take() {
                self.uses[u as usize].saved = false;
            }
            o.temp
        } else {
            // A window is always laid out as where it is written.
            let temp = self.temp(kernel, v, (first, end), written || window, inst);
            self.temps[temp as usize].window = window;
            let bytes = kernel.vars[v as usize].bytes;
            // The last register of the variable may be part padding.
            let whole =
                covers.is_some_and(|(s, e)| s <= first * grf && e >= (end * grf).min(bytes)) && !reads;
            let old_of = |v: u32| if at == top { live.at_start(v, at) } else { live.before(v, at) };
            let is_covered = |m: u32| {
                let bytes = kernel.vars[m as usize].bytes;
                accesses.of(i).iter().any(|a| a.var == m && is_whole(a) && (a.start, a.end) == (0, bytes))
            };
            let old = || match in_group {
                true => self.groups.members(v).any(|m| !is_covered(m) && old_of(m)),
                false => old_of(v),
            };
            // What a window may be written to is kept, known or not: else it would be needed from there on back.
            if reads || window || (!whole && old()) {
                fill = if again { Fill::Again } else { Fill::Read };
            }
            let needed = &mut self.temps[temp as usize].range;
            needed.start += u32::from(fill == Fill::None && !early);
            needed.end -= u32::from(!written);
            if fill == Fill::Read {
                // It is in memory that others have saved it.
                let reread = |o: &&mut Open| {
                    let old = &self.temps[o.temp as usize];
                    old.var == v && old.first < end && first < old.end
                };
                self.open.iter_mut().filter(reread).for_each(|o| o.unsaved = None);
            }
            self.open.push(Open { temp, used: inst, unsaved: None });
            temp
        };
        let saved = written && lives_behind(known, (v, &self.groups), i, block);
        let messages = if saved { self.messages(kernel, temp, inst) } else { 0 };
        if written {
            // Older copies of what was written are stale.
            let t = self.temps[temp as usize];
            let mine = |old: &Temp| old.var == v && old.first < t.end && t.first < old.end;
            self.close(known, block, |o, old| o.temp != temp && mine(old));
        }
        if saved
            && !self.temps[temp as usize].window
            && let Some(o) = self.open.iter_mut().find(|o| o.temp == temp)
        {
            o.unsaved = Some(to_index(self.uses.len()));
        }
        let one = Use { inst, var: v, temp, fill, saved, messages };
        if !in_group {
            self.uses.push(one);
            return;
        }
        // The first of the members says what happens.
        let all = self.uses.len();
        for var in self.groups.members(v).filter(|&m| accesses.of(i).iter().any(|a| a.var == m)) {
            let more = Use { fill: Fill::None, saved: false, messages: 0, ..one };
            let says = if self.uses.len() == all { one } else { more };
            self.uses.push(Use { var, ..says });
        }
    }

    /// A temporary for registers `first` to before `end` of a variable, needed around instruction `at`.
    fn temp(
        &mut self,
        kernel: &Kernel<Virtual>,
        var: u32,
        (first, end): (u32, u32),
        written: bool,
        at: u32,
    ) -> u32 {
        let grf = grf_of(kernel);
        let align = if kernel.vars[var as usize].even_grf { 2 * grf } else { grf };
        let front = if written && !kernel.platform.caps().sends.split { align } else { 0 };
        self.temps.push(Temp { var, first, end, front, align, range: during(at), window: false });
        to_index(self.temps.len()) - 1
    }

    /// The temporaries for messages that write `temp` at instruction `at`, where those need a header in front:
    /// the first message finds room there, the others get registers of their own.
    fn messages(&mut self, kernel: &Kernel<Virtual>, temp: u32, at: u32) -> u32 {
        let start = to_index(self.temps.len());
        if !kernel.platform.caps().sends.split {
            let grf = grf_of(kernel);
            let Temp { var, first, end, .. } = self.temps[temp as usize];
            for (from, n) in chunks(end - first, grf).skip(1) {
                let (first, end) = (first + from, first + from + n);
                let range = during(at);
                self.temps.push(Temp { var, first, end, front: grf, align: grf, range, window: false });
            }
        }
        start
    }
}

/// Whether a write leaves nothing of what was in the bytes that it touches.
fn is_whole(a: &Access) -> bool {
    a.kind.has(Kind::WRITE) && a.kind.has(Kind::SURE) && !a.kind.has(Kind::MASKED) && a.pitch == a.elem
}

/// Whether a variable, or one of its group, is needed behind instruction `i` of a block.
fn lives_behind(
    known: Known<'_>,
    (var, groups): (u32, &Groups),
    i: usize,
    block: &std::ops::Range<usize>,
) -> bool {
    let behind = to_index(i) * 2 + 2;
    let live = known.live;
    let lives = |v| if i + 1 == block.end { live.at_end(v, behind) } else { live.before(v, behind) };
    lives(var) || groups.members(var).any(lives)
}

/// From right before an instruction to right behind it.
const fn during(i: u32) -> Range {
    let at = i * 2;
    Range { start: at, end: at + 2 }
}
