//! Values that are computed again where they are used, instead of kept in scratch memory.
//!
//! A compiler computes `i + 256` or `x << 2` once, far ahead of its uses, from values that stay alive anyway.
//! Spilled, such a variable would cost a message at its only write and one at each use; computed again it
//! costs an instruction at each use and none at the write.
//!
//! **What holds.** Each byte of such a variable is written by one plain instruction, all of them in one block.
//! What they read does not change while the variable is alive, by any lane that runs or waits: a value computed
//! again is the value that was kept. It is computed for all lanes, as the write may have run for others
//! than the use; lanes that the write never reached hold nothing that anyone reads.

use crate::{
    access::{Access, Accesses, Kind},
    home::Homes,
    liveness::Liveness,
};
use gen_ir::{Base, Class, Dst, Inst, Kernel, Op, Options, Payload, Reg, Src, VarClass, VarId, Virtual};

/// Instructions that write one variable; more are not worth repeating.
const MOST: usize = 8;

/// One of the instructions that write a variable.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Def {
    /// Its number.
    at: u32,
    /// Bytes of the variable that it writes.
    pub start: u32,
    pub end: u32,
    /// The instruction.
    pub inst: Inst<Virtual>,
}

/// The variables that are computed again, and how.
#[derive(Default)]
pub(crate) struct Remat {
    /// By variable: its first place in `defs` and the one behind its last; equal for others.
    of: Vec<(u32, u32)>,
    defs: Vec<Def>,
    writes: Touches,
    reads: Touches,
    spilled: Vec<bool>,
}

/// Accesses by variable.
#[derive(Default)]
struct Touches {
    first: Vec<u32>,
    list: Vec<Touch>,
}

#[derive(Clone, Copy, Default)]
struct Touch {
    at: u32,
    start: u32,
    end: u32,
    sure: bool,
}

impl Touches {
    /// Gathers the accesses that `wanted` names.
    fn gather(&mut self, vars: usize, accesses: &Accesses, wanted: impl Fn(&Access) -> bool) {
        self.first.clear();
        self.first.resize(vars + 1, 0);
        let insts = accesses.blocks.last().map_or(0, |&n| n as usize);
        for i in 0..insts {
            for a in accesses.of(i).iter().filter(|a| wanted(a)) {
                self.first[a.var as usize] += 1;
            }
        }
        let mut end = 0;
        for f in &mut self.first {
            end += *f;
            *f = end;
        }
        self.list.clear();
        self.list.resize(end as usize, Touch::default());
        for i in (0..insts).rev() {
            for a in accesses.of(i).iter().filter(|a| wanted(a)) {
                let f = &mut self.first[a.var as usize];
                *f -= 1;
                let sure = a.kind.has(Kind::SURE);
                self.list[*f as usize] = Touch { at: i as u32, start: a.start, end: a.end, sure };
            }
        }
    }

    fn of(&self, var: u32) -> &[Touch] {
        &self.list[self.first[var as usize] as usize..self.first[var as usize + 1] as usize]
    }
}

impl Remat {
    /// Finds those of the spilled variables that can be computed again at all their uses.
    pub fn find(
        &mut self,
        kernel: &Kernel<Virtual>,
        accesses: &Accesses,
        live: &Liveness,
        homes: &Homes,
        spilled: &[VarId],
    ) {
        let n = kernel.vars.len();
        self.of.clear();
        self.of.resize(n, (0, 0));
        self.defs.clear();
        self.spilled.clear();
        self.spilled.resize(n, false);
        for v in spilled {
            self.spilled[v.index()] = true;
        }
        let Remat { writes, reads, spilled: is_spilled, .. } = self;
        writes.gather(n, accesses, |a| a.kind.has(Kind::WRITE));
        reads.gather(n, accesses, |a| a.kind.has(Kind::READ) && is_spilled[a.var as usize]);
        let know = Know { kernel, accesses, live, homes };
        for &v in spilled {
            let first = self.defs.len();
            if know.defs(v, &self.writes, &mut self.defs)
                && know.unchanged(v, &self.defs[first..], &self.writes)
                && know.at_hand(&self.defs[first..], self.reads.of(v.0), &self.spilled)
            {
                self.of[v.index()] = (first as u32, self.defs.len() as u32);
            } else {
                self.defs.truncate(first);
            }
        }
    }

    /// The instructions that compute a variable, by their place in it; none for a variable that is kept.
    pub fn of(&self, var: u32) -> &[Def] {
        match self.of.get(var as usize) {
            Some(&(first, end)) => &self.defs[first as usize..end as usize],
            None => &[],
        }
    }
}

struct Know<'a> {
    kernel: &'a Kernel<Virtual>,
    accesses: &'a Accesses,
    live: &'a Liveness,
    homes: &'a Homes,
}

impl Know<'_> {
    /// Whether a value from before instruction `i` is needed there.
    fn lives_before(&self, var: u32, i: u32) -> bool {
        let starts = self.accesses.blocks.binary_search(&i).is_ok();
        if starts { self.live.at_start(var, 2 * i) } else { self.live.before(var, 2 * i) }
    }

    /// Adds the instructions that write `v`, if they are few, plain, of one block and each writes bytes of its own.
    fn defs(&self, v: VarId, writes: &Touches, defs: &mut Vec<Def>) -> bool {
        let var = &self.kernel.vars[v.index()];
        let writes = writes.of(v.0);
        let kept = var.live_in || var.live_out || var.address_taken || var.fixed.is_some();
        let (Some(first), Some(last)) = (writes.first(), writes.last()) else { return false };
        let block = self.block_of(first.at);
        if kept || writes.len() > MOST || self.block_of(last.at) != block || self.lives_before(v.0, first.at)
        {
            return false;
        }
        let insts = &self.kernel.blocks[block].insts;
        let top = self.accesses.blocks[block];
        let from = defs.len();
        for w in writes {
            let inst = insts[(w.at - top) as usize];
            if !w.sure || !self.is_plain(&inst, v) {
                return false;
            }
            defs.push(Def { at: w.at, start: w.start, end: w.end, inst });
        }
        let defs = &mut defs[from..];
        defs.sort_unstable_by_key(|d| d.start);
        defs.windows(2).all(|d| d[0].end <= d[1].start)
    }

    fn block_of(&self, i: u32) -> usize {
        self.accesses.blocks.partition_point(|&b| b <= i) - 1
    }

    /// Whether an instruction does nothing but compute packed bytes of `v` from variables and constants.
    fn is_plain(&self, inst: &Inst<Virtual>, v: VarId) -> bool {
        let op = match inst.op.info().class {
            Class::Ternary => !matches!(inst.op, Op::Csel),
            Class::Basic => matches!(
                inst.op,
                Op::Mov
                    | Op::Add
                    | Op::Mul
                    | Op::Shl
                    | Op::Shr
                    | Op::Asr
                    | Op::And
                    | Op::Or
                    | Op::Xor
                    | Op::Not
            ),
            _ => false,
        };
        let bare = inst.pred.is_none() && inst.cond.is_none() && inst.opts == Options::NONE;
        let dst = matches!(inst.dst, Dst::Direct { reg, horz: 1, .. } if reg.var() == Some(v));
        let src = |s: &Src<Virtual>| match s {
            Src::None | Src::Imm { .. } => true,
            Src::Direct { reg, .. } => match reg.base {
                // It stays what it is: messages to scratch memory need it.
                Base::Grf(number) => number == 0,
                Base::Arf(_) => false,
                Base::Var(s) => {
                    let var = &self.kernel.vars[s.index()];
                    s != v && var.class == VarClass::General && !self.homes.is_piece(s.index())
                }
            },
            _ => false,
        };
        op && bare && dst && inst.payload == Payload::None && inst.src.iter().all(src)
    }

    /// Whether nothing that the instructions read is written while `v` is alive. (What is written between them is
    /// there for the later ones: `v` is not alive before the first.)
    fn unchanged(&self, v: VarId, defs: &[Def], writes: &Touches) -> bool {
        let first = defs.iter().map(|d| d.at).min().unwrap_or(0);
        defs.iter().all(|d| {
            let reads = self.accesses.of(d.at as usize).iter().filter(|a| a.kind.has(Kind::READ));
            reads.into_iter().all(|a| {
                let over = |w: &&Touch| w.start < a.end && a.start < w.end;
                writes.of(a.var).iter().filter(over).all(|w| {
                    let between = first < w.at && w.at < d.at;
                    between || !self.live.before(v.0, 2 * w.at + 1)
                })
            })
        })
    }

    /// Whether all that is read is in registers at each of the uses.
    fn at_hand(&self, defs: &[Def], uses: &[Touch], spilled: &[bool]) -> bool {
        !uses.is_empty()
            && uses.iter().all(|u| {
                let needed = defs.iter().filter(|d| d.start < u.end && u.start < d.end);
                needed
                    .flat_map(|d| &d.inst.src)
                    .filter_map(Src::reg)
                    .filter_map(Reg::var)
                    .all(|s| !spilled[s.index()] && self.lives_before(s.0, u.at))
            })
    }
}
