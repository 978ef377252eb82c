//! Floating-point instructions. Values travel as doubles: single and half arithmetic is done in double,
//! rounded to odd, so that the final rounding is the only one (see [`crate::num`]).

use super::{
    convert::{float_value, from_float, on_the_way},
    math,
    operand::{Computation, each},
    thread::VisaThread,
};
use crate::{
    num::{self, DOUBLE, HALF},
    rounded::{self, add_odd, fma_odd},
    thread::{FloatMode, LANES, Trap},
};
use narrow::{as_index, to_index};
use visa::{Inst, Opcode, Srcs, Type, VectorOperand};

/// Rounds to the type that is computed in.
fn own(x: f64, domain: Type, mode: &FloatMode) -> f64 {
    match domain {
        Type::DF => x,
        Type::HF => HALF.to_f64(HALF.from_f64(x, mode.round)),
        _ => num::to_f32(x, mode.round).into(),
    }
}

/// The NaN that an operation gives: its first NaN source, quiet, or the default one.
fn quiet(sources: &[f64]) -> f64 {
    let bits = sources.iter().find(|x| x.is_nan()).map_or(DOUBLE.quiet_nan(), |x| x.to_bits());
    f64::from_bits(bits | 1 << 51)
}

/// Computes in floats of the type `domain`.
pub(super) fn compute(
    computation: Computation<'_>,
    domain: Type,
    mode: &FloatMode,
    out: &mut [u64; LANES],
) -> Result<(), Trap> {
    use Opcode as O;
    let Computation { opcode, sources: v, mods, dst, sat, on } = computation;
    let double = domain == Type::DF;
    let add = |a, b| {
        if double { rounded::add_f64(a, b, mode.round) } else { rounded::add_odd_in(a, b, mode.round) }
    };
    let mul = |a: f64, b: f64| if double { rounded::mul_f64(a, b, mode.round) } else { a * b };
    let fma = |a, b, c| {
        if double { rounded::fma_f64(a, b, c, mode.round) } else { rounded::add_odd_in(a * b, c, mode.round) }
    };
    for i in each(on) {
        let mut x = [0.0; 4];
        for (k, l) in v.iter().enumerate().take(4) {
            let value = float_value(l.bits[i], l.ty, mods[k], mode);
            // An integer beside floats becomes one first.
            x[k] = if l.ty.is_int() { own(value, domain, mode) } else { value };
        }
        let [a, b, c, _] = x;
        let r = match opcode {
            O::Add => add(a, b),
            O::Mul => mul(a, b),
            O::Mad => fma(a, b, c),
            O::Lrp => {
                let rest = own(add(1.0, -a), domain, mode);
                fma(a, b, own(mul(rest, c), domain, mode))
            }
            O::Frc => {
                let f = a - a.floor();
                if f >= 1.0 { 1.0 - f64::EPSILON } else { f }
            }
            O::Rndd => a.floor(),
            O::Rndu => a.ceil(),
            O::Rnde => a.round_ties_even(),
            O::Rndz => a.trunc(),
            _ if math::is_math(opcode) || matches!(opcode, O::Divm | O::Sqrtm) => {
                math::apply(opcode, a, b, domain, mode.round)?
            }
            other => return Err(format!("{other} on floats is not modelled").into()),
        };
        let r = if r.is_nan() {
            match opcode {
                _ if math::is_math(opcode) => f64::from_bits(DOUBLE.quiet_nan()),
                // The machine's instruction has the addend first.
                O::Mad => quiet(&[c, a, b]),
                _ => quiet(&x[..v.len().min(4)]),
            }
        } else {
            r
        };
        let r = if dst == domain { r } else { own(r, domain, mode) };
        out[i] = from_float(on_the_way(r, domain, dst, mode), dst, sat, mode);
    }
    Ok(())
}

/// Equations of planes and lines, at the coordinates of each channel.
pub(super) fn plane(
    t: &mut VisaThread<'_>,
    inst: &Inst<'_>,
    dst: &VectorOperand,
    srcs: &Srcs<'_>,
    on: u32,
    doubt: u32,
) -> Result<(), Trap> {
    let (n, mode) = (inst.exec.size.lanes(), t.mode);
    let (ty, sat) = (t.dst_type(dst)?, dst.is_saturated());
    let round = |x| own(x, Type::F, &mode);
    let VectorOperand::General(g) = &srcs[0] else {
        return Err("a plane equation in no variable".into());
    };
    let packed = VectorOperand::General(visa::GeneralOperand { region: visa::Region::src(1, 1, 0), ..*g });
    let k = t.load(&packed, 15)?;
    let k: [f64; 4] = std::array::from_fn(|i| float_value(k.bits[i], k.ty, g.modifier, &mode));
    // A line has a coordinate for each channel. Of a plane there are eight coordinates u, then eight v, and once
    // more for the upper lanes of sixteen.
    let own_place = inst.opcode == Opcode::Line || matches!(srcs[1], VectorOperand::Immediate { .. });
    let loaded = match &srcs[1] {
        second if own_place => Some(t.load(second, on)?),
        VectorOperand::Indirect(i) if i.region.vstride().is_some() => {
            let packed = visa::IndirectOperand { region: visa::Region::src(1, 1, 0), ..*i };
            Some(t.load(&VectorOperand::Indirect(packed), crate::thread::mask(2 * n.max(8)))?)
        }
        _ => None,
    };
    let mut out = [0; LANES];
    for i in each(on) {
        let coordinate = |which: u32| -> Result<f64, Trap> {
            if let Some(v) = &loaded {
                let at = if own_place { i } else { i / 8 * 16 + as_index(which) * 8 + i % 8 };
                let bits = v.bits.get(at).ok_or("plane coordinates of more than sixteen channels")?;
                return Ok(float_value(*bits, v.ty, srcs[1].modifier(), &mode));
            }
            let VectorOperand::General(g1) = &srcs[1] else {
                return Err("plane coordinates in no variable".into());
            };
            let at = u32::from(g1.col) + to_index(i / 8) * 16 + which * 8 + to_index(i) % 8;
            let (var, _) = t.var(g1.var)?;
            let from = var + as_index(u32::from(g1.row) * t.program.grf + 4 * at);
            let bytes = t.file.get(from..from + 4).ok_or("plane coordinates past their variable")?;
            let bits = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
            Ok(float_value(bits.into(), Type::F, g1.modifier, &mode))
        };
        let mut r = round(fma_odd(k[0], coordinate(0)?, k[3]));
        if inst.opcode == Opcode::Plane {
            r = round(fma_odd(k[1], coordinate(1)?, r));
        }
        out[i] = from_float(r, ty, sat, &mode);
    }
    t.store(dst, on, &out, doubt)
}

/// Dot products of the elements of four lanes.
pub(super) fn dot_product(
    t: &mut VisaThread<'_>,
    inst: &Inst<'_>,
    dst: &VectorOperand,
    srcs: &Srcs<'_>,
    on: u32,
    doubt: u32,
) -> Result<(), Trap> {
    use Opcode as O;
    let (all, mode) = (crate::thread::mask(inst.exec.size.lanes()), t.mode);
    let (ty, sat) = (t.dst_type(dst)?, dst.is_saturated());
    let mut out = [0; LANES];
    let a = t.load(&srcs[0], all)?;
    let b = t.load(&srcs[1], all)?;
    let x = |k: usize| float_value(a.bits[k], a.ty, srcs[0].modifier(), &mode);
    let y = |k: usize| float_value(b.bits[k], b.ty, srcs[1].modifier(), &mode);
    let computed = if a.ty == Type::DF || b.ty == Type::DF { Type::DF } else { Type::F };
    let round = |x| own(x, computed, &mode);
    let terms = match inst.opcode {
        O::Dp2 => 2,
        O::Dp3 | O::Dph => 3,
        _ => 4,
    };
    let mut undefined = doubt;
    for i in each(on) {
        let g = i & !3;
        let mut sum = round(x(g) * y(g));
        for k in 1..terms {
            sum = round(fma_odd(x(g + k), y(g + k), sum));
        }
        if inst.opcode == O::Dph {
            sum = round(add_odd(sum, y(g + 3)));
        }
        out[i] = from_float(sum, ty, sat, &mode);
        undefined |= u32::from((a.undefined | b.undefined) >> g & 15 != 0) << i;
    }
    t.store(dst, on, &out, undefined)
}
