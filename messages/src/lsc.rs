//! The load/store cache of Xe-HPC: untyped and typed memory, shared local memory.
//!
//! Source: the reference disassembler (iga64, `-p=12p72`), field by field; Mesa's `brw_eu_defines.h`
//! (`enum lsc_opcode`, `lsc_addr_size`, `lsc_data_size`, `lsc_fence_scope`) names the same codes.

mod cache;
mod types;

pub use cache::Cache;
pub use types::{LscForm, LscMessage, Op};

use crate::SurfaceIndex;
use bitfield_struct::bitfield;
use narrow::{const_u16, wide_u8};

codes! {
    /// Bits of an address.
    pub enum AddressSize {
        /// 16.
        A16 = 1,
        /// 32.
        A32 = 2,
        /// 64.
        A64 = 3,
    }
}

impl AddressSize {
    /// Bytes.
    pub const fn bytes(self) -> u32 {
        match self {
            AddressSize::A16 => 2,
            AddressSize::A32 => 4,
            AddressSize::A64 => 8,
        }
    }
}

codes! {
    /// Bits of an element in memory and in registers.
    pub enum DataSize {
        /// 8 in both.
        D8 = 0,
        /// 16 in both.
        D16 = 1,
        /// 32 in both.
        D32 = 2,
        /// 64 in both.
        D64 = 3,
        /// 8 in memory, the low ones of 32.
        D8U32 = 4,
        /// 16 in memory, the low ones of 32.
        D16U32 = 5,
        /// 16 in memory, the high ones of 32.
        D16U32H = 6,
    }
}

impl DataSize {
    /// Bytes in memory.
    pub const fn memory_bytes(self) -> u32 {
        match self {
            DataSize::D8 | DataSize::D8U32 => 1,
            DataSize::D16 | DataSize::D16U32 | DataSize::D16U32H => 2,
            DataSize::D32 => 4,
            DataSize::D64 => 8,
        }
    }

    /// Bytes that a lane takes in a register.
    pub const fn register_bytes(self) -> u32 {
        match self {
            DataSize::D8 => 1,
            DataSize::D16 => 2,
            DataSize::D64 => 8,
            DataSize::D32 | DataSize::D8U32 | DataSize::D16U32 | DataSize::D16U32H => 4,
        }
    }

    /// How far the data are shifted left in a register.
    pub const fn register_shift(self) -> u32 {
        if matches!(self, DataSize::D16U32H) { 16 } else { 0 }
    }

    /// In the load/store notation.
    pub const fn name(self) -> &'static str {
        match self {
            DataSize::D8 => "d8",
            DataSize::D16 => "d16",
            DataSize::D32 => "d32",
            DataSize::D64 => "d64",
            DataSize::D8U32 => "d8u32",
            DataSize::D16U32 => "d16u32",
            DataSize::D16U32H => "d16u32h",
        }
    }
}

codes! {
    /// Elements at an address.
    pub enum VectorSize {
        /// 1.
        V1 = 0,
        /// 2.
        V2 = 1,
        /// 3.
        V3 = 2,
        /// 4.
        V4 = 3,
        /// 8.
        V8 = 4,
        /// 16.
        V16 = 5,
        /// 32.
        V32 = 6,
        /// 64.
        V64 = 7,
    }
}

impl VectorSize {
    /// The number.
    pub const fn elements(self) -> u32 {
        match self {
            VectorSize::V1 => 1,
            VectorSize::V2 => 2,
            VectorSize::V3 => 3,
            VectorSize::V4 => 4,
            VectorSize::V8 => 8,
            VectorSize::V16 => 16,
            VectorSize::V32 => 32,
            VectorSize::V64 => 64,
        }
    }

    /// The code of a number.
    pub fn of(elements: u32) -> Option<VectorSize> {
        VectorSize::ALL.iter().copied().find(|v| v.elements() == elements)
    }
}

codes! {
    /// How memory is named.
    pub enum AddressModel {
        /// By address alone.
        Flat = 0,
        /// By an offset into the bindless surface states.
        Bss = 1,
        /// By an offset into the surface states.
        Ss = 2,
        /// By an index into the binding table.
        Bti = 3,
    }
}

/// Loads, stores and atomics.
#[bitfield(u32)]
#[derive(PartialEq, Eq)]
pub struct Untyped {
    /// What is done.
    #[bits(6, from = Op::from_bits, into = Op::into_bits)]
    pub op: Option<Op>,
    #[bits(1)]
    __: u8,
    /// Bits of an address.
    #[bits(2, from = AddressSize::from_bits, into = AddressSize::into_bits)]
    pub address_size: Option<AddressSize>,
    /// Bits of an element.
    #[bits(3, from = DataSize::from_bits, into = DataSize::into_bits)]
    pub data_size: Option<DataSize>,
    /// Elements at an address.
    #[bits(3, from = VectorSize::from_bits, into = VectorSize::into_bits)]
    pub vector_size: Option<VectorSize>,
    /// The elements of an address stand side by side in registers.
    pub transpose: bool,
    #[bits(1)]
    __: u8,
    /// What the caches do: a code of [`Access`](crate::Access).
    #[bits(3)]
    pub cache_control: u8,
    #[bits(9)]
    __: u16,
    /// How memory is named.
    #[bits(2, from = AddressModel::from_bits, into = AddressModel::into_bits)]
    pub address_model: Option<AddressModel>,
    #[bits(1)]
    __: u8,
}

/// Loads and stores of channels by a mask, typed ones among them.
#[bitfield(u32)]
#[derive(PartialEq, Eq)]
pub struct Quad {
    /// What is done.
    #[bits(6, from = Op::from_bits, into = Op::into_bits)]
    pub op: Option<Op>,
    #[bits(1)]
    __: u8,
    /// Bits of an address.
    #[bits(2, from = AddressSize::from_bits, into = AddressSize::into_bits)]
    pub address_size: Option<AddressSize>,
    /// Bits of an element.
    #[bits(3, from = DataSize::from_bits, into = DataSize::into_bits)]
    pub data_size: Option<DataSize>,
    /// Channels that are moved, red first.
    #[bits(4)]
    pub channels: u8,
    #[bits(1)]
    __: u8,
    /// What the caches do: a code of [`Access`](crate::Access).
    #[bits(3)]
    pub cache_control: u8,
    #[bits(9)]
    __: u16,
    /// How memory is named.
    #[bits(2, from = AddressModel::from_bits, into = AddressModel::into_bits)]
    pub address_model: Option<AddressModel>,
    #[bits(1)]
    __: u8,
}

/// Loads and stores of a rectangle; its place and size are in the payload.
#[bitfield(u32)]
#[derive(PartialEq, Eq)]
pub struct Block2d {
    /// What is done.
    #[bits(6, from = Op::from_bits, into = Op::into_bits)]
    pub op: Option<Op>,
    #[bits(1)]
    __: u8,
    /// Elements of consecutive rows are packed into dwords ("VNNI").
    pub vnni: bool,
    #[bits(1)]
    __: u8,
    /// Bits of an element.
    #[bits(3, from = DataSize::from_bits, into = DataSize::into_bits)]
    pub data_size: Option<DataSize>,
    #[bits(3)]
    __: u8,
    /// Columns become rows.
    pub transpose: bool,
    #[bits(1)]
    __: u8,
    /// What the caches do: a code of [`Access`](crate::Access).
    #[bits(3)]
    pub cache_control: u8,
    #[bits(9)]
    __: u16,
    /// How memory is named.
    #[bits(2, from = AddressModel::from_bits, into = AddressModel::into_bits)]
    pub address_model: Option<AddressModel>,
    #[bits(1)]
    __: u8,
}

/// The shape of a rectangle, in the eighth dword of the payload of loads and stores of one.
#[bitfield(u32)]
#[derive(PartialEq, Eq)]
pub struct BlockShape {
    /// Columns less one.
    pub width_less_one: u8,
    /// Rows less one.
    pub height_less_one: u8,
    /// Rectangles beside each other, less one.
    #[bits(4)]
    pub blocks_less_one: u8,
    #[bits(12)]
    __: u16,
}

impl BlockShape {
    /// A shape; none where a number is 0 or too large.
    pub fn of(width: u32, height: u32, blocks: u32) -> Option<BlockShape> {
        let less_one = |n: u32| u8::try_from(n.checked_sub(1)?).ok();
        let blocks = less_one(blocks).filter(|blocks| *blocks < 16)?;
        let shape = BlockShape::new().with_width_less_one(less_one(width)?);
        Some(shape.with_height_less_one(less_one(height)?).with_blocks_less_one(blocks))
    }

    /// Columns, rows, and rectangles beside each other.
    pub const fn sizes(self) -> [u32; 3] {
        let (width, height) = (wide_u8(self.width_less_one()), wide_u8(self.height_less_one()));
        [width + 1, height + 1, wide_u8(self.blocks_less_one()) + 1]
    }
}

/// Fence.
#[bitfield(u32)]
#[derive(PartialEq, Eq)]
pub struct Fence {
    /// [`Op::Fence`].
    #[bits(6, default = Some(Op::Fence), from = Op::from_bits, into = Op::into_bits)]
    pub op: Option<Op>,
    #[bits(1)]
    __: u8,
    /// Bits of an address.
    #[bits(2, from = AddressSize::from_bits, into = AddressSize::into_bits)]
    pub address_size: Option<AddressSize>,
    /// Who sees what was written.
    #[bits(3, from = Scope::from_bits, into = Scope::into_bits)]
    pub scope: Option<Scope>,
    /// What becomes of the cache.
    #[bits(3, from = Flush::from_bits, into = Flush::into_bits)]
    pub flush: Option<Flush>,
    #[bits(17)]
    __: u32,
}

codes! {
    /// Who sees what was written before a fence.
    pub enum Scope {
        /// The thread group.
        Group = 0,
        /// The slice.
        Local = 1,
        /// The tile.
        Tile = 2,
        /// The GPU.
        Gpu = 3,
        /// All GPUs.
        AllGpus = 4,
        /// The system, for a release.
        SystemRelease = 5,
        /// The system, for an acquire.
        SystemAcquire = 6,
    }
}

codes! {
    /// What a fence does with the cache.
    pub enum Flush {
        /// Nothing.
        None = 0,
        /// Dirty lines are written out and invalidated.
        Evict = 1,
        /// Clean lines are invalidated.
        Invalidate = 2,
        /// All lines are invalidated, none written out.
        Discard = 3,
        /// Dirty lines are written out and kept.
        Clean = 4,
        /// The third level alone.
        FlushL3 = 5,
        /// Without a public name.
        Type6 = 6,
    }
}

codes! {
    /// What compression control does, in the place of cache control.
    pub enum Compression {
        /// Clears a page.
        PageClear = 0,
        /// Clears a sector.
        SectorClear = 1,
        /// Uncompresses a page.
        PageUncompress = 2,
        /// Uncompresses a sector.
        SectorUncompress = 3,
    }
}

kinds!(Descriptor: Untyped, Quad, Block2d, Fence);

/// The extended descriptor of a message to flat memory.
#[bitfield(u32)]
#[derive(PartialEq, Eq)]
pub struct FlatExtended {
    #[bits(12)]
    __: u16,
    /// Added to every address.
    #[bits(20)]
    pub offset: i32,
}

/// The extended descriptor of a message to a surface of the binding table.
#[bitfield(u32)]
#[derive(PartialEq, Eq)]
pub struct BtiExtended {
    #[bits(12)]
    __: u16,
    /// Added to every address.
    #[bits(12)]
    pub offset: i16,
    /// The surface. [`SurfaceIndex::STATELESS`] with 32-bit addresses: relative to the general state base.
    #[bits(8, from = SurfaceIndex::from_bits, into = SurfaceIndex::into_bits)]
    pub surface: SurfaceIndex,
}

kinds!(ExtendedDescriptor: FlatExtended, BtiExtended, SurfaceStateExtended);

impl BtiExtended {
    /// How far left the surface stands.
    pub const SURFACE_SHIFT: u16 = const_u16(BtiExtended::SURFACE_OFFSET);
}

/// The extended descriptor of a message to a surface by its state.
#[bitfield(u32)]
#[derive(PartialEq, Eq)]
pub struct SurfaceStateExtended {
    #[bits(6)]
    __: u8,
    /// Where the state is, in 64 bytes.
    #[bits(26)]
    pub state: u32,
}

impl SurfaceStateExtended {
    /// Byte offset of the state.
    pub const fn byte_offset(self) -> u32 {
        self.state() << 6
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_load_has_the_bits_of_the_reference_disassembler() {
        // load.ugm.d32x2.a64.ca.ca, taken from tests/golden.
        let load = Untyped::new()
            .with_op(Some(Op::Load))
            .with_address_size(Some(AddressSize::A64))
            .with_data_size(Some(DataSize::D32))
            .with_vector_size(Some(VectorSize::V2))
            .with_cache_control(4);
        assert_eq!(load.into_bits(), 3 << 7 | 2 << 9 | 1 << 12 | 4 << 17);
    }
}
