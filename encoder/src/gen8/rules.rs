//! What differs between the layouts of this family, one row each.

use super::lookup::{Lookup, TYPES_GEN8, TYPES_GEN11};
use gen_ir::Type;
use narrow::const_u8;
use platforms::Gen8Format;

/// Codes of a type field.
#[derive(Clone, Copy)]
pub(super) struct TypeCodes {
    /// The type of each 4-bit code.
    pub types: [Option<Type>; 16],
    codes: [u8; TYPES],
}

const TYPES: usize = S2.index() + 1;
const NO_CODE: u8 = 0xff;

impl TypeCodes {
    const fn new(types: [Option<Type>; 16]) -> Self {
        let mut codes = [NO_CODE; TYPES];
        let mut i = 0;
        while i < 16 {
            if let Some(ty) = types[i] {
                codes[ty.index()] = const_u8(i);
            }
            i += 1;
        }
        TypeCodes { types, codes }
    }

    /// The code of a type, if it has one.
    #[inline]
    pub fn code(&self, ty: Type) -> Option<u8> {
        let code = self.codes[ty.index()];
        (code != NO_CODE).then_some(code)
    }
}

/// A layout's row.
pub(super) struct Rules {
    /// Register operands (`RegDataType`).
    pub reg: TypeCodes,
    /// Immediate operands (`ImmDataType`).
    pub imm: TypeCodes,
    /// Ternary instructions and math macros use the Align16 forms.
    pub align16: bool,
    /// Align16 ternary sources may mix half and single floats (`Src1Type`, `Src2Type`), and start at any half
    /// float (`SubRegNum[1]`).
    pub mixed_half: bool,
    /// `send`: a source region, and no extended descriptor beyond the SFID.
    pub send_region: bool,
    /// A register descriptor's bit 30 must stand in the word too, when data are half floats: the
    /// hardware takes it from there.
    pub half_bit_in_word: bool,
    /// Beside an extended descriptor in a register, the word may hold a length of the second payload, as Intel's
    /// finalizer leaves it there; the reference disassembler takes the register's.
    pub length_beside_register: bool,
    /// Bit 31 of a message's word says that the level of detail is compensated for coarse pixels (Intel's finalizer,
    /// `bitsExDescCPSLOD`; its assembler does not look at that bit).
    pub cps_in_word: bool,
    /// `movi` has a second source: null, or an immediate.
    pub movi_two: bool,
    /// Thread control can say that the instruction is not preempted (`iga64` reads that code from Gen11 on).
    pub no_preempt: bool,
    /// `send` compacts: its descriptor is an ordinary source 1.
    pub send_compacts: bool,
    /// Patterns of files and types that compact (`DataTypeIndex`).
    pub data_types: &'static Lookup,
    /// Bits 24..16 of the null source 0 of `call` (its region).
    pub call_region: u32,
    /// The same of `calla`.
    pub calla_region: u32,
}

use Type::*;
#[rustfmt::skip]
const GEN8_REG: [Option<Type>; 16] = [
    Some(Ud), Some(D), Some(Uw), Some(W), Some(Ub), Some(B), Some(Df), Some(F),
    Some(Uq), Some(Q), Some(Hf), None, None, None, None, None,
];
#[rustfmt::skip]
const GEN8_IMM: [Option<Type>; 16] = [
    Some(Ud), Some(D), Some(Uw), Some(W), Some(Uv), Some(Vf), Some(V), Some(F),
    Some(Uq), Some(Q), Some(Df), Some(Hf), None, None, None, None,
];
#[rustfmt::skip]
const GEN11_REG: [Option<Type>; 16] = [
    Some(Ud), Some(D), Some(Uw), Some(W), Some(Ub), Some(B), Some(Uq), Some(Q),
    Some(Hf), Some(F), Some(Df), Some(Nf), None, None, None, None,
];
#[rustfmt::skip]
const GEN11_IMM: [Option<Type>; 16] = [
    Some(Ud), Some(D), Some(Uw), Some(W), Some(Uv), Some(V), Some(Uq), Some(Q),
    Some(Hf), Some(F), Some(Df), Some(Vf), None, None, None, None,
];

/// `<2;2,1>`, `<2;4,1>`: vertical stride, width, horizontal stride, as bits 24..16 of a source.
const REGION_2_2_1: u32 = 2 << 21 | 1 << 18 | 1 << 16;
const REGION_2_4_1: u32 = 2 << 21 | 2 << 18 | 1 << 16;

static GEN8: Rules = Rules {
    reg: TypeCodes::new(GEN8_REG),
    imm: TypeCodes::new(GEN8_IMM),
    align16: true,
    mixed_half: false,
    send_region: true,
    half_bit_in_word: true,
    length_beside_register: false,
    cps_in_word: false,
    movi_two: false,
    no_preempt: false,
    send_compacts: true,
    data_types: &TYPES_GEN8,
    call_region: 0,
    calla_region: REGION_2_2_1,
};

/// Source: Intel's finalizer (visa/BinaryEncoding.cpp, `Set3SrcSrcType`; Common_BinaryEncoding.h,
/// `CHVcompactOneInstruction3Src`), and its code for it.
static GEN8_LP: Rules = Rules { mixed_half: true, send_compacts: false, ..GEN8 };

static GEN9: Rules = Rules {
    reg: TypeCodes::new(GEN8_REG),
    imm: TypeCodes::new(GEN8_IMM),
    align16: true,
    mixed_half: true,
    send_region: false,
    half_bit_in_word: true,
    length_beside_register: false,
    cps_in_word: false,
    movi_two: false,
    no_preempt: false,
    send_compacts: false,
    data_types: &TYPES_GEN8,
    call_region: REGION_2_2_1,
    calla_region: REGION_2_2_1,
};

static GEN11: Rules = Rules {
    reg: TypeCodes::new(GEN11_REG),
    imm: TypeCodes::new(GEN11_IMM),
    align16: false,
    mixed_half: true,
    send_region: false,
    half_bit_in_word: false,
    length_beside_register: true,
    cps_in_word: true,
    movi_two: true,
    no_preempt: true,
    send_compacts: false,
    data_types: &TYPES_GEN11,
    call_region: REGION_2_4_1,
    calla_region: 0,
};

/// The row of a layout.
#[inline]
pub(super) fn of(format: Gen8Format) -> &'static Rules {
    match format {
        Gen8Format::Gen8 => &GEN8,
        Gen8Format::Gen8Lp => &GEN8_LP,
        Gen8Format::Gen9 => &GEN9,
        Gen8Format::Gen11 => &GEN11,
    }
}
