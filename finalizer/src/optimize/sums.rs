//! Of a sum, what is the same in all channels is added up first.
//!
//! `add a = v, s; add b = a, t` is `add c = s, t; add b = v, c`, where `s` and `t` are scalars and nobody else needs `a`.
//! For one such pair that gains nothing, but where several share their scalars, all take the same `c`. So it is with
//! each part of a value that is wider than an instruction: the number of a work item, say, is the sum of a vector and two
//! scalars, and comes in halves of sixteen channels.
//!
//! Integers are added modulo the width of the destination, so the order does not matter. Scalars of another size than the
//! destination, and floats, stay where they are.

use gen_ir::{Dst, Inst, Kernel, Op, Reg, Region, Src, SrcMod, Type, Var, VarId, Virtual};
use narrow::to_index;

use super::{last_writes::LastWrites, use_counts::UseCounts};
use crate::build::{self, Lanes, VReg, VSrc};

/// How far apart both additions may stand.
const REACH: usize = 64;

/// Memory for [`scalars_first`].
#[derive(Debug, Default)]
pub(super) struct SumMemory {
    writes: LastWrites,
    groups: Vec<Group>,
    pairs: Vec<TwoSums>,
}

/// Two additions that become one, and a share in a scalar one.
#[derive(Clone, Copy, Debug)]
struct TwoSums {
    group: usize,
    first: usize,
    second: usize,
    /// What is added to the sum of the scalars.
    vector: VSrc,
}

/// Pairs that have their scalars in common.
#[derive(Clone, Copy, Debug)]
struct Group {
    scalars: [VSrc; 2],
    ty: Type,
    /// Where their sum is made: in the place of the first pair's first addition.
    at: usize,
    /// How many instructions the additions that go would have become.
    slices: u32,
}

/// A vector and a scalar that an instruction adds.
struct Sum {
    to: VReg,
    ty: Type,
    vector: VSrc,
    scalar: VSrc,
}

/// Rewrites such sums in every block. What goes becomes `nop`. Whether there was any; counts of readers stay right.
pub(super) fn scalars_first(
    kernel: &mut Kernel<Virtual>,
    use_counts: &mut UseCounts,
    grf_bytes: u32,
    memory: &mut SumMemory,
) -> bool {
    let quadwords = kernel.platform.caps().ops.int64;
    let SumMemory { writes, groups, pairs } = memory;
    let Kernel { vars, blocks, .. } = kernel;
    writes.start(vars.len());
    let mut any = false;
    for block in blocks {
        let insts = &mut block.insts;
        groups.clear();
        pairs.clear();
        writes.enter_block();
        for j in 0..insts.len() {
            if insts[j].op == Op::Add && reads_sum(&insts[j], insts, writes) {
                let seen = SumWalk { insts, vars, use_counts, writes, quadwords };
                seen.pair(j, groups, pairs, grf_bytes);
            }
            writes.pass(&insts[j]);
        }
        for (g, group) in groups.iter().enumerate().filter(|(_, g)| g.slices > 1) {
            any = true;
            let sum = VarId(to_index(vars.len()));
            vars.push(build::general(group.ty.bytes(), group.ty.bytes()));
            use_counts.follow(vars);
            let sum = Reg::var_at(sum, 0);
            let origin = insts[group.at].origin;
            for pair in pairs.iter().filter(|p| p.group == g) {
                for i in [pair.first, pair.second] {
                    use_counts.forget_reads_of(&insts[i]);
                }
                insts[pair.second].src = [pair.vector, Src::new(sum, Region::SCALAR, group.ty), Src::None];
                use_counts.add(&insts[pair.second]);
                insts[pair.first] = Inst::new(Op::Nop, insts[pair.first].exec);
            }
            let scalar = build::op(Op::Add, Lanes::SCALAR, Dst::packed(sum, group.ty), &group.scalars);
            insts[group.at] = Inst { origin, ..scalar };
            use_counts.add(&insts[group.at]);
        }
    }
    any
}

/// Whether an instruction reads what an addition of its block has written.
fn reads_sum(inst: &Inst<Virtual>, insts: &[Inst<Virtual>], writes: &LastWrites) -> bool {
    let mut read = inst.src.iter().filter_map(|s| s.reg()?.var());
    read.any(|v| writes.of(v).is_some_and(|i| insts[i].op == Op::Add))
}

/// A block, looked at up to some instruction.
struct SumWalk<'a> {
    insts: &'a [Inst<Virtual>],
    vars: &'a [Var],
    use_counts: &'a UseCounts,
    writes: &'a LastWrites,
    quadwords: bool,
}

impl SumWalk<'_> {
    /// Notes that addition `j` is the second of a pair, if it is.
    fn pair(
        &self,
        j: usize,
        groups: &mut Vec<Group>,
        pairs: &mut Vec<TwoSums>,
        grf_bytes: u32,
    ) -> Option<()> {
        let second = self.sum(j)?;
        let Src::Direct { reg: a, region, mods: SrcMod::None, ty } = second.vector else { return None };
        let i = self.writes.of(a.var()?)?;
        let first = self.sum(i).filter(|_| i + REACH > j)?;
        let [x, y] = [i, j].map(|k| &self.insts[k]);
        let same = Lanes::of(x) == Lanes::of(y) && first.to == a && region.one_by_one(x.exec.lanes());
        let sizes = first.ty.bytes() == second.ty.bytes() && ty.is_int() && ty.bytes() == first.ty.bytes();
        // An immediate comes second.
        let constant_first = matches!(first.scalar, Src::Imm { .. });
        let scalars =
            if constant_first { [second.scalar, first.scalar] } else { [first.scalar, second.scalar] };
        let any = scalars.iter().any(|s| s.reg().is_some());
        // Where the first is taken away, its sources are read later, and the second's scalar earlier.
        let own = first.vector.reg().and_then(Reg::var) == a.var();
        let vector = own || self.is_unchanged(&first.vector, i);
        let unchanged = vector
            && scalars.iter().all(|s| self.is_unchanged(s, i) && s.reg().and_then(Reg::var) != a.var());
        if !(same
            && sizes
            && any
            && unchanged
            && self.is_last(&first, i, j)
            && pairs.iter().all(|p| p.second != i))
        {
            return None;
        }
        let lanes = x.exec.lanes();
        let slices = (lanes * first.ty.bytes()).div_ceil(2 * grf_bytes);
        let alike = |g: &Group| {
            let [p, q] = g.scalars;
            g.ty == first.ty
                && ([p, q] == scalars || [q, p] == scalars)
                && scalars.iter().all(|s| self.is_unchanged(s, g.at))
        };
        let group = groups.iter().rposition(alike).unwrap_or_else(|| {
            groups.push(Group { scalars, ty: first.ty, at: i, slices: 0 });
            groups.len() - 1
        });
        groups[group].slices += slices;
        pairs.push(TwoSums { group, first: i, second: j, vector: first.vector });
        Some(())
    }

    /// Whether instruction `k` adds a scalar to a vector of integers, and does nothing else.
    fn sum(&self, k: usize) -> Option<Sum> {
        let inst = &self.insts[k];
        let Dst::Direct { reg: to, horz: 1, ty } = inst.dst else { return None };
        let wide = ty.is_int() && (ty.bytes() == 4 || ty.bytes() == 8 && self.quadwords);
        if inst.op != Op::Add || !wide || inst.exec.lanes() == 1 || !inst.is_plain() || !self.is_seen(to) {
            return None;
        }
        let scalar = |s: &VSrc| match *s {
            Src::Imm { ty: imm, .. } => {
                imm.is_int() && imm.bytes() <= 4 && !matches!(imm, Type::V | Type::Uv)
            }
            Src::Direct { reg, region, mods: SrcMod::None | SrcMod::Neg, ty: from } => {
                region == Region::SCALAR && from.is_int() && from.bytes() == ty.bytes() && self.is_seen(reg)
            }
            _ => false,
        };
        let vector = |s: &VSrc| match *s {
            Src::Direct { reg, region, ty: from, .. } => {
                let by_channel = !region.is_scalar() && region.vert != Region::VXH;
                by_channel && from.is_int() && from.bytes() <= ty.bytes() && self.is_seen(reg)
            }
            _ => false,
        };
        let [a, b, _] = inst.src;
        match (vector(&a) && scalar(&b), vector(&b) && scalar(&a)) {
            (true, _) => Some(Sum { to, ty, vector: a, scalar: b }),
            (_, true) => Some(Sum { to, ty, vector: b, scalar: a }),
            _ => None,
        }
    }

    /// Whether all that writes a register names it.
    fn is_seen(&self, reg: VReg) -> bool {
        reg.var().is_some_and(|v| self.vars[v.index()].is_only_named())
    }

    /// Whether instruction `i` and what stands behind it have not written what an operand reads.
    fn is_unchanged(&self, src: &VSrc, i: usize) -> bool {
        src.reg().and_then(Reg::var).is_none_or(|v| self.writes.of(v) < Some(i))
    }

    /// Whether nobody but `j` needs what `i` has computed.
    fn is_last(&self, first: &Sum, i: usize, j: usize) -> bool {
        let Some(v) = first.to.var() else { return false };
        let names = |inst: &Inst<Virtual>| {
            let mut n = 0;
            inst.for_each_read(|r| n += u32::from(r.var() == Some(v)));
            n
        };
        let own = names(&self.insts[i]);
        if self.use_counts.reads(v) == own + 1 {
            return true;
        }
        let overwrites = self.insts[j].dst.reg() == Some(first.to) && names(&self.insts[j]) == 1;
        overwrites && self.insts[i + 1..j].iter().all(|k| names(k) == 0)
    }
}
