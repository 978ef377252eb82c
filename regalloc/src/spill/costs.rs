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
        liveness::Liveness,
        position::{Position, Range},
        pressure::HighPressure,
    },
    spill::{
        chunks::{KEEP, chunks},
        remat::Remat,
    },
};
use gen_ir::{BlockId, Kernel, VarClass, VarId, Virtual};
use narrow::{single, to_f32, to_index};
use typed_index_collections::TiVec;

/// What spilling costs, by variable; empty if it is not known.
#[derive(Default)]
pub(crate) struct Costs {
    fills: TiVec<VarId, f32>,
    saves: TiVec<VarId, f32>,
    open: TiVec<VarId, EstimatedTemp>,
    /// Where more is alive than there is room for.
    high_pressure: HighPressure,
}

/// A temporary that serves more instructions.
#[derive(Clone, Copy)]
struct EstimatedTemp {
    /// The instruction that used it last.
    used: u32,
    /// It is in this block.
    block: BlockId,
    /// What was written last is saved already.
    saved: bool,
}

/// What room spilling a variable makes, alive at `length` positions: what is alive longer, or larger, makes more, but not
/// in proportion, for the same room is seldom wanted all along. The powers 3/4 and 1/4 gave the fewest messages on real
/// programs of those tried.
pub(crate) fn room(length: u32, regs: u32) -> f32 {
    let (length, regs) = (f64::from(length.max(1)), f64::from(regs.max(1)));
    single((length * length * length * regs).sqrt().sqrt())
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
        self.open.resize(kernel.vars.len(), EstimatedTemp { used: 0, block: BlockId::NONE, saved: false });
        for b in 0..kernel.blocks.len() {
            let (block, worth) = (BlockId::from(b), facts::worth(flow, b));
            for i in accesses.block(b) {
                for a in accesses.of(i) {
                    let v = a.var;
                    let var = &kernel.vars[v.index()];
                    if var.class != VarClass::General {
                        continue;
                    }
                    let regs = a.end.div_ceil(grf) - a.start / grf;
                    let messages = to_f32(to_index(chunks(regs, grf).count())) * worth;
                    let open = &mut self.open[v];
                    let serves = open.block == block && open.used + KEEP >= to_index(i);
                    if !serves {
                        *open = EstimatedTemp { used: to_index(i), block, saved: false };
                    }
                    open.used = to_index(i);
                    let write = a.kind.has(Kind::WRITE);
                    let whole = a.is_whole()
                        && a.start.is_multiple_of(grf)
                        && (a.end.is_multiple_of(grf) || a.end >= var.bytes);
                    if !serves && !whole && (!write || live.before(a.var, Position::before(i))) {
                        self.fills[v] += messages;
                    }
                    if write && !std::mem::replace(&mut open.saved, true) {
                        self.saves[v] += messages;
                    }
                }
            }
        }
        self.high_pressure.find(kernel, (accesses, live), room);
    }

    /// Messages that spilling a variable takes, or what computing it again is worth beside them; about, if that was
    /// not found.
    pub fn of(&self, var: VarId, accesses: &Accesses, remat: &Remat) -> f32 {
        match (self.fills.get(var), self.saves.get(var)) {
            (Some(fills), Some(_)) if remat.has(var) => fills * remat.cost(var),
            (Some(fills), Some(saves)) => fills + saves,
            _ => accesses.facts[var].weight * remat.cost(var),
        }
    }

    /// What it costs more to keep a variable in memory than to compute it again.
    pub fn loss(&self, var: VarId, accesses: &Accesses, remat: &Remat) -> f32 {
        let all = match (self.fills.get(var), self.saves.get(var)) {
            (Some(fills), Some(saves)) => fills + saves,
            _ => accesses.facts[var].weight,
        };
        all - self.of(var, accesses, remat)
    }

    /// Whether this was [found](Costs::find).
    pub const fn are_known(&self) -> bool {
        !self.fills.is_empty()
    }

    /// Whether more is alive somewhere in `ranges` than there is room for.
    pub fn is_pressed(&self, ranges: &[Range]) -> bool {
        self.high_pressure.positions(ranges) > 0
    }

    /// What room spilling a variable makes where it is wanted, alive in `ranges`, `length` positions in all. Elsewhere it
    /// is worth little; square roots are the same on every machine.
    pub fn room(&self, ranges: &[Range], length: u32, regs: u32) -> f32 {
        let wanted = f64::from(self.high_pressure.positions(ranges)) + f64::from(length.max(1)) / 32.0;
        single((wanted * f64::from(regs.max(1)).sqrt()).sqrt())
    }
}
