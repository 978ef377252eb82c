//! Placing variables in a register file: a scan over start positions.
//!
//! Variables come in the order in which they become live. Each goes to the first place that no placed
//! variable holds at a common position; live ranges have gaps, and a place may be free in them. When
//! there is none, the cheapest variables in the way (or the new one itself) are marked for spilling.

use crate::{
    liveness::{Liveness, Range},
    matrix::{RegMatrix, Regs, between, first, has, multiples, runs},
};
use gen_ir::VarId;

/// What the scan knows of one variable.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Item {
    pub var: VarId,
    pub bytes: u32,
    pub align: u32,
    /// Byte offset in the file, if it must be there.
    pub fixed: Option<u32>,
    /// Lowest byte offset allowed.
    pub low: u32,
    /// One past the highest byte offset that the variable may cover.
    pub high: u32,
    /// Cost of a spill; infinite if impossible.
    pub cost: f32,
    /// Every lane writes and reads its own dwords alone, in whole registers: it gets on with others of that kind
    /// where only lanes that wait hold it.
    pub by_lane: bool,
}

/// A register file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct File {
    pub regs: u32,
    /// Log2 of a register's bytes.
    pub reg_log: u32,
    /// Variables move round-robin through the registers rather than starting at the lowest: then a scheduler
    /// may move instructions past each other, and the hardware waits less for registers that were just in
    /// use.
    pub rotate: bool,
}

impl File {
    /// Bytes of a register. That they are a power of two spares the scan its divisions.
    pub const fn reg_bytes(self) -> u32 {
        1 << self.reg_log
    }
}

/// Which variables may share registers although both are alive somewhere.
#[derive(Clone, Copy)]
pub(crate) enum Sharing<'a> {
    /// None.
    None,
    /// Those that are lane by lane, where lanes that run do not need both. These are the ranges where they do.
    ByLane(&'a Liveness),
    /// Those that pass by the same subroutine. These are the ranges in which variables live by themselves, and those
    /// of subroutines by which they pass.
    InCalls(&'a [Liveness; 2]),
}

/// Where everything went.
#[derive(Default)]
pub(crate) struct Placement {
    /// Byte offset in the file by variable; `u32::MAX` where not placed.
    pub at: Vec<u32>,
    /// Variables that must be spilled, in order of the index.
    pub spilled: Vec<VarId>,
    /// The variable that could not be placed although nothing can be spilled for it.
    pub failed: Option<VarId>,
    /// One past the highest byte used.
    pub used: u32,
}

pub(crate) const UNPLACED: u32 = u32::MAX;

/// Registers in which variables that are smaller than one are placed in turn. More of them would break up the
/// room for large ones.
const PARTS_IN_TURN: u32 = 32;

/// A placed variable.
#[derive(Clone, Copy)]
pub(crate) struct Held {
    item: u32,
    /// Bytes of a register, for one that is not there for the whole of it.
    mask: u64,
    /// Its ranges among all: the first that does not end before the scan's position, and one past the last.
    at: u32,
    last: u32,
    /// That range.
    now: Range,
    /// When the last of them ends.
    end: u32,
}

impl Held {
    /// A variable with these ranges, of which there is at least one.
    pub fn new(item: u32, mask: u64, indices: std::ops::Range<u32>, all: &[Range]) -> Held {
        let (now, end) = (all[indices.start as usize], all[indices.end as usize - 1].end);
        Held { item, mask, at: indices.start, last: indices.end, now, end }
    }

    /// Its first range that does not end before the scan's position.
    pub const fn now(&self) -> Range {
        self.now
    }

    /// Whether nothing of it is left at position `now`.
    pub const fn is_over(&self, now: u32) -> bool {
        self.end <= now
    }

    /// Whether it is alive somewhere in `ranges`, which begin at the scan's position. It is not over.
    pub fn meets(&mut self, ranges: &[Range], all: &[Range]) -> bool {
        let (now, end) = (ranges[0].start, ranges[ranges.len() - 1].end);
        if self.now.end <= now {
            let rest = &all[self.at as usize..self.last as usize];
            self.at += rest.partition_point(|r| r.end <= now) as u32;
            self.now = all[self.at as usize];
        }
        match ranges {
            [only] => self.now.start < only.end,
            _ => self.now.start < end && overlap(&all[self.at as usize..self.last as usize], ranges),
        }
    }
}

/// A placed variable, with all of it that the scan asks for when it looks for what is in the way.
#[derive(Clone, Copy)]
struct Active {
    held: Held,
    var: VarId,
    /// Its bytes of the file.
    from: u32,
    to: u32,
    /// What spilling it costs.
    cost: f32,
    by_lane: bool,
}

impl Active {
    /// Whether it may not have a place that `item` has, which is alive in `ranges`: two that are lane by lane meet
    /// only where lanes that run need both.
    fn meets(&mut self, item: &Item, ranges: &[Range], all: &[Range], sharing: Sharing<'_>) -> bool {
        let (v, o) = (item.var.index(), self.var.index());
        match sharing {
            Sharing::ByLane(own) if item.by_lane && self.by_lane => overlap(own.of(o), own.of(v)),
            Sharing::InCalls([own, passing]) if !passing.of(v).is_empty() && !passing.of(o).is_empty() => {
                overlap(own.of(o), own.of(v))
                    || overlap(own.of(o), passing.of(v))
                    || overlap(passing.of(o), own.of(v))
            }
            _ => self.held.meets(ranges, all),
        }
    }
}

/// Memory of the scan.
#[derive(Default)]
pub(crate) struct Scratch {
    /// What was placed and is not known to be over, in the order of placing.
    active: Vec<Active>,
    /// Of that what has a part of a register, by register.
    parts: Vec<Vec<Held>>,
    /// From which length on such lists are looked through for what is over.
    full_active: usize,
    full_parts: Vec<usize>,
    /// When registers are in use, as wholes and in part, where there are up to 128 and up to 256 registers.
    /// After a second chance the first says both.
    pub narrow: [RegMatrix<2>; 4],
    pub wide: [RegMatrix<4>; 4],
    /// What has each register that may share it.
    sharers: Vec<Vec<Sharer>>,
    /// Place and fate of each item.
    at: Vec<u32>,
    out: Vec<bool>,
    /// Items by the position where they start.
    starts: Vec<u32>,
    order: Vec<u32>,
    cost: Vec<f32>,
    met: Vec<Met>,
    victims: Vec<u32>,
}

/// An item that has a register which others may have, too.
struct Sharer {
    item: u32,
    /// It is held from here to there, perhaps with gaps.
    all: Range,
}

/// What is in the way of an item in one register.
struct Met {
    reg: u32,
    /// Its place in the order of placing.
    nth: u32,
    mask: u64,
    cost: f32,
}

struct Scan<'a, const W: usize> {
    file: File,
    items: &'a [Item],
    live: &'a Liveness,
    s: &'a mut Scratch,
    points_to: usize,
    /// When something has the whole of registers.
    wholes: RegMatrix<W>,
    /// If not, nothing has, and those are not for use.
    some_wholes: bool,
    /// When something has a part of registers.
    partly: RegMatrix<W>,
    /// The same.
    some_parts: bool,
    sharing: Sharing<'a>,
    /// When something that is lane by lane has registers, waiting lanes included, and when only lanes that run
    /// count. None of that is among the wholes. With calls: when what passes by subroutines has registers there,
    /// which is not among the wholes either.
    held: RegMatrix<W>,
    needed: RegMatrix<W>,
    /// Where the next search starts, if places are taken in turn: a register for what has whole ones, a byte of
    /// the file for what is smaller.
    next: u32,
    next_byte: u32,
    used: u32,
}

fn mask_of(start: u32, end: u32) -> u64 {
    let len = end - start;
    if len >= 64 { u64::MAX } else { ((1u64 << len) - 1) << start }
}

/// From the first start to the last end of ranges, of which there is one.
fn hull(ranges: &[Range]) -> Range {
    Range { start: ranges[0].start, end: ranges[ranges.len() - 1].end }
}

fn overlap(a: &[Range], b: &[Range]) -> bool {
    let (mut i, mut j) = (0, 0);
    if let ([x], [y]) = (a, b) {
        return x.start < y.end && y.start < x.end;
    }
    // Skip what ends before the other begins.
    if let (Some(x), Some(y)) = (a.first(), b.first()) {
        i = a.partition_point(|r| r.end <= y.start);
        j = b.partition_point(|r| r.end <= x.start);
    }
    while i < a.len() && j < b.len() {
        if a[i].end <= b[j].start {
            i += 1;
        } else if b[j].end <= a[i].start {
            j += 1;
        } else {
            return true;
        }
    }
    false
}

/// Puts items in the order in which they become live, the largest first among those that do together, and
/// the first first among equals.
/// `points_to`: how many positions there are.
pub(crate) fn by_start<'a>(
    items: &[Item],
    ranges: impl Fn(&Item) -> &'a [Range],
    points_to: usize,
    starts: &mut Vec<u32>,
    order: &mut Vec<u32>,
) {
    let start = |i: &Item| ranges(i).first().map(|r| r.start as usize);
    if items.len() * 16 < points_to {
        // Few: sorting them is less work than counting at all positions.
        order.clear();
        order.extend((0..).zip(items).filter(|(_, item)| start(item).is_some()).map(|(i, _)| i));
        order.sort_unstable_by_key(|&i| {
            let item = &items[i as usize];
            (start(item), u32::MAX - item.bytes, i)
        });
        return;
    }
    starts.clear();
    starts.resize(points_to + 1, 0);
    let mut count = 0;
    for at in items.iter().filter_map(start) {
        starts[at] += 1;
        count += 1;
    }
    let mut end = 0;
    for s in starts.iter_mut() {
        end += *s;
        *s = end;
    }
    order.clear();
    order.resize(count, 0);
    for (i, item) in items.iter().enumerate().rev() {
        if let Some(at) = start(item) {
            starts[at] -= 1;
            order[starts[at] as usize] = i as u32;
        }
    }
    for ends in starts.windows(2).filter(|w| w[1] - w[0] > 1) {
        let together = &mut order[ends[0] as usize..ends[1] as usize];
        together.sort_unstable_by_key(|&i| (u32::MAX - items[i as usize].bytes, i));
    }
}

/// Places `items`; those without live ranges are left out.
pub(crate) fn place(
    file: File,
    items: &[Item],
    (live, sharing): (&Liveness, Sharing<'_>),
    vars: usize,
    s: &mut Scratch,
    out: &mut Placement,
) {
    if file.regs <= 128 {
        let matrix = std::mem::take(&mut s.narrow);
        s.narrow = place_in(file, items, (live, sharing), vars, s, matrix, out);
    } else {
        let matrix = std::mem::take(&mut s.wide);
        s.wide = place_in(file, items, (live, sharing), vars, s, matrix, out);
    }
}

fn place_in<const W: usize>(
    file: File,
    items: &[Item],
    (live, sharing): (&Liveness, Sharing<'_>),
    vars: usize,
    s: &mut Scratch,
    [mut wholes, mut partly, mut held, mut needed]: [RegMatrix<W>; 4],
    out: &mut Placement,
) -> [RegMatrix<W>; 4] {
    let ranges = |i: &Item| live.of(i.var.index());
    let points_to = items.iter().filter_map(|i| ranges(i).last()).map(|r| r.end).max().unwrap_or(0) as usize;
    let regs = file.regs as usize;
    s.active.clear();
    s.full_active = 256;
    if s.parts.len() < regs {
        s.parts.resize_with(regs, Vec::new);
    }
    s.parts.iter_mut().for_each(Vec::clear);
    s.full_parts.clear();
    s.full_parts.resize(regs, 32);
    s.at.clear();
    s.at.resize(items.len(), UNPLACED);
    s.out.clear();
    s.out.resize(items.len(), false);
    let rb = file.reg_bytes();
    let some_wholes = items.iter().any(|i| i.bytes >= rb);
    let shares = match sharing {
        Sharing::None => false,
        Sharing::ByLane(_) => items.iter().any(|i| i.by_lane),
        Sharing::InCalls([_, passing]) => items.iter().any(|i| !passing.of(i.var.index()).is_empty()),
    };
    let sharing = if shares { sharing } else { Sharing::None };
    let apart = |i: &Item| !i.bytes.is_multiple_of(rb) || i.fixed.is_some_and(|at| !at.is_multiple_of(rb));
    let some_parts = items.iter().any(apart);
    wholes.clear(if some_wholes { points_to } else { 0 });
    partly.clear(if some_parts { points_to } else { 0 });
    held.clear(if shares { points_to } else { 0 });
    needed.clear(if shares { points_to } else { 0 });
    s.sharers.iter_mut().for_each(Vec::clear);
    if shares && s.sharers.len() < regs {
        s.sharers.resize_with(regs, Vec::new);
    }
    let mut order = std::mem::take(&mut s.order);
    by_start(items, ranges, points_to, &mut s.starts, &mut order);
    let mut scan = Scan {
        file,
        items,
        live,
        s,
        points_to,
        wholes,
        some_wholes,
        partly,
        some_parts,
        sharing,
        held,
        needed,
        next: 0,
        next_byte: 0,
        used: 0,
    };
    for (i, item) in items.iter().enumerate() {
        if let Some(at) = item.fixed
            && !ranges(item).is_empty()
        {
            scan.hold(i as u32, at);
        }
    }
    out.failed = None;
    for &i in order.iter().filter(|&&i| items[i as usize].fixed.is_none()) {
        if scan.s.out[i as usize] {
            continue;
        }
        if let Some(at) = scan.find(i) {
            scan.hold(i, at);
        } else if !scan.evict_for(i) {
            out.failed.get_or_insert(items[i as usize].var);
        }
    }
    if scan.s.out.contains(&true) {
        scan.second_chance(&mut order);
    }
    out.used = scan.used;
    if shares {
        scan.wholes.merge(&scan.held);
    }
    let memory = [scan.wholes, scan.partly, scan.held, scan.needed];
    s.order = order;
    out.at.clear();
    out.at.resize(vars, UNPLACED);
    out.spilled.clear();
    for (i, item) in items.iter().enumerate() {
        out.at[item.var.index()] = s.at[i];
        if s.out[i] {
            out.spilled.push(item.var);
        }
    }
    memory
}

impl<'a, const W: usize> Scan<'a, W> {
    fn ranges(&self, i: u32) -> &'a [Range] {
        self.live.of(self.items[i as usize].var.index())
    }

    /// The registers that item `i` has a part of at byte `at`, each with the bytes of it.
    fn parts_of(&self, i: u32, at: u32) -> impl Iterator<Item = (u32, u64)> + use<W> {
        let (rb, end) = (self.file.reg_bytes(), at + self.items[i as usize].bytes);
        let (first, last) = (at / rb, (end - 1) / rb);
        let head = !at.is_multiple_of(rb) || end < (first + 1) * rb;
        let tail = last > first && !end.is_multiple_of(rb);
        let part = move |r: u32| (r, mask_of(at.max(r * rb) - r * rb, end.min((r + 1) * rb) - r * rb));
        [(head, first), (tail, last)].into_iter().filter(|x| x.0).map(move |(_, r)| part(r))
    }

    /// The registers that item `i` has the whole of at byte `at`.
    fn wholes_of(&self, i: u32, at: u32) -> Regs<W> {
        let (rb, end) = (self.file.reg_bytes(), at + self.items[i as usize].bytes);
        between(at.div_ceil(rb), end / rb)
    }

    /// Puts item `i` at byte `at`.
    fn hold(&mut self, i: u32, at: u32) {
        let item = &self.items[i as usize];
        let ranges = self.ranges(i);
        let Some(now) = ranges.first() else { return };
        self.s.at[i as usize] = at;
        self.used = self.used.max(at + item.bytes);
        // What must be somewhere comes before all else, in any order.
        let in_order = item.fixed.is_none();
        let held = Held::new(i, 0, self.live.indices(item.var.index()), self.live.all());
        if in_order && self.s.active.len() >= self.s.full_active {
            self.s.active.retain(|a| !a.held.is_over(now.start));
            self.s.full_active = (self.s.active.len() * 2).max(256);
        }
        let Item { var, bytes, cost, by_lane, .. } = *item;
        self.s.active.push(Active { held, var, from: at, to: at + bytes, cost, by_lane });
        for (r, mask) in self.parts_of(i, at) {
            let list = &mut self.s.parts[r as usize];
            if in_order && list.len() >= self.s.full_parts[r as usize] {
                list.retain(|h| !h.is_over(now.start));
                self.s.full_parts[r as usize] = (list.len() * 2).max(32);
            }
            list.push(Held { mask, ..held });
            if self.some_parts {
                self.partly.set(between(r, r + 1), ranges);
            }
        }
        let wholes = self.wholes_of(i, at);
        if wholes != [0; W] {
            self.take(i, wholes);
        }
    }

    /// The ranges of item `i` that go to the wholes, the held and the needed.
    fn tables(&self, i: u32) -> [&'a [Range]; 3] {
        let item = &self.items[i as usize];
        let (v, ranges) = (item.var.index(), self.ranges(i));
        match self.sharing {
            Sharing::ByLane(own) if item.by_lane => [&[], ranges, own.of(v)],
            Sharing::InCalls([own, passing]) => [own.of(v), passing.of(v), &[]],
            _ => [ranges, &[], &[]],
        }
    }

    /// Item `i` has these registers.
    fn take(&mut self, i: u32, regs: Regs<W>) {
        let [own, held, needed] = self.tables(i);
        self.wholes.set(regs, own);
        if held.is_empty() {
            return;
        }
        self.held.set(regs, held);
        self.needed.set(regs, needed);
        let all = hull(held);
        for r in (0..self.file.regs).filter(|&r| has(&regs, r)) {
            self.s.sharers[r as usize].push(Sharer { item: i, all });
        }
    }

    /// Item `i` has these registers no longer.
    fn leave(&mut self, i: u32, regs: Regs<W>) {
        let [own, held, needed] = self.tables(i);
        self.wholes.reset(regs, own);
        if held.is_empty() {
            return;
        }
        self.needed.reset(regs, needed);
        self.held.reset(regs, held);
        // Others that share them may be held at the same time.
        let all = hull(held);
        for r in (0..self.file.regs).filter(|&r| has(&regs, r)) {
            self.s.sharers[r as usize].retain(|other| other.item != i);
            for at in 0..self.s.sharers[r as usize].len() {
                let other = &self.s.sharers[r as usize][at];
                if other.all.start < all.end && all.start < other.all.end {
                    let [_, held, _] = self.tables(other.item);
                    self.held.set(between(r, r + 1), held);
                }
            }
        }
    }

    /// The registers that nothing which item `i` meets has the whole of.
    fn open_to(&self, i: u32) -> Regs<W> {
        let ranges = self.ranges(i);
        let mut open = self.open(ranges);
        let shared = match (self.sharing, self.tables(i)) {
            (Sharing::None, _) => return open,
            (Sharing::ByLane(_), [_, [], _]) => self.held.within(ranges),
            (Sharing::ByLane(_), [_, _, needed]) => self.needed.within(needed),
            (Sharing::InCalls(_), [own, ..]) => self.held.within(own),
        };
        open.iter_mut().zip(shared).for_each(|(o, l)| *o &= !l);
        open
    }

    /// Bytes of register `r` that something has that has a part of it in `ranges`. Forgets what ended
    /// before.
    fn taken(&mut self, r: u32, ranges: &[Range], mask: u64) -> u64 {
        let (now, all) = (ranges[0].start, self.live.all());
        let mut taken = 0;
        let list = &mut self.s.parts[r as usize];
        list.retain_mut(|h| {
            if h.is_over(now) {
                return false;
            }
            if h.mask & mask & !taken != 0 && h.meets(ranges, all) {
                taken |= h.mask;
            }
            true
        });
        taken & mask
    }

    /// The registers that nothing has the whole of in `ranges`.
    fn open(&self, ranges: &[Range]) -> Regs<W> {
        if self.some_wholes { self.wholes.within(ranges).map(|word| !word) } else { [u64::MAX; W] }
    }

    /// The registers that something may have a part of in `ranges`.
    fn with_parts(&self, ranges: &[Range]) -> Regs<W> {
        if self.some_parts { self.partly.within(ranges) } else { [0; W] }
    }

    /// The registers that something may have which item `i` meets, or a part of them.
    fn used_near(&self, i: u32) -> Regs<W> {
        let mut used = self.with_parts(self.ranges(i));
        used.iter_mut().zip(self.open_to(i)).for_each(|(u, o)| *u |= !o);
        used
    }

    /// A free place for item `i`.
    fn find(&mut self, i: u32) -> Option<u32> {
        let rb = self.file.reg_bytes();
        let item = self.items[i as usize];
        let ranges = self.ranges(i);
        let mut open = self.open_to(i);
        let with_parts = self.with_parts(ranges);
        let (low, high) = (item.low.div_ceil(rb), (item.high / rb).min(self.file.regs));
        if item.bytes >= rb {
            let from = if self.file.rotate { self.next.clamp(low, high) } else { low };
            let found = self
                .find_whole(i, open, with_parts, from, high)
                .or_else(|| if from > low { self.find_whole(i, open, with_parts, low, high) } else { None });
            if let Some(at) = found {
                self.next = at / rb + item.bytes.div_ceil(rb);
            }
            return found;
        }
        let high = item.high.div_ceil(rb).min(self.file.regs);
        open.iter_mut().zip(between::<W>(low, high)).for_each(|(o, b)| *o &= b);
        let found = self.find_part(i, open, with_parts);
        if let Some(at) = found {
            // What begins a register is for messages and the math unit: not to be waited for by its neighbours.
            let end = at + item.bytes;
            self.next_byte = if item.align >= rb { end.next_multiple_of(rb) } else { end };
        }
        found
    }

    /// A free place for item `i`, which is smaller than a register, in one of `open`: beside others if there
    /// is room, else in an empty one.
    fn find_part(&mut self, i: u32, mut open: Regs<W>, with_parts: Regs<W>) -> Option<u32> {
        if let Some(at) = self.find_part_in_turn(i, open, with_parts) {
            return Some(at);
        }
        let rb = self.file.reg_bytes();
        let item = self.items[i as usize];
        let ranges = self.ranges(i);
        let full = mask_of(0, rb);
        let from = if self.file.rotate { self.next_byte } else { 0 };
        let mut empty = None;
        // Bytes from `from` on, then those before.
        for (regs, least) in
            [(between::<W>(from / rb, self.file.regs), from), (between(0, from.div_ceil(rb)), 0)]
        {
            let mut here = open;
            here.iter_mut().zip(regs).for_each(|(h, b)| *h &= b);
            while let Some(r) = first(&here) {
                here[r as usize / 64] &= !(1 << (r % 64));
                let taken = if has(&with_parts, r) { self.taken(r, ranges, full) } else { 0 };
                let least = least.saturating_sub(r * rb);
                if taken != full
                    && (taken != 0 || empty.is_none())
                    && let Some(at) =
                        free_slot(taken, least, (item.bytes, item.align), rb.min(item.high - r * rb))
                {
                    if taken != 0 {
                        return Some(r * rb + at);
                    }
                    empty = Some(r * rb + at);
                    // Only what others have parts of is better.
                    for regs in [&mut open, &mut here] {
                        regs.iter_mut().zip(with_parts).for_each(|(o, p)| *o &= p);
                    }
                }
            }
        }
        empty
    }

    /// The same in turn: the next place, beside others or not, in as many registers as serve small variables alone.
    fn find_part_in_turn(&mut self, i: u32, open: Regs<W>, with_parts: Regs<W>) -> Option<u32> {
        let rb = self.file.reg_bytes();
        // Flags are few, and each is a part.
        if !self.file.rotate || self.file.regs < 2 * PARTS_IN_TURN {
            return None;
        }
        let item = self.items[i as usize];
        let ranges = self.ranges(i);
        let from = if self.next_byte < PARTS_IN_TURN * rb { self.next_byte } else { 0 };
        for (regs, least) in [
            (between::<W>(from / rb, PARTS_IN_TURN), from),
            (between(0, (from.div_ceil(rb)).min(PARTS_IN_TURN)), 0),
        ] {
            let mut here = open;
            here.iter_mut().zip(regs).for_each(|(h, b)| *h &= b);
            while let Some(r) = first(&here) {
                here[r as usize / 64] &= !(1 << (r % 64));
                let taken = if has(&with_parts, r) { self.taken(r, ranges, mask_of(0, rb)) } else { 0 };
                let (least, end) = (least.saturating_sub(r * rb), rb.min(item.high - r * rb));
                if let Some(at) = free_slot(taken, least, (item.bytes, item.align), end) {
                    return Some(r * rb + at);
                }
            }
        }
        None
    }

    /// The first place for item `i` in `open` registers from `from` to before `high`: it takes whole ones, but
    /// for the last.
    fn find_whole(
        &mut self,
        i: u32,
        mut open: Regs<W>,
        with_parts: Regs<W>,
        from: u32,
        high: u32,
    ) -> Option<u32> {
        let rb = self.file.reg_bytes();
        let item = self.items[i as usize];
        let n = item.bytes.div_ceil(rb);
        let ranges = self.ranges(i);
        if self.some_parts && item.bytes.is_multiple_of(rb) {
            open.iter_mut().zip(with_parts).for_each(|(o, p)| *o &= !p);
        }
        let mut places = multiples::<W>((item.align / rb).max(1));
        let allowed = between::<W>(from, (high + 1).saturating_sub(n));
        places.iter_mut().zip(allowed).for_each(|(p, a)| *p &= a);
        loop {
            let mut found = runs(open, n);
            found.iter_mut().zip(places).for_each(|(f, p)| *f &= p);
            let base = first(&found)?;
            let in_the_way = (base..base + n).find(|&r| {
                let bytes = (item.bytes - (r - base) * rb).min(rb);
                has(&with_parts, r)
                    && (bytes == rb && self.some_parts || self.taken(r, ranges, mask_of(0, bytes)) != 0)
            });
            match in_the_way {
                None => return Some(base * rb),
                // In no later place is that the last register, of which less may be needed.
                Some(r) => open[r as usize / 64] &= !(1 << (r % 64)),
            }
        }
    }

    /// Makes room for item `i` by spilling the cheapest set of variables in its way, or marks `i`
    /// itself. Returns whether either was possible.
    fn evict_for(&mut self, i: u32) -> bool {
        let item = self.items[i as usize];
        let now = self.ranges(i)[0].start;
        self.s.active.retain(|a| !a.held.is_over(now));
        let best =
            if item.bytes >= self.file.reg_bytes() { self.cheapest_whole(i) } else { self.cheapest_part(i) };
        match best {
            Some((c, at)) if c < item.cost => {
                self.evict(i, at);
                self.hold(i, at);
                true
            }
            _ if item.cost.is_finite() => {
                self.s.out[i as usize] = true;
                true
            }
            _ => false,
        }
    }

    /// The base registers that cost least to empty for item `i`, as cost and byte offset.
    fn cheapest_whole(&mut self, i: u32) -> Option<(f32, u32)> {
        let rb = self.file.reg_bytes();
        let item = self.items[i as usize];
        let n = item.bytes.div_ceil(rb);
        let (low, high) = (item.low.div_ceil(rb), (item.high / rb).min(self.file.regs));
        let step = (item.align / rb).max(1);
        let (mine, all) = (self.ranges(i), self.live.all());
        let used = self.used_near(i);
        let sharing = self.sharing;
        let Scratch { active, cost, .. } = &mut *self.s;
        cost.clear();
        cost.resize(self.file.regs as usize, 0.0);
        for a in active {
            let regs = a.from / rb..a.to.div_ceil(rb);
            if regs.end > low && has(&used, regs.start) && a.meets(&item, mine, all, sharing) {
                // A variable over several registers is paid for once.
                let share = a.cost / (a.to - a.from).div_ceil(rb).min(n) as f32;
                cost[regs.start as usize..regs.end as usize].iter_mut().for_each(|c| *c += share);
            }
        }
        let mut best: Option<(f32, u32)> = None;
        let mut base = low.next_multiple_of(step);
        while base + n <= high {
            let c: f32 = cost[base as usize..(base + n) as usize].iter().sum();
            if c.is_finite() && best.is_none_or(|(b, _)| c < b) {
                best = Some((c, base * rb));
            }
            base += step;
        }
        best
    }

    /// The same for an item smaller than a register.
    fn cheapest_part(&mut self, i: u32) -> Option<(f32, u32)> {
        let rb = self.file.reg_bytes();
        let item = self.items[i as usize];
        let (mine, all) = (self.ranges(i), self.live.all());
        let used = self.used_near(i);
        let Scratch { active, met, .. } = &mut *self.s;
        met.clear();
        for (nth, a) in active.iter_mut().enumerate() {
            let (nth, at, end, cost) = (nth as u32, a.from, a.to, a.cost);
            if end > item.low && has(&used, at / rb) && a.held.meets(mine, all) {
                met.extend((at / rb..end.div_ceil(rb)).map(|reg| {
                    let mask = mask_of(at.max(reg * rb) - reg * rb, end.min((reg + 1) * rb) - reg * rb);
                    Met { reg, nth, mask, cost }
                }));
            }
        }
        met.sort_unstable_by_key(|m| (m.reg, m.nth));
        let mut rest = &met[..];
        let mut best: Option<(f32, u32)> = None;
        for r in item.low.div_ceil(rb)..item.high.div_ceil(rb).min(self.file.regs) {
            rest = &rest[rest.partition_point(|m| m.reg < r)..];
            let here = &rest[..rest.partition_point(|m| m.reg == r)];
            let mut at = 0;
            while at + item.bytes <= rb.min(item.high - r * rb) {
                let mask = mask_of(at, at + item.bytes);
                let c: f32 = here.iter().filter(|m| m.mask & mask != 0).map(|m| m.cost).sum();
                if c.is_finite() && best.is_none_or(|(b, _)| c < b) {
                    best = Some((c, r * rb + at));
                }
                at += item.align.max(1);
            }
        }
        best
    }

    /// Marks everything for spilling that meets item `i` if that is put at byte `at`.
    fn evict(&mut self, i: u32, at: u32) {
        let (mine, all) = (self.ranges(i), self.live.all());
        let (item, sharing) = (self.items[i as usize], self.sharing);
        let end = at + item.bytes;
        let mut victims = std::mem::take(&mut self.s.victims);
        victims.clear();
        self.s.active.retain_mut(|a| {
            let meets = a.from < end && at < a.to && a.meets(&item, mine, all, sharing);
            if meets {
                victims.push(a.held.item);
            }
            !meets
        });
        for &v in &victims {
            let from = std::mem::replace(&mut self.s.at[v as usize], UNPLACED);
            self.s.out[v as usize] = true;
            let wholes = self.wholes_of(v, from);
            if wholes != [0; W] {
                self.leave(v, wholes);
                if self.items[v as usize].fixed.is_some() {
                    self.hold_again(v, from);
                }
            }
            for (r, _) in self.parts_of(v, from) {
                let list = &mut self.s.parts[r as usize];
                list.retain(|h| h.item != v);
                if self.some_parts {
                    // Others may have had other bytes at the same time.
                    self.partly.reset(between(r, r + 1), self.live.of(self.items[v as usize].var.index()));
                    for h in list {
                        self.partly.set(between(r, r + 1), &all[h.at as usize..h.last as usize]);
                    }
                }
            }
        }
        self.s.victims = victims;
    }

    /// Puts back what was where `v` was and had to be: several such may have been there at the same time.
    fn hold_again(&mut self, v: u32, from: u32) {
        let to = from + self.items[v as usize].bytes;
        for a in &self.s.active {
            let Held { item, at, last, .. } = a.held;
            if self.items[item as usize].fixed.is_some() && a.from < to && from < a.to {
                let wholes = self.wholes_of(item, a.from);
                self.wholes.set(wholes, &self.live.all()[at as usize..last as usize]);
            }
        }
    }

    /// Puts what was marked for spilling where it fits after all: others that were marked later have made
    /// room. The dearest come first. Positions are whole registers. What must be in its place lost that.
    fn second_chance(&mut self, marked: &mut Vec<u32>) {
        let rb = self.file.reg_bytes();
        let items = self.items;
        if !std::mem::replace(&mut self.some_wholes, true) {
            self.wholes.clear(self.points_to);
        }
        // What has whole registers is known, but where things that must be there were together.
        for i in 0..items.len() as u32 {
            let at = self.s.at[i as usize];
            if at == UNPLACED {
                continue;
            }
            let (item, ranges) = (&items[i as usize], self.ranges(i));
            if item.fixed.is_some() || !at.is_multiple_of(rb) || !item.bytes.is_multiple_of(rb) {
                self.wholes.set(between(at / rb, (at + item.bytes).div_ceil(rb)), ranges);
            }
        }
        marked.clear();
        let marks = |&i: &u32| self.s.out[i as usize] && items[i as usize].fixed.is_none();
        marked.extend((0..items.len() as u32).filter(marks));
        // Of equals the first comes first.
        marked.sort_unstable_by(|&a, &b| {
            items[b as usize].cost.total_cmp(&items[a as usize].cost).then(a.cmp(&b))
        });
        for &i in &*marked {
            let item = items[i as usize];
            let n = item.bytes.div_ceil(rb);
            let (low, high) = (item.low.div_ceil(rb), (item.high / rb).min(self.file.regs));
            let open = self.open_to(i);
            if let Some(at) = self.find_whole(i, open, [0; W], low, high) {
                self.s.out[i as usize] = false;
                self.s.at[i as usize] = at;
                self.used = self.used.max(at + item.bytes);
                self.take(i, between(at / rb, at / rb + n));
            }
        }
    }
}

/// First aligned run of so many zero bits, from bit `from` on.
fn free_slot(taken: u64, from: u32, (bytes, align): (u32, u32), size: u32) -> Option<u32> {
    let align = align.max(1);
    let mut at = from.next_multiple_of(align);
    while at + bytes <= size {
        if taken & mask_of(at, at + bytes) == 0 {
            return Some(at);
        }
        at += align;
    }
    None
}
