//! Half, single and double arithmetic.
//!
//! Single precision under round-to-even runs on the processor's own; everything else goes through
//! doubles rounded to odd (see [`crate::num`]), or through double arithmetic with a rounding mode.

use super::lanes::{encode, holds};
use crate::{
    file,
    num::{self, DOUBLE, Round},
    program::{Domain, Operand, Source, Step},
    rounded::{self, add_odd, fma_odd},
    thread::{LANES, Thread, Trap},
};
use gen_ir::{Cond, Op, Type};
use narrow::{as_index, low_u16, low_u32, low_u64, to_f64, to_index};

/// Lanes as doubles, exactly, with source modifiers and denormals as the mode wants them.
pub(super) fn load(t: &Thread, s: &Source, n: usize, on: u32) -> Result<[f64; LANES], Trap> {
    let mut out = [0.0; LANES];
    if s.ty.is_int() {
        let mut v = [0; LANES];
        t.ints(s, n, on, &mut v)?;
        for i in 0..n {
            out[i] = if s.ty == Type::Uq { to_f64(low_u64(v[i])) } else { to_f64(v[i]) };
        }
    } else {
        let mut v = [0; LANES];
        t.raw(s, n, on, &mut v)?;
        let m = &t.mode;
        for i in 0..n {
            out[i] = match s.ty {
                Type::F | Type::Tf32 => {
                    let b = if m.keep_f32 { v[i] } else { num::SINGLE.flush(v[i]) };
                    num::SINGLE.to_f64(b)
                }
                Type::Hf => num::HALF.to_f64(if m.keep_f16 { v[i] } else { num::HALF.flush(v[i]) }),
                Type::Bf => num::bf16_to_f32(low_u16(v[i])).into(),
                Type::Bf8 => num::BF8.to_f64(v[i]),
                _ => f64::from_bits(if m.keep_f64 { v[i] } else { DOUBLE.flush(v[i]) }),
            };
        }
    }
    if s.mods.any() {
        for x in &mut out[..n] {
            let bits = x.to_bits();
            let bits = if s.mods.abs() { bits & !(1 << 63) } else { bits };
            *x = f64::from_bits(if s.mods.neg() { bits ^ 1 << 63 } else { bits });
        }
    }
    Ok(out)
}

/// Lanes as singles; only for single-precision operands.
fn load32(t: &Thread, s: &Source, n: usize, on: u32) -> Result<[f32; LANES], Trap> {
    let mut v = [0; LANES];
    t.ints(s, n, on, &mut v)?;
    let mut out = [0.0; LANES];
    let clear: u32 = if s.mods.abs() { 0x7fff_ffff } else { u32::MAX };
    let flip: u32 = if s.mods.neg() { 0x8000_0000 } else { 0 };
    let keep = t.mode.keep_f32;
    for i in 0..n {
        let mut b = low_u32(v[i]);
        if !keep && b & 0x7f80_0000 == 0 {
            b &= 0x8000_0000;
        }
        out[i] = f32::from_bits(b & clear ^ flip);
    }
    Ok(out)
}

pub(super) fn run(t: &mut Thread, step: &Step, n: usize, on: u32, select: u32) -> Result<(), Trap> {
    let used = usize::from(step.op.info().srcs);
    let single = step.domain == Domain::Single
        && t.mode.round == Round::Even
        && step.src[..used].iter().all(|s| s.ty == Type::F)
        && step.dst.ty == Type::F
        && !step.acc_write;
    if single && fast(t, step, n, on)? {
        return Ok(());
    }
    slow(t, step, n, on, select)
}

/// The common single-precision operations.
fn fast(t: &mut Thread, step: &Step, n: usize, on: u32) -> Result<bool, Trap> {
    let [s0, s1, s2] = &step.src;
    let mut r = [0.0f32; LANES];
    match step.op {
        Op::Add | Op::Mul | Op::Cmp | Op::Mad => {}
        _ => return Ok(false),
    }
    let a = load32(t, s0, n, on)?;
    let b = load32(t, s1, n, on)?;
    let mut c = [0.0; LANES];
    match step.op {
        Op::Add => (0..n).for_each(|i| r[i] = a[i] + b[i]),
        Op::Mul => (0..n).for_each(|i| r[i] = a[i] * b[i]),
        Op::Mad => {
            c = load32(t, s2, n, on)?;
            (0..n).for_each(|i| r[i] = b[i].mul_add(c[i], a[i]));
        }
        _ => {
            let Some(k) = step.cond else { return Err("a compare without a condition".into()) };
            let mut hits = 0;
            for i in 0..n {
                hits |= u32::from(holds(k.cond, a[i].partial_cmp(&b[i]))) << i;
            }
            t.set_flag(&k, step, on, hits);
            super::wide::truth(t, step, n, on, hits)?;
            return Ok(true);
        }
    }
    let mut out = [0; LANES];
    let keep = t.mode.keep_f32;
    for i in 0..n {
        let mut x = r[i];
        if x.is_nan() {
            x = f32::from_bits(quiet32(&[a[i], b[i], c[i]]));
        }
        if step.sat {
            x = if x > 0.0 { x.min(1.0) } else { 0.0 };
        }
        let b = x.to_bits();
        out[i] = u64::from(if !keep && b & 0x7f80_0000 == 0 { b & 0x8000_0000 } else { b });
    }
    finish(t, step, n, on, &out, |i| f64::from(f32::from_bits(low_u32(out[i]))))?;
    Ok(true)
}

/// The NaN that an operation on these gives: the first one among them, quiet, or the default.
fn quiet32(sources: &[f32]) -> u32 {
    sources.iter().find(|x| x.is_nan()).map_or(0x7fc0_0000, |x| x.to_bits() | 0x40_0000)
}

fn quiet64(sources: &[f64]) -> f64 {
    let bits = sources.iter().find(|x| x.is_nan()).map_or(DOUBLE.quiet_nan(), |x| x.to_bits());
    f64::from_bits(bits | 1 << 51)
}

fn slow(t: &mut Thread, step: &Step, n: usize, on: u32, select: u32) -> Result<(), Trap> {
    let [s0, s1, s2] = &step.src;
    let used = step.op.info().srcs;
    let a = load(t, s0, n, on)?;
    // A constant has all elements of a four-tuple, however few channels there are.
    let tuple = if matches!(s1.what, Operand::Imm(_)) { n.max(4) } else { n };
    let b = if used > 1 { load(t, s1, tuple, on)? } else { [0.0; LANES] };
    let c = if used > 2 { load(t, s2, n, on)? } else { [0.0; LANES] };
    let double = step.domain == Domain::Double;
    let mode = t.mode.round;
    let add = |x, y| if double { rounded::add_f64(x, y, mode) } else { rounded::add_odd_in(x, y, mode) };
    let mul = |x: f64, y: f64| if double { rounded::mul_f64(x, y, mode) } else { x * y };
    let fma =
        |x, y, z| if double { rounded::fma_f64(x, y, z, mode) } else { rounded::add_odd_in(x * y, z, mode) };
    // What an intermediate result of single or half arithmetic becomes in its own type.
    let own = |x: f64| match step.domain {
        Domain::Double => x,
        Domain::Half => num::HALF.to_f64(num::HALF.from_f64(x, mode)),
        _ => num::to_f32(x, mode).into(),
    };
    let acc = if step.op == Op::Mac { implicit(t, step, n)? } else { [0.0; LANES] };
    let mut r = [0.0f64; LANES];
    match step.op {
        Op::Cmp | Op::Cmpn => return compared(t, step, n, on, &a, &b),
        Op::Dp2 | Op::Dp3 | Op::Dp4 | Op::Dph | Op::Line | Op::Pln => {
            across(t, step, n, &a, &b, &own, &mut r)?
        }
        _ => {
            for i in 0..n {
                let (a, b, c) = (a[i], b[i], c[i]);
                r[i] = match step.op {
                    Op::Mov | Op::Smov => a,
                    Op::Add => add(a, b),
                    Op::Add3 => add(own(add(a, b)), c),
                    Op::Mul => mul(a, b),
                    Op::Mad => fma(b, c, a),
                    Op::Mac => fma(a, b, acc[i]),
                    Op::Lrp => {
                        let rest = own(add(1.0, -a));
                        fma(a, b, own(mul(rest, c)))
                    }
                    Op::Frc => {
                        let f = a - a.floor();
                        if f >= 1.0 { 1.0 - f64::EPSILON } else { f }
                    }
                    Op::Rndd => a.floor(),
                    Op::Rndu => a.ceil(),
                    Op::Rnde => a.round_ties_even(),
                    Op::Rndz => a.trunc(),
                    Op::Sel => match step.cond {
                        None => {
                            if select >> i & 1 != 0 {
                                a
                            } else {
                                b
                            }
                        }
                        Some(k) => choose(k.cond, a, b),
                    },
                    Op::Csel => {
                        let cond = step.cond.map_or(Cond::Ne, |k| k.cond);
                        if holds(cond, c.partial_cmp(&0.0)) { a } else { b }
                    }
                    op => return Err(format!("{op} does not work on floats").into()),
                };
                if r[i].is_nan() && !matches!(step.op, Op::Mov | Op::Sel | Op::Csel) {
                    r[i] = quiet64(&[a, b, c][..used.into()]);
                }
            }
        }
    }
    store_rounded(t, step, n, on, &r, &own)
}

/// `cmp`, `cmpn`: the flag, and the destination's truth values.
fn compared(
    t: &mut Thread,
    step: &Step,
    n: usize,
    on: u32,
    a: &[f64; LANES],
    b: &[f64; LANES],
) -> Result<(), Trap> {
    let Some(k) = step.cond else { return Err("a compare without a condition".into()) };
    let mut hits = 0;
    for i in 0..n {
        let nan = step.op == Op::Cmpn && b[i].is_nan();
        hits |= u32::from(nan || holds(k.cond, a[i].partial_cmp(&b[i]))) << i;
    }
    t.set_flag(&k, step, on, hits);
    super::wide::truth(t, step, n, on, hits)
}

/// Stores results of arithmetic in the destination's type; `own` rounds to that of the operation.
fn store_rounded(
    t: &mut Thread,
    step: &Step,
    n: usize,
    on: u32,
    r: &[f64; LANES],
    own: &impl Fn(f64) -> f64,
) -> Result<(), Trap> {
    let mut out = [0; LANES];
    let ty = step.dst.ty;
    for i in 0..n {
        // A result goes through the type it was computed in; moves have no type of their own.
        let x = if step.op == Op::Mov || ty == natural(step.domain) { r[i] } else { own(r[i]) };
        out[i] = encode(x, ty, t, step.sat);
    }
    let rounded: [f64; LANES] =
        std::array::from_fn(|i| if i < n { decode(out[i], ty, own(r[i])) } else { 0.0 });
    if step.acc_write {
        let size = ty.bytes();
        for i in 0..n {
            if on >> i & 1 != 0 {
                let at = as_index(file::ACC + to_index(i) * size);
                t.rf[at..at + as_index(size)].copy_from_slice(&out[i].to_le_bytes()[..as_index(size)]);
            }
        }
    }
    finish(t, step, n, on, &out, |i| rounded[i])
}

fn natural(domain: Domain) -> Type {
    match domain {
        Domain::Double => Type::Df,
        Domain::Half => Type::Hf,
        _ => Type::F,
    }
}

fn decode(bits: u64, ty: Type, otherwise: f64) -> f64 {
    match ty {
        Type::F => f32::from_bits(low_u32(bits)).into(),
        Type::Hf => num::HALF.to_f64(bits),
        Type::Df => f64::from_bits(bits),
        _ => otherwise,
    }
}

/// Minimum and maximum: a NaN loses against a number.
fn choose(cond: Cond, a: f64, b: f64) -> f64 {
    let minmax = matches!(cond, Cond::Ge | Cond::Lt);
    if minmax && a.is_nan() {
        return b;
    }
    if minmax && b.is_nan() || holds(cond, a.partial_cmp(&b)) { a } else { b }
}

fn implicit(t: &Thread, step: &Step, n: usize) -> Result<[f64; LANES], Trap> {
    let ty = natural(step.domain);
    let what = Operand::Direct { at: file::ACC, shape: crate::program::Shape::Linear(ty.bytes()) };
    load(t, &Source { what, ty, ..crate::program::NO_SOURCE }, n, 0)
}

/// Operations that mix channels of a group of four, and those with a replicated first source.
fn across(
    t: &Thread,
    step: &Step,
    n: usize,
    a: &[f64; LANES],
    b: &[f64; LANES],
    own: &dyn Fn(f64) -> f64,
    r: &mut [f64; LANES],
) -> Result<(), Trap> {
    match step.op {
        Op::Line | Op::Pln => {
            // src0 holds p, q, -, r of the plane equation.
            let Operand::Direct { at, .. } = step.src[0].what else {
                return Err("a plane equation that is no register".into());
            };
            let k = |i: u32| f64::from(f32::from_bits(t.u32_at(at + 4 * i)));
            let (p, q, c) = (k(0), k(1), k(3));
            let plane = step.op == Op::Pln;
            let [first, second] = if plane { plane_coordinates(t, step, n)? } else { [*b, [0.0; LANES]] };
            for i in 0..n {
                let x = own(fma_odd(p, first[i], c));
                r[i] = if plane { own(fma_odd(q, second[i], x)) } else { x };
            }
        }
        op => {
            let terms = match op {
                Op::Dp2 => 2,
                Op::Dp3 | Op::Dph => 3,
                _ => 4,
            };
            for i in 0..n {
                let g = i & !3;
                let mut sum = own(a[g] * b[g]);
                for k in 1..terms {
                    sum = own(fma_odd(a[g + k], b[g + k], sum));
                }
                if op == Op::Dph {
                    sum = own(add_odd(sum, b[g + 3]));
                }
                r[i] = sum;
            }
        }
    }
    Ok(())
}

/// Coordinates of a plane equation: a register of eight channels' `u`, one of their `v`, and so on for the upper ones
/// (specification of vISA, PLANE; Intel's finalizer reads them so where it expands the instruction).
fn plane_coordinates(t: &Thread, step: &Step, n: usize) -> Result<[[f64; LANES]; 2], Trap> {
    let Operand::Direct { at, shape } = step.src[1].what else {
        return Err("plane coordinates that are no register".into());
    };
    let mut both = [[0.0; LANES]; 2];
    for group in 0..n.div_ceil(8) {
        for (k, coordinates) in both.iter_mut().enumerate() {
            let next = at + 32 * to_index(2 * group + k);
            let what = Operand::Direct { at: next, shape };
            let eight = load(t, &Source { what, ..step.src[1] }, 8, 0)?;
            coordinates[8 * group..8 * group + 8].copy_from_slice(&eight[..8]);
        }
    }
    Ok(both)
}

/// Stores result bits and evaluates the condition on the stored value.
fn finish(
    t: &mut Thread,
    step: &Step,
    n: usize,
    on: u32,
    out: &[u64; LANES],
    value: impl Fn(usize) -> f64,
) -> Result<(), Trap> {
    if let Some(c) = step.cond
        && !step.op.info().chooses
    {
        let mut hits = 0;
        for i in 0..n {
            let v = value(i);
            let hit = match c.cond {
                Cond::Ov => v.is_infinite(),
                cond => holds(cond, v.partial_cmp(&0.0)),
            };
            hits |= u32::from(hit) << i;
        }
        t.set_flag(&c, step, on, hits);
    }
    t.put(&step.dst, n, on, out)?;
    if step.dst.acc {
        super::set_wide(t, step, n, on, &[0; LANES], 0);
    }
    Ok(())
}
