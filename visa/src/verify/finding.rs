//! The rules, and what is found to break one.

use narrow::as_index;
use std::fmt;

use platforms::Platform;

use crate::model::PlaceKind;

/// How bad a finding is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Severity {
    /// The kernel has no meaning.
    Error,
    /// The specification forbids it, but Intel's finalizer gives it a meaning, which is ours too, and shipped
    /// objects rely on that: a warning.
    Tolerated,
    /// The kernel means something that its author hardly meant.
    Warning,
}

macro_rules! rules {
    ($($variant:ident $id:literal $severity:ident $safety:literal $text:literal $who:literal;)+) => {
        /// A rule of the verifier.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Rule { $(#[doc = $text] $variant),+ }

        impl Rule {
            /// All rules.
            pub const ALL: &'static [Rule] = &[$(Rule::$variant),+];

            /// Name for messages and tools.
            pub const fn id(self) -> &'static str {
                match self { $(Rule::$variant => $id),+ }
            }

            /// The rule of that name.
            pub fn from_id(id: &str) -> Option<Rule> {
                match id { $($id => Some(Rule::$variant),)+ _ => None }
            }

            /// Error, tolerated or warning.
            pub const fn severity(self) -> Severity {
                match self { $(Rule::$variant => Severity::$severity),+ }
            }

            /// Later stages rely on it.
            pub const fn is_safety(self) -> bool {
                match self { $(Rule::$variant => $safety),+ }
            }

            /// What it asks for.
            pub const fn text(self) -> &'static str {
                match self { $(Rule::$variant => $text),+ }
            }

            /// Who is known to break it, if anybody is.
            pub const fn broken_by(self) -> &'static str {
                match self { $(Rule::$variant => $who),+ }
            }
        }
    };
}

#[rustfmt::skip]
rules! {
    StringIndex     "string-index"      Error   true  "Names refer to strings of the pool." "";
    VariableSize    "variable-size"     Error   true  "A general variable has 1 to 65535 elements of a storable type." "";
    AddressSize     "address-size"      Error   true  "An address variable has 1 to 16 elements." "";
    PredicateSize   "predicate-size"    Error   true  "A predicate variable has 1, 2, 4, 8, 16 or 32 elements." "";
    StateCount      "state-count"       Error   true  "A kernel declares at most 31 samplers and 250 surfaces, each of at least one element." "";
    AliasBase       "alias-base"        Error   true  "An alias refers to another variable of the kernel or a predefined one that may have aliases." "";
    AliasCycle      "alias-cycle"       Error   true  "Aliases form no circle." "";
    AliasBounds     "alias-bounds"      Tolerated false "An alias lies inside its base variable; only the part that does can be named." "Intel's vector compiler: aliases of `%arg`";
    AliasAlignment  "alias-alignment"   Warning false "An alias starts at a multiple of its element size." "";
    InputVariable   "input-variable"    Error   true  "An input fills a declared variable that is no alias, from a byte offset of at least 0." "";
    InputSize       "input-size"        Error   false "An input is as large as its variable." "";
    InputOverlap    "input-overlap"     Error   false "Inputs do not overlap in the register file." "";
    InputAlignment  "input-alignment"   Error   false "An input of a register or more starts at a register; a smaller one is aligned and crosses no register." "";
    InputRange      "input-range"       Error   true  "Inputs lie in the register file." "";
    AttributeRange  "attribute-range"   Error   true  "Sizes that attributes of a kernel state are possible ones." "";
    VariableLimit   "variable-limit"    Warning false "A kernel has at most 4096 address and 4095 predicate variables; a general variable fits into the register file." "";
    AttributeValue  "attribute-value"   Warning false "Attributes of a kernel that mean something to the finalizer have values with a meaning." "";
    NameLength      "name-length"       Warning false "Names of kernels have up to 1023 bytes, of labels 1024, of attributes 64." "";
    InputOrder      "input-order"       Warning false "A kernel has up to 256 inputs; those that the user supplies come first." "";
    KernelName      "kernel-name"       Error   false "Kernels have different names, and so have functions." "";
    VariableIndex   "variable-index"    Error   true  "Operands name variables that exist." "";
    StateIndex      "state-index"       Error   true  "Operands name samplers and surfaces that exist." "";
    LabelIndex      "label-index"       Error   true  "Branches name labels that exist." "";
    LabelDefined    "label-defined"     Error   true  "A label that is used is defined once." "";
    LabelKind       "label-kind"        Error   true  "Calls go to subroutines, jumps to blocks." "";
    ControlValue    "control-value"     Error   true  "Control fields have values with a meaning." "";
    OperandClass    "operand-class"     Error   true  "Operands are of a class that the instruction takes." "";
    OperandBounds   "operand-bounds"    Error   true  "Operands stay inside their variables." "IGC for Xe-HPC: swaps of the bytes of quadwords count rows of 32 bytes; Intel's finalizer overwrites what stands behind";
    RegisterTail    "register-tail"     Warning false "What reaches over the end of its variable, a destination within one register or a single element that is read within four, finds nobody's value there: the variable grows." "kernels for Xe-HPC: a copy of r0 into eight dwords; IGC without optimization: broadcasts of channels that a thread does not have";
    ExecMask        "exec-mask"         Error   true  "Mask offset and execution size stay within 32 lanes." "";
    PredicateWidth  "predicate-width"   Tolerated   false "A predicate has an element for each lane it guards or receives; where it has fewer, it is as wide as it is used." "";
    OperandType     "operand-type"      Tolerated   false "Operands have a type that the instruction takes." "Cm compilers: `addr_add` of a byte";
    OperandMix      "operand-mix"       Tolerated   false "Arithmetic does not mix integer and floating-point operands." "";
    OperandModifier "operand-modifier"  Tolerated   false "Negation and absolute value stand on arithmetic sources, the bitwise not on logic sources, saturation on destinations." "media driver: `asr.sat`";
    OperandRegion   "operand-region"    Tolerated   false "Regions are legal: a destination stride of 1, 2 or 4; a source width of 1 to 16 and at most the execution size." "";
    ExecSize        "exec-size"         Tolerated   false "The instruction has this execution size." "media driver: `typed_atomic` of one lane";
    MaskOffset      "mask-offset"       Tolerated   false "A mask offset is a multiple of the execution size, and of four." "";
    ElementAlignment "element-alignment" Tolerated  false "Elements of an operand start at multiples of their size." "";
    OperandAlignment "operand-alignment" Tolerated  false "Payloads of messages and results of `madw` start at a register; sources of `plane` at 16 bytes, rows of a matrix at a multiple of their size." "";
    PayloadSize     "payload-size"      Tolerated   false "Messages read and write inside their variables." "";
    OperandOrigin   "operand-origin"    Tolerated   false "The column that an operand starts at lies in its row." "";
    NullOperand     "null-operand"      Error   false "Only operands that may be missing are `%null`." "";
    PayloadType     "payload-type"      Warning false "Payloads have the types that the message takes." "";
    AtomicSources   "atomic-sources"    Error   false "An atomic has as many sources as its operation takes." "";
    ConstantRange   "constant-range"    Tolerated   false "Constants are values that the instruction takes." "media driver: `raw_sends` with a whole extended descriptor";
    ConstantWidth   "constant-width"    Tolerated   false "Constants fit into their types, as numbers or as bits; of others the lower bits count." "";
    ConversionTypes "conversion-types"  Error   false "Conversions are between types that the instruction converts." "";
    BfloatTypes     "bfloat-types"      Error   false "Bfloat16 is an operand where the platform has it: of `add`, `cmp`, `mad`, `mov`, `mul` and `sel`, beside single floats; `mov` converts it to halves, too." "";
    ScalarType      "scalar-type"       Error   false "A scalar whose bits join those of a header or a descriptor is an integer." "";
    SamplerOperation "sampler-operation" Error  false "A sampler message has an operation of its opcode: `3D_SAMPLE` samples, `3D_LOAD` loads, `3D_SAMPLE4` gathers." "";
    SamplerParameters "sampler-parameters" Tolerated false "Sampler messages have 1 to 15 parameters of one size." "";
    MatrixShape     "matrix-shape"      Error   false "Precisions, depth, repeat count and types of a matrix instruction go together." "";
    PredicateUse    "predicate-use"     Tolerated   false "Logic on predicates takes only predicates, without a guard; a predicate moves as a whole to a large enough unsigned element." "";
    AddressBase     "address-base"      Tolerated   false "Addresses are taken of declared variables, `%arg` and `%retval`." "Cm compilers: the address of a surface variable";
    StateMove       "state-move"        Tolerated false "`movs` moves between state variables of one class, or between one and a general variable." "Intel's vector compiler: a constant into a general variable";
    BlockShape      "block-shape"       Tolerated   false "Blocks have the sizes and counts of their message; channel masks are not empty." "vISA's specification: examples of LSC_UNTYPED, transposed words and stores of 32 rows";
    SurfaceClass    "surface-class"     Error   false "Media, typed and sampler messages do not go to shared local memory." "";
    MessageLength   "message-length"    Error   false "Raw sends have 1 to 15 registers of payload and up to 16 of response, split ones up to 31 each; what ends the thread has no response." "";
    LscShape        "lsc-shape"         Error   false "Data size, order, vector length and block size of an LSC message go together." "";
    LscSize         "lsc-size"          Tolerated false "Elements of 8 and 16 bits say what they become in a register; only blocks of two dimensions have them as they are." "";
    LscAddress      "lsc-address"       Error   false "Shared function, address type and address size of an LSC message go together." "";
    LscOffset       "lsc-offset"        Tolerated false "Offsets into surfaces have 32 bits in LSC messages." "vISA's specification: examples of LSC_UNTYPED";
    LscCache        "lsc-cache"         Error   false "Cache controls of an LSC message go together." "";
    ReadOnly        "read-only"         Error   false "Read-only predefined variables are not written." "";
    BranchTarget    "branch-target"     Error   false "Jumps stay inside their subroutine." "";
    CallSize        "call-size"         Error   false "A stack call passes up to 32 registers and returns up to 12." "";
    FirstSubroutine "first-subroutine"  Tolerated   false "Code begins with a subroutine label." "media driver (objects of version 3.2)";
    SubroutineEnd   "subroutine-end"    Tolerated   false "Control does not run off the end of a subroutine." "media driver (objects of version 3.2)";
    Recursion       "recursion"         Error   true  "Subroutines do not call themselves, directly or through others." "";
    FunctionReturn  "function-return"   Error   true  "`fret` stands in a function's own body; kernels and subroutines end with `ret`." "";
    Availability    "availability"      Tolerated   false "The instruction exists on the platform." "";
    PlatformType    "platform-type"     Warning false "The types of operands exist on the platform." "";
}

/// A rule that is broken somewhere.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// The rule.
    pub rule: Rule,
    /// Kernel or function.
    pub kernel: String,
    /// Instruction: position, opcode, and place.
    pub instruction: Option<(u32, &'static str, u32)>,
    /// What the place counts.
    pub places: PlaceKind,
    /// Operand or declaration.
    pub field: String,
    /// The operand as text names it, to find it in its line.
    pub subject: Option<Subject>,
    /// What was found and what is allowed.
    pub message: String,
}

/// An operand of an instruction as text names it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Subject {
    /// The variable's name: `V32`, `P1`, `T6`.
    pub name: String,
    /// The name that it was declared with, where that is another.
    pub declared: Option<String>,
    /// How many operands before it have the same name.
    pub nth: u32,
}

impl Subject {
    /// Where the operand stands in the line of its instruction.
    pub fn find(&self, line: &str) -> Option<std::ops::Range<usize>> {
        let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '%');
        let named = |name: &str| {
            line.match_indices(name)
                .map(|(at, _)| at)
                .filter(|at| !line[..*at].ends_with(is_word) && !line[at + name.len()..].starts_with(is_word))
                .nth(as_index(self.nth))
        };
        let start = self.declared.as_deref().and_then(named).or_else(|| named(&self.name))?;
        let mut depth = 0i32;
        let ends = |c: char| {
            depth += match c {
                '(' | '[' | '<' => 1,
                ')' | ']' | '>' => -1,
                _ => 0,
            };
            depth < 0 || depth == 0 && c.is_whitespace()
        };
        let len = line[start..].find(ends).unwrap_or(line.len() - start);
        Some(start..start + len)
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "kernel `{}`", self.kernel)?;
        if let Some((index, opcode, place)) = self.instruction {
            let unit = match self.places {
                PlaceKind::Offset => "byte",
                PlaceKind::Line => "line",
            };
            write!(f, ", instruction {index} (`{opcode}`, {unit} {place})")?;
        }
        write!(f, ", {}: {} [{}]", self.field, self.message, self.rule.id())
    }
}

impl std::error::Error for Finding {}

/// What to verify against.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct VerifyOptions {
    /// The platform that must have the instructions, if it matters.
    pub platform: Option<Platform>,
    /// Bytes of a register.
    pub grf_bytes: u32,
}

impl VerifyOptions {
    /// For a platform.
    pub fn for_platform(platform: Platform) -> VerifyOptions {
        VerifyOptions { platform: Some(platform), grf_bytes: platform.caps().regs.grf_bytes.into() }
    }
}
