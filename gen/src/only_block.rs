//! The one block in which something happens.

use crate::BlockId;

/// The blocks that have to do with something, as far as a walk has come: none, a certain one, or several.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OnlyBlock(u32);

impl OnlyBlock {
    /// None yet.
    pub const NONE: OnlyBlock = OnlyBlock(u32::MAX);
    /// More than one, or what is outside the kernel.
    pub const SEVERAL: OnlyBlock = OnlyBlock(u32::MAX - 1);

    /// Another block, or the same again.
    #[inline]
    pub fn add(&mut self, block: BlockId) {
        *self = if *self == OnlyBlock::NONE || self.is(block) { block.into() } else { OnlyBlock::SEVERAL };
    }

    /// Whether it is this block, and no other.
    #[inline]
    pub const fn is(self, block: BlockId) -> bool {
        self.0 == block.0
    }

    /// The block, if there is just one.
    #[inline]
    pub fn block(self) -> Option<BlockId> {
        (self != OnlyBlock::NONE && self != OnlyBlock::SEVERAL).then_some(BlockId(self.0))
    }
}

impl From<BlockId> for OnlyBlock {
    #[inline]
    fn from(block: BlockId) -> OnlyBlock {
        OnlyBlock(block.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_block_is_told_from_several() {
        let mut seen = OnlyBlock::NONE;
        assert_eq!(seen.block(), None);
        for _ in 0..2 {
            seen.add(BlockId(3));
            assert_eq!(seen.block(), Some(BlockId(3)));
            assert!(seen.is(BlockId(3)) && !seen.is(BlockId(4)));
        }
        for block in [4, 3, 4] {
            seen.add(BlockId(block));
            assert_eq!(seen, OnlyBlock::SEVERAL);
            assert_eq!(seen.block(), None);
        }
    }
}
