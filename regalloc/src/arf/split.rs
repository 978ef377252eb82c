//! Flags and addresses that do not fit: backed by general registers.
//!
//! A variable that found no place gets a backing, a general variable of its size. First it is split into
//! one short variable a block, filled from the backing before the first access that needs the old value
//! and stored after the last write if the value lives on. If such a split does not fit either, it is
//! split again, into one variable an instruction, which always fits.
//!
//! Copies ignore the execution mask: a flag's bits of waiting lanes move along.

use crate::analysis::{
    access::Kind, accesses::Accesses, history::History, liveness::Liveness, position::Position,
};
use gen_ir::{
    Base, Dst, ExecSize, Inst, Kernel, OnlyBlock, Op, Pool, Reg, Region, Role, Src, Type, Var, VarClass,
    VarId, Virtual,
};
use narrow::to_index;
use typed_index_collections::{TiSlice, TiVec};

/// Memory of splitting.
#[derive(Default)]
pub(crate) struct ArfSplitMemory {
    unplaced: TiVec<VarId, bool>,
    /// The block of each variable that lives in one.
    blocks_of: TiVec<VarId, OnlyBlock>,
    /// What stands for each variable now.
    split: TiVec<VarId, Option<VarId>>,
    /// The last write of each variable in the block at hand.
    last_write: TiVec<VarId, u32>,
    new: Vec<Inst<Virtual>>,
    opened: Vec<VarId>,
    mine: Vec<VarId>,
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
    history.grow(kernel.vars.len());
    for v in spilled {
        if history.backing[*v].is_none() {
            let var = &kernel.vars[v.index()];
            let bytes = var.bytes.next_multiple_of(2);
            let align = bytes.next_power_of_two().min(32);
            // It stands for what the variable does: a temporary would hold nothing where the one block starts that touches it.
            let backing = Var { origin: var.origin, ..Var::temp(VarClass::General, bytes, align) };
            history.backing[*v] = Some(kernel.add_var(backing));
            history.grow(kernel.vars.len());
        }
    }
    memory.start(kernel.vars.len(), spilled);
    memory.find_blocks(kernel.blocks.len(), accesses);
    let mut splitter = ArfSplitter { history, accesses, live, memory, copies: 0 };
    for b in 0..kernel.blocks.len() {
        if accesses.of_block(b).iter().any(|a| splitter.memory.unplaced[a.var]) {
            splitter.split_block(kernel, b);
            pool.store(&mut kernel.blocks[b].insts, &splitter.memory.new);
        }
    }
    splitter.copies
}

impl ArfSplitMemory {
    /// Begins with a kernel of so many variables, of which `spilled` are to be split.
    fn start(&mut self, vars: usize, spilled: &[VarId]) {
        self.unplaced.clear();
        self.unplaced.resize(vars, false);
        spilled.iter().for_each(|v| self.unplaced[*v] = true);
        self.blocks_of.clear();
        self.blocks_of.resize(vars, OnlyBlock::NONE);
        self.split.clear();
        self.split.resize(vars, None);
        self.last_write.clear();
        self.last_write.resize(vars, u32::MAX);
    }

    /// Finds what lives in one block: it gains nothing from a split a block.
    fn find_blocks(&mut self, blocks: usize, accesses: &Accesses) {
        for b in 0..blocks {
            for a in accesses.of_block(b) {
                self.blocks_of[a.var].add(b.into());
            }
        }
    }
}

/// Splitting of the variables of a kernel.
struct ArfSplitter<'a> {
    history: &'a mut History,
    accesses: &'a Accesses,
    live: &'a Liveness,
    memory: &'a mut ArfSplitMemory,
    copies: u32,
}

impl ArfSplitter<'_> {
    /// Makes the new instructions of block `b`.
    fn split_block(&mut self, kernel: &mut Kernel<Virtual>, b: usize) {
        let (accesses, range) = (self.accesses, self.accesses.block(b));
        let ArfSplitMemory { unplaced, last_write, new, opened, .. } = &mut *self.memory;
        new.clear();
        opened.clear();
        for i in range.clone() {
            for a in accesses.of(i).iter().filter(|a| unplaced[a.var] && a.kind.has(Kind::WRITE)) {
                last_write[a.var] = to_index(i);
            }
        }
        let mut mine = std::mem::take(&mut self.memory.mine);
        for i in range.clone() {
            let inst = kernel.blocks[b].insts[i - range.start];
            mine.clear();
            let touched = accesses.of(i).iter().map(|a| a.var);
            mine.extend(touched.filter(|&v| self.memory.unplaced[v]));
            mine.sort_unstable();
            mine.dedup();
            for &v in &mine {
                if self.memory.split[v].is_none() {
                    self.open(kernel, v, &inst, (b, i));
                }
            }
            let ArfSplitMemory { split, new, .. } = &mut *self.memory;
            new.push(if mine.is_empty() { inst } else { renamed(&inst, split) });
            for &v in &mine {
                self.close(kernel, v, &inst, (b, i));
            }
        }
        self.memory.mine = mine;
        let ArfSplitMemory { split, opened, .. } = &mut *self.memory;
        opened.drain(..).for_each(|v| split[v] = None);
    }

    /// Has a variable stand for `v` from instruction `i` of block `b` on, filled with what is needed.
    fn open(&mut self, kernel: &mut Kernel<Virtual>, v: VarId, inst: &Inst<Virtual>, (b, i): (usize, usize)) {
        let History { backing, split, .. } = &mut *self.history;
        let alone = split[v] || self.memory.blocks_of[v].is(b.into());
        if alone && only_operand(inst, v) {
            self.memory.split[v] = backing[v];
            return;
        }
        let var = kernel.vars[v.index()].clone();
        let no_spill = alone || var.no_spill;
        let var = Var { fixed: None, live_in: false, live_out: false, no_spill, ..var };
        let bytes = var.bytes;
        let id = kernel.add_var(var);
        let backing_of_it = backing[v];
        self.history.grow(kernel.vars.len());
        self.history.backing[id] = backing_of_it;
        self.history.split[id] = true;
        self.memory.opened.push(v);
        self.memory.split[v] = Some(id);
        if self.live.comes_to(v, i, &self.accesses.block(b))
            && let Some(backing) = backing_of_it
        {
            self.copies += copy(&mut self.memory.new, id, backing, bytes, inst.origin);
        }
    }

    /// Stores what instruction `i` of block `b` leaves in what stands for `v`, if it is needed behind.
    fn close(&mut self, kernel: &Kernel<Virtual>, v: VarId, inst: &Inst<Virtual>, (b, i): (usize, usize)) {
        let Some(id) = self.memory.split[v] else { return };
        let backing = self.history.backing[v];
        if backing == Some(id) {
            self.memory.split[v] = None;
            return;
        }
        let var = &kernel.vars[id.index()];
        let (end_of_block, after) = (Position::before(self.accesses.block(b).end), Position::before(i + 1));
        let wrote = || self.accesses.of(i).iter().any(|a| a.var == v && a.kind.has(Kind::WRITE));
        let store = if !var.no_spill {
            self.memory.last_write[v] == to_index(i) && self.live.at_end(v, end_of_block)
        } else if after == end_of_block {
            wrote() && self.live.at_end(v, after)
        } else {
            wrote() && self.live.before(v, after)
        };
        if store && let Some(backing) = backing {
            self.copies += copy(&mut self.memory.new, backing, id, var.bytes, inst.origin);
        }
        if var.no_spill {
            self.memory.split[v] = None;
        }
    }
}

/// An instruction with what stands for its variables.
fn renamed(inst: &Inst<Virtual>, split: &TiSlice<VarId, Option<VarId>>) -> Inst<Virtual> {
    inst.map_regs(|_, r| match r.base() {
        Base::Var(v) => match split.get(v).copied().flatten() {
            Some(p) => Reg::var_at(p, r.byte),
            None => r,
        },
        _ => r,
    })
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
