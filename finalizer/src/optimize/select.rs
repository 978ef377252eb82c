//! A choice between two values by a comparison of them compares itself.
//!
//! `cmp.gt F = a, b; (F) sel d = a, b` becomes `sel.gt d = a, b`. Nothing is left of the comparison if nobody else asks for it.
//!
//! Of floats, `sel.ge` and `sel.lt` are maximum and minimum as IEEE 754 has them: they choose the number beside a NaN. With all
//! other conditions `sel` chooses the second value where one is a NaN, as a choice by a comparison does (IGC, `foldCmpSel`;
//! its finalizer folds the same, of floats only in the order of the comparison). So `a < b ? a : b` stays as it is, and `a < b ? b :
//! a` is `sel.gt d = b, a`. With a number behind the colon (`a < 1 ? a : 1`) both choose that beside a NaN, so it is `sel.lt`; but not
//! with a zero, whose sign a minimum may tell, or with what may be taken for one. Of integers all are minima and maxima.

use gen_ir::{Cond, Dst, Inst, Kernel, Op, Pred, Role, Src, Type, Virtual};

use super::{
    analyses::{Analyses, Candidate},
    chain::{meet, touched},
};
use crate::build::sel_cond;

/// How far apart both may stand: flags are few.
const REACH: usize = 32;

/// Folds such comparisons. Returns whether there were any. Counts of readers stay right.
pub(super) fn fold(kernel: &mut Kernel<Virtual>, grf_bytes: u32, analyses: &mut Analyses) -> bool {
    let choices = analyses.take_candidates(kernel, Candidate::Choice);
    let mut any = false;
    for &(b, i) in &choices {
        let insts = &kernel.blocks[b].insts;
        let Some(pred) = insts[i].pred else { continue };
        let Some((src, cond)) = extreme(insts, (i, pred), grf_bytes) else { continue };
        if let Some(flag) = pred.flag.var() {
            analyses.reads(kernel).vars[flag.index()].forget_read();
        }
        let choice = &mut kernel.blocks[b].insts[i];
        [choice.src[0], choice.src[1]] = src;
        (choice.pred, choice.cond) = (None, Some(sel_cond(cond)));
        any = true;
    }
    analyses.return_candidates(Candidate::Choice, choices);
    any
}

/// What choice `i`, by `pred`, chooses between, and the condition under which it takes the first.
fn extreme(
    insts: &[Inst<Virtual>],
    (i, pred): (usize, Pred<Virtual>),
    grf_bytes: u32,
) -> Option<([Src<Virtual>; 2], Cond)> {
    let choice = &insts[i];
    let compared = comparison(insts, (i, pred), grf_bytes)?;
    let cond = compared.cond?.cond;
    let [mut x, mut y] = [choice.src[0], choice.src[1]];
    if pred.inv {
        std::mem::swap(&mut x, &mut y);
    }
    let cond = match [compared.src[0], compared.src[1]] {
        of if of == [x, y] => cond,
        of if of == [y, x] => mirrored(cond),
        _ => return None,
    };
    let ty = choice.dst.ty()?;
    let alike = [x, y].iter().all(|s| s.ty() == Some(ty));
    let cond = match (ty, cond) {
        // No constant comes first.
        (Type::F | Type::Hf | Type::Df, Cond::Gt | Cond::Le) if !x.is_imm() => cond,
        (Type::F | Type::Hf | Type::Df, Cond::Lt | Cond::Ge) if is_plain_number(y) => cond,
        (Type::D | Type::Ud | Type::W | Type::Uw, Cond::Gt | Cond::Ge) => Cond::Ge,
        (Type::D | Type::Ud | Type::W | Type::Uw, Cond::Lt | Cond::Le) => Cond::Lt,
        _ => return None,
    };
    alike.then_some(([x, y], cond))
}

/// Whether a source is a constant that is no NaN, no zero, and no denormal, which may count as zero.
fn is_plain_number(src: Src<Virtual>) -> bool {
    let Src::Imm { bits, ty } = src else { return false };
    let (smallest, infinity) = match ty {
        Type::F => (0x0080_0000, 0x7f80_0000),
        Type::Hf => (0x0400, 0x7c00),
        Type::Df => (0x0010_0000_0000_0000, 0x7ff0_0000_0000_0000),
        _ => return false,
    };
    let sign = 1 << (8 * ty.bytes() - 1);
    (smallest..=infinity).contains(&(bits & !sign))
}

/// The condition between two values in the other order.
const fn mirrored(cond: Cond) -> Cond {
    match cond {
        Cond::Gt => Cond::Lt,
        Cond::Ge => Cond::Le,
        Cond::Lt => Cond::Gt,
        Cond::Le => Cond::Ge,
        same => same,
    }
}

/// The comparison that says what choice `i` takes, in all its channels, if what they look at is the same.
fn comparison(
    insts: &[Inst<Virtual>],
    (i, pred): (usize, Pred<Virtual>),
    grf_bytes: u32,
) -> Option<&Inst<Virtual>> {
    let choice = &insts[i];
    for inst in insts[i.saturating_sub(REACH)..i].iter().rev() {
        let mut writes_flag = false;
        inst.for_each_reg(|role, r| writes_flag |= role.is_write() && r.var() == pred.flag.var());
        if writes_flag {
            let null = inst.dst.reg().is_some_and(|r| r.is_null());
            let compares = inst.op == Op::Cmp && null;
            let apart = || {
                let (set, asked) =
                    (touched(inst, Role::Cond, pred.flag), touched(choice, Role::Pred, pred.flag));
                !meet(&set, &asked)
            };
            if compares && inst.cond.is_some_and(|c| c.flag == pred.flag) && apart() {
                continue;
            }
            let same = (inst.exec, inst.chan) == (choice.exec, choice.chan)
                && (inst.no_mask || !choice.no_mask)
                && inst.pred.is_none()
                && inst.cond.is_some_and(|c| c.flag == pred.flag);
            return (compares && same).then_some(inst);
        }
        let writes = match inst.dst {
            Dst::Indirect { .. } => true,
            _ => inst.dst_var().is_some_and(|v| {
                let written = inst.dst_extent(grf_bytes);
                choice.src.iter().enumerate().any(|(k, s)| {
                    s.reg().and_then(|r| r.var()) == Some(v)
                        && match (written, choice.src_extent(k, grf_bytes)) {
                            (Some(written), Some(read)) => written.overlaps(read),
                            _ => true,
                        }
                })
            }),
        };
        if writes || inst.changes_mode() {
            return None;
        }
    }
    None
}
