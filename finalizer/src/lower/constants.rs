//! Operations on two constants: their result is one.

use gen_ir::{Op, Src, Type};
use narrow::low_u32;

use crate::build::VSrc;

/// The constant that an operation on two of them gives, of the destination's type; none where it is not known here: all are
/// dwords, but for the count of a shift, and a vector of constants has one for each channel. (Compilers fold nearly all; what is left
/// asks for the width of a subgroup.)
pub(super) fn result(op: Op, to: Type, a: VSrc, b: VSrc) -> Option<VSrc> {
    let shifts = matches!(op, Op::Shl | Op::Shr | Op::Asr);
    let constant = |src: VSrc, any_width: bool| match src {
        Src::Imm { bits, ty }
            if ty.is_dword() || any_width && ty.is_int() && !ty.is_vector() && ty.bytes() < 4 =>
        {
            Some(low_u32(bits))
        }
        _ => None,
    };
    let has_sign = a.ty() == Some(Type::D);
    let (a, b) = (constant(a, false)?, constant(b, shifts)?);
    let value = match op {
        Op::Add => a.wrapping_add(b),
        Op::Mul => a.wrapping_mul(b),
        Op::And => a & b,
        Op::Or => a | b,
        Op::Xor => a ^ b,
        // The low five bits count.
        Op::Shl => a << (b & 31),
        Op::Shr => a >> (b & 31),
        Op::Asr if has_sign => (a.cast_signed() >> (b & 31)).cast_unsigned(),
        _ => return None,
    };
    to.is_dword().then(|| Src::imm(value.into(), to))
}
