//! Conditions that nobody reads, channel by channel.
//!
//! A flag of 32 channels is written in two halves. Where only a uniform goto reads it, that looks at the first channel,
//! and the comparison for the upper half is for nobody.

use gen_ir::{Class, Dst, InPlace, Inst, Kernel, Op, PredCtrl, Reg, Role, Src, VarClass, Virtual};

use super::{dead::is_pure, use_counts::UseCounts};
use crate::lists::refill;

/// Takes away conditions of which no channel is read, and comparisons that make nothing else. Whether there were any;
/// counts of readers stay right.
pub(super) fn drop_unread(
    kernel: &mut Kernel<Virtual>,
    use_counts: &mut UseCounts,
    read: &mut Vec<u32>,
) -> bool {
    // Smaller flags are written as a whole.
    if !kernel.vars.iter().any(|v| v.class == VarClass::Flag && v.bytes > 2)
        || !kernel.insts().any(|(_, inst)| is_bare(inst))
    {
        return false;
    }
    let mut changed = false;
    while sweep(kernel, use_counts, read) {
        changed = true;
    }
    changed
}

/// Whether another time may find more.
fn sweep(kernel: &mut Kernel<Virtual>, use_counts: &mut UseCounts, read: &mut Vec<u32>) -> bool {
    let Kernel { vars, blocks, .. } = kernel;
    refill(read, vars.iter().map(|v| if v.live_out || v.address_taken { u32::MAX } else { 0 }));
    for inst in blocks.iter().flat_map(|b| &b.insts) {
        // What a comparison changes where it holds already is of use only to those who read the result.
        let own = inst.pred.filter(|p| p.ctrl == PredCtrl::Seq).map(|p| p.flag);
        let cond = inst.cond.map(|c| c.flag);
        let chained = inst.op == Op::Cmp && own == cond && inst.dst.reg().is_some_and(|r| r.is_null());
        let mut note = |flag: Reg<Virtual>, role| {
            if let Some(v) = flag.var().filter(|v| vars[v.index()].class == VarClass::Flag) {
                read[v.index()] |= channels(inst, role, flag);
            }
        };
        if let Some(pred) = inst.pred.filter(|_| !chained) {
            note(pred.flag, Role::Pred);
        }
        for (src, i) in inst.src.iter().zip(0..) {
            if let Src::Direct { reg, .. } | Src::Macro { reg, .. } | Src::AddrOf { reg: InPlace(reg), .. } =
                *src
            {
                note(reg, Role::Src(i));
            }
        }
    }
    let mut again = false;
    for inst in blocks.iter_mut().flat_map(|b| &mut b.insts) {
        let Some(cond) = inst.cond.filter(|_| is_bare(inst)) else { continue };
        let Some(v) = cond.flag.var() else { continue };
        if read[v.index()] & channels(inst, Role::Cond, cond.flag) != 0 {
            continue;
        }
        again |= inst.pred.is_some();
        use_counts.forget_reads_of(inst);
        *inst = Inst::new(Op::Nop, inst.exec);
    }
    again
}

/// A comparison for upper channels that makes nothing but its condition.
fn is_bare(inst: &Inst<Virtual>) -> bool {
    let null = inst.dst.reg().is_none_or(|r| r.is_null()) && !matches!(inst.dst, Dst::Indirect { .. });
    inst.op == Op::Cmp && inst.cond.is_some() && inst.chan > 0 && null && is_pure(inst)
}

/// The bits of its flag that an operand reads or writes.
fn channels(inst: &Inst<Virtual>, role: Role, flag: Reg<Virtual>) -> u32 {
    let by_channel = match role {
        Role::Pred => inst.pred.is_some_and(|p| p.ctrl == PredCtrl::Seq),
        Role::Cond => true,
        _ => false,
    };
    if !by_channel || inst.op.info().class == Class::Send {
        return u32::MAX;
    }
    let lanes = (1u64 << inst.exec.lanes()) - 1;
    narrow::low_u32(lanes << (u32::from(inst.chan) + 8 * flag.byte))
}
