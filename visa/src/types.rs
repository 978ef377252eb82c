//! The small closed vocabularies of vISA: data types, execution sizes and masks, modifiers, regions, atomic operations.

use narrow::{as_index, low_i32, to_u8, wide_u8};

/// Defines a `repr(u8)` enum whose values are the binary encoding, with `from_raw` and a name table.
macro_rules! raw_enum {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $value:literal => $text:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[repr(u8)]
        pub enum $name { $($(#[$vdoc])* $variant = $value),+ }

        impl $name {
            /// All values, in encoding order.
            pub const ALL: &'static [$name] = &{
                let mut all = [$($name::$variant),+];
                let mut i = 0;
                while i < all.len() {
                    let mut j = i;
                    while j > 0 && all[j - 1].raw() > all[j].raw() {
                        (all[j - 1], all[j]) = (all[j], all[j - 1]);
                        j -= 1;
                    }
                    i += 1;
                }
                all
            };

            /// The value with this encoding, if there is one.
            pub const fn from_raw(raw: u8) -> Option<$name> {
                match raw { $($value => Some($name::$variant),)+ _ => None }
            }

            /// The binary encoding.
            #[expect(clippy::as_conversions, reason = "nothing else reads the number of a variant")]
            pub const fn raw(self) -> u8 { self as u8 }

            /// The binary encoding, as an index of tables.
            #[inline]
            pub const fn index(self) -> usize { narrow::as_index(narrow::wide_u8(self.raw())) }

            /// The word used in vISA assembly.
            pub const fn name(self) -> &'static str {
                match self { $($name::$variant => $text),+ }
            }

            /// The value that vISA assembly writes so, the first where it writes several so.
            pub fn from_name(name: &str) -> Option<$name> {
                $name::ALL.iter().copied().find(|value| value.name() == name)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result { f.write_str(self.name()) }
        }
    };
}
pub(crate) use raw_enum;

mod exec;
mod region;

pub use exec::*;
pub use region::*;

raw_enum! {
    /// A data type (spec "Data Types").
    Type {
        /// Unsigned dword.
        UD = 0 => "ud",
        /// Signed dword.
        D = 1 => "d",
        /// Unsigned word.
        UW = 2 => "uw",
        /// Signed word.
        W = 3 => "w",
        /// Unsigned byte.
        UB = 4 => "ub",
        /// Signed byte.
        B = 5 => "b",
        /// Double.
        DF = 6 => "df",
        /// Float.
        F = 7 => "f",
        /// Packed vector of eight signed nibbles (immediates only).
        V = 8 => "v",
        /// Packed vector of four restricted floats (immediates only).
        VF = 9 => "vf",
        /// Predicate bits.
        Bool = 10 => "bool",
        /// Unsigned qword.
        UQ = 11 => "uq",
        /// Packed vector of eight unsigned nibbles (immediates only).
        UV = 12 => "uv",
        /// Signed qword.
        Q = 13 => "q",
        /// Half.
        HF = 14 => "hf",
        /// Bfloat16.
        BF = 15 => "bf",
    }
}

impl Type {
    /// Size of one element in bytes (packed vectors: of the whole immediate).
    pub const fn bytes(self) -> u32 {
        match self {
            Type::UB | Type::B | Type::Bool => 1,
            Type::UW | Type::W | Type::HF | Type::BF => 2,
            Type::UD | Type::D | Type::F | Type::V | Type::VF | Type::UV => 4,
            Type::DF | Type::UQ | Type::Q => 8,
        }
    }

    /// Whether the type holds a constant, as a number or as its bits: printed constants of signed types are bits, and
    /// a negative number means its two's complement. Narrow types may have the 32 bits that objects keep, if the
    /// upper ones only extend theirs.
    pub fn holds(self, value: i64) -> bool {
        if self.bytes() == 8 {
            return true;
        }
        let fits = |v: i64, bits: u32| v >= -(1 << (bits - 1)) && v < 1 << bits;
        let bits = 8 * self.bytes();
        fits(value, 32) && (fits(value, bits) || fits(low_i32(value).into(), bits))
    }

    /// Floating point of any width (not the packed vector).
    pub const fn is_float(self) -> bool {
        matches!(self, Type::DF | Type::F | Type::HF | Type::BF)
    }

    /// Integer of any width (not the packed vectors).
    pub const fn is_int(self) -> bool {
        matches!(self, Type::UD | Type::D | Type::UW | Type::W | Type::UB | Type::B | Type::UQ | Type::Q)
    }

    /// Signed integer.
    pub const fn is_signed_int(self) -> bool {
        matches!(self, Type::D | Type::W | Type::B | Type::Q)
    }

    /// V, UV or VF.
    pub const fn is_packed(self) -> bool {
        matches!(self, Type::V | Type::UV | Type::VF)
    }
}

raw_enum! {
    /// Operand modifier. `Sat` stands on destinations, the others on sources.
    Modifier {
        /// No modifier.
        None = 0 => "",
        /// Absolute value.
        Abs = 1 => "(abs)",
        /// Negation.
        Neg = 2 => "(-)",
        /// Negated absolute value.
        NegAbs = 3 => "(-abs)",
        /// Saturation (destination).
        Sat = 4 => "(sat)",
        /// Bitwise not (logic instructions).
        Not = 5 => "(~)",
    }
}

raw_enum! {
    /// Comparison of `cmp`.
    CondMod {
        /// Equal.
        Eq = 0 => "eq",
        /// Not equal.
        Ne = 1 => "ne",
        /// Greater.
        Gt = 2 => "gt",
        /// Greater or equal.
        Ge = 3 => "ge",
        /// Less.
        Lt = 4 => "lt",
        /// Less or equal.
        Le = 5 => "le",
    }
}

raw_enum! {
    /// How a predicate's bits combine.
    PredCtrl {
        /// Lane by lane.
        None = 0 => "",
        /// Any bit set.
        Any = 1 => ".any",
        /// All bits set.
        All = 2 => ".all",
    }
}

raw_enum! {
    /// Declared alignment of a variable.
    Align {
        /// 1 byte.
        Byte = 0 => "byte",
        /// 2 bytes.
        Word = 1 => "word",
        /// 4 bytes.
        Dword = 2 => "dword",
        /// 8 bytes.
        Qword = 3 => "qword",
        /// 16 bytes.
        Oword = 4 => "oword",
        /// One register of the platform.
        Grf = 5 => "GRF",
        /// Two registers of the platform.
        Grf2 = 6 => "GRFx2",
        /// 32 bytes.
        Hword = 7 => "hword",
        /// 64 bytes.
        Word32 = 8 => "wordx32",
        /// 128 bytes.
        Word64 = 9 => "wordx64",
    }
}

impl Align {
    /// Bytes, on a platform with registers of `grf_bytes`.
    pub const fn bytes(self, grf_bytes: u32) -> u32 {
        match self {
            Align::Byte => 1,
            Align::Word => 2,
            Align::Dword => 4,
            Align::Qword => 8,
            Align::Oword => 16,
            Align::Grf => grf_bytes,
            Align::Grf2 => 2 * grf_bytes,
            Align::Hword => 32,
            Align::Word32 => 64,
            Align::Word64 => 128,
        }
    }
}

raw_enum! {
    /// What a label marks.
    LabelKind {
        /// A basic block: target of `jmp` and `goto`.
        Block = 0 => "block",
        /// A subroutine: target of `call`.
        Subroutine = 1 => "subroutine",
        /// A fast-composition callee: target of `fccall`.
        FastComposite = 2 => "fc",
        /// A function.
        Function = 3 => "function",
        /// The head of a loop over divergent resources.
        DivergentResourceLoop = 4 => "divergent_resource_loop",
    }
}

raw_enum! {
    /// Operation of the HDC and SVM atomics (spec `DWORD_ATOMIC`).
    AtomicOp {
        /// Add.
        Add = 0 => "add",
        /// Subtract.
        Sub = 1 => "sub",
        /// Increment.
        Inc = 2 => "inc",
        /// Decrement.
        Dec = 3 => "dec",
        /// Unsigned minimum.
        Min = 4 => "min",
        /// Unsigned maximum.
        Max = 5 => "max",
        /// Exchange.
        Xchg = 6 => "xchg",
        /// Compare and exchange.
        CmpXchg = 7 => "cmpxchg",
        /// And.
        And = 8 => "and",
        /// Or.
        Or = 9 => "or",
        /// Exclusive or.
        Xor = 10 => "xor",
        /// Signed minimum.
        IMin = 11 => "minsint",
        /// Signed maximum.
        IMax = 12 => "maxsint",
        /// Decrement, returning the new value.
        PreDec = 13 => "predec",
        /// Float maximum.
        FMax = 16 => "fmax",
        /// Float minimum.
        FMin = 17 => "fmin",
        /// Float compare and write.
        FCmpWr = 18 => "fcmpwr",
        /// Float add.
        FAdd = 19 => "fadd",
        /// Float subtract.
        FSub = 20 => "fsub",
    }
}

impl AtomicOp {
    /// Data operands besides the address: 0 for inc/dec, 2 for the compare-exchanges, else 1.
    pub const fn sources(self) -> u32 {
        match self {
            AtomicOp::Inc | AtomicOp::Dec | AtomicOp::PreDec => 0,
            AtomicOp::CmpXchg | AtomicOp::FCmpWr => 2,
            _ => 1,
        }
    }

    /// Works on floats.
    pub const fn is_float(self) -> bool {
        self.raw() >= 16
    }
}

/// Channels of a typed or scaled gather, bit 0 = R.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ChannelMask(pub u8);

impl ChannelMask {
    /// All four channels.
    pub const RGBA: ChannelMask = ChannelMask(15);

    /// Number of channels enabled.
    pub const fn count(self) -> u32 {
        (self.0 & 15).count_ones()
    }

    /// `R`, `RG`, ... in vISA assembly.
    pub const fn name(self) -> &'static str {
        CHANNEL_NAMES[as_index(wide_u8(self.0 & 15))]
    }

    /// The mask that vISA assembly writes so, in any case.
    pub fn from_name(name: &str) -> Option<ChannelMask> {
        CHANNEL_NAMES.iter().position(|n| n.eq_ignore_ascii_case(name)).map(|i| ChannelMask(to_u8(i)))
    }
}

const CHANNEL_NAMES: [&str; 16] =
    ["0000", "R", "G", "RG", "B", "RB", "GB", "RGB", "A", "RA", "GA", "RGA", "BA", "RBA", "GBA", "RGBA"];
