//! Placing variables in a register file: a scan over start positions.
//!
//! Variables come in the order in which they become live. Each goes to the first place that no placed
//! variable holds at a common position; live ranges have gaps, and a place may be free in them. When
//! there is none, the cheapest variables in the way (or the new one itself) are marked for spilling.

use crate::liveness::{Liveness, Range};
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
struct Held {
    item: u32,
    /// Bytes of this register.
    mask: u64,
    /// When its last range ends.
    end: u32,
    /// The first of its ranges that does not end before the scan's position, counted from its first.
    at: u32,
    /// That range.
    now: Range,
}

struct Scan<'a> {
    file: File,
    items: &'a [Item],
    live: &'a Liveness,
    held: Vec<Vec<Held>>,
    /// Up to where a register is known to be full, from the scan's position on.
    full_until: Vec<u32>,
    at: Vec<u32>,
    out: Vec<bool>,
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

/// Places `items`; those without live ranges are left out.
pub(crate) fn place(file: File, items: &[Item], live: &Liveness, vars: usize) -> Placement {
    let mut scan = Scan {
        file,
        items,
        live,
        held: vec![Vec::new(); file.regs as usize],
        full_until: vec![0; file.regs as usize],
        at: vec![UNPLACED; items.len()],
        out: vec![false; items.len()],
        next: 0,
        used: 0,
    };
    let ranges = |i: u32| live.of(items[i as usize].var.index());
    let mut order: Vec<u32> = Vec::with_capacity(items.len());
    for (i, item) in items.iter().enumerate() {
        let i = i as u32;
        if ranges(i).is_empty() {
            continue;
        }
        if let Some(at) = item.fixed {
            scan.hold(i, at);
        } else {
            order.push(i);
        }
    }
    order.sort_by_key(|&i| (ranges(i)[0].start, u32::MAX - items[i as usize].bytes));
    let mut failed = None;
    for i in order {
        if scan.out[i as usize] {
            continue;
        }
        if let Some(at) = scan.find(i) {
            scan.hold(i, at);
        } else if !scan.evict_for(i) {
            failed.get_or_insert(items[i as usize].var);
        }
    }
    if scan.out.contains(&true) {
        scan.second_chance();
    }
    let mut at = vec![UNPLACED; vars];
    let mut spilled = Vec::new();
    for (i, item) in items.iter().enumerate() {
        at[item.var.index()] = scan.at[i];
        if scan.out[i] {
            spilled.push(item.var);
        }
    }
    Placement { at, spilled, failed, used: scan.used }
}

impl<'a> Scan<'a> {
    fn ranges(&self, i: u32) -> &'a [Range] {
        self.live.of(self.items[i as usize].var.index())
    }

    /// Puts item `i` at byte `at`.
    fn hold(&mut self, i: u32, at: u32) {
        let item = &self.items[i as usize];
        let ranges = self.ranges(i);
        let (Some(&now), Some(last)) = (ranges.first(), ranges.last()) else { return };
        let end = last.end;
        self.at[i as usize] = at;
        self.used = self.used.max(at + item.bytes);
        let rb = self.file.reg_bytes;
        for r in at / rb..(at + item.bytes).div_ceil(rb) {
            let from = at.max(r * rb) - r * rb;
            let to = (at + item.bytes).min((r + 1) * rb) - r * rb;
            if let Some(list) = self.held.get_mut(r as usize) {
                let mask = mask_of(from, to);
                list.push(Held { item: i, mask, end, at: 0, now });
                if mask == mask_of(0, rb) && item.fixed.is_none() {
                    self.full_until[r as usize] = self.full_until[r as usize].max(now.end);
                }
            }
        }
    }

    /// Bytes of register `r` that item `i` cannot have. Forgets what ended before the scan's position.
    fn taken(&mut self, r: u32, i: u32, mask: u64) -> u64 {
        let ranges = self.live.of(self.items[i as usize].var.index());
        let (now, end) = (ranges[0].start, ranges[ranges.len() - 1].end);
        if self.full_until[r as usize] > now {
            return mask;
        }
        let (items, live) = (self.items, self.live);
        let list = &mut self.held[r as usize];
        let mut taken = 0;
        let mut k = 0;
        while k < list.len() {
            let h = &mut list[k];
            if h.end <= now {
                list.swap_remove(k);
                continue;
            }
            k += 1;
            if h.mask & mask & !taken == 0 {
                continue;
            }
            let theirs = |at: u32| &live.of(items[h.item as usize].var.index())[at as usize..];
            if h.now.end <= now {
                h.at += theirs(h.at).partition_point(|r| r.end <= now) as u32;
                h.now = theirs(h.at)[0];
            }
            let meets = match ranges {
                [only] => h.now.start < only.end,
                _ => h.now.start < end && overlap(theirs(h.at), ranges),
            };
            if meets {
                taken |= h.mask;
                if taken & mask == mask {
                    break;
                }
            }
        }
        taken & mask
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
        let now = self.ranges(i)[0].start;
        for r in low..high {
            if self.full_until[r as usize] > now {
                continue;
            }
            let held = !self.held[r as usize].is_empty();
            if !held && empty.is_some() {
                continue;
            }
            let taken = self.taken(r, i, full);
            if taken == full {
                continue;
            }
            if let Some(at) = free_slot(taken, item.bytes, item.align, rb.min(item.high - r * rb)) {
                if taken != 0 {
                    return Some(r * rb + at);
                }
                empty.get_or_insert(r * rb + at);
            }
        }
        empty
    }

    fn find_whole(&mut self, i: u32, from: u32, high: u32) -> Option<u32> {
        let rb = self.file.reg_bytes;
        let item = self.items[i as usize];
        let n = item.bytes.div_ceil(rb);
        let step = (item.align / rb).max(1);
        let mut base = from.next_multiple_of(step);
        // Registers from `base` that are known to be free.
        let mut free = 0;
        let now = self.ranges(i)[0].start;
        while base + n <= high {
            if free == n {
                return Some(base * rb);
            }
            if self.full_until[(base + free) as usize] > now {
                base = (base + free + 1).next_multiple_of(step);
                free = 0;
                continue;
            }
            let to = (item.bytes - free * rb).min(rb);
            if self.taken(base + free, i, mask_of(0, to)) == 0 {
                free += 1;
            } else {
                base = (base + free + 1).next_multiple_of(step);
                free = 0;
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
                self.out[i as usize] = true;
                true
            }
            _ => false,
        }
    }

    /// The base registers that cost least to empty for item `i`, as cost and byte offset.
    fn cheapest_whole(&self, i: u32) -> Option<(f32, u32)> {
        let rb = self.file.reg_bytes;
        let item = self.items[i as usize];
        let n = item.bytes.div_ceil(rb);
        let (low, high) = (item.low.div_ceil(rb), (item.high / rb).min(self.file.regs));
        let step = (item.align / rb).max(1);
        let mine = self.ranges(i);
        let cost: Vec<f32> = (0..self.file.regs)
            .map(|r| {
                let held = self.held[r as usize].iter().filter(|h| overlap(self.ranges(h.item), mine));
                held.map(|h| {
                    let other = &self.items[h.item as usize];
                    // A variable over several registers is paid for once.
                    other.cost / other.bytes.div_ceil(rb).min(n) as f32
                })
                .sum()
            })
            .collect();
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
    fn cheapest_part(&self, i: u32) -> Option<(f32, u32)> {
        let rb = self.file.reg_bytes;
        let item = self.items[i as usize];
        let mine = self.ranges(i);
        let mut best: Option<(f32, u32)> = None;
        for r in item.low.div_ceil(rb)..item.high.div_ceil(rb).min(self.file.regs) {
            let held: Vec<&Held> =
                self.held[r as usize].iter().filter(|h| overlap(self.ranges(h.item), mine)).collect();
            let mut at = 0;
            while at + item.bytes <= rb.min(item.high - r * rb) {
                let mask = mask_of(at, at + item.bytes);
                let c: f32 = held
                    .iter()
                    .filter(|h| h.mask & mask != 0)
                    .map(|h| self.items[h.item as usize].cost)
                    .sum();
                if c.is_finite() && best.is_none_or(|(b, _)| c < b) {
                    best = Some((c, r * rb + at));
                }
                at += item.align.max(1);
            }
        }
        best
    }

    /// Puts what was marked for spilling where it fits after all: others that were marked later have made
    /// room. The dearest come first. Positions are whole registers.
    fn second_chance(&mut self) {
        let rb = self.file.reg_bytes;
        let items = self.items;
        let ends = |i: usize| self.ranges(i as u32).last().map_or(0, |r| r.end);
        let points = (0..items.len()).map(ends).max().unwrap_or(0) as usize;
        let words = points.div_ceil(64);
        let mut busy = Busy { words, bits: vec![0; words * self.file.regs as usize] };
        for (i, item) in items.iter().enumerate().filter(|&(i, _)| self.at[i] != UNPLACED) {
            let at = self.at[i];
            for r in at / rb..(at + item.bytes).div_ceil(rb) {
                busy.set(r, self.ranges(i as u32));
            }
        }
        let mut marked: Vec<u32> = (0..items.len() as u32).filter(|&i| self.out[i as usize]).collect();
        marked.sort_by(|&a, &b| items[b as usize].cost.total_cmp(&items[a as usize].cost));
        for i in marked {
            let item = items[i as usize];
            let n = item.bytes.div_ceil(rb);
            let step = (item.align / rb).max(1);
            let (low, high) = (item.low.div_ceil(rb), (item.high / rb).min(self.file.regs));
            let mut base = low.next_multiple_of(step);
            while base + n <= high {
                // From the end: what meets there rules out more places.
                let Some(r) = (base..base + n).rev().find(|&r| busy.meets(r, self.ranges(i))) else {
                    self.out[i as usize] = false;
                    self.at[i as usize] = base * rb;
                    self.used = self.used.max(base * rb + item.bytes);
                    for r in base..base + n {
                        busy.set(r, self.live.of(item.var.index()));
                    }
                    break;
                };
                base = (r + 1).next_multiple_of(step);
            }
        }
    }

    /// Marks everything for spilling that meets item `i` if that is put at byte `at`.
    fn evict(&mut self, i: u32, at: u32) {
        let rb = self.file.reg_bytes;
        let end = at + self.items[i as usize].bytes;
        for r in at / rb..end.div_ceil(rb) {
            let mask = mask_of(at.max(r * rb) - r * rb, end.min((r + 1) * rb) - r * rb);
            let victims: Vec<u32> = self.held[r as usize]
                .iter()
                .filter(|h| h.mask & mask != 0 && overlap(self.ranges(h.item), self.ranges(i)))
                .map(|h| h.item)
                .collect();
            for v in victims {
                let at = std::mem::replace(&mut self.at[v as usize], UNPLACED);
                self.out[v as usize] = true;
                let end = (at + self.items[v as usize].bytes).div_ceil(rb);
                for r in at / rb..end {
                    self.full_until[r as usize] = 0;
                    self.held[r as usize].retain(|h| h.item != v);
                }
            }
        }
    }
}

/// The positions at which registers are in use: a bit each.
struct Busy {
    /// Words of a register.
    words: usize,
    bits: Vec<u64>,
}

impl Busy {
    /// The words of register `r` that `range` has part in, with its bits of them.
    fn words(&self, r: u32, range: Range) -> impl Iterator<Item = (usize, u64)> + use<> {
        let base = r as usize * self.words;
        let (first, last) = (range.start as usize / 64, (range.end as usize).div_ceil(64));
        (first..last).map(move |w| {
            let from = (range.start as usize).max(w * 64) - w * 64;
            let to = (range.end as usize).min((w + 1) * 64) - w * 64;
            (base + w, mask_of(from as u32, to as u32))
        })
    }

    fn set(&mut self, r: u32, ranges: &[Range]) {
        for &range in ranges {
            for (w, mask) in self.words(r, range) {
                self.bits[w] |= mask;
            }
        }
    }

    fn meets(&self, r: u32, ranges: &[Range]) -> bool {
        ranges.iter().any(|&range| self.words(r, range).any(|(w, mask)| self.bits[w] & mask != 0))
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
