//! The render cache: render targets (volume 7, "Render Target Write", "Render Target Read").

use crate::SurfaceIndex;
use bitfield_struct::bitfield;

codes! {
    /// Message types.
    pub enum RenderMessageType {
        /// Writes pixels.
        RenderTargetWrite = 12,
        /// Reads pixels.
        RenderTargetRead = 13,
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

kinds!(RenderTarget);
