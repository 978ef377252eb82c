//! A result is compared with zero where it is made.
//!
//! `and d = ...; cmp.eq f = d, 0` becomes `and.eq f d = ...`. A logical operation whose result nobody else reads
//! writes nothing.
//!
//! Whether a result is zero is seen after it has its destination's format, so a carry out of a sum plays no part
//! (volume 7, "Assigning Conditional Flags": `post_zero`). Its sign is seen before: of integers only equality with
//! zero is taken here. Floats that are neither converted nor clamped have one sign.

use gen_ir::{Class, CondMod, Dst, Inst, Kernel, Op, Role, Src, SrcMod, Type, VarId, Virtual};

use super::{
    analyses::{Analyses, Candidate},
    candidates::tested,
};

/// How far apart both may stand: flags are few.
const REACH: usize = 12;

/// Moves such conditions. Returns whether there were any. Counts of readers stay right.
pub(super) fn attach(kernel: &mut Kernel<Virtual>, grf_bytes: u32, analyses: &mut Analyses) -> bool {
    let ternary_has_none = !kernel.platform.caps().words.ternary_cond;
    let tests = analyses.take_candidates(kernel, Candidate::Test);
    let mut any = false;
    for tests in tests.chunk_by(|x, y| x.0 == y.0) {
        let mut removed = false;
        for &(b, i) in tests {
            let insts = &kernel.blocks[b].insts;
            let Some((v, cond)) = tested(&insts[i]) else { continue };
            let Some(j) = definition(insts, i, v, cond, grf_bytes) else { continue };
            if ternary_has_none && insts[j].op.info().class == Class::Ternary {
                continue;
            }
            // Others write their result all the same, as in Intel's code. What is read once is of no use outside, but by
            // its place, or to code elsewhere.
            let goes = insts[j].op.info().logic && read_here_alone(kernel, analyses, v, b);
            analyses.reads(kernel).vars[v.index()].forget_read();
            let insts = &mut kernel.blocks[b].insts;
            let op = &mut insts[j];
            op.cond = Some(cond);
            if goes {
                // No instruction computes bytes.
                let ty = op.dst.ty().unwrap_or(Type::Ud);
                op.dst = Dst::null(if ty.bytes() == 1 { Type::W } else { ty });
            }
            insts[i] = Inst::new(Op::Nop, insts[i].exec);
            removed = true;
        }
        if removed {
            kernel.blocks[tests[0].0].insts.retain(|i| i.op != Op::Nop);
        }
        any |= removed;
    }
    analyses.return_candidates(Candidate::Test, tests);
    any
}

/// Whether a variable is read once, in block `b`, and by nothing that does not show.
fn read_here_alone(kernel: &Kernel<Virtual>, analyses: &mut Analyses, v: VarId, b: usize) -> bool {
    let counts = analyses.reads(kernel);
    let (once, elsewhere) = (counts.reads(v) == 1, counts.elsewhere);
    once && match elsewhere {
        true => analyses.locality(kernel).only_in(v, b),
        false => kernel.vars[v.index()].fixed.is_none(),
    }
}

/// The operation that makes what comparison `i` tests, if it can set the flag instead.
fn definition(
    insts: &[Inst<Virtual>],
    i: usize,
    v: VarId,
    cond: CondMod<Virtual>,
    grf_bytes: u32,
) -> Option<usize> {
    let test = &insts[i];
    for j in (i.saturating_sub(REACH)..i).rev() {
        let inst = &insts[j];
        let (mut writes, mut flag) = (false, false);
        inst.for_each_reg(|role, r| {
            writes |= role == Role::Dst && r.var() == Some(v);
            flag |= r.var().is_some() && r.var() == cond.flag.var();
        });
        if writes {
            let made = inst.cond.is_none()
                && inst.pred.is_none()
                && !inst.sat
                && tells_zero(inst)
                && inst.dst.ty().is_some_and(|t| test.src[0].ty().is_some_and(|read| t.same_bits(read)));
            let same = inst.dst_extent(grf_bytes) == test.src_extent(0, grf_bytes)
                && inst.dst_is_dense()
                && inst.same_channels(test);
            return (made && same && !flag).then_some(j);
        }
        if flag {
            return None;
        }
    }
    None
}

/// Whether a condition of this operation says what a comparison of its result with zero would, however the
/// operation is legalized: it may be computed in its execution type, and brought to the destination by a move.
fn tells_zero(inst: &Inst<Virtual>) -> bool {
    let (Some(dst), sources) = (inst.dst.ty(), inst.src.iter()) else { return false };
    let of = |wanted: fn(Type) -> bool| sources.clone().filter_map(Src::ty).all(wanted);
    if dst == Type::F {
        return matches!(inst.op, Op::Add | Op::Mul | Op::Mad) && of(|t| t == Type::F);
    }
    if !dst.is_int() || !of(|t| t.is_int() && t.bytes() <= 4 && !matches!(t, Type::V | Type::Uv)) {
        return false;
    }
    // Bytes are computed as words.
    let computed = sources.clone().filter_map(Src::ty).map(Type::bytes).max().unwrap_or(0).max(2);
    let bits = 8 * dst.bytes();
    match inst.op {
        Op::And | Op::Or | Op::Xor | Op::Not | Op::Add if computed == dst.bytes() => true,
        // What is left out of the destination repeats its highest bit or is zero, as in both sources.
        Op::And | Op::Or => sources.clone().filter(|s| s.ty().is_some()).all(|s| extends(s, bits)),
        _ => false,
    }
}

/// Whether the value of a source is that of its low `bits` bits, with their sign or without.
fn extends(source: &Src<Virtual>, bits: u32) -> bool {
    match *source {
        Src::Imm { bits: value, ty } => {
            let unused = 64 - 8 * ty.bytes();
            let value = (value << unused).cast_signed() >> unused;
            (-(1_i64 << (bits - 1))..1 << bits).contains(&value)
        }
        _ => source.ty().is_some_and(|t| 8 * t.bytes() <= bits) && source.mods() == SrcMod::None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gen_ir::{Block, Cond, ExecSize, Reg, Region, Var, VarClass};
    use platforms::Platform;

    #[test]
    fn a_bit_is_tested_where_it_is_cut_out() {
        let mut k = Kernel::new("k", Platform::Skl);
        let v: Vec<VarId> = (0..2).map(|_| k.add_var(Var::temp(VarClass::General, 32, 32))).collect();
        let flag = k.add_var(Var::temp(VarClass::Flag, 2, 2));
        let read = |v, ty| Src::new(Reg::var_at(v, 0), Region::new(8, 8, 1), ty);
        let mut and = Inst::new(Op::And, ExecSize::S8);
        and.dst = Dst::packed(Reg::var_at(v[1], 0), Type::D);
        and.src = [read(v[0], Type::D), Src::d(1), Src::None];
        let mut cmp = Inst::new(Op::Cmp, ExecSize::S8);
        cmp.dst = Dst::null(Type::D);
        cmp.src = [read(v[1], Type::D), Src::d(0), Src::None];
        cmp.cond = Some(CondMod { cond: Cond::Eq, flag: Reg::var_at(flag, 0) });
        k.blocks.push(Block { insts: vec![and, cmp], succs: Default::default() });
        assert!(attach(&mut k, 32, &mut Analyses::default()));
        assert_eq!(k.blocks[0].insts, [Inst { cond: cmp.cond, dst: Dst::null(Type::D), ..and }]);
        // What is left out of a destination plays no part; but how a product ends, its condition does not see.
        and.op = Op::Add;
        k.blocks[0].insts = vec![and, cmp];
        assert!(attach(&mut k, 32, &mut Analyses::default()));
        and.op = Op::Mul;
        k.blocks[0].insts = vec![and, cmp];
        assert!(!attach(&mut k, 32, &mut Analyses::default()));
        assert_eq!(k.blocks[0].insts.len(), 2);
        // Words in a byte: the high half of one source may be all that is not zero.
        and.op = Op::And;
        (and.dst, and.src[0]) = (Dst::packed(Reg::var_at(v[1], 0), Type::B), read(v[0], Type::W));
        cmp.src[0] = read(v[1], Type::B);
        k.blocks[0].insts = vec![and, cmp];
        assert!(!attach(&mut k, 32, &mut Analyses::default()));
        and.src[0] = read(v[0], Type::B);
        k.blocks[0].insts = vec![and, cmp];
        assert!(attach(&mut k, 32, &mut Analyses::default()));
        and.op = Op::Xor;
        k.blocks[0].insts = vec![and, cmp];
        assert!(!attach(&mut k, 32, &mut Analyses::default()));
    }
}
