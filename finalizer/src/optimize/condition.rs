//! A result is compared with zero where it is made.
//!
//! `and d = ...; cmp.eq f = d, 0` becomes `and.eq f d = ...`, for logical operations: their result is all
//! there is, without a carry that a condition would see. If nobody else reads `d`, nothing is written.

use gen_ir::{Class, Cond, CondMod, Dst, Inst, Kernel, Op, Payload, Role, Src, SrcMod, Type, VarId, Virtual};

use super::analyses::Analyses;

/// How far apart both may stand: flags are few.
const REACH: usize = 12;

/// Moves such conditions. Returns whether there were any. Counts of readers stay right.
pub(super) fn attach(kernel: &mut Kernel<Virtual>, grf_bytes: u32, analyses: &mut Analyses) -> bool {
    let tests = analyses.take_tests(kernel);
    let mut any = false;
    for tests in tests.chunk_by(|x, y| x.0 == y.0) {
        let mut removed = false;
        for &(b, i) in tests {
            let insts = &kernel.blocks[b].insts;
            let Some((v, cond)) = tested(&insts[i]) else { continue };
            let Some(j) = definition(insts, i, v, cond, grf_bytes) else { continue };
            let local = analyses.locality(kernel).only_in(v, b);
            let census = analyses.reads(kernel);
            let insts = &mut kernel.blocks[b].insts;
            let op = &mut insts[j];
            op.cond = Some(cond);
            if census.reads(v) == 1 && local {
                let ty = op.dst.ty().unwrap_or(Type::Ud);
                op.dst = Dst::null(ty);
            }
            census.vars[v.index()].forget_read();
            insts[i] = Inst::new(Op::Nop, insts[i].exec);
            removed = true;
        }
        if removed {
            kernel.blocks[tests[0].0].insts.retain(|i| i.op != Op::Nop);
        }
        any |= removed;
    }
    analyses.return_tests(tests);
    any
}

/// Whether an instruction compares whole values with zero.
pub(super) fn tests_zero(inst: &Inst<Virtual>) -> bool {
    inst.op == Op::Cmp && tested(inst).is_some()
}

/// The variable that a comparison tests for being zero, and the condition it sets.
fn tested(inst: &Inst<Virtual>) -> Option<(VarId, CondMod<Virtual>)> {
    let cond = inst.cond.filter(|c| matches!(c.cond, Cond::Eq | Cond::Ne))?;
    let Src::Direct { reg, region, mods: SrcMod::None, ty } = inst.src[0] else { return None };
    let null = inst.dst.reg().is_some_and(|r| r.is_null());
    let zero = matches!(inst.src[1], Src::Imm { bits: 0, ty } if !ty.is_float());
    let dwords = !ty.is_float() && ty.bytes() == 4;
    let lanes = inst.exec.lanes();
    let each = lanes == 1 || region.vert != gen_ir::Region::VXH && region.one_by_one(lanes);
    let plain = inst.op == Op::Cmp && inst.pred.is_none() && null && zero && dwords && each;
    plain.then_some((reg.var()?, cond))
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
            let made = matches!(inst.op, Op::And | Op::Or | Op::Xor | Op::Not)
                && inst.payload == Payload::None
                && inst.cond.is_none()
                && inst.pred.is_none()
                && inst.dst.ty().is_some_and(|t| t.bytes() == 4 && !t.is_float())
                && inst.src.iter().filter_map(Src::ty).all(|t| t.bytes() <= 4)
                && inst.src.iter().filter_map(Src::ty).any(|t| t.bytes() == 4);
            let same = inst.dst_extent(grf_bytes) == test.src_extent(0, grf_bytes)
                && inst.dst_is_dense()
                && (inst.exec, inst.chan, inst.no_mask) == (test.exec, test.chan, test.no_mask);
            return (made && same && !flag).then_some(j);
        }
        if flag || inst.op.info().class == Class::Branch {
            return None;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use gen_ir::{Block, ExecSize, Reg, Region, Var, VarClass};
    use platforms::Platform;

    #[test]
    fn a_bit_is_tested_where_it_is_cut_out() {
        let mut k = Kernel::new("k", Platform::Skl);
        let v: Vec<VarId> = (0..2).map(|_| k.add_var(Var::temp(VarClass::General, 32, 32))).collect();
        let flag = k.add_var(Var::temp(VarClass::Flag, 2, 2));
        let read = |v| Src::new(Reg::var_at(v, 0), Region::new(8, 8, 1), Type::D);
        let mut and = Inst::new(Op::And, ExecSize::S8);
        and.dst = Dst::packed(Reg::var_at(v[1], 0), Type::D);
        and.src = [read(v[0]), Src::d(1), Src::None];
        let mut cmp = Inst::new(Op::Cmp, ExecSize::S8);
        cmp.dst = Dst::null(Type::D);
        cmp.src = [read(v[1]), Src::d(0), Src::None];
        cmp.cond = Some(CondMod { cond: Cond::Eq, flag: Reg::var_at(flag, 0) });
        k.blocks.push(Block { insts: vec![and, cmp], succs: Default::default() });
        assert!(attach(&mut k, 32, &mut Analyses::default()));
        assert_eq!(k.blocks[0].insts, [Inst { cond: cmp.cond, dst: Dst::null(Type::D), ..and }]);
        // A sum may have a carry.
        and.op = Op::Add;
        k.blocks[0].insts = vec![and, cmp];
        assert!(!attach(&mut k, 32, &mut Analyses::default()));
        assert_eq!(k.blocks[0].insts.len(), 2);
    }
}
