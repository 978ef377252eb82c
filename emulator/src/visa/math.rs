//! Extended math. The specification grants a few units in the last place; here results are rounded from a
//! double. `divm` and `sqrtm` are correctly rounded.

use crate::{
    num::{div_odd, sqrt_odd},
    thread::Trap,
};
use visa::{Opcode, Type};

/// The functions of the math unit that give floats.
pub(super) const fn is_math(opcode: Opcode) -> bool {
    opcode.is_math()
}

/// The function's value, to be rounded to `domain`.
pub(super) fn apply(opcode: Opcode, a: f64, b: f64, domain: Type) -> Result<f64, Trap> {
    use Opcode as O;
    let double = domain == Type::DF;
    Ok(match opcode {
        O::Inv => 1.0 / a,
        O::Log => a.log2(),
        O::Exp => a.exp2(),
        O::Sqrt => a.sqrt(),
        O::Rsqrt => 1.0 / a.sqrt(),
        O::Sin => a.sin(),
        O::Cos => a.cos(),
        O::Div => a / b,
        O::Pow => a.abs().powf(b),
        O::Tanh => a.tanh(),
        O::Sigm => 1.0 / (1.0 + (-a).exp()),
        O::Divm if double => a / b,
        O::Divm => div_odd(a, b),
        O::Sqrtm if double => a.sqrt(),
        O::Sqrtm => sqrt_odd(a),
        other => return Err(format!("{other} is not modelled").into()),
    })
}
