//! Physical memory: pages, made when they are first written.
//!
//! Every engine context of the driver has a connection of its own and counts its pages from the start again, so each
//! connection has a memory. Those of a process belong together, though: an address of the process means the same bytes
//! in each, and the driver sends a buffer through one connection only. A page therefore carries a stamp of its last
//! change, and where several connections of a process have a page at an address, the newest one counts ([`crate::pages`]).
//!
//! The program's memory is the GPU's, too, but the driver keeps a copy on its side of the socket, and sends it before
//! submissions and fetches it behind them. Some of its releases send a buffer again that they have not fetched since a
//! kernel changed it. So a page remembers what the program's side is known to hold: of what is sent then, only bytes that
//! the program has changed count; and what is fetched and has not changed is not to replace what the program has written
//! meanwhile.

use narrow::{to_index, to_u64, to_usize};
use std::{collections::hash_map::Entry, ops::Range, sync::Arc};

use rustc_hash::FxHashMap;

use crate::Error;

/// Bytes of a page.
pub const PAGE: usize = 4096;

/// The bytes of a page.
pub type Page = [u8; PAGE];

/// A page and when it was changed.
#[derive(Clone, Debug)]
pub struct Stamped {
    pub bytes: Arc<Page>,
    pub stamp: u64,
}

/// A page on the program's side.
#[derive(Debug)]
struct Side {
    bytes: Arc<Page>,
    /// The bytes that were seen.
    known: Range<usize>,
}

/// A page of a connection's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    pub connection: usize,
    pub page: u64,
}

/// The memories of all connections.
#[derive(Debug)]
pub struct World {
    connections: Vec<Option<Connection>>,
    /// Pages of all together.
    count: u64,
    limit: u64,
    clock: u64,
}

/// The memory of a connection.
#[derive(Debug, Default)]
pub struct Connection {
    /// The number of the process; 0 where nobody has told.
    process: u32,
    pages: FxHashMap<u64, Stamped>,
    /// What the program's side holds of pages, as far as it was seen.
    sides: FxHashMap<u64, Side>,
    /// The page tables of contexts that have run.
    pub roots: Vec<u64>,
}

impl World {
    /// A memory of so many bytes.
    pub fn new(bytes: u64) -> World {
        World { connections: Vec::new(), count: 0, limit: bytes / to_u64(PAGE), clock: 0 }
    }

    /// Another connection.
    pub fn connect(&mut self) -> usize {
        let free = self.connections.iter().position(Option::is_none);
        let number = free.unwrap_or_else(|| {
            self.connections.push(None);
            self.connections.len() - 1
        });
        self.connections[number] = Some(Connection::default());
        number
    }

    /// Forgets a connection's memory.
    pub fn disconnect(&mut self, number: usize) {
        if let Some(gone) = self.connections.get_mut(number).and_then(Option::take) {
            self.count -= to_u64(gone.pages.len());
        }
    }

    /// Says of which process a connection is.
    pub fn set_process(&mut self, number: usize, process: u32) {
        if let Some(Some(connection)) = self.connections.get_mut(number) {
            connection.process = process;
        }
    }

    /// The other connections of a connection's process, by number.
    pub fn beside(&self, number: usize) -> impl Iterator<Item = (usize, &Connection)> {
        let process = self.connections.get(number).and_then(|c| Some(c.as_ref()?.process));
        let all = self.connections.iter().enumerate().filter_map(|(i, c)| Some((i, c.as_ref()?)));
        all.filter(move |(i, c)| *i != number && process == Some(c.process))
    }

    /// Notes the page table of a context.
    pub fn add_root(&mut self, connection: usize, root: u64) {
        // A driver has one; who sends others over and over is not obeyed.
        if let Some(Some(c)) = self.connections.get_mut(connection)
            && !c.roots.contains(&root)
            && c.roots.len() < 16
        {
            c.roots.push(root);
        }
    }

    /// A page, if anybody has written it.
    pub fn page(&self, place: Place) -> Option<&Stamped> {
        self.connections.get(place.connection)?.as_ref()?.pages.get(&place.page)
    }

    /// A page to change, and the stamp that its change has.
    ///
    /// # Errors
    ///
    /// There is no memory left.
    pub fn page_mut(&mut self, place: Place) -> Result<&mut Stamped, Error> {
        self.clock += 1;
        let stamp = self.clock;
        let full = self.count >= self.limit;
        let Some(Some(connection)) = self.connections.get_mut(place.connection) else {
            return Err(Error::Unmapped(place.page * to_u64(PAGE)));
        };
        let page = match connection.pages.entry(place.page) {
            Entry::Occupied(page) => page.into_mut(),
            Entry::Vacant(_) if full => return Err(Error::Memory { limit: self.limit * to_u64(PAGE) }),
            Entry::Vacant(page) => {
                self.count += 1;
                page.insert(Stamped { bytes: Arc::new([0; PAGE]), stamp })
            }
        };
        page.stamp = stamp;
        Ok(page)
    }

    /// Bytes at a physical address; what nobody wrote is zero.
    pub fn read(&self, connection: usize, address: u64, mut out: &mut [u8]) {
        let mut address = address;
        while !out.is_empty() {
            let (page, offset) = split(address);
            let (now, rest) = out.split_at_mut((PAGE - offset).min(out.len()));
            match self.page(Place { connection, page }) {
                Some(page) => now.copy_from_slice(&page.bytes[offset..offset + now.len()]),
                None => now.fill(0),
            }
            address = address.wrapping_add(to_u64(now.len()));
            out = rest;
        }
    }

    /// A number of 8 bytes at a physical address that is a multiple of 8.
    pub fn read_u64(&self, connection: usize, address: u64) -> u64 {
        let mut bytes = [0; 8];
        self.read(connection, address, &mut bytes);
        u64::from_le_bytes(bytes)
    }

    /// Writes bytes at a physical address.
    ///
    /// # Errors
    ///
    /// There is no memory left.
    pub fn write(&mut self, connection: usize, address: u64, mut data: &[u8]) -> Result<(), Error> {
        let mut address = address;
        while !data.is_empty() {
            let (page, offset) = split(address);
            let (now, rest) = data.split_at((PAGE - offset).min(data.len()));
            let page = self.page_mut(Place { connection, page })?;
            Arc::make_mut(&mut page.bytes)[offset..offset + now.len()].copy_from_slice(now);
            address = address.wrapping_add(to_u64(now.len()));
            data = rest;
        }
        Ok(())
    }
}

impl World {
    /// Writes what the program's side has sent: bytes that the GPU has changed since stay unless the program has, too.
    ///
    /// # Errors
    ///
    /// There is no memory left.
    pub fn receive(&mut self, connection: usize, address: u64, data: &[u8]) -> Result<(), Error> {
        for (place, offset, now) in pages_of(connection, address, data.len()) {
            let data = &data[now];
            let old = self.take_side(place);
            let page = self.page_mut(place)?;
            let side = match old {
                Some(mut side) if !Arc::ptr_eq(&side.bytes, &page.bytes) => {
                    side.merge(Arc::make_mut(&mut page.bytes), offset, data);
                    side
                }
                old => {
                    // The other reference ends here, so that nothing is copied.
                    let known = old.map_or(0..0, |side| side.known);
                    Arc::make_mut(&mut page.bytes)[offset..offset + data.len()].copy_from_slice(data);
                    let mut side = Side { bytes: page.bytes.clone(), known };
                    side.know(offset..offset + data.len());
                    side
                }
            };
            self.put_side(place, side);
        }
        Ok(())
    }

    /// Reads for the program's side, which then holds the same; `true` if it did before, as far as this connection has
    /// seen.
    pub fn send(&mut self, connection: usize, address: u64, out: &mut [u8]) -> bool {
        self.read(connection, address, out);
        let mut unchanged = true;
        for (place, offset, now) in pages_of(connection, address, out.len()) {
            let Some(page) = self.page(place) else {
                unchanged = false;
                continue;
            };
            let bytes = page.bytes.clone();
            let known = offset..offset + now.len();
            let old = self.take_side(place);
            unchanged &= old.as_ref().is_some_and(|side| side.holds(offset, &out[now.clone()]));
            let side = match old {
                Some(mut side) if known.len() < PAGE => {
                    if !Arc::ptr_eq(&side.bytes, &bytes) {
                        Arc::make_mut(&mut side.bytes)[known.clone()].copy_from_slice(&out[now]);
                    }
                    side.know(known);
                    side
                }
                _ => Side { bytes, known },
            };
            self.put_side(place, side);
        }
        unchanged
    }

    /// The number of whole pages from an address on, up to a limit, that the program's side is known to hold.
    pub fn unchanged_pages(&self, connection: usize, address: u64, limit: u32) -> u32 {
        let (first, offset) = split(address);
        let Some(Some(c)) = self.connections.get(connection).filter(|_| offset == 0) else { return 0 };
        let is_unchanged = |number: &u32| {
            let page = first + u64::from(*number);
            let (page, side) = (c.pages.get(&page), c.sides.get(&page));
            page.zip(side).is_some_and(|(page, side)| {
                side.known == (0..PAGE) && (Arc::ptr_eq(&side.bytes, &page.bytes) || side.bytes == page.bytes)
            })
        };
        to_index((0..limit).take_while(is_unchanged).count())
    }

    fn take_side(&mut self, place: Place) -> Option<Side> {
        self.connections.get_mut(place.connection)?.as_mut()?.sides.remove(&place.page)
    }

    fn put_side(&mut self, place: Place, side: Side) {
        if let Some(Some(connection)) = self.connections.get_mut(place.connection) {
            connection.sides.insert(place.page, side);
        }
    }
}

impl Side {
    /// Puts what the program's side has changed into the page.
    fn merge(&mut self, page: &mut Page, offset: usize, data: &[u8]) {
        for (at, &new) in (offset..).zip(data) {
            if !self.known.contains(&at) || self.bytes[at] != new {
                page[at] = new;
            }
        }
        self.see(offset, data);
    }

    /// Whether the program's side is known to hold these bytes.
    fn holds(&self, offset: usize, data: &[u8]) -> bool {
        let range = offset..offset + data.len();
        self.known.start <= range.start && range.end <= self.known.end && self.bytes[range] == *data
    }

    /// The program's side holds these bytes.
    fn see(&mut self, offset: usize, data: &[u8]) {
        let seen = offset..offset + data.len();
        Arc::make_mut(&mut self.bytes)[seen.clone()].copy_from_slice(data);
        self.know(seen);
    }

    /// These bytes are seen, too. One range is kept: the last one, with what it meets.
    fn know(&mut self, seen: Range<usize>) {
        let meet = seen.start <= self.known.end && self.known.start <= seen.end;
        self.known = match meet {
            true => seen.start.min(self.known.start)..seen.end.max(self.known.end),
            false => seen,
        };
    }
}

/// A stretch of memory by pages: which, where in it, and the range of the stretch.
fn pages_of(
    connection: usize,
    address: u64,
    length: usize,
) -> impl Iterator<Item = (Place, usize, Range<usize>)> {
    let mut done = 0;
    std::iter::from_fn(move || {
        let (page, offset) = split(address.wrapping_add(to_u64(done)));
        let now = done..length.min(done + PAGE - offset);
        done = now.end;
        (!now.is_empty()).then_some((Place { connection, page }, offset, now))
    })
}

/// An address's page, and where in it.
pub fn split(address: u64) -> (u64, usize) {
    (address / to_u64(PAGE), to_usize(address % to_u64(PAGE)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_come_with_the_first_write_and_go_with_their_connection() {
        let mut world = World::new(3 * PAGE as u64);
        let (a, b) = (world.connect(), world.connect());
        world.write(a, 0x1ffe, &[1, 2, 3, 4]).unwrap();
        let mut out = [9; 6];
        world.read(a, 0x1ffd, &mut out);
        assert_eq!(out, [0, 1, 2, 3, 4, 0]);
        world.read(b, 0x1ffd, &mut out);
        assert_eq!(out, [0; 6], "each connection has its own");
        world.write(b, 0, &[1]).unwrap();
        assert!(matches!(world.write(b, 0x5000, &[1]), Err(Error::Memory { limit: 0x3000 })));
        world.disconnect(a);
        world.write(b, 0x5000, &[1]).unwrap();
        assert_eq!(world.connect(), a);
        world.read(a, 0x1ffd, &mut out);
        assert_eq!(out, [0; 6]);
    }

    #[test]
    fn what_the_program_sends_again_is_older_than_what_the_gpu_has_made_of_it() {
        let mut world = World::new(1 << 20);
        let c = world.connect();
        let bytes = |world: &World, address| {
            let mut out = [0; 4];
            world.read(c, address, &mut out);
            out
        };
        world.receive(c, 0x1ffe, &[1, 2, 3, 4]).unwrap();
        assert_eq!(bytes(&world, 0x1ffe), [1, 2, 3, 4]);
        // The GPU changes two bytes; the program one of them, and another.
        world.write(c, 0x1fff, &[20, 30]).unwrap();
        world.receive(c, 0x1ffe, &[1, 2, 33, 44]).unwrap();
        assert_eq!(bytes(&world, 0x1ffe), [1, 20, 33, 44]);
        // What was fetched is what the program holds, so the old value is a change now.
        let mut fetched = [0; 4];
        world.send(c, 0x1ffe, &mut fetched);
        assert_eq!(fetched, [1, 20, 33, 44]);
        world.write(c, 0x1ffe, &[9, 9, 9, 9]).unwrap();
        world.receive(c, 0x1ffe, &[1, 2, 33, 44]).unwrap();
        assert_eq!(bytes(&world, 0x1ffe), [9, 2, 9, 9]);
        // Of bytes that were never seen nothing is known.
        world.write(c, 0x1000, &[5, 5, 5, 5]).unwrap();
        world.receive(c, 0x1000, &[0, 0, 0, 0]).unwrap();
        assert_eq!(bytes(&world, 0x1000), [0; 4]);
    }

    #[test]
    fn what_is_fetched_is_known_to_be_what_the_program_holds_or_not() {
        let mut world = World::new(1 << 20);
        let c = world.connect();
        let mut page = [0; PAGE];
        let mut word = [0; 4];
        assert!(!world.send(c, 0x1000, &mut page), "never seen");
        world.receive(c, 0x1000, &[7; PAGE]).unwrap();
        assert!(world.send(c, 0x1000, &mut page));
        assert_eq!(world.unchanged_pages(c, 0x1000, 9), 1, "the next one nobody has");
        world.receive(c, 0x2000, &[7; PAGE + 1]).unwrap();
        assert_eq!(world.unchanged_pages(c, 0x1000, 9), 2, "of the third a part is known");
        assert_eq!(world.unchanged_pages(c, 0x1000, 1), 1);
        assert_eq!(world.unchanged_pages(c, 0x1001, 9), 0);
        // A part that is sent or fetched leaves the rest known.
        world.receive(c, 0x1010, &[8; 4]).unwrap();
        assert!(world.send(c, 0x1100, &mut word));
        assert!(world.send(c, 0x1000, &mut page));
        world.write(c, 0x1020, &[9; 4]).unwrap();
        assert!(world.send(c, 0x1010, &mut word));
        assert_eq!(world.unchanged_pages(c, 0x1000, 9), 0);
        assert!(!world.send(c, 0x1000, &mut page));
        assert!(world.send(c, 0x1000, &mut page) && page[0x10] == 8 && page[0x20] == 9);
        world.receive(c, 0x1010, &[8; 4]).unwrap();
        world.write(c, 0x1040, &[9; 4]).unwrap();
        world.receive(c, 0x1000, &page).unwrap();
        world.read(c, 0x1040, &mut word);
        assert_eq!(word, [9; 4], "what the GPU wrote behind a part that was sent");
    }
}
