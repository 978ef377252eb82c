//! What is moved is computed where it is moved to.
//!
//! `add v = x, bits; ...; mov d = v` becomes `add d = x, bits` in the place of the move, if nobody else reads `v` and
//! `x` is the same there. So descriptors that the vISA computes come to be in an address register, of which there are
//! too few to compute them there from the start, and fields in a header that messages in between still read.

use gen_ir::{Dst, Inst, Kernel, Op, VarId, Virtual};

use super::{formula::Formula, locality::Locality, shifts::written_at, use_counts::UseCounts};

/// Sinks scalar computations within blocks. What computed the values elsewhere becomes `nop`.
pub(super) fn scalars(
    kernel: &mut Kernel<Virtual>,
    locality: &Locality,
    use_counts: &mut UseCounts,
    grf_bytes: u32,
) {
    let Kernel { vars, blocks, .. } = kernel;
    for (b, block) in blocks.iter_mut().enumerate().filter(|(b, _)| locality.any_in(*b)) {
        let insts = &mut block.insts;
        for i in 1..insts.len() {
            let direct = matches!(insts[i].dst, Dst::Direct { .. });
            if insts[i].op != Op::Mov || insts[i].exec.lanes() != 1 || !direct {
                continue;
            }
            let moved = Formula::of(&insts[i], vars).and_then(|f| f.copied()).and_then(|s| s.reg()?.var());
            let Some(v) = moved.filter(|v| use_counts.reads(*v) == 1 && locality.only_in(*v, b)) else {
                continue;
            };
            let Some(j) = definition(insts, i, v, grf_bytes) else { continue };
            // Of two values one would live longer without need.
            let formula =
                Formula::of(&insts[j], vars).filter(|f| f.copied().is_none() && f.vars().count() == 1);
            let Some(formula) = formula else { continue };
            if insts[j + 1..i].iter().any(|between| changes(between, &formula, grf_bytes)) {
                continue;
            }
            let Inst { dst, origin, .. } = insts[i];
            insts[i] = Inst { dst, origin, ..insts[j] };
            insts[j] = Inst::new(Op::Nop, insts[j].exec);
            use_counts.vars[v.index()].forget_read();
        }
    }
}

/// The instruction that writes all that move `i` reads of variable `v`.
fn definition(insts: &[Inst<Virtual>], i: usize, v: VarId, grf_bytes: u32) -> Option<usize> {
    let read = insts[i].src_extent(0, grf_bytes)?;
    let j = written_at(insts, i, v)?;
    let whole = matches!(insts[j].dst, Dst::Direct { .. }) && insts[j].dst_extent(grf_bytes) == Some(read);
    whole.then_some(j)
}

/// Whether an instruction changes what a formula reads.
fn changes(inst: &Inst<Virtual>, formula: &Formula, grf_bytes: u32) -> bool {
    let Some(v) = inst.dst_var() else { return false };
    match inst.dst_extent(grf_bytes) {
        Some(written) => formula.reads(v, written),
        None => formula.vars().any(|read| read == v),
    }
}
