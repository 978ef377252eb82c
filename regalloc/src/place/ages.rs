//! Which registers nobody needs, and for how long.

use narrow::{as_index, to_index, to_u8};
use std::ops::Range;

/// The registers of a file by age.
#[derive(Default)]
pub(crate) struct Ages {
    /// Up to which position each register is needed by what has a place.
    ends: Vec<u32>,
    /// All registers, those first that are needed least far.
    oldest: Vec<u8>,
}

impl Ages {
    /// Of so many registers, up to 256, none is needed.
    pub fn start(&mut self, regs: u32) {
        self.ends.clear();
        self.ends.resize(as_index(regs), 0);
        self.oldest.clear();
        self.oldest.extend((0..regs).map(to_u8));
    }

    /// Some registers are needed up to a position.
    pub fn need(&mut self, regs: Range<u32>, end: u32) {
        for r in regs {
            let before = self.ends[as_index(r)];
            if end <= before {
                continue;
            }
            let ends = &self.ends;
            let same = self.oldest.partition_point(|&o| ends[usize::from(o)] < before);
            let behind = self.oldest.partition_point(|&o| ends[usize::from(o)] <= end);
            let Some(at) = self.oldest[same..behind].iter().position(|&o| u32::from(o) == r) else {
                continue;
            };
            self.oldest[same + at..behind].rotate_left(1);
            self.ends[as_index(r)] = end;
        }
    }

    /// The register that is needed least far but for so many others, if there is one.
    pub fn oldest(&self, but: u32) -> Option<u32> {
        self.oldest.get(as_index(but)).map(|&r| to_index(usize::from(r)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(ages: &Ages) -> Vec<u32> {
        (0..).map_while(|but| ages.oldest(but)).collect()
    }

    #[test]
    fn what_is_needed_longer_comes_later() {
        let mut ages = Ages::default();
        ages.start(5);
        assert_eq!(order(&ages), [0, 1, 2, 3, 4]);
        ages.need(1..3, 20);
        ages.need(0..1, 30);
        assert_eq!(order(&ages), [3, 4, 1, 2, 0]);
        // What is needed longer already stays where it is.
        ages.need(0..4, 20);
        assert_eq!(order(&ages), [4, 1, 2, 3, 0]);
        ages.need(1..2, 30);
        assert_eq!(order(&ages), [4, 2, 3, 0, 1]);
    }
}
