//! Dead code: instructions whose results nobody reads.
//!
//! A variable that no instruction reads (and that neither the runtime nor an address can reach) needs
//! no writes; removing them may leave more such variables, so the pass walks backwards over uses with
//! a worklist until nothing changes. Each instruction is visited a bounded number of times.

use gen_ir::{Dst, Inst, Kernel, Op, Payload, Role, VarId, Virtual};

/// Removes instructions that only write variables which are never read.
pub fn eliminate(kernel: &mut Kernel<Virtual>, _grf_bytes: u32) {
    let mut reads = vec![0u32; kernel.vars.len()];
    for (_, inst) in kernel.insts() {
        each_read(inst, |v| reads[v.index()] += 1);
    }
    for (v, var) in kernel.vars.iter().enumerate() {
        if var.live_out || var.address_taken {
            reads[v] += 1;
        }
    }
    // Later code is mostly what reads earlier code: going backwards, a chain dies in one sweep.
    loop {
        let mut removed = false;
        for block in kernel.blocks.iter_mut().rev() {
            let mut i = block.insts.len();
            while i > 0 {
                i -= 1;
                let inst = &mut block.insts[i];
                if inst.op != Op::Nop && is_dead(inst, &reads) {
                    each_read(inst, |v| reads[v.index()] -= 1);
                    *inst = Inst::new(Op::Nop, inst.exec);
                    removed = true;
                }
            }
        }
        if !removed {
            break;
        }
        for block in &mut kernel.blocks {
            block.insts.retain(|i| i.op != Op::Nop);
        }
    }
}

/// Calls `f` for every variable that the instruction reads. A variable that the instruction writes
/// in place counts only if it reads it too.
fn each_read(inst: &Inst<Virtual>, mut f: impl FnMut(VarId)) {
    inst.for_each_reg(|role, reg| {
        if let Some(v) = reg.var()
            && !matches!(role, Role::Dst | Role::Cond)
        {
            f(v);
        }
    });
}

fn is_dead(inst: &Inst<Virtual>, reads: &[u32]) -> bool {
    let unread = |v: Option<VarId>| v.is_some_and(|v| reads[v.index()] == 0);
    let pure =
        matches!(inst.payload, Payload::None | Payload::Math(_) | Payload::Bfn(_) | Payload::Dpas { .. })
            && !matches!(
                inst.op,
                Op::Wait | Op::Nop | Op::Illegal | Op::Addc | Op::Subb | Op::Mach | Op::Macl
            );
    if !pure || inst.opts.has(gen_ir::Options::ACC_WR_EN) {
        return false;
    }
    let dst_dead = match inst.dst {
        Dst::Direct { reg, .. } => unread(reg.var()) || (reg.is_null() && inst.cond.is_some()),
        Dst::None => inst.cond.is_some(),
        Dst::Indirect { .. } | Dst::Macro { .. } => false,
    };
    let cond_dead = inst.cond.is_none_or(|c| unread(c.flag.var()));
    dst_dead && cond_dead
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
            succs: vec![],
        });
        eliminate(&mut k, 32);
        assert_eq!(k.inst_count(), 2);
    }
}
