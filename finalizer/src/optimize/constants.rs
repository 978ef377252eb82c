//! Values that are the same are made once a block.
//!
//! Message headers and constants are pieced together by moves of immediates and of inputs that nothing changes
//! (`r0`). Where a block makes the same again, in the same channels, the first stands for both.

use std::{
    collections::HashMap,
    hash::{DefaultHasher, Hash, Hasher},
};

use gen_ir::{ExecSize, Inst, Kernel, Op, Options, Reg, Src, SrcMod, Type, VarId, Virtual};
use narrow::{as_index, span, to_index};

use super::{locality::Locality, use_counts::UseCounts};
use crate::lists::reset;

/// One move into such a variable.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct ConstantMove {
    byte: u32,
    horz: u8,
    ty: Type,
    exec: ExecSize,
    /// The first channel of a move under the block's mask; [`None`]: all channels are written.
    masked_from: Option<u8>,
    src: Src<Virtual>,
}

/// What the walk over a block knows of a variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ConstantState {
    /// Nothing yet.
    Fresh,
    /// Only such moves so far.
    Made,
    /// Made, and read since.
    Read,
    /// Anything else.
    Other,
}

/// A variable that is made of such moves.
#[derive(Clone, Copy, Debug)]
struct Made {
    var: VarId,
    /// Its moves, in `parts`.
    first: u32,
    end: u32,
    /// The one before with the same hash.
    next: Option<u32>,
}

/// Memory for [`share`].
#[derive(Debug, Default)]
pub(super) struct ConstantMemory {
    state: Vec<ConstantState>,
    instead: Vec<Option<VarId>>,
    /// Moves of the block in question: variable and place.
    moves: Vec<(VarId, u32)>,
    /// The last of the moves of a variable.
    last: Vec<u32>,
    made: Vec<Made>,
    parts: Vec<ConstantMove>,
    /// The last one made, by the hash of its parts, size and placement.
    by_hash: HashMap<u64, u32>,
}

/// Lets later variables of a block that are made alike be the first of them; what made them becomes `nop`. `use_counts`
/// knows which variables are written.
pub(super) fn share(
    kernel: &mut Kernel<Virtual>,
    locality: &Locality,
    use_counts: &UseCounts,
    memory: &mut ConstantMemory,
) {
    let mut ready = false;
    for b in (0..kernel.blocks.len()).filter(|&b| locality.any_in(b)) {
        let Kernel { blocks, vars, .. } = &mut *kernel;
        let insts = &mut blocks[b].insts;
        let facts = BlockFacts { block: b, vars, locality, use_counts };
        if insts.iter().filter(|i| facts.made_variable(i).is_some()).nth(1).is_none() {
            continue;
        }
        if !std::mem::replace(&mut ready, true) {
            memory.start(vars.len());
        }
        memory.find_moves(insts, &facts);
        if memory.moves.len() >= 2 && memory.find_alike(insts, &facts) {
            memory.rename(insts);
        }
    }
}

/// What a block is looked at with.
#[derive(Clone, Copy)]
struct BlockFacts<'a> {
    block: usize,
    vars: &'a [gen_ir::Var],
    locality: &'a Locality,
    use_counts: &'a UseCounts,
}

impl BlockFacts<'_> {
    /// The variable of this block alone that the instruction is a part of.
    fn made_variable(&self, inst: &Inst<Virtual>) -> Option<VarId> {
        let v = if inst.op == Op::Mov { inst.dst_var() } else { None };
        v.filter(|&v| self.locality.only_in(v, self.block) && self.part(inst).is_some())
    }

    /// The instruction as a part of such a value.
    fn part(&self, inst: &Inst<Virtual>) -> Option<ConstantMove> {
        let symbol = inst.opts.has(Options::SYMBOL_LOW) || inst.opts.has(Options::SYMBOL_HIGH);
        if inst.op != Op::Mov || inst.pred.is_some() || inst.cond.is_some() || inst.sat || symbol {
            return None;
        }
        let masked_from = (!inst.no_mask).then_some(inst.chan);
        let gen_ir::Dst::Direct { reg, horz, ty } = inst.dst else { return None };
        let lasting = match inst.src[0] {
            Src::Imm { .. } => true,
            Src::Direct { reg, mods: SrcMod::None, .. } => reg.var().is_some_and(|v| {
                let var = &self.vars[v.index()];
                var.live_in && !var.address_taken && !self.use_counts.vars[v.index()].is_written()
            }),
            _ => false,
        };
        lasting.then_some(ConstantMove {
            byte: reg.byte,
            horz,
            ty,
            exec: inst.exec,
            masked_from,
            src: inst.src[0],
        })
    }

    /// What another variable has to have the same of, to stand for this one.
    fn placement(&self, v: VarId) -> (u32, u32, bool) {
        let var = &self.vars[v.index()];
        (var.bytes, var.align, var.even_grf)
    }
}

impl ConstantMemory {
    fn start(&mut self, vars: usize) {
        reset(&mut self.state, vars, ConstantState::Fresh);
        reset(&mut self.instead, vars, None);
        reset(&mut self.last, vars, 0);
    }

    /// Collects in `moves` what makes variables that are read when they are made, and not written again.
    fn find_moves(&mut self, insts: &[Inst<Virtual>], facts: &BlockFacts<'_>) {
        let ConstantMemory { state, moves, .. } = self;
        moves.clear();
        for (i, inst) in insts.iter().enumerate() {
            inst.for_each_read(|reg| {
                if let Some(v) = reg.var() {
                    let s = &mut state[v.index()];
                    *s = if matches!(s, ConstantState::Made | ConstantState::Read) {
                        ConstantState::Read
                    } else {
                        ConstantState::Other
                    };
                }
            });
            let Some(v) = inst.dst_var() else { continue };
            let s = &mut state[v.index()];
            let free = matches!(s, ConstantState::Fresh | ConstantState::Made);
            if free && facts.made_variable(inst).is_some() {
                *s = ConstantState::Made;
                moves.push((v, to_index(i)));
            } else {
                *s = ConstantState::Other;
            }
        }
        moves.retain(|(v, _)| state[v.index()] == ConstantState::Read);
    }

    /// Finds variables made of the same moves, notes in `instead` what stands for the later ones, and drops their
    /// moves. Returns whether there are any.
    fn find_alike(&mut self, insts: &mut [Inst<Virtual>], facts: &BlockFacts<'_>) -> bool {
        let ConstantMemory { instead, moves, last, made, parts, by_hash, .. } = self;
        // By variable, and the variables by their last move: what stands for others is there first.
        for &(v, i) in moves.iter() {
            last[v.index()] = i;
        }
        moves.sort_unstable_by_key(|&(v, i)| (last[v.index()], i));
        made.clear();
        parts.clear();
        by_hash.clear();
        let mut any = false;
        for group in moves.chunk_by(|a, b| a.0 == b.0) {
            let v = group[0].0;
            let first = parts.len();
            parts.extend(group.iter().filter_map(|&(_, i)| facts.part(&insts[as_index(i)])));
            let hash = hash_of(&(facts.placement(v), &parts[first..]));
            let alike = |m: &&Made| {
                facts.placement(m.var) == facts.placement(v) && parts[span(m.first..m.end)] == parts[first..]
            };
            let older = by_hash.get(&hash).copied();
            let mut chain = std::iter::successors(older, |&m| made[as_index(m)].next);
            if let Some(m) = chain.by_ref().map(|m| &made[as_index(m)]).find(alike) {
                instead[v.index()] = Some(m.var);
                parts.truncate(first);
                for &(_, i) in group {
                    insts[as_index(i)].op = Op::Nop;
                }
                any = true;
            } else {
                let (first, end) = (to_index(first), to_index(parts.len()));
                by_hash.insert(hash, to_index(made.len()));
                made.push(Made { var: v, first, end, next: older });
            }
        }
        any
    }

    /// Lets the instructions of a block name what stands instead.
    fn rename(&self, insts: &mut [Inst<Virtual>]) {
        let instead = |r: Reg<Virtual>| r.var().and_then(|v| self.instead[v.index()]);
        for inst in insts {
            let mut named = false;
            inst.for_each_reg(|_, r| named |= instead(r).is_some());
            if named {
                *inst = inst.map_regs(|_, r| instead(r).map_or(r, |first| Reg::var_at(first, r.byte)));
            }
        }
    }
}

fn hash_of(key: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    key.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use gen_ir::{Block, Dst, Var, VarClass};
    use platforms::Platform;

    #[test]
    fn a_header_made_twice_is_made_once() {
        let mut k: Kernel<Virtual> = Kernel::new("k", Platform::Skl);
        let r0 = k.add_var(Var { live_in: true, ..Var::temp(VarClass::General, 32, 32) });
        let v: Vec<VarId> = (0..4).map(|_| k.add_var(Var::temp(VarClass::General, 32, 32))).collect();
        let mov = |d: VarId, byte, exec, src| {
            let mut i = Inst::new(Op::Mov, exec);
            i.no_mask = true;
            i.dst = Dst::packed(Reg::var_at(d, byte), Type::Ud);
            i.src[0] = src;
            i
        };
        let header = |d, value| {
            [
                mov(d, 0, ExecSize::S8, Src::packed(Reg::var_at(r0, 0), Type::Ud)),
                mov(d, 8, ExecSize::S1, Src::ud(value)),
            ]
        };
        let read = |s: VarId| mov(v[3], 0, ExecSize::S8, Src::packed(Reg::var_at(s, 0), Type::Ud));
        let mut insts = Vec::new();
        for (d, value) in [(v[0], 7), (v[1], 7), (v[2], 8)] {
            insts.extend(header(d, value));
            insts.push(read(d));
        }
        k.blocks.push(Block { insts, succs: Default::default() });
        let locality = Locality::of(&k);
        let mut use_counts = UseCounts::default();
        use_counts.count(&k);
        share(&mut k, &locality, &use_counts, &mut ConstantMemory::default());
        crate::optimize::dead::drop_nops(&mut k);
        let mut want: Vec<Inst<Virtual>> = header(v[0], 7).to_vec();
        want.extend([read(v[0]), read(v[0])]);
        want.extend(header(v[2], 8));
        want.push(read(v[2]));
        assert_eq!(k.blocks[0].insts, want);
    }
}
