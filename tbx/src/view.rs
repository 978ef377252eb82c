//! A process's memory as one group of a dispatch sees it: what was there before, and the group's own changes.
//!
//! Groups run beside each other over the same memory. A group notes what it reads, a bit for each line of 64 bytes, and what
//! it changes, a bit for each byte. Its changes become visible to others when all groups before it are done. If one of those
//! changed a line that the group had read, the group runs again. So the result is that of one group after the other.

use narrow::{as_index, little, set_little, to_index, to_u64, to_usize};
use std::{any::Any, sync::Arc};

use emulator::Outside;
use rustc_hash::FxHashMap;

use crate::{
    Error,
    memory::{PAGE, Page, Place, World, split},
    pages::{Found, Space},
};

/// Bytes of a line.
const LINE: usize = 64;

/// A page that a group has touched.
#[derive(Clone, Debug)]
struct Touched {
    found: Found,
    /// Lines that were read from memory, a bit each.
    read: u64,
    own: Option<Box<Own>>,
}

/// A group's own version of a page.
#[derive(Clone, Debug)]
struct Own {
    bytes: Page,
    /// Bytes that are the group's, a bit each, a line a word.
    written: [u64; PAGE / LINE],
}

impl Default for Own {
    fn default() -> Own {
        Own { bytes: [0; PAGE], written: [0; PAGE / LINE] }
    }
}

/// Pages found lately: addresses and indices of touched pages.
const NEAR: usize = 16;

/// The memory of a group.
#[derive(Clone, Debug)]
pub struct View {
    world: Option<Arc<World>>,
    space: Space,
    /// The page that 32-bit addresses count from: the general state base.
    low: u64,
    touched: Vec<Touched>,
    by_page: FxHashMap<u64, u32>,
    by_place: FxHashMap<Place, u32>,
    near: [(u64, u32); NEAR],
}

/// What a group read and changed.
#[derive(Debug, Default)]
pub struct Effects {
    touched: Vec<Touched>,
}

impl View {
    /// A process's memory, unchanged, once it is told where to look. Where the process has nothing below 4 GB, 32-bit
    /// addresses count from `general`, as they do for stateless messages: some devices have all buffers there.
    pub fn new(space: Space, general: u64) -> View {
        View {
            world: None,
            space,
            low: general / to_u64(PAGE),
            touched: Vec::new(),
            by_page: FxHashMap::default(),
            by_place: FxHashMap::default(),
            near: [(u64::MAX, 0); NEAR],
        }
    }

    /// Is over another memory from now on, or none.
    pub fn look_at(&mut self, world: Option<Arc<World>>) {
        self.world = world;
    }

    /// What was read and changed; the view then is over the memory as it was.
    pub fn take(&mut self) -> Effects {
        self.by_page.clear();
        self.by_place.clear();
        self.near = [(u64::MAX, 0); NEAR];
        Effects { touched: std::mem::take(&mut self.touched) }
    }

    /// The touched page at an address.
    fn touch(&mut self, page: u64) -> Option<&mut Touched> {
        let slot = to_usize(page % to_u64(NEAR));
        let (near, index) = self.near[slot];
        if near == page {
            return self.touched.get_mut(as_index(index));
        }
        let index = match self.by_page.get(&page) {
            Some(index) => *index,
            None => {
                let world = self.world.as_ref()?;
                let low = || self.space.find(world, page + self.low).filter(|_| page < 1 << 20);
                let found = self.space.find(world, page).or_else(low)?;
                // Two addresses of one page are one page.
                let next = to_index(self.touched.len());
                let index = *self.by_place.entry(found.place).or_insert(next);
                if index == next {
                    self.touched.push(Touched { found, read: 0, own: None });
                }
                self.by_page.insert(page, index);
                index
            }
        };
        self.near[slot] = (page, index);
        self.touched.get_mut(as_index(index))
    }

    /// The parts of an access in each page: address, and how many bytes.
    fn parts(address: u64, len: u32) -> [(u64, u32); 2] {
        let first = (to_index(PAGE) - to_index(split(address).1)).min(len);
        [(address, first), (address.wrapping_add(first.into()), len - first)]
    }
}

impl Touched {
    fn load(&mut self, offset: usize, len: usize) -> u64 {
        let (line, mask) = place(offset, len);
        match &self.own {
            Some(own) => {
                let value = little(&own.bytes[offset..offset + len]);
                if own.written[line] & mask != mask || offset % LINE + len > LINE {
                    self.read |= lines(offset, len);
                }
                value
            }
            None => {
                self.read |= lines(offset, len);
                self.found.contents.as_ref().map_or(0, |page| little(&page.bytes[offset..offset + len]))
            }
        }
    }

    /// Stores the low bytes of a number, up to eight.
    fn store(&mut self, offset: usize, len: usize, value: u64) {
        let contents = &self.found.contents;
        let own = self.own.get_or_insert_with(|| {
            let mut own = Box::<Own>::default();
            if let Some(page) = contents {
                own.bytes.copy_from_slice(&*page.bytes);
            }
            own
        });
        set_little(&mut own.bytes[offset..offset + len], value);
        let (line, mask) = place(offset, len);
        own.written[line] |= mask;
        let rest = (offset % LINE + len).saturating_sub(LINE);
        if rest != 0 {
            own.written[line + 1] |= (1 << rest) - 1;
        }
    }
}

/// The line that an access of up to 8 bytes begins in, and its bytes there.
fn place(offset: usize, len: usize) -> (usize, u64) {
    (offset / LINE, ((1u64 << len.min(8)) - 1) << (offset % LINE))
}

/// The lines of an access.
fn lines(offset: usize, len: usize) -> u64 {
    1 << (offset / LINE) | 1 << ((offset + len.max(1) - 1) / LINE)
}

impl Outside for View {
    fn load(&mut self, address: u64, len: u32) -> Option<u64> {
        let (mut out, mut shift) = (0, 0);
        for (at, n) in View::parts(address, len.min(8)) {
            if n != 0 {
                let (page, offset) = split(at);
                out |= self.touch(page)?.load(offset, as_index(n)) << shift;
                shift += 8 * n;
            }
        }
        Some(out)
    }

    fn store(&mut self, address: u64, len: u32, value: u64) -> Option<()> {
        let mut shift = 0;
        for (at, n) in View::parts(address, len.min(8)) {
            if n != 0 {
                let (page, offset) = split(at);
                self.touch(page)?.store(offset, as_index(n), value >> shift);
                shift += 8 * n;
            }
        }
        Some(())
    }

    fn copy(&self) -> Box<dyn Outside> {
        Box::new(self.clone())
    }

    fn as_any(&mut self) -> &mut dyn Any {
        self
    }
}

/// Lines that groups have changed, by page.
#[derive(Debug, Default)]
pub struct Changed {
    lines: FxHashMap<Place, u64>,
}

impl Changed {
    /// Whether what a group read has been changed since.
    pub fn meets(&self, effects: &Effects) -> bool {
        let meets = |t: &Touched| self.lines.get(&t.found.place).is_some_and(|lines| lines & t.read != 0);
        !self.lines.is_empty() && effects.touched.iter().any(meets)
    }
}

impl Effects {
    /// Makes a group's changes everybody's.
    ///
    /// # Errors
    ///
    /// There is no memory left.
    pub fn commit(self, world: &mut World, changed: &mut Changed) -> Result<(), Error> {
        for touched in self.touched {
            let Some(own) = touched.own else { continue };
            let lines = changed.lines.entry(touched.found.place).or_default();
            touched.found.change(world, |page| {
                for (line, &written) in own.written.iter().enumerate().filter(|(_, w)| **w != 0) {
                    *lines |= 1 << line;
                    let range = line * LINE..(line + 1) * LINE;
                    let (to, from) = (&mut page[range.clone()], &own.bytes[range]);
                    if written == u64::MAX {
                        to.copy_from_slice(from);
                        continue;
                    }
                    for at in (0..LINE).filter(|at| written >> at & 1 != 0) {
                        to[at] = from[at];
                    }
                }
            })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pages::tests::map;

    fn world() -> (Arc<World>, Space) {
        let mut world = World::new(1 << 24);
        let space = Space { connection: world.connect(), root: 0x2000 };
        map(&mut world, space, 0x55, 9);
        map(&mut world, space, 0x56, 3);
        map(&mut world, space, 0x57, 9);
        (Arc::new(world), space)
    }

    fn view(world: &Arc<World>, space: Space, general: u64) -> View {
        let mut view = View::new(space, general);
        view.look_at(Some(world.clone()));
        view
    }

    #[test]
    fn a_group_sees_its_own_changes_by_every_address() {
        let (world, space) = world();
        let mut view = view(&world, space, 0);
        assert_eq!(view.load(0x58000, 4), None);
        assert_eq!(view.store(0x58000, 4, 1), None);
        view.store(0x55ffc, 8, 0x0807_0605_0403_0201).unwrap();
        assert_eq!(view.load(0x55ffc, 8), Some(0x0807_0605_0403_0201));
        assert_eq!(view.load(0x56000, 4), Some(0x0807_0605));
        assert_eq!(view.load(0x57ffc, 4), Some(0x0403_0201));
    }

    #[test]
    fn low_addresses_count_from_a_base() {
        let (world, space) = world();
        let mut view = view(&world, space, 0x50000);
        view.store(0x5010, 4, 7).unwrap();
        assert_eq!(view.load(0x55010, 4), Some(7));
        assert_eq!(view.load(0x1_0000_5010, 4), None);
    }

    #[test]
    fn changes_come_in_order_and_readers_of_changed_lines_are_told() {
        let (mut world, space) = world();
        let run = |accesses: &mut dyn FnMut(&mut View)| {
            let mut view = view(&world, space, 0);
            accesses(&mut view);
            view.take()
        };
        let first = run(&mut |v| v.store(0x55000, 4, 1).unwrap());
        let other_line = run(&mut |v| {
            v.load(0x55040, 8).unwrap();
            v.store(0x55004, 4, 2).unwrap();
        });
        let reader = run(&mut |v| _ = v.load(0x57038, 8).unwrap());
        let own = run(&mut |v| {
            v.store(0x55010, 8, 3).unwrap();
            v.load(0x55010, 8).unwrap();
        });
        let world = Arc::get_mut(&mut world).unwrap();
        let mut changed = Changed::default();
        assert!(!changed.meets(&reader));
        first.commit(world, &mut changed).unwrap();
        assert!(!changed.meets(&other_line) && changed.meets(&reader) && !changed.meets(&own));
        other_line.commit(world, &mut changed).unwrap();
        own.commit(world, &mut changed).unwrap();
        assert_eq!(space.dwords(world, 0x55000).unwrap(), [1, 2, 0, 0, 3, 0]);
    }
}
