//! Results that nobody needs.
//!
//! Either nobody reads the variable at all: if no instruction reads it (and neither the runtime nor an
//! address can reach it), it needs no writes; without them there may be more such variables. Or the same
//! channels write the same bytes again before anyone reads them. The first asks the whole kernel, the second
//! only looks from a write back to the one before, so it holds for variables of any reach.

use gen_ir::{BlockId, Dst, Inst, Kernel, OnlyBlock, Op, Options, Payload, Virtual};
use narrow::{as_index, to_index};

use super::{
    legal::Legality,
    use_counts::{UseCounts, VarUses, goes_elsewhere},
};

/// Makes such instructions `nop`. `use_counts` has counted the kernel, and learns which block touches each variable
/// and which variables are written.
///
/// Later code is mostly what reads earlier code: going backwards, a chain dies in one sweep. Another one
/// finds something only if a variable lost its last reader after a write of it was left; in legal code, that is asked for.
pub(super) fn eliminate(
    kernel: &mut Kernel<Virtual>,
    grf_bytes: u32,
    legality: Legality,
    use_counts: &mut UseCounts,
) {
    while sweep(kernel, grf_bytes, use_counts) && legality.is_legal() {
        use_counts.walk_again(&kernel.vars);
    }
}

/// Walks over the kernel backwards once. Returns whether another time may find more.
fn sweep(kernel: &mut Kernel<Virtual>, grf_bytes: u32, use_counts: &mut UseCounts) -> bool {
    let UseCounts { vars, elsewhere } = use_counts;
    let mut again = false;
    for (b, block) in kernel.blocks.iter_mut().enumerate().rev() {
        let insts = &mut block.insts[..];
        // Code elsewhere reads who knows what.
        let overwrites = !(*elsewhere && insts.iter().any(goes_elsewhere));
        for i in (0..insts.len()).rev() {
            let inst = &insts[i];
            if is_dead(inst, vars) {
                inst.for_each_read(|reg| {
                    if let Some(v) = reg.var() {
                        again |= vars[v.index()].forget_read();
                    }
                });
                insts[i] = Inst::new(Op::Nop, inst.exec);
                continue;
            }
            if let Some(v) = inst.dst_var() {
                let entry = &mut vars[v.index()];
                if overwrites && entry.is_plain() {
                    let (block, next) = entry.next_write;
                    if block.is(b.into())
                        && covers(&insts[as_index(next)], inst, grf_bytes)
                        && removable(inst)
                    {
                        insts[i] = Inst::new(Op::Nop, inst.exec);
                        continue;
                    }
                    if ends(inst) {
                        entry.next_write = (BlockId::from(b).into(), to_index(i));
                    }
                }
                entry.write();
                entry.only_block.add(b.into());
            }
            if let Some(v) = inst.cond.as_ref().and_then(|c| c.flag.var()) {
                let entry = &mut vars[v.index()];
                entry.write();
                entry.only_block.add(b.into());
            }
            inst.for_each_read(|reg| {
                if let Some(v) = reg.var() {
                    let entry = &mut vars[v.index()];
                    entry.next_write.0 = OnlyBlock::NONE;
                    entry.only_block.add(b.into());
                }
            });
        }
    }
    again
}

fn is_dead(inst: &Inst<Virtual>, vars: &[VarUses]) -> bool {
    let dst_dead = match &inst.dst {
        Dst::Direct { reg, .. } => match reg.var() {
            Some(v) => vars[v.index()].is_unread(),
            None => inst.cond.is_some() && reg.is_null(),
        },
        Dst::None => inst.cond.is_some(),
        Dst::Indirect { .. } | Dst::Macro { .. } => false,
    };
    dst_dead
        && inst.cond.is_none_or(|c| c.flag.var().is_some_and(|v| vars[v.index()].is_unread()))
        && is_pure(inst)
        && !inst.opts.has(Options::ACC_WR_EN)
}

/// Whether an instruction does nothing but write its destination, a flag and perhaps the accumulator.
pub(super) fn is_pure(inst: &Inst<Virtual>) -> bool {
    matches!(inst.payload, Payload::None | Payload::Math(_) | Payload::Bfn(_) | Payload::Dpas { .. })
        && !matches!(inst.op, Op::Wait | Op::Nop | Op::Illegal)
        && !inst.op.info().accumulator.writes
}

/// Whether an instruction does nothing but write its direct destination.
pub(super) fn removable(inst: &Inst<Virtual>) -> bool {
    is_pure(inst)
        && !inst.writes_flag()
        && !inst.opts.has(Options::ACC_WR_EN)
        && matches!(inst.dst, Dst::Direct { .. })
}

/// Whether an instruction defines its result for all its channels: all bytes without gaps whatever the mask,
/// or those of the channels in a [`shape`].
fn ends(inst: &Inst<Virtual>) -> bool {
    let whole = inst.pred.is_none() || inst.op == Op::Sel;
    whole && if inst.no_mask { inst.dst_is_dense() } else { has_shape(inst) }
}

/// Whether a write that [`ends`] the need of its result leaves nothing of an earlier one of the variable.
fn covers(later: &Inst<Virtual>, earlier: &Inst<Virtual>, grf_bytes: u32) -> bool {
    let same_channels = || !earlier.no_mask && has_shape(earlier) && shape(later) == shape(earlier);
    if !later.no_mask && !same_channels() {
        return false;
    }
    let (Some(all), Some(bytes)) = (later.dst_extent(grf_bytes), earlier.dst_extent(grf_bytes)) else {
        return false;
    };
    if later.no_mask { all.contains(bytes) } else { all == bytes }
}

/// Whether channels are written one by one.
fn has_shape(inst: &Inst<Virtual>) -> bool {
    matches!(inst.dst, Dst::Direct { .. }) && matches!(inst.payload, Payload::None | Payload::Math(_))
}

/// Element, first channel, channels, stride in elements.
fn shape(inst: &Inst<Virtual>) -> Option<(u32, u8, u32, u8)> {
    match inst.dst {
        Dst::Direct { horz, ty, .. } => Some((ty.bytes(), inst.chan, inst.exec.lanes(), horz)),
        _ => None,
    }
}

/// Takes out what is `nop`.
pub(super) fn drop_nops(kernel: &mut Kernel<Virtual>) {
    // A breakpoint is a `nop` that the program asks for.
    let stays = |inst: &Inst<Virtual>| inst.op != Op::Nop || inst.opts.has(Options::BREAKPOINT);
    kernel.blocks.iter_mut().for_each(|block| block.insts.retain(stays));
}

#[cfg(test)]
mod tests {
    use super::*;
    use gen_ir::{Block, ExecSize, GrfNum, Reg, Region, Src, Type, Var, VarClass, VarId};
    use platforms::Platform;

    fn clean(k: &mut Kernel<Virtual>) {
        let mut use_counts = UseCounts::default();
        use_counts.count(k);
        eliminate(k, 32, Legality::Legal, &mut use_counts);
        drop_nops(k);
    }

    #[test]
    fn a_chain_that_nobody_reads_disappears() {
        let mut k: Kernel<Virtual> = Kernel::new("k", Platform::Skl);
        let v: Vec<VarId> = (0..3).map(|_| k.add_var(Var::temp(VarClass::General, 32, 32))).collect();
        let add = |d: VarId, s: VarId| {
            let mut i = Inst::new(Op::Add, ExecSize::S8);
            i.dst = Dst::packed(Reg::var_at(d, 0), Type::D);
            i.src[0] = Src::packed(Reg::var_at(s, 0), Type::D);
            i.src[1] = Src::d(1);
            i
        };
        let mut last = Inst::new(Op::Mov, ExecSize::S8);
        last.dst = Dst::packed(Reg::grf(GrfNum::new(112), 0), Type::D);
        last.src[0] = Src::packed(Reg::var_at(v[0], 0), Type::D);
        k.blocks.push(Block {
            insts: vec![add(v[0], v[0]), add(v[1], v[0]), add(v[2], v[1]), last],
            succs: Default::default(),
        });
        clean(&mut k);
        assert_eq!(k.inst_count(), 2);
    }

    fn run(insts: impl Fn(&[VarId]) -> Vec<Inst<Virtual>>) -> usize {
        let mut k = Kernel::new("k", Platform::Skl);
        let v: Vec<VarId> = (0..2).map(|_| k.add_var(Var::temp(VarClass::General, 64, 32))).collect();
        v.iter().for_each(|v| k.vars[v.index()].live_out = true);
        k.blocks.push(Block { insts: insts(&v), succs: Default::default() });
        clean(&mut k);
        k.blocks[0].insts.len()
    }

    fn mov(to: VarId, src: Src<Virtual>, lanes: ExecSize) -> Inst<Virtual> {
        let mut i = Inst::new(Op::Mov, lanes);
        i.dst = Dst::packed(Reg::var_at(to, 0), Type::D);
        i.src[0] = src;
        i
    }

    #[test]
    fn only_the_last_of_equal_writes_stays() {
        let s8 = ExecSize::S8;
        assert_eq!(run(|v| vec![mov(v[0], Src::d(1), s8), mov(v[0], Src::d(2), s8)]), 1);
    }

    #[test]
    fn what_is_read_or_wider_stays() {
        let (s8, s16) = (ExecSize::S8, ExecSize::S16);
        let read = |v| Src::new(Reg::var_at(v, 0), Region::new(8, 8, 1), Type::D);
        let between =
            |v: &[VarId]| vec![mov(v[0], Src::d(1), s8), mov(v[1], read(v[0]), s8), mov(v[0], Src::d(2), s8)];
        assert_eq!(run(between), 3);
        assert_eq!(run(|v| vec![mov(v[0], Src::d(1), s16), mov(v[0], Src::d(2), s8)]), 2);
        let unmasked =
            |v: &[VarId]| vec![Inst { no_mask: true, ..mov(v[0], Src::d(1), s8) }, mov(v[0], Src::d(2), s8)];
        assert_eq!(run(unmasked), 2);
    }
}
