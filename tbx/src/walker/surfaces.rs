//! Surface and sampler states (PRM volume 2, "RENDER_SURFACE_STATE", "SAMPLER_STATE").

use emulator::{Bindings, Image, Sampler, Surface, Texel, Tiling, Wrap};
use platforms::Platform;

use crate::{
    memory::World,
    pages::Space,
    stream::{Bases, address, bits},
};

/// Surface types (RENDER_SURFACE_STATE, "Surface Type").
mod surface_type {
    pub const IMAGE_1D: u32 = 0;
    pub const IMAGE_2D: u32 = 1;
    pub const IMAGE_3D: u32 = 2;
    pub const BUFFER: u32 = 4;
    /// Of structures.
    pub const STRUCTURED_BUFFER: u32 = 5;
    pub const SCRATCH: u32 = 6;
    pub const NULL: u32 = 7;
}

/// Entries that a binding table can have beside the numbers with a meaning of their own.
const MOST_SURFACES: u32 = 240;
/// Samplers that a message can name.
const SAMPLERS: u64 = 16;

/// The surfaces and samplers of a dispatch, and what is not modelled of them.
///
/// How many there are is nowhere said (the descriptor's count is a hint, and 0 from Gen11 on). The driver puts a binding
/// table behind the states that it points to, so it ends at what is no such pointer.
pub fn bindings(
    world: &World,
    space: Space,
    platform: Platform,
    bases: &Bases,
    (table, samplers): (u32, u32),
) -> (Bindings, Vec<String>) {
    let (mut out, mut notes) = (Bindings::default(), Vec::new());
    for k in 0..MOST_SURFACES {
        let at = bases.surface + u64::from(table) + 4 * u64::from(k);
        let Ok(entry) = space.number(world, at, 4) else { break };
        if entry & 63 != 0 || entry >= u64::from(table) {
            break;
        }
        let Ok(state) = space.dwords::<16>(world, bases.surface + entry) else { break };
        let surface = surface(&state, platform);
        if let Err(why) = &surface {
            notes.push(format!("surface {k}: {why}"));
        }
        out.table.push(surface.ok());
    }
    for k in 0..SAMPLERS {
        let at = bases.dynamic + u64::from(samplers) + 16 * k;
        let Ok(state) = space.dwords::<4>(world, at) else { break };
        out.samplers.push(Some(sampler(&state)));
    }
    (out, notes)
}

/// Bytes of a thread's scratch memory, by the state of its surface: the pitch; 0 if there is none.
pub fn scratch(world: &World, space: Space, at: u64) -> u32 {
    match space.dwords::<16>(world, at) {
        Ok(s) if bits(s[0], 29, 31) == surface_type::SCRATCH => {
            (bits(s[3], 0, 17) + 1).next_power_of_two().max(1024)
        }
        _ => 0,
    }
}

fn surface(s: &[u32; 16], platform: Platform) -> Result<Surface, String> {
    let base = address(s, 8, 1);
    let dims = match bits(s[0], 29, 31) {
        // Buffers: bytes less one, of structures or typed elements their number less one.
        surface_type::BUFFER | surface_type::STRUCTURED_BUFFER => {
            let count = bits(s[2], 0, 6) | bits(s[2], 16, 29) << 7 | bits(s[3], 21, 31) << 21;
            let size = u64::from(count) + 1;
            if bits(s[0], 18, 26) == RAW {
                return Ok(Surface { base, size, image: None });
            }
            return buffer_image(s, base, size);
        }
        surface_type::IMAGE_1D => 1,
        surface_type::IMAGE_2D => 2,
        surface_type::IMAGE_3D => 3,
        surface_type::NULL => return Ok(Surface { base: 0, size: 0, image: None }),
        other => return Err(format!("type {other} is not modelled")),
    };
    let format = format(bits(s[0], 18, 26))?;
    let tiling = match bits(s[0], 12, 13) {
        0 => Tiling::Linear,
        2 => Tiling::X,
        3 => Tiling::Y,
        other => return Err(format!("tile mode {other} is not modelled")),
    };
    if bits(s[6], 0, 2) != 0 {
        return Err(format!("auxiliary surface {} is not modelled", bits(s[6], 0, 2)));
    }
    let row_pitch = bits(s[3], 0, 17) + 1;
    let height = if dims == 1 { 1 } else { bits(s[2], 16, 29) + 1 };
    let array = bits(s[0], 28, 28) != 0;
    let depth = if dims == 3 || array { bits(s[3], 21, 31) + 1 } else { 1 };
    let slice_pitch = slice_pitch(s, platform, [dims.into(), height, depth], row_pitch, format.texel_bytes());
    let image = Image {
        dims,
        array,
        width: bits(s[2], 0, 13) + 1,
        height,
        depth,
        row_pitch,
        slice_pitch,
        tiling,
        ..format
    };
    Ok(Surface { base, size: image.bytes(), image: Some(image) })
}

/// Bytes from a slice to the next ("Surface QPitch").
fn slice_pitch(
    s: &[u32; 16],
    platform: Platform,
    [dims, height, depth]: [u32; 3],
    row_pitch: u32,
    texel: u32,
) -> u32 {
    let qpitch = bits(s[1], 0, 14) * 4;
    let by_dimensions = platform.caps().memory.qpitch_by_dimensions;
    let rows = match dims {
        _ if depth == 1 => qpitch.max(height),
        1 if by_dimensions => return qpitch.saturating_mul(texel),
        // Aligned to 4, 8 or 16 rows.
        3 if !by_dimensions => height.next_multiple_of(2 << bits(s[0], 16, 17)),
        _ => qpitch,
    };
    row_pitch.saturating_mul(rows)
}

/// A buffer whose elements have a format: an image of one dimension.
fn buffer_image(s: &[u32; 16], base: u64, elements: u64) -> Result<Surface, String> {
    let format = format(bits(s[0], 18, 26))?;
    let width = u32::try_from(elements).unwrap_or(u32::MAX);
    let row_pitch = width.saturating_mul(format.texel_bytes());
    let image = Image { dims: 1, width, row_pitch, slice_pitch: row_pitch, ..format };
    Ok(Surface { base, size: image.bytes(), image: Some(image) })
}

/// The format of untyped buffers.
const RAW: u32 = 0x1ff;

/// An image of a format, by SURFACE_FORMAT. Beside a code stand its channels, bytes of a channel, and what a channel is;
/// all have red first but `0x0c0` (B8G8R8A8_UNORM).
fn format(code: u32) -> Result<Image, String> {
    use Texel::{Float, Sint, Snorm, Uint, Unorm};
    let (channels, bytes, texel) = match code {
        0x000 => (4, 4, Float),
        0x001 => (4, 4, Sint),
        0x002 => (4, 4, Uint),
        0x080 => (4, 2, Unorm),
        0x081 => (4, 2, Snorm),
        0x082 => (4, 2, Sint),
        0x083 => (4, 2, Uint),
        0x084 => (4, 2, Float),
        0x085 => (2, 4, Float),
        0x086 => (2, 4, Sint),
        0x087 => (2, 4, Uint),
        0x0c0 | 0x0c7 => (4, 1, Unorm),
        0x0c9 => (4, 1, Snorm),
        0x0ca => (4, 1, Sint),
        0x0cb => (4, 1, Uint),
        0x0cc => (2, 2, Unorm),
        0x0cd => (2, 2, Snorm),
        0x0ce => (2, 2, Sint),
        0x0cf => (2, 2, Uint),
        0x0d0 => (2, 2, Float),
        0x0d6 => (1, 4, Sint),
        0x0d7 => (1, 4, Uint),
        0x0d8 => (1, 4, Float),
        0x106 => (2, 1, Unorm),
        0x107 => (2, 1, Snorm),
        0x108 => (2, 1, Sint),
        0x109 => (2, 1, Uint),
        0x10a => (1, 2, Unorm),
        0x10b => (1, 2, Snorm),
        0x10c => (1, 2, Sint),
        0x10d => (1, 2, Uint),
        0x10e => (1, 2, Float),
        0x140 => (1, 1, Unorm),
        0x141 => (1, 1, Snorm),
        0x142 => (1, 1, Sint),
        0x143 => (1, 1, Uint),
        other => return Err(format!("format {other:#x} is not modelled")),
    };
    Ok(Image { bgra: code == 0x0c0, ..Image::new_2d(1, 1, channels, bytes, texel) })
}

fn sampler(s: &[u32; 4]) -> Sampler {
    Sampler {
        normalized: bits(s[3], 10, 10) == 0,
        linear: bits(s[0], 14, 16) == 1,
        wrap: match bits(s[3], 6, 8) {
            0 => Wrap::Repeat,
            1 => Wrap::Mirror,
            4 => Wrap::Border,
            _ => Wrap::Edge,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_images_and_what_is_not_modelled() {
        let mut s = [0u32; 16];
        // 0x12345 bytes: 0x44 in seven bits, then 0x246.
        (s[0], s[2], s[8], s[9]) = (4 << 29 | RAW << 18, 0x44 | 0x246 << 16, 0x5000, 0x12);
        assert_eq!(
            surface(&s, Platform::Skl),
            Ok(Surface { base: 0x12_0000_5000, size: 0x12345, image: None })
        );
        (s[0], s[1], s[2], s[3]) = (1 << 29 | 0xcb << 18, 3, 15 | 9 << 16, 127);
        let image = surface(&s, Platform::Skl).unwrap().image.unwrap();
        assert_eq!((image.width, image.height, image.row_pitch, image.slice_pitch), (16, 10, 128, 1536));
        assert_eq!((image.channels, image.texel, image.dims), (4, Texel::Uint, 2));
        assert_eq!(image.tiling, Tiling::Linear);
        s[0] |= 3 << 12;
        assert_eq!(surface(&s, Platform::Skl).unwrap().image.unwrap().tiling, Tiling::Y);
        s[0] ^= 2 << 12;
        assert!(surface(&s, Platform::Skl).unwrap_err().contains("tile mode 1"));
        s[0] = 1 << 29 | 0x1f0 << 18;
        assert!(surface(&s, Platform::Skl).unwrap_err().contains("format 0x1f0"));
    }

    #[test]
    fn slices_of_images() {
        let mut s = [0u32; 16];
        // R8G8B8A8_UINT, 37 by 13, 5 slices of 20 rows or texels, rows of 256 bytes, aligned to 8 rows.
        (s[1], s[2], s[3]) = (5, 36 | 12 << 16, 255 | 4 << 21);
        let pitch = |kind: u32, array: u32, platform| {
            let s =
                [&[kind << 29 | array << 28 | 0xcb << 18 | 2 << 16], &s[1..]].concat().try_into().unwrap();
            surface(&s, platform).unwrap().image.unwrap().slice_pitch
        };
        let (stacked, layers, line) = (16 * 256, 20 * 256, 20 * 4);
        assert_eq!(
            [(2, 0), (1, 1), (0, 1)].map(|(k, a)| pitch(k, a, Platform::Bdw)),
            [stacked, layers, layers]
        );
        assert_eq!([(2, 0), (1, 1), (0, 1)].map(|(k, a)| pitch(k, a, Platform::Skl)), [layers, layers, line]);
    }

    #[test]
    fn samplers() {
        let s = sampler(&[1 << 14 | 1 << 17, 0, 0, 4 << 6 | 1 << 10]);
        assert_eq!(s, Sampler { normalized: false, linear: true, wrap: Wrap::Border });
        assert_eq!(sampler(&[0; 4]), Sampler { normalized: true, linear: false, wrap: Wrap::Repeat });
    }
}
