//! Values that several blocks touch are made where a payload wants them.
//!
//! As in one block ([`variables`](super::variables)), for a payload of one block and values that come from elsewhere: what a
//! loop has summed up, or what was loaded long before, is copied into a payload, and the block does not write it any more. Then
//! it may lie in the payload all its life: nothing else ever writes those bytes, and whoever reads them there finds what was
//! copied.
//!
//! From the first touch of such a value on, the whole payload has its registers. How many more are occupied that way, for how
//! long, is weighed for all values of a payload at once: where a vector is loaded, changed, and stored, there are none.
//! Even so, large payloads that live long may find no place where registers are few: a kernel that spills is compiled again
//! without this pass (`Workspace::registers_traded`).
//! A value that is written in a loop around the payload stays apart: it could be written again only when the message has been
//! sent.

use std::{iter::successors, ops::Range};

use gen_ir::{Block, Kernel, OnlyBlock, Op, Reg, Var, VarId, Virtual};
use narrow::as_index;

use super::{
    super::{locality::Locality, use_counts::initial_block},
    ByteCopy, Fresh, Merger,
};
use crate::lists::reset;

/// How much more may be occupied for one payload: registers times instructions.
const OCCUPIED: i64 = 128;
/// There is room for all variables of a kernel that take no more than so many registers together: few live at a time.
const FEW: u32 = 160;
/// How often a loop is assumed to run, of so many around each other at most.
const RUNS: u32 = 8;
const DEEPEST: u8 = 4;

/// What the pass works in.
#[derive(Debug, Default)]
pub(crate) struct AcrossMemory {
    /// By variable.
    lives: Vec<Life>,
    /// Instructions in front of each block, and of all blocks, as often as they run.
    starts: Vec<u32>,
    /// By variable, the payload that it has become part of.
    parts: Vec<Option<ByteCopy>>,
    /// Copies into the payload at hand.
    copies: Vec<ByteCopy>,
    /// Whether there is room for whatever lives longer.
    pub(crate) has_room: bool,
}

/// Where a variable is touched, in instructions as often as they run.
#[derive(Clone, Copy, Debug)]
struct Life {
    first: u32,
    last: u32,
    /// The most loops around an instruction that writes it.
    depth: u8,
}

impl Life {
    const NONE: Life = Life { first: u32::MAX, last: 0, depth: 0 };

    fn and(self, other: Life) -> Life {
        let (first, last) = (self.first.min(other.first), self.last.max(other.last));
        Life { first, last, depth: self.depth.max(other.depth) }
    }

    const fn len(self) -> u32 {
        self.last.saturating_sub(self.first)
    }
}

/// Merges variables of several blocks into such of one block. `depths`: the loops around each block. Whether there were any.
pub(in super::super) fn variables(
    kernel: &mut Kernel<Virtual>,
    (locality, depths): (&Locality, &[u8]),
    grf_bytes: u32,
    merger: &mut Merger,
    memory: &mut AcrossMemory,
) -> bool {
    merger.start(grf_bytes);
    let Kernel { vars, blocks, .. } = kernel;
    let mut any = false;
    for b in (0..blocks.len()).filter(|b| locality.any_in(*b)) {
        let from_elsewhere = |from: VarId, to| {
            locality.only_in(to, b)
                && !locality.touched_only_in(from, b)
                && initial_block(&vars[from.index()]) == OnlyBlock::NONE
        };
        if !merger.find_copies(&blocks[b].insts, from_elsewhere) {
            continue;
        }
        if merger.make_ready(vars.len()) {
            memory.find_lives(vars, blocks, depths, grf_bytes);
        }
        merger.copied.sort_unstable_by_key(|c| (c.to, c.at));
        merger.collect(&blocks[b].insts);
        let mut merged = false;
        let mut n = 0;
        while let Some(first) = merger.copied.get(n) {
            let next = n + merger.copied[n..].partition_point(|c| c.to == first.to);
            memory.choose(merger, n..next, (b, &blocks[b]), vars, depths);
            for copy in memory.copies.drain(..) {
                merger.merge(copy, &mut blocks[b].insts, vars);
                memory.parts[copy.from.index()] = Some(copy);
                merged = true;
            }
            n = next;
        }
        merger.clear();
        if merged {
            blocks[b].insts.retain(|i| i.op != Op::Nop);
            any = true;
        }
    }
    if any {
        memory.rename(blocks);
    }
    any
}

impl AcrossMemory {
    /// Looks where each variable is touched.
    fn find_lives(&mut self, vars: &[Var], blocks: &[Block<Virtual>], depths: &[u8], grf_bytes: u32) {
        let AcrossMemory { lives, starts, parts, .. } = self;
        reset(lives, vars.len(), Life::NONE);
        reset(parts, vars.len(), None);
        starts.clear();
        let mut at = 0_u32;
        for (block, &depth) in blocks.iter().zip(depths) {
            starts.push(at);
            let runs = RUNS.pow(depth.min(DEEPEST).into());
            for inst in &block.insts {
                inst.for_each_reg(|_, r| {
                    if let Some(v) = r.var() {
                        let life = &mut lives[v.index()];
                        *life = life.and(Life { first: at, last: at, depth: 0 });
                    }
                });
                if let Some(v) = inst.dst_var() {
                    lives[v.index()].depth = lives[v.index()].depth.max(depth);
                }
                at = at.saturating_add(runs);
            }
        }
        starts.push(at);
        let touched = lives.iter().zip(vars).filter(|(life, _)| life.first != u32::MAX);
        let bytes: u64 = touched.map(|(_, var)| u64::from(var.bytes)).sum();
        self.has_room = bytes <= u64::from(FEW * grf_bytes);
    }

    /// Puts those of the copies into one payload on the list that are to be merged.
    fn choose(
        &mut self,
        merger: &Merger,
        copied: Range<usize>,
        (b, block): (usize, &Block<Virtual>),
        vars: &[Var],
        depths: &[u8],
    ) {
        for between in &merger.copied[copied] {
            let Some(copy) = ByteCopy::of(&block.insts[as_index(between.at)], merger.grf_bytes) else {
                continue;
            };
            let written = self.lives[copy.from.index()].depth;
            let is_new =
                self.parts[copy.from.index()].is_none() && self.copies.iter().all(|c| c.from != copy.from);
            let fresh = Fresh { from: false, to: true, elsewhere: true };
            if is_new
                && (depths[b] == 0 || written < depths[b])
                && merger.fits(copy, &block.insts, vars, fresh)
            {
                self.copies.push(copy);
            }
        }
        // Where the loops end that are around the block, but not around so many.
        let loop_end = |depth: u8| {
            let behind = depths[b..].iter().take_while(|&&d| d > depth).count();
            self.starts[b + behind]
        };
        while !self.has_room && self.occupied(loop_end, vars, merger.grf_bytes) > OCCUPIED {
            // The one that lives longest costs most.
            let worst = |n: &usize| self.lives[self.copies[*n].from.index()].len();
            let Some(worst) = (0..self.copies.len()).max_by_key(worst) else { break };
            self.copies.remove(worst);
        }
        for copy in &self.copies {
            let life = self.lives[copy.from.index()];
            let to = &mut self.lives[copy.to.index()];
            *to = to.and(life);
        }
    }

    /// How much more is occupied if all copies on the list are merged: registers times instructions. A payload in a loop, of what
    /// is written in front of it, lives to the loop's end.
    fn occupied(&self, loop_end: impl Fn(u8) -> u32, vars: &[Var], grf_bytes: u32) -> i64 {
        let area = |v: VarId, life: Life| {
            i64::from(vars[v.index()].bytes.div_ceil(grf_bytes)) * i64::from(life.len())
        };
        let Some(to) = self.copies.first().map(|c| c.to) else { return 0 };
        let mut all = self.lives[to.index()];
        let mut apart = area(to, all);
        for copy in &self.copies {
            let mut life = self.lives[copy.from.index()];
            life.last = life.last.max(loop_end(life.depth));
            apart += area(copy.from, life);
            all = all.and(life);
        }
        area(to, all) - apart
    }

    /// Names the payloads wherever what became part of them is named. A payload may have become part of the next one.
    fn rename(&self, blocks: &mut [Block<Virtual>]) {
        for inst in blocks.iter_mut().flat_map(|b| &mut b.insts) {
            let mut named = false;
            inst.for_each_reg(|_, r| named |= r.var().is_some_and(|v| self.parts[v.index()].is_some()));
            if named {
                let part = |r: &Reg<Virtual>| {
                    let copy = self.parts[r.var()?.index()]?;
                    Some(Reg::var_at(copy.to, r.byte + copy.shift))
                };
                *inst = inst.map_regs(|_, r| successors(Some(r), part).last().unwrap_or(r));
            }
        }
    }
}
