//! The pixel interpolator: barycentric coordinates of a place in each pixel (volume 7, "Pixel Interpolator").
//!
//! vISA has no instruction of its own for it: compilers of pixel shaders send with `raw_send`. Sources: Intel's graphics
//! compiler (`messageEncoding.hpp`, `SEUPixelInterpolatorMessageDescriptorGen7_0`), Mesa's `brw_eu.h` (`brw_pixel_interp_desc`).

use crate::Effect;
use bitfield_struct::bitfield;

rows! {
    /// Where in the pixel ("Message Type"), and what the message does.
    pub enum Place: Effect {
        /// At an offset, one for all pixels.
        SharedOffset = 0: Effect::Load,
        /// At one of the samples.
        Sample = 1: Effect::Load,
        /// In the middle of what is covered.
        Centroid = 2: Effect::Load,
        /// At an offset that the payload has for each pixel.
        Offsets = 3: Effect::Load,
    }
}

/// A message to the pixel interpolator.
#[bitfield(u32)]
pub struct Interpolation {
    /// The offset for all, x below y, in signed sixteenths of a pixel; or the sample in the upper four bits.
    pub control: u8,
    #[bits(3)]
    __: u8,
    /// The upper half of the slots.
    pub slot_group_high: bool,
    /// Where.
    #[bits(2, from = Place::from_bits, into = Place::into_bits)]
    pub place: Option<Place>,
    /// Linear, without perspective.
    pub linear: bool,
    /// Of coarse pixels.
    pub per_coarse_pixel: bool,
    /// Sixteen pixels (otherwise eight).
    pub simd16: bool,
    #[bits(15)]
    __: u16,
}

kinds!(Descriptor: Interpolation);

impl Interpolation {
    /// Whether nothing but reading happens.
    pub const fn only_reads(self) -> bool {
        matches!(self.place(), Some(place) if matches!(place.row(), Effect::Load))
    }
}

#[cfg(test)]
mod tests {
    use super::{Interpolation, Place};

    #[test]
    fn the_descriptor_is_that_of_intels_compilers() {
        let desc =
            Interpolation::new().with_place(Some(Place::Sample)).with_simd16(true).with_control(3 << 4);
        assert_eq!(desc.into_bits(), 0x0001_1030);
        let linear = Interpolation::new().with_place(Some(Place::Offsets)).with_linear(true);
        assert_eq!(linear.into_bits(), 0x0000_7000);
        assert!(desc.only_reads() && linear.only_reads());
    }
}
