//! What depends on what in a block, and orders that keep to that.

use std::cmp::Reverse;

use crate::{
    analysis::{
        access::Kind,
        accesses::Accesses,
        liveness::{Liveness, footprint},
        position::Position,
    },
    rows::Rows,
};
use gen_ir::{
    Arf, Base, BlockId, Class, Direction, Dst, Inst, Kernel, MemorySpace, Op, Options, Payload, Role,
    VarClass, VarId, Virtual,
};
use narrow::{as_index, to_index};

/// Of how many instructions that could come next the best is taken.
const CHOICE: usize = 64;

/// How the next instruction is chosen once much is alive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Search {
    /// One of those above which least is alive. Of equals an operation, the one that was written first: just before its
    /// reader; else the message that was written last: they go in the order in which their results are read, each long before
    /// its reader.
    LeastAlive,
    /// One above which not more is alive; or else one that what was placed last depends on. So values are computed
    /// just before they are used, one expression after the other (Sethi and Ullman's order, where those are trees):
    /// what is woven of independent parts comes apart.
    DepthFirst,
}

/// When what reads a flag is chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum FlagReaders {
    /// As all else.
    AsTheyCome,
    /// Where there is another, not before what writes the flag waits for it alone: readers that come in another order than
    /// writers take all flags, and no writer may follow.
    Late,
}

/// A variable in the block.
#[derive(Clone, Copy)]
struct Local {
    /// None of a flag.
    bytes: u32,
    /// If it is a flag.
    flag_bytes: u32,
    /// Instructions that touch it.
    touches: u32,
    live_in: bool,
    live_out: bool,
}

/// What instructions share besides general variables and flags.
#[derive(Clone, Copy)]
enum SharedResource {
    Addresses,
    Accumulators,
}

narrow::enum_numbers!(SharedResource: index usize);

const SHARED: usize = 2;

#[derive(Default)]
pub(super) struct BlockGraph {
    locals: Vec<Local>,
    /// Variables that each instruction touches, as rows of `locals`.
    touched: Rows<u32>,
    /// Which instructions touch flags.
    with_flags: Vec<bool>,
    /// Instructions that touch each variable.
    users: Rows<u32>,
    /// Instructions that each instruction depends on.
    before: Rows<u32>,
    /// How many instructions depend on each one.
    behind: Vec<u32>,
    /// What each instruction costs if it comes last.
    costs: Vec<Cost>,
    /// How many instructions there are.
    count: usize,
    /// The block in which a variable was seen last, and its row there.
    pub row_of: Vec<(BlockId, u32)>,
    /// By local variable.
    last: Vec<Last>,
    readers: Readers,
}

/// How many bytes more are alive above an instruction than below; below that, what decides among equals.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Cost(i64);

impl Cost {
    fn new(change: i64, rank: u32) -> Cost {
        Cost((change << 32) + i64::from(rank))
    }

    fn change(self) -> i64 {
        self.0 >> 32
    }

    /// So many bytes fewer.
    fn fall(&mut self, bytes: u32) {
        self.0 -= i64::from(bytes) << 32;
    }
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
    fn touch(&mut self, i: u32, does: Direction, before: &mut Vec<u32>, readers: &mut Readers) {
        if self.writer != NOBODY && self.writer != i {
            before.push(self.writer);
        }
        if does == Direction::Read {
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
pub(super) struct Alive {
    left: Vec<u32>,
    alive: Vec<bool>,
    bytes: u32,
    peak: u32,
    /// The same of flags.
    flag_bytes: u32,
    flag_peak: u32,
    /// What each instruction costs if it comes next.
    costs: Vec<Cost>,
}

impl Alive {
    fn start(&mut self, locals: &[Local]) {
        self.alive.clear();
        self.alive.extend(locals.iter().map(|l| l.live_out));
        self.left.clear();
        self.left.extend(locals.iter().map(|l| l.touches));
        let [bytes, flag_bytes] = [|l: &Local| l.bytes, |l: &Local| l.flag_bytes]
            .map(|bytes| locals.iter().filter(|l| l.live_out).map(bytes).sum());
        (self.bytes, self.flag_bytes) = (bytes, flag_bytes);
        (self.peak, self.flag_peak) = (bytes, flag_bytes);
    }

    /// Bytes of flags that are alive where an instruction that touches `vars` stands, if it comes next.
    fn flags_with(&self, vars: &[u32], locals: &[Local]) -> u32 {
        let new = vars.iter().filter(|&&v| !self.alive[as_index(v)]).map(|&v| locals[as_index(v)].flag_bytes);
        self.flag_bytes + new.sum::<u32>()
    }

    /// Takes an instruction that touches `vars`. `each` hears of variables for whose other instructions the
    /// change falls by their size: they are alive now, or only one is left to end them.
    fn take(&mut self, vars: &[u32], locals: &[Local], mut each: impl FnMut(&mut [Cost], u32)) {
        for &v in vars {
            if !std::mem::replace(&mut self.alive[as_index(v)], true) {
                self.bytes += locals[as_index(v)].bytes;
                self.flag_bytes += locals[as_index(v)].flag_bytes;
                each(&mut self.costs, v);
            }
        }
        self.peak = self.peak.max(self.bytes);
        self.flag_peak = self.flag_peak.max(self.flag_bytes);
        for &v in vars {
            let (i, l) = (as_index(v), &locals[as_index(v)]);
            self.left[i] -= 1;
            if self.left[i] == 1 && !l.live_in {
                each(&mut self.costs, v);
            }
            if self.left[i] == 0 && !l.live_in {
                self.alive[i] = false;
                self.bytes -= l.bytes;
                self.flag_bytes -= l.flag_bytes;
            }
        }
    }
}

impl BlockGraph {
    pub fn read(&mut self, kernel: &Kernel<Virtual>, accesses: &Accesses, live: &Liveness, b: usize) {
        let insts = accesses.block(b);
        let (top, bottom) = (Position::before(insts.start), Position::before(insts.end));
        let prologue = if b == 0 { kernel.payload_ends()[1] } else { 0 };
        self.row_of.resize(kernel.vars.len(), (BlockId::NONE, 0));
        let mut shared = [Last::default(); SHARED];
        let mut memory = [Last::default(); MemorySpace::ALL.len()];
        self.locals.clear();
        self.last.clear();
        self.readers.clear();
        self.touched.clear();
        self.with_flags.clear();
        self.before.clear();
        self.count = insts.len();
        // The last that stays, and everything since.
        let mut fence: Option<u32> = None;
        let mut since = 0;
        for (i, inst) in kernel.blocks[b].insts.iter().enumerate() {
            let now = to_index(i);
            let named = Named::by(inst, kernel);
            let stay = i < prologue || named.fixed || stays_put(inst);
            for a in accesses.of(insts.start + i) {
                let does = Direction::write_if(a.kind.has(Kind::WRITE));
                let of = match kernel.vars[a.var.index()].class {
                    VarClass::Address => SharedResource::Addresses,
                    class @ (VarClass::Flag | VarClass::General) => {
                        let row = self.row(kernel, live, a.var, (b, top, bottom), class);
                        self.touched.list.push(row);
                        self.last[as_index(row)].touch(now, does, &mut self.before.list, &mut self.readers);
                        continue;
                    }
                };
                shared[of.index()].touch(now, does, &mut self.before.list, &mut self.readers);
            }
            if named.accumulator || uses_accumulator(inst) {
                shared[SharedResource::Accumulators.index()].touch(
                    now,
                    Direction::Write,
                    &mut self.before.list,
                    &mut self.readers,
                );
            }
            if let Some(info) = inst.send() {
                let access = info.memory_access();
                let does = Direction::write_if(access.writes);
                for space in access.spaces() {
                    memory[space.index()].touch(now, does, &mut self.before.list, &mut self.readers);
                }
            }
            self.before.list.extend(fence);
            if stay {
                self.before.list.extend(since..now);
                (fence, since) = (Some(now), now + 1);
            }
            self.touched.end_row();
            self.with_flags.push(self.touched.of(i).iter().any(|&v| self.locals[as_index(v)].flag_bytes > 0));
            self.before.end_row();
            for &v in self.touched.of(i) {
                self.locals[as_index(v)].touches += 1;
            }
        }
        self.count_dependents(&kernel.blocks[b].insts);
    }

    /// The row of a variable among those that a block touches, from here on if it is the first to touch it. The block: its
    /// number, and the positions where it begins and ends.
    #[inline]
    fn row(
        &mut self,
        kernel: &Kernel<Virtual>,
        live: &Liveness,
        v: VarId,
        (b, top, bottom): (usize, Position, Position),
        class: VarClass,
    ) -> u32 {
        let (block, row) = &mut self.row_of[v.index()];
        if block.index() != b {
            (*block, *row) = (b.into(), to_index(self.locals.len()));
            let bytes = footprint(kernel, &kernel.vars[v.index()]);
            let is_flag = class == VarClass::Flag;
            self.locals.push(Local {
                bytes: if is_flag { 0 } else { bytes },
                flag_bytes: if is_flag { bytes } else { 0 },
                touches: 0,
                live_in: live.at_start(v, top),
                live_out: live.at_end(v, bottom),
            });
            self.last.push(Last::default());
        }
        *row
    }

    /// What follows from all instructions: who touches what, how many depend on each, and what is alive around it.
    fn count_dependents(&mut self, insts: &[Inst<Virtual>]) {
        let BlockGraph { locals, touched, users, before, behind, costs, count, .. } = self;
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
        costs.clear();
        costs.extend((0..).zip(insts).map(|(number, inst)| {
            let change = touched.of(as_index(number)).iter().map(of).sum();
            Cost::new(change, if inst.op.is_send() { u32::MAX - number } else { number })
        }));
    }

    /// The most bytes of the block's variables that are alive in it as it was written: of general ones, and of flags.
    pub fn peaks_as_written(&self, alive: &mut Alive) -> (u32, u32) {
        alive.start(&self.locals);
        for i in (0..self.count).rev() {
            alive.take(self.touched.of(i), &self.locals, |_, _| {});
        }
        (alive.peak, alive.flag_peak)
    }

    /// Bytes that are alive in every order: above or below all instructions.
    pub fn at_least(&self) -> u32 {
        let [above, below] = [|l: &Local| l.live_in, |l: &Local| l.live_out]
            .map(|alive| self.locals.iter().filter(|l| alive(l)).map(|l| l.bytes).sum::<u32>());
        above.max(below)
    }

    /// Whether instruction `i` reads a flag that nothing below does, and what writes the flag has to wait for more than `i`: the
    /// flag would be taken for as long as that.
    fn opens_flag_early(&self, i: usize, alive: &Alive, behind: &[u32]) -> bool {
        let opened = |&&v: &&u32| self.locals[as_index(v)].flag_bytes > 0 && !alive.alive[as_index(v)];
        let before = self.before.of(i);
        self.touched.of(i).iter().filter(opened).any(|v| {
            // Few touch the flag; a branch is behind all others of its block.
            before.iter().filter(|&&p| self.touched.of(as_index(p)).contains(v)).any(|&p| {
                let edges = to_index(before.iter().filter(|&&q| q == p).count());
                behind[as_index(p)] > edges
            })
        })
    }

    /// Finds an order, which comes out in `order`, and returns the most bytes alive in it, if those are less
    /// than `limit` and of flags no more than `flags` are; else which of both are too many. Until `keep` bytes are alive, the
    /// written order stays.
    pub fn order(
        &self,
        (search, readers, keep): (Search, FlagReaders, u32),
        (limit, flags): (u32, u32),
        alive: &mut Alive,
        behind: &mut Vec<u32>,
        ready: &mut Vec<u32>,
        order: &mut Vec<u32>,
    ) -> Result<u32, VarClass> {
        behind.clone_from(&self.behind);
        alive.start(&self.locals);
        alive.costs.clone_from(&self.costs);
        ready.clear();
        ready.extend((0..to_index(self.count)).filter(|&i| behind[as_index(i)] == 0));
        order.clear();
        while !ready.is_empty() {
            let from = ready.len().saturating_sub(CHOICE);
            let last = &ready[from..];
            let as_written = alive.bytes < keep;
            let at = if last.iter().any(|&i| self.with_flags[as_index(i)]) {
                choose(search, as_written, last, &alive.costs, |i| {
                    let i = as_index(i);
                    let with_flags = self.with_flags[i];
                    let too_many = with_flags && alive.flags_with(self.touched.of(i), &self.locals) > flags;
                    let late = with_flags && readers == FlagReaders::Late;
                    (too_many, late && self.opens_flag_early(i, alive, behind))
                })
            } else {
                choose(search, as_written, last, &alive.costs, |_| ())
            };
            let i = ready.remove(from + at);
            alive.take(self.touched.of(as_index(i)), &self.locals, |costs, v| {
                let bytes = self.locals[as_index(v)].bytes;
                for &user in self.users.of(as_index(v)) {
                    costs[as_index(user)].fall(bytes);
                }
            });
            if alive.peak >= limit {
                return Err(VarClass::General);
            }
            if alive.flag_peak > flags {
                return Err(VarClass::Flag);
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
        debug_assert_eq!(order.len(), self.count, "what depends on itself");
        Ok(alive.peak)
    }
}

/// Which of the `ready` instructions comes next: what has become ready last is last among them. One whose `flags` are
/// too many, or are taken long before they are written, only if there is no other.
fn choose<K: Ord>(
    search: Search,
    as_written: bool,
    ready: &[u32],
    costs: &[Cost],
    flags: impl Fn(u32) -> K,
) -> usize {
    let numbered = ready.iter().copied().enumerate();
    // All keys differ.
    let best = if as_written {
        numbered.min_by_key(|&(_, i)| (flags(i), Reverse(i)))
    } else {
        match search {
            Search::LeastAlive => numbered.min_by_key(|&(_, i)| (flags(i), costs[as_index(i)])),
            Search::DepthFirst => {
                numbered.min_by_key(|&(at, i)| (flags(i), costs[as_index(i)].change().min(1), Reverse(at)))
            }
        }
    };
    best.map_or(0, |(at, _)| at)
}

/// Whether nothing may move past an instruction, whatever it names.
fn stays_put(inst: &Inst<Virtual>) -> bool {
    let class = inst.op.info().class;
    if inst.is_start_of_life() {
        return false;
    }
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
            // A `sel` or `csel` with a condition names a flag that it does not touch.
            Base::Arf(Arf::Flag(_)) if role == Role::Cond && !inst.writes_flag() => {}
            Base::Arf(_) => named.fixed = true,
            Base::Grf(_) => named.fixed |= role == Role::Dst,
        });
        named
    }
}

/// Whether an instruction reads or writes an accumulator that it does not name.
fn uses_accumulator(inst: &Inst<Virtual>) -> bool {
    inst.implicit_accumulator().any() || inst.has_macro_operand()
}

#[cfg(test)]
mod tests;
