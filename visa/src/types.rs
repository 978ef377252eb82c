//! The small closed vocabularies of vISA: data types, execution sizes and masks, modifiers, regions.

use narrow::{const_u16, to_u8};

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
                    while j > 0 && all[j - 1] as u8 > all[j] as u8 {
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
            pub const fn raw(self) -> u8 { self as u8 }

            /// The word used in vISA assembly.
            pub const fn name(self) -> &'static str {
                match self { $($name::$variant => $text),+ }
            }

            /// The value that vISA assembly writes so.
            pub fn from_name(name: &str) -> Option<$name> {
                match name { $($text => Some($name::$variant),)+ _ => None }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result { f.write_str(self.name()) }
        }
    };
}
pub(crate) use raw_enum;

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
    /// Execution size: lanes of an instruction.
    ExecSize {
        /// One lane.
        S1 = 0 => "1",
        /// Two lanes.
        S2 = 1 => "2",
        /// Four lanes.
        S4 = 2 => "4",
        /// Eight lanes.
        S8 = 3 => "8",
        /// Sixteen lanes.
        S16 = 4 => "16",
        /// Thirty-two lanes.
        S32 = 5 => "32",
    }
}

impl ExecSize {
    /// Number of lanes.
    pub const fn lanes(self) -> u32 {
        1 << self as u32
    }

    /// The size with this many lanes.
    pub const fn from_lanes(lanes: u32) -> Option<ExecSize> {
        match lanes {
            1 => Some(ExecSize::S1),
            2 => Some(ExecSize::S2),
            4 => Some(ExecSize::S4),
            8 => Some(ExecSize::S8),
            16 => Some(ExecSize::S16),
            32 => Some(ExecSize::S32),
            _ => None,
        }
    }
}

/// Execution mask control: which quarter-of-16 the lanes start at (`M1`-`M8`), and whether the mask is
/// ignored (`_NM`). Encoded in four bits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct EMask(u8);

impl EMask {
    /// `M1`.
    pub const M1: EMask = EMask(0);
    /// `M1_NM`.
    pub const M1_NM: EMask = EMask(8);

    /// From the four-bit encoding; higher bits are dropped.
    pub const fn from_raw(raw: u8) -> EMask {
        EMask(raw & 15)
    }

    /// `M<group + 1>`, group 0-7.
    pub const fn new(group: u8, no_mask: bool) -> EMask {
        EMask((group & 7) | (no_mask as u8) << 3)
    }

    /// The four-bit encoding.
    pub const fn raw(self) -> u8 {
        self.0
    }

    /// First lane that the instruction works on: 0, 4, ... 28.
    pub const fn offset(self) -> u32 {
        (self.0 as u32 & 7) * 4
    }

    /// The execution mask is ignored.
    pub const fn is_no_mask(self) -> bool {
        self.0 & 8 != 0
    }

    /// The word used in vISA assembly.
    pub const fn name(self) -> &'static str {
        EMASK_NAMES[self.0 as usize]
    }

    /// The mask that vISA assembly writes so; `NoMask` is an old spelling of `M1_NM`.
    pub fn from_name(name: &str) -> Option<EMask> {
        let name = if name == "NoMask" { "M1_NM" } else { name };
        EMASK_NAMES.iter().position(|n| *n == name).map(|i| EMask(to_u8(i)))
    }
}

const EMASK_NAMES: [&str; 16] = [
    "M1", "M2", "M3", "M4", "M5", "M6", "M7", "M8", "M1_NM", "M2_NM", "M3_NM", "M4_NM", "M5_NM", "M6_NM",
    "M7_NM", "M8_NM",
];

/// Execution size and mask of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Exec {
    /// Lanes.
    pub size: ExecSize,
    /// Mask control.
    pub mask: EMask,
}

impl Exec {
    /// `(M1, 1)`: what instructions without an execution size behave like.
    pub const SCALAR: Exec = Exec { size: ExecSize::S1, mask: EMask::M1 };

    /// `(M1, size)`: the lanes that are on.
    pub const fn masked(size: ExecSize) -> Exec {
        Exec { size, mask: EMask::M1 }
    }

    /// `(M1_NM, size)`: all lanes, on or off.
    pub const fn no_mask(size: ExecSize) -> Exec {
        Exec { size, mask: EMask::M1_NM }
    }

    /// The first lane: where the mask says, if so many lanes may start there, else 0, which is what Intel's finalizer makes of
    /// such a mask (visa/Common_ISA_util.cpp, `Get_Gen4_Emask`).
    pub const fn first_lane(self) -> u32 {
        let offset = self.mask.offset();
        if offset.is_multiple_of(self.size.lanes()) { offset } else { 0 }
    }

    /// Whether all lanes run, whatever the execution mask is. A mask that so many lanes cannot start at says nothing of that,
    /// as in [`Self::first_lane`].
    pub const fn is_no_mask(self) -> bool {
        self.mask.is_no_mask() && self.first_lane() == self.mask.offset()
    }

    /// The byte of the object format, if the size is a legal one.
    pub const fn from_raw(raw: u8) -> Option<Exec> {
        match ExecSize::from_raw(raw & 15) {
            Some(size) => Some(Exec { size, mask: EMask::from_raw(raw >> 4) }),
            None => None,
        }
    }

    /// The byte of the object format.
    pub const fn raw(self) -> u8 {
        self.size as u8 | self.mask.raw() << 4
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

/// A region `<V;W,H>` as encoded: three nibbles, each a code for null, 0, 1, 2, 4, 8, 16 or 32.
///
/// A destination has only a horizontal stride; a source with a null vertical stride and a width is the
/// `<W,H>` (VxH) form of indirect operands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Region(u16);

const REGION_VALUES: [Option<u8>; 8] =
    [None, Some(0), Some(1), Some(2), Some(4), Some(8), Some(16), Some(32)];

const fn region_code(value: Option<u8>) -> u16 {
    match value {
        None => 0,
        Some(0) => 1,
        Some(v) => const_u16(v.trailing_zeros() as u64) + 2,
    }
}

impl Region {
    /// From the object's word; `None` if a nibble has no meaning.
    pub const fn from_raw(raw: u16) -> Option<Region> {
        if raw & 0xf888 != 0 { None } else { Some(Region(raw)) }
    }

    /// A source region `<v;w,h>`; every value must be 0 or a power of two up to 32.
    pub const fn src(v: u8, w: u8, h: u8) -> Region {
        Region(region_code(Some(v)) | region_code(Some(w)) << 4 | region_code(Some(h)) << 8)
    }

    /// A destination region `<h>`.
    pub const fn dst(h: u8) -> Region {
        Region(region_code(Some(h)) << 8)
    }

    /// An indirect `<w,h>` region, one address per row.
    pub const fn vxh(w: u8, h: u8) -> Region {
        Region(region_code(Some(w)) << 4 | region_code(Some(h)) << 8)
    }

    /// The object's word.
    pub const fn raw(self) -> u16 {
        self.0
    }

    /// Vertical stride in elements, if the region has one.
    pub const fn vstride(self) -> Option<u8> {
        REGION_VALUES[(self.0 & 7) as usize]
    }

    /// Width in elements, if the region has one.
    pub const fn width(self) -> Option<u8> {
        REGION_VALUES[(self.0 >> 4 & 7) as usize]
    }

    /// Horizontal stride in elements, if the region has one.
    pub const fn hstride(self) -> Option<u8> {
        REGION_VALUES[(self.0 >> 8 & 7) as usize]
    }

    /// Element index that lane `lane` reads, counted from the operand's origin. Missing parts count as
    /// vertical stride 0, width 1 and horizontal stride 1 (a destination `<h>` is a plain stride).
    pub const fn element(self, lane: u32) -> u32 {
        let h = match self.hstride() {
            Some(h) => h as u32,
            None => 1,
        };
        match (self.vstride(), self.width()) {
            (Some(v), Some(w)) if w > 0 => (lane / w as u32) * v as u32 + (lane % w as u32) * h,
            (_, None) => lane * h,
            (_, Some(w)) if w > 0 => (lane % w as u32) * h,
            _ => 0,
        }
    }

    /// True if every lane reads the same element.
    pub const fn is_scalar(self) -> bool {
        matches!(
            (self.vstride(), self.width(), self.hstride()),
            (Some(0), Some(1), _) | (Some(0), Some(_), Some(0))
        )
    }
}

impl std::fmt::Display for Region {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let value = |v: Option<u8>| v.map_or(-1, i32::from);
        match (self.vstride(), self.width(), self.hstride()) {
            (_, None, h) => write!(f, "<{}>", value(h)),
            (None, w, h) => write!(f, "<{},{}>", value(w), value(h)),
            (v, w, h) => write!(f, "<{};{},{}>", value(v), value(w), value(h)),
        }
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
        self as u8 >= 16
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
        CHANNEL_NAMES[(self.0 & 15) as usize]
    }

    /// The mask that vISA assembly writes so, in any case.
    pub fn from_name(name: &str) -> Option<ChannelMask> {
        CHANNEL_NAMES.iter().position(|n| n.eq_ignore_ascii_case(name)).map(|i| ChannelMask(to_u8(i)))
    }
}

const CHANNEL_NAMES: [&str; 16] =
    ["0000", "R", "G", "RG", "B", "RB", "GB", "RGB", "A", "RA", "GA", "RGA", "BA", "RBA", "GBA", "RGBA"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_count_elements() {
        let r = Region::src(8, 4, 2);
        assert_eq!((r.vstride(), r.width(), r.hstride()), (Some(8), Some(4), Some(2)));
        assert_eq!((0..6).map(|l| r.element(l)).collect::<Vec<_>>(), [0, 2, 4, 6, 8, 10]);
        assert_eq!(Region::src(0, 1, 0).element(7), 0);
        assert_eq!(Region::dst(2).element(3), 6);
        assert_eq!(r.to_string(), "<8;4,2>");
        assert_eq!(Region::dst(1).to_string(), "<1>");
        assert_eq!(Region::from_raw(0x0008), None);
        assert!(Region::src(0, 1, 0).is_scalar() && !Region::src(1, 1, 0).is_scalar());
    }

    #[test]
    fn exec_bytes_round_trip() {
        for raw in 0..=255u8 {
            match Exec::from_raw(raw) {
                Some(exec) => assert_eq!(exec.raw(), raw),
                None => assert!(raw & 15 > 5),
            }
        }
        assert_eq!(EMask::from_name("M3_NM"), Some(EMask::new(2, true)));
        assert_eq!(EMask::new(2, true).offset(), 8);
    }
}
