//! Extended math. The specification grants a few units in the last place; here results are rounded from a
//! double. `divm` and `sqrtm` are correctly rounded.

use super::{operand::each, thread::VisaThread};
use crate::{
    alu::macros,
    num::{DOUBLE, Round, SINGLE},
    rounded::{div_f64, div_odd, sqrt_f64, sqrt_odd},
    thread::{LANES, Trap},
};
use gen_ir::MathFn;
use visa::{Inst, Op, Opcode, Type, VectorOperand};

/// The functions of the math unit that give floats.
pub(super) const fn is_math(opcode: Opcode) -> bool {
    opcode.is_math()
}

/// The function's value, to be rounded to `domain`.
pub(super) fn apply(opcode: Opcode, a: f64, b: f64, domain: Type, mode: Round) -> Result<f64, Trap> {
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
        O::Divm if double => div_f64(a, b, mode),
        O::Divm => div_odd(a, b),
        O::Sqrtm if double => sqrt_f64(a, mode),
        O::Sqrtm => sqrt_odd(a),
        other => return Err(format!("{other} is not modelled").into()),
    })
}

impl VisaThread<'_> {
    /// `invm`, `rsqtm`: an approximation, or where that is all there is to it the result and a predicate that
    /// says so. What is approximated is the hardware's business; ours gives what `math.invm` gives.
    pub fn macro_math(&mut self, inst: &Inst<'_>) -> Result<(), Trap> {
        let Op::MacroMath { dst, flag, srcs } = inst.op else { return Err("no math macro".into()) };
        let VectorOperand::Predicate(early, _) = flag else { return Err("early out to no predicate".into()) };
        let (on, doubt) = self.enabled(inst)?;
        if on == 0 {
            return Ok(());
        }
        let ty = self.dst_type(dst)?;
        let format = match ty {
            Type::F => SINGLE,
            Type::DF => DOUBLE,
            other => return Err(format!("{} on {other}", inst.opcode).into()),
        };
        let function = if inst.opcode == Opcode::Invm { MathFn::Invm } else { MathFn::Rsqtm };
        let v = srcs.iter().map(|s| self.load(s, on)).collect::<Result<Vec<_>, _>>()?;
        let undefined = v.iter().fold(doubt, |u, l| u | l.undefined);
        let (mut out, mut done) = ([0; LANES], 0);
        for i in each(on) {
            let x =
                |k: usize| super::convert::float_value(v[k].bits[i], v[k].ty, srcs[k].modifier(), &self.mode);
            let (bits, last) = macros::alone(function, x(0), x(v.len() - 1), format, self.mode.round);
            out[i] = bits;
            done |= u32::from(last) << i;
        }
        self.set_pred(early.id, inst.exec, on, done, undefined)?;
        self.store(dst, on, &out, undefined)
    }
}
