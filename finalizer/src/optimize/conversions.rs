//! Conversions between half and single float become part of the arithmetic beside them.
//!
//! `mov f = hf; add g = f, x` becomes `add g = hf, x`, and `mul f = a, b; mov hf = f` becomes `mul hf = a, b`, where the platform
//! mixes both types there ([`gen_ir::rules::mixing`]) and nobody else reads `f`. Mixed arithmetic computes in single float
//! and converts in the end as the move does, so the value is the same. Both work on at most a register of single floats, so with the
//! move an instruction goes for each register. (Intel's finalizer folds both, whoever else reads `f`.)

use gen_ir::{
    Class, Dst, Extent, Inst, Kernel, Op, Role, Src, Type, VarId, Virtual,
    rules::mixing::{mixing, narrow_result, narrow_source, turned},
};
use platforms::Caps;

use super::analyses::{Analyses, Candidate};

/// How far apart both may stand: what is folded lives longer for that.
const REACH: usize = 64;

/// How far others are looked for that read what stands between both.
const READERS: usize = 512;

/// Folds conversions. Returns whether there were any.
pub(super) fn fold(kernel: &mut Kernel<Virtual>, grf_bytes: u32, analyses: &mut Analyses) -> bool {
    let caps = kernel.platform.caps();
    if !mixing(caps, Type::Hf).computes() {
        return false;
    }
    let conversions = analyses.take_candidates(kernel, Candidate::Conversion);
    let mut any = false;
    if !conversions.is_empty() {
        let (locality, use_counts) = analyses.local(kernel);
        for &(b, i) in &conversions {
            let insts = &mut kernel.blocks[b].insts;
            let Some(([single, halves], at, new)) = partner(caps, insts, i, grf_bytes) else { continue };
            // What an address leads to may be touched by instructions that do not name it.
            let plain = [single, halves].iter().all(|v| use_counts.vars[v.index()].is_plain());
            if locality.only_in(single, b) && plain {
                insts[at] = new;
                insts[i] = Inst::new(Op::Nop, insts[i].exec);
                any = true;
            }
        }
    }
    analyses.return_candidates(Candidate::Conversion, conversions);
    any
}

/// The single and the half floats of conversion `i`, and the instruction that it could become part of: its place, and what it
/// would be.
fn partner(
    caps: &Caps,
    insts: &[Inst<Virtual>],
    i: usize,
    grf_bytes: u32,
) -> Option<([VarId; 2], usize, Inst<Virtual>)> {
    let mov = &insts[i];
    if mov.pred.is_some() || mov.cond.is_some() || mov.exec.lanes() == 1 {
        return None;
    }
    let Src::Direct { reg: from, region, .. } = mov.src[0] else { return None };
    let Dst::Direct { reg: to, horz, ty } = mov.dst else { return None };
    let (read, written) = (mov.src_extent(0, grf_bytes)?, mov.dst_extent(grf_bytes)?);
    let packed = region.one_by_one(mov.exec.lanes());
    if ty == Type::F {
        let (single, halves) = (to.var()?, from.var()?);
        if mov.sat || horz != 1 {
            return None;
        }
        let (at, src) = reader(insts, i, (single, written), (halves, read), grf_bytes)?;
        if !ends(insts, at, (single, written, mov.no_mask), grf_bytes) {
            return None;
        }
        return Some(([single, halves], at, takes_source(caps, mov, &insts[at], src)?));
    }
    let (single, halves) = (from.var()?, to.var()?);
    if !packed || mov.src[0].mods().any() {
        return None;
    }
    let at = maker(insts, i, (single, read), (halves, written), grf_bytes)?;
    if !ends(insts, i, (single, read, mov.no_mask), grf_bytes) {
        return None;
    }
    Some(([single, halves], at, gives_result(caps, mov, &insts[at])?))
}

/// The first instruction behind `i` that reads `single`, all that is there, with nothing in between that writes it or `halves`,
/// or says how floats are rounded.
fn reader(
    insts: &[Inst<Virtual>],
    i: usize,
    single: (VarId, Extent),
    halves: (VarId, Extent),
    grf_bytes: u32,
) -> Option<(usize, usize)> {
    for (at, inst) in insts.iter().enumerate().skip(i + 1).take(REACH) {
        if let Some(src) = (0..3).find(|&s| touches(inst, |r| r == Role::Src(s), single, grf_bytes)) {
            let src = usize::from(src);
            return (inst.src_extent(src, grf_bytes) == Some(single.1)).then_some((at, src));
        }
        let touched = || [single, halves].iter().any(|&of| touches(inst, |r| r == Role::Dst, of, grf_bytes));
        if inst.changes_mode() || touched() {
            return None;
        }
    }
    None
}

/// The last instruction in front of `i` that writes `single`, with nothing in between that touches it or `halves`, or says how
/// floats are rounded.
fn maker(
    insts: &[Inst<Virtual>],
    i: usize,
    single: (VarId, Extent),
    halves: (VarId, Extent),
    grf_bytes: u32,
) -> Option<usize> {
    for (at, inst) in insts[..i].iter().enumerate().rev().take(REACH) {
        if touches(inst, |r| r == Role::Dst, single, grf_bytes) {
            return (inst.dst_extent(grf_bytes) == Some(single.1)).then_some(at);
        }
        if inst.changes_mode() || [single, halves].iter().any(|&of| touches(inst, |_| true, of, grf_bytes)) {
            return None;
        }
    }
    None
}

/// Whether instruction `i` is the last that reads `single`, which was written whatever the mask is, or under it: nothing behind
/// it does before all of that is written again, or the block ends.
fn ends(
    insts: &[Inst<Virtual>],
    i: usize,
    (var, bytes, no_mask): (VarId, Extent, bool),
    grf_bytes: u32,
) -> bool {
    let single = (var, bytes);
    for (k, inst) in insts[i..].iter().enumerate() {
        let read = (0..3).filter(|&s| touches(inst, |r| r == Role::Src(s), single, grf_bytes)).count();
        let expected = usize::from(k == 0);
        let channels = inst.pred.is_none() && (inst.no_mask || !no_mask);
        let whole = channels && inst.dst_is_dense() && inst.dst_extent(grf_bytes) == Some(bytes);
        if read > expected || k == READERS {
            return false;
        }
        if whole && touches(inst, |r| r == Role::Dst, single, grf_bytes) {
            return true;
        }
    }
    true
}

/// Whether an operand of certain roles touches bytes of a variable.
fn touches(
    inst: &Inst<Virtual>,
    is: impl Fn(Role) -> bool,
    (var, bytes): (VarId, Extent),
    grf_bytes: u32,
) -> bool {
    let mut any = false;
    inst.for_each_reg(|role, reg| {
        any |= reg.var() == Some(var)
            && is(role)
            && inst.extent(role, grf_bytes).is_none_or(|e| e.overlaps(bytes));
    });
    any
}

/// Whether a conversion may become part of an operation: both are of the same channels.
fn may_fold(mov: &Inst<Virtual>, other: &Inst<Virtual>) -> bool {
    let known = matches!(other.op, Op::Add | Op::Mul | Op::Mad | Op::Sel | Op::Cmp);
    known && (mov.exec, mov.chan) == (other.exec, other.chan)
}

/// The reader with halves as source `src`, if it may have them.
fn takes_source(
    caps: &Caps,
    mov: &Inst<Virtual>,
    reader: &Inst<Virtual>,
    src: usize,
) -> Option<Inst<Virtual>> {
    let (Src::Direct { reg, region, mods: first, .. }, Src::Direct { region: read, mods, ty, .. }) =
        (mov.src[0], reader.src[src])
    else {
        return None;
    };
    let lanes = reader.exec.lanes();
    let single = ty == Type::F && reader.dst.ty() == Some(Type::F);
    let masks = mov.no_mask || !reader.no_mask;
    if !may_fold(mov, reader) || !single || !masks || !read.one_by_one(lanes) {
        return None;
    }
    // Three sources hardly have regions.
    let strided = !caps.words.ternary_align16 && region.stride(lanes) == Some(2);
    let ternary = reader.op.info().class == Class::Ternary;
    let fits = !region.is_scalar() && (!ternary || strided || region.one_by_one(lanes));
    let plain = fits && region.is_complete();
    let mut new = *reader;
    new.src[src] = Src::Direct { reg, region, mods: first.then(mods), ty: Type::Hf };
    let new = turned(caps, &new).unwrap_or(new);
    let legal = plain && (0..3).all(|i| narrow_source(caps, &new, i));
    legal.then_some(new)
}

/// What makes single floats, giving halves instead, if it may.
fn gives_result(caps: &Caps, mov: &Inst<Virtual>, maker: &Inst<Virtual>) -> Option<Inst<Virtual>> {
    let packed = matches!(maker.dst, Dst::Direct { horz: 1, ty: Type::F, .. });
    let bare = maker.pred.is_none() && maker.cond.is_none() && mov.no_mask == maker.no_mask;
    // The last of three sources lies as the result does in the align1 form.
    let apart = maker.op == Op::Mad && !caps.words.ternary_align16;
    if !may_fold(mov, maker) || !packed || !bare || apart || maker.op == Op::Cmp {
        return None;
    }
    let new = Inst { dst: mov.dst, sat: maker.sat || mov.sat, ..*maker };
    narrow_result(caps, &new).then_some(new)
}
