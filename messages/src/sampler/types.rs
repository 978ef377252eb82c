//! The messages of the sampler: a row says what a message does, which parameters its payload has in which order, and its
//! words in a listing. Lowering, scheduling, emulator, listing and JSON read it.
//!
//! Sources: volume 7, "Sampling Engine", "Message Types" and the tables of payload parameters (Mesa's
//! `brw_lower_logical_sends.cpp`, `lower_sampler_logical_send`, names the same orders); the words are the reference
//! disassembler's.

use Parameter::*;

use crate::Effect;

/// What a message asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Request {
    /// Filtered texels at coordinates.
    Sample,
    /// The same, and pixels are left out where a texel has the colour of the chroma key.
    KillPixels,
    /// The least or the greatest of the texels that a sample would filter.
    Extreme,
    /// One channel of the four texels around coordinates.
    Gather,
    /// The level of detail that a sample would take.
    Level,
    /// A texel by its integer place.
    Load,
    /// What says where the samples of a pixel are.
    Auxiliary,
    /// Facts about the surface.
    Query,
}

impl Request {
    /// Whether the message goes by a sampler's state.
    pub const fn takes_sampler(self) -> bool {
        !matches!(self, Request::Load | Request::Auxiliary | Request::Query)
    }
}

/// A parameter of a payload: a register of it for each group of lanes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Parameter {
    /// Coordinate.
    U,
    /// Coordinate.
    V,
    /// Coordinate.
    R,
    /// Array index.
    Ai,
    /// Level of detail.
    Lod,
    /// Added to the level of detail.
    Bias,
    /// Compared with the texels.
    Ref,
    /// Gradient of u along x.
    DuDx,
    /// Gradient of u along y.
    DuDy,
    /// Gradient of v along x.
    DvDx,
    /// Gradient of v along y.
    DvDy,
    /// Gradient of r along x.
    DrDx,
    /// Gradient of r along y.
    DrDy,
    /// Offset in texels.
    OffU,
    /// Offset in texels.
    OffV,
    /// Sample of the pixel.
    Si,
    /// Where samples are.
    Mcs,
    /// The lower half of it.
    McsLow,
    /// The upper half of it.
    McsHigh,
}

/// What is known of a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Row {
    /// What it asks for.
    pub form: Request,
    /// Its parameters in the order of the payload (Gen9 on; see [`MessageType::position`]).
    pub parameters: &'static [Parameter],
    /// Its words in a listing.
    pub words: &'static str,
}

const fn row(form: Request, parameters: &'static [Parameter], words: &'static str) -> Row {
    Row { form, parameters, words }
}

impl Row {
    /// Whether the payload has a parameter.
    pub fn has(&self, parameter: Parameter) -> bool {
        self.parameters.contains(&parameter)
    }
}

#[rustfmt::skip]
rows! {
    /// Message types, at SIMD8 and SIMD16. Those of the widest mode are [`WideType`].
    pub enum MessageType: Row {
        /// `sample`.
        Sample = 0x00: row(Request::Sample, &[U, V, R, Ai], "sample"),
        /// `sample_b`: level of detail with a bias.
        SampleBias = 0x01: row(Request::Sample, &[Bias, U, V, R, Ai], "sample+LOD bias"),
        /// `sample_l`: level of detail given.
        SampleLod = 0x02: row(Request::Sample, &[Lod, U, V, R, Ai], "sample override LOD"),
        /// `sample_c`: compared with a reference.
        SampleCompare = 0x03: row(Request::Sample, &[Ref, U, V, R, Ai], "sample compare"),
        /// `sample_d`: gradients given.
        SampleGradient = 0x04: row(Request::Sample, &[U, DuDx, DuDy, V, DvDx, DvDy, R, DrDx, DrDy, Ai], "sample gradient"),
        /// `sample_b_c`.
        SampleBiasCompare = 0x05: row(Request::Sample, &[Ref, Bias, U, V, R, Ai], "sample compare+LOD bias"),
        /// `sample_l_c`.
        SampleLodCompare = 0x06: row(Request::Sample, &[Ref, Lod, U, V, R, Ai], "sample compare+override LOD"),
        /// `ld`: a texel by its integer place.
        Load = 0x07: row(Request::Load, &[U, V, Lod, R], "sample load"),
        /// `gather4`.
        Gather4 = 0x08: row(Request::Gather, &[U, V, R, Ai], "sample gather4"),
        /// `lod`: the level of detail itself.
        Lod = 0x09: row(Request::Level, &[U, V, R, Ai], "sample override lod"),
        /// `resinfo`.
        ResInfo = 0x0a: row(Request::Query, &[Lod], "sample res info"),
        /// `sampleinfo`.
        SampleInfo = 0x0b: row(Request::Query, &[], "sample info"),
        /// `sample+killpix`.
        SampleKillPix = 0x0c: row(Request::KillPixels, &[U, V, R, Ai], "sample+killpix"),
        /// `gather4_c`.
        Gather4Compare = 0x10: row(Request::Gather, &[Ref, U, V, R, Ai], "sample gather4+compare"),
        /// `gather4_po`: offsets a pixel.
        Gather4Offsets = 0x11: row(Request::Gather, &[U, V, OffU, OffV, R], "sample gather4+pixel offset"),
        /// `gather4_po_c`.
        Gather4OffsetsCompare = 0x12: row(Request::Gather, &[Ref, U, V, OffU, OffV, R], "sample gather4 pixel offset+compare"),
        /// `sample_d_c`.
        SampleGradientCompare = 0x14: row(Request::Sample, &[Ref, U, DuDx, DuDy, V, DvDx, DvDy, R, DrDx, DrDy, Ai], "sample derivatives+compare"),
        /// `sample_min`.
        SampleMin = 0x16: row(Request::Extreme, &[U, V, R, Ai], "sample min"),
        /// `sample_max`.
        SampleMax = 0x17: row(Request::Extreme, &[U, V, R, Ai], "sample max"),
        /// `sample_lz`: level of detail 0.
        SampleLodZero = 0x18: row(Request::Sample, &[U, V, R, Ai], "sample with lod forced to 0"),
        /// `sample_c_lz`.
        SampleCompareLodZero = 0x19: row(Request::Sample, &[Ref, U, V, R, Ai], "sample compare+with lod forced to 0"),
        /// `ld_lz`.
        LoadLodZero = 0x1a: row(Request::Load, &[U, V, R], "sample load with lod forced to 0"),
        /// `ld2dms_w`.
        LoadMultiSampleWide = 0x1c: row(Request::Load, &[Si, McsLow, McsHigh, U, V, R, Lod], "sample ld2 multi-sample wide"),
        /// `ld_mcs`.
        LoadAuxiliary = 0x1d: row(Request::Auxiliary, &[U, V, R, Lod], "sample load mcs auxiliary data"),
        /// `ld2dms`.
        LoadMultiSample = 0x1e: row(Request::Load, &[Si, Mcs, U, V, R, Lod], "sample load multi-sample"),
        /// `ld2dss`.
        LoadWithoutAuxiliary = 0x1f: row(Request::Load, &[Si, U, V, R, Lod], "sample multi-sample without mcs"),
    }
}

impl MessageType {
    /// Where a parameter stands in the payload; `level_after_u`: as before Gen9, where loads have their level there.
    pub fn position(self, parameter: Parameter, level_after_u: bool) -> Option<usize> {
        const LOAD: &[Parameter] = &[U, Lod, V, R];
        let parameters = match self {
            MessageType::Load if level_after_u => LOAD,
            other => other.row().parameters,
        };
        parameters.iter().position(|p| *p == parameter)
    }
}

/// What is known of a message in the widest mode.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WideRow {
    /// What it does.
    pub effect: Effect,
    /// Its words in a listing.
    pub words: &'static str,
}

const fn wide(effect: Effect, words: &'static str) -> WideRow {
    WideRow { effect, words }
}

#[rustfmt::skip]
rows! {
    /// Message types in the widest mode: blocks of pixels, and the cache itself.
    pub enum WideType: WideRow {
        /// `sample_unorm`.
        Unorm = 0x00: wide(Effect::Load, "sample unorm"),
        /// `sample_unorm+killpix`.
        UnormKillPix = 0x02: wide(Effect::Load, "sample unorm+killpix"),
        /// `deinterlace`.
        Deinterlace = 0x08: wide(Effect::Load, "sample deinterlace"),
        /// `sample_unorm+killpix`, with the layout of media.
        MediaUnormKillPix = 0x0a: wide(Effect::Load, "sample unorm+killpix for media"),
        /// `sample_8x8`: a scaled block of pixels, with the layout of media (as Intel's finalizer sends it).
        Sample8x8 = 0x0b: wide(Effect::Load, "sample 8x8"),
        /// `sample_unorm`, with the layout of media (as Intel's finalizer sends it).
        MediaUnorm = 0x0c: wide(Effect::Load, "sample unorm for media"),
        /// Writes the sampler's cache back.
        Flush = 0x1f: wide(Effect::Order, "sampler cache flush"),
    }
}
