//! What a raw operand of a message holds, and the words in which entries of messages say it. An operand that holds what
//! none of them says gets a function here, which counts it from the fields of the message.

use super::*;

/// What a raw operand holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Holds {
    /// The table does not say: how much it is depends on types, or stands in the message itself.
    Unsaid,
    /// So many bytes of the thread.
    Bytes(u32),
    /// So many whole registers of the thread.
    Registers(u32),
    /// Blocks of the thread, each from a register on.
    Blocks {
        /// How many.
        count: u32,
        /// Bytes of each.
        bytes: u32,
    },
    /// Something of each lane.
    Lanes(PerLane),
    /// Something of each of so many lanes, of which the message itself says how many they are, without a gap.
    OwnLanes(u32, PerLane),
    /// So many blocks of an element of each lane, a word or a dword as the variable's type is: see [`Holds::of_elements`].
    Elements(u32),
}

/// How an operand holds something of each lane: in blocks of all lanes, one after the other, as of each channel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PerLane {
    /// Blocks of all lanes.
    pub blocks: u32,
    /// Bytes of a lane in a block that mean something.
    pub bytes: u32,
    /// Bytes from a lane to the next.
    pub stride: u32,
}

impl PerLane {
    /// In so many blocks.
    #[must_use]
    pub const fn blocks(self, blocks: u32) -> PerLane {
        PerLane { blocks, ..self }
    }

    /// In a dword of each lane at least.
    #[must_use]
    pub const fn in_dwords(self) -> PerLane {
        PerLane { stride: if self.bytes < 4 { 4 } else { self.bytes }, ..self }
    }

    /// Bytes from a block of so many lanes to the next, in registers of `grf` bytes: each begins in one of its own.
    pub const fn pitch(self, lanes: u32, grf: u32) -> u32 {
        (lanes * self.stride).next_multiple_of(grf)
    }

    /// Bytes of so many lanes, block after block without a gap.
    pub const fn total(self, lanes: u32) -> u32 {
        self.blocks * lanes * self.stride
    }
}

impl From<PerLane> for Holds {
    fn from(lanes: PerLane) -> Holds {
        Holds::Lanes(lanes)
    }
}

impl Holds {
    /// The same, where an element of each lane has so many bytes.
    #[must_use]
    pub const fn of_elements(self, bytes: u32) -> Holds {
        match self {
            Holds::Elements(blocks) => Holds::Lanes(lanes(bytes).blocks(blocks)),
            other => other,
        }
    }

    /// Bytes of registers of `grf` bytes that so many lanes fill; nothing if that is not said, or depends on the variable's
    /// type. All blocks but the last fill registers.
    pub fn total(self, lanes: u32, grf: u32) -> Option<u32> {
        let blocks = |count: u32, pitch: u32, bytes: u32| count.saturating_sub(1) * pitch + bytes;
        match self {
            Holds::Unsaid | Holds::Elements(_) => None,
            Holds::Bytes(bytes) => Some(bytes),
            Holds::Registers(count) => Some(count * grf),
            Holds::Blocks { count, bytes } => Some(blocks(count, bytes.next_multiple_of(grf), bytes)),
            Holds::Lanes(holds) => Some(blocks(holds.blocks, holds.pitch(lanes, grf), lanes * holds.stride)),
            Holds::OwnLanes(lanes, holds) => Some(holds.total(lanes)),
        }
    }
}

/// So many bytes of the thread.
pub(super) const fn bytes(bytes: u32) -> Holds {
    Holds::Bytes(bytes)
}

/// So many registers of the thread.
pub(super) fn registers(count: u8) -> Holds {
    Holds::Registers(count.into())
}

/// So many blocks of an element of each lane.
pub(super) const fn elements(blocks: u32) -> Holds {
    Holds::Elements(blocks)
}

/// So many bytes of each lane.
pub(super) const fn lanes(bytes: u32) -> PerLane {
    PerLane { blocks: 1, bytes, stride: bytes }
}

/// An operand or the result of an atomic operation of so many bits.
pub(super) fn atomic(bits: u8) -> PerLane {
    lanes(u32::from(bits) / 8).in_dwords()
}

/// Blocks of each lane: single bytes lie together, in a dword at least, others one block of all lanes after the other.
pub(super) fn lanes_of_blocks(bytes: u8, blocks: u8) -> PerLane {
    match bytes {
        1 => lanes(blocks.into()).in_dwords(),
        _ => lanes(bytes.into()).blocks(blocks.into()),
    }
}

/// Bytes of registers from a row of a media block, or a typed block, to the next: a power of two, at least a dword.
pub fn media_pitch(width: u16) -> u32 {
    u32::from(width).next_power_of_two().max(4)
}

pub(super) fn media_bytes(width: impl Into<u16>, height: impl Into<u16>) -> u32 {
    media_pitch(width.into()) * u32::from(height.into())
}

/// Bytes of so many pixels.
const fn pixel_bytes(pixels: u32, channels: ChannelMask, format: PixelFormat) -> u32 {
    pixels * channels.count() * format.channel_bytes()
}

/// Bytes of the pixels of `sample_unorm`.
pub(super) const fn unorm_bytes(channels: ChannelMask, format: PixelFormat) -> u32 {
    pixel_bytes(32, channels, format)
}

/// Bytes of the pixels of `avs`.
pub(super) const fn avs_bytes(size: AvsBlock, channels: ChannelMask, format: PixelFormat) -> u32 {
    pixel_bytes(size.pixels(), channels, format)
}

/// What each of the lanes of an old sample or load has in so many channels, or a coordinate: a dword (16 lanes fill
/// registers, and eight do where these messages exist).
pub(super) const fn legacy(of: SampleLanes, channels: u32) -> Holds {
    Holds::OwnLanes(of.count(), lanes(4).blocks(channels))
}

/// Channels that a sampler message gives: a gather has its one channel of four texels.
pub const fn sampled_channels(kind: SampleKind, channels: u8) -> u32 {
    match kind {
        SampleKind::Gather => 4,
        SampleKind::Sample | SampleKind::Load => ChannelMask(channels & 15).count(),
    }
}

/// Bytes of the records of an integer search, where they come back or go in: two registers, of two references four. Which
/// messages have records is as in Intel's finalizer: the specification's text counts both wherever there is one.
const fn vme_records(search: VmeSearch) -> u32 {
    if matches!(search, VmeSearch::TwoReferences) { 128 } else { 64 }
}

/// Bytes that go into an integer search.
pub(super) const fn vme_search_input(stream: VmeStream, search: VmeSearch) -> u32 {
    64 + if stream.goes_in() { vme_records(search) } else { 0 }
}

/// Bytes that come back from an integer search.
pub(super) const fn vme_search_output(stream: VmeStream, search: VmeSearch) -> u32 {
    224 + if stream.comes_back() { vme_records(search) } else { 0 }
}

/// Addresses of the load/store cache: one of each lane, or the base of a strided access.
pub(super) fn lsc_addresses(op: LscOp, size: LscAddrSize) -> Holds {
    if op.is_strided() { bytes(size.bytes()) } else { lanes(size.bytes()).into() }
}

/// Data of the load/store cache: one element of all lanes after the other, or all elements of one address.
pub(super) fn lsc_data(op: LscOp, shape: LscShape) -> Holds {
    let element = shape.size.register_bytes();
    match (op.kind(), shape.order) {
        _ if op == LscOp::LoadStatus => bytes(4),
        (LscKind::Other, _) => Holds::Unsaid,
        (_, LscOrder::Transpose) => bytes(element * shape.per_address()),
        (_, LscOrder::NonTranspose) => lanes(element).blocks(shape.per_address()).into(),
    }
}

/// Blocks of two dimensions, each from a register on: rows of a power of two of elements, which are columns of memory if
/// transposed. The transformation for `dpas` (VNNI) joins the rows of a dword, so there are as many as fill one. What is
/// larger than the message can say is no block.
pub(super) fn lsc_blocks2d(
    size: LscDataSize,
    order: LscOrder,
    blocks: u8,
    [width, height]: [u16; 2],
    vnni: bool,
) -> Holds {
    if width > 256 || height > 256 {
        return Holds::Unsaid;
    }
    let element = size.register_bytes();
    let [row, rows] = block2d_rows(element, order, [width.into(), height.into()], vnni);
    Holds::Blocks { count: blocks.into(), bytes: row * rows * element }
}

/// Elements of a row of a block of two dimensions in registers, and how many rows there are.
pub fn block2d_rows(element_bytes: u32, order: LscOrder, [width, height]: [u32; 2], vnni: bool) -> [u32; 2] {
    let (row, rows) = match order {
        LscOrder::NonTranspose => (width, height),
        LscOrder::Transpose => (height, width),
    };
    let joined = if vnni { (4 / element_bytes).max(1) } else { 1 };
    [row.next_power_of_two(), rows.next_multiple_of(joined)]
}

/// Data of texels; a question about the surface is answered with sixteen dwords.
pub(super) fn lsc_texels(op: LscOp, shape: LscShape) -> Holds {
    if op == LscOp::ReadStateInfo { bytes(64) } else { lsc_data(op, shape) }
}

/// Coordinates of texels, of each lane; a question about the surface has a register.
pub(super) fn lsc_coordinates(op: LscOp, size: LscAddrSize) -> Holds {
    match (op, size) {
        (LscOp::ReadStateInfo, _) => registers(1),
        (_, LscAddrSize::A16) => lanes(2).into(),
        _ => lanes(4).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Blocks of few lanes begin in registers of their own.
    #[test]
    fn blocks_fill_registers_but_the_last() {
        let held = Holds::from(lanes(4).blocks(3));
        assert_eq!([16, 8, 1].map(|n| held.total(n, 64)), [Some(192), Some(160), Some(132)]);
        assert_eq!(lanes_of_blocks(1, 2), PerLane { blocks: 1, bytes: 2, stride: 4 });
        assert_eq!(lanes_of_blocks(8, 2), PerLane { blocks: 2, bytes: 8, stride: 8 });
        assert_eq!([2, 4].map(|bytes| elements(2).of_elements(bytes).total(8, 32)), [Some(48), Some(64)]);
        assert_eq!(elements(2).total(8, 32), None);
    }

    /// Rows fill dwords where they are joined, and blocks begin in registers of their own.
    #[test]
    fn rows_of_a_block_fill_dwords_where_they_are_joined() {
        use LscOrder::{NonTranspose, Transpose};
        let total =
            |order, blocks, vnni| lsc_blocks2d(LscDataSize::D16, order, blocks, [20, 3], vnni).total(1, 64);
        assert_eq!(total(NonTranspose, 1, false), Some(3 * 64));
        assert_eq!(total(NonTranspose, 1, true), Some(4 * 64));
        assert_eq!(total(Transpose, 1, false), Some(20 * 8));
        assert_eq!(total(Transpose, 2, false), Some(192 + 20 * 8));
    }
}
