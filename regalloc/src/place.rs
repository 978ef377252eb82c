//! Placing variables in a register file: a scan over start positions.
//!
//! Variables come in the order in which they become live. Each goes to the first place that no placed
//! variable holds at a common position; live ranges have gaps, and a place may be free in them. When
//! there is none, the cheapest variables in the way (or the new one itself) are marked for spilling.

use crate::{
    busy::Busy,
    liveness::{Liveness, Range},
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
}

/// A register file: `regs` registers of `reg_bytes` bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct File {
    pub regs: u32,
    pub reg_bytes: u32,
    /// Variables move round-robin through the registers rather than starting at the lowest: the
    /// hardware then waits less for registers that were just in use.
    pub rotate: bool,
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

/// A placed variable in one register.
#[derive(Clone, Copy)]
pub(crate) struct Held {
    item: u32,
    /// Bytes of this register.
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

/// Memory of the scan.
#[derive(Default)]
pub(crate) struct Scratch {
    /// What was put in each register and is not known to be over.
    held: Vec<Vec<Held>>,
    /// From which length on such a list is looked through for what is over.
    full_list: Vec<usize>,
    /// When registers are in use by anything.
    busy: Busy,
    /// Up to where a register is known to be full, from the scan's position on.
    full_until: Vec<u32>,
    /// Place and fate of each item.
    at: Vec<u32>,
    out: Vec<bool>,
    /// Items by the position where they start.
    starts: Vec<u32>,
    order: Vec<u32>,
    cost: Vec<f32>,
    met: Vec<(u64, f32)>,
    victims: Vec<u32>,
}

struct Scan<'a> {
    file: File,
    items: &'a [Item],
    live: &'a Liveness,
    s: &'a mut Scratch,
    next: u32,
    used: u32,
}

fn mask_of(start: u32, end: u32) -> u64 {
    let len = end - start;
    if len >= 64 { u64::MAX } else { ((1u64 << len) - 1) << start }
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
/// `points`: how many positions there are.
pub(crate) fn by_start<'a>(
    items: &[Item],
    ranges: impl Fn(&Item) -> &'a [Range],
    points: usize,
    starts: &mut Vec<u32>,
    order: &mut Vec<u32>,
) {
    let start = |i: &Item| ranges(i).first().map(|r| r.start as usize);
    starts.clear();
    starts.resize(points + 1, 0);
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
    live: &Liveness,
    vars: usize,
    s: &mut Scratch,
    out: &mut Placement,
) {
    let ranges = |i: &Item| live.of(i.var.index());
    let points = items.iter().filter_map(|i| ranges(i).last()).map(|r| r.end).max().unwrap_or(0) as usize;
    let regs = file.regs as usize;
    if s.held.len() < regs {
        s.held.resize_with(regs, Vec::new);
    }
    s.held.iter_mut().for_each(Vec::clear);
    s.full_list.clear();
    s.full_list.resize(regs, 32);
    s.full_until.clear();
    s.full_until.resize(regs, 0);
    s.busy.clear(regs, points);
    s.at.clear();
    s.at.resize(items.len(), UNPLACED);
    s.out.clear();
    s.out.resize(items.len(), false);
    let mut order = std::mem::take(&mut s.order);
    by_start(items, ranges, points, &mut s.starts, &mut order);
    let mut scan = Scan { file, items, live, s, next: 0, used: 0 };
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
        scan.second_chance(points, &mut order);
    }
    out.used = scan.used;
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
}

impl<'a> Scan<'a> {
    fn ranges(&self, i: u32) -> &'a [Range] {
        self.live.of(self.items[i as usize].var.index())
    }

    /// The registers that item `i` touches at byte `at`, each with the bytes of it.
    fn registers(&self, i: u32, at: u32) -> impl Iterator<Item = (u32, u64)> + use<> {
        let (rb, end) = (self.file.reg_bytes, at + self.items[i as usize].bytes);
        (at / rb..end.div_ceil(rb))
            .map(move |r| (r, mask_of(at.max(r * rb) - r * rb, end.min((r + 1) * rb) - r * rb)))
    }

    /// Puts item `i` at byte `at`.
    fn hold(&mut self, i: u32, at: u32) {
        let item = &self.items[i as usize];
        let ranges = self.ranges(i);
        let Some(now) = ranges.first() else { return };
        self.s.at[i as usize] = at;
        self.used = self.used.max(at + item.bytes);
        let full = mask_of(0, self.file.reg_bytes);
        let all = self.live.all();
        let held = Held::new(i, 0, self.live.indices(item.var.index()), all);
        for (r, mask) in self.registers(i, at) {
            let list = &mut self.s.held[r as usize];
            if list.len() >= self.s.full_list[r as usize] {
                list.retain(|h| !h.is_over(now.start));
                self.s.full_list[r as usize] = (list.len() * 2).max(32);
            }
            list.push(Held { mask, ..held });
            self.s.busy.set(r, ranges);
            if mask == full && item.fixed.is_none() {
                let until = &mut self.s.full_until[r as usize];
                *until = now.end.max(*until);
            }
        }
    }

    /// Bytes of register `r` that something holds in `ranges`. Forgets what ended before.
    fn taken(&mut self, r: u32, ranges: &[Range], mask: u64) -> u64 {
        let (now, all) = (ranges[0].start, self.live.all());
        let mut taken = 0;
        self.s.held[r as usize].retain_mut(|h| {
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

    /// The first register from `r` on that is not known to be full at position `now`.
    fn next_open(&self, r: u32, now: u32) -> u32 {
        let until = &self.s.full_until;
        let mut r = r as usize;
        while r < until.len() {
            match until[r..].first_chunk::<8>() {
                // All eight are looked at in any case: that is one step for the machine.
                Some(chunk) if chunk.iter().fold(true, |full, &u| full & (u > now)) => r += 8,
                _ if until[r] <= now => break,
                _ => r += 1,
            }
        }
        r as u32
    }

    /// A free place for item `i`.
    fn find(&mut self, i: u32) -> Option<u32> {
        let rb = self.file.reg_bytes;
        let item = self.items[i as usize];
        let (low, high) = (item.low.div_ceil(rb), (item.high / rb).min(self.file.regs));
        if item.bytes >= rb {
            let from = if self.file.rotate { self.next.clamp(low, high) } else { low };
            let found = self
                .find_whole(i, from, high)
                .or_else(|| if from > low { self.find_whole(i, low, high) } else { None });
            if let Some(at) = found {
                self.next = at / rb + item.bytes.div_ceil(rb);
            }
            return found;
        }
        let full = mask_of(0, rb);
        let mut empty = None;
        let high = item.high.div_ceil(rb).min(self.file.regs);
        let ranges = self.ranges(i);
        let now = ranges[0].start;
        let mut r = self.next_open(low, now);
        while r < high {
            let taken = if self.s.busy.meets(r, ranges) { self.taken(r, ranges, full) } else { 0 };
            if taken != full
                && (taken != 0 || empty.is_none())
                && let Some(at) = free_slot(taken, item.bytes, item.align, rb.min(item.high - r * rb))
            {
                if taken != 0 {
                    return Some(r * rb + at);
                }
                empty.get_or_insert(r * rb + at);
            }
            r = self.next_open(r + 1, now);
        }
        empty
    }

    fn find_whole(&mut self, i: u32, from: u32, high: u32) -> Option<u32> {
        let rb = self.file.reg_bytes;
        let item = self.items[i as usize];
        let n = item.bytes.div_ceil(rb);
        // Alignments are powers of two.
        let step = (item.align / rb).max(1);
        let aligned = |r: u32| (r + step - 1) & !(step - 1);
        let ranges = self.ranges(i);
        let now = ranges[0].start;
        let mut base = aligned(from);
        // Registers from `base` that are known to be free.
        let mut free = 0;
        while base + n <= high {
            if free == n {
                return Some(base * rb);
            }
            let r = base + free;
            let open = self.next_open(r, now);
            if open > r {
                base = aligned(open);
                free = 0;
                continue;
            }
            let bytes = (item.bytes - free * rb).min(rb);
            let meets = self.s.busy.meets(r, ranges)
                && (bytes == rb || self.taken(r, ranges, mask_of(0, bytes)) != 0);
            if meets {
                base = aligned(r + 1);
                free = 0;
            } else {
                free += 1;
            }
        }
        None
    }

    /// Makes room for item `i` by spilling the cheapest set of variables in its way, or marks `i`
    /// itself. Returns whether either was possible.
    fn evict_for(&mut self, i: u32) -> bool {
        let item = self.items[i as usize];
        let best =
            if item.bytes >= self.file.reg_bytes { self.cheapest_whole(i) } else { self.cheapest_part(i) };
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
        let rb = self.file.reg_bytes;
        let item = self.items[i as usize];
        let n = item.bytes.div_ceil(rb);
        let (low, high) = (item.low.div_ceil(rb), (item.high / rb).min(self.file.regs));
        let step = (item.align / rb).max(1);
        let (mine, all) = (self.ranges(i), self.live.all());
        let Scratch { held, busy, cost, .. } = &mut *self.s;
        cost.clear();
        cost.extend(held[..self.file.regs as usize].iter_mut().enumerate().map(|(r, list)| {
            if !busy.meets(r as u32, mine) {
                return 0.0;
            }
            list.retain(|h| !h.is_over(mine[0].start));
            let met = list.iter_mut().filter_map(|h| h.meets(mine, all).then_some(h.item));
            met.map(|h| {
                let other = &self.items[h as usize];
                // A variable over several registers is paid for once.
                other.cost / other.bytes.div_ceil(rb).min(n) as f32
            })
            .sum()
        }));
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
        let rb = self.file.reg_bytes;
        let item = self.items[i as usize];
        let (mine, all) = (self.ranges(i), self.live.all());
        let Scratch { held, met, .. } = &mut *self.s;
        let mut best: Option<(f32, u32)> = None;
        for r in item.low.div_ceil(rb)..item.high.div_ceil(rb).min(self.file.regs) {
            let list = &mut held[r as usize];
            list.retain(|h| !h.is_over(mine[0].start));
            met.clear();
            let here = list.iter_mut().filter_map(|h| h.meets(mine, all).then_some((h.mask, h.item)));
            met.extend(here.map(|(mask, h)| (mask, self.items[h as usize].cost)));
            let mut at = 0;
            while at + item.bytes <= rb.min(item.high - r * rb) {
                let mask = mask_of(at, at + item.bytes);
                let c: f32 = met.iter().filter(|h| h.0 & mask != 0).map(|h| h.1).sum();
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
        let mut victims = std::mem::take(&mut self.s.victims);
        for (r, mask) in self.registers(i, at) {
            victims.clear();
            let list = self.s.held[r as usize].iter_mut().filter(|h| !h.is_over(mine[0].start));
            let met = list.filter_map(|h| (h.mask & mask != 0 && h.meets(mine, all)).then_some(h.item));
            victims.extend(met);
            for &v in &victims {
                let at = std::mem::replace(&mut self.s.at[v as usize], UNPLACED);
                self.s.out[v as usize] = true;
                for (r, _) in self.registers(v, at) {
                    let Scratch { held, busy, full_until, .. } = &mut *self.s;
                    full_until[r as usize] = 0;
                    held[r as usize].retain(|h| h.item != v);
                    // Others may have had other bytes at the same time.
                    busy.reset(r, self.live.of(self.items[v as usize].var.index()));
                    for h in &held[r as usize] {
                        busy.set(r, &all[h.at as usize..h.last as usize]);
                    }
                }
            }
        }
        self.s.victims = victims;
    }

    /// Puts what was marked for spilling where it fits after all: others that were marked later have made
    /// room. The dearest come first. Positions are whole registers.
    fn second_chance(&mut self, points: usize, marked: &mut Vec<u32>) {
        let rb = self.file.reg_bytes;
        let items = self.items;
        self.s.busy.clear(self.file.regs as usize, points);
        for i in 0..items.len() as u32 {
            let at = self.s.at[i as usize];
            if at != UNPLACED {
                for (r, _) in self.registers(i, at) {
                    self.s.busy.set(r, self.ranges(i));
                }
            }
        }
        marked.clear();
        marked.extend((0..items.len() as u32).filter(|&i| self.s.out[i as usize]));
        // Of equals the first comes first.
        marked.sort_unstable_by(|&a, &b| {
            items[b as usize].cost.total_cmp(&items[a as usize].cost).then(a.cmp(&b))
        });
        for &i in &*marked {
            let item = items[i as usize];
            let n = item.bytes.div_ceil(rb);
            let step = (item.align / rb).max(1);
            let (low, high) = (item.low.div_ceil(rb), (item.high / rb).min(self.file.regs));
            let mut base = low.next_multiple_of(step);
            while base + n <= high {
                // From the end: what meets there rules out more places.
                let taken = (base..base + n).rev().find(|&r| self.s.busy.meets(r, self.ranges(i)));
                let Some(r) = taken else {
                    self.s.out[i as usize] = false;
                    self.s.at[i as usize] = base * rb;
                    self.used = self.used.max(base * rb + item.bytes);
                    for r in base..base + n {
                        self.s.busy.set(r, self.ranges(i));
                    }
                    break;
                };
                base = (r + 1).next_multiple_of(step);
            }
        }
    }
}

/// First aligned run of `bytes` zero bits.
fn free_slot(taken: u64, bytes: u32, align: u32, size: u32) -> Option<u32> {
    let align = align.max(1);
    let mut at = 0;
    while at + bytes <= size {
        if taken & mask_of(at, at + bytes) == 0 {
            return Some(at);
        }
        at += align;
    }
    None
}
