//! What holds of a kernel between passes.
//!
//! At every stage:
//! - branches stand at the end of their block, `join` and `endif` at its start;
//! - targets and successors are blocks of the kernel, and control does not run past the last one;
//! - the block that a branch's lanes go to is among the successors, so [`Cfg`](crate::Cfg) knows of it;
//! - operands stay inside their variable, or inside the register file.
//!
//! Then what the stage's [`Profile`] adds.

use narrow::{as_index, to_index};

use crate::{Base, BlockId, Extent, Inst, Kernel, Op, Outside, Payload, Reg, Role, Space, Target, Waits};
use std::fmt;

/// What passes have done for a kernel, for good: each of these holds from its pass on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Profile {
    /// Nothing yet: branches name blocks.
    Lowered,
    /// Branches know JIP, and the instruction pointer passes no place where lanes wait.
    Structured,
    /// Nothing is left of the calling convention's marks but calls of functions by their number.
    Expanded,
    /// Behind the end of the thread may stand words that nothing runs.
    Identified,
}

/// A rule that a kernel breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The block.
    pub block: BlockId,
    /// Index of the instruction in the block.
    pub inst: usize,
    /// What is wrong.
    pub what: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "block {}, instruction {}: {}", self.block.0, self.inst, self.what)
    }
}

/// Every rule that `kernel` breaks, in layout order.
pub fn verify<S: Space>(kernel: &Kernel<S>, profile: Profile) -> Vec<Violation> {
    let mut out = Vec::new();
    let structured = profile >= Profile::Structured;
    let n = kernel.blocks.len();
    // The next place where lanes may wait while the pointer is in a block.
    let mut next_wait: Vec<Option<u32>> = vec![None; n];
    if structured {
        for (t, s) in Waits::of(kernel).iter() {
            for w in &mut next_wait[s.index()..t.index()] {
                *w = Some(w.map_or(t.0, |x| x.min(t.0)));
            }
        }
    }
    for (b, block) in kernel.blocks.iter().enumerate() {
        let end = block.insts.iter().position(Inst::is_eot).filter(|_| profile >= Profile::Identified);
        let last = end.unwrap_or(block.insts.len().saturating_sub(1));
        let mut report = |inst: usize, what: String| {
            out.push(Violation { block: BlockId(to_index(b)), inst, what });
        };
        for s in &block.succs {
            if s.index() >= n {
                report(last, format!("successor {} does not exist", s.0));
            }
        }
        if let Some(to) = block.insts.get(last).and_then(taken)
            && to.index() < n
            && !block.succs.contains(&to)
        {
            report(last, format!("the target, block {}, is no successor", to.0));
        }
        let ends = block.insts.get(last).is_some_and(leaves);
        if b + 1 == n && !ends {
            report(last, "control runs past the last block".into());
        }
        for (i, inst) in block.insts.iter().enumerate() {
            let opens = inst.op.opens_block();
            if opens && i > 0 {
                report(i, format!("`{}` is not at the start of its block", inst.op));
            } else if !opens && i < last && (inst.is_eot() || inst.op.is_branch() && !inside(inst, profile)) {
                report(i, format!("`{}` is not at the end of its block", inst.op));
            }
            for fault in operands(kernel, inst) {
                report(i, fault);
            }
            if let Some(fault) = targets(inst, b, n, structured, next_wait[b]) {
                report(i, fault);
            }
            let mark = matches!(inst.payload, Payload::Outside(o) if !matches!(o, Outside::Callee(_)));
            if mark && profile >= Profile::Expanded {
                report(i, "a mark of the calling convention is left".into());
            }
        }
    }
    out
}

/// Whether a branch is a part of the sequence that a call through an address has become: it goes a few bytes
/// on, or comes back.
fn inside<S: Space>(inst: &Inst<S>, profile: Profile) -> bool {
    profile >= Profile::Expanded && inst.branch_target().is_none()
}

/// The block that lanes go to which take a branch.
fn taken<S: Space>(inst: &Inst<S>) -> Option<BlockId> {
    let Payload::Branch { jip, uip, .. } = inst.payload else { return None };
    let to = match inst.op {
        Op::Goto | Op::Break | Op::Cont => uip,
        Op::Jmpi | Op::If | Op::Else | Op::While | Op::Call => jip,
        _ => return None,
    };
    match to {
        Target::Block(to) => Some(to),
        _ => None,
    }
}

/// Whether control never runs on behind the instruction.
fn leaves<S: Space>(inst: &Inst<S>) -> bool {
    inst.is_eot()
        || (inst.pred.is_none()
            && matches!(inst.op, Op::Jmpi | Op::Goto | Op::Ret | Op::Brd | Op::Brc | Op::Else | Op::Halt))
}

fn targets<S: Space>(
    inst: &Inst<S>,
    b: usize,
    blocks: usize,
    structured: bool,
    next_wait: Option<u32>,
) -> Option<String> {
    let Payload::Branch { jip, uip, ctrl } = inst.payload else { return None };
    for t in [jip, uip] {
        if let Target::Block(t) = t
            && t.index() >= blocks
        {
            return Some(format!("target {} does not exist", t.0));
        }
    }
    if !structured || matches!(inst.op, Op::Call | Op::Calla | Op::Ret) {
        return None;
    }
    let Target::Block(to) = jip else {
        // A target in a register, or a byte offset, is not looked into.
        return (jip == Target::None && inst.op != Op::Jmpi).then(|| format!("`{}` has no JIP", inst.op));
    };
    let forward = to.index() > b;
    if forward
        && !ctrl
        && let Some(w) = next_wait
        && w < to.0
        // `else` wakes those who wait right behind it.
        && !(inst.op == Op::Else && as_index(w) == b + 1)
    {
        return Some(format!("`{}` to block {} passes block {w}, where lanes wait", inst.op, to.0));
    }
    None
}

fn operands<S: Space>(kernel: &Kernel<S>, inst: &Inst<S>) -> Vec<String> {
    let caps = kernel.platform.caps();
    let grf = u32::from(caps.regs.grf_bytes);
    let mut out = Vec::new();
    inst.for_each_reg(|role, reg: Reg<S>| {
        let extent = match role {
            Role::AddrOf(_) => Extent::new(reg.byte, 0),
            _ => inst.extent(role, grf).unwrap_or(Extent::new(reg.byte, 1)),
        };
        match reg.base() {
            Base::Grf(n) => {
                let first = n.start(grf).bytes();
                let end = first + extent.end;
                // The longest idle region reaches past what it reads; only its start is certain.
                let sure = matches!(role, Role::Dst);
                let start = first + reg.byte;
                let size = u32::from(kernel.grf_count) * grf;
                if start >= size || (sure && end > size) {
                    out.push(format!(
                        "{role:?}: {n} byte {} is outside of {} registers",
                        reg.byte,
                        size / grf
                    ));
                }
            }
            Base::Arf(_) => {}
            Base::Var(v) => match kernel.vars.get(S::var_index(v)) {
                None => out.push(format!("{role:?}: variable {} does not exist", S::var_index(v))),
                Some(var) => {
                    let outside = reg.byte >= var.bytes || (role == Role::Dst && extent.end > var.bytes);
                    if outside && !(role == Role::Dst && inst.op.is_send()) {
                        out.push(format!(
                            "{role:?}: bytes {}..{} of variable {}, which has {}",
                            reg.byte,
                            extent.end,
                            S::var_index(v),
                            var.bytes
                        ));
                    }
                }
            },
        }
    });
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Block, Desc, Dst, ExecSize, GrfNum, SendInfo, Sfid, Src, Type, Var, VarClass, Virtual};
    use platforms::Platform;

    fn eot() -> Inst<Virtual> {
        Inst {
            no_mask: true,
            dst: Dst::null(Type::Ud),
            src: [Src::packed(Reg::grf(GrfNum::new(127), 0), Type::Ud), Src::None, Src::None],
            payload: Payload::Send(SendInfo {
                sfid: Sfid::Spawner,
                desc: Desc::Imm(messages::spawner::end_of_thread()),
                ex_desc: Desc::Imm(messages::ExtendedDescriptor::new()),
                eot: true,
                dst_len: 0,
                src0_len: 1,
                src1_len: 0,
            }),
            ..Inst::new(Op::Send, ExecSize::S8)
        }
    }

    fn branch(op: Op, jip: Option<u32>, uip: Option<u32>) -> Inst<Virtual> {
        let block = |t: Option<u32>| t.map_or(Target::None, |t| Target::Block(BlockId(t)));
        Inst {
            payload: Payload::Branch { jip: block(jip), uip: block(uip), ctrl: false },
            ..Inst::new(op, ExecSize::S8)
        }
    }

    fn kernel(blocks: Vec<Vec<Inst<Virtual>>>) -> Kernel<Virtual> {
        let mut k = Kernel::new("t", Platform::Skl);
        k.add_var(Var::temp(VarClass::General, 32, 32));
        let count = blocks.len();
        let block = |insts: Vec<Inst<Virtual>>| {
            let succs = insts.last().and_then(taken).into_iter().filter(|to| to.index() < count).collect();
            Block { insts, succs }
        };
        k.blocks = blocks.into_iter().map(block).collect();
        k
    }

    fn faults(k: &Kernel<Virtual>) -> Vec<String> {
        verify(k, Profile::Structured).into_iter().map(|v| v.to_string()).collect()
    }

    #[test]
    fn well_formed() {
        let join = branch(Op::Join, Some(2), None);
        let k = kernel(vec![vec![branch(Op::Goto, Some(1), Some(1))], vec![join], vec![eot()]]);
        assert_eq!(faults(&k), Vec::<String>::new());
    }

    #[test]
    fn places_of_branches() {
        let k = kernel(vec![vec![branch(Op::Jmpi, Some(0), None), eot()]]);
        assert_eq!(faults(&k), ["block 0, instruction 0: `jmpi` is not at the end of its block"]);
        let k = kernel(vec![
            vec![Inst::new(Op::Nop, ExecSize::S1), branch(Op::Join, Some(1), None)],
            vec![eot()],
        ]);
        assert_eq!(faults(&k), ["block 0, instruction 1: `join` is not at the start of its block"]);
        let k = kernel(vec![vec![Inst::new(Op::Nop, ExecSize::S1)]]);
        assert_eq!(faults(&k), ["block 0, instruction 0: control runs past the last block"]);
    }

    #[test]
    fn targets_exist_and_pass_nobody() {
        let k = kernel(vec![vec![branch(Op::Jmpi, Some(7), None)], vec![eot()]]);
        assert_eq!(faults(&k), ["block 0, instruction 0: target 7 does not exist"]);
        // Lanes wait at block 2 while block 1 jumps to block 3.
        let k = kernel(vec![
            vec![branch(Op::Goto, Some(2), Some(2))],
            vec![branch(Op::Jmpi, Some(3), None)],
            vec![branch(Op::Join, Some(3), None)],
            vec![eot()],
        ]);
        assert_eq!(
            faults(&k),
            ["block 1, instruction 0: `jmpi` to block 3 passes block 2, where lanes wait"]
        );
    }

    #[test]
    fn successors_know_the_target() {
        let mut k = kernel(vec![vec![branch(Op::Jmpi, Some(1), None)], vec![eot()]]);
        assert_eq!(faults(&k), Vec::<String>::new());
        k.blocks[0].succs.clear();
        assert_eq!(faults(&k), ["block 0, instruction 0: the target, block 1, is no successor"]);
    }

    #[test]
    fn operands_stay_inside() {
        let mov = |reg| Inst {
            dst: Dst::packed(reg, Type::Ud),
            src: [Src::ud(1), Src::None, Src::None],
            ..Inst::new(Op::Mov, ExecSize::S8)
        };
        let var = crate::VarId(0);
        let k = kernel(vec![vec![mov(Reg::var_at(var, 0)), eot()]]);
        assert_eq!(faults(&k), Vec::<String>::new());
        let k = kernel(vec![vec![mov(Reg::var_at(var, 4)), eot()]]);
        assert_eq!(faults(&k), ["block 0, instruction 0: Dst: bytes 4..36 of variable 0, which has 32"]);
        let k = kernel(vec![vec![mov(Reg::grf(GrfNum::new(127), 8)), eot()]]);
        assert_eq!(faults(&k), ["block 0, instruction 0: Dst: r127 byte 8 is outside of 128 registers"]);
    }
}
