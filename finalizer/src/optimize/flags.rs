//! Conditions that nobody reads, channel by channel.
//!
//! A flag of 32 channels is written in two halves. Where only a uniform goto reads it, that looks at the first channel,
//! and the comparison for the upper half is for nobody.

use gen_ir::{Class, Dst, Inst, Kernel, Op, PredCtrl, Reg, Role, VarClass, Virtual};

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
    if !kernel.vars.iter().any(|v| v.class == VarClass::Flag && v.bytes > 2) {
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
        inst.for_each_reg(|role, reg| {
            if chained && role == Role::Pred {
                return;
            }
            if let Some(v) = reg.var().filter(|v| vars[v.index()].class == VarClass::Flag) {
                read[v.index()] |= if role.is_write() { 0 } else { channels(inst, role, reg) };
            }
        });
    }
    let mut again = false;
    for inst in blocks.iter_mut().flat_map(|b| &mut b.insts) {
        let Some(cond) = inst.cond.filter(|_| inst.chan > 0 && !matches!(inst.op, Op::Sel | Op::Csel)) else {
            continue;
        };
        let Some(v) = cond.flag.var() else { continue };
        if read[v.index()] & channels(inst, Role::Cond, cond.flag) != 0 {
            continue;
        }
        let null = inst.dst.reg().is_none_or(|r| r.is_null()) && !matches!(inst.dst, Dst::Indirect { .. });
        if null && inst.op == Op::Cmp && is_pure(inst) {
            again |= inst.pred.is_some();
            use_counts.forget_reads_of(inst);
            *inst = Inst::new(Op::Nop, inst.exec);
        }
    }
    again
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
