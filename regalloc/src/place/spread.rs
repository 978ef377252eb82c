//! Places handed out anew where all have one.
//!
//! What is packed takes the lowest registers again and again, and a scheduler can move nothing past what was there before. Once
//! all have places, each may have another one that is free all along, there where nobody has been for longest: one crowded
//! place in a kernel then says nothing about the others.

use super::{
    File, Items, Placement, Scan, ScanMemory, Sharing, UseTables, Way, Wishes, by_start, items::ItemId,
    matrix::Regs,
};
use crate::analysis::{liveness::Liveness, position::Position};
use narrow::to_index;

/// Hands places out anew for items that all have one in `placement`: some may share theirs with others, lane by lane or with
/// what they are made of.
pub(crate) fn spread_placed(
    file: File,
    items: &Items,
    (live, wishes): (&Liveness, Wishes<'_>),
    s: &mut ScanMemory,
    placement: &mut Placement,
) {
    if file.regs <= 128 {
        let tables = std::mem::take(&mut s.narrow);
        s.narrow = spread_in(file, items, (live, wishes), s, tables, placement);
    } else {
        let tables = std::mem::take(&mut s.wide);
        s.wide = spread_in(file, items, (live, wishes), s, tables, placement);
    }
}

fn spread_in<const W: usize>(
    file: File,
    items: &Items,
    (live, wishes): (&Liveness, Wishes<'_>),
    s: &mut ScanMemory,
    tables: UseTables<W>,
    placement: &mut Placement,
) -> UseTables<W> {
    let ends = items.iter().filter_map(|i| live.of(i.var).last()).map(|r| r.end);
    let positions = ends.max().map_or(0, Position::index);
    s.start(file, items, placement.at.len());
    let mut order = std::mem::take(&mut s.order);
    by_start(items, |i| live.of(i.var), positions, &mut s.starts, &mut order);
    let mut scan = Scan::new(file, items, (live, Sharing::None, wishes), positions, s, tables);
    scan.used = placement.used;
    let mut shared = [0; W];
    for (i, item) in items.iter_enumerated() {
        let Some(at) = placement.at[item.var] else { continue };
        let regs = scan.wholes_of(i, at);
        for ((s, r), open) in shared.iter_mut().zip(regs).zip(scan.open_to(i)) {
            *s |= r & !open;
        }
        scan.hold(i, at);
    }
    scan.spread(&order, shared);
    placement.used = scan.used;
    let tables = scan.tables;
    for (i, item) in items.iter_enumerated() {
        placement.at[item.var] = s.at[i].or(placement.at[item.var]);
    }
    s.order = order;
    tables
}

impl<const W: usize> Scan<'_, W> {
    /// Gives items of whole registers other places, in `order`, which is that in which they become alive. All have some. Those
    /// that have one of some registers (`but`) stay.
    pub(super) fn spread(&mut self, order: &[ItemId], but: Regs<W>) {
        if matches!(self.sharing, Sharing::InCalls(_)) {
            return;
        }
        let rb = self.file.reg_bytes();
        self.file.way = Way::LongestFree;
        self.next = self.used.div_ceil(rb);
        self.s.sent.clear();
        self.s.ages.start(self.file.regs);
        for (i, item) in self.items.iter_enumerated() {
            if item.fixed.is_some() {
                self.note_age(i);
            }
        }
        for &i in order {
            let item = self.items[i];
            let Some(before) = self.s.at[i].filter(|_| item.fixed.is_none()) else { continue };
            // What shares its place with its kin meets them there alone.
            let regs = self.wholes_of(i, before);
            let is_apart = regs.iter().zip(but).all(|(r, b)| r & b == 0);
            if is_apart && item.bytes.is_multiple_of(rb) && self.s.kin[i].items().next().is_none() {
                self.leave(i, regs);
                let at = self.find(i).unwrap_or(before);
                self.s.at[i] = Some(at);
                self.used = self.used.max(at.bytes() + item.bytes);
                let regs = self.wholes_of(i, at);
                self.take(i, regs);
            }
            self.note_age(i);
        }
    }

    /// Notes up to where an item needs its registers, and up to where a message may read it.
    fn note_age(&mut self, i: ItemId) {
        let (item, rb) = (self.items[i], self.file.reg_bytes());
        let (Some(at), Some(last)) = (self.s.at[i], self.ranges(i).last()) else { return };
        let to = at.plus(item.bytes);
        if item.is_payload {
            self.s.sent.add(last.end, (at, to), rb);
        }
        self.s.ages.need(at.bytes() / rb..to.bytes().div_ceil(rb), to_index(last.end.index()));
    }
}
