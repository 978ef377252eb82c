//! Groups: spilled variables that are touched together, so that one message moves them all.
//!
//! The halves of a wide vector, or of the qwords of many lanes, are variables of their own. If they are spilled, each
//! would take messages of its own; side by side in memory, and in one temporary wherever instructions work on them,
//! they take one.
//!
//! A group is chosen where its members are touched in the same places, each by instructions of the same kinds. That is
//! for the number of messages alone: a temporary has all of a group, is filled if any member's value is needed, and
//! saved whole, so any variables could be one.

use crate::{
    analysis::{
        access::{Access, Kind},
        accesses::Accesses,
    },
    spill::chunks::{KEEP, grf_of},
};
use gen_ir::{BlockId, Kernel, VarId, Virtual};
use narrow::{span, to_index};
use typed_index_collections::TiVec;

/// How far apart members may be touched, in instructions.
const APART: u32 = KEEP / 2;
/// Most registers of a group. A message could move twice as many of 32 bytes, but that room is seldom found.
const MOST: u32 = 4;
/// Variables that are looked at for a group.
const NEAR: usize = 12;

/// The groups of the variables of a kernel.
#[derive(Default)]
pub(crate) struct Groups {
    /// The first member of each variable's group; itself if it is in none.
    first: TiVec<VarId, VarId>,
    /// Registers of its group before it.
    before: TiVec<VarId, u32>,
    /// Members of groups, with the group's first: by group.
    members: Vec<(VarId, VarId)>,
    touches: Vec<MemberTouch>,
    sorted: Vec<VarId>,
    /// The place of each variable's touches among all.
    ends: TiVec<VarId, (u32, u32)>,
}

/// What an instruction does with a variable.
#[derive(Clone, Copy, PartialEq, Eq)]
struct MemberTouch {
    var: VarId,
    /// Its place among those of all variables.
    nth: u32,
    inst: u32,
    block: BlockId,
    start: u32,
    end: u32,
    kind: Kind,
}

impl Groups {
    /// Forgets all groups of a kernel of so many variables.
    pub fn clear(&mut self, vars: usize) {
        self.first.clear();
        self.first.extend((0..to_index(vars)).map(VarId));
        self.before.clear();
        self.before.resize(vars, 0);
        self.members.clear();
    }

    /// Groups variables, of which none is in a group yet.
    pub fn find(
        &mut self,
        vars: impl Iterator<Item = VarId>,
        (kernel, accesses): (&Kernel<Virtual>, &Accesses),
    ) {
        self.sorted.clear();
        let grf = grf_of(kernel);
        let regs = |v: VarId| kernel.vars[v.index()].bytes / grf;
        let may = |v: &VarId| {
            let var = &kernel.vars[v.index()];
            let plain = !(var.live_in || var.address_taken || var.even_grf) && var.bytes.is_multiple_of(grf);
            plain && regs(*v) * 2 <= MOST
        };
        self.sorted.extend(vars.filter(may));
        if self.sorted.len() < 2 {
            return;
        }
        self.find_touches(accesses);
        let Groups { first, before, members, touches, sorted, ends, .. } = self;
        let of = |v: VarId| &touches[span(ends[v].0..ends[v].1)];
        sorted.retain(|&v| !of(v).is_empty());
        sorted.sort_unstable_by_key(|&v| (of(v)[0].inst, v));
        for (n, &v) in sorted.iter().enumerate() {
            if first[v] != v || before[v] != 0 {
                continue;
            }
            let mut all = regs(v);
            for &w in sorted[n + 1..].iter().take(NEAR) {
                // None behind `v` is the first of a group yet.
                let free = first[w] == w;
                let fits = regs(w) == regs(v) && all + regs(w) <= MOST;
                if free && fits && are_together(of(v), of(w)) {
                    if all == regs(v) {
                        members.push((v, v));
                    }
                    (first[w], before[w]) = (v, all);
                    members.push((v, w));
                    all += regs(w);
                }
            }
        }
        members.sort_unstable();
    }

    /// Finds what is done with the variables that may be in groups.
    fn find_touches(&mut self, accesses: &Accesses) {
        self.touches.clear();
        self.ends.clear();
        self.ends.resize(self.first.len(), (0, 0));
        self.sorted.iter().for_each(|&v| self.ends[v] = (1, 1));
        for b in 0..accesses.blocks.len().saturating_sub(1) {
            for i in accesses.block(b) {
                for a in accesses.of(i).iter().filter(|a| self.ends[a.var] != (0, 0)) {
                    let &Access { var, start, end, kind, .. } = a;
                    let (nth, inst, block) = (to_index(self.touches.len()), to_index(i), b.into());
                    self.touches.push(MemberTouch { var, nth, inst, block, start, end, kind });
                }
            }
        }
        self.touches.sort_unstable_by_key(|t| (t.var, t.nth));
        self.ends.fill((0, 0));
        for (n, t) in (0..).zip(&self.touches) {
            let (start, end) = &mut self.ends[t.var];
            if *start == *end {
                *start = n;
            }
            *end = n + 1;
        }
    }

    /// The first member of a variable's group.
    pub fn first(&self, var: VarId) -> VarId {
        self.first[var]
    }

    /// Registers of its group before a variable.
    pub fn before(&self, var: VarId) -> u32 {
        self.before[var]
    }

    /// Members of the group that begins with a variable; none if there is none.
    pub fn members(&self, first: VarId) -> impl Iterator<Item = VarId> {
        let from = self.members.partition_point(|m| m.0 < first);
        self.members[from..].iter().take_while(move |m| m.0 == first).map(|m| m.1)
    }

    /// Registers of a variable, or of the group that begins with it.
    pub fn regs(&self, first: VarId, kernel: &Kernel<Virtual>) -> u32 {
        let grf = grf_of(kernel);
        let regs = |v: VarId| kernel.vars[v.index()].bytes.div_ceil(grf);
        self.members(first).map(regs).sum::<u32>().max(regs(first))
    }

    /// Whether there are any.
    pub fn any(&self) -> bool {
        !self.members.is_empty()
    }
}

/// Whether two variables are touched in the same places, by instructions of the same kinds.
fn are_together(a: &[MemberTouch], b: &[MemberTouch]) -> bool {
    let together = |(a, b): (&MemberTouch, &MemberTouch)| {
        a.block == b.block
            && a.inst.abs_diff(b.inst) <= APART
            && (a.start, a.end, a.kind) == (b.start, b.end, b.kind)
    };
    a.len() == b.len() && a.iter().zip(b).all(together)
}
