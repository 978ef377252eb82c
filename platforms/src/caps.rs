//! The row of a platform, and the rows inside it.

use crate::{Latencies, Platform};

/// The family of layouts that a platform's instruction words are of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Layout {
    /// Gen8 to Gen11.
    Gen8,
    /// Gen12 and later.
    Xe,
}

/// The layout of a platform's instruction words, compacted ones too: the family, and which of its layouts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// Gen8 to Gen11.
    Gen8(Gen8Format),
    /// Gen12 and later.
    Xe(XeFormat),
}

/// A layout of Gen8 to Gen11.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Gen8Format {
    /// Broadwell: `send` has an ordinary second source.
    Gen8,
    /// Low-power Gen8: Broadwell's, but Align16 ternary sources may mix float types, and `send` is not compacted.
    Gen8Lp,
    /// Skylake: split sends; Align16 ternary sources may mix float types.
    Gen9,
    /// Ice Lake: other codes of types; ternary instructions in Align1.
    Gen11,
}

/// A layout of Gen12 and later, all of whose fields stand in another order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum XeFormat {
    /// Tiger Lake.
    Gen12,
    /// Xe-HPG: words as Tiger Lake's (measured with the reference assembler, but for messages, whose words say how long
    /// the second payload is). Which of them have a compacted form is not known here, so none is compacted.
    XeHpg,
    /// Ponte Vecchio: wider flag and scoreboard fields; subregisters and address offsets count in words.
    XeHpc,
}

impl Format {
    /// The family.
    pub const fn layout(self) -> Layout {
        match self {
            Format::Gen8(_) => Layout::Gen8,
            Format::Xe(_) => Layout::Xe,
        }
    }
}

/// What one platform can do. Sizes are in bytes unless the name says otherwise.
#[derive(Clone, Debug)]
pub struct Caps {
    /// The platform this row describes.
    pub platform: Platform,
    /// The name users type (`--platform skl`).
    pub name: &'static str,
    /// Other names that users may type.
    pub aliases: &'static [&'static str],
    /// The name that people know, and the generation.
    pub title: &'static str,
    /// Products that run the platform's code, by the numbers that compiled programs carry: `PRODUCT_FAMILY` of
    /// Intel's graphics compiler (`inc/common/igfxfmid.h`). The first is the one that the row is measured on.
    pub products: &'static [u32],
    /// Value of `gen_binary_info.gen_platform` as Intel's compilers write it.
    pub gen_platform: u8,
    /// Values there of early steppings, and of GPUs without a row that run this one's code.
    pub other_gen_platforms: &'static [u8],
    /// The platform whose instruction set this one shares, if there is one. Its test kernels, and Intel's code of them, serve
    /// for this platform, too; and a table by platform that names it means this platform as well.
    pub like: Option<Platform>,
    /// Intel's finalizer's `-platform` argument.
    pub genx_name: &'static str,
    /// iga64's `-p=` argument.
    pub iga_name: &'static str,
    /// The platform's name in iga64's JSON.
    pub iga_json_name: &'static str,
    /// What the 128-bit words can say.
    pub words: Words,
    /// The registers of a thread.
    pub regs: Registers,
    /// Which operations and types the units have.
    pub ops: Operations,
    /// Which walks over registers, and which mixtures of types, operands may have.
    pub regions: Regions,
    /// Control flow.
    pub flow: Flow,
    /// Who tracks dependencies between instructions.
    pub scoreboard: Scoreboard,
    /// Messages in general.
    pub sends: Sends,
    /// Messages to memory.
    pub memory: Memory,
    /// The sampler.
    pub sampler: Sampler,
    /// How long results take.
    pub latencies: Latencies,
    /// How a thread starts, meets others and ends.
    pub thread: Thread,
}

/// What the 128-bit words can say.
#[derive(Clone, Copy, Debug)]
pub struct Words {
    /// Where the fields of words stand, and what their codes mean.
    pub format: Format,
    /// Instructions say by `AccWrEn` that they write the accumulator; otherwise the opcode implies it,
    /// and `macl` is an opcode of its own.
    pub acc_write_enable: bool,
    /// `any`/`all` predicates name their width (`any16h`); otherwise they cover the execution size.
    pub pred_width: bool,
    /// Channel offsets may be multiples of 4 (otherwise of 8).
    pub nibble_offset: bool,
    /// Ternary instructions use the align16 form.
    pub ternary_align16: bool,
    /// Channels that a ternary instruction has at most (volume 7, "Instruction Format": 16; Intel's finalizer multiplies and
    /// adds 32 halves or words in two instructions before Xe-HPC).
    pub ternary_lanes: u8,
    /// A ternary instruction may have a condition modifier (from Xe on Intel's finalizer gives it none,
    /// `hasCondModForTernary`).
    pub ternary_cond: bool,
    /// The 16-bit immediates that a ternary instruction may have.
    pub ternary_imm: TernaryImm,
}

/// Which 16-bit immediates a ternary instruction may have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TernaryImm {
    /// None.
    None,
    /// A signed word as the last source of an integer `mad`. The align1 form of Gen11 could hold more; this is what
    /// Intel's finalizer writes there.
    LastWord,
    /// Sources 0 and 2.
    FirstAndLast,
}

impl Words {
    /// The family of the words' layout.
    pub const fn layout(&self) -> Layout {
        self.format.layout()
    }
}

impl Caps {
    /// SBIDs of a thread with so many general registers.
    pub const fn sbids(&self, grf_count: u16) -> u8 {
        if grf_count > self.regs.grf_count {
            self.scoreboard.sbid_count_large
        } else {
            self.scoreboard.sbid_count
        }
    }
}

/// The registers of a thread.
#[derive(Clone, Copy, Debug)]
pub struct Registers {
    /// One general register, in bytes.
    pub grf_bytes: u16,
    /// General registers a thread has by default.
    pub grf_count: u16,
    /// General registers in large-GRF mode (equal to `grf_count` where there is no such mode).
    pub grf_count_large: u16,
    /// Flag registers (32 bits each).
    pub flag_count: u8,
    /// Accumulator registers (one GRF each) usable for float operands.
    pub acc_count: u8,
    /// Accumulators that assembly calls by that name.
    pub acc_names: u8,
    /// Behind those come the ones of macros, which assembly calls `mme0` and so on.
    pub mme_names: bool,
    /// What may be an accumulator in operations on floats, where results are there earlier in one than in a general
    /// register.
    pub float_accumulators: Option<FloatAccumulators>,
    /// 16-bit address subregisters in `a0`.
    pub addr_subregs: u8,
}

impl Registers {
    /// The native width: as many channels as a register has elements of 32 bits (Intel's finalizer, `getNativeExecSize`).
    /// So many has a message of them, `math` that gives half floats (`fixMathInst`), and at most an operation on halves and
    /// floats that gives floats or packed halves (volume 7, "Special Restrictions for Handling Mixed Mode Float Operations";
    /// `fixMixedHFInst`) or `math` on halves that gives floats.
    pub const fn native_lanes(&self) -> u16 {
        self.grf_bytes / 4
    }
}

/// Which operands of `add`, `mul`, `mad`, `sel` and the like may be accumulators (Intel's graphics compiler,
/// `visa/G4_IR.cpp`, `canDstBeAcc` and `canSrcBeAcc`, and `visa/Passes/AccSubstitution.cpp`, `replaceDstWithAcc`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FloatAccumulators {
    /// The result, and of an instruction one source, which is the same accumulator if the result is one: the first of two,
    /// the addend or the first factor of `mad`, these without a sign.
    One,
    /// The result and the first two sources, but for both factors of `mul`.
    Several,
}

/// Which operations and types the units have.
#[derive(Clone, Copy, Debug)]
pub struct Operations {
    /// Native 64-bit integer additions, shifts, rotations, conversions and moves.
    pub int64: bool,
    /// Native 64-bit integer logic, comparisons and choices (`and`, `or`, `xor`, `not`, `cmp`, `sel`). Not on shipping
    /// Xe-HPC parts, although the words exist: Intel's compilers never write them (IGC, PartialEmuI64OpsPass.cpp,
    /// `hasNoInt64HWSupport`).
    pub int64_logic: bool,
    /// Native double precision.
    pub fp64: bool,
    /// Native 64-bit `mov` and raw copies of 64-bit types (`:q`/`:uq`/`:df` moves).
    pub mov64: bool,
    /// Native bfloat16 operands.
    pub bf16: bool,
    /// Something narrower is shifted by a quadword. Not on shipping Xe-HPC parts (Intel's finalizer, `fixShiftInsts`).
    pub shift_by_qword: bool,
    /// `mul` dword by dword gives the full low 32 bits in one instruction.
    pub mul_dword: bool,
    /// `mul` dword by dword gives all 64 bits in one instruction. Not on shipping Xe-HPC parts (IGC, Platform.hpp,
    /// `hasInt64DstMul`; visa/HWCaps.inc, `hasQDDMul`).
    pub mul_qword_result: bool,
    /// A product of dwords may go to an accumulator. Not on Gen8 (volume 2a of Broadwell and Cherryview, "mul").
    pub mul_dword_to_acc: bool,
    /// After `mul` to the accumulator, `macl` (or `mach` without `AccWrEn`) gives the low half.
    pub macl: bool,
    /// Multiplication may have source modifiers on integer operands.
    pub mul_source_mods: bool,
    /// `math idiv/irem` exist.
    pub int_div: bool,
    /// `math fdiv` and `math pow` exist.
    pub fdiv_pow: bool,
    /// `math invm/rsqtm` and `madm` exist (IEEE division and square root macros), for float.
    pub math_macros: bool,
    /// `madm` has an opcode.
    pub madm: bool,
    /// Channels that one of these macros works on where the operands are doubles (Intel's finalizer,
    /// `getFP64MadmExecSize`). Of floats it is [`Registers::native_lanes`].
    pub double_macro_lanes: u8,
    /// `dpas` exists.
    pub systolic: bool,
    /// `srnd` and conversions to and from 8-bit floats exist.
    pub srnd: bool,
    /// `sad2`, `sada2` exist.
    pub sad: bool,
    /// `add3`, `bfn` exist.
    pub add3_bfn: bool,
    /// `rol`/`ror` exist.
    pub rotate: bool,
    /// `dp4a` exists.
    pub dp4a: bool,
    /// `dp2/dp3/dp4/dph` exist.
    pub dot_product: bool,
    /// `line`, `pln` exist.
    pub pln: bool,
    /// `lrp` exists.
    pub lrp: bool,
}

/// Where narrow and single floats mix in one instruction (volume 7, "Special Restrictions for Handling Mixed Mode Float
/// Operations"; Intel's finalizer, `hasMixMode`, `hasPartialMixMode` and `fixMixedHFInst`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mixing {
    /// Nowhere; where a move converts, the narrow one lies as if it were as wide as the other.
    None,
    /// In moves, whose narrow elements may be packed. (Ice Lake: Intel's compilers write no other, `hasMixMode` denies it.)
    Moves,
    /// In moves and arithmetic, but neither source 1 of `mul` nor source 2 of `mad` is narrow.
    FirstFactor,
    /// In moves and arithmetic.
    All,
}

impl Mixing {
    /// Whether elements that a move converts may be packed.
    pub const fn packs(self) -> bool {
        !matches!(self, Mixing::None)
    }

    /// Whether arithmetic mixes.
    pub const fn computes(self) -> bool {
        matches!(self, Mixing::FirstFactor | Mixing::All)
    }
}

/// Which walks over registers, and which mixtures of types, operands may have.
#[derive(Clone, Copy, Debug)]
pub struct Regions {
    /// Byte operands may stand as any source; elsewhere only as source 0.
    pub byte_sources: bool,
    /// 64-bit operands follow the restricted regioning of Cherryview/Broxton.
    pub restricted_64bit: bool,
    /// An operation that writes two registers must not read for the second what it writes to the first.
    pub registers_in_turn: bool,
    /// Bytes that a destination of the align1 ternary form begins at a multiple of. (Intel's finalizer, `get3SrcDstAlign`,
    /// asks less of Gen11 and Xe-LP, too.)
    pub ternary_align: u8,
    /// Vertical stride of an unaligned packed ternary source: 1 or 2 (0: there is only align16).
    pub ternary_unit_stride: u8,
    /// Operands of float and 64-bit type may have any region; otherwise channels must not change
    /// their place in the register between source and destination, but for broadcasts.
    pub float_regions: bool,
    /// `mov` converts half to integer directly.
    pub half_to_int: bool,
    /// A scalar byte source converts to float directly.
    pub byte_to_float: bool,
    /// Where half and single float mix.
    pub mixed_half: Mixing,
    /// Words and bytes are packed only from elements at most a dword apart, at fitting places; a `null`
    /// destination counts.
    pub narrow_packs_restricted: bool,
    /// A destination in two registers has half of its elements in each, and one in a single register whose
    /// sources span two lies in one oword or has half of its elements in each (volume 7, "Region Alignment Rules").
    pub even_writes: bool,
}

impl Regions {
    /// Whether rules of other instructions than ternary ones compare where operands lie in their registers.
    pub const fn compares_places(&self) -> bool {
        !self.float_regions || self.narrow_packs_restricted
    }
}

/// Control flow.
#[derive(Clone, Copy, Debug)]
pub struct Flow {
    /// `if/else/endif/while/break/cont` exist besides `goto/join`.
    pub structured: bool,
    /// A forward `goto` sends the channels whose predicate is true to UIP (`false`: those whose
    /// predicate is false, as on Gen8 and Gen9). `goto.b` jumps on true everywhere.
    pub goto_jumps_on_true: bool,
    /// `switchjmp` exists.
    pub switch_jump: bool,
    /// `calla` takes its target from a register (Intel's finalizer, `supportCallaRegSrc`).
    pub calla_register: bool,
    /// Two threads run as a pair, with one instruction pointer, and send together (Intel's finalizer, `hasFusedEU`).
    ///
    /// A message whose descriptor differs between them must say so. They may want to go different ways where each thread by
    /// itself goes one: so there are no scalar jumps. And where branches are nested, instructions that ignore the mask may
    /// run for a thread of which no channel is on (`Wa_1808850743` in Intel's `skuwa/itgl_lp_hw_wa.c`; the page "NoMask WA"
    /// in visa/SWWA.cpp). An indirect call goes where the first of them says (there, `applyFusedCallWA`): that is not worked
    /// around here.
    pub fused_pairs: bool,
}

/// The in-order pipes that a distance of the software scoreboard may name, beside that of the instruction itself (Intel's
/// assembler, `SWSB_ENCODE_MODE`; its finalizer, `hasThreeALUPipes`, `hasFourALUPipes`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pipes {
    /// There is one, without a name. `math` is out of order and takes an SBID.
    One,
    /// Floats, integers, doubles. `math` is out of order and takes an SBID.
    Three,
    /// Floats, integers, doubles, `math`.
    Four,
}

impl Pipes {
    /// Whether a distance says which pipe it counts in.
    pub const fn have_names(self) -> bool {
        !matches!(self, Pipes::One)
    }

    /// Whether `math` goes through a pipe.
    pub const fn have_math(self) -> bool {
        matches!(self, Pipes::Four)
    }
}

/// Who tracks dependencies between instructions.
#[derive(Clone, Copy, Debug)]
pub struct Scoreboard {
    /// Software scoreboard: the number of SBIDs, 0 where the hardware tracks dependencies itself.
    pub sbid_count: u8,
    /// The same for a thread with the large register file.
    pub sbid_count_large: u8,
    /// The in-order pipes of a software scoreboard.
    pub pipes: Pipes,
    /// Bytes are written as words, whose other half is read before (Intel's assembler, `hasReadModifiedWriteOnByteDst`).
    pub bytes_as_words: bool,
    /// NoDDClr/NoDDChk dependency control bits exist.
    pub no_dd: bool,
}

/// Messages in general.
#[derive(Clone, Copy, Debug)]
pub struct Sends {
    /// The shared function messages are split (`sends`): two payload ranges.
    pub split: bool,
    /// The word says how long the second payload is, not the extended descriptor, and how to read a descriptor in a
    /// register (`ExBSO`, `CPS`).
    pub length_in_word: bool,
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
    /// Loads and stores go through the LSC shared functions (`ugm`, `slm`, ...) rather than HDC.
    pub lsc: bool,
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
    /// Binding table indices of the surfaces that vISA calls `T1` and `T2`.
    pub stack_surfaces: [u8; 2],
    /// Scratch memory is a surface, whose state `r0.5` names in bits 31:10. Elsewhere those bits are the address
    /// of the thread's part, and a message may have them advanced. (Intel's finalizer, `hasScratchSurface`.)
    pub scratch_surface: bool,
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
    /// Video motion estimation and analytics exist.
    pub media: bool,
    /// Video analytics have their later functions.
    pub media_plus: bool,
    /// The bit of the extended descriptor that compensates the level of detail for coarse pixels.
    pub cps: u32,
    /// Where the extended descriptor is no register, a bit of the message's word does (Intel's finalizer, `SetExtMsgDescr` and
    /// `bitsExDescCPSLOD`).
    pub cps_in_word: bool,
}

/// How a thread starts, meets others and ends.
#[derive(Clone, Copy, Debug)]
pub struct Thread {
    /// The kernel loads its own payload in a prologue.
    pub payload_prologue: bool,
    /// Barriers by number exist, and `sync` waits for one of them.
    pub named_barriers: bool,
    /// The message that signals a barrier says how many threads produce and consume (Intel's finalizer,
    /// `hasUnifiedBarrier`).
    pub barrier_counts: bool,
    /// A thread's place in the dispatch has 12 bits a dimension in `r0`, not 11 (Intel's finalizer, `useNewR0Format`).
    pub ids_of_12_bits: bool,
    /// The barrier identifier's bits of `r0.2`.
    pub barrier_mask: u32,
    /// The thread ends with a message to the gateway rather than to the thread spawner.
    pub eot_gateway: bool,
}
