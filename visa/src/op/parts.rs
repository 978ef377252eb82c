//! What operations are made of that is more than an operand.

use crate::{ids::*, lsc::*, operand::*, types::ChannelMask};

/// Variable of a lifetime mark.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LifetimeVar {
    /// General variable.
    General(VarId),
    /// Address variable.
    Address(AddrId),
    /// Predicate variable.
    Predicate(PredId),
}

/// Data shape of an LSC access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LscShape {
    /// Size of a datum.
    pub size: LscDataSize,
    /// Transposed or not.
    pub order: LscOrder,
    /// Data per address; [`LscElems::X1`] if a channel mask counts instead.
    pub elems: LscElems,
    /// Channels, for the quad operations.
    pub channels: Option<ChannelMask>,
}

impl LscShape {
    /// Data per address: vector length or number of channels.
    pub const fn per_address(&self) -> u32 {
        match self.channels {
            Some(mask) => mask.count(),
            None => self.elems.count(),
        }
    }
}

/// LSC load, store or atomic.
#[derive(Clone, Copy, Debug)]
pub struct Lsc<'a> {
    /// Operation.
    pub op: LscOp,
    /// Shared function.
    pub sfid: LscSfid,
    /// L1 and L3 cache control.
    pub cache: [LscCache; 2],
    /// Address model.
    pub addr_type: LscAddrType,
    /// Factor on the address (0 and 1: none).
    pub addr_scale: u16,
    /// Bytes added to the address.
    pub addr_offset: i32,
    /// Address width.
    pub addr_size: LscAddrSize,
    /// Data shape.
    pub shape: LscShape,
    /// Surface (binding table index, surface state offset); ignored for flat addresses.
    pub surface: &'a VectorOperand,
    /// Surface state index.
    pub surface_index: u32,
    /// Data read, or null.
    pub dst: RawOperand,
    /// Addresses, or the base address of a strided access.
    pub addr: RawOperand,
    /// Bytes between lanes of a strided access.
    pub pitch: Option<&'a VectorOperand>,
    /// Data written, first atomic operand.
    pub src1: RawOperand,
    /// Second atomic operand (new value of a compare and swap).
    pub src2: RawOperand,
}

/// LSC two-dimensional block load or store (prefetch if the destination is null).
#[derive(Clone, Copy, Debug)]
pub struct LscBlock2d<'a> {
    /// Operation.
    pub op: LscOp,
    /// Shared function.
    pub sfid: LscSfid,
    /// L1 and L3 cache control.
    pub cache: [LscCache; 2],
    /// Size of a datum.
    pub size: LscDataSize,
    /// Transposed or not.
    pub order: LscOrder,
    /// Blocks.
    pub blocks: u8,
    /// Elements per row.
    pub width: u16,
    /// Rows.
    pub height: u16,
    /// VNNI transform.
    pub vnni: bool,
    /// Data read, or null.
    pub dst: RawOperand,
    /// Surface base, width, height, pitch, x, y.
    pub addr: [&'a VectorOperand; 6],
    /// Data written, or null.
    pub src1: RawOperand,
}

/// LSC typed access.
#[derive(Clone, Copy, Debug)]
pub struct LscTyped<'a> {
    /// Operation.
    pub op: LscOp,
    /// L1 and L3 cache control.
    pub cache: [LscCache; 2],
    /// Address model.
    pub addr_type: LscAddrType,
    /// Address width.
    pub addr_size: LscAddrSize,
    /// Data shape.
    pub shape: LscShape,
    /// Surface.
    pub surface: &'a VectorOperand,
    /// Surface state index.
    pub surface_index: u32,
    /// Data read, or null.
    pub dst: RawOperand,
    /// U, V, R and level of detail (null from the first missing one on).
    pub coords: [RawOperand; 4],
    /// Added to U, V, R.
    pub offsets: [i32; 3],
    /// Data written, first atomic operand.
    pub src1: RawOperand,
    /// Second atomic operand.
    pub src2: RawOperand,
}

/// LSC typed two-dimensional block.
#[derive(Clone, Copy, Debug)]
pub struct LscTypedBlock2d<'a> {
    /// Operation.
    pub op: LscOp,
    /// L1 and L3 cache control.
    pub cache: [LscCache; 2],
    /// Address model.
    pub addr_type: LscAddrType,
    /// Bytes per row.
    pub width: u16,
    /// Rows.
    pub height: u16,
    /// Surface.
    pub surface: &'a VectorOperand,
    /// Surface state index.
    pub surface_index: u32,
    /// Data read, or null.
    pub dst: RawOperand,
    /// X and Y offset.
    pub offsets: [&'a VectorOperand; 2],
    /// Data written, or null.
    pub src1: RawOperand,
}

/// LSC append counter.
#[derive(Clone, Copy, Debug)]
pub struct LscAppend<'a> {
    /// Operation.
    pub op: LscOp,
    /// Shared function.
    pub sfid: LscSfid,
    /// L1 and L3 cache control.
    pub cache: [LscCache; 2],
    /// Address model.
    pub addr_type: LscAddrType,
    /// Data shape.
    pub shape: LscShape,
    /// Surface.
    pub surface: &'a VectorOperand,
    /// Surface state index.
    pub surface_index: u32,
    /// Old value.
    pub dst: RawOperand,
    /// Data.
    pub src1: RawOperand,
}

/// Sampler access.
#[derive(Clone, Copy, Debug)]
pub struct Sample<'a> {
    /// Operation (spec `3D_SAMPLE`, `3D_LOAD`, `3D_SAMPLE4`): 0 `sample_3d`, 2 `sample_l`, 7 `load_3d`, 24
    /// `sample_lz`, ...
    pub op: u8,
    /// Pixels that are not resident return a mask.
    pub pixel_null_mask: bool,
    /// Coarse pixel level-of-detail compensation.
    pub cps: bool,
    /// The sampler differs between lanes.
    pub non_uniform_sampler: bool,
    /// Channels (for gather4 the one channel's number).
    pub channels: u8,
    /// Packed texel offsets.
    pub aoffimmi: &'a VectorOperand,
    /// Sampler, absent for loads.
    pub sampler: Option<SamplerId>,
    /// Surface.
    pub surface: SurfaceId,
    /// Destination.
    pub dst: RawOperand,
    /// Paired surface, or null.
    pub paired: RawOperand,
    /// Parameters: coordinates, bias, reference, ... in the order of the operation.
    pub params: Raws<'a>,
}

/// Render target write.
#[derive(Clone, Copy, Debug)]
pub struct RtWrite<'a> {
    /// Mode bits: 2 target index, 3 source 0 alpha, 4 output mask, 5 depth, 6 stencil, 7 last write, 8
    /// counter, 9 per sample, 10 coarse, 11 sample index, 12 null target.
    pub mode: u16,
    /// Surface.
    pub surface: SurfaceId,
    /// Header.
    pub header: RawOperand,
    /// Sample index.
    pub sample_index: Option<&'a VectorOperand>,
    /// Coarse pixel counter.
    pub counter: Option<&'a VectorOperand>,
    /// Render target index.
    pub target: Option<&'a VectorOperand>,
    /// Source 0 alpha.
    pub alpha0: Option<RawOperand>,
    /// Output mask.
    pub output_mask: Option<RawOperand>,
    /// Red, green, blue, alpha.
    pub color: [RawOperand; 4],
    /// Depth.
    pub depth: Option<RawOperand>,
    /// Stencil.
    pub stencil: Option<RawOperand>,
}

crate::types::raw_enum! {
    /// Element precision of `dpas`.
    Precision {
        /// Unsigned 1 bit.
        U1 = 1 => "u1",
        /// Signed 1 bit.
        S1 = 2 => "s1",
        /// Unsigned 2 bits.
        U2 = 3 => "u2",
        /// Signed 2 bits.
        S2 = 4 => "s2",
        /// Unsigned 4 bits.
        U4 = 5 => "u4",
        /// Signed 4 bits.
        S4 = 6 => "s4",
        /// Unsigned 8 bits.
        U8 = 7 => "u8",
        /// Signed 8 bits.
        S8 = 8 => "s8",
        /// Bfloat16.
        BF16 = 9 => "bf",
        /// Half.
        FP16 = 10 => "hf",
        /// Bfloat8.
        BF8 = 11 => "bf8",
        /// TensorFloat32.
        TF32 = 12 => "tf32",
        /// E4M3.
        HF8 = 14 => "hf8",
        /// E2M1.
        E2M1 = 15 => "e2m1",
    }
}

impl Precision {
    /// Bits of an element.
    pub const fn bits(self) -> u32 {
        match self {
            Precision::U1 | Precision::S1 => 1,
            Precision::U2 | Precision::S2 => 2,
            Precision::U4 | Precision::S4 | Precision::E2M1 => 4,
            Precision::U8 | Precision::S8 | Precision::BF8 | Precision::HF8 => 8,
            Precision::BF16 | Precision::FP16 => 16,
            _ => 32,
        }
    }

    /// Elements of each that a stage takes of weights and activations of two precisions (specification, DPAS:
    /// `OPS_PER_CHAN`).
    pub const fn elements_of_stage(weight: Precision, activation: Precision) -> u32 {
        match (weight.bits(), activation.bits()) {
            (wide @ 16.., _) => 32 / wide,
            (8, _) | (_, 8) => 4,
            _ => 8,
        }
    }

    /// Dwords of each channel that so many stages take of the weights.
    pub const fn weight_dwords(weight: Precision, activation: Precision, depth: u32) -> u32 {
        (depth * Precision::elements_of_stage(weight, activation) * weight.bits()).div_ceil(32)
    }
}
