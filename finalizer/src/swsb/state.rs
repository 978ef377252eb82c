//! What may still be under way at a place in the program.

use super::access::{InstAccess, OrderedReads, PIPES, Range, TrackedFile, Unit};
use gen_ir::{Direction, RegisterSet};
use narrow::{as_index, span};
use std::cmp::Ordering;

/// In-order instructions that are told apart where paths join. What lanes skip does not make those before older, so with many
/// branches all that was ever issued may be under way behind them. Where there are more, what comes next waits for all: of
/// 1,300 real kernels some 50 have such a place.
const MOST_ENTRIES: usize = 128;

/// What an instruction must wait for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Wait {
    /// By pipe: for the instruction this many places back, 0 for none.
    pub dist: [u8; PIPES.len()],
    /// For everything in order before it.
    pub all: bool,
    /// SBIDs whose results must be there.
    pub dst: u32,
    /// SBIDs whose sources must have been read.
    pub src: u32,
}

impl Wait {
    /// Waits for both.
    pub fn merge(&mut self, other: &Wait) {
        for (a, b) in self.dist.iter_mut().zip(other.dist) {
            *a = if *a == 0 || b == 0 { *a | b } else { (*a).min(b) };
        }
        self.all |= other.all;
        self.dst |= other.dst;
        self.src |= other.src;
    }
}

/// An in-order instruction whose result may not be written yet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct InFlight {
    pub inst: u32,
    pub pipe: u8,
    /// Places back in its pipe: 1 for the last one.
    pub age: u8,
}

/// What an annotation depends on, of what may be under way before an instruction.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Before {
    /// SBIDs that may stand for something.
    pub live: u32,
    /// The instruction waits for everything in order, whatever it names: [`Outstanding::held`].
    pub held: bool,
    /// By pipe, where there are several and the instruction waits for any: the age of the oldest entry.
    oldest: [u8; PIPES.len()],
    /// The number of what is read late, if anything is: one in some hundred instructions waits so.
    pub late: Option<u32>,
}

/// Registers that messages may still be reading when their sources count as read, of those that an instruction waits for.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Late {
    pub registers: RegisterSet,
    /// SBIDs of what writes some of them, on another path.
    pub dst: u32,
    /// Something in order may not have written some of them, on another path.
    pub in_order: bool,
}

impl Before {
    /// Whether waiting for all pipes instead of `pipe` alone would hold anything else up.
    pub fn others_pending(&self, pipe: u8, dist: u8) -> bool {
        (0..).zip(self.oldest).any(|(p, age)| p != pipe && age >= dist)
    }
}

/// What may be under way. A join of paths is the union: every entry at its least age.
#[derive(Clone, Debug, Default)]
pub(super) struct Outstanding {
    /// In the order of their instructions: paths join in one walk over both lists.
    pub entries: Vec<InFlight>,
    /// Memory of joining.
    joined: Vec<InFlight>,
    /// By GRF: SBIDs of instructions that may yet write to it. Empty, or all 0, where no SBID stands for something: so it
    /// is at the start of most blocks, of which there may be thousands.
    dst: Vec<u32>,
    /// By GRF: SBIDs of instructions that may yet read it; as long as `dst`.
    src: Vec<u32>,
    /// By GRF: SBIDs of messages that have it among the last two of their payloads, where these may be read late
    /// ([`platforms::Errata::late_payloads`]); as long as `dst` there, else empty.
    last: Vec<u32>,
    has_last: bool,
    /// How many GRFs there are.
    grf_count: usize,
    /// SBIDs that may stand for something.
    pub live: u32,
    /// SBIDs of loads from shared local memory.
    slm_loads: u32,
    /// By SBID that stands for something: the kind of message, if it is the same on all paths.
    kinds: [Option<OrderedReads>; 32],
    /// The next instruction waits for everything in order: the one before touched a register that holds up what follows, or
    /// more is under way than is told apart. Then there are no entries behind a join.
    pub held: bool,
}

impl Outstanding {
    /// Nothing is under way, in a kernel with so many registers.
    pub fn clear(&mut self, grf_count: u16, late_payloads: bool) {
        self.entries.clear();
        self.dst.clear();
        self.src.clear();
        self.last.clear();
        self.has_last = late_payloads;
        self.grf_count = grf_count.into();
        (self.live, self.slm_loads, self.held) = (0, 0, false);
        self.kinds = [None; 32];
    }

    /// Makes room for what stands for something.
    fn open(&mut self) {
        if self.dst.is_empty() {
            self.dst.resize(self.grf_count, 0);
            self.src.resize(self.grf_count, 0);
            self.last.resize(if self.has_last { self.grf_count } else { 0 }, 0);
        }
    }

    /// The same as `other`, keeping the memory.
    pub fn copy_from(&mut self, other: &Outstanding) {
        self.entries.clear();
        self.entries.extend_from_slice(&other.entries);
        if other.live != 0 {
            self.open();
            self.dst.copy_from_slice(&other.dst);
            self.src.copy_from_slice(&other.src);
            self.last.copy_from_slice(&other.last);
            self.kinds = other.kinds;
        } else if self.live != 0 {
            self.dst.fill(0);
            self.src.fill(0);
            self.last.fill(0);
        }
        (self.live, self.slm_loads, self.held) = (other.live, other.slm_loads, other.held);
    }

    /// Adds what another path leaves under way; whether that was anything new.
    pub fn join(&mut self, other: &Outstanding) -> bool {
        let mut changed = self.join_in_order(other);
        if other.live != 0 {
            self.open();
            let mut gained = 0;
            for (mine, theirs) in self.dst.iter_mut().zip(&other.dst) {
                gained |= theirs & !*mine;
                *mine |= theirs;
            }
            for (mine, theirs) in self.src.iter_mut().zip(&other.src) {
                gained |= theirs & !*mine;
                *mine |= theirs;
            }
            for (mine, theirs) in self.last.iter_mut().zip(&other.last) {
                gained |= theirs & !*mine;
                *mine |= theirs;
            }
            gained |= other.live & !self.live | other.slm_loads & !self.slm_loads;
            let mut ids = other.live;
            while ids != 0 {
                let k = as_index(ids.trailing_zeros());
                let (mine, theirs) = (self.kinds[k], other.kinds[k]);
                let joined = if self.live >> k & 1 == 0 || mine == theirs { theirs } else { None };
                changed |= joined != mine;
                self.kinds[k] = joined;
                ids &= ids - 1;
            }
            self.live |= other.live;
            self.slm_loads |= other.slm_loads;
            changed |= gained != 0;
        }
        changed
    }

    /// The same of what is in order.
    fn join_in_order(&mut self, other: &Outstanding) -> bool {
        if self.held {
            return false;
        }
        let changed = other.held || self.join_entries(&other.entries);
        self.held = other.held || self.entries.len() > MOST_ENTRIES;
        if self.held {
            self.entries.clear();
        }
        changed
    }

    fn join_entries(&mut self, theirs: &[InFlight]) -> bool {
        let missing = |mine: &[InFlight]| {
            let mut mine = mine.iter();
            theirs
                .iter()
                .any(|e| mine.find(|m| m.inst >= e.inst).is_none_or(|m| m.inst != e.inst || m.age > e.age))
        };
        if !missing(&self.entries) {
            return false;
        }
        let (mut mine, mut theirs) = (&self.entries[..], theirs);
        self.joined.clear();
        while let ([m, rest @ ..], [e, others @ ..]) = (mine, theirs) {
            let order = m.inst.cmp(&e.inst);
            let age = match order {
                Ordering::Less => m.age,
                Ordering::Greater => e.age,
                Ordering::Equal => m.age.min(e.age),
            };
            self.joined.push(InFlight { age, ..*if order.is_gt() { e } else { m } });
            if order.is_le() {
                mine = rest;
            }
            if order.is_ge() {
                theirs = others;
            }
        }
        self.joined.extend_from_slice(mine);
        self.joined.extend_from_slice(theirs);
        std::mem::swap(&mut self.entries, &mut self.joined);
        true
    }

    /// What an instruction must wait for, given what is under way.
    pub fn needs(&self, a: &InstAccess, all: &[InstAccess], grf_bytes: u32) -> Wait {
        let mut wait = Wait { all: self.held || a.lone || a.after_all, ..Wait::default() };
        if a.unit == Unit::None && !a.lone {
            wait.all = self.held;
            return wait;
        }
        for e in &self.entries {
            let before = &all[as_index(e.inst)];
            // In one pipe only reads of what was written count.
            let may_meet = if a.unit == Unit::Pipe(e.pipe) && !a.by_word {
                a.read & before.written != 0
            } else {
                a.grfs & before.grfs != 0 || a.arfs && before.arfs
            };
            if may_meet && in_order_hazard(before, e.pipe, a) {
                let dist = &mut wait.dist[usize::from(e.pipe)];
                let age = e.age.min(7);
                *dist = if *dist == 0 { age } else { age.min(*dist) };
            }
        }
        if self.live != 0 {
            let behind = self.alike(a);
            for r in a.ranges().iter().filter(|r| r.file == TrackedFile::Grf) {
                for g in grfs(r, grf_bytes) {
                    wait.dst |= self.dst[g];
                    if r.does == Direction::Write {
                        wait.src |= self.src[g] & !behind;
                    }
                }
            }
            if a.slm_store {
                wait.dst |= self.slm_loads;
            }
            wait.src &= !wait.dst;
        }
        wait
    }

    /// Takes away what has been waited for.
    pub fn settle(&mut self, wait: &Wait) {
        if wait.all {
            self.entries.clear();
        } else if wait.dist != [0; PIPES.len()] {
            self.entries.retain(|e| {
                let dist = wait.dist[usize::from(e.pipe)];
                dist == 0 || e.age < dist
            });
        }
        if wait.dst != 0 {
            self.forget(wait.dst);
        }
        if wait.src != 0 {
            self.src.iter_mut().chain(&mut self.last).for_each(|s| *s &= !wait.src);
        }
    }

    /// SBIDs of messages whose sources are read before an answer to `a` can be written: the function takes
    /// them in order.
    fn alike(&self, a: &InstAccess) -> u32 {
        if a.kind.is_none() {
            return 0;
        }
        self.kinds.iter().enumerate().fold(0, |ids, (k, kind)| ids | u32::from(*kind == a.kind) << k)
    }

    /// Nothing more is under way for these SBIDs.
    fn forget(&mut self, ids: u32) {
        self.dst.iter_mut().for_each(|d| *d &= !ids);
        self.src.iter_mut().chain(&mut self.last).for_each(|s| *s &= !ids);
        self.live &= !ids;
        self.slm_loads &= !ids;
    }

    /// Makes the instructions of a pipe older by one, and forgets those that are as far back as it is deep.
    pub fn age(&mut self, pipe: u8, depths: &[u8; PIPES.len()]) {
        self.entries.retain_mut(|e| {
            if e.pipe == pipe {
                e.age += 1;
            }
            e.age <= depths[usize::from(e.pipe)]
        });
    }

    /// Issues an in-order instruction.
    pub fn issue(&mut self, inst: u32, pipe: u8) {
        match self.entries.binary_search_by_key(&inst, |e| e.inst) {
            Ok(again) => self.entries[again].age = 1,
            Err(at) => self.entries.insert(at, InFlight { inst, pipe, age: 1 }),
        }
    }

    /// Issues an out-of-order instruction under an SBID. The hardware first waits for the one that had
    /// the SBID before.
    pub fn issue_token(&mut self, id: u8, a: &InstAccess, grf_bytes: u32) {
        let bit = 1 << id;
        self.open();
        if self.live & bit != 0 {
            self.forget(bit);
        }
        self.live |= bit;
        self.kinds[usize::from(id)] = a.kind;
        if a.slm_load {
            self.slm_loads |= bit;
        }
        for r in a.ranges().iter().filter(|r| r.file == TrackedFile::Grf) {
            for g in grfs(r, grf_bytes) {
                let pending = match r.does {
                    Direction::Read => &mut self.src,
                    Direction::Write => &mut self.dst,
                };
                pending[g] |= bit;
            }
        }
        if self.has_last && a.is_message {
            a.last_of_payloads(grf_bytes).for_each(|g| self.last[as_index(g)] |= bit);
            // What the answer overwrites has been read for that.
            let answer =
                a.ranges().iter().filter(|r| r.file == TrackedFile::Grf && r.does == Direction::Write);
            answer.flat_map(|r| grfs(r, grf_bytes)).for_each(|g| self.last[g] = 0);
        }
    }

    /// SBIDs that may stand for a result yet to be written.
    pub fn results(&self) -> u32 {
        self.dst.iter().fold(0, |all, d| all | d)
    }

    /// The registers that messages may be reading late that an instruction waits for, if there are any.
    pub fn late(&self, wait: &Wait, all: &[InstAccess]) -> Option<Late> {
        if !self.has_last || wait.src == 0 {
            return None;
        }
        let mut late = Late::default();
        let mut quick: u128 = 0;
        for ((g, last), dst) in (0..).zip(&self.last).zip(&self.dst) {
            if last & wait.src != 0 {
                late.registers.insert(g);
                late.dst |= dst;
                quick |= 1 << (g % 128);
            }
        }
        late.in_order = self.entries.iter().any(|e| all[as_index(e.inst)].written & quick != 0);
        (!late.registers.is_empty()).then_some(late)
    }

    /// What the annotation of an instruction that has to wait so depends on.
    pub fn before(&self, wait: &Wait, named: bool) -> Before {
        let mut oldest = [0; PIPES.len()];
        if named && wait.dist != [0; PIPES.len()] {
            for e in &self.entries {
                let age = &mut oldest[usize::from(e.pipe)];
                *age = e.age.max(*age);
            }
        }
        Before { live: self.live, held: self.held, oldest, late: None }
    }
}

fn grfs(r: &Range, grf_bytes: u32) -> std::ops::Range<usize> {
    span(r.start / grf_bytes..r.end.div_ceil(grf_bytes))
}

/// Whether `after` must wait for `before`, an instruction of an in-order pipe.
///
/// A read after a write always must, but for accumulators and flags, which the hardware watches. Within
/// one pipe, a write comes after the reads and writes before it anyway; only a write of single bytes
/// reads the word around them.
fn in_order_hazard(before: &InstAccess, pipe: u8, after: &InstAccess) -> bool {
    let same_pipe = after.unit == Unit::Pipe(pipe);
    for x in before.ranges() {
        for y in after.ranges() {
            let counts = match (x.does, y.does) {
                (Direction::Read, Direction::Read) => false,
                (Direction::Write, Direction::Read) => y.file == TrackedFile::Grf,
                (Direction::Write, Direction::Write) => !same_pipe || y.by_word,
                (Direction::Read, Direction::Write) => !same_pipe,
            };
            if counts && x.overlaps(y) {
                return true;
            }
        }
    }
    false
}
