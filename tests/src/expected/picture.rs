//! Images as OpenCL C sees them: texels read and written by coordinates, formats, addressing.

use emulator::{Image, Texel};
use half::f16;

use super::{accept::Accept, inputs::Inputs};

/// An image and its texels.
pub struct Picture {
    /// Its shape and format, without padding.
    pub image: Image,
    /// Channels as they are stored, texel after texel.
    stored: Vec<u32>,
}

/// The shape of an image of one to three dimensions.
pub fn shape(dims: u8, size: [u32; 3], channels: u8, channel_bytes: u8, texel: Texel) -> Image {
    let mut image = Image::new_2d(size[0], size[1], channels, channel_bytes, texel);
    (image.dims, image.depth) = (dims, size[2]);
    image
}

/// An array of images: its last coordinate counts layers.
pub fn array(mut image: Image, layers: u32) -> Image {
    (image.array, image.depth) = (true, layers);
    image
}

impl Picture {
    /// An image of that shape, with channels from a source of raw values.
    pub fn new(image: &Image, mut channel: impl FnMut() -> u32) -> Picture {
        let count = image.width * image.height * image.depth * u32::from(image.channels);
        Picture { image: image.clone(), stored: (0..count).map(|_| channel()).collect() }
    }

    /// With integers of all values, or with small multiples of 1/8 in float formats.
    pub fn random(image: &Image, inputs: &mut Inputs) -> Picture {
        Picture::new(image, || {
            let bits = inputs.bits();
            let eighth = (bits % 800) as f32 / 8.0 - 50.0;
            match (image.texel, image.channel_bytes) {
                (Texel::Float, 2) => f16::from_f32(eighth).to_bits().into(),
                (Texel::Float, _) => eighth.to_bits(),
                (_, 4) => bits as u32,
                (_, n) => bits as u32 & ((1 << (8 * n)) - 1),
            }
        })
    }

    /// Its bytes in memory.
    pub fn bytes(&self) -> Vec<u8> {
        let n = usize::from(self.image.channel_bytes);
        self.stored.iter().flat_map(|v| v.to_le_bytes().into_iter().take(n)).collect()
    }

    /// Stored channels of the texel at these coordinates.
    pub fn raw(&self, x: u32, y: u32, z: u32) -> &[u32] {
        let n = usize::from(self.image.channels);
        let at = ((z * self.image.height + y) * self.image.width + x) as usize * n;
        &self.stored[at..at + n]
    }

    /// A texel as integers: missing channels are 0, 0 and 1.
    pub fn ints(&self, x: u32, y: u32, z: u32) -> [u32; 4] {
        let unused = 32 - 8 * u32::from(self.image.channel_bytes);
        let signed = self.image.texel == Texel::Sint;
        self.spread(x, y, z, 1, |v| if signed { ((v << unused) as i32 >> unused) as u32 } else { v })
    }

    /// A texel as floats: missing channels are 0, 0 and 1.
    pub fn floats(&self, x: u32, y: u32, z: u32) -> [f32; 4] {
        let (texel, bytes) = (self.image.texel, self.image.channel_bytes);
        self.spread(x, y, z, 1f32.to_bits(), |v| {
            match (texel, bytes) {
                (Texel::Unorm, 1) => v as f32 / 255.0,
                (Texel::Unorm, _) => v as f32 / 65535.0,
                (Texel::Float, 2) => f16::from_bits(v as u16).to_f32(),
                _ => f32::from_bits(v),
            }
            .to_bits()
        })
        .map(f32::from_bits)
    }

    fn spread(&self, x: u32, y: u32, z: u32, one: u32, convert: impl Fn(u32) -> u32) -> [u32; 4] {
        let mut out = [0, 0, 0, one];
        for (c, &v) in self.raw(x, y, z).iter().enumerate() {
            out[c] = convert(v);
        }
        if self.image.bgra {
            out.swap(0, 2);
        }
        out
    }

    /// Coordinates moved to the edge where they are outside.
    pub fn clamped(&self, x: i64, y: i64, z: i64) -> [u32; 3] {
        let edge = |v: i64, n: u32| v.clamp(0, i64::from(n) - 1) as u32;
        [edge(x, self.image.width), edge(y, self.image.height), edge(z, self.image.depth)]
    }

    /// Whether coordinates are inside.
    pub fn contains(&self, x: i64, y: i64) -> bool {
        (0..i64::from(self.image.width)).contains(&x) && (0..i64::from(self.image.height)).contains(&y)
    }
}

/// What an image holds after each texel was written with `f(x, y, z)`, in the format's own channels.
pub fn written(image: &Image, mut f: impl FnMut(u32, u32, u32) -> [Accept; 4]) -> Vec<Accept> {
    let mut out = Vec::new();
    for z in 0..image.depth {
        for y in 0..image.height {
            for x in 0..image.width {
                out.extend(f(x, y, z).into_iter().take(image.channels.into()));
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texels_have_four_channels() {
        let mut values = 0..;
        let image = shape(2, [3, 2, 1], 2, 1, Texel::Sint);
        let p = Picture::new(&image, || values.next().unwrap() + 0x7e);
        assert_eq!(p.raw(1, 1, 0), [0x86, 0x87]);
        assert_eq!(p.ints(1, 0, 0), [(-128i32) as u32, (-127i32) as u32, 0, 1]);
        assert_eq!(p.bytes().len(), 12);
        assert_eq!(p.clamped(-1, 7, 0), [0, 1, 0]);
        let unorm = Picture::new(&shape(2, [1, 1, 1], 1, 1, Texel::Unorm), || 255);
        assert_eq!(unorm.floats(0, 0, 0), [1.0, 0.0, 0.0, 1.0]);
    }
}
