//! Slots of spilled variables in scratch memory: those that are never live together share.

use crate::{
    liveness::{Liveness, Range},
    place::{Held, Item, by_start},
};

/// Memory of the search.
#[derive(Default)]
pub(crate) struct Scratch {
    /// What has each register of scratch memory.
    held: Vec<Vec<Held>>,
    starts: Vec<u32>,
    order: Vec<u32>,
    /// Register of each item.
    pub at: Vec<u32>,
}

impl Scratch {
    /// Gives each item the lowest place, in registers of `reg_bytes` bytes of which there are `regs`: see
    /// [`Scratch::at`]. Returns how many registers are in use, or nothing if there are too few.
    pub fn place(&mut self, items: &[Item], live: &Liveness, regs: u32, reg_bytes: u32) -> Option<u32> {
        let all = live.all();
        let ranges = |i: &Item| live.of(i.var.index());
        let points = items.iter().filter_map(|i| ranges(i).last()).map(|r| r.end).max().unwrap_or(0);
        self.held.iter_mut().for_each(Vec::clear);
        self.at.clear();
        self.at.resize(items.len(), 0);
        by_start(items, ranges, points as usize, &mut self.starts, &mut self.order);
        let mut used = 0;
        for &i in &self.order {
            let item = &items[i as usize];
            let n = item.bytes / reg_bytes;
            let (mut base, mut free) = (0, 0);
            while free < n {
                if base + n > regs {
                    return None;
                }
                let list = self.held.get_mut((base + free) as usize);
                if list.is_none_or(|list| is_free(list, ranges(item), all)) {
                    free += 1;
                } else {
                    (base, free) = (base + free + 1, 0);
                }
            }
            self.at[i as usize] = base;
            used = used.max(base + n);
            if self.held.len() < used as usize {
                self.held.resize_with(used as usize, Vec::new);
            }
            for list in &mut self.held[base as usize..(base + n) as usize] {
                list.push(Held::new(i, u64::MAX, live.indices(item.var.index()), all));
            }
        }
        Some(used)
    }
}

/// Whether nothing of a list is alive in `ranges`. Forgets what ended before.
fn is_free(list: &mut Vec<Held>, ranges: &[Range], all: &[Range]) -> bool {
    list.retain(|h| !h.is_over(ranges[0].start));
    !list.iter_mut().any(|h| h.meets(ranges, all))
}
