//! The render cache: render targets (volume 7, "Render Target Write", "Render Target Read").

use crate::SurfaceIndex;
use bitfield_struct::bitfield;
use narrow::const_u16;

codes! {
    /// Message types.
    pub enum RenderMessageType {
        /// Writes pixels.
        RenderTargetWrite = 12,
        /// Reads pixels.
        RenderTargetRead = 13,
    }
}

codes! {
    /// Which pixels a write has, in what form ("Message Sub-type" of "Render Target Write"). A native width is that of a
    /// register's dwords.
    pub enum WriteSubtype {
        /// Twice the native width, from one source.
        Wide = 0,
        /// The same, all of one color.
        Replicated = 1,
        /// The lower ones of twice the native width, from two sources.
        LowOfTwoSources = 2,
        /// The upper ones of these.
        HighOfTwoSources = 3,
        /// The native width, from one source: the lower pixels.
        Narrow = 4,
    }
}

/// A render target message.
#[bitfield(u32)]
pub struct RenderTarget {
    /// The surface.
    #[bits(8, from = SurfaceIndex::from_bits, into = SurfaceIndex::into_bits)]
    pub surface: SurfaceIndex,
    /// Which pixels, in what form ("Message Sub-type").
    #[bits(3)]
    pub subtype: u8,
    /// The upper half of the slots.
    pub slot_group_high: bool,
    /// The last write of the thread.
    pub last_render_target: bool,
    /// One result a sample.
    pub per_sample: bool,
    /// Message type.
    #[bits(4, from = RenderMessageType::from_bits, into = RenderMessageType::into_bits)]
    pub message_type: Option<RenderMessageType>,
    /// One result a coarse pixel.
    pub per_coarse_pixel: bool,
    #[bits(11)]
    __: u16,
    /// Data are half floats.
    pub half_precision: bool,
    #[bits(1)]
    __: u8,
}

kinds!(Descriptor: RenderTarget);

impl RenderTarget {
    /// Which pixels a write has.
    pub const fn write_subtype(self) -> Option<WriteSubtype> {
        WriteSubtype::from_bits(narrow::wide_u8(self.subtype()))
    }

    /// The message with the pixels of a write.
    pub const fn with_write_subtype(self, subtype: WriteSubtype) -> RenderTarget {
        self.with_subtype(narrow::const_u8(narrow::as_index(subtype.code())))
    }
}

/// What the extended descriptor of a write says of its target ("Extended Function Control").
#[bitfield(u32)]
pub struct TargetControl {
    #[bits(1)]
    __: u8,
    /// Which of several targets, where no header says it.
    #[bits(3)]
    pub target: u8,
    #[bits(5)]
    __: u8,
    /// There is no target.
    pub null_target: bool,
    #[bits(22)]
    __: u32,
}

/// The first dword of a header ("MHC_RT_C0"): the sample, and what the payload has beside colors.
#[bitfield(u32)]
pub struct TargetHeader {
    #[bits(6)]
    __: u8,
    /// The sample. (As far as the field in front of the next one that is known here could reach.)
    #[bits(5)]
    pub sample: u8,
    /// Alpha of source 0.
    pub alpha_present: bool,
    /// An output mask.
    pub mask_present: bool,
    /// Depth.
    pub depth_present: bool,
    /// Stencil.
    pub stencil_present: bool,
    #[bits(17)]
    __: u32,
}

impl TargetHeader {
    /// How far left the sample stands.
    pub const SAMPLE_SHIFT: u16 = const_u16(TargetHeader::SAMPLE_OFFSET);
    /// The dword of the header that names one of several targets.
    pub const TARGET_DWORD: u32 = 2;
    /// The word of the header's second register that says which pixels are written.
    pub const PIXEL_MASK_WORD: u32 = 14;
}
