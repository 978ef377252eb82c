//! Video motion estimation and its check and refinement engine (volume 8, "Media VDBOX and VME", "Message
//! Descriptor"; the forms are those that Intel's finalizer makes).

use crate::SurfaceIndex;
use bitfield_struct::bitfield;

codes! {
    /// What the engines do. Prediction and integer search are motion estimation's, refinement is the check and
    /// refinement engine's.
    pub enum MotionMessageType {
        /// The intra prediction and distortion of a macro block (`vme_idm`).
        Distortion = 0,
        /// Skip and intra check (`vme_sic`).
        SkipCheck = 1,
        /// Search of integer motion vectors (`vme_ime`).
        IntegerSearch = 2,
        /// Fractional and bidirectional refinement (`vme_fbr`).
        Refinement = 3,
    }
}

/// A message of motion estimation.
#[bitfield(u32)]
#[derive(PartialEq, Eq)]
pub struct MotionEstimation {
    /// The picture; the references have the indices behind it.
    #[bits(8, from = SurfaceIndex::from_bits, into = SurfaceIndex::into_bits)]
    pub surface: SurfaceIndex,
    #[bits(5)]
    __: u8,
    /// What is done.
    #[bits(2, from = MotionMessageType::from_bits, into = MotionMessageType::into_bits)]
    pub message_type: Option<MotionMessageType>,
    /// The best vectors so far come back, too (`vme_ime`).
    pub stream_out: bool,
    /// The payload has the best vectors so far (`vme_ime`).
    pub stream_in: bool,
    #[bits(15)]
    __: u32,
}

kinds!(Descriptor: MotionEstimation);
