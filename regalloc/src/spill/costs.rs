//! What spilling each variable costs, and where that makes room.
//!
//! The cost of a variable is the messages that it would take, as the plan has them (`plan`): instructions near each
//! other work on one temporary, which is filled once, if anything of it is needed, and saved once. Each is worth ten
//! times more per loop around it. Room is worth something where too much is alive.

use crate::{
    analysis::{
        access::Kind,
        accesses::Accesses,
        facts,
        flow::Flow,
        liveness::{Liveness, Range},
    },
    spill::{
        chunks::{KEEP, chunks},
        remat::Remat,
    },
};
use gen_ir::{Kernel, VarClass, VarId, Virtual};
use narrow::to_index;

/// What spilling costs, by variable; empty if it is not known.
#[derive(Default)]
pub(crate) struct Costs {
    fills: Vec<f32>,
    saves: Vec<f32>,
    open: Vec<Open>,
    /// How many positions before each one are crowded.
    crowded: Vec<u32>,
    change: Vec<i64>,
}

/// A temporary that serves more instructions.
#[derive(Clone, Copy)]
struct Open {
    /// The instruction that used it last.
    used: u32,
    /// It is in this block.
    block: u32,
    /// What was written last is saved already.
    saved: bool,
}

/// No block.
const NONE: u32 = u32::MAX;

/// What room spilling a variable makes, alive at `length` positions: what is alive longer, or larger, makes more, but not
/// in proportion, for the same room is seldom wanted all along. The powers 3/4 and 1/4 gave the fewest messages on real
/// programs of those tried.
#[expect(clippy::cast_possible_truncation, reason = "an estimate, rounded alike everywhere")]
pub(crate) fn room(length: u32, regs: u32) -> f32 {
    let (length, regs) = (f64::from(length.max(1)), f64::from(regs.max(1)));
    (length * length * length * regs).sqrt().sqrt() as f32
}

impl Costs {
    /// Forgets all.
    pub fn clear(&mut self) {
        self.fills.clear();
        self.saves.clear();
    }

    /// Finds the costs of a kernel, of which `room` bytes of general variables can be alive at a time.
    pub fn find(
        &mut self,
        kernel: &Kernel<Virtual>,
        (accesses, live): (&Accesses, &Liveness),
        flow: &Flow,
        room: u32,
    ) {
        let grf = u32::from(kernel.platform.caps().regs.grf_bytes);
        for list in [&mut self.fills, &mut self.saves] {
            list.clear();
            list.resize(kernel.vars.len(), 0.0);
        }
        self.open.clear();
        self.open.resize(kernel.vars.len(), Open { used: 0, block: NONE, saved: false });
        for b in 0..kernel.blocks.len() {
            let worth = facts::worth(flow, b);
            for i in accesses.block(b) {
                for a in accesses.of(i) {
                    let v = a.var as usize;
                    if kernel.vars[v].class != VarClass::General {
                        continue;
                    }
                    let regs = a.end.div_ceil(grf) - a.start / grf;
                    let messages = chunks(regs, grf).count() as f32 * worth;
                    let open = &mut self.open[v];
                    let serves = open.block == to_index(b) && open.used + KEEP >= to_index(i);
                    if !serves {
                        *open = Open { used: to_index(i), block: to_index(b), saved: false };
                    }
                    open.used = to_index(i);
                    let write = a.kind.has(Kind::WRITE);
                    let whole = write
                        && a.kind.has(Kind::SURE)
                        && !a.kind.has(Kind::MASKED)
                        && a.pitch == a.elem
                        && a.start.is_multiple_of(grf)
                        && (a.end.is_multiple_of(grf) || a.end >= kernel.vars[v].bytes);
                    if !serves && !whole && (!write || live.before(a.var, 2 * to_index(i))) {
                        self.fills[v] += messages;
                    }
                    if write && !std::mem::replace(&mut open.saved, true) {
                        self.saves[v] += messages;
                    }
                }
            }
        }
        self.find_crowded(kernel, accesses, live, room);
    }

    fn find_crowded(&mut self, kernel: &Kernel<Virtual>, accesses: &Accesses, live: &Liveness, room: u32) {
        let Costs { crowded, change, .. } = self;
        let positions = accesses.blocks.last().map_or(0, |&n| n as usize * 2 + 2);
        change.clear();
        change.resize(positions + 1, 0);
        for (v, var) in kernel.vars.iter().enumerate().filter(|(_, var)| var.class == VarClass::General) {
            for r in live.of(v) {
                change[(r.start as usize).min(positions)] += i64::from(var.bytes);
                change[(r.end as usize).min(positions)] -= i64::from(var.bytes);
            }
        }
        let (mut now, mut count) = (0, 0);
        crowded.clear();
        crowded.push(0);
        crowded.extend(change.iter().map(|c| {
            now += c;
            count += u32::from(now > i64::from(room));
            count
        }));
    }

    /// Messages that spilling a variable takes, or what computing it again is worth beside them; about, if that was
    /// not found.
    pub fn of(&self, var: VarId, accesses: &Accesses, remat: &Remat) -> f32 {
        let v = var.index();
        match (self.fills.get(v), self.saves.get(v)) {
            (Some(fills), Some(_)) if remat.has(var) => fills * remat.cost(var),
            (Some(fills), Some(saves)) => fills + saves,
            _ => accesses.facts[v].weight * remat.cost(var),
        }
    }

    /// Whether this was [found](Costs::find).
    pub const fn are_known(&self) -> bool {
        !self.fills.is_empty()
    }

    /// What room spilling a variable makes where it is wanted, alive in `ranges`, `length` positions in all. Elsewhere it
    /// is worth little; square roots are the same on every machine.
    #[expect(clippy::cast_possible_truncation, reason = "an estimate, rounded alike everywhere")]
    pub fn room(&self, ranges: &[Range], length: u32, regs: u32) -> f32 {
        let wanted = f64::from(self.crowded(ranges)) + f64::from(length.max(1)) / 32.0;
        (wanted * f64::from(regs.max(1)).sqrt()).sqrt() as f32
    }

    /// How many positions of some are crowded.
    fn crowded(&self, ranges: &[Range]) -> u32 {
        let last = self.crowded.len().saturating_sub(1);
        let before = |at: u32| self.crowded.get((at as usize).min(last)).copied().unwrap_or(0);
        ranges.iter().map(|r| before(r.end) - before(r.start)).sum()
    }
}
