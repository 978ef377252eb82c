//! Why an instruction, or a kernel, has no machine code here.

use gen_ir::Type;
use messages::TooLong;
use platforms::Platform;
use visa::{
    Opcode,
    lsc::{LscAddrType, LscCache, LscOp},
    op::{Precision, SamplerOp},
};

use crate::legalize::NotLegal;

/// Why an instruction cannot be finalized: what the messages of `UnsupportedInstruction` say, to match on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unsupported {
    /// A platform lacks something.
    #[error("{feature} on {platform}")]
    Lacks {
        /// What it lacks.
        feature: Feature,
        /// The platform.
        platform: Platform,
    },
    /// A field of the instruction has a value that the specification does not have.
    #[error("{field} {found} has no meaning")]
    NoMeaning {
        /// The field.
        field: &'static str,
        /// Its value.
        found: u32,
    },
    /// A number that has no room where hardware wants it.
    #[error("{field} {found} is above {allowed}")]
    Above {
        /// What is counted.
        field: &'static str,
        /// The number.
        found: u32,
        /// The largest one.
        allowed: u32,
    },

    // Kernels.
    /// A kernel with the attribute `Callable` or `Composable`.
    #[error(
        "the kernel is {0}: it has no end of its own, and what joins it to others needs to know more than objects say"
    )]
    Linked(&'static str),
    /// Two inputs name one variable, and other registers.
    #[error("inputs disagree about the place of a variable")]
    InputPlaces,
    /// Inputs need more registers than there are.
    #[error("inputs larger than the register file")]
    InputsTooLarge,
    /// `%retval` is read where it is not one call's in all lanes.
    #[error(
        "%retval is read here, where lanes may come from several calls or have written it themselves; copy it behind each call"
    )]
    ReadsResults,
    /// A function returns what a call returned in some lanes only.
    #[error(
        "%retval of a call is handed on here, where other lanes wait with what they have written; copy it behind the call"
    )]
    HandsResultsOn,

    // Variables.
    /// A number that no declaration has.
    #[error("no such {0}")]
    NoSuch(&'static str),
    /// A general variable that there is none of.
    #[error(transparent)]
    NoVariable(NoVariable),
    /// A surface or sampler that holds nothing.
    #[error("a {0} that is never set")]
    NeverSet(&'static str),
    /// An element behind the end of a surface or sampler variable.
    #[error("element {0} of a surface or sampler variable that ends before it")]
    NoElement(u8),

    // Operands.
    /// The address of what has none.
    #[error("the address of a {0}")]
    AddressOf(&'static str),
    /// A destination that cannot be written.
    #[error("a destination that is a {0}")]
    Destination(&'static str),
    /// A `bool` as operand of arithmetic.
    #[error("an operand of type bool")]
    Bool,
    /// The destination of `addr_add` is no address variable.
    #[error("the sum of an address goes to an address variable")]
    AddressSum,
    /// The destination of `faddr` is too small.
    #[error("a symbol's address has 32 or 64 bits")]
    SymbolBits,
    /// An operand that has to be in a general variable.
    #[error("{0} not in a variable")]
    NotInVariable(&'static str),
    /// A destination that has to be a predicate.
    #[error("`{0}` to what is no predicate")]
    NotPredicate(Opcode),
    /// An instruction that makes no predicates.
    #[error("`{0}` to a predicate")]
    Predicate(Opcode),
    /// `add3.o` without the predicate that gets the overflow.
    #[error("no predicate for the overflow")]
    NoOverflow,
    /// A field of bits that is a float.
    #[error("a {0} that is no integer")]
    NoInteger(&'static str),

    // Arithmetic.
    /// A type that an instruction does not have.
    #[error("`{opcode}` of :{found}, which the hardware does not have; allowed: {allowed}")]
    Type {
        /// The instruction.
        opcode: Opcode,
        /// The type.
        found: Type,
        /// The types that it has.
        allowed: &'static str,
    },
    /// A step of IEEE division or root of what the math unit has no such steps for.
    #[error("`{0}` of what is neither :f nor :df")]
    MacroType(Opcode),
    /// Types that `fcvt` does not convert.
    #[error("`fcvt` is between :hf and :ub, or between :f and :ud")]
    ConvertedTypes,
    /// `fcvt` of an immediate, of what an address names, or with a modifier.
    #[error("`fcvt` of what is no variable, or has a modifier")]
    ConvertedSource,
    /// `fcvt` to 8-bit floats under a mask or predicate.
    #[error("8-bit floats are made in all channels; allowed: masks that say so (M1_NM)")]
    MaskedConversion,
    /// `dp4` and its like of too few channels.
    #[error("a dot product of less than four channels does not exist")]
    DotProductLanes,
    /// Four channels in the middle of eight, where the platform's words cannot say so and nothing stands for them.
    #[error("`{0}` on four channels in the middle of eight is not lowered here")]
    NibbleOffset(Opcode),
    /// A precision that `dpas` does not have.
    #[error("dpas of precision {0}")]
    Precision(Precision),
    /// A type of sums that `dpas` does not have.
    #[error("dpas of {weight} with a {operand} of type :{found}")]
    Sums {
        /// Precision of the weights.
        weight: Precision,
        /// Destination or source 0.
        operand: &'static str,
        /// Its type.
        found: Type,
    },

    /// Coordinates of `plane` that each channel's own address names.
    #[error("coordinates of a plane behind an address of each channel")]
    PlaneCoordinates,
    /// An operation that nothing the platform has stands for.
    #[error(transparent)]
    Operation(NotLegal),

    // Control flow.
    /// A label that stands nowhere.
    #[error("label {name} is not in the code{}", if *.composite { "; a linker would have to put another kernel there" } else { "" })]
    NoLabel {
        /// Its name.
        name: Box<str>,
        /// It is that of a kernel that a linker would put there.
        composite: bool,
    },
    /// A conditional call is the last instruction.
    #[error("nothing follows a conditional call")]
    CallAtEnd,

    // Messages.
    /// A payload or response that no message has.
    #[error(transparent)]
    TooLong(#[from] TooLong),
    /// A message whose data have no size, or which has none.
    #[error("a message whose data have no size")]
    DataSize,
    /// Data that have to start at a register.
    #[error("a {0} that does not start at a register")]
    NotAtRegister(&'static str),
    /// An extended descriptor in a register, where the platform has no such.
    #[error("an extended descriptor known at run time{}", if *.coarse_pixels { ", which counts coarse pixels" } else { "" })]
    ExtendedDescriptor {
        /// It counts coarse pixels.
        coarse_pixels: bool,
    },
    /// What a bindless surface does not have.
    #[error("{0} of a bindless surface")]
    OfBindless(&'static str),
    /// A write of coarse pixels to a bindless surface.
    #[error(
        "a count of coarse pixels, whose place in the extended descriptor is that of a bindless surface's state; no header has one"
    )]
    BindlessCoarsePixels,
    /// A write to a missing target that is a bindless surface.
    #[error(
        "a missing target, whose bit of the extended descriptor is one of a bindless surface's state; no header has one"
    )]
    BindlessNullTarget,
    /// A write to URBs of too many channels.
    #[error("a URB write of {0} channels does not exist")]
    UrbLanes(u32),
    /// A block of owords of no size that messages have.
    #[error("a block of {0} owords")]
    Owords(u8),
    /// A block of pixels of no size that messages have.
    #[error("a media block of {width} bytes and {height} rows")]
    MediaBlock {
        /// Bytes.
        width: u8,
        /// Rows.
        height: u8,
    },
    /// Blocks of no size that messages have.
    #[error("{blocks} blocks of {width} columns and {height} rows")]
    Blocks2d {
        /// Columns.
        width: u32,
        /// Rows.
        height: u32,
        /// Rectangles beside each other.
        blocks: u32,
    },
    /// An operation that moves no block.
    #[error("{0} moves no block")]
    NotBlock(LscOp),
    /// Elements of a lane that no message has.
    #[error("{0} elements per lane")]
    Elements(u8),
    /// Bytes of a lane that no message has.
    #[error("more than four bytes per lane")]
    BytesPerLane,
    /// Typed messages on memory without a surface's state.
    #[error("memory without a surface's state has no texels")]
    NoTexels,
    /// Float atomics on texels.
    #[error("typed float atomics do not exist")]
    TypedFloatAtomics,
    /// Atomics on texels of another size than messages have.
    #[error("typed atomics of {0} bits do not exist")]
    TypedAtomics(u8),
    /// Atomics on surfaces of another size than messages have.
    #[error("{0}-bit atomics on surfaces do not exist")]
    SurfaceAtomics(u8),
    /// An address model that messages do not have.
    #[error("address model {0} is not supported")]
    AddressModel(LscAddrType),
    /// Offsets of coordinates that are constants.
    #[error("immediate coordinate offsets of typed accesses do not exist on this platform")]
    TypedOffsets,
    /// A way through the caches that messages do not have.
    #[error("cache control {}.{} does not exist here", .0[0], .0[1])]
    CacheControl([LscCache; 2]),
    /// A sampler message on two surfaces.
    #[error("paired surfaces are not supported")]
    PairedSurfaces,
    /// A sampler message that sends nothing.
    #[error("a sampler message without parameters")]
    NoParameters,
    /// An operation of the sampler that asks for nothing.
    #[error("{0} is no query")]
    NotQuery(SamplerOp),
}

/// Why a general variable is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NoVariable {
    /// No declaration has its number.
    #[error("no such variable")]
    Undeclared,
    /// Its number is for predefined variables that are yet to come.
    #[error("reserved variable")]
    Reserved,
    /// Its kernel has no inputs that it is made of.
    #[error("a predefined variable that nothing declares")]
    Predefined,
    /// A variable of stack calls where there are none.
    #[error("no stack call here")]
    Stack,
    /// `%scratchloc`.
    #[error("the location of scratch memory is not lowered")]
    ScratchLocation,
}

/// What a platform may lack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Feature {
    /// An instruction.
    #[error("{0} does not exist")]
    Instruction(Opcode),
    /// An operation of the load/store cache.
    #[error("{0} does not exist")]
    LscOperation(LscOp),
    /// An operation of the sampler.
    #[error("operation {0} of the sampler does not exist")]
    SamplerOperation(SamplerOp),
    /// A sampler, which compute parts have none of.
    #[error("a sampler does not exist")]
    Sampler,
    /// What draws, which compute parts have none of.
    #[error("a 3D pipeline does not exist")]
    Pipeline3d,
    /// Messages of the load/store cache.
    #[error("LSC messages do not exist")]
    Lsc,
    /// Motion estimation.
    #[error("motion estimation does not exist")]
    MotionEstimation,
    /// Surfaces that no binding table names.
    #[error("bindless surfaces do not exist")]
    BindlessSurfaces,
    /// Atomics on integers of so many bits.
    #[error("atomics of {0} bits do not exist")]
    Atomics(u8),
    /// Atomics on floats of so many bits.
    #[error("float atomics of {0} bits do not exist")]
    FloatAtomics(u8),
}

impl From<TooLong> for Box<Unsupported> {
    fn from(fault: TooLong) -> Box<Unsupported> {
        Unsupported::from(fault).into()
    }
}

/// What lowering gives: refusals are boxed, since almost all can be lowered.
pub(crate) type Lowered<T = ()> = Result<T, Box<Unsupported>>;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Finalizer, Options};

    /// Why a kernel is refused, to which an instruction is the only cause.
    fn why(platform: Platform, line: &str) -> Option<Unsupported> {
        let declarations = [("V", "ud"), ("H", "hf")]
            .map(|(name, ty)| format!(".decl {name} v_type=G type={ty} num_elts=8 align=GRF\n"));
        let text = format!(".version 4.1\n.kernel \"k\"\n{}{line}\nret (M1, 1)\n", declarations.concat());
        let refusal = Finalizer::new(Options::new(platform)).finalize_text(&text).expect_err(line);
        refusal.0.into_iter().next().and_then(|d| d.unsupported)
    }

    #[test]
    fn reasons_are_values() {
        let lacks = |feature, platform| Some(Unsupported::Lacks { feature, platform });
        assert_eq!(
            why(Platform::Bdw, "tanh (M1, 8) H(0,0)<1> H(0,0)<1;1,0>"),
            lacks(Feature::Instruction(Opcode::Tanh), Platform::Bdw)
        );
        assert_eq!(
            why(Platform::Skl, "addc (M1, 8) H(0,0)<1> V(0,0)<1> V(0,0)<1;1,0> V(0,0)<1;1,0>"),
            Some(Unsupported::Type {
                opcode: Opcode::Addc,
                found: Type::Hf,
                allowed: "integers of up to 32 bits"
            })
        );
    }
}
