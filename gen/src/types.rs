//! Operand data types.

use std::fmt;

/// The data type of an operand, under the names that the manuals' assembly uses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Type {
    /// Unsigned byte.
    Ub,
    /// Signed byte.
    B,
    /// Unsigned word (16 bits).
    Uw,
    /// Signed word.
    W,
    /// Unsigned dword (32 bits).
    Ud,
    /// Signed dword.
    D,
    /// Unsigned qword (64 bits).
    Uq,
    /// Signed qword.
    Q,
    /// Half float.
    Hf,
    /// Single float.
    F,
    /// Double float.
    Df,
    /// Native float (Gen11 accumulator format).
    Nf,
    /// bfloat16.
    Bf,
    /// 8-bit float (E5M2): `dpas`, conversions.
    Bf8,
    /// TensorFloat-32: `dpas`, conversions.
    Tf32,
    /// Immediate: eight packed signed 4-bit integers, each a word.
    V,
    /// Immediate: eight packed unsigned 4-bit integers, each a word.
    Uv,
    /// Immediate: four packed 8-bit restricted floats.
    Vf,
    /// `dpas` source: packed unsigned 4-bit integers.
    U4,
    /// `dpas` source: packed signed 4-bit integers.
    S4,
    /// `dpas` source: packed unsigned 2-bit integers.
    U2,
    /// `dpas` source: packed signed 2-bit integers.
    S2,
}

narrow::enum_numbers!(Type: number u8, index usize);

impl Type {
    /// Bytes one element takes in a register; packed immediates count as the element they expand to,
    /// sub-byte `dpas` elements as one byte.
    pub const fn bytes(self) -> u32 {
        match self {
            Type::Ub | Type::B | Type::Bf8 | Type::U4 | Type::S4 | Type::U2 | Type::S2 => 1,
            Type::Uw | Type::W | Type::Hf | Type::Bf | Type::V | Type::Uv => 2,
            Type::Ud | Type::D | Type::F | Type::Tf32 | Type::Vf => 4,
            Type::Uq | Type::Q | Type::Df | Type::Nf => 8,
        }
    }

    /// Whether this is a packed immediate, which holds another value for each channel.
    pub const fn is_vector(self) -> bool {
        matches!(self, Type::V | Type::Uv | Type::Vf)
    }

    /// The type of the elements that a packed immediate expands to; any other type is itself.
    pub const fn of_elements(self) -> Type {
        match self {
            Type::V => Type::W,
            Type::Uv => Type::Uw,
            Type::Vf => Type::F,
            other => other,
        }
    }

    /// Bits of an element, less than a byte in `dpas` alone.
    pub const fn bits(self) -> u32 {
        match self {
            Type::U4 | Type::S4 => 4,
            Type::U2 | Type::S2 => 2,
            ty => 8 * ty.bytes(),
        }
    }

    /// Whether this is a floating-point type.
    pub const fn is_float(self) -> bool {
        matches!(
            self,
            Type::Hf | Type::F | Type::Df | Type::Nf | Type::Bf | Type::Bf8 | Type::Tf32 | Type::Vf
        )
    }

    /// Whether a move from one to the other leaves the bits as they are: the same type, up to an integer's sign.
    #[inline]
    pub fn same_bits(self, other: Type) -> bool {
        self == other || self.is_int() && other.is_int() && self.bytes() == other.bytes()
    }

    /// Whether this is an integer type (packed integer immediates included).
    pub const fn is_int(self) -> bool {
        !self.is_float()
    }

    /// `W` or `UW`.
    pub const fn is_word(self) -> bool {
        matches!(self, Type::W | Type::Uw)
    }

    /// Whether this is an integer type of 32 bits.
    pub const fn is_dword(self) -> bool {
        matches!(self, Type::D | Type::Ud)
    }

    /// Whether this is a signed integer type.
    pub const fn is_signed(self) -> bool {
        matches!(self, Type::B | Type::W | Type::D | Type::Q | Type::V | Type::S4 | Type::S2)
    }

    /// The unsigned integer type of `bytes` bytes (1, 2, 4 or 8).
    pub const fn unsigned(bytes: u32) -> Option<Type> {
        match bytes {
            1 => Some(Type::Ub),
            2 => Some(Type::Uw),
            4 => Some(Type::Ud),
            8 => Some(Type::Uq),
            _ => None,
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The value of a half float (IEEE 754 binary16), which single precision has exactly. Signalling NaNs stay as they are.
pub fn half_to_f32(bits: u16) -> f32 {
    let sign = u32::from(bits >> 15) << 31;
    let (exponent, fraction) = (u32::from(bits >> 10 & 31), bits & 0x3ff);
    match exponent {
        0 => {
            let magnitude = f32::from(fraction) * 2f32.powi(-24);
            f32::from_bits(magnitude.to_bits() | sign)
        }
        31 => f32::from_bits(sign | 0x7f80_0000 | u32::from(fraction) << 13),
        _ => f32::from_bits(sign | (exponent + 112) << 23 | u32::from(fraction) << 13),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_have_their_values() {
        assert_eq!(half_to_f32(0x3c00), 1.0);
        assert_eq!(half_to_f32(0xc000), -2.0);
        assert_eq!(half_to_f32(0x0001), 2f32.powi(-24));
        assert_eq!(half_to_f32(0x7bff), 65504.0);
        assert!(half_to_f32(0x7c00).is_infinite() && half_to_f32(0x7e00).is_nan());
    }
}
