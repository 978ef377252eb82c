//! A debug section that is put together.

use narrow::to_u64;
use zebin::Patch;

/// A section, with what is to be filled in.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    pub name: String,
    pub data: Vec<u8>,
    /// In the order of their places. Symbols are `.text.KERNEL` and names of sections.
    pub patches: Vec<Patch>,
}

impl Table {
    /// Keeps some units, which are bytes from and to. Returns where each of those stood and stands.
    pub fn keep(&mut self, units: &[(usize, usize)], is_kept: &[bool]) -> Vec<(usize, usize)> {
        let (mut data, mut patches, mut map) = (Vec::new(), Vec::new(), Vec::new());
        for (&(start, end), _) in units.iter().zip(is_kept).filter(|(_, kept)| **kept) {
            map.push((start, data.len()));
            let shift = to_u64(start - data.len());
            data.extend_from_slice(&self.data[start..end]);
            let own = self.within(start, end);
            patches.extend(own.map(|p| Patch { offset: p.offset - shift, ..p.clone() }));
        }
        (self.data, self.patches) = (data, patches);
        map
    }

    /// What is to be filled in within these bytes.
    pub fn within(&self, start: usize, end: usize) -> impl Iterator<Item = &Patch> {
        let from = self.patches.partition_point(|p| p.offset < to_u64(start));
        self.patches[from..].iter().take_while(move |p| p.offset < to_u64(end))
    }
}
