//! The sampler (volume 7, "Sampling Engine", "Message Descriptor - Sampling Engine").

mod types;

pub use types::{MessageType, Parameter, Request, Row, WideRow, WideType};

use crate::{Descriptor, Effect, SurfaceIndex};
use bitfield_struct::bitfield;
use narrow::{as_index, const_u8, const_u16, wide_u8};

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
    /// What is done: a code of [`MessageType`], in the widest mode one of [`WideType`].
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

kinds!(Descriptor: Sample);

impl Sample {
    /// A message of eight or sixteen lanes.
    pub const fn to(message: MessageType) -> Sample {
        Sample::new().with_message_type(const_u8(as_index(message.code())))
    }

    /// A message in the widest mode.
    pub const fn wide(message: WideType) -> Sample {
        let wide = Sample::new().with_simd_mode(Some(SimdMode::Simd32));
        wide.with_message_type(const_u8(as_index(message.code())))
    }

    /// What is done with eight or sixteen lanes.
    pub const fn operation(self) -> Option<MessageType> {
        match self.simd_mode() {
            Some(SimdMode::Simd32) => None,
            _ => MessageType::from_bits(wide_u8(self.message_type())),
        }
    }

    /// What is done in the widest mode.
    pub const fn wide_operation(self) -> Option<WideType> {
        match self.simd_mode() {
            Some(SimdMode::Simd32) => WideType::from_bits(wide_u8(self.message_type())),
            _ => None,
        }
    }

    /// Whether nothing but reading happens.
    pub const fn only_reads(self) -> bool {
        match (self.operation(), self.wide_operation()) {
            // One that leaves pixels out changes the mask of the thread.
            (Some(message), _) => !matches!(message.row().form, Request::KillPixels),
            (None, Some(message)) => matches!(message.row().effect, Effect::Load),
            (None, None) => false,
        }
    }

    /// Whether the message is known to go by a sampler's state.
    pub const fn takes_sampler(self) -> bool {
        matches!(self.operation(), Some(message) if message.row().form.takes_sampler())
    }

    /// The SIMD mode with its upper bit.
    pub const fn whole_simd_mode(self) -> u32 {
        SimdMode::into_bits(self.simd_mode()) | if self.half_parameters() { 4 } else { 0 }
    }
}

/// The third dword of a header (volume 7, "Sampling Engine", "Message Header").
#[bitfield(u32)]
#[derive(PartialEq, Eq)]
pub struct HeaderControl {
    /// Offset of r in texels, four bits and signed as the other two.
    #[bits(4)]
    pub offset_r: u8,
    /// Offset of v.
    #[bits(4)]
    pub offset_v: u8,
    /// Offset of u.
    #[bits(4)]
    pub offset_u: u8,
    /// Channels that do not come back, red first.
    #[bits(4)]
    pub disabled_channels: u8,
    /// The channel of a gather.
    #[bits(2)]
    pub gather_channel: u8,
    /// Format of a block of pixels.
    #[bits(2)]
    pub output_format: u8,
    #[bits(3)]
    __: u8,
    /// Behind the channels comes a word that says which pixels have memory.
    pub pixel_null_mask: bool,
    #[bits(8)]
    __: u8,
}

impl HeaderControl {
    /// The offsets as vISA has them, in twelve bits.
    pub const fn with_offsets(self, offsets: u32) -> HeaderControl {
        HeaderControl::from_bits(
            self.into_bits() & !HeaderControl::OFFSETS | offsets & HeaderControl::OFFSETS,
        )
    }

    /// The offsets as vISA has them.
    pub const fn offsets(self) -> u32 {
        self.into_bits() & HeaderControl::OFFSETS
    }

    /// All that says how a block of pixels comes back: channels left out, and the format.
    pub const fn block_format(self) -> u32 {
        wide_u8(self.disabled_channels()) | wide_u8(self.output_format()) << 6
    }

    const OFFSETS: u32 = 0xfff;
}

/// How `sample_8x8` scales a block of pixels: the last dword of the payload that says where the block is.
#[bitfield(u32)]
#[derive(PartialEq, Eq)]
pub struct PixelBlock {
    /// The group that the block is one of.
    #[bits(25)]
    pub group: u32,
    /// How many pixels: 16x4, 8x4, 16x8, 4x4.
    #[bits(2)]
    pub mode: u8,
    /// Sharpening ("IEF") is passed by.
    pub bypass: bool,
    #[bits(4)]
    __: u8,
}

impl PixelBlock {
    /// Where it stands in the payload.
    pub const DWORD: u32 = 7;
    /// How far up the bypass stands.
    pub const BYPASS_SHIFT: u16 = const_u16(PixelBlock::BYPASS_OFFSET);
}

/// Writes the sampler's cache back.
pub fn flush() -> Descriptor {
    Sample::wide(WideType::Flush).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_agree_with_themselves() {
        for message in MessageType::ALL {
            let row = message.row();
            let compares = row.has(Parameter::Ref);
            assert_eq!(compares, row.words.contains("compare"), "{message:?}");
            let gradients = row.has(Parameter::DuDx);
            assert_eq!(
                gradients,
                matches!(message, MessageType::SampleGradient | MessageType::SampleGradientCompare)
            );
            assert_eq!(Sample::to(*message).operation(), Some(*message));
        }
        for message in WideType::ALL {
            assert_eq!(Sample::wide(*message).wide_operation(), Some(*message));
        }
        assert_eq!(MessageType::Load.position(Parameter::V, true), Some(2));
        assert_eq!(MessageType::Load.position(Parameter::V, false), Some(1));
    }
}
