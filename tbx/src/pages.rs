//! Page tables: the global one, which rings and context images are found by, and a process's.
//!
//! A process's table has four levels of 512 entries of 8 bytes; bit 0 of an entry says that there is a next page, bits
//! 12 to 45 say which (PRM volume 5, "Memory Views").

use narrow::to_u64;
use rustc_hash::FxHashMap;

use crate::{
    Error,
    memory::{PAGE, Place, Stamped, World, split},
};

/// Bits of an entry that name a page.
const PAGE_BITS: u64 = 0x3fff_ffff_f000;
/// Pages of the global table: 4 GB of addresses.
const GLOBAL_PAGES: u32 = 1 << 20;

/// The global page table of a connection.
#[derive(Debug, Default)]
pub struct Global {
    entries: FxHashMap<u32, u64>,
}

impl Global {
    /// Sets an entry; those outside of the table have no effect.
    pub fn set(&mut self, index: u32, entry: u64) {
        if index < GLOBAL_PAGES {
            self.entries.insert(index, entry & PAGE_BITS);
        }
    }

    /// The physical address of a global one.
    fn physical(&self, address: u64) -> Result<u64, Error> {
        let (page, offset) = split(address);
        let entry = u32::try_from(page).ok().and_then(|p| self.entries.get(&p));
        Ok(entry.ok_or(Error::Global(address))? + to_u64(offset))
    }

    /// A dword at a global address.
    ///
    /// # Errors
    ///
    /// Nothing is mapped there.
    pub fn read_u32(&self, world: &World, connection: usize, address: u64) -> Result<u32, Error> {
        let mut bytes = [0; 4];
        world.read(connection, self.physical(address & !3)?, &mut bytes);
        Ok(u32::from_le_bytes(bytes))
    }

    /// Writes at a global address, inside of a page.
    ///
    /// # Errors
    ///
    /// Nothing is mapped there, or there is no memory left.
    pub fn write(
        &self,
        world: &mut World,
        connection: usize,
        address: u64,
        data: &[u8],
    ) -> Result<(), Error> {
        world.write(connection, self.physical(address)?, data)
    }
}

/// A process, as a connection sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Space {
    /// The connection.
    pub connection: usize,
    /// The physical address of the page table's root.
    pub root: u64,
}

/// Where a page of a process is, and what it holds.
#[derive(Clone, Debug)]
pub struct Found {
    /// Where changes go.
    pub place: Place,
    /// What is there; nothing where nobody has written yet.
    pub contents: Option<Stamped>,
}

impl Space {
    /// The page that the tables of a connection name for a page of the process.
    fn walk(self, world: &World, page: u64) -> Option<Place> {
        let mut table = self.root;
        for level in [27, 18, 9, 0] {
            let entry = world.read_u64(self.connection, table + 8 * (page >> level & 511));
            if entry & 1 == 0 {
                return None;
            }
            table = entry & PAGE_BITS;
        }
        Some(Place { connection: self.connection, page: table / to_u64(PAGE) })
    }

    /// A page of the process. What this connection does not have is another one's of the process; of what several have, the
    /// newest counts.
    pub fn find(self, world: &World, page: u64) -> Option<Found> {
        let own = self.walk(world, page);
        let mut best = own.map(|place| (place, world.page(place)));
        for (connection, other) in world.beside(self.connection) {
            for &root in &other.roots {
                let Some(place) = (Space { connection, root }).walk(world, page) else { continue };
                let Some(contents) = world.page(place) else { continue };
                if best.is_none_or(|(_, b)| b.is_none_or(|b| b.stamp < contents.stamp)) {
                    best = Some((place, Some(contents)));
                }
            }
        }
        let (place, contents) = best?;
        Some(Found { place: own.unwrap_or(place), contents: contents.cloned() })
    }

    /// Reads bytes of the process.
    ///
    /// # Errors
    ///
    /// Nothing is mapped there.
    pub fn read(self, world: &World, address: u64, mut out: &mut [u8]) -> Result<(), Error> {
        let mut address = address;
        while !out.is_empty() {
            let (page, offset) = split(address);
            let found = self.find(world, page).ok_or(Error::Unmapped(address))?;
            let (now, rest) = out.split_at_mut((PAGE - offset).min(out.len()));
            match found.contents {
                Some(page) => now.copy_from_slice(&page.bytes[offset..offset + now.len()]),
                None => now.fill(0),
            }
            address = address.wrapping_add(to_u64(now.len()));
            out = rest;
        }
        Ok(())
    }

    /// So many bytes of the process.
    ///
    /// # Errors
    ///
    /// Nothing is mapped there.
    pub fn bytes(self, world: &World, address: u64, count: usize) -> Result<Vec<u8>, Error> {
        let mut out = vec![0; count];
        self.read(world, address, &mut out)?;
        Ok(out)
    }

    /// Dwords of the process.
    ///
    /// # Errors
    ///
    /// Nothing is mapped there.
    pub fn dwords<const N: usize>(self, world: &World, address: u64) -> Result<[u32; N], Error> {
        let bytes = self.bytes(world, address, 4 * N)?;
        let (words, _) = bytes.as_chunks();
        Ok(std::array::from_fn(|i| u32::from_le_bytes(words[i])))
    }

    /// A number of 4 or 8 bytes.
    ///
    /// # Errors
    ///
    /// Nothing is mapped there.
    pub fn number(self, world: &World, address: u64, bytes: usize) -> Result<u64, Error> {
        let mut out = [0; 8];
        self.read(world, address, &mut out[..bytes])?;
        Ok(u64::from_le_bytes(out))
    }

    /// Writes bytes of the process.
    ///
    /// # Errors
    ///
    /// Nothing is mapped there, or there is no memory left.
    pub fn write(self, world: &mut World, address: u64, mut data: &[u8]) -> Result<(), Error> {
        let mut address = address;
        while !data.is_empty() {
            let (page, offset) = split(address);
            let found = self.find(world, page).ok_or(Error::Unmapped(address))?;
            let (now, rest) = data.split_at((PAGE - offset).min(data.len()));
            let change = |bytes: &mut [u8; PAGE]| bytes[offset..offset + now.len()].copy_from_slice(now);
            found.change(world, change)?;
            address = address.wrapping_add(to_u64(now.len()));
            data = rest;
        }
        Ok(())
    }
}

impl Found {
    /// Changes the page, from its newest contents.
    ///
    /// # Errors
    ///
    /// There is no memory left.
    pub fn change(&self, world: &mut World, change: impl FnOnce(&mut [u8; PAGE])) -> Result<(), Error> {
        let old = world.page(self.place).map_or(0, |p| p.stamp);
        let page = world.page_mut(self.place)?;
        if let Some(newer) = self.contents.as_ref().filter(|c| c.stamp > old) {
            page.bytes = newer.bytes.clone();
        }
        change(std::sync::Arc::make_mut(&mut page.bytes));
        Ok(())
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Maps a page of the process, with tables at 16 MB.
    pub(crate) fn map(world: &mut World, space: Space, page: u64, to: u64) {
        let mut table = space.root;
        for (k, level) in [27, 18, 9].into_iter().enumerate() {
            let next = 0x100_0000 + 0x1000 * (k as u64 + 1) + (page >> level << 20 & 0xff_0000_0000);
            let at = table + 8 * (page >> level & 511);
            world.write(space.connection, at, &(next | 1).to_le_bytes()).unwrap();
            table = next;
        }
        let at = table + 8 * (page & 511);
        world.write(space.connection, at, &((to * PAGE as u64) | 3).to_le_bytes()).unwrap();
    }

    #[test]
    fn addresses_of_a_process_and_the_newest_of_several_pages() {
        let mut world = World::new(1 << 24);
        let [a, b] = [0x2000, 0x7000].map(|root| Space { connection: world.connect(), root });
        for s in [a, b] {
            world.add_root(s.connection, s.root);
        }
        map(&mut world, a, 0x55, 9);
        map(&mut world, a, 0x56, 3);
        assert!(a.number(&world, 0x57000, 4).is_err());
        a.write(&mut world, 0x55ffe, &[1, 2, 3, 4]).unwrap();
        assert_eq!(a.bytes(&world, 0x55ffd, 6).unwrap(), [0, 1, 2, 3, 4, 0]);
        let mut physical = [0; 2];
        world.read(a.connection, 0x9ffe, &mut physical);
        assert_eq!(physical, [1, 2]);
        // The other connection has no page there, then an older one, then a newer one.
        assert_eq!(b.number(&world, 0x55ffc, 4).unwrap(), 0x0201_0000);
        map(&mut world, b, 0x55, 4);
        assert_eq!(b.number(&world, 0x55ffc, 4).unwrap(), 0x0201_0000);
        b.write(&mut world, 0x55ffc, &[7]).unwrap();
        assert_eq!(a.number(&world, 0x55ffc, 4).unwrap(), 0x0201_0007);
        a.write(&mut world, 0x55ffd, &[8]).unwrap();
        assert_eq!(b.number(&world, 0x55ffc, 4).unwrap(), 0x0201_0807);
        // Another process has other memory at the same address, or none.
        world.set_process(b.connection, 7);
        assert_eq!(b.number(&world, 0x55ffc, 4).unwrap(), 0x0201_0007);
        assert!(b.number(&world, 0x56000, 4).is_err());
        let c = Space { connection: world.connect(), root: 0x9000 };
        world.set_process(c.connection, 7);
        assert_eq!(c.number(&world, 0x55ffc, 4).unwrap(), 0x0201_0007);
    }
}
