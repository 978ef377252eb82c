//! Instructions in an order that needs fewer registers.
//!
//! Where more is live in a block than there are registers, its instructions are put in order again, from
//! the last to the first: while little is alive the written order stays, and beyond that the next is always
//! one of those above which least is alive, of equals the one that was written first.
//! What depends on something stays behind it: variables as wholes, all flags as one, all addresses as
//! one, the accumulators as one, memory as one; other architecture registers, flow control, marks of the
//! calling convention and waits stay where they are.

use crate::{
    access::{Accesses, Kind},
    liveness::Liveness,
};
use gen_ir::{Arf, Base, Class, Dst, Inst, Kernel, Op, Options, Payload, Role, Src, VarClass, Virtual};

/// Of how many instructions that could come next the best is taken.
const CHOICE: usize = 64;

/// A kernel with the same instructions in another order in blocks where too much is alive, if there are any.
pub(crate) fn order(
    kernel: &Kernel<Virtual>,
    accesses: &Accesses,
    live: &Liveness,
) -> Option<Kernel<Virtual>> {
    let grf = u32::from(kernel.platform.caps().grf_bytes);
    let room = (u32::from(kernel.grf_count) - 2) * grf;
    let peaks = peaks(kernel, accesses, live);
    let mut out: Option<Kernel<Virtual>> = None;
    for b in (0..kernel.blocks.len()).filter(|&b| peaks[b] > room) {
        let block = Block::of(kernel, accesses, live, b);
        let through = peaks[b].saturating_sub(block.peak_as_written());
        let Some(order) = block.best(room.saturating_sub(through)) else { continue };
        let from = &kernel.blocks[b].insts;
        let to = &mut out.get_or_insert_with(|| kernel.clone()).blocks[b].insts;
        to.clear();
        to.extend(order.iter().map(|&i| from[i as usize]));
    }
    out
}

/// The most bytes of general variables that are alive in each block.
fn peaks(kernel: &Kernel<Virtual>, accesses: &Accesses, live: &Liveness) -> Vec<u32> {
    let points = accesses.blocks.last().map_or(0, |&n| n as usize * 2 + 2);
    let mut change = vec![0i64; points + 1];
    for (v, var) in kernel.vars.iter().enumerate().filter(|(_, var)| var.class == VarClass::General) {
        for r in live.of(v) {
            change[(r.start as usize).min(points)] += i64::from(var.bytes);
            change[(r.end as usize).min(points)] -= i64::from(var.bytes);
        }
    }
    let mut now = 0;
    let mut at = 0;
    (0..kernel.blocks.len())
        .map(|b| {
            let mut peak = 0;
            while at < accesses.block(b).end * 2 {
                now += change[at];
                peak = peak.max(now);
                at += 1;
            }
            peak.max(0) as u32
        })
        .collect()
}

/// A variable in the block.
#[derive(Clone, Copy)]
struct Local {
    bytes: u32,
    /// Instructions that touch it.
    touches: u32,
    live_in: bool,
    live_out: bool,
}

/// What instructions share besides general variables.
#[derive(Clone, Copy)]
enum Shared {
    Flags,
    Addresses,
    Accumulators,
    Memory,
}

const SHARED: usize = 4;

struct Block {
    locals: Vec<Local>,
    /// Variables that each instruction touches, as rows of `locals`.
    touched: Rows,
    /// Instructions that each instruction depends on.
    before: Rows,
    /// How many instructions there are.
    count: usize,
}

/// Lists of numbers, one a row.
#[derive(Default)]
struct Rows {
    first: Vec<u32>,
    list: Vec<u32>,
}

impl Rows {
    fn of(&self, i: usize) -> &[u32] {
        &self.list[self.first[i] as usize..self.first[i + 1] as usize]
    }

    /// Ends a row: its numbers are what was pushed since the last one ended, each once.
    fn end_row(&mut self) {
        let from = self.first.last().map_or(0, |&f| f as usize);
        self.list[from..].sort_unstable();
        let mut kept = from;
        for i in from..self.list.len() {
            if i == from || self.list[i] != self.list[kept - 1] {
                self.list[kept] = self.list[i];
                kept += 1;
            }
        }
        self.list.truncate(kept);
        self.first.push(kept as u32);
    }
}

/// Who wrote something last, and who has read it since.
#[derive(Clone, Default)]
struct Last {
    writer: Option<u32>,
    readers: Vec<u32>,
}

impl Last {
    /// Notes what instruction `i` does and adds what it must stay behind.
    fn touch(&mut self, i: u32, writes: bool, before: &mut Vec<u32>) {
        before.extend(self.writer.filter(|&w| w != i));
        if writes {
            before.extend(self.readers.drain(..).filter(|&r| r != i));
            self.writer = Some(i);
        } else {
            self.readers.push(i);
        }
    }
}

/// What is alive while a block is walked from its end.
struct Alive<'a> {
    locals: &'a [Local],
    left: Vec<u32>,
    alive: Vec<bool>,
    bytes: u32,
    peak: u32,
}

impl<'a> Alive<'a> {
    fn at_end(locals: &'a [Local]) -> Self {
        let alive: Vec<bool> = locals.iter().map(|l| l.live_out).collect();
        let bytes = locals.iter().filter(|l| l.live_out).map(|l| l.bytes).sum();
        Alive { locals, left: locals.iter().map(|l| l.touches).collect(), alive, bytes, peak: bytes }
    }

    /// How many bytes more are alive above an instruction that touches `vars` than below.
    fn change(&self, vars: &[u32]) -> i64 {
        let of = |&v: &u32| {
            let (v, l) = (v as usize, &self.locals[v as usize]);
            let after = l.live_in || self.left[v] > 1;
            i64::from(l.bytes) * (i64::from(after) - i64::from(self.alive[v]))
        };
        vars.iter().map(of).sum()
    }

    fn take(&mut self, vars: &[u32]) {
        for &v in vars {
            if !std::mem::replace(&mut self.alive[v as usize], true) {
                self.bytes += self.locals[v as usize].bytes;
            }
        }
        self.peak = self.peak.max(self.bytes);
        for &v in vars {
            let (v, l) = (v as usize, &self.locals[v as usize]);
            self.left[v] -= 1;
            if self.left[v] == 0 && !l.live_in {
                self.alive[v] = false;
                self.bytes -= l.bytes;
            }
        }
    }
}

impl Block {
    fn of(kernel: &Kernel<Virtual>, accesses: &Accesses, live: &Liveness, b: usize) -> Block {
        let insts = accesses.block(b);
        let (top, bottom) = (insts.start as u32 * 2, insts.end as u32 * 2);
        let prologue = if b == 0 { kernel.payload_ends()[1] } else { 0 };
        let mut row_of = std::collections::BTreeMap::new();
        let mut locals: Vec<Local> = Vec::new();
        let mut last: Vec<Last> = Vec::new();
        let mut shared: [Last; SHARED] = Default::default();
        let (mut touched, mut before) = (Rows::default(), Rows::default());
        touched.first.push(0);
        before.first.push(0);
        // The last that stays, and everything since.
        let mut fence: Option<u32> = None;
        let mut since = 0;
        for (i, inst) in kernel.blocks[b].insts.iter().enumerate() {
            let now = i as u32;
            let stay = i < prologue || stays_put(kernel, inst);
            for a in accesses.of(insts.start + i) {
                let writes = a.kind.has(Kind::WRITE);
                let of = match kernel.vars[a.var as usize].class {
                    VarClass::Flag => Shared::Flags,
                    VarClass::Address => Shared::Addresses,
                    VarClass::General => {
                        let row = *row_of.entry(a.var).or_insert_with(|| {
                            locals.push(Local {
                                bytes: kernel.vars[a.var as usize].bytes,
                                touches: 0,
                                live_in: live.at_start(a.var, top),
                                live_out: live.at_end(a.var, bottom),
                            });
                            last.push(Last::default());
                            locals.len() as u32 - 1
                        });
                        touched.list.push(row);
                        last[row as usize].touch(now, writes, &mut before.list);
                        continue;
                    }
                };
                shared[of as usize].touch(now, writes, &mut before.list);
            }
            if uses_accumulator(inst) {
                shared[Shared::Accumulators as usize].touch(now, true, &mut before.list);
            }
            if let Some(info) = inst.send() {
                shared[Shared::Memory as usize].touch(
                    now,
                    !info.only_reads(kernel.platform),
                    &mut before.list,
                );
            }
            before.list.extend(fence);
            if stay {
                before.list.extend(since..now);
                (fence, since) = (Some(now), now + 1);
            }
            touched.end_row();
            before.end_row();
            for &v in touched.of(i) {
                locals[v as usize].touches += 1;
            }
        }
        Block { locals, touched, before, count: insts.len() }
    }

    /// The most bytes of the block's variables that are alive in it as it was written.
    fn peak_as_written(&self) -> u32 {
        let mut alive = Alive::at_end(&self.locals);
        for i in (0..self.count).rev() {
            alive.take(self.touched.of(i));
        }
        alive.peak
    }

    /// An order in which less is alive than in the written one, if there is one: the one nearest to what is
    /// written that needs no more than `room`, or else the one that needs least.
    fn best(&self, room: u32) -> Option<Vec<u32>> {
        let written = self.peak_as_written();
        let mut best: Option<(u32, Vec<u32>)> = None;
        for keep in [room, room / 4 * 3, room / 2, 0] {
            let (order, peak) = self.order(keep);
            let least = best.as_ref().map_or(written, |(p, _)| *p);
            if order.len() == self.count && peak < least {
                best = Some((peak, order));
                if peak <= room {
                    break;
                }
            }
        }
        best.map(|(_, order)| order)
    }

    /// An order, and the most bytes alive in it. Until `keep` bytes are, the written order stays.
    fn order(&self, keep: u32) -> (Vec<u32>, u32) {
        let n = self.count;
        let mut behind = vec![0u32; n];
        for &i in &self.before.list {
            behind[i as usize] += 1;
        }
        let mut alive = Alive::at_end(&self.locals);
        let mut ready: Vec<u32> = (0..n as u32).filter(|&i| behind[i as usize] == 0).collect();
        let mut order = Vec::with_capacity(n);
        while !ready.is_empty() {
            let from = ready.len().saturating_sub(CHOICE);
            let choice = (from..ready.len()).rev();
            let at = if alive.bytes < keep {
                choice.max_by_key(|&k| ready[k])
            } else {
                choice.min_by_key(|&k| (alive.change(self.touched.of(ready[k] as usize)), ready[k]))
            };
            let Some(at) = at else { break };
            let i = ready.remove(at);
            alive.take(self.touched.of(i as usize));
            order.push(i);
            for &p in self.before.of(i as usize) {
                behind[p as usize] -= 1;
                if behind[p as usize] == 0 {
                    ready.push(p);
                }
            }
        }
        order.reverse();
        (order, alive.peak)
    }
}

/// Whether nothing may move past an instruction.
fn stays_put(kernel: &Kernel<Virtual>, inst: &Inst<Virtual>) -> bool {
    let class = inst.op.info().class;
    if matches!(class, Class::Branch | Class::Sync | Class::Nullary)
        || matches!(inst.op, Op::Wait)
        || matches!(inst.payload, Payload::Outside(_))
        || inst.is_eot()
        || inst.opts.without(Options::ACC_WR_EN.with(Options::ALIGN16)) != Options::NONE
    {
        return true;
    }
    // Reads into nowhere are waits for what is read.
    let nowhere = match inst.dst {
        Dst::Direct { reg, .. } => reg.base == Base::Arf(Arf::Null),
        Dst::None => true,
        Dst::Indirect { .. } | Dst::Macro { .. } => false,
    };
    if nowhere && inst.cond.is_none() && class != Class::Send {
        return true;
    }
    let mut odd = false;
    inst.for_each_reg(|role, reg| {
        odd |= match reg.base {
            Base::Var(v) => kernel.vars.get(v.index()).is_none_or(|v| v.fixed.is_some() && !v.live_in),
            Base::Arf(Arf::Null | Arf::Acc(_)) => false,
            Base::Arf(_) => true,
            Base::Grf(_) => role == Role::Dst,
        };
    });
    odd
}

/// Whether an instruction reads or writes an accumulator, named or not.
fn uses_accumulator(inst: &Inst<Virtual>) -> bool {
    let mut named = inst.opts.has(Options::ACC_WR_EN)
        || matches!(inst.dst, Dst::Macro { .. })
        || inst.src.iter().any(|s| matches!(s, Src::Macro { .. }))
        || matches!(inst.op, Op::Mac | Op::Mach | Op::Macl | Op::Addc | Op::Subb | Op::Sada2);
    inst.for_each_reg(|_, reg| named |= matches!(reg.base, Base::Arf(Arf::Acc(_))));
    named
}
