//! Flags and addresses that do not fit: backed by general registers.
//!
//! A variable that lost its place gets a backing, a general variable of its size. First it is split into
//! one short variable a block, filled from the backing before the first access that needs the old value
//! and stored after the last write if the value lives on. If such a split does not fit either, it is
//! split again, into one variable an instruction, which always fits.
//!
//! Copies ignore the execution mask: a flag's bits of waiting lanes move along.

use crate::analysis::{access::Kind, accesses::Accesses, history::History, liveness::Liveness};
use gen_ir::{
    Base, Dst, ExecSize, Inst, Kernel, Op, Pool, Reg, Region, Role, Src, Type, Var, VarClass, VarId, Virtual,
};
use narrow::to_index;

/// Memory of splitting.
#[derive(Default)]
pub(crate) struct ArfSplitMemory {
    lost: Vec<bool>,
    /// The block of each variable that lives in one.
    blocks_of: Vec<u32>,
    /// What stands for each variable now.
    split: Vec<Option<VarId>>,
    /// The last write of each variable in the block at hand.
    last_write: Vec<u32>,
    new: Vec<Inst<Virtual>>,
    opened: Vec<u32>,
    mine: Vec<u32>,
}

/// Splits the variables in `spilled`. Returns the number of copies added.
pub(crate) fn split(
    kernel: &mut Kernel<Virtual>,
    spilled: &[VarId],
    history: &mut History,
    (accesses, live): (&Accesses, &Liveness),
    memory: &mut ArfSplitMemory,
    pool: &mut Pool<Virtual>,
) -> u32 {
    let ArfSplitMemory { lost, blocks_of, split, last_write, new, opened, mine } = memory;
    history.grow(kernel.vars.len());
    lost.clear();
    lost.resize(kernel.vars.len(), false);
    blocks_of.clear();
    blocks_of.resize(kernel.vars.len(), u32::MAX);
    for v in spilled {
        lost[v.index()] = true;
        if history.backing[v.index()].is_none() {
            let var = &kernel.vars[v.index()];
            let bytes = var.bytes.next_multiple_of(2);
            history.backing[v.index()] =
                Some(kernel.add_var(Var::temp(VarClass::General, bytes, bytes.next_power_of_two().min(32))));
            history.grow(kernel.vars.len());
        }
    }
    lost.resize(kernel.vars.len(), false);
    // What lives in one block gains nothing from a split a block.
    for b in 0..kernel.blocks.len() {
        for a in accesses.of_block(b) {
            let seen = &mut blocks_of[a.var as usize];
            *seen = if *seen == u32::MAX || *seen == to_index(b) { to_index(b) } else { u32::MAX - 1 };
        }
    }
    let mut copies = 0;
    split.clear();
    split.resize(lost.len(), None);
    last_write.clear();
    last_write.resize(lost.len(), u32::MAX);
    for b in 0..kernel.blocks.len() {
        let range = accesses.block(b);
        if !accesses.of_block(b).iter().any(|a| lost[a.var as usize]) {
            continue;
        }
        new.clear();
        for i in range.clone() {
            for a in accesses.of(i).iter().filter(|a| lost[a.var as usize] && a.kind.has(Kind::WRITE)) {
                last_write[a.var as usize] = to_index(i);
            }
        }
        let (start_of_block, end_of_block) = (to_index(range.start) * 2, to_index(range.end) * 2);
        opened.clear();
        for i in range.clone() {
            let inst = kernel.blocks[b].insts[i - range.start];
            mine.clear();
            mine.extend(accesses.of(i).iter().map(|a| a.var).filter(|&v| lost[v as usize]));
            if mine.is_empty() {
                new.push(inst);
                continue;
            }
            mine.sort_unstable();
            mine.dedup();
            let at = to_index(i) * 2;
            for &v in &*mine {
                if split[v as usize].is_some() {
                    continue;
                }
                let one_block = blocks_of[v as usize] == to_index(b);
                let alone = history.split[v as usize] || one_block;
                if alone && only_operand(&inst, VarId(v)) {
                    split[v as usize] = history.backing[v as usize];
                    continue;
                }
                let var = kernel.vars[v as usize].clone();
                let id = kernel.add_var(Var { fixed: None, live_in: false, live_out: false, ..var });
                history.grow(kernel.vars.len());
                history.backing[id.index()] = history.backing[v as usize];
                history.split[id.index()] = true;
                opened.push(v);
                split[v as usize] = Some(id);
                if alone {
                    kernel.vars[id.index()].no_spill = true;
                }
                let old = if at == start_of_block { live.at_start(v, at) } else { live.before(v, at) };
                if old && let Some(backing) = history.backing[v as usize] {
                    copies += copy(new, id, backing, kernel.vars[id.index()].bytes, inst.origin);
                }
            }
            new.push(inst.map_regs(|_, r| match r.base() {
                Base::Var(v) => match split.get(v.index()).copied().flatten() {
                    Some(p) => Reg::var_at(p, r.byte),
                    None => r,
                },
                _ => r,
            }));
            for &v in &*mine {
                let Some(id) = split[v as usize] else { continue };
                if history.backing[v as usize] == Some(id) {
                    split[v as usize] = None;
                    continue;
                }
                let alone = kernel.vars[id.index()].no_spill;
                let wrote = accesses.of(i).iter().any(|a| a.var == v && a.kind.has(Kind::WRITE));
                let after = at + 2;
                let store = if !alone {
                    last_write[v as usize] == to_index(i) && live.at_end(v, end_of_block)
                } else if after == end_of_block {
                    wrote && live.at_end(v, after)
                } else {
                    wrote && live.before(v, after)
                };
                if store && let Some(backing) = history.backing[v as usize] {
                    copies += copy(new, backing, id, kernel.vars[id.index()].bytes, inst.origin);
                }
                if alone {
                    split[v as usize] = None;
                }
            }
        }
        for v in opened.drain(..) {
            split[v as usize] = None;
        }
        pool.store(&mut kernel.blocks[b].insts, new);
    }
    copies
}

/// Whether the instruction names the variable as a plain operand only: a general register will do.
fn only_operand(inst: &Inst<Virtual>, var: VarId) -> bool {
    let mut plain = true;
    inst.for_each_reg(|role, reg| {
        plain &= reg.var() != Some(var) || matches!(role, Role::Src(_) | Role::Dst);
    });
    plain
}

/// Copies `bytes` bytes from `from` to `to`, ignoring the execution mask. Returns the instructions added.
fn copy(out: &mut Vec<Inst<Virtual>>, to: VarId, from: VarId, bytes: u32, origin: u32) -> u32 {
    let mut at = 0;
    let mut n = 0;
    while at < bytes {
        let left = bytes - at;
        let (ty, exec) = match left {
            4 => (Type::Ud, ExecSize::S1),
            _ => {
                let words = 1 << (left / 2).max(1).ilog2().min(4);
                (Type::Uw, ExecSize::from_lanes(words).unwrap_or(ExecSize::S1))
            }
        };
        let region = if exec == ExecSize::S1 { Region::SCALAR } else { Region::PACKED };
        out.push(Inst {
            no_mask: true,
            dst: Dst::packed(Reg::var_at(to, at), ty),
            src: [Src::new(Reg::var_at(from, at), region, ty), Src::None, Src::None],
            origin,
            ..Inst::new(Op::Mov, exec)
        });
        at += exec.lanes() * ty.bytes();
        n += 1;
    }
    n
}
