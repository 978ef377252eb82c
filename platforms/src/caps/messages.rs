//! What messages there are, and how they are sent.

/// Messages in general.
#[derive(Clone, Copy, Debug)]
pub struct Sends {
    /// The shared function messages are split: two payload ranges.
    pub split: bool,
    /// Those that are have an opcode of their own, `sends` (volume 2a); otherwise every `send` has room for two ranges.
    pub split_opcode: bool,
    /// Shared functions 1 and 13 to 15 are those of the load/store cache, 7 and 8 those of ray tracing (Intel's finalizer,
    /// `intToSFID`).
    pub late_functions: bool,
    /// Registers of the payload at most, of its first part where messages are split ("Message Length" in volume 7,
    /// "Message Descriptor", has four bits).
    pub payload_most: u8,
    /// Registers of the second part at most, 0 where there is none ("Extended Message Length" in volume 7, "Extended Message
    /// Descriptor", has bits 9:6, from Tiger Lake on bits 10:6).
    pub second_most: u8,
    /// Registers of the response at most ("Response Length" in volume 7, "Message Descriptor", has five bits).
    pub response_most: u8,
    /// The word says how long the second payload is, not an immediate extended descriptor.
    pub length_in_word: bool,
    /// A register may hold the offset of a surface's state where an extended descriptor would be, and the word says so and
    /// what else that would say (`ExBSO`, `CPS`).
    pub surface_offsets: bool,
    /// The extended descriptor says which shared function a message goes to and whether the thread ends, an immediate one
    /// with four bits of the second payload's length and nothing else; elsewhere the word does.
    pub function_in_descriptor: bool,
    /// A `send` whose response reaches r127 may read what it overwrites (Gen8 to Gen11 must not).
    pub to_r127: bool,
    /// Of a descriptor in a register the hardware takes bits 0 to 28: that data are half floats (bit 30) stands in the word,
    /// where the type of the destination or the payload puts it (Intel, visa/BinaryEncoding.cpp,
    /// `EncodeSendMsgDesc29_30`; BinaryEncodingIGA.cpp, `translateInstructionDst`).
    pub half_by_type: bool,
    /// A response must not meet the payload of its message: such a message may be sent again.
    pub responses_apart: bool,
    /// A render target's index stands in the extended descriptor, where there is no header for other reasons.
    pub target_in_descriptor: bool,
    /// An extended descriptor says that there is no render target.
    pub null_target: bool,
}

impl Sends {
    /// Every message has room for two payload ranges.
    pub const fn always_split(&self) -> bool {
        self.split && !self.split_opcode
    }

    /// An extended descriptor may be in a register: that of a split message (volume 2a, "sends").
    pub const fn extended_in_register(&self) -> bool {
        self.split
    }
}

/// Which threads must not end before what they wrote has arrived (Intel, `insertFenceBeforeEOT`, and the workaround
/// Wa_1807084924 of its tables in `skuwa`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EndFence {
    /// None.
    Never,
    /// Those of Cm kernels that have written to the data cache other than texels.
    CmData,
    /// All that have written anything, shared local memory included.
    Always,
}

/// Messages to memory.
#[derive(Clone, Copy, Debug)]
pub struct Memory {
    /// The shared functions of the load/store cache exist (`ugm`, `slm`, ...), and what vISA has for them (Intel's finalizer,
    /// `supportsLSC`). The data caches of before are there, too: scratch blocks still go to them.
    pub lsc: bool,
    /// Data caches have what came with Xe-HPC: blocks of 16 owords, aligned blocks of hwords, messages on compression to the
    /// read-only one (measured with the reference assembler, which calls them invalid elsewhere).
    pub late_data_cache: bool,
    /// The header of a block without a surface has the identifier that fixed functions gave the thread (measured: Intel's
    /// finalizer copies it from `r0.5` up to Tiger Lake).
    pub thread_in_header: bool,
    /// Byte scattered messages, and untyped ones to stateless memory, carry a header.
    pub scattered_header: bool,
    /// Typed messages carry a header with the pixel sample mask.
    pub typed_header: bool,
    /// A64 scattered messages move 8 single bytes per lane (`svm_gather` of 8 bytes).
    pub a64_gather_8_bytes: bool,
    /// Shared local memory is fenced by its own fence message.
    pub slm_fence: bool,
    /// What a walker says of a group's shared local memory is its size in pages of 4 KB, not a code for it
    /// (volume 2d, "INTERFACE_DESCRIPTOR_DATA").
    pub slm_pages: bool,
    /// "Surface QPitch" counts texels where a surface has one dimension, and holds where it has three. Elsewhere it counts
    /// rows of arrays alone: slices of a volume lie behind each other, each with its rows and those that align it
    /// (volume 2d, "RENDER_SURFACE_STATE"; volume 5, "Memory Views").
    pub qpitch_by_dimensions: bool,
    /// Fences say which parts of the third-level cache go out, as `fence` asks (Intel's finalizer, `noL3Flush`).
    pub fence_flushes: bool,
    /// A memory fence must ask for a commit that the thread waits for.
    pub fence_commit: bool,
    /// Whose threads fence the memory that they have written before they end.
    pub fence_before_eot: EndFence,
    /// Scattered messages of qwords to surfaces exist (`qw_gather`, `qw_scatter`).
    pub surface_qwords: bool,
    /// Atomic messages of words exist (vISA specification, DWORD_ATOMIC, "{TGLLP+}"; Mesa, brw_eu.h, the same from Gen12 on). On
    /// others their numbers are of the SIMD4x2 messages, or nobody's.
    pub word_atomics: bool,
    /// Binding table indices of the surfaces that vISA calls `T1` and `T2` (Intel's finalizer, visa/Common_ISA.h,
    /// `PREDEFINED_SURF`, which keeps the numbers of Gen8 with `_OLD` behind the name).
    pub stack_surfaces: [u8; 2],
    /// Scratch memory is a surface, whose state `r0.5` names in bits 31:10. Elsewhere those bits are the address
    /// of the thread's part, and a message may have them advanced. (Intel's finalizer, `hasScratchSurface`.)
    pub scratch_surface: bool,
    /// Bytes of scratch memory that a thread has at most (Intel's finalizer, `getMaxPTSS`).
    pub scratch_most: u32,
}

/// The sampler.
#[derive(Clone, Copy, Debug)]
pub struct Sampler {
    /// A sampler exists.
    pub exists: bool,
    /// Bit 0 of the header's dword 3 says that the sampler is bindless (Intel's finalizer, `hasBindlessSampler`).
    pub bindless: bool,
    /// Sampler messages always carry a header.
    pub header: bool,
    /// Parameters may be half floats (vISA specification, 3D_SAMPLE: from Ice Lake on).
    pub half_parameters: bool,
    /// Samplers return only the first channels without a header, by the response's length.
    pub short_responses: bool,
    /// `ld` has its level of detail behind u (`false`: behind v).
    pub level_after_u: bool,
    /// The codes of a message's lanes mean what they do since Xe-HPC (measured with the reference assembler, which also has
    /// other words for them).
    pub late_modes: bool,
    /// Video motion estimation and analytics exist.
    pub media: bool,
    /// Video analytics have their later functions.
    pub media_plus: bool,
    /// The bit of the extended descriptor that compensates the level of detail for coarse pixels, where there is one (Intel's
    /// finalizer, visa/BuildIRImpl.cpp, `CPS_LOD_COMPENSATION_ENABLE`).
    pub cps: Option<u8>,
    /// Where the extended descriptor is no register, a bit of the message's word does (Intel's finalizer, `SetExtMsgDescr` and
    /// `bitsExDescCPSLOD`).
    pub cps_in_word: bool,
}
