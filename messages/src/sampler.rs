//! The sampler (volume 7, "Sampling Engine", "Message Descriptor - Sampling Engine").

use crate::{Descriptor, SurfaceIndex};
use bitfield_struct::bitfield;

codes! {
    /// Message types, at SIMD8 and SIMD16. Those of the wide mode are of another table ([`FLUSH`]).
    pub enum MessageType {
        /// `sample`.
        Sample = 0x00,
        /// `sample_b`: level of detail with a bias.
        SampleBias = 0x01,
        /// `sample_l`: level of detail given.
        SampleLod = 0x02,
        /// `sample_c`: compared with a reference.
        SampleCompare = 0x03,
        /// `sample_d`: gradients given.
        SampleGradient = 0x04,
        /// `sample_b_c`.
        SampleBiasCompare = 0x05,
        /// `sample_l_c`.
        SampleLodCompare = 0x06,
        /// `ld`: a texel by its integer place.
        Load = 0x07,
        /// `gather4`.
        Gather4 = 0x08,
        /// `lod`: the level of detail itself.
        Lod = 0x09,
        /// `resinfo`.
        ResInfo = 0x0a,
        /// `sampleinfo`.
        SampleInfo = 0x0b,
        /// `sample+killpix`.
        SampleKillPix = 0x0c,
        /// `gather4_c`.
        Gather4Compare = 0x10,
        /// `gather4_po`: offsets a pixel.
        Gather4Offsets = 0x11,
        /// `gather4_po_c`.
        Gather4OffsetsCompare = 0x12,
        /// `sample_d_c`.
        SampleGradientCompare = 0x14,
        /// `sample_min`.
        SampleMin = 0x16,
        /// `sample_max`.
        SampleMax = 0x17,
        /// `sample_lz`: level of detail 0.
        SampleLodZero = 0x18,
        /// `sample_c_lz`.
        SampleCompareLodZero = 0x19,
        /// `ld_lz`.
        LoadLodZero = 0x1a,
        /// `ld2dms_w`.
        LoadMultiSampleWide = 0x1c,
        /// `ld_mcs`.
        LoadAuxiliary = 0x1d,
        /// `ld2dms`.
        LoadMultiSample = 0x1e,
        /// `ld2dss`.
        LoadWithoutAuxiliary = 0x1f,
    }
}

codes! {
    /// Lanes ("SIMD Mode"); on Xe-HPC each has twice as many.
    pub enum SimdMode {
        /// 8.
        Simd8 = 1,
        /// 16.
        Simd16 = 2,
        /// 32 or 64, with message types of its own.
        Simd32 = 3,
    }
}

/// A sampler message.
#[bitfield(u32)]
#[derive(PartialEq, Eq)]
pub struct Sample {
    /// The image.
    #[bits(8, from = SurfaceIndex::from_bits, into = SurfaceIndex::into_bits)]
    pub surface: SurfaceIndex,
    /// The sampler's index in its table.
    #[bits(4)]
    pub sampler_index: u8,
    /// What is done: a code of [`MessageType`], but in the wide mode.
    #[bits(5)]
    pub message_type: u8,
    /// Lanes.
    #[bits(2, from = SimdMode::from_bits, into = SimdMode::into_bits)]
    pub simd_mode: Option<SimdMode>,
    #[bits(10)]
    __: u16,
    /// Parameters are of 16 bits; with older wording, the upper bit of the SIMD mode.
    pub half_parameters: bool,
    /// Results are of 16 bits ("Return Format").
    pub half_results: bool,
    /// The upper bit of the message type where it has six.
    pub message_type_high: bool,
}

kinds!(Sample);

impl Sample {
    /// The message's name at SIMD8 and SIMD16.
    pub const fn operation(self) -> Option<MessageType> {
        MessageType::from_bits(self.message_type() as u32)
    }

    /// The SIMD mode with its upper bit.
    pub const fn whole_simd_mode(self) -> u32 {
        SimdMode::into_bits(self.simd_mode()) | (self.half_parameters() as u32) << 2
    }
}

/// `sample_unorm` of media, in the widest mode (Intel's finalizer).
pub const SAMPLE_UNORM: u8 = 0x0c;

/// A scaled block of pixels (`sample_8x8` with the layout of media), in the widest mode (Intel's finalizer).
pub const SAMPLE_8X8: u8 = 0x0b;

/// Writes the sampler's cache back: message type 31 in the widest mode.
pub fn flush() -> Descriptor {
    Sample::new().with_message_type(FLUSH).with_simd_mode(Some(SimdMode::Simd32)).into()
}

/// The message type of [`flush`].
pub const FLUSH: u8 = 0x1f;
