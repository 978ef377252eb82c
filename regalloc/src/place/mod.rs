//! Placing variables in a register file: a scan over start positions.
//!
//! Variables come in the order in which they become live. Each goes to the first place that no placed
//! variable holds at a common position, or rather to that of a variable that it is a copy of; live ranges have
//! gaps, and a place may be free in them. When there is none, the cheapest variables in the way (or the new one itself)
//! are marked for spilling. Those marked before ([`Item::is_last`]) have what all others leave. Registers that many small
//! variables have taken may have no room in a row for a large one then, although as many are free: so the largest come first in another [`Way`], which is taken if all fit.

mod ages;
pub(crate) mod copies;
mod evict;
mod find;
pub(crate) mod heirs;
mod held;
mod items;
pub(crate) mod matrix;
mod rename;
mod sent;
mod starts;
mod tables;

pub(crate) use held::Held;
pub(crate) use items::{File, InPlace, Item, ItemId, Items, Placement, Sharing, Way};
pub(crate) use rename::rename_placed;
pub(crate) use starts::{by_start, largest_first};
pub(crate) use tables::UseTables;

use ages::Ages;
use held::Active;
use narrow::{as_index, ones, to_index};
use sent::Sent;

use crate::{
    analysis::{
        liveness::Liveness,
        position::{Position, Range},
    },
    place::{
        copies::Copies,
        heirs::Heirs,
        matrix::{RegMatrix, Regs, between, each, first, has, multiples, runs},
    },
};
use gen_ir::{FileByte, VarId};
use typed_index_collections::TiVec;

/// Registers in which variables that are smaller than one are placed in turn. More of them would break up the
/// room for large ones.
const PARTS_IN_TURN: u32 = 32;

/// How many others may be in the place of an item and meet it there.
const MOST_KIN: usize = 4;

/// Items in one place that meet there.
#[derive(Clone, Copy, Default)]
struct Kin {
    list: [Option<ItemId>; MOST_KIN],
}

impl Kin {
    fn has_room(&self) -> bool {
        self.list.contains(&None)
    }

    /// Adds one, if there is room, and returns how many were before.
    fn add(&mut self, item: ItemId) -> Option<usize> {
        let n = self.list.iter().position(Option::is_none)?;
        self.list[n] = Some(item);
        Some(n)
    }

    fn items(self) -> impl Iterator<Item = ItemId> {
        self.list.into_iter().flatten()
    }
}

/// Memory of the scan.
#[derive(Default)]
pub(crate) struct ScanMemory {
    /// What was placed and is not known to be over, in the order of placing.
    active: Vec<Active>,
    /// Of that what has a part of a register, by register.
    parts: Vec<Vec<Held>>,
    /// From which length on such lists are looked through for what is over.
    full_active: usize,
    full_parts: Vec<usize>,
    /// When registers are in use, where files are small and where they are large. After a second chance the whole ones
    /// say all.
    pub narrow: UseTables<2>,
    pub wide: UseTables<4>,
    /// What has each register that may share it.
    sharers: Vec<Vec<Sharer>>,
    /// Place and fate of each item.
    at: TiVec<ItemId, Option<FileByte>>,
    out: TiVec<ItemId, bool>,
    /// The item of each variable, if it has one.
    item_of: TiVec<VarId, Option<ItemId>>,
    /// Items by the position where they start.
    starts: Vec<u32>,
    order: Vec<ItemId>,
    cost: Vec<f32>,
    victims: Vec<ItemId>,
    sent: Sent,
    /// With [`Way::LongestFree`].
    ages: Ages,
    /// In whose place each item is although both are held at one position: of what it is made of or copied from, or
    /// those.
    kin: TiVec<ItemId, Kin>,
}

/// An item that has a register which others may have, too.
struct Sharer {
    item: ItemId,
    /// It is held from here to there, perhaps with gaps.
    all: Range,
}

struct Scan<'a, const W: usize> {
    file: File,
    items: &'a Items,
    live: &'a Liveness,
    s: &'a mut ScanMemory,
    positions: usize,
    tables: UseTables<W>,
    /// Something has the whole of registers. If not, there is no table of that.
    some_wholes: bool,
    /// Something has a part of registers. If not, there is no table of that.
    some_parts: bool,
    sharing: Sharing<'a>,
    wishes: Wishes<'a>,
    /// Where the next search starts, if places are taken in turn: a register for what has whole ones, a byte of
    /// the file for what is smaller. With [`Way::LongestFree`] that is first behind the inputs, whose registers are read for
    /// a while, and no item has had a register from `next` on.
    next: u32,
    next_byte: u32,
    used: u32,
}

/// Where variables would best be.
#[derive(Clone, Copy)]
pub(crate) struct Wishes<'a> {
    pub copies: &'a Copies,
    pub heirs: &'a Heirs,
}

fn mask_of(start: u32, end: u32) -> u64 {
    ones(end - start) << start
}

/// From the first start to the last end of ranges, of which there is one.
fn hull(ranges: &[Range]) -> Range {
    Range { start: ranges[0].start, end: ranges[ranges.len() - 1].end }
}

/// Places `items`; those without live ranges are left out.
pub(crate) fn place(
    file: File,
    items: &Items,
    (live, sharing, wishes): (&Liveness, Sharing<'_>, Wishes<'_>),
    vars: usize,
    s: &mut ScanMemory,
    out: &mut Placement,
) {
    if items.is_empty() {
        out.start(vars);
        return;
    }
    if UseTables::<2>::hold(file) {
        let tables = std::mem::take(&mut s.narrow);
        s.narrow = place_in(file, items, (live, sharing, wishes), vars, s, tables, out);
    } else {
        let tables = std::mem::take(&mut s.wide);
        s.wide = place_in(file, items, (live, sharing, wishes), vars, s, tables, out);
    }
}

fn place_in<const W: usize>(
    file: File,
    items: &Items,
    (live, sharing, wishes): (&Liveness, Sharing<'_>, Wishes<'_>),
    vars: usize,
    s: &mut ScanMemory,
    tables: UseTables<W>,
    out: &mut Placement,
) -> UseTables<W> {
    let ranges = |i: &Item| live.of(i.var);
    let ends = items.iter().filter_map(|i| ranges(i).last()).map(|r| r.end);
    let positions = ends.max().map_or(0, Position::index);
    s.start(file, items, vars);
    let mut order = std::mem::take(&mut s.order);
    match file.way {
        Way::Packed | Way::InTurn | Way::LongestFree => {
            by_start(items, ranges, positions, &mut s.starts, &mut order)
        }
        Way::LargestFirst => largest_first(items, ranges, file.reg_bytes(), &mut order),
    }
    let mut scan = Scan::new(file, items, (live, sharing, wishes), positions, s, tables);
    out.failed = scan.place_all(&order);
    if scan.s.out.contains(&true) {
        scan.second_chance(&mut order);
    } else if file.renames && out.failed.is_none() {
        if file.way == Way::LargestFirst {
            by_start(items, ranges, positions, &mut scan.s.starts, &mut order);
        }
        scan.rename(&order, [0; W]);
    }
    out.used = scan.used;
    let mut tables = scan.tables;
    for shared in tables.shared.iter().filter(|t| t.any) {
        tables.wholes.merge(&shared.held);
    }
    s.order = order;
    out.at.clear();
    out.at.resize(vars, None);
    out.spilled.clear();
    for (i, item) in items.iter_enumerated() {
        out.at[item.var] = s.at[i];
        if s.out[i] {
            out.spilled.push(item.var);
        }
    }
    tables
}

impl ScanMemory {
    /// Nothing has a place.
    fn start(&mut self, file: File, items: &Items, vars: usize) {
        let regs = as_index(file.regs);
        self.active.clear();
        self.sent.clear();
        self.ages.start(if file.way.is_longest_free() { file.regs } else { 0 });
        self.kin.clear();
        self.kin.resize(items.len(), Kin::default());
        self.full_active = 256;
        if self.parts.len() < regs {
            self.parts.resize_with(regs, Vec::new);
        }
        self.parts.iter_mut().for_each(Vec::clear);
        self.full_parts.clear();
        self.full_parts.resize(regs, 32);
        self.sharers.iter_mut().for_each(Vec::clear);
        self.at.clear();
        self.at.resize(items.len(), None);
        self.out.clear();
        self.out.resize(items.len(), false);
        self.item_of.clear();
        self.item_of.resize(vars, None);
        for (i, item) in items.iter_enumerated() {
            self.item_of[item.var] = Some(i);
            self.out[i] = item.is_last;
        }
    }
}

impl<'a, const W: usize> Scan<'a, W> {
    /// A scan over so many positions, in memory where nothing has a place.
    fn new(
        file: File,
        items: &'a Items,
        (live, sharing, wishes): (&'a Liveness, Sharing<'a>, Wishes<'a>),
        positions: usize,
        s: &'a mut ScanMemory,
        mut tables: UseTables<W>,
    ) -> Self {
        let rb = file.reg_bytes();
        let some_wholes = items.iter().any(|i| i.bytes >= rb);
        let apart = |i: &Item| !i.bytes.is_multiple_of(rb) || i.fixed.is_some_and(|at| !at.is_aligned(rb));
        let some_parts = items.iter().any(apart);
        tables.wholes.clear(if some_wholes { positions } else { 0 });
        tables.partly.clear(if some_parts { positions } else { 0 });
        tables.shared.iter_mut().for_each(|t| t.any = false);
        match sharing {
            Sharing::None => {}
            Sharing::ByLane(_) => {
                items
                    .iter()
                    .filter_map(|i| i.lanes)
                    .for_each(|pitch| tables.shared[pitch.index()].any = true);
            }
            Sharing::InCalls([_, passing]) => {
                tables.shared[0].any = items.iter().any(|i| !passing.of(i.var).is_empty());
            }
        }
        for shared in tables.shared.iter_mut().filter(|t| t.any) {
            shared.held.clear(positions);
            shared.needed.clear(positions);
        }
        let shares = tables.shared.iter().any(|t| t.any);
        let behind_inputs = || {
            let ends = items.iter().filter_map(|i| Some(i.fixed?.plus(i.bytes).bytes().div_ceil(rb)));
            ends.filter(|&end| end <= file.regs / 2).max().unwrap_or(0).max(file.first)
        };
        let next = if file.way.is_longest_free() { behind_inputs() } else { file.first };
        let regs = as_index(file.regs);
        if shares && s.sharers.len() < regs {
            s.sharers.resize_with(regs, Vec::new);
        }
        Scan {
            file,
            items,
            live,
            s,
            positions,
            tables,
            some_wholes,
            some_parts,
            sharing: if shares { sharing } else { Sharing::None },
            wishes,
            next,
            next_byte: next * file.reg_bytes(),
            used: 0,
        }
    }

    /// Places all items: those that must be somewhere, then the others in this order. Returns a variable that finds no
    /// place and that nothing can be spilled for, if there is one.
    fn place_all(&mut self, order: &[ItemId]) -> Option<VarId> {
        for (i, item) in self.items.iter_enumerated() {
            if let Some(at) = item.fixed
                && !self.live.of(item.var).is_empty()
            {
                self.hold(i, at);
            }
        }
        let mut failed = None;
        for &i in order {
            let item = &self.items[i];
            if item.fixed.is_some() || self.s.out[i] {
                continue;
            }
            if let Some(at) = self.find(i) {
                self.hold(i, at);
            } else if self.file.way != Way::Packed {
                // All find places, or it does not count.
                return Some(item.var);
            } else if !self.evict_for(i) {
                failed.get_or_insert(item.var);
            }
        }
        failed
    }

    fn ranges(&self, i: ItemId) -> &'a [Range] {
        self.live.of(self.items[i].var)
    }

    /// The registers that item `i` has a part of at byte `at`, each with the bytes of it.
    fn parts_of(&self, i: ItemId, at: FileByte) -> impl Iterator<Item = (u32, u64)> + use<W> {
        let (rb, at) = (self.file.reg_bytes(), at.bytes());
        let end = at + self.items[i].bytes;
        let (first, last) = (at / rb, (end - 1) / rb);
        let head = !at.is_multiple_of(rb) || end < (first + 1) * rb;
        let tail = last > first && !end.is_multiple_of(rb);
        let part = move |r: u32| (r, mask_of(at.max(r * rb) - r * rb, end.min((r + 1) * rb) - r * rb));
        [(head, first), (tail, last)].into_iter().filter(|x| x.0).map(move |(_, r)| part(r))
    }

    /// The registers that item `i` has the whole of at byte `at`.
    fn wholes_of(&self, i: ItemId, at: FileByte) -> Regs<W> {
        let (rb, at) = (self.file.reg_bytes(), at.bytes());
        between(at.div_ceil(rb), (at + self.items[i].bytes) / rb)
    }

    /// Puts item `i` at byte `at`.
    fn hold(&mut self, i: ItemId, at: FileByte) {
        let item = &self.items[i];
        let ranges = self.ranges(i);
        let Some(now) = ranges.first() else { return };
        self.s.at[i] = Some(at);
        let to = at.plus(item.bytes);
        self.used = self.used.max(to.bytes());
        // What must be somewhere comes before all else, in any order.
        let in_order = item.fixed.is_none();
        let held = Held::new(i, 0, self.live.indices(item.var), self.live.all());
        // Who makes room for others has to know what is in the way.
        if self.file.way == Way::Packed {
            if in_order && self.s.active.len() >= self.s.full_active {
                self.s.active.retain(|a| !a.held.is_over(now.start));
                self.s.full_active = (self.s.active.len() * 2).max(256);
            }
            self.s.active.push(Active { held, from: at, to, cost: item.cost });
        }
        if self.file.way.is_in_turn() {
            self.note_sent(i, at);
        }
        if self.file.way.is_longest_free() && in_order {
            self.note_need(i, at);
        }
        for (r, mask) in self.parts_of(i, at) {
            let list = &mut self.s.parts[as_index(r)];
            if in_order && list.len() >= self.s.full_parts[as_index(r)] {
                list.retain(|h| !h.is_over(now.start));
                self.s.full_parts[as_index(r)] = (list.len() * 2).max(32);
            }
            list.push(held.in_part(mask));
            if self.some_parts {
                self.tables.partly.set(between(r, r + 1), ranges);
            }
        }
        let wholes = self.wholes_of(i, at);
        if wholes != [0; W] {
            self.take(i, wholes);
        }
    }

    /// Notes up to where a message may read item `i`, which is at byte `at`.
    fn note_sent(&mut self, i: ItemId, at: FileByte) {
        let item = self.items[i];
        if item.is_payload
            && let Some(last) = self.ranges(i).last()
        {
            self.s.sent.add(last.end, (at, at.plus(item.bytes)), self.file.reg_bytes());
        }
    }

    /// Notes up to where item `i` needs its registers, from byte `at` on.
    fn note_need(&mut self, i: ItemId, at: FileByte) {
        let (rb, end) = (self.file.reg_bytes(), at.plus(self.items[i].bytes).bytes());
        if let Some(last) = self.ranges(i).last() {
            self.s.ages.need(at.bytes() / rb..end.div_ceil(rb), to_index(last.end.index()));
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
