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

use gen_ir::{Class, Inst, Kernel, Op, Options, Pool, Reg, Role, Var, VarClass, VarId, Virtual};
use narrow::{as_index, to_index};

use super::{hoist::ChannelsOf, locality::Locality, merge::ByteCopy, predicate::count_predecessors};
use crate::lists::reset;

/// How far from the branch a copy may stand.
const REACH: usize = 128;
/// Of so many copies at most it is found out where they are needed: a bound for the memory of that, by blocks.
const MOST: usize = 1024;

/// Memory of the pass.
#[derive(Debug, Default)]
pub(super) struct SinkMemory {
    /// How many edges lead to each block.
    predecessors: Vec<u32>,
    /// How many copies have come to the front of each block.
    came: Vec<u32>,
    channels: ChannelsOf,
    /// Whether lanes part somewhere.
    divergent: bool,
    copies: Vec<BranchCopy>,
    /// By variable, which of the copied to it is; none: [`NONE`].
    number: Vec<u32>,
    /// By variable, the last block behind whose instructions in question it is touched, and written.
    behind: Vec<(u32, u32)>,
    live: LiveIn,
}

const NONE: u32 = u32::MAX;

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
    memory.channels.find(kernel);
    memory.live.find(kernel, grf_bytes, &memory.channels, &memory.number);
    let mut any = false;
    // In each block the last copy comes first, and those before it get in front of it.
    for n in 0..memory.copies.len() {
        let copy = memory.copies[n];
        let Some(side) = memory.side(kernel, copy) else { continue };
        let from = as_index(copy.block);
        let inst = kernel.blocks[from].insts.remove(as_index(copy.inst + memory.came[from]));
        let front = &mut kernel.blocks[side].insts;
        // For debug information it is of what it stands at: it runs as often as that.
        let origin = front.first().map_or(Inst::<Virtual>::NO_ORIGIN, |first| first.origin);
        pool.grow(front, 1);
        front.insert(0, Inst { origin, ..inst });
        memory.came[side] += 1;
        any = true;
    }
    any
}

impl SinkMemory {
    /// Finds the copies in front of branches of which nothing up to the branch needs the result or changes the source.
    fn collect(&mut self, kernel: &Kernel<Virtual>, locality: &Locality) {
        count_predecessors(kernel, &mut self.predecessors);
        reset(&mut self.came, kernel.blocks.len(), 0);
        let parts = |last: &Inst<Virtual>| last.op == Op::Goto && last.exec.lanes() > 1;
        self.divergent = kernel.blocks.iter().filter_map(|b| b.insts.last()).any(parts);
        self.copies.clear();
        self.number.clear();
        self.behind.clear();
        let mut numbered = 0;
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
                reset(&mut self.behind, kernel.vars.len(), (NONE, NONE));
                reset(&mut self.number, kernel.vars.len(), NONE);
            }
            let here = to_index(b);
            for (i, inst) in before.iter().enumerate().skip(first).rev() {
                if inst.changes_mode() || inst.op.info().class == Class::Branch {
                    break;
                }
                let free = |&(to, from): &(VarId, VarId)| {
                    self.behind[to.index()].0 != here
                        && self.behind[from.index()].1 != here
                        && !locality.only_in(from, b)
                        && !locality.touched_only_in(to, b)
                };
                if let Some((to, from)) = copied(inst, &kernel.vars).filter(free)
                    && (self.number[to.index()] != NONE || numbered < to_index(MOST))
                {
                    if self.number[to.index()] == NONE {
                        self.number[to.index()] = numbered;
                        numbered += 1;
                    }
                    self.copies.push(BranchCopy { block: here, inst: to_index(i), to, from });
                }
                inst.for_each_reg(|role, r| {
                    if let Some(v) = r.var() {
                        let behind = &mut self.behind[v.index()];
                        behind.0 = here;
                        if role == Role::Dst {
                            behind.1 = here;
                        }
                    }
                });
            }
        }
        self.live.words = as_index(numbered).div_ceil(64);
    }

    /// The side of the branch that alone needs a copy and may make it, if there is one.
    fn side(&self, kernel: &Kernel<Virtual>, copy: BranchCopy) -> Option<usize> {
        let block = &kernel.blocks[as_index(copy.block)];
        let [next, other] = block.succs[..] else { return None };
        if self.divergent && ![copy.to, copy.from].iter().all(|&v| self.channels.are_own(v)) {
            return None;
        }
        let number = self.number[copy.to.index()];
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

/// Which of some variables are alive where each block starts.
#[derive(Debug, Default)]
struct LiveIn {
    /// Words of a set of them.
    words: usize,
    /// By block: those that are read before they are written anew.
    read: Vec<u64>,
    /// Those that are written anew.
    written: Vec<u64>,
    alive: Vec<u64>,
}

impl LiveIn {
    fn has(&self, block: usize, number: u32) -> bool {
        self.alive[block * self.words + as_index(number) / 64] >> (number % 64) & 1 != 0
    }

    /// Finds out for the variables that have numbers.
    fn find(&mut self, kernel: &Kernel<Virtual>, grf_bytes: u32, channels: &ChannelsOf, number: &[u32]) {
        let words = self.words;
        for set in [&mut self.read, &mut self.written, &mut self.alive] {
            reset(set, kernel.blocks.len() * words, 0);
        }
        let place = |r: Reg<Virtual>| {
            let v = r.var()?;
            let n = number[v.index()];
            (n != NONE).then_some((v, as_index(n) / 64, 1 << (n % 64)))
        };
        for (b, block) in kernel.blocks.iter().enumerate() {
            let read = &mut self.read[b * words..][..words];
            let written = &mut self.written[b * words..][..words];
            for inst in &block.insts {
                inst.for_each_read(|r| {
                    if let Some((_, word, bit)) = place(r) {
                        read[word] |= bit & !written[word];
                    }
                });
                if let Some((v, word, bit)) = inst.dst.reg().and_then(place)
                    && inst.pred.is_none_or(|_| inst.op == Op::Sel)
                    && (inst.no_mask || channels.are_own(v))
                    && inst.dst_extent(grf_bytes).is_some_and(|e| e.len() >= kernel.vars[v.index()].bytes)
                    && (inst.op.is_send() || inst.dst_is_dense() || inst.exec.lanes() == 1)
                {
                    written[word] |= bit;
                }
            }
        }
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for (b, block) in kernel.blocks.iter().enumerate().rev() {
                for word in 0..words {
                    let behind =
                        block.succs.iter().fold(0, |all, s| all | self.alive[s.index() * words + word]);
                    let here = b * words + word;
                    let alive = self.read[here] | behind & !self.written[here];
                    changed |= alive != self.alive[here];
                    self.alive[here] = alive;
                }
            }
        }
    }
}
