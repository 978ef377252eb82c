//! What operations are made of that is more than an operand.

use bitfield_struct::bitfield;

use crate::{ids::*, lsc::*, types::ChannelMask};

/// What offsets or addresses a block of owords may have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BlockAlignment {
    /// Multiples of an oword.
    Oword,
    /// Multiples of a dword (`unaligned`).
    Dword,
}

/// Whether a surface that is read is written by others, too.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub enum SurfaceModifier {
    /// It is not.
    #[default]
    None,
    /// It is (`.mod`).
    Modified,
}

/// What a write to a render target has and does (spec `3D_RTWRITE`).
#[bitfield(u16)]
#[derive(PartialEq, Eq)]
pub struct RtWriteMode {
    #[bits(2)]
    __: u8,
    /// An index says which of several targets.
    pub target_index: bool,
    /// Alpha of source 0 is there.
    pub alpha: bool,
    /// An output mask is there.
    pub output_mask: bool,
    /// Depth is there.
    pub depth: bool,
    /// Stencil is there.
    pub stencil: bool,
    /// The last write of the thread.
    pub last_write: bool,
    /// Coarse pixels are counted.
    pub counter: bool,
    /// One result a sample.
    pub per_sample: bool,
    /// One result a coarse pixel.
    pub coarse: bool,
    /// An index says which sample.
    pub sample_index: bool,
    /// There is no target.
    pub null_target: bool,
    #[bits(3)]
    __: u8,
}

impl RtWriteMode {
    pub(crate) const TARGET_INDEX: u16 = 1 << RtWriteMode::TARGET_INDEX_OFFSET;
    pub(crate) const ALPHA: u16 = 1 << RtWriteMode::ALPHA_OFFSET;
    pub(crate) const OUTPUT_MASK: u16 = 1 << RtWriteMode::OUTPUT_MASK_OFFSET;
    pub(crate) const DEPTH: u16 = 1 << RtWriteMode::DEPTH_OFFSET;
    pub(crate) const STENCIL: u16 = 1 << RtWriteMode::STENCIL_OFFSET;
    pub(crate) const COUNTER: u16 = 1 << RtWriteMode::COUNTER_OFFSET;
    pub(crate) const SAMPLE_INDEX: u16 = 1 << RtWriteMode::SAMPLE_INDEX_OFFSET;

    /// The words of assembly, in their order.
    pub(crate) const FLAGS: [(&str, u16); 11] = [
        ("RTI", RtWriteMode::TARGET_INDEX),
        ("A", RtWriteMode::ALPHA),
        ("O", RtWriteMode::OUTPUT_MASK),
        ("Z", RtWriteMode::DEPTH),
        ("ST", RtWriteMode::STENCIL),
        ("LRTW", 1 << RtWriteMode::LAST_WRITE_OFFSET),
        ("CPS", RtWriteMode::COUNTER),
        ("PS", 1 << RtWriteMode::PER_SAMPLE_OFFSET),
        ("CM", 1 << RtWriteMode::COARSE_OFFSET),
        ("SI", RtWriteMode::SAMPLE_INDEX),
        ("NULLRT", 1 << RtWriteMode::NULL_TARGET_OFFSET),
    ];
}

/// What a read of a render target has and brings.
#[bitfield(u16)]
#[derive(PartialEq, Eq)]
pub struct RtReadMode {
    /// One result a sample.
    pub per_sample: bool,
    /// An index says which sample.
    pub sample_index: bool,
    #[bits(14)]
    __: u16,
}

impl RtReadMode {
    pub(crate) const SAMPLE_INDEX: u16 = 1 << RtReadMode::SAMPLE_INDEX_OFFSET;

    /// The words of assembly, in their order.
    pub(crate) const FLAGS: [(&str, u16); 2] =
        [("PS", 1 << RtReadMode::PER_SAMPLE_OFFSET), ("SI", RtReadMode::SAMPLE_INDEX)];
}

/// Lanes of the samples of old.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SampleLanes {
    /// Eight.
    Eight,
    /// Sixteen.
    Sixteen,
}

impl SampleLanes {
    /// How many.
    pub const fn count(self) -> u32 {
        match self {
            SampleLanes::Eight => 8,
            SampleLanes::Sixteen => 16,
        }
    }
}

/// What a raw message waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SendWait {
    /// Nothing but its operands.
    None,
    /// Threads that this one depends on.
    DependentThreads,
}

/// What comes behind a raw message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SendEnd {
    /// The next instruction.
    Continues,
    /// Nothing: the thread ends.
    EndsThread,
}

/// A half of a split barrier.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BarrierHalf {
    /// Waits until all threads have signalled.
    Wait,
    /// Signals that the thread is there.
    Signal,
}

/// What is done at a barrier that has a number (spec `NBARRIER`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NamedBarrierMode {
    /// Waits until all threads have signalled.
    Wait,
    /// Signals, as all of so many threads do, which produce and consume.
    Signal,
    /// Signals, as one of so many producers, or consumers.
    SignalAs,
}

/// What a fence does (spec `FENCE`).
#[bitfield(u8)]
#[derive(PartialEq, Eq)]
pub struct FenceMask {
    /// The thread waits until it is done.
    pub commit: bool,
    /// Which data of the third-level cache go out: from bit 0 on instructions, textures, constants, the rest.
    #[bits(4)]
    pub flush_l3: u8,
    /// Of shared local memory, not of global.
    pub local: bool,
    /// The first-level cache is invalidated.
    pub flush_l1: bool,
    /// Of the compiler alone: instructions do not pass it.
    pub software: bool,
}

impl FenceMask {
    /// Third-level data that are not instructions, textures or constants.
    const FLUSH_DATA: u8 = 8;

    /// Whether these go out of the third-level cache.
    pub const fn flushes_data(self) -> bool {
        self.flush_l3() & FenceMask::FLUSH_DATA != 0
    }

    /// The letters of assembly, in their order.
    pub(crate) const FLAGS: [(&str, FenceMask); 6] = [
        ("E", FenceMask::new().with_commit(true)),
        ("I", FenceMask::new().with_flush_l3(1)),
        ("S", FenceMask::new().with_flush_l3(2)),
        ("C", FenceMask::new().with_flush_l3(4)),
        ("R", FenceMask::new().with_flush_l3(FenceMask::FLUSH_DATA)),
        ("L1", FenceMask::new().with_flush_l1(true)),
    ];
}

crate::types::raw_enum! {
    /// Pixels that the sampler gives media kernels (spec `SAMPLE_UNORM`, `AVS`).
    PixelFormat {
        /// 16 bits of each channel.
        Full16 = 0 => "16-full",
        /// 16 bits, at half the width.
        Downsampled16 = 1 => "16-downsampled",
        /// 8 bits of each channel.
        Full8 = 2 => "8-full",
        /// 8 bits, at half the width.
        Downsampled8 = 3 => "8-downsampled",
    }
}

impl PixelFormat {
    /// Bytes of one channel of a pixel.
    pub const fn channel_bytes(self) -> u32 {
        match self {
            PixelFormat::Full16 | PixelFormat::Downsampled16 => 2,
            PixelFormat::Full8 | PixelFormat::Downsampled8 => 1,
        }
    }
}

crate::types::raw_enum! {
    /// Columns and rows of a scaled block of pixels (spec `AVS`, execution mode).
    AvsBlock {
        /// 16 by 4.
        W16H4 = 0 => "AVS_16x4",
        /// 8 by 4.
        W8H4 = 1 => "AVS_8x4",
        /// 16 by 8.
        W16H8 = 2 => "AVS_16x8",
        /// 4 by 4.
        W4H4 = 3 => "AVS_4x4",
    }
}

impl AvsBlock {
    /// How many pixels it has.
    pub const fn pixels(self) -> u32 {
        match self {
            AvsBlock::W16H4 => 64,
            AvsBlock::W8H4 => 32,
            AvsBlock::W16H8 => 128,
            AvsBlock::W4H4 => 16,
        }
    }
}

crate::types::raw_enum! {
    /// Which records an integer search of motion estimation takes and gives beside its result (spec `VME_IME`, stream mode;
    /// Cm's `VME_STREAM_*`).
    VmeStream {
        /// None.
        None = 0 => "0",
        /// Records come back.
        Out = 1 => "1",
        /// Records go in.
        In = 2 => "2",
        /// Both.
        InOut = 3 => "3",
    }
}

impl VmeStream {
    /// Whether records come back.
    pub const fn comes_back(self) -> bool {
        matches!(self, VmeStream::Out | VmeStream::InOut)
    }

    /// Whether records go in.
    pub const fn goes_in(self) -> bool {
        matches!(self, VmeStream::In | VmeStream::InOut)
    }
}

crate::types::raw_enum! {
    /// How much an integer search looks for, by the numbers of the hardware's field, which Intel's finalizer takes (Cm's
    /// `VME_SEARCH_*`); the specification's text counts 0 to 3.
    VmeSearch {
        /// One reference, one record, one start.
        OneStart = 0 => "0",
        /// One reference, one record, two starts.
        TwoStarts = 1 => "1",
        /// One reference, two records.
        TwoRecords = 3 => "3",
        /// Two references, two records.
        TwoReferences = 7 => "7",
    }
}

/// Which of two values is taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extreme {
    /// The smaller one.
    Min,
    /// The larger one.
    Max,
}

/// Who is called through an address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Callee {
    /// All lanes call the same function.
    Uniform,
    /// Each lane calls the function of its own address.
    PerLane,
}

/// Which end of a variable's life a mark stands at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LifetimeMark {
    /// In front of its first use.
    Start,
    /// Behind its last use.
    End,
}

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
    /// Which lines of a surface a block of pixels has, and who else writes them (spec `MEDIA_LD`, `MEDIA_ST`).
    MediaModifier {
        /// All.
        None = 0 => "nomod",
        /// All; others write it.
        Modified = 1 => "modified",
        /// Those of the top field.
        Top = 2 => "top",
        /// Those of the bottom field.
        Bottom = 3 => "bottom",
        /// Those of the top field; others write it.
        TopModified = 4 => "top_mod",
        /// Those of the bottom field; others write it.
        BottomModified = 5 => "bottom_mod",
    }
}

impl MediaModifier {
    /// Whether it is one field, and then whether that is the bottom one.
    pub const fn bottom_field(self) -> Option<bool> {
        match self {
            MediaModifier::None | MediaModifier::Modified => None,
            MediaModifier::Top | MediaModifier::TopModified => Some(false),
            MediaModifier::Bottom | MediaModifier::BottomModified => Some(true),
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
