//! What kernels are told of images: the codes of OpenCL C (`CLK_*`).

use crate::memory::Image;

/// `CLK_*` channel data types.
pub(crate) fn channel_type(image: &Image) -> u32 {
    use crate::memory::Texel::*;
    match (image.texel, image.channel_bytes) {
        (Snorm, 1) => 0x10d0,
        (Snorm, _) => 0x10d1,
        (Unorm, 1) => 0x10d2,
        (Unorm, _) => 0x10d3,
        (Sint, 1) => 0x10d7,
        (Sint, 2) => 0x10d8,
        (Sint, _) => 0x10d9,
        (Uint, 1) => 0x10da,
        (Uint, 2) => 0x10db,
        (Uint, _) => 0x10dc,
        (Float, 2) => 0x10dd,
        (Float, _) => 0x10de,
    }
}

/// `CLK_*` channel orders.
pub(crate) fn channel_order(image: &Image) -> u32 {
    match (image.channels, image.bgra) {
        (1, _) => 0x10b0,
        (2, _) => 0x10b2,
        (3, _) => 0x10b4,
        (_, true) => 0x10b6,
        _ => 0x10b5,
    }
}
