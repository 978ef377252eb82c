//! Copies that only one side of a branch needs are made there.
//!
//! `mov t = a; ...; (p) goto T` becomes `(p) goto T; T: mov t = a` if `t` is alive at the start of `T` alone, where only this
//! branch leads to. So the copies for what follows a loop are made once behind it, and not each time around; and where
//! `a` is not needed any more, `t` may have its registers.
//!
//! A copy whose source nobody reads elsewhere stays: its value may be made in its place
//! ([`coalesce`](super::coalesce)).
//!
//! Where lanes part, the thread walks both sides, and each may see what the other has written without a mask or for other
//! lanes; and behind a branch that all lanes take, others may go on that wait. So in kernels whose lanes part anywhere, both
//! variables are of their channels alone.

use gen_ir::{Inst, Kernel, Op, Options, Pool, Role, Var, VarClass, VarId, Virtual};
use narrow::{as_index, to_index};

use super::{
    live_in::{LiveIn, VarNumbers},
    locality::Locality,
    merge::ByteCopy,
    own_channels::{OwnChannels, lanes_part},
    predicate::count_predecessors,
};
use crate::lists::reset;

/// How far from the branch a copy may stand.
const REACH: usize = 128;
/// Liveness is found of so many variables at most: it takes a bit of memory for each of them in each block.
const MOST: usize = 1024;

/// Memory of the pass.
#[derive(Debug, Default)]
pub(super) struct SinkMemory {
    /// How many edges lead to each block.
    predecessors: Vec<u32>,
    /// How many copies were moved to the front of each block.
    moved: Vec<u32>,
    channels: OwnChannels,
    /// Whether lanes part somewhere.
    divergent: bool,
    copies: Vec<BranchCopy>,
    /// The results of the copies.
    results: VarNumbers,
    /// By variable, what instructions between the one that is looked at and the branch do with it.
    behind: Vec<TouchedBehind>,
    live: LiveIn,
}

/// The last block in which instructions behind the one that was looked at touch a variable.
#[derive(Clone, Copy, Debug)]
struct TouchedBehind {
    touched: u32,
    written: u32,
}

impl TouchedBehind {
    const NOWHERE: TouchedBehind = TouchedBehind { touched: u32::MAX, written: u32::MAX };
}

/// A copy in front of a branch.
#[derive(Clone, Copy, Debug)]
struct BranchCopy {
    block: u32,
    inst: u32,
    to: VarId,
    from: VarId,
}

/// Sinks copies in front of all branches. Whether there were any.
pub(super) fn copies(
    kernel: &mut Kernel<Virtual>,
    locality: &Locality,
    grf_bytes: u32,
    memory: &mut SinkMemory,
    pool: &mut Pool<Virtual>,
) -> bool {
    let with_calls = !kernel.subroutines.is_empty();
    if with_calls || !kernel.blocks.iter().any(|b| b.succs.len() == 2) {
        return false;
    }
    memory.collect(kernel, locality);
    if memory.copies.is_empty() {
        return false;
    }
    memory.channels.find(kernel, |_| true);
    memory.live.find(kernel, grf_bytes, &memory.channels, &memory.results);
    let mut any = false;
    // In each block the last copy comes first, and those before it get in front of it.
    for n in 0..memory.copies.len() {
        let copy = memory.copies[n];
        let Some(side) = memory.side(kernel, copy) else { continue };
        let from = as_index(copy.block);
        let inst = kernel.blocks[from].insts.remove(as_index(copy.inst + memory.moved[from]));
        let front = &mut kernel.blocks[side].insts;
        // For debug information it is of what it stands at: it runs as often as that.
        let origin = front.first().map_or(Inst::<Virtual>::NO_ORIGIN, |first| first.origin);
        pool.grow(front, 1);
        front.insert(0, Inst { origin, ..inst });
        memory.moved[side] += 1;
        any = true;
    }
    any
}

impl SinkMemory {
    /// Finds the copies in front of branches of which nothing up to the branch needs the result or changes the source.
    fn collect(&mut self, kernel: &Kernel<Virtual>, locality: &Locality) {
        count_predecessors(kernel, &mut self.predecessors);
        reset(&mut self.moved, kernel.blocks.len(), 0);
        self.divergent = lanes_part(kernel);
        self.copies.clear();
        self.results.clear();
        self.behind.clear();
        for (b, block) in kernel.blocks.iter().enumerate() {
            let [next, other] = block.succs[..] else { continue };
            let alone = [next, other].map(|s| self.predecessors[s.index()] == 1 && s.index() != b);
            let Some((branch, before)) = block.insts.split_last() else { continue };
            if branch.op != Op::Goto || branch.pred.is_none() || alone == [false; 2] {
                continue;
            }
            let first = before.len().saturating_sub(REACH);
            if !before[first..].iter().any(|i| copied(i, &kernel.vars).is_some()) {
                continue;
            }
            if self.behind.is_empty() {
                reset(&mut self.behind, kernel.vars.len(), TouchedBehind::NOWHERE);
                self.results.start(kernel.vars.len());
            }
            let here = to_index(b);
            for (i, inst) in before.iter().enumerate().skip(first).rev() {
                if inst.changes_mode() {
                    break;
                }
                let free = |&(to, from): &(VarId, VarId)| {
                    self.behind[to.index()].touched != here
                        && self.behind[from.index()].written != here
                        && !locality.only_in(from, b)
                        && !locality.touched_only_in(to, b)
                };
                if let Some((to, from)) = copied(inst, &kernel.vars).filter(free)
                    && self.results.number(to, MOST).is_some()
                {
                    self.copies.push(BranchCopy { block: here, inst: to_index(i), to, from });
                }
                inst.for_each_reg(|role, r| {
                    if let Some(v) = r.var() {
                        let behind = &mut self.behind[v.index()];
                        behind.touched = here;
                        if role == Role::Dst {
                            behind.written = here;
                        }
                    }
                });
            }
        }
    }

    /// The side of the branch that alone needs a copy and may make it, if there is one.
    fn side(&self, kernel: &Kernel<Virtual>, copy: BranchCopy) -> Option<usize> {
        let block = &kernel.blocks[as_index(copy.block)];
        let [next, other] = block.succs[..] else { return None };
        if self.divergent && ![copy.to, copy.from].iter().all(|&v| self.channels.are_own(v)) {
            return None;
        }
        let number = self.results.of(copy.to)?;
        let alive = |s: usize| self.live.has(s, number);
        let (next, other) = (next.index(), other.index());
        let side = match (alive(next), alive(other)) {
            (true, false) => next,
            (false, true) => other,
            _ => return None,
        };
        (self.predecessors[side] == 1 && side != as_index(copy.block)).then_some(side)
    }
}

/// The variables of which an instruction copies all of the one from the other, as it is.
fn copied(inst: &Inst<Virtual>, vars: &[Var]) -> Option<(VarId, VarId)> {
    let (from, to) = ByteCopy::ends(inst).filter(|_| inst.opts == Options::NONE)?;
    let plain = |v: VarId| {
        let var = &vars[v.index()];
        var.class == VarClass::General && var.is_only_named() && !var.live_out
    };
    let bytes = inst.exec.lanes() * inst.dst.ty()?.bytes();
    let all = inst.dst.reg()?.byte == 0 && bytes == vars[to.index()].bytes;
    (all && to != from && plain(to) && plain(from)).then_some((to, from))
}
