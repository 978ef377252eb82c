//! Logic on both dwords of quadwords is done on the quadwords.
//!
//! Compilers take 64-bit values apart, because three-source logic is of dwords: moves bring the lower dwords of all
//! channels together, and the upper ones, `bfn` works on each, and moves put the results together again. Where the moves go all
//! the way, from quadwords to a quadword, and both dwords are computed alike, `and`, `or` and `xor` of quadwords do.
//! What took the values apart is left to the elimination of dead code.

use gen_ir::{
    Dst, ExecSize, Inst, Kernel, Op, Options, Payload, Reg, Src, SrcMod, Type, Var, VarId, Virtual,
};
use narrow::to_index;

use super::{
    last_writes::LastWrites,
    use_counts::{UseCounts, calls},
};
use crate::{
    build::{self, Lanes, VReg},
    legalize::linear_stride,
};

/// How many operations stand behind each other in what one quadword is computed by.
const DEPTH: u32 = 4;
/// How far apart the moves may stand that put a quadword together.
const NEAR: usize = 24;

/// Memory for [`join`].
#[derive(Debug, Default)]
pub(super) struct QuadwordMemory {
    writes: LastWrites,
    /// For each instruction of a block: the write of its destination's variable before it.
    previous: Vec<Option<usize>>,
    /// Pairs of dwords that a quadword has been made of as well.
    made: Vec<MadeQuad>,
    steps: Vec<QuadStep>,
}

/// Two variables of dwords, where they were computed, and the quadword that has both.
#[derive(Clone, Copy, Debug)]
struct MadeQuad {
    dwords: [VReg; 2],
    at: [usize; 2],
    quad: VReg,
    /// Where that was made.
    quad_at: usize,
}

/// An operation on quadwords.
#[derive(Clone, Copy, Debug)]
struct QuadStep {
    op: Op,
    sources: [QuadValue; 2],
    /// The dwords that are its result.
    made: Option<([VReg; 2], [usize; 2])>,
}

/// An operand of one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum QuadValue {
    Quad(VReg),
    /// The result of another.
    Step(usize),
}

/// Rewrites blocks. Whether anything changed; counts of readers stay right.
pub(super) fn join(
    kernel: &mut Kernel<Virtual>,
    use_counts: &mut UseCounts,
    grf_bytes: u32,
    memory: &mut QuadwordMemory,
) -> bool {
    let QuadwordMemory { writes, previous, made, steps } = memory;
    let Kernel { vars, blocks, .. } = kernel;
    writes.start(vars.len());
    let mut any = false;
    for block in
        blocks.iter_mut().filter(|b| b.insts.iter().any(|i| puts_dwords(i).is_some()) && !calls(&b.insts))
    {
        let insts = &mut block.insts;
        previous.clear();
        made.clear();
        writes.enter_block();
        for j in 0..insts.len() {
            previous.push(writes.pass(&insts[j]));
            if puts_dwords(&insts[j]).is_none() {
                continue;
            }
            let walk = QuadWalk { insts, vars, writes, previous, made, grf_bytes };
            steps.clear();
            let Some(whole) = walk.whole(j) else { continue };
            if walk.tree(&whole, steps, use_counts) != Some(true) || steps.len() > 2 * whole.parts {
                continue;
            }
            any = true;
            for &k in whole.moves() {
                use_counts.forget_reads_of(&insts[k]);
                insts[k] = Inst::new(Op::Nop, insts[k].exec);
            }
            let lanes = whole.lanes;
            let first = whole.moves().len() - steps.len();
            let mut results = [whole.quad; MOST];
            for (s, step) in steps.iter().enumerate() {
                let at = whole.at[first + s];
                if s + 1 < steps.len() {
                    let id = VarId(to_index(vars.len()));
                    vars.push(build::general(lanes.exec.lanes() * 8, grf_bytes));
                    writes.declare(at);
                    results[s] = Reg::var_at(id, 0);
                }
                let ty = Type::Q;
                let sources = step.sources.map(|value| {
                    let reg = match value {
                        QuadValue::Quad(reg) => reg,
                        QuadValue::Step(s) => results[s],
                    };
                    Src::new(reg, build::strided(1, lanes.exec), ty)
                });
                let origin = whole.origin;
                insts[at] =
                    Inst { origin, ..build::op(step.op, lanes, Dst::packed(results[s], ty), &sources) };
                use_counts.follow(vars);
                use_counts.add(&insts[at]);
                if let Some((dwords, computed)) = step.made {
                    made.push(MadeQuad { dwords, at: computed, quad: results[s], quad_at: at });
                }
            }
        }
    }
    any
}

/// The destination and the source of a move of packed dwords to every second dword.
fn puts_dwords(inst: &Inst<Virtual>) -> Option<(VReg, VReg)> {
    if inst.op != Op::Mov {
        return None;
    }
    match (inst.dst, inst.src[0]) {
        (
            Dst::Direct { reg, horz: 2, ty },
            Src::Direct { reg: from, region, mods: SrcMod::None, ty: read },
        ) if ty.is_dword() && read.is_dword() && inst.is_plain() && region.one_by_one(inst.exec.lanes()) => {
            Some((reg, from))
        }
        _ => None,
    }
}

/// The most moves that put a quadword together.
const MOST: usize = 4;

/// A quadword that moves put together, and of what.
struct WholeQuad {
    quad: VReg,
    lanes: Lanes,
    /// In how many parts the channels are moved.
    parts: usize,
    /// The moves, in their order.
    at: [usize; MOST],
    /// The lower and the upper dwords.
    dwords: [VReg; 2],
    origin: u32,
}

impl WholeQuad {
    fn moves(&self) -> &[usize] {
        &self.at[..2 * self.parts]
    }
}

/// A block, looked at up to some instruction.
struct QuadWalk<'a> {
    insts: &'a [Inst<Virtual>],
    vars: &'a [Var],
    writes: &'a LastWrites,
    previous: &'a [Option<usize>],
    made: &'a [MadeQuad],
    grf_bytes: u32,
}

impl QuadWalk<'_> {
    /// What the moves that end with instruction `j` put together.
    fn whole(&self, j: usize) -> Option<WholeQuad> {
        [1, 2].into_iter().find_map(|parts| self.whole_in(j, parts))
    }

    fn whole_in(&self, j: usize, parts: usize) -> Option<WholeQuad> {
        let last = &self.insts[j];
        let count = last.exec.lanes() * to_index(parts);
        let exec = ExecSize::from_lanes(count)?;
        let (mut at, mut k) = ([j; MOST], Some(j));
        for place in at[..2 * parts].iter_mut().rev() {
            *place = k?;
            k = self.previous[*place];
        }
        let first = at[0];
        if j > first + NEAR {
            return None;
        }
        // The lowest place and channel are those of the first dwords.
        let moves = &at[..2 * parts];
        let all = || moves.iter().filter_map(|&k| Some((&self.insts[k], puts_dwords(&self.insts[k])?)));
        let (start, (quad, _)) = all().min_by_key(|(_, (to, _))| to.byte)?;
        let lanes = Lanes { exec, chan: start.chan, no_mask: start.no_mask };
        let mut dwords = [None; 2];
        let mut seen = 0;
        for (inst, (to, from)) in all() {
            let offset = to.byte - quad.byte;
            let (part, upper) = (offset / (8 * last.exec.lanes()), offset % 8 / 4);
            let channel = u32::from(lanes.chan) + if lanes.no_mask { 0 } else { part * last.exec.lanes() };
            let behind = 4 * part * last.exec.lanes();
            let fits = offset == part * 8 * last.exec.lanes() + upper * 4
                && part < to_index(parts)
                && (inst.exec, inst.no_mask) == (last.exec, lanes.no_mask)
                && (lanes.no_mask || u32::from(inst.chan) == channel)
                && to.is_in(quad)
                && from.byte >= behind;
            let value = Reg::var_at(from.var()?, from.byte.checked_sub(behind)?);
            if !fits || *dwords[upper as usize].get_or_insert(value) != value {
                return None;
            }
            seen |= 1 << (2 * part + upper);
        }
        let complete = seen == (1 << (2 * parts)) - 1 && quad.byte.is_multiple_of(8);
        let dwords = [dwords[0]?, dwords[1]?];
        let plain = [quad, dwords[0], dwords[1]].into_iter().all(|r| self.is_seen(r));
        let quiet = (first..j).filter(|k| !moves.contains(k)).all(|k| !names(&self.insts[k], quad));
        (complete && plain && quiet).then_some(WholeQuad {
            quad,
            lanes,
            parts,
            at,
            dwords,
            origin: last.origin,
        })
    }

    /// What computes a quadword, in `steps`, and whether that is no more instructions than before.
    fn tree(&self, whole: &WholeQuad, steps: &mut Vec<QuadStep>, use_counts: &UseCounts) -> Option<bool> {
        let mut gain =
            whole.moves().len() * self.pieces(8 * whole.lanes.exec.lanes() / to_index(whole.parts));
        let value = self.value(whole, whole.dwords, whole.at[0], DEPTH, (steps, &mut gain, use_counts))?;
        // All were moves of one quadword: they are for others.
        if value != QuadValue::Step(steps.len().checked_sub(1)?) {
            return None;
        }
        Some(gain >= steps.len() * self.pieces(8 * whole.lanes.exec.lanes()))
    }

    /// How many instructions an operation on so many bytes is for the hardware.
    fn pieces(&self, bytes: u32) -> usize {
        bytes.div_ceil(2 * self.grf_bytes) as usize
    }

    /// The quadword that has these dwords, as they are at instruction `end`.
    fn value(
        &self,
        whole: &WholeQuad,
        dwords: [VReg; 2],
        end: usize,
        depth: u32,
        (steps, gain, use_counts): (&mut Vec<QuadStep>, &mut usize, &UseCounts),
    ) -> Option<QuadValue> {
        if let Some(quad) = self.taken_apart(whole, dwords, end) {
            return Some(QuadValue::Quad(quad));
        }
        let at = [self.operation(whole, dwords[0], end)?, self.operation(whole, dwords[1], end)?];
        let known = self.made.iter().rev().find(|m| m.dwords == dwords && m.at == at);
        if let Some(m) = known.filter(|m| self.last_write(m.quad) == Some(Some(m.quad_at))) {
            return Some(QuadValue::Quad(m.quad)).filter(|_| m.quad.var() != whole.quad.var());
        }
        let [low, high] = at.map(|k| &self.insts[k]);
        if depth == 0 || (low.op, low.payload) != (high.op, high.payload) {
            return None;
        }
        let formula = Logic::of(low)?;
        let mut operand = |s: usize| {
            if let Some(quad) = self.read_apart([&low.src[s], &high.src[s]], at[0].min(at[1]), whole) {
                return Some(QuadValue::Quad(quad));
            }
            let reads = [low, high].map(|i| self.packed(&i.src[s], whole));
            let context = (&mut *steps, &mut *gain, use_counts);
            self.value(whole, [reads[0]?, reads[1]?], at[0].min(at[1]), depth - 1, context)
        };
        let first = [operand(formula.first.1[0])?, operand(formula.first.1[1])?];
        let third = match formula.second {
            Some((_, s)) => Some(operand(s)?),
            None => None,
        };
        // What nobody else reads goes.
        let readers = if depth == DEPTH { to_index(whole.parts) } else { 1 };
        if dwords.iter().all(|d| d.var().is_some_and(|v| use_counts.reads(v) == readers)) {
            *gain += 2 * self.pieces(4 * whole.lanes.exec.lanes());
        }
        let made = Some((dwords, at));
        steps.push(QuadStep { op: formula.first.0, sources: first, made: made.filter(|_| third.is_none()) });
        if let (Some((op, _)), Some(third)) = (formula.second, third) {
            let sources = [QuadValue::Step(steps.len() - 1), third];
            steps.push(QuadStep { op, sources, made });
        }
        (steps.len() <= MOST).then_some(QuadValue::Step(steps.len() - 1))
    }

    /// The operation that has computed dwords for all channels.
    fn operation(&self, whole: &WholeQuad, dwords: VReg, end: usize) -> Option<usize> {
        let k = self.last_write(dwords)?.filter(|&k| k < end)?;
        let inst = &self.insts[k];
        let matches = matches!(inst.dst, Dst::Direct { reg, horz: 1, ty } if reg == dwords && ty.is_dword());
        let plain = inst.pred.is_none() && inst.cond.is_none() && !inst.sat && inst.opts == Options::NONE;
        (matches && plain && self.is_seen(dwords) && Lanes::of(inst) == whole.lanes).then_some(k)
    }

    /// The quadword of which moves have brought the lower and the upper dwords to these places.
    fn taken_apart(&self, whole: &WholeQuad, dwords: [VReg; 2], end: usize) -> Option<VReg> {
        let [low, high] = [self.source(whole, dwords[0], end)?, self.source(whole, dwords[1], end)?];
        let both = low.0.byte.is_multiple_of(8) && low.0.plus(4) == high.0;
        (both && self.is_unchanged(low.0, low.1.min(high.1), whole)).then_some(low.0)
    }

    /// Where moves have brought dwords from, of every second dword, and the first of them.
    fn source(&self, whole: &WholeQuad, dwords: VReg, end: usize) -> Option<(VReg, usize)> {
        let last = self.last_write(dwords)?.filter(|&k| k < end)?;
        let lanes = whole.lanes.exec.lanes();
        let part = self.insts[last].exec.lanes();
        let moves = match lanes.checked_div(part)? {
            1 => [last, last],
            2 => [self.previous[last]?, last],
            _ => return None,
        };
        let mut from = None;
        let mut seen = 0;
        for k in moves {
            let inst = &self.insts[k];
            let (
                Dst::Direct { reg: to, horz: 1, ty },
                Src::Direct { reg, region, mods: SrcMod::None, ty: read },
            ) = (inst.dst, inst.src[0])
            else {
                return None;
            };
            let behind = to.byte.checked_sub(dwords.byte)? / 4;
            let channel = u32::from(whole.lanes.chan) + behind;
            let fits = inst.op == Op::Mov
                && inst.is_plain()
                && ty.is_dword()
                && read.is_dword()
                && to.is_in(dwords)
                && inst.exec.lanes() == part
                && inst.no_mask == whole.lanes.no_mask
                && (inst.no_mask || u32::from(inst.chan) == channel)
                && behind.is_multiple_of(part)
                && behind < lanes
                && linear_stride(region, part) == Some(2);
            let start = Reg::var_at(reg.var()?, reg.byte.checked_sub(8 * behind)?);
            if !fits || *from.get_or_insert(start) != start {
                return None;
            }
            seen |= 1 << (behind / part);
        }
        let complete = seen == (1 << (lanes / part)) - 1;
        from.filter(|_| complete && self.is_seen(dwords)).map(|f| (f, moves[0]))
    }

    /// Whether nobody has written a quadword from instruction `k` on, but the moves, where they put it together.
    fn is_unchanged(&self, quad: VReg, k: usize, whole: &WholeQuad) -> bool {
        let last = if quad.var() == whole.quad.var() {
            Some(self.previous[whole.at[0]]).filter(|_| quad == whole.quad)
        } else {
            self.last_write(quad)
        };
        self.is_seen(quad) && last.is_some_and(|last| last < Some(k))
    }

    /// The quadword of which two sources read the lower and the upper dwords.
    fn read_apart(&self, sources: [&Src<Virtual>; 2], k: usize, whole: &WholeQuad) -> Option<VReg> {
        let [low, high] = sources.map(|s| match *s {
            Src::Direct { reg, region, mods: SrcMod::None, ty } if ty.is_dword() => {
                (linear_stride(region, whole.lanes.exec.lanes()) == Some(2)).then_some(reg)
            }
            _ => None,
        });
        let quad = low?;
        let both = quad.byte.is_multiple_of(8) && quad.plus(4) == high?;
        (both && self.is_unchanged(quad, k, whole)).then_some(quad)
    }

    /// The packed dwords that a source reads.
    fn packed(&self, src: &Src<Virtual>, whole: &WholeQuad) -> Option<VReg> {
        match *src {
            Src::Direct { reg, region, mods: SrcMod::None, ty }
                if ty.is_dword() && region.one_by_one(whole.lanes.exec.lanes()) =>
            {
                Some(reg)
            }
            _ => None,
        }
    }

    /// The last instruction of the block so far that writes a register's variable.
    fn last_write(&self, reg: VReg) -> Option<Option<usize>> {
        Some(self.writes.of(reg.var()?))
    }

    /// Whether all that writes a register names it.
    fn is_seen(&self, reg: VReg) -> bool {
        reg.var().is_some_and(|v| self.vars[v.index()].is_only_named())
    }
}

/// Whether an instruction names the variable of a register.
fn names(inst: &Inst<Virtual>, reg: VReg) -> bool {
    let mut found = false;
    inst.for_each_reg(|_, r| found |= r.is_in(reg));
    found
}

/// Logic as one or two operations: of two sources, and of their result with a third.
#[derive(Clone, Copy, Debug)]
struct Logic {
    first: (Op, [usize; 2]),
    second: Option<(Op, usize)>,
}

impl Logic {
    fn of(inst: &Inst<Virtual>) -> Option<Logic> {
        const OPS: [Op; 3] = [Op::And, Op::Or, Op::Xor];
        match inst.payload {
            Payload::None if OPS.contains(&inst.op) => Some(Logic { first: (inst.op, [0, 1]), second: None }),
            Payload::Bfn(function) => {
                // The columns of the truth table.
                let column = [0xaa, 0xcc, 0xf0];
                let apply = |op, a: u8, b: u8| match op {
                    Op::And => a & b,
                    Op::Or => a | b,
                    _ => a ^ b,
                };
                [[0, 1, 2], [0, 2, 1], [1, 2, 0]].into_iter().find_map(|[a, b, c]| {
                    OPS.into_iter().find_map(|first| {
                        let both = apply(first, column[a], column[b]);
                        let second = OPS.into_iter().find(|&op| apply(op, both, column[c]) == function)?;
                        Some(Logic { first: (first, [a, b]), second: Some((second, c)) })
                    })
                })
            }
            _ => None,
        }
    }
}
