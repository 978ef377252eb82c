//! Instructions in an order that needs fewer registers.
//!
//! Where more is live in a block than there are registers, its instructions are put in order again, from
//! the last to the first: while little is alive the written order stays, and beyond that the next is always
//! one of those above which least is alive, of equals the one that was written first.
//! What depends on something stays behind it: variables as wholes, all flags as one, all addresses as
//! one, the accumulators as one, memory as one; other architecture registers, flow control, marks of the
//! calling convention and waits stay where they are.

use crate::{
    analysis::{access::Kind, accesses::Accesses, flow::NO_BLOCK, liveness::Liveness, position::Position},
    copy::copy,
    rows::Rows,
};
use gen_ir::{
    Arf, Base, BlockId, Class, Dst, Inst, Kernel, Op, Options, Payload, Pool, Role, Src, VarClass, Virtual,
};
use narrow::{as_index, to_index, to_u32};

/// Of how many instructions that could come next the best is taken.
const CHOICE: usize = 64;

/// Memory of the search.
#[derive(Default)]
pub(crate) struct OrderMemory {
    change: Vec<i64>,
    peaks: Vec<u32>,
    block: BlockGraph,
    alive: Alive,
    behind: Vec<u32>,
    ready: Vec<u32>,
    order: Vec<u32>,
    best: Vec<u32>,
    /// Where each instruction of the kernel stood before.
    moved: Vec<u32>,
}

impl OrderMemory {
    /// Where each instruction of the kernel that was made stood before.
    pub fn moved(&self) -> &[u32] {
        &self.moved
    }
}

/// Whether more is alive somewhere than there is room for.
pub(crate) fn is_pressure_high(
    kernel: &Kernel<Virtual>,
    accesses: &Accesses,
    live: &Liveness,
    s: &mut OrderMemory,
) -> bool {
    let room = room(kernel);
    let general = kernel.vars.iter().filter(|var| var.class == VarClass::General);
    if general.map(|var| u64::from(var.bytes)).sum::<u64>() <= u64::from(room) {
        return false;
    }
    peaks(kernel, accesses, live, s);
    s.peaks.iter().any(|&peak| peak > room)
}

/// Whether nowhere more is alive than there are registers; `s`: it was asked whether the kernel
/// [needs more than there is](is_pressure_high), and it is.
pub(crate) fn may_fit(kernel: &Kernel<Virtual>, s: &OrderMemory) -> bool {
    let all = u32::from(kernel.grf_count.saturating_sub(kernel.reserved))
        * u32::from(kernel.platform.caps().regs.grf_bytes);
    s.peaks.iter().all(|&peak| peak <= all)
}

/// Bytes of registers that variables may have, about.
pub(crate) fn room(kernel: &Kernel<Virtual>) -> u32 {
    u32::from(kernel.grf_count.saturating_sub(kernel.reserved + 2))
        * u32::from(kernel.platform.caps().regs.grf_bytes)
}

/// A kernel with the same instructions in another order in blocks where too much is alive, if there are any.
/// `s` knows them: it was asked whether the kernel [needs more than there is](is_pressure_high).
pub(crate) fn order(
    kernel: &Kernel<Virtual>,
    accesses: &Accesses,
    live: &Liveness,
    s: &mut OrderMemory,
    pool: &mut Pool<Virtual>,
) -> Option<Kernel<Virtual>> {
    let room = room(kernel);
    s.block.row_of.clear();
    let mut out: Option<Kernel<Virtual>> = None;
    for b in 0..kernel.blocks.len() {
        if s.peaks[b] <= room || kernel.blocks[b].insts.len() < 2 {
            continue;
        }
        s.block.read(kernel, accesses, live, b);
        let as_written = s.block.peak_as_written(&mut s.alive);
        let through = s.peaks[b].saturating_sub(as_written);
        if !find_best(as_written, room.saturating_sub(through), s) {
            continue;
        }
        let from = &kernel.blocks[b].insts;
        let new = out.get_or_insert_with(|| {
            s.moved.clear();
            s.moved.extend(0..accesses.blocks.last().copied().unwrap_or(0));
            copy(kernel, pool)
        });
        let to = &mut new.blocks[b].insts;
        to.clear();
        to.extend(s.best.iter().map(|&i| from[as_index(i)]));
        let first = accesses.blocks[b];
        for (moved, &i) in s.moved[accesses.block(b)].iter_mut().zip(&s.best) {
            *moved = first + i;
        }
    }
    out
}

/// Finds the most bytes of general variables that are alive in each block.
fn peaks(
    kernel: &Kernel<Virtual>,
    accesses: &Accesses,
    live: &Liveness,
    OrderMemory { change, peaks, .. }: &mut OrderMemory,
) {
    live.find_pressure(kernel, accesses, change);
    let mut now = 0;
    peaks.clear();
    peaks.extend((0..kernel.blocks.len()).map(|b| {
        let insts = accesses.block(b);
        let mut peak = 0;
        for c in &change[insts.start * 2..insts.end * 2] {
            now += c;
            peak = peak.max(now);
        }
        to_u32(peak.max(0))
    }));
}

/// An order in which less is alive than in the written one, where that is `as_written`, if there is one: the
/// one nearest to what is written that needs no more than `room`, or else the one that needs least. It is left
/// in `best`.
fn find_best(as_written: u32, room: u32, s: &mut OrderMemory) -> bool {
    let mut least = as_written;
    let mut found = false;
    let mut last = None;
    let at_least = s.block.at_least();
    for keep in [room, room / 4 * 3, room / 2, 0] {
        if least <= at_least || last.replace(keep) == Some(keep) {
            break;
        }
        let peak = s.block.order(keep, least, &mut s.alive, &mut s.behind, &mut s.ready, &mut s.order);
        if let Some(peak) = peak {
            std::mem::swap(&mut s.best, &mut s.order);
            (least, found) = (peak, true);
            if peak <= room {
                break;
            }
        }
    }
    found
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
enum SharedResource {
    Flags,
    Addresses,
    Accumulators,
    Memory,
}

narrow::enum_numbers!(SharedResource: index usize);

const SHARED: usize = 4;

#[derive(Default)]
struct BlockGraph {
    locals: Vec<Local>,
    /// Variables that each instruction touches, as rows of `locals`.
    touched: Rows<u32>,
    /// Instructions that touch each variable.
    users: Rows<u32>,
    /// Instructions that each instruction depends on.
    before: Rows<u32>,
    /// How many instructions depend on each one.
    behind: Vec<u32>,
    /// How many bytes more are alive above each instruction than below, if it comes last.
    change: Vec<i64>,
    /// How many instructions there are.
    count: usize,
    /// The block in which a variable was seen last, and its row there.
    row_of: Vec<(BlockId, u32)>,
    /// By local variable.
    last: Vec<Last>,
    readers: Readers,
}

/// No instruction, no reader.
const NOBODY: u32 = u32::MAX;

/// Who wrote something last, and who has read it since, the last one first.
#[derive(Clone, Copy)]
struct Last {
    writer: u32,
    reader: u32,
}

impl Default for Last {
    fn default() -> Last {
        Last { writer: NOBODY, reader: NOBODY }
    }
}

/// Readers: the instruction, and the one before.
type Readers = Vec<(u32, u32)>;

impl Last {
    /// Notes what instruction `i` does and adds what it must stay behind.
    fn touch(&mut self, i: u32, writes: bool, before: &mut Vec<u32>, readers: &mut Readers) {
        if self.writer != NOBODY && self.writer != i {
            before.push(self.writer);
        }
        if !writes {
            readers.push((i, self.reader));
            self.reader = to_index(readers.len()) - 1;
            return;
        }
        while let Some(&(reader, next)) = readers.get(as_index(self.reader)) {
            if reader != i {
                before.push(reader);
            }
            self.reader = next;
        }
        self.writer = i;
    }
}

/// What is alive while a block is walked from its end.
#[derive(Default)]
struct Alive {
    left: Vec<u32>,
    alive: Vec<bool>,
    bytes: u32,
    peak: u32,
    /// How many bytes more are alive above each instruction than below, if it comes next.
    change: Vec<i64>,
}

impl Alive {
    fn start(&mut self, locals: &[Local]) {
        self.alive.clear();
        self.alive.extend(locals.iter().map(|l| l.live_out));
        self.left.clear();
        self.left.extend(locals.iter().map(|l| l.touches));
        self.bytes = locals.iter().filter(|l| l.live_out).map(|l| l.bytes).sum();
        self.peak = self.bytes;
    }

    /// Takes an instruction that touches `vars`. `each` hears of variables for whose other instructions the
    /// change falls by their size: they are alive now, or only one is left to end them.
    fn take(&mut self, vars: &[u32], locals: &[Local], mut each: impl FnMut(&mut Vec<i64>, u32)) {
        for &v in vars {
            if !std::mem::replace(&mut self.alive[as_index(v)], true) {
                self.bytes += locals[as_index(v)].bytes;
                each(&mut self.change, v);
            }
        }
        self.peak = self.peak.max(self.bytes);
        for &v in vars {
            let (i, l) = (as_index(v), &locals[as_index(v)]);
            self.left[i] -= 1;
            if self.left[i] == 1 && !l.live_in {
                each(&mut self.change, v);
            }
            if self.left[i] == 0 && !l.live_in {
                self.alive[i] = false;
                self.bytes -= l.bytes;
            }
        }
    }
}

impl BlockGraph {
    fn read(&mut self, kernel: &Kernel<Virtual>, accesses: &Accesses, live: &Liveness, b: usize) {
        let insts = accesses.block(b);
        let (top, bottom) = (Position::before(insts.start), Position::before(insts.end));
        let prologue = if b == 0 { kernel.payload_ends()[1] } else { 0 };
        let BlockGraph { locals, touched, users, before, behind, change, count, row_of, last, readers } =
            self;
        row_of.resize(kernel.vars.len(), (NO_BLOCK, 0));
        let mut shared = [Last::default(); SHARED];
        locals.clear();
        last.clear();
        readers.clear();
        touched.clear();
        before.clear();
        *count = insts.len();
        // The last that stays, and everything since.
        let mut fence: Option<u32> = None;
        let mut since = 0;
        for (i, inst) in kernel.blocks[b].insts.iter().enumerate() {
            let now = to_index(i);
            let named = Named::by(inst, kernel);
            let stay = i < prologue || named.fixed || stays_put(inst);
            for a in accesses.of(insts.start + i) {
                let writes = a.kind.has(Kind::WRITE);
                let of = match kernel.vars[a.var.index()].class {
                    VarClass::Flag => SharedResource::Flags,
                    VarClass::Address => SharedResource::Addresses,
                    VarClass::General => {
                        let (block, row) = &mut row_of[a.var.index()];
                        if block.index() != b {
                            (*block, *row) = (b.into(), to_index(locals.len()));
                            locals.push(Local {
                                bytes: kernel.vars[a.var.index()].bytes,
                                touches: 0,
                                live_in: live.at_start(a.var, top),
                                live_out: live.at_end(a.var, bottom),
                            });
                            last.push(Last::default());
                        }
                        touched.list.push(*row);
                        last[as_index(*row)].touch(now, writes, &mut before.list, readers);
                        continue;
                    }
                };
                shared[of.index()].touch(now, writes, &mut before.list, readers);
            }
            if named.accumulator || uses_accumulator(inst) {
                shared[SharedResource::Accumulators.index()].touch(now, true, &mut before.list, readers);
            }
            if let Some(info) = inst.send() {
                let writes = !info.only_reads(kernel.platform);
                shared[SharedResource::Memory.index()].touch(now, writes, &mut before.list, readers);
            }
            before.list.extend(fence);
            if stay {
                before.list.extend(since..now);
                (fence, since) = (Some(now), now + 1);
            }
            touched.end_row();
            before.end_row();
            for &v in touched.of(i) {
                locals[as_index(v)].touches += 1;
            }
        }
        users.transpose(touched, locals.len());
        behind.clear();
        behind.resize(*count, 0);
        for &i in &before.list {
            behind[as_index(i)] += 1;
        }
        let of = |&v: &u32| {
            let l = &locals[as_index(v)];
            let after = l.live_in || l.touches > 1;
            i64::from(l.bytes) * (i64::from(after) - i64::from(l.live_out))
        };
        change.clear();
        change.extend((0..*count).map(|i| touched.of(i).iter().map(of).sum::<i64>()));
    }

    /// The most bytes of the block's variables that are alive in it as it was written.
    fn peak_as_written(&self, alive: &mut Alive) -> u32 {
        alive.start(&self.locals);
        for i in (0..self.count).rev() {
            alive.take(self.touched.of(i), &self.locals, |_, _| {});
        }
        alive.peak
    }

    /// Bytes that are alive in every order: above or below all instructions.
    fn at_least(&self) -> u32 {
        let [above, below] = [|l: &Local| l.live_in, |l: &Local| l.live_out]
            .map(|alive| self.locals.iter().filter(|l| alive(l)).map(|l| l.bytes).sum::<u32>());
        above.max(below)
    }

    /// Finds an order, which comes out in `order`, and returns the most bytes alive in it, if those are less
    /// than `limit`. Until `keep` bytes are, the written order stays.
    fn order(
        &self,
        keep: u32,
        limit: u32,
        alive: &mut Alive,
        behind: &mut Vec<u32>,
        ready: &mut Vec<u32>,
        order: &mut Vec<u32>,
    ) -> Option<u32> {
        behind.clone_from(&self.behind);
        alive.start(&self.locals);
        alive.change.clone_from(&self.change);
        ready.clear();
        ready.extend((0..to_index(self.count)).filter(|&i| behind[as_index(i)] == 0));
        order.clear();
        while !ready.is_empty() {
            let from = ready.len().saturating_sub(CHOICE);
            let choice = &ready[from..];
            // The highest number, or the least change and of equals the lowest number: all keys differ.
            let (mut at, mut least) = (0, i64::MAX);
            let keep_order = alive.bytes < keep;
            for (k, &i) in choice.iter().enumerate() {
                let number = i64::from(i);
                let key = if keep_order { -number } else { alive.change[as_index(i)] << 32 | number };
                if key < least {
                    (at, least) = (k, key);
                }
            }
            at += from;
            let i = ready.remove(at);
            alive.take(self.touched.of(as_index(i)), &self.locals, |change, v| {
                let bytes = i64::from(self.locals[as_index(v)].bytes);
                for &user in self.users.of(as_index(v)) {
                    change[as_index(user)] -= bytes;
                }
            });
            if alive.peak >= limit {
                return None;
            }
            order.push(i);
            for &p in self.before.of(as_index(i)) {
                behind[as_index(p)] -= 1;
                if behind[as_index(p)] == 0 {
                    ready.push(p);
                }
            }
        }
        order.reverse();
        (order.len() == self.count).then_some(alive.peak)
    }
}

/// Whether nothing may move past an instruction, whatever it names.
fn stays_put(inst: &Inst<Virtual>) -> bool {
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
        Dst::Direct { reg, .. } => reg.base() == Base::Arf(Arf::Null),
        Dst::None => true,
        Dst::Indirect { .. } | Dst::Macro { .. } => false,
    };
    nowhere && inst.cond.is_none() && class != Class::Send
}

/// What an instruction names.
struct Named {
    accumulator: bool,
    /// A register that keeps it where it is: another architecture register, a general one that it writes, or
    /// a variable that has its place and is not an input.
    fixed: bool,
}

impl Named {
    fn by(inst: &Inst<Virtual>, kernel: &Kernel<Virtual>) -> Named {
        let mut named = Named { accumulator: false, fixed: false };
        inst.for_each_reg(|role, reg| match reg.base() {
            Base::Var(v) => {
                named.fixed |= kernel.vars.get(v.index()).is_none_or(|v| v.fixed.is_some() && !v.live_in);
            }
            Base::Arf(Arf::Null) => {}
            Base::Arf(Arf::Acc(_)) => named.accumulator = true,
            Base::Arf(_) => named.fixed = true,
            Base::Grf(_) => named.fixed |= role == Role::Dst,
        });
        named
    }
}

/// Whether an instruction reads or writes an accumulator that it does not name.
fn uses_accumulator(inst: &Inst<Virtual>) -> bool {
    inst.opts.has(Options::ACC_WR_EN)
        || matches!(inst.dst, Dst::Macro { .. })
        || inst.src.iter().any(|s| matches!(s, Src::Macro { .. }))
        || matches!(inst.op, Op::Mac | Op::Mach | Op::Macl | Op::Addc | Op::Subb | Op::Sada2)
}
