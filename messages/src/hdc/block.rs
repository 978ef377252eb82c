//! Messages that move whole blocks, with one address a thread; fences.

use super::{Dc0, Dc1};
use crate::{Access, SurfaceIndex};
use bitfield_struct::bitfield;
use narrow::wide_u8;

codes! {
    /// Owords of a block ("Block Size").
    pub enum OwordCount {
        /// One, in the low half of a register.
        One = 0,
        /// One, in the high half of a register.
        OneHigh = 1,
        /// Two.
        Two = 2,
        /// Four.
        Four = 3,
        /// Eight.
        Eight = 4,
        /// Sixteen (where a register has 64 bytes).
        Sixteen = 5,
    }
}

impl OwordCount {
    /// The code of a number of owords.
    pub const fn of(owords: u8) -> Option<OwordCount> {
        match owords {
            1 => Some(OwordCount::One),
            2 => Some(OwordCount::Two),
            4 => Some(OwordCount::Four),
            8 => Some(OwordCount::Eight),
            16 => Some(OwordCount::Sixteen),
            _ => None,
        }
    }

    /// The number.
    pub const fn owords(self) -> u32 {
        match self {
            OwordCount::One | OwordCount::OneHigh => 1,
            OwordCount::Two => 2,
            OwordCount::Four => 4,
            OwordCount::Eight => 8,
            OwordCount::Sixteen => 16,
        }
    }
}

/// Oword block read or write.
#[bitfield(u32)]
pub struct OwordBlock {
    /// The surface.
    #[bits(8, from = SurfaceIndex::from_bits, into = SurfaceIndex::into_bits)]
    pub surface: SurfaceIndex,
    /// Owords.
    #[bits(3, from = OwordCount::from_bits, into = OwordCount::into_bits)]
    pub count: Option<OwordCount>,
    #[bits(2)]
    __: u8,
    /// The count is of 32 bytes, as a power of two (Xe-HPC).
    pub hwords: bool,
    /// Which of them.
    #[bits(5, from = Dc0::from_bits, into = Dc0::into_bits)]
    pub message_type: Option<Dc0>,
    #[bits(13)]
    __: u16,
}

impl OwordBlock {
    /// The block's size as a power of two, where [`hwords`](OwordBlock::hwords) is set.
    pub const fn hword_count(self) -> u32 {
        1 << (self.into_bits() >> 8 & 7)
    }
}

codes! {
    /// How a block at a 64-bit address is counted and aligned.
    pub enum A64BlockType {
        /// Owords at an address that is a multiple of 16.
        Owords = 0,
        /// Owords at any address that is a multiple of 4.
        UnalignedOwords = 1,
        /// Two blocks.
        DualBlock = 2,
        /// 32 bytes each.
        Hwords = 3,
    }
}

/// Block read or write at a 64-bit address.
#[bitfield(u32)]
pub struct A64Block {
    /// Always stateless.
    #[bits(8, from = SurfaceIndex::from_bits, into = SurfaceIndex::into_bits)]
    pub surface: SurfaceIndex,
    /// Owords, or a power of two of 32 bytes.
    #[bits(3)]
    pub size: u8,
    /// How the size is counted.
    #[bits(2, from = A64BlockType::from_bits, into = A64BlockType::into_bits)]
    pub block_type: Option<A64BlockType>,
    #[bits(1)]
    __: u8,
    /// Which of them.
    #[bits(5, from = Dc1::from_bits, into = Dc1::into_bits)]
    pub message_type: Option<Dc1>,
    #[bits(13)]
    __: u16,
}

/// Scratch block read or write: offset in the descriptor, base in the header.
#[bitfield(u32)]
pub struct ScratchBlock {
    /// Where, in 32 bytes ("Scratch Buffer Offset").
    #[bits(12)]
    pub offset: u16,
    /// How many 32 bytes, as a power of two ("Block Size").
    #[bits(2)]
    pub size_log2: u8,
    #[bits(2)]
    __: u8,
    /// Lanes that are off are left out, dword by dword ("Channel Mode").
    pub by_dword: bool,
    /// Whether the message reads the block or writes it.
    #[bits(1, default = Access::Load, from = Access::from_bits, into = Access::into_bits)]
    pub access: Access,
    /// Always set: a scratch block.
    #[bits(default = true)]
    pub scratch: bool,
    #[bits(13)]
    __: u16,
}

/// Media block read or write: place and size in the header.
#[bitfield(u32)]
pub struct MediaBlock {
    /// The image.
    #[bits(8, from = SurfaceIndex::from_bits, into = SurfaceIndex::into_bits)]
    pub surface: SurfaceIndex,
    /// Rows of the other field lie between ("Vertical Line Stride Offset").
    pub line_stride_offset: bool,
    /// How many rows lie between ("Vertical Line Stride").
    pub line_stride: bool,
    /// The two fields before hold, not those of the surface's state ("Vertical Line Stride Override").
    pub line_stride_override: bool,
    #[bits(3)]
    __: u8,
    /// Which of them.
    #[bits(5, from = Dc1::from_bits, into = Dc1::into_bits)]
    pub message_type: Option<Dc1>,
    #[bits(13)]
    __: u16,
}

/// The size of a media block, in its header (volume 7, "MH_MBC").
#[bitfield(u32)]
#[derive(PartialEq, Eq)]
pub struct MediaBlockSize {
    /// Bytes of a row, less one.
    #[bits(6)]
    pub width_less_one: u8,
    #[bits(10)]
    __: u16,
    /// Rows, less one.
    #[bits(6)]
    pub height_less_one: u8,
    #[bits(10)]
    __: u16,
}

impl MediaBlockSize {
    /// Where it stands in the header; x and y stand in front.
    pub const DWORD: u32 = 2;

    /// So many bytes and rows; none where a number is 0 or too large.
    pub fn of(width: u8, height: u8) -> Option<MediaBlockSize> {
        let width = MediaBlockSize::new().with_width_less_one_checked(width.checked_sub(1)?).ok()?;
        width.with_height_less_one_checked(height.checked_sub(1)?).ok()
    }

    /// Bytes of a row, and rows.
    pub const fn sizes(self) -> [u32; 2] {
        [wide_u8(self.width_less_one()) + 1, wide_u8(self.height_less_one()) + 1]
    }
}

/// Memory fence.
#[bitfield(u32)]
pub struct MemoryFence {
    /// Shared local memory, or 0: global memory.
    #[bits(8, from = SurfaceIndex::from_bits, into = SurfaceIndex::into_bits)]
    pub surface: SurfaceIndex,
    /// The first-level cache is invalidated.
    pub flush_l1: bool,
    /// Which data of the third-level cache go out: from bit 0 on instructions, textures, constants, the rest.
    #[bits(4)]
    pub flush_l3: u8,
    /// The message answers when it is done ("Commit Enable").
    pub commit: bool,
    /// [`Dc0::MemoryFence`].
    #[bits(5, default = Some(Dc0::MemoryFence), from = Dc0::from_bits, into = Dc0::into_bits)]
    pub message_type: Option<Dc0>,
    #[bits(13)]
    __: u16,
}

kinds!(Descriptor: OwordBlock, A64Block, ScratchBlock, MediaBlock, MemoryFence);

#[cfg(test)]
mod tests {
    use super::MediaBlockSize;

    #[test]
    fn sizes_of_media_blocks_are_in_range() {
        let size = MediaBlockSize::of(64, 3).expect("a size");
        assert_eq!((size.into_bits(), size.sizes()), (2 << 16 | 63, [64, 3]));
        assert_eq!([(0, 1), (1, 0), (65, 1), (1, 65)].map(|(w, h)| MediaBlockSize::of(w, h)), [None; 4]);
    }
}
