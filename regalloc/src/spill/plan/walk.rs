//! The walk of a plan over the instructions of a block: where temporaries begin, what they serve, where they end.

use super::{Fill, Holding, Known, Plan, ServingTemp, Temp, TempId, Use};
use crate::{
    analysis::{
        access::{Access, Kind},
        position::{Position, Range},
    },
    spill::{
        chunks::{chunks, grf_of},
        groups::Groups,
    },
};
use gen_ir::{Kernel, VarId, Virtual};
use narrow::{as_index, ones_between, to_index};

/// What an instruction does with a spilled variable, or with its group.
#[derive(Clone, Copy, Default)]
struct Touched {
    /// The first register that it touches, and one past the last.
    first: u32,
    end: u32,
    /// Through an address.
    window: bool,
    read: bool,
    written: bool,
    /// It may be written before the sources are read.
    early: bool,
    /// Bytes of which it leaves nothing that was there.
    covers: Option<(u32, u32)>,
    /// The variable begins a group.
    in_group: bool,
}

impl Touched {
    /// Whatever computes a part of it again computes all that it does.
    fn take_whole_definitions(&mut self, known: Known<'_>, v: VarId) {
        let grf = grf_of(known.kernel);
        loop {
            let before = (self.first, self.end);
            for d in known.remat.of(v) {
                let regs = (d.start / grf, d.end.div_ceil(grf));
                if regs.0 < self.end && self.first < regs.1 {
                    (self.first, self.end) = (self.first.min(regs.0), self.end.max(regs.1));
                }
            }
            if before == (self.first, self.end) {
                break;
            }
        }
    }
}

impl Plan {
    /// The uses in `part` of a block of those variables that `wanted` says.
    pub(super) fn walk(
        &mut self,
        known: Known<'_>,
        part: std::ops::Range<usize>,
        block: std::ops::Range<usize>,
        wanted: impl Fn(VarId) -> bool,
    ) {
        self.open.clear();
        self.walks += 1;
        let mut mine = std::mem::take(&mut self.mine);
        for i in part {
            mine.clear();
            let touched = known.accesses.of(i).iter().map(|a| a.var).filter(|&v| wanted(v));
            mine.extend(touched.map(|v| self.groups.first(v)));
            mine.sort_unstable();
            mine.dedup();
            if !mine.is_empty() {
                let keep = self.keep;
                self.close(known, &block, |open, _| open.used + keep < to_index(i));
            }
            // Two windows at a time may be more than there is room for, even if the other comes later to be one.
            let other = |v: VarId| {
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
        which: impl Fn(&ServingTemp, &Temp) -> bool,
    ) {
        let Plan { open, temps, uses, groups, .. } = self;
        open.retain(|o| {
            let temp = &temps[o.temp.index()];
            let closed = which(o, temp);
            if closed && let Some(u) = o.unsaved {
                uses[as_index(u)].saved = lives_behind(known, (temp.var, groups), as_index(o.used), block);
            }
            !closed
        });
    }

    /// A temporary for variable `v` at instruction `i`, holding what is needed.
    fn touch(&mut self, known: Known<'_>, v: VarId, i: usize, block: &std::ops::Range<usize>) {
        let inst = to_index(i);
        let mut touched = self.touched(known, v, i);
        let held = self.held(known, v, i, block);
        let written = if touched.written { bits(touched.first, touched.end) } else { 0 };
        self.holding[v] = Holding { walk: self.walks, regs: held | written };
        if self.again[v] {
            if touched.written {
                self.uses.push(Use {
                    inst,
                    var: v,
                    temp: TempId::NONE,
                    fill: Fill::Gone,
                    saved: false,
                    messages: TempId::NONE,
                });
                return;
            }
            touched.take_whole_definitions(known, v);
        }
        let in_front = touched.written && !known.kernel.platform.caps().sends.split;
        let serves = |t: &Temp| {
            let whole = t.first <= touched.first && touched.end <= t.end && (t.window || !touched.window);
            t.var == v && whole && (!in_front || t.front > 0)
        };
        let mut fill = Fill::None;
        let temp = if let Some(o) = self.open.iter_mut().find(|o| serves(&self.temps[o.temp.index()])) {
            o.used = inst;
            self.temps[o.temp.index()].range.end = last_of(inst, touched.written);
            if touched.written
                && let Some(u) = o.unsaved.take()
            {
                self.uses[as_index(u)].saved = false;
            }
            o.temp
        } else {
            let opened = self.open_temp(known, (&touched, held), (v, i), block);
            fill = opened.1;
            opened.0
        };
        let saved = touched.written && lives_behind(known, (v, &self.groups), i, block);
        let messages = if saved { self.messages(known.kernel, temp, inst) } else { TempId::NONE };
        if touched.written {
            // Older copies of what was written are stale.
            let t = self.temps[temp.index()];
            let mine = |old: &Temp| old.var == v && old.first < t.end && t.first < old.end;
            self.close(known, block, |o, old| o.temp != temp && mine(old));
        }
        if saved && let Some(o) = self.open.iter_mut().find(|o| o.temp == temp) {
            o.unsaved = Some(to_index(self.uses.len()));
        }
        let one = Use { inst, var: v, temp, fill, saved, messages };
        if !touched.in_group {
            self.uses.push(one);
            return;
        }
        // The first of the members says what happens.
        let all = self.uses.len();
        for var in self.groups.members(v).filter(|&m| known.accesses.of(i).iter().any(|a| a.var == m)) {
            let more = Use { fill: Fill::None, saved: false, messages: TempId::NONE, ..one };
            let says = if self.uses.len() == all { one } else { more };
            self.uses.push(Use { var, ..says });
        }
    }

    /// The registers of variable `v` that may hold something before instruction `i`: none where it begins to live, those
    /// that are written from there on to the end of the block, then all. (What waiting lanes have is alive.)
    fn held(&self, known: Known<'_>, v: VarId, i: usize, block: &std::ops::Range<usize>) -> u64 {
        match self.holding[v] {
            _ if !known.live.comes_to(v, i, block) => 0,
            Holding { walk, regs } if walk == self.walks => regs,
            _ => u64::MAX,
        }
    }

    /// What instruction `i` does with variable `v`, or the group that begins with it.
    fn touched(&self, known: Known<'_>, v: VarId, i: usize) -> Touched {
        let grf = grf_of(known.kernel);
        let groups = &self.groups;
        let in_group = groups.members(v).next().is_some();
        let mut touched = Touched { first: u32::MAX, in_group, ..Touched::default() };
        for a in known.accesses.of(i).iter().filter(|a| groups.first(a.var) == v) {
            touched.first = touched.first.min(a.start / grf);
            touched.end = touched.end.max(a.end.div_ceil(grf));
            touched.window |= a.chan == Access::THROUGH_ADDRESS;
            touched.read |= a.kind.has(Kind::READ);
            if a.kind.has(Kind::WRITE) {
                touched.written = true;
                touched.early |= a.kind.has(Kind::EARLY);
                if a.is_whole() {
                    touched.covers = Some((a.start, a.end));
                }
            }
        }
        if in_group {
            (touched.first, touched.end, touched.covers) = (0, groups.regs(v, known.kernel), None);
        }
        touched
    }

    /// A new temporary for what instruction `i` does with a variable, and how it is filled.
    fn open_temp(
        &mut self,
        known: Known<'_>,
        (touched, held): (&Touched, u64),
        (v, i): (VarId, usize),
        block: &std::ops::Range<usize>,
    ) -> (TempId, Fill) {
        let Known { kernel, accesses, live, .. } = known;
        let &Touched { first, end, window, read, written, early, covers, in_group } = touched;
        let grf = grf_of(kernel);
        let inst = to_index(i);
        let bytes = kernel.vars[v.index()].bytes;
        // The last register of the variable may be part padding.
        let whole = covers.is_some_and(|(s, e)| s <= first * grf && e >= (end * grf).min(bytes)) && !read;
        let old_of = |v: VarId| live.comes_to(v, i, block);
        let is_covered = |m: VarId| {
            let bytes = kernel.vars[m.index()].bytes;
            accesses.of(i).iter().any(|a| a.var == m && a.is_whole() && (a.start, a.end) == (0, bytes))
        };
        let old = || match in_group {
            true => self.groups.members(v).any(|m| !is_covered(m) && old_of(m)),
            false => held & bits(first, end) != 0,
        };
        // What a window may be written to is kept, known or not: else it would be needed from there on back.
        let is_filled = read || window || !whole && old();
        let fill = match is_filled {
            true if self.again[v] => Fill::Again,
            true => Fill::Read,
            false => Fill::None,
        };
        let (first, end) = if window || in_group || self.again[v] {
            (first, end)
        } else {
            // What is not filled may have no register more that holds something.
            let may = if is_filled { u64::MAX } else { !held | bits(first, end) };
            self.soon_touched(known, (v, i), block, may, (first, end))
        };
        // A window is always laid out as where it is written.
        let temp = self.temp(kernel, v, (first, end), written || window, inst);
        self.temps[temp.index()].window = window;
        let needed = &mut self.temps[temp.index()].range;
        if fill == Fill::None && !early {
            needed.start = Position::write(inst);
        }
        needed.end = last_of(inst, written);
        if fill == Fill::Read {
            // It is in memory that others have saved it.
            let reread = |o: &&mut ServingTemp| {
                let old = &self.temps[o.temp.index()];
                old.var == v && old.first < end && first < old.end
            };
            self.open.iter_mut().filter(reread).for_each(|o| o.unsaved = None);
        }
        self.open.push(ServingTemp { temp, used: inst, unsaved: None });
        (temp, fill)
    }

    /// The registers `touched` of variable `v`, which instruction `i` touches, and those beside them that the next few will,
    /// where that saves messages: one moves several registers as well as one. All of them are among `may`.
    fn soon_touched(
        &self,
        known: Known<'_>,
        (v, i): (VarId, usize),
        block: &std::ops::Range<usize>,
        may: u64,
        touched: (u32, u32),
    ) -> (u32, u32) {
        let grf = grf_of(known.kernel);
        let messages = |(first, end): (u32, u32)| chunks(end - first, grf).count();
        let mut together = touched;
        let (mut best, mut apart) = (touched, messages(touched));
        for j in i + 1..block.end.min(i + 1 + as_index(self.keep)) {
            for a in known.accesses.of(j).iter().filter(|a| a.var == v) {
                let own = (a.start / grf, a.end.div_ceil(grf));
                together = (together.0.min(own.0), together.1.max(own.1));
                let through = a.chan == Access::THROUGH_ADDRESS;
                if through || bits(together.0, together.1) & !may != 0 || !known.live.comes_to(v, j, block) {
                    return best;
                }
                if own.0 < best.0 || best.1 < own.1 {
                    apart += messages(own);
                }
                if messages(together) < apart {
                    (best, apart) = (together, messages(together));
                }
            }
        }
        best
    }

    /// A temporary for registers `first` to before `end` of a variable, needed around instruction `at`.
    pub(super) fn temp(
        &mut self,
        kernel: &Kernel<Virtual>,
        var: VarId,
        (first, end): (u32, u32),
        written: bool,
        at: u32,
    ) -> TempId {
        let grf = grf_of(kernel);
        let align = if kernel.vars[var.index()].even_grf { 2 * grf } else { grf };
        let front = if written && !kernel.platform.caps().sends.split { align } else { 0 };
        self.temps.push(Temp { var, first, end, front, align, range: Range::during(at), window: false });
        TempId::at(self.temps.len() - 1)
    }

    /// The temporaries for messages that write `temp` at instruction `at`, where those need a header in front:
    /// the first message finds room there, the others get registers of their own.
    pub(super) fn messages(&mut self, kernel: &Kernel<Virtual>, temp: TempId, at: u32) -> TempId {
        let start = TempId::at(self.temps.len());
        if !kernel.platform.caps().sends.split {
            let grf = grf_of(kernel);
            let Temp { var, first, end, .. } = self.temps[temp.index()];
            for (from, n) in chunks(end - first, grf).skip(1) {
                let (first, end) = (first + from, first + from + n);
                let range = Range::during(at);
                self.temps.push(Temp { var, first, end, front: grf, align: grf, range, window: false });
            }
        }
        start
    }
}

/// A bit for each register from `first` to before `end`, as in [`Holding::regs`].
fn bits(first: u32, end: u32) -> u64 {
    ones_between(first.min(u64::BITS - 1), end)
}

/// Whether a variable, or one of its group, is needed behind instruction `i` of a block.
fn lives_behind(
    known: Known<'_>,
    (var, groups): (VarId, &Groups),
    i: usize,
    block: &std::ops::Range<usize>,
) -> bool {
    let behind = Position::before(i + 1);
    let live = known.live;
    let lives = |v: VarId| if i + 1 == block.end { live.at_end(v, behind) } else { live.before(v, behind) };
    lives(var) || groups.members(var).any(lives)
}

/// Up to where an instruction needs what it reads, or also writes.
const fn last_of(inst: u32, written: bool) -> Position {
    if written { Range::during(inst).end } else { Position::write(inst) }
}
