//! Extended math. The hardware's float functions are good to a few units in the last place; here they
//! are rounded from a double.

use super::{
    float,
    lanes::{encode, holds},
    macros,
};
use crate::{
    num::{DOUBLE, HALF, SINGLE},
    program::{Extra, Step},
    thread::{LANES, Thread, Trap},
};
use gen_ir::{MathFn, Type};
use narrow::{low_u64, to_index};

pub(super) fn run(t: &mut Thread, step: &Step, n: usize, on: u32) -> Result<(), Trap> {
    let Extra::Math(function) = step.extra else { return Err("math without a function".into()) };
    match function {
        MathFn::Idivmod | MathFn::Iqot | MathFn::Irem => return divide(t, step, n, on, function),
        MathFn::Invm | MathFn::Rsqtm => return macros::start(t, step, n, on, function),
        _ => {}
    }
    let a = float::load(t, &step.src[0], n, on)?;
    let two = matches!(function, MathFn::Fdiv | MathFn::Pow);
    let b = if two { float::load(t, &step.src[1], n, on)? } else { [0.0; LANES] };
    let mut out = [0; LANES];
    let mut hits = 0;
    for i in 0..n {
        let (x, y) = (a[i], b[i]);
        let r = match function {
            MathFn::Inv => 1.0 / x,
            MathFn::Log => x.log2(),
            MathFn::Exp => x.exp2(),
            MathFn::Sqt => x.sqrt(),
            MathFn::Rsqt => 1.0 / x.sqrt(),
            MathFn::Sin => x.sin(),
            MathFn::Cos => x.cos(),
            MathFn::Fdiv => x / y,
            MathFn::Pow => x.abs().powf(y),
            other => return Err(format!("math function {other:?} is not modelled").into()),
        };
        let r = if r.is_nan() { f64::from_bits(DOUBLE.quiet_nan()) } else { r };
        out[i] = encode(r, step.dst.ty, t, step.sat);
        if let Some(c) = step.cond {
            let v = match step.dst.ty {
                Type::Hf => HALF.to_f64(out[i]),
                Type::F => SINGLE.to_f64(out[i]),
                _ => r,
            };
            hits |= u32::from(holds(c.cond, v.partial_cmp(&0.0))) << i;
        }
    }
    if let Some(c) = step.cond {
        t.set_flag(&c, step, on, hits);
    }
    t.put(&step.dst, n, on, &out)
}

/// Integer division: truncating, the remainder with the dividend's sign.
fn divide(t: &mut Thread, step: &Step, n: usize, on: u32, function: MathFn) -> Result<(), Trap> {
    let (mut a, mut b) = ([0; LANES], [0; LANES]);
    for (s, v) in [(&step.src[0], &mut a), (&step.src[1], &mut b)] {
        t.ints(s, n, on, v)?;
        for x in &mut v[..n] {
            if s.mods.abs() {
                *x = x.abs();
            }
            if s.mods.neg() {
                *x = -*x;
            }
        }
    }
    let signed = step.src[0].ty.is_signed();
    let (mut quotient, mut remainder) = ([0; LANES], [0; LANES]);
    for i in 0..n {
        let (q, r) = match (b[i], signed) {
            (0, false) => (u32::MAX.into(), u32::MAX.into()),
            // PRM: the largest value of the dividend's sign.
            (0, true) if a[i] < 0 => (i32::MIN.into(), i32::MIN.into()),
            (0, true) => (i32::MAX.into(), i32::MAX.into()),
            (d, _) => (a[i] / d, a[i] % d),
        };
        quotient[i] = low_u64(q);
        remainder[i] = low_u64(r);
    }
    match function {
        MathFn::Irem => t.put(&step.dst, n, on, &remainder),
        MathFn::Iqot => t.put(&step.dst, n, on, &quotient),
        _ => {
            t.put(&step.dst, n, on, &quotient)?;
            let mut second = step.dst;
            if let crate::program::DestPlace::Direct(at) = &mut second.what {
                *at += t.grf_bytes();
                if *at + to_index(n) * second.stride > t.grf_end {
                    return Err("a remainder past the last register".into());
                }
            }
            t.put(&second, n, on, &remainder)
        }
    }
}
