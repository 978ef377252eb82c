//! Shifted bits beside others are one instruction.
//!
//! `shl t = a, n; or d = t, b`, where `b` has no bit from `n` on, is `bfi2 d = -1 << n, a, b`: a mask, what is shifted to
//! the mask's lowest bit and put under it, and what stays (PRM volume 2a, "bfi2"). If `b` is the same dword, shifted right
//! by what is missing to 32, that is a rotation. Where there is no instruction for one, compilers write two shifts and
//! `or`; the right shift and `bfi2` do. (Both cost the same time: Mesa's performance model, `brw_ir_performance.cpp`.)
//!
//! The mask is a scalar in a register, one for all that shift so far in a block. So it has to serve two instructions
//! at least. It is made in the place of a shift that goes. A kernel that spills with masks is made once more without
//! (`driver::finalizer`): messages cost more than instructions. Compilers reuse the variables: where `b` has been computed
//! in place of `a`, it goes to the place of `t`.

use gen_ir::{Class, Dst, Inst, Kernel, Op, Reg, Region, Src, SrcMod, Type, Var, VarId, Virtual};
use narrow::{as_index, low_u32, to_index};

use super::{last_writes::LastWrites, use_counts::UseCounts, webs::Webs};
use crate::build::{self, Lanes, VReg, VSrc, extend, strided, with_type};

/// How many instructions are looked through for the bits of one operand.
const DEPTH: u32 = 4;

/// Memory for [`bits`].
#[derive(Debug, Default)]
pub(super) struct InsertMemory {
    writes: LastWrites,
    /// For each instruction of a block: the write of its destination's variable before it.
    previous: Vec<Option<usize>>,
    found: Vec<Insertion>,
    webs: Webs,
}

/// A combination that may become an insertion.
#[derive(Clone, Copy, Debug)]
struct Insertion {
    /// Where the bits are combined, and where the upper ones are shifted.
    at: usize,
    shl: usize,
    count: u32,
    /// What is shifted, and what stays.
    insert: VSrc,
    base: VSrc,
    /// What stays is computed there, and in place of what is shifted.
    in_place: Option<usize>,
    /// All is one rotation to the left.
    rotates: bool,
    /// How many instructions it will be for the hardware.
    slices: u32,
}

/// What was rewritten.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Inserted {
    pub any: bool,
    /// There are masks, which have registers.
    pub masks: bool,
}

/// Rewrites them in every block, those that need `masks` if these may have registers. Counts of readers stay right.
pub(super) fn bits(
    kernel: &mut Kernel<Virtual>,
    use_counts: &mut UseCounts,
    (grf_bytes, may_mask): (u32, bool),
    memory: &mut InsertMemory,
) -> Inserted {
    let rotates = kernel.platform.caps().ops.rotate;
    let InsertMemory { writes, previous, found, webs } = memory;
    let Kernel { vars, blocks, .. } = kernel;
    writes.start(vars.len());
    let mut done = Inserted::default();
    for block in blocks {
        let insts = &mut block.insts;
        if !insts.iter().any(|i| i.op == Op::Shl) {
            continue;
        }
        found.clear();
        previous.clear();
        writes.enter_block();
        for j in 0..insts.len() {
            if matches!(insts[j].op, Op::Or | Op::Xor | Op::Add) {
                let walk = BitWalk { insts, vars, writes, previous, rotates, grf_bytes };
                found.extend(walk.combination(j));
            }
            previous.push(writes.pass(&insts[j]));
        }
        if found.is_empty() {
            continue;
        }
        webs.find(insts, vars.len(), use_counts);
        found.retain(|i| {
            let read_once = webs.is_read_once(i.shl) && i.in_place.is_none_or(|at| webs.is_read_once(at));
            read_once && (i.rotates || may_mask)
        });
        let mut slices = [0; 32];
        for i in found.iter().filter(|i| !i.rotates) {
            slices[as_index(i.count)] += i.slices;
        }
        let mut masks: [Option<VarId>; 32] = [None; 32];
        for i in found.iter().filter(|i| i.rotates || slices[as_index(i.count)] > 1) {
            done.any = true;
            if i.rotates {
                i.apply(None, insts, use_counts);
                continue;
            }
            done.masks = true;
            let mask = &mut masks[as_index(i.count)];
            let first = mask.is_none();
            let mask = *mask.get_or_insert_with(|| {
                vars.push(build::general(4, 4));
                use_counts.follow(vars);
                VarId(to_index(vars.len()) - 1)
            });
            let free = i.apply(Some(mask), insts, use_counts);
            if first {
                let bits = Src::ud(u32::MAX << i.count);
                let mov = build::mov(Lanes::SCALAR, Dst::packed(Reg::var_at(mask, 0), Type::Ud), bits);
                insts[free] = Inst { origin: insts[i.at].origin, ..mov };
            }
        }
    }
    done
}

impl Insertion {
    /// Writes it, with the variable of its mask if it has one. Returns a place in front that is free now.
    fn apply(&self, mask: Option<VarId>, insts: &mut [Inst<Virtual>], use_counts: &mut UseCounts) -> usize {
        let changed = [Some(self.at), Some(self.shl), self.in_place];
        for k in changed.into_iter().flatten() {
            use_counts.forget_reads_of(&insts[k]);
        }
        let mut base = self.base;
        let freed = insts[self.shl];
        insts[self.shl] = Inst::new(Op::Nop, freed.exec);
        let mut free = self.shl;
        if let Some(at) = self.in_place {
            if !self.rotates
                && let Dst::Direct { reg, ty, .. } = freed.dst
            {
                insts[self.shl] = Inst { dst: freed.dst, origin: freed.origin, ..insts[at] };
                base = Src::new(reg, strided(1, freed.exec), ty);
                free = at;
            }
            insts[at] = Inst::new(Op::Nop, freed.exec);
        }
        let inst = &mut insts[self.at];
        let insert = with_type(self.insert, Type::Ud);
        if let Some(mask) = mask {
            inst.op = Op::Bfi2;
            let mask = Src::new(Reg::var_at(mask, 0), Region::SCALAR, Type::Ud);
            inst.src = [mask, insert, with_type(base, Type::Ud)];
        } else {
            inst.op = Op::Rol;
            inst.src = [insert, Src::imm(self.count.into(), Type::Ud), Src::None];
        }
        if let Dst::Direct { ty, .. } = &mut inst.dst {
            *ty = Type::Ud;
        }
        for k in changed.into_iter().flatten() {
            use_counts.add(&insts[k]);
        }
        free
    }
}

/// A block, looked at up to some instruction.
struct BitWalk<'a> {
    insts: &'a [Inst<Virtual>],
    vars: &'a [Var],
    writes: &'a LastWrites,
    previous: &'a [Option<usize>],
    /// The platform has an instruction for rotations.
    rotates: bool,
    grf_bytes: u32,
}

impl BitWalk<'_> {
    /// What instruction `j` puts together of a left shift and something below it.
    fn combination(&self, j: usize) -> Option<Insertion> {
        let inst = &self.insts[j];
        let packed = matches!(inst.dst, Dst::Direct { horz: 1, ty, .. } if ty.is_dword());
        let [a, b, _] = &inst.src;
        if !packed || !inst.is_plain() || ![a, b].into_iter().all(|s| self.is_dword(s, inst)) {
            return None;
        }
        self.insertion(j, a, b).or_else(|| self.insertion(j, b, a))
    }

    /// Instruction `j` combines both operands: whether the first is shifted to the left, above all bits of the second.
    fn insertion(&self, j: usize, shifted: &VSrc, base: &VSrc) -> Option<Insertion> {
        let inst = &self.insts[j];
        let i = self.definition(shifted, j)?;
        let shl = &self.insts[i];
        let count = shift(shl).filter(|_| shl.op == Op::Shl)?;
        let insert = shl.src[0];
        if !self.is_dword(&insert, inst) {
            return None;
        }
        let rest = self.definition(base, j);
        // Nobody has written what is shifted, but the shift itself, or what computes the rest of it.
        let last = self.writes.of(insert.reg()?.var()?);
        let in_place = match rest {
            _ if last < Some(i) => None,
            _ if last == Some(i) && shl.dst.reg() == insert.reg() => None,
            Some(k) if last == Some(k) && base.reg() == insert.reg() => Some(k),
            _ => return None,
        };
        let before = match in_place {
            Some(k) => self.previous[k],
            None if last == Some(i) => self.previous[i],
            None => last,
        };
        if let Some(k) = in_place {
            let constant =
                matches!(self.insts[k].src, [s, Src::Imm { .. }, Src::None] if s.reg() == insert.reg());
            if !constant || before >= Some(i) {
                return None;
            }
        }
        let rotates = self.rotates
            && rest.is_some_and(|k| {
                let shr = &self.insts[k];
                let same = with_type(shr.src[0], Type::Ud) == with_type(insert, Type::Ud);
                shr.op == Op::Shr && shift(shr) == Some(32 - count) && same && before < Some(k)
            });
        let slices = (inst.exec.lanes() * 4).div_ceil(2 * self.grf_bytes);
        let below = rotates || self.width(base, j, DEPTH) <= count;
        below.then_some(Insertion { at: j, shl: i, count, insert, base: *base, in_place, rotates, slices })
    }

    /// How many of its lowest bits a dword may have that instruction `j` reads.
    fn width(&self, src: &VSrc, j: usize, depth: u32) -> u32 {
        match *src {
            Src::Imm { bits, ty } if ty.is_int() && ty.bytes() <= 4 => {
                return u32::BITS - low_u32(extend(bits, ty)).leading_zeros();
            }
            Src::Direct { mods: SrcMod::None, ty: Type::Ub, .. } => return 8,
            Src::Direct { mods: SrcMod::None, ty: Type::Uw, .. } => return 16,
            Src::Direct { mods: SrcMod::None, ty, .. } if ty.is_dword() => {}
            _ => return u32::BITS,
        }
        let Some(i) = self.definition(src, j).filter(|_| depth > 0) else { return u32::BITS };
        let inst = &self.insts[i];
        let of = |s: usize| self.width(&inst.src[s], i, depth - 1);
        match inst.op {
            Op::Mov => of(0),
            Op::And => of(0).min(of(1)),
            Op::Or | Op::Xor => of(0).max(of(1)),
            Op::Shr => shift(inst).map_or(u32::BITS, |n| of(0).saturating_sub(n)),
            Op::Shl => shift(inst).map_or(u32::BITS, |n| (of(0) + n).min(u32::BITS)),
            _ => u32::BITS,
        }
    }

    /// The plain instruction that computes, as packed dwords, what a source of instruction `j` reads, in the same channels.
    fn definition(&self, src: &VSrc, j: usize) -> Option<usize> {
        let i = self.writes.of(src.reg()?.var()?).filter(|&i| i < j)?;
        let (inst, reader) = (&self.insts[i], &self.insts[j]);
        let Dst::Direct { reg: to, horz: 1, ty } = inst.dst else { return None };
        let Src::Direct { reg, region, ty: read, mods: SrcMod::None } = *src else { return None };
        let lanes = reader.exec.lanes();
        let same = Lanes::of(inst) == Lanes::of(reader);
        let computes = inst.is_plain() && self.is_seen(to) && inst.op.info().class == Class::Basic;
        (computes && same && to == reg && ty.is_dword() && read.is_dword() && region.one_by_one(lanes))
            .then_some(i)
    }

    /// Whether an operand is a dword for each channel, or one for all, in a variable that only its name leads to.
    fn is_dword(&self, src: &VSrc, inst: &Inst<Virtual>) -> bool {
        let by_channel = |region: Region| region == Region::SCALAR || region.one_by_one(inst.exec.lanes());
        matches!(*src, Src::Direct { reg, region, mods: SrcMod::None, ty }
            if ty.is_dword() && self.is_seen(reg) && by_channel(region))
    }

    /// Whether all that writes a register names it.
    fn is_seen(&self, reg: VReg) -> bool {
        reg.var().is_some_and(|v| self.vars[v.index()].is_only_named())
    }
}

/// By how much an instruction shifts dwords to dwords.
fn shift(inst: &Inst<Virtual>) -> Option<u32> {
    let Src::Imm { bits, ty } = inst.src[1] else { return None };
    let logical = |t: Type| t == Type::Ud || t == Type::D && inst.op == Op::Shl;
    let count = low_u32(extend(bits, ty));
    let plain = inst.src[0].mods() == SrcMod::None && inst.src[0].ty().is_some_and(logical);
    (plain && ty.is_int() && (1..32).contains(&count)).then_some(count)
}
