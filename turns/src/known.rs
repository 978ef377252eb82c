//! What the server holds of the memory that the program's side sends.
//!
//! The driver sends all that a submission may use with each of them, changed or not. What is sent again has no effect: what
//! the GPU has made of it meanwhile is newer.

use narrow::{to_u64, to_usize};
use std::{
    collections::{HashMap, hash_map::Entry},
    ops::Range,
};

use crate::message::PAGE;

/// Pages that are remembered, 64 MB.
const MOST: usize = 1 << 14;

/// Memory by pages, as it was sent last.
#[derive(Debug, Default)]
pub struct Known {
    pages: HashMap<u64, Page>,
}

#[derive(Debug)]
struct Page {
    bytes: Box<[u8; PAGE]>,
    /// Those that were sent: one range, the last one with what it meets.
    sent: Range<usize>,
}

impl Known {
    /// These bytes, inside of a page, are sent; whether they were before, and nothing else.
    pub fn is_again(&mut self, start: u64, bytes: &[u8]) -> bool {
        let (number, at) = (start / to_u64(PAGE), to_usize(start % to_u64(PAGE)));
        let range = at..at + bytes.len();
        if range.end > PAGE {
            self.forget(start..start + to_u64(bytes.len()));
            return false;
        }
        let is_full = self.pages.len() >= MOST;
        let page = match self.pages.entry(number) {
            Entry::Occupied(page) => page.into_mut(),
            Entry::Vacant(_) if is_full => return false,
            Entry::Vacant(page) => page.insert(Page { bytes: Box::new([0; PAGE]), sent: 0..0 }),
        };
        let sent = &mut page.sent;
        if sent.start <= range.start && range.end <= sent.end && page.bytes[range.clone()] == *bytes {
            return true;
        }
        page.bytes[range.clone()].copy_from_slice(bytes);
        *sent = match range.start <= sent.end && sent.start <= range.end {
            true => range.start.min(sent.start)..range.end.max(sent.end),
            false => range,
        };
        false
    }

    /// These bytes are others now.
    pub fn forget(&mut self, range: Range<u64>) {
        if self.pages.is_empty() || range.is_empty() {
            return;
        }
        let pages = range.start / to_u64(PAGE)..=(range.end - 1) / to_u64(PAGE);
        if pages.end() - pages.start() > to_u64(self.pages.len()) {
            self.pages.retain(|number, _| !pages.contains(number));
        } else {
            pages.for_each(|number| _ = self.pages.remove(&number));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_sent_and_is_sent_again() {
        let mut known = Known::default();
        assert!(!known.is_again(0x1ff0, &[1; 8]));
        assert!(known.is_again(0x1ff0, &[1; 8]) && known.is_again(0x1ff4, &[1; 4]));
        assert!(!known.is_again(0x1fec, &[1; 8]), "more than was sent");
        assert!(known.is_again(0x1fec, &[1; 12]), "both together");
        assert!(!known.is_again(0x1ff0, &[2; 1]));
        assert!(!known.is_again(0x1fec, &[1; 12]) && known.is_again(0x1fec, &[1; 12]));
        assert!(!known.is_again(0x1000, &[0; 4]), "nobody has sent them");
        assert!(!known.is_again(0x1fec, &[1; 12]), "one range is kept");
        assert!(!known.is_again(0x1ffc, &[1; 8]) && !known.is_again(0x1ffc, &[1; 8]), "over two pages");
        assert!(!known.is_again(0x1fec, &[1; 12]), "a part was sent, and not remembered");
    }

    #[test]
    fn what_the_gpu_has_changed_is_sent() {
        let mut known = Known::default();
        for (range, is_gone) in
            [(0x2000..0x3000, false), (0x1fff..0x2000, true), (0..u64::MAX, true), (5..5, false)]
        {
            known.is_again(0x1000, &[1; 16]);
            known.forget(range.clone());
            assert_eq!(known.is_again(0x1000, &[1; 16]), !is_gone, "{range:?}");
        }
    }

    #[test]
    fn memory_is_bounded() {
        let mut known = Known::default();
        for page in 0..=to_u64(MOST) {
            known.is_again(page * to_u64(PAGE), &[1]);
        }
        assert_eq!(known.pages.len(), MOST);
        assert!(!known.is_again(to_u64(MOST) * to_u64(PAGE), &[1]) && known.is_again(0, &[1]));
    }
}
