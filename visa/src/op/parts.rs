//! What operations are made of that is more than an operand.

use crate::{ids::*, lsc::*, types::ChannelMask};

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
