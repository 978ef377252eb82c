//! Memory as a kernel sees it: one address space of allocations, and the surfaces and samplers that
//! give parts of it a shape.
//!
//! Addresses are bytes. Buffers live above 4 GB, far apart; what hardware reaches through 32-bit
//! offsets from its general state base (indirect payload data, scratch) lives below, where that base is
//! zero. Two allocations never touch, so running off the end of one is seen.

use narrow::{as_index, little, low_u64, set_little, to_index, to_u64, to_usize};
use std::{any::Any, fmt, ops::Range};

use crate::tiling::Tiling;

/// First address of ordinary buffers.
const HIGH: u64 = 0x2_0000_0000;
/// First address of what 32-bit stateless messages reach.
const LOW: u64 = 0x1_0000;
/// Allocations start at multiples of this and keep at least this far apart.
const PAGE: u64 = 0x1_0000;

/// An allocation of a [`Memory`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Buffer(u32);

#[derive(Clone, Debug)]
struct Alloc {
    base: u64,
    data: Vec<u8>,
    name: String,
}

/// The address space.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    /// In order of creation, which is what a [`Buffer`] counts.
    allocs: Vec<Alloc>,
    /// Indices into `allocs`, by address.
    order: Vec<u32>,
    next_high: u64,
    next_low: u64,
    /// The allocation found last: lanes of a message mostly agree.
    last: usize,
    /// From the first buffer's start to the last one's end.
    reach: Range<u64>,
    /// What answers where no buffer is.
    outside: Option<Box<dyn Outside>>,
}

/// Memory that is somebody else's: it answers for addresses at which a [`Memory`] has no buffer.
pub trait Outside: fmt::Debug + Send + Any {
    /// A little-endian number of up to 8 bytes; `None` where nothing is.
    fn load(&mut self, address: u64, len: u32) -> Option<u64>;
    /// Stores the low `len` bytes of a number; `None` where nothing is.
    fn store(&mut self, address: u64, len: u32, value: u64) -> Option<()>;
    /// For copies of the [`Memory`].
    fn copy(&self) -> Box<dyn Outside>;
    /// For its owner to find it again.
    fn as_any(&mut self) -> &mut dyn Any;
}

impl Clone for Box<dyn Outside> {
    fn clone(&self) -> Self {
        (**self).copy()
    }
}

/// An access that no allocation answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryFault {
    /// First byte of the access.
    pub address: u64,
    /// Bytes.
    pub len: u32,
}

impl fmt::Display for MemoryFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no memory at {:#x} for {} bytes", self.address, self.len)
    }
}

impl Memory {
    /// An empty address space.
    pub fn new() -> Self {
        Self::default()
    }

    /// An address space that is somebody else's where it has no buffer.
    pub fn over(outside: Box<dyn Outside>) -> Self {
        Memory { outside: Some(outside), ..Self::default() }
    }

    /// What answers where no buffer is.
    pub fn outside(&mut self) -> Option<&mut dyn Outside> {
        self.outside.as_deref_mut()
    }

    /// Adds a buffer.
    pub fn add(&mut self, name: impl Into<String>, data: Vec<u8>) -> Buffer {
        let base = HIGH + self.next_high;
        self.next_high += to_u64(data.len()).next_multiple_of(PAGE) + PAGE;
        self.insert(name.into(), base, data)
    }

    /// Adds a buffer that 32-bit stateless messages reach.
    pub fn add_low(&mut self, name: impl Into<String>, data: Vec<u8>) -> Buffer {
        let base = LOW + self.next_low;
        self.next_low += to_u64(data.len()).next_multiple_of(PAGE) + PAGE;
        self.insert(name.into(), base, data)
    }

    fn insert(&mut self, name: String, base: u64, data: Vec<u8>) -> Buffer {
        let id = to_index(self.allocs.len());
        let at = self.order.partition_point(|&i| self.allocs[as_index(i)].base < base);
        self.allocs.push(Alloc { base, data, name });
        self.order.insert(at, id);
        self.measure();
        Buffer(id)
    }

    fn measure(&mut self) {
        let alloc = |i: Option<&u32>| i.map(|&i| &self.allocs[as_index(i)]);
        let start = alloc(self.order.first()).map_or(0, |a| a.base);
        self.reach = start..alloc(self.order.last()).map_or(start, |a| a.base + to_u64(a.data.len()));
    }

    /// Empties every buffer added after `self` held `count` of them, keeping addresses unused.
    pub fn truncate(&mut self, count: usize) {
        self.allocs.truncate(count);
        self.order.retain(|&i| as_index(i) < count);
        self.last = 0;
        self.measure();
        if !self.allocs.iter().any(|a| a.base < HIGH) {
            self.next_low = 0;
        }
    }

    /// The first buffer of this name.
    pub fn named(&self, name: &str) -> Option<Buffer> {
        self.allocs.iter().position(|a| a.name == name).map(|i| Buffer(to_index(i)))
    }

    /// The number of buffers.
    pub fn count(&self) -> usize {
        self.allocs.len()
    }

    /// The address of a buffer's first byte.
    pub fn address(&self, buffer: Buffer) -> u64 {
        self.allocs[as_index(buffer.0)].base
    }

    /// A buffer's bytes.
    pub fn bytes(&self, buffer: Buffer) -> &[u8] {
        &self.allocs[as_index(buffer.0)].data
    }

    /// A buffer's bytes, to change.
    pub fn bytes_mut(&mut self, buffer: Buffer) -> &mut [u8] {
        &mut self.allocs[as_index(buffer.0)].data
    }

    /// Name and bytes of every buffer, in order of creation.
    pub fn buffers(&self) -> impl Iterator<Item = (Buffer, &str, &[u8])> {
        self.allocs.iter().enumerate().map(|(i, a)| (Buffer(to_index(i)), a.name.as_str(), a.data.as_slice()))
    }

    fn find(&mut self, address: u64, len: u32) -> Option<(usize, usize)> {
        let inside = |a: &Alloc| {
            let offset = address.checked_sub(a.base)?;
            (offset.checked_add(len.into())? <= to_u64(a.data.len())).then_some(to_usize(offset))
        };
        if !self.reach.contains(&address) {
            return None;
        }
        if let Some(offset) = self.allocs.get(self.last).and_then(inside) {
            return Some((self.last, offset));
        }
        let at = self.order.partition_point(|&i| self.allocs[as_index(i)].base <= address);
        let index = as_index(self.order[at.checked_sub(1)?]);
        let offset = inside(&self.allocs[index])?;
        self.last = index;
        Some((index, offset))
    }

    /// `len` bytes at `address`.
    pub fn get(&mut self, address: u64, len: u32) -> Result<&[u8], MemoryFault> {
        let (i, o) = self.find(address, len).ok_or(MemoryFault { address, len })?;
        Ok(&self.allocs[i].data[o..o + as_index(len)])
    }

    /// `len` bytes at `address`, to change.
    pub fn get_mut(&mut self, address: u64, len: u32) -> Result<&mut [u8], MemoryFault> {
        let (i, o) = self.find(address, len).ok_or(MemoryFault { address, len })?;
        Ok(&mut self.allocs[i].data[o..o + as_index(len)])
    }

    /// A little-endian number of up to 8 bytes.
    pub fn load(&mut self, address: u64, len: u32) -> Result<u64, MemoryFault> {
        let Some((i, o)) = self.find(address, len) else {
            let outside = self.outside.as_mut().and_then(|m| m.load(address, len));
            return outside.ok_or(MemoryFault { address, len });
        };
        Ok(little(&self.allocs[i].data[o..o + as_index(len)]))
    }

    /// Stores the low `len` bytes of a number, little-endian.
    pub fn store(&mut self, address: u64, len: u32, value: u64) -> Result<(), MemoryFault> {
        let Some((i, o)) = self.find(address, len) else {
            let outside = self.outside.as_mut().and_then(|m| m.store(address, len, value));
            return outside.ok_or(MemoryFault { address, len });
        };
        set_little(&mut self.allocs[i].data[o..o + as_index(len)], value);
        Ok(())
    }
}

/// A view of memory that messages name by binding table index or surface state offset.
#[derive(Clone, Debug, PartialEq)]
pub struct Surface {
    /// Address of the first byte.
    pub base: u64,
    /// Bytes (an image's bytes follow from its shape).
    pub size: u64,
    /// Its shape, for typed and sampler messages and media blocks.
    pub image: Option<Image>,
}

/// How a texel's channels are stored.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Texel {
    /// Signed integers.
    Sint,
    /// Unsigned integers.
    Uint,
    /// Unsigned integers standing for 0 to 1.
    Unorm,
    /// Signed integers standing for -1 to 1.
    Snorm,
    /// Half or single floats, by size.
    Float,
}

/// The shape of an image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// Dimensions: 1, 2 or 3.
    pub dims: u8,
    /// The last coordinate counts the layers of an array.
    pub array: bool,
    /// Texels in a row.
    pub width: u32,
    /// Rows (1 for a one-dimensional image).
    pub height: u32,
    /// Slices or array layers (1 for none).
    pub depth: u32,
    /// Bytes from a row to the next.
    pub row_pitch: u32,
    /// Bytes from a slice to the next: whole rows.
    pub slice_pitch: u32,
    /// How rows lie.
    pub tiling: Tiling,
    /// Channels a texel stores: 1, 2 or 4.
    pub channels: u8,
    /// Bytes a channel takes: 1, 2 or 4.
    pub channel_bytes: u8,
    /// What a channel holds.
    pub texel: Texel,
    /// The first and third channel are stored the other way round (BGRA).
    pub bgra: bool,
}

impl Image {
    /// A two-dimensional image without padding.
    pub fn new_2d(width: u32, height: u32, channels: u8, channel_bytes: u8, texel: Texel) -> Image {
        let row_pitch = width * u32::from(channels) * u32::from(channel_bytes);
        Image {
            dims: 2,
            array: false,
            width,
            height,
            depth: 1,
            row_pitch,
            slice_pitch: row_pitch * height,
            tiling: Tiling::Linear,
            channels,
            channel_bytes,
            texel,
            bgra: false,
        }
    }

    /// How many coordinates name a texel.
    pub(crate) fn coordinates(&self) -> usize {
        (usize::from(self.dims) + usize::from(self.array)).min(3)
    }

    /// What `resinfo` says (vISA, "INFO"): the size in each coordinate, zero for those that the image does not have, and one
    /// level of detail.
    pub(crate) fn sizes(&self) -> [u32; 4] {
        let [x, y, z] = match (self.dims, self.array) {
            (1, false) => [self.width, 0, 0],
            (1, true) => [self.width, self.depth, 0],
            (2, false) => [self.width, self.height, 0],
            _ => [self.width, self.height, self.depth],
        };
        [x, y, z, 1]
    }

    /// Column, row and slice that a message's coordinates u, v and r name. The layer of a one-dimensional array is its v; what
    /// the image has no use for is 0.
    pub(crate) fn place(&self, [u, v, r]: [i64; 3]) -> [i64; 3] {
        match (self.dims, self.array) {
            (1, false) => [u, 0, 0],
            (1, true) => [u, 0, v],
            (2, false) => [u, v, 0],
            _ => [u, v, r],
        }
    }

    /// One field of an interlaced picture: every other row, from the first or the `second` one on, as an image, and the
    /// byte offset at which it starts. `None` for an image in tiles.
    pub fn field(&self, second: bool) -> Option<(Image, u64)> {
        if self.tiling != Tiling::Linear {
            return None;
        }
        let first_row = u32::from(second);
        let height = self.height.saturating_sub(first_row).div_ceil(2);
        let image = Image { row_pitch: 2 * self.row_pitch, height, ..self.clone() };
        Some((image, (first_row * self.row_pitch).into()))
    }

    /// Bytes of one texel.
    pub fn texel_bytes(&self) -> u32 {
        u32::from(self.channels) * u32::from(self.channel_bytes)
    }

    /// Bytes of the whole image.
    pub fn bytes(&self) -> u64 {
        let bytes = u64::from(self.slice_pitch) * u64::from(self.depth);
        // Tiles are there as a whole.
        bytes.next_multiple_of((self.tiling.rows() * u64::from(self.row_pitch)).max(1))
    }

    /// Byte offset of a texel, if it is inside.
    pub fn offset(&self, x: i64, y: i64, z: i64) -> Option<u64> {
        let inside = |v: i64, n: u32| (0..i64::from(n)).contains(&v);
        (inside(x, self.width) && inside(y, self.height) && inside(z, self.depth)).then(|| {
            // All slices are one tall picture.
            let rows = low_u64(z) * u64::from(self.slice_pitch / self.row_pitch.max(1));
            self.byte_offset(low_u64(x) * u64::from(self.texel_bytes()), low_u64(y) + rows)
        })
    }

    /// Byte offset of a byte of a row.
    pub fn byte_offset(&self, x: u64, row: u64) -> u64 {
        self.tiling.offset(x, row, self.row_pitch.into())
    }
}

/// What a sampler does with a coordinate outside of the image.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Wrap {
    /// The edge texel.
    Edge,
    /// The border colour, zero.
    Border,
    /// The image repeats.
    Repeat,
    /// The image repeats, mirrored every other time.
    Mirror,
}

/// A sampler.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Sampler {
    /// Coordinates run from 0 to 1 over the image, not from 0 to its size.
    pub normalized: bool,
    /// Linear filtering, not the nearest texel.
    pub linear: bool,
    /// Outside of the image.
    pub wrap: Wrap,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_layer_of_a_line_is_its_second_coordinate() {
        let place = |dims, array| {
            let image = Image { dims, array, ..Image::new_2d(4, 4, 1, 4, Texel::Uint) };
            (image.place([1, 2, 3]), image.coordinates())
        };
        assert_eq!([place(1, false), place(1, true)], [([1, 0, 0], 1), ([1, 0, 2], 2)]);
        assert_eq!([place(2, false), place(2, true)], [([1, 2, 0], 2), ([1, 2, 3], 3)]);
        assert_eq!(place(3, false), ([1, 2, 3], 3));
    }

    #[test]
    fn accesses_stay_inside_one_buffer() {
        let mut m = Memory::new();
        let a = m.add("a", vec![1; 16]);
        let b = m.add("b", vec![2; 16]);
        let low = m.add_low("low", vec![3; 16]);
        let (pa, pb) = (m.address(a), m.address(b));
        assert_eq!(m.load(pa + 12, 4), Ok(0x0101_0101));
        assert_eq!(m.load(pb, 8), Ok(0x0202_0202_0202_0202));
        assert_eq!(m.load(pa + 13, 4), Err(MemoryFault { address: pa + 13, len: 4 }));
        assert_eq!(m.load(pa - 1, 1), Err(MemoryFault { address: pa - 1, len: 1 }));
        assert!(m.load(u64::MAX, 8).is_err());
        assert!(m.address(low) < 1 << 32);
        m.store(pb + 4, 2, 0xabcd).unwrap();
        assert_eq!(m.bytes(b)[4..6], [0xcd, 0xab]);
        m.truncate(1);
        assert!(m.load(pb, 1).is_err());
    }
}
