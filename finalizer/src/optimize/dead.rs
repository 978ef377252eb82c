//! Dead code: instructions whose results nobody reads.
//!
//! A variable that no instruction reads (and that neither the runtime nor an address can reach) needs
//! no writes; removing them may leave more such variables, so the pass walks backwards over uses with
//! a worklist until nothing changes. Each instruction is visited a bounded number of times.

use gen_ir::{Dst, Extent, Inst, Kernel, Op, Payload, Region, Role, Src, VarId, Virtual};

use super::homes::Homes;
use crate::lists::reset;

/// Removes instructions that only write variables which are never read. Returns whether code elsewhere may
/// read what the kernel writes: there are calls, returns or marks of the calling convention.
pub fn eliminate(kernel: &mut Kernel<Virtual>, reads: &mut Vec<u32>) -> bool {
    reset(reads, kernel.vars.len(), 0);
    let mut elsewhere = false;
    for (_, inst) in kernel.insts() {
        each_read(inst, |v| reads[v.index()] += 1);
        elsewhere |= goes_elsewhere(inst);
    }
    for (v, var) in kernel.vars.iter().enumerate() {
        if var.live_out || var.address_taken {
            reads[v] += 1;
        }
    }
    // Later code is mostly what reads earlier code: going backwards, a chain dies in one sweep. Another one
    // finds something only if a variable lost its last reader after a write of it was left.
    let mut again = true;
    while std::mem::take(&mut again) {
        for block in kernel.blocks.iter_mut().rev() {
            let mut removed = false;
            for inst in block.insts.iter_mut().rev() {
                if is_dead(inst, reads) {
                    each_read(inst, |v| {
                        reads[v.index()] -= 1;
                        again |= reads[v.index()] == LEFT;
                    });
                    *inst = Inst::new(Op::Nop, inst.exec);
                    removed = true;
                    continue;
                }
                let flag = inst.cond.as_ref().map(|c| c.flag);
                for v in [inst.dst.reg(), flag].into_iter().flatten().filter_map(|r| r.var()) {
                    reads[v.index()] |= LEFT;
                }
            }
            if removed {
                block.insts.retain(|i| i.op != Op::Nop);
            }
        }
        if again {
            reads.iter_mut().for_each(|n| *n &= !LEFT);
        }
    }
    elsewhere
}

/// Beside the number of a variable's readers: an instruction that writes it was left where it is.
const LEFT: u32 = 1 << 31;

/// Whether an instruction has to do with code elsewhere.
pub(super) fn goes_elsewhere(inst: &Inst<Virtual>) -> bool {
    matches!(inst.op, Op::Call | Op::Calla | Op::Ret) || matches!(inst.payload, Payload::Outside(_))
}

/// Calls `f` for every variable that the instruction reads. A variable that the instruction writes
/// in place counts only if it reads it too.
pub(super) fn each_read(inst: &Inst<Virtual>, mut f: impl FnMut(VarId)) {
    inst.for_each_reg(|role, reg| {
        if let Some(v) = reg.var()
            && !role.is_write()
        {
            f(v);
        }
    });
}

fn is_dead(inst: &Inst<Virtual>, reads: &[u32]) -> bool {
    let unread = |v: Option<VarId>| v.is_some_and(|v| reads[v.index()] & !LEFT == 0);
    let dst_dead = match inst.dst {
        Dst::Direct { reg, .. } => unread(reg.var()) || (reg.is_null() && inst.cond.is_some()),
        Dst::None => inst.cond.is_some(),
        Dst::Indirect { .. } | Dst::Macro { .. } => false,
    };
    dst_dead
        && inst.cond.is_none_or(|c| unread(c.flag.var()))
        && is_pure(inst)
        && !inst.opts.has(gen_ir::Options::ACC_WR_EN)
}

/// Whether an instruction does nothing but write its destination, a flag and perhaps the accumulator.
fn is_pure(inst: &Inst<Virtual>) -> bool {
    matches!(inst.payload, Payload::None | Payload::Math(_) | Payload::Bfn(_) | Payload::Dpas { .. })
        && !matches!(inst.op, Op::Wait | Op::Nop | Op::Illegal | Op::Addc | Op::Subb | Op::Mach | Op::Macl)
}

/// Removes writes whose bytes are overwritten before anyone reads them, for variables that one block
/// alone touches.
///
/// Going backwards, each such variable has the bytes that later code reads. A write ends that need if
/// it defines, for every channel that may read, just the element that the channel reads: an unmasked
/// write of all bytes, or a masked write where all readers are masked and read channel by channel.
pub fn eliminate_local(kernel: &mut Kernel<Virtual>, homes: &Homes, grf_bytes: u32, needs: &mut Vec<Need>) {
    reset(needs, kernel.vars.len(), Need::NONE);
    for (b, block) in kernel.blocks.iter_mut().enumerate().filter(|&(b, _)| homes.any_in(b)) {
        let mut removed = false;
        for inst in block.insts.iter_mut().rev() {
            if let Some(var) = inst.dst.reg().and_then(|r| r.var()).filter(|v| homes.only_in(*v, b))
                && let Some(bytes) = inst.dst_extent(grf_bytes)
            {
                let need = &mut needs[var.index()];
                if !need.bytes.overlaps(bytes) && removable(inst) {
                    *inst = Inst::new(Op::Nop, inst.exec);
                    removed = true;
                    continue;
                }
                if need.ended_by(inst, bytes) {
                    *need = Need::NONE;
                }
            }
            inst.for_each_reg(|role, reg| {
                if let Some(v) = reg.var()
                    && !role.is_write()
                    && homes.only_in(v, b)
                {
                    needs[v.index()].add(inst, role, inst.extent(role, grf_bytes));
                }
            });
        }
        if removed {
            block.insts.retain(|i| i.op != Op::Nop);
        }
    }
}

/// What later code of the block reads of a variable.
#[derive(Clone, Copy, Debug)]
pub struct Need {
    bytes: Extent,
    /// All readers are masked and channel `n` reads element `n` of this layout: first byte, bytes of an
    /// element, first channel, channels.
    by_channel: Option<(u32, u32, u8, u32)>,
}

impl Need {
    const NONE: Need = Need { bytes: Extent { start: 0, end: 0 }, by_channel: None };

    fn add(&mut self, inst: &Inst<Virtual>, role: Role, bytes: Option<Extent>) {
        let all = Extent { start: 0, end: u32::MAX };
        let bytes = bytes.unwrap_or(all);
        let layout = match role {
            Role::Src(i) if !inst.no_mask && matches!(inst.payload, Payload::None | Payload::Math(_)) => {
                match inst.src[usize::from(i)] {
                    Src::Direct { region, ty, .. } if lane_by_lane(region, inst.exec.lanes()) => {
                        Some((bytes.start, ty.bytes(), inst.chan, inst.exec.lanes()))
                    }
                    _ => None,
                }
            }
            _ => None,
        };
        if self.bytes.is_empty() {
            *self = Need { bytes, by_channel: layout };
        } else {
            self.bytes =
                Extent { start: self.bytes.start.min(bytes.start), end: self.bytes.end.max(bytes.end) };
            self.by_channel = self.by_channel.filter(|l| Some(*l) == layout);
        }
    }

    fn ended_by(&self, inst: &Inst<Virtual>, written: Extent) -> bool {
        if inst.pred.is_some() && inst.op != Op::Sel || !inst.dst_is_dense() || !written.contains(self.bytes)
        {
            return false;
        }
        let layout = inst.dst.ty().map(|t| (written.start, t.bytes(), inst.chan, inst.exec.lanes()));
        inst.no_mask || self.by_channel.is_some() && self.by_channel == layout
    }
}

/// Whether an instruction does nothing but write its direct destination.
pub(super) fn removable(inst: &Inst<Virtual>) -> bool {
    let writes_flag = inst.cond.is_some() && !matches!(inst.op, Op::Sel | Op::Csel);
    is_pure(inst)
        && !writes_flag
        && !inst.opts.has(gen_ir::Options::ACC_WR_EN)
        && matches!(inst.dst, Dst::Direct { .. })
}

fn lane_by_lane(region: Region, lanes: u32) -> bool {
    region.vert != Region::VXH && region.vert != Region::ABSENT && region.one_by_one(lanes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use gen_ir::{Block, ExecSize, Reg, Src, Type, Var, VarClass};
    use platforms::Platform;

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
        last.dst = Dst::packed(Reg::grf(112, 0), Type::D);
        last.src[0] = Src::packed(Reg::var_at(v[0], 0), Type::D);
        k.blocks.push(Block {
            insts: vec![add(v[0], v[0]), add(v[1], v[0]), add(v[2], v[1]), last],
            succs: Default::default(),
        });
        eliminate(&mut k, &mut Vec::new());
        assert_eq!(k.inst_count(), 2);
    }
}
