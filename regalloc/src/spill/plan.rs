//! What spilling will add: the temporaries on which instructions work that touch a spilled variable.
//!
//! A temporary has the registers of the variable that an instruction touches, and those that the next few will. While it holds
//! the value, it serves those. What holds nothing yet, since nobody has written it, is not filled.
//!
//! Variables that are touched together are one (`groups`): a temporary then has all registers of all of them.
//!
//! What an instruction may touch through an address is all of a variable, and the address was computed somewhere
//! else: all instructions that reach a variable in this way work on one *window*, another variable of its size, whose
//! address is taken in its place. It is filled as temporaries are, but whole; between, others have its registers.
//!
//! What can be computed again (`remat`), while its sources keep their registers, is not kept in memory: its
//! operations stand before the instructions that read it, and write their temporaries. Where a source was spilled, the
//! variables are placed once more, with what that costs the others as a part of its own cost (`Plan::add_losses`).
//!
//! Nothing is written yet: whether all this finds registers can be known
//! before (`fit`), and each variable's temporaries depend on that variable alone, so others can be added.

mod walk;

use crate::{
    analysis::{accesses::Accesses, facts, flow::Flow, liveness::Liveness, position::Range},
    spill::{
        chunks::{KEEP, chunks, grf_of},
        costs::Costs,
        groups::Groups,
        remat::Remat,
        scratch_space,
    },
};
use gen_ir::{Inst, Kernel, VarId, Virtual};
use narrow::{as_index, to_f32, to_index};
use typed_index_collections::TiVec;

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

/// A temporary, by its place in [`Plan::temps`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct TempId(u32);

impl TempId {
    /// No temporary.
    pub const NONE: TempId = TempId(u32::MAX);

    /// The one at a place.
    pub fn at(index: usize) -> TempId {
        TempId(to_index(index))
    }

    /// Its place.
    pub const fn index(self) -> usize {
        as_index(self.0)
    }

    /// The one so many places behind it.
    pub fn plus(self, places: usize) -> TempId {
        TempId(self.0 + to_index(places))
    }
}

/// A temporary that holds a part of a spilled variable.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Temp {
    /// The variable, or the first of its group.
    pub var: VarId,
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
    pub var: VarId,
    /// The temporary that it works on.
    pub temp: TempId,
    /// What happens before.
    pub fill: Fill,
    /// Whether it is written there after.
    pub saved: bool,
    /// The first of the temporaries for messages that write it, where those need a header in front.
    pub messages: TempId,
}

/// What one temporary is for: fewer messages the more it serves, fewer registers at a time the less.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) enum Serves {
    /// All of a [group](Groups), in instructions near each other.
    #[default]
    Group,
    /// One variable, in instructions near each other.
    Variable,
    /// One variable in one instruction.
    Instruction,
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
    spilled: TiVec<VarId, bool>,
    /// Whether it is computed again, then, and whether others are from it.
    again: TiVec<VarId, bool>,
    source: TiVec<VarId, bool>,
    open: Vec<ServingTemp>,
    /// Instructions for which a temporary that served one is there for the next.
    keep: u32,
    /// What variables hold where a walk is; of another walk, nothing is known.
    holding: TiVec<VarId, Holding>,
    /// Walks so far.
    walks: u32,
    mine: Vec<VarId>,
}

/// A temporary that serves more instructions.
#[derive(Clone, Copy)]
struct ServingTemp {
    temp: TempId,
    /// Instruction that used it last.
    used: u32,
    /// The use that saves what was written last, among all uses, if memory may do without: while the temporary
    /// serves, nothing else reads it there.
    unsaved: Option<u32>,
}

/// Which registers of a variable may hold something that is needed.
#[derive(Clone, Copy, Default)]
struct Holding {
    /// In which walk that was found, from 1 on.
    walk: u32,
    /// A bit each; those from the last one on have that one together.
    regs: u64,
}

/// How far a plan had come.
pub(crate) struct PlanLength {
    temps: usize,
    uses: usize,
}

impl Plan {
    /// Plans for `spilled`, and forgets all before.
    pub fn make(&mut self, spilled: &[VarId], known: Known<'_>, serves: Serves) {
        let kernel = known.kernel;
        self.temps.clear();
        self.uses.clear();
        self.inputs.clear();
        self.spilled.clear();
        self.spilled.resize(kernel.vars.len(), false);
        spilled.iter().for_each(|v| self.spilled[*v] = true);
        for list in [&mut self.again, &mut self.source] {
            list.clear();
            list.resize(kernel.vars.len(), false);
        }
        spilled.iter().for_each(|&v| self.decide(v, known.remat));
        self.holding.clear();
        self.holding.resize(kernel.vars.len(), Holding::default());
        self.walks = 0;
        self.groups.clear(kernel.vars.len());
        self.keep = if serves == Serves::Instruction { 0 } else { KEEP };
        if serves == Serves::Group {
            let again = &self.again;
            let kept = spilled.iter().copied().filter(|v| !again[*v]);
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
            let temp = self.temp(kernel, *v, (0, regs), true, self.loaded);
            let messages = self.messages(kernel, temp, self.loaded);
            let input = Use { inst: self.loaded, var: *v, temp, fill: Fill::None, saved: true, messages };
            self.inputs.push(input);
        }
        let spilled = std::mem::take(&mut self.spilled);
        for b in 0..kernel.blocks.len() {
            if known.accesses.of_block(b).iter().any(|a| spilled[a.var]) {
                let block = known.accesses.block(b);
                self.walk(known, block.clone(), block, |v| spilled[v]);
            }
        }
        self.spilled = spilled;
    }

    /// Plans for more variables, which are no inputs: their uses stand behind those before until they are
    /// [sorted](Plan::sort).
    pub fn add(&mut self, vars: &[VarId], known: Known<'_>) {
        // None is computed again from one that goes with it.
        vars.iter().for_each(|v| self.spilled[*v] = true);
        vars.iter().for_each(|&v| self.add_one(v, known));
    }

    fn add_one(&mut self, var: VarId, known: Known<'_>) {
        self.decide(var, known.remat);
        let ranges = known.live.of(var);
        let (Some(first), Some(last)) = (ranges.first(), ranges.last()) else { return };
        let (start, end) = (as_index(first.start.inst()), as_index(last.end.inst()) + 1);
        for b in known.accesses.block_of(first.start.inst()).index()..known.kernel.blocks.len() {
            let block = known.accesses.block(b);
            if block.start >= end {
                break;
            }
            let part = block.start.max(start)..block.end.min(end);
            if !part.is_empty() {
                self.walk(known, part, block, |v| v == var);
            }
        }
    }

    /// Decides whether a variable that is spilled is computed again: its sources have to keep their registers.
    fn decide(&mut self, var: VarId, remat: &Remat) {
        if remat.has(var) && remat.sources(var).all(|s| !self.spilled[s]) {
            self.again[var] = true;
            remat.sources(var).for_each(|s| self.source[s] = true);
        }
    }

    /// Whether a spilled variable is computed again, so that it has no place in memory.
    pub fn is_again(&self, var: VarId) -> bool {
        self.again[var]
    }

    /// A spilled variable may have been a source from which other spilled variables could have been computed again. Adds
    /// to `losses`, by source, what that chance was worth. Returns the sum of what it adds.
    pub fn add_losses(&self, known: Known<'_>, losses: &mut TiVec<VarId, f32>) -> f32 {
        let Known { accesses, costs, remat, .. } = known;
        losses.resize(self.spilled.len(), 0.0);
        let mut lost = 0.0;
        for v in self.spilled.keys().filter(|&v| self.spilled[v]) {
            if !remat.has(v) || self.again[v] {
                continue;
            }
            let loss = costs.loss(v, accesses, remat);
            for s in remat.sources(v).filter(|&s| self.spilled[s]) {
                losses[s] += loss;
                lost += loss;
            }
        }
        lost
    }

    /// Whether a variable has to keep its registers, for others are computed from it.
    pub fn is_source(&self, var: VarId) -> bool {
        self.source[var]
    }

    /// What it takes: messages, and what is computed again beside them, each worth more in loops.
    pub fn cost(&self, known: Known<'_>, flow: &Flow) -> f32 {
        let grf = grf_of(known.kernel);
        let messages = |u: &Use| {
            let Temp { first, end, .. } = self.temps[u.temp.index()];
            to_f32(to_index(chunks(end - first, grf).count()))
        };
        let cost = |u: &Use| {
            let fill = match u.fill {
                Fill::Read => messages(u),
                Fill::Again => known.remat.cost(u.var),
                Fill::None | Fill::Gone => 0.0,
            };
            let save = if u.saved { messages(u) } else { 0.0 };
            if fill + save == 0.0 {
                return 0.0;
            }
            let block = known.accesses.block_of(u.inst).index();
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
        self.spilled[var]
    }

    /// What is planned so far.
    pub fn mark(&self) -> PlanLength {
        PlanLength { temps: self.temps.len(), uses: self.uses.len() }
    }

    /// Forgets what was planned after.
    pub fn back_to(&mut self, mark: &PlanLength) {
        self.temps.truncate(mark.temps);
        self.uses.truncate(mark.uses);
    }

    /// Puts uses in order after variables were added.
    pub fn sort(&mut self) {
        self.uses.sort_unstable_by_key(|u| (u.inst, u.var));
    }
}
