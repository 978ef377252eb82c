//! What is looked at in its low half alone is computed in that half.
//!
//! Quadwords whose readers all take the low dword are computed as dwords, where no bit of the result depends on a higher
//! bit of what it is made of: sums, products, shifts to the left, bitwise operations, selections. So compilers write an
//! index that they widen, scale, and cut again. Of constants and of what others compute, such an operation reads the
//! low half, too; what is made for that alone becomes narrow in turn, since blocks are walked backwards.

use gen_ir::{
    Class, Dst, Extent, Inst, Kernel, Op, Options, Payload, Reg, Region, Src, SrcMod, Type, Var, VarClass,
    VarId, Virtual,
};
use narrow::{as_index, low_u32, to_index, to_u8};

use super::{locality::Locality, use_counts::UseCounts};
use crate::{build::VSrc, legalize::dwords_at, lists::reset};

/// Memory for [`compute`].
#[derive(Debug, Default)]
pub(super) struct LowHalfMemory {
    /// By variable that quadwords are written to: who takes their low halves.
    readers: Vec<Option<Readers>>,
    /// Sources that read a low half.
    all: Vec<LowRead>,
}

/// How many readers take the low half, and the last of them found.
#[derive(Clone, Copy, Debug)]
struct Readers {
    count: u32,
    newest: u32,
}

/// Source `src` of instruction `at`, and the next one that reads the same variable.
#[derive(Clone, Copy, Debug)]
struct LowRead {
    at: u32,
    src: u8,
    older: u32,
}

const NONE: u32 = u32::MAX;

/// Rewrites blocks. Returns whether anything is narrower now.
pub(super) fn compute(
    kernel: &mut Kernel<Virtual>,
    locality: &Locality,
    use_counts: &UseCounts,
    grf_bytes: u32,
    memory: &mut LowHalfMemory,
) -> bool {
    let LowHalfMemory { readers, all } = memory;
    let Kernel { vars, blocks, .. } = kernel;
    reset(readers, vars.len(), None);
    let mut any = false;
    for (b, block) in blocks.iter_mut().enumerate().filter(|(b, _)| locality.any_in(*b)) {
        let written = block.insts.iter().filter_map(quadwords).filter(|&v| {
            let uses = &use_counts.vars[v.index()];
            locality.only_in(v, b) && uses.is_plain() && !uses.is_written_again()
        });
        all.clear();
        let mut found = false;
        for v in written {
            readers[v.index()] = Some(Readers { count: 0, newest: NONE });
            found = true;
        }
        if !found {
            continue;
        }
        for i in (0..block.insts.len()).rev() {
            if let Some(v) = quadwords(&block.insts[i])
                && let Some(Readers { count: 1.., newest }) =
                    readers[v.index()].filter(|r| r.count == use_counts.reads(v))
            {
                any |= narrow_value(vars, &mut block.insts, i, reads_from(all, newest), grf_bytes);
            }
            let counted = |v: VarId| readers.get(v.index()).is_some_and(Option::is_some);
            any |= read_low(&mut block.insts[i], counted);
            let inst = &block.insts[i];
            for (src, operand) in inst.src.iter().enumerate() {
                let var = operand.reg().and_then(Reg::var);
                if let Some(Some(of)) = var.and_then(|v| readers.get_mut(v.index()))
                    && reads_low(inst, operand)
                {
                    all.push(LowRead { at: to_index(i), src: to_u8(to_index(src)), older: of.newest });
                    *of = Readers { count: of.count + 1, newest: to_index(all.len() - 1) };
                }
            }
        }
    }
    any
}

/// The reads of a variable, from a certain one on.
fn reads_from(all: &[LowRead], newest: u32) -> impl Iterator<Item = (usize, usize)> + Clone {
    std::iter::successors(all.get(as_index(newest)), |r| all.get(as_index(r.older)))
        .map(|r| (as_index(r.at), usize::from(r.src)))
}

/// The variable of the quadwords that an instruction computes, if it could compute their low halves.
fn quadwords(inst: &Inst<Virtual>) -> Option<VarId> {
    let Dst::Direct { reg, horz: 1, ty: Type::Q | Type::Uq } = inst.dst else { return None };
    is_low_from_low(inst).then_some(reg.var()).flatten()
}

/// Makes instruction `i` write dwords of a new variable instead of the quadwords of another, if all readers read what it
/// writes.
fn narrow_value(
    vars: &mut Vec<Var>,
    insts: &mut [Inst<Virtual>],
    i: usize,
    reads: impl Iterator<Item = (usize, usize)> + Clone,
    grf_bytes: u32,
) -> bool {
    let (Dst::Direct { reg, ty, .. }, Some(written)) = (insts[i].dst, insts[i].dst_extent(grf_bytes)) else {
        return false;
    };
    let inside = |(at, k): (usize, usize)| {
        let read: Option<Extent> = insts[at].src_extent(k, grf_bytes);
        read.is_some_and(|read| written.contains(read) && (read.start - written.start).is_multiple_of(8))
    };
    let Some(v) = reg.var().filter(|_| reads.clone().all(inside)) else { return false };
    let new = VarId(to_index(vars.len()));
    vars.push(Var::temp(VarClass::General, written.len() / 2, vars[v.index()].align));
    let dword = if ty.is_signed() { Type::D } else { Type::Ud };
    insts[i].dst = Dst::packed(Reg::var_at(new, 0), dword);
    for (at, k) in reads {
        let lanes = insts[at].exec.lanes();
        let Src::Direct { reg: from, region, ty, .. } = &mut insts[at].src[k] else { continue };
        if ty.bytes() == 8 {
            *ty = dword;
        } else if !region.is_scalar() && lanes > 1 {
            *region = Region::PACKED;
        }
        *from = Reg::var_at(new, (from.byte - reg.byte) / 2);
    }
    true
}

/// Makes the instruction read constants, and what is the same in all channels, in their low halves, if it is about these
/// alone. `counted`: variables whose readers are being counted.
fn read_low(inst: &mut Inst<Virtual>, counted: impl Fn(VarId) -> bool) -> bool {
    if !(inst.dst.ty().is_some_and(|t| t.bytes() <= 4) && is_low_from_low(inst)) {
        return false;
    }
    let (lanes, mut any) = (inst.exec.lanes(), false);
    for src in &mut inst.src {
        let new = match *src {
            Src::Imm { bits, ty: Type::Q } => Src::d(low_u32(bits).cast_signed()),
            Src::Imm { bits, ty: Type::Uq } => Src::ud(low_u32(bits)),
            Src::Direct { reg, region, ty: Type::Q | Type::Uq, .. }
                if (region.is_scalar() || lanes == 1)
                    && inst.op != Op::Mov
                    && !reg.var().is_some_and(&counted) =>
            {
                let Some(half) = dwords_at(*src, lanes, 0) else { continue };
                half
            }
            Src::Indirect { ty: Type::Q | Type::Uq, .. } if lanes == 1 => {
                let Some(half) = dwords_at(*src, lanes, 0) else { continue };
                half
            }
            _ => continue,
        };
        (*src, any) = (new, true);
    }
    any
}

/// Whether a source reads quadwords, or the low dword of each, and nothing else is looked at.
fn reads_low(inst: &Inst<Virtual>, src: &VSrc) -> bool {
    let Src::Direct { region, ty, .. } = *src else { return false };
    let lanes = inst.exec.lanes();
    let apart = |stride| lanes == 1 || region.is_scalar() || region.stride(lanes) == Some(stride);
    match ty {
        Type::Q | Type::Uq => {
            inst.dst.ty().is_some_and(|t| t.bytes() <= 4) && is_low_from_low(inst) && apart(1)
        }
        Type::D | Type::Ud => inst.op.info().class == Class::Basic && apart(2),
        _ => false,
    }
}

/// Whether each bit of an integer result depends on no higher bit of the sources.
fn is_low_from_low(inst: &Inst<Virtual>) -> bool {
    let int = |s: &VSrc| match *s {
        Src::None => true,
        Src::Imm { ty, .. } => ty.is_int() && !matches!(ty, Type::V | Type::Uv),
        Src::Direct { reg, region, mods, ty } => {
            reg.var().is_some()
                && region.is_complete()
                && ty.is_int()
                && matches!(mods, SrcMod::None | SrcMod::Neg)
        }
        Src::Indirect { mods: SrcMod::None, ty, .. } => inst.exec.lanes() == 1 && ty.is_int(),
        _ => false,
    };
    let operation = match inst.op {
        Op::Mov | Op::Add | Op::Mul | Op::And | Op::Or | Op::Xor | Op::Not => inst.is_plain(),
        Op::Shl => inst.is_plain() && matches!(inst.src[1], Src::Imm { bits: 0..32, .. }),
        Op::Sel => {
            let alone = inst.cond.is_none() && inst.payload == Payload::None && inst.opts == Options::NONE;
            alone && inst.pred.is_some() && !inst.sat
        }
        _ => false,
    };
    operation && inst.dst.ty().is_some_and(Type::is_int) && inst.src.iter().all(int)
}
