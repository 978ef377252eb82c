//! What the units compute, over which operands, and how control and threads flow.

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
    /// Where halves stand in functions of the math unit.
    pub half_math: HalfMath,
    /// `math fdiv` and `math pow` exist.
    pub fdiv_pow: bool,
    /// `math invm/rsqtm` and `madm` exist (IEEE division and square root macros), for float.
    pub math_macros: bool,
    /// `madm` has an opcode.
    pub madm: bool,
    /// Channels that one of these macros works on where the operands are doubles (Intel's finalizer,
    /// `getFP64MadmExecSize`). Of floats it is [`Registers::native_lanes`](super::Registers::native_lanes).
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

/// Where halves stand in functions of the math unit (Intel's finalizer, `fixMathInst`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HalfMath {
    /// Nowhere: Broadwell has functions of single floats alone.
    None,
    /// Where single floats do.
    Anywhere,
    /// Results start at a register, and no source is one half for all channels (`hasHFMathGRFAlign`,
    /// `hasHFMathSrcBroadCast`: Xe-HPC alone).
    FromStart,
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
    /// How a function is called whose address a register has.
    pub far_call: FarCall,
    /// A distance that a register has counts for `jmpi` from the next instruction, not from its own (volume 2a, "jmpi").
    pub jumps_from_next: bool,
    /// Two threads run as a pair, with one instruction pointer, and send together (Intel's finalizer, `hasFusedEU`).
    ///
    /// A message whose descriptor differs between them must say so. They may want to go different ways where each thread by
    /// itself goes one: so there are no scalar jumps. An indirect call goes where the first of them says (there,
    /// `applyFusedCallWA`): that is not worked around here. What their hardware does wrong:
    /// [`Errata::unmasked_pairs`](super::Errata::unmasked_pairs).
    pub fused_pairs: bool,
}

/// How a function is called whose address a register has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FarCall {
    /// `call` takes no register reliably: it calls the jump right before it, which goes to the function.
    ByJump,
    /// `call` takes the distance from its own place.
    ByDistance,
    /// `calla` takes the address (Intel's finalizer, `supportCallaRegSrc`).
    ByAddress,
}

/// How a thread starts, meets others and ends.
#[derive(Clone, Copy, Debug)]
pub struct Thread {
    /// The kernel loads its own payload in a prologue.
    pub payload_prologue: bool,
    /// Bytes of what all threads of a dispatch are given that may come in `r1` instead of memory, as programs ask for it
    /// (Intel's finalizer, `getInlineDataSize`); 0 where none do.
    pub inline_bytes: u8,
    /// Barriers by number exist, and `sync` waits for one of them.
    pub named_barriers: bool,
    /// The message that signals a barrier says how many threads produce and consume (Intel's finalizer,
    /// `hasUnifiedBarrier`).
    pub barrier_counts: bool,
    /// A thread's place in the dispatch has 12 bits a dimension in `r0`, not 11 (Intel's finalizer, `useNewR0Format`).
    pub ids_of_12_bits: bool,
    /// The barrier identifier's bits of `r0.2` (Intel's finalizer, `getBarrierIDMask`).
    pub barrier_mask: u32,
    /// The thread ends with a message to the gateway rather than to the thread spawner.
    pub eot_gateway: bool,
}
