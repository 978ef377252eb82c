//! Physical memory: pages, made when they are first written.
//!
//! Every engine context of the driver has a connection of its own and counts its pages from the start again, so each
//! connection has a memory. All of them are the same process, though: an address of the process means the same bytes
//! in each, and the driver sends a buffer through one connection only. A page therefore carries a stamp of its last
//! change, and where several connections have a page at an address, the newest one counts ([`crate::pages`]).

use std::{collections::hash_map::Entry, sync::Arc};

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
    pages: FxHashMap<u64, Stamped>,
    /// The page tables of contexts that have run.
    pub roots: Vec<u64>,
}

impl World {
    /// A memory of so many bytes.
    pub fn new(bytes: u64) -> World {
        World { connections: Vec::new(), count: 0, limit: bytes / PAGE as u64, clock: 0 }
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
            self.count -= gone.pages.len() as u64;
        }
    }

    /// The connections by number.
    pub fn connections(&self) -> impl Iterator<Item = (usize, &Connection)> {
        self.connections.iter().enumerate().filter_map(|(i, c)| Some((i, c.as_ref()?)))
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
            return Err(Error::Unmapped(place.page * PAGE as u64));
        };
        let page = match connection.pages.entry(place.page) {
            Entry::Occupied(page) => page.into_mut(),
            Entry::Vacant(_) if full => return Err(Error::Memory { limit: self.limit * PAGE as u64 }),
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
            address = address.wrapping_add(now.len() as u64);
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
            address = address.wrapping_add(now.len() as u64);
            data = rest;
        }
        Ok(())
    }
}

/// An address's page, and where in it.
pub fn split(address: u64) -> (u64, usize) {
    (address / PAGE as u64, (address % PAGE as u64) as usize)
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
}
