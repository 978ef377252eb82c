//! 64-bit integers, computed in 128.

use super::lanes::{bfn, holds, range, set_acc, truth_table};
use crate::{
    num::{BF16, DOUBLE, HALF, SINGLE},
    program::{Source, Step},
    thread::{LANES, Thread, Trap},
};
use gen_ir::{Cond, Op, Type};
use narrow::{low_i64, low_u32, low_u64, to_u8};

type Lanes = [i128; LANES];

fn load(t: &Thread, s: &Source, logic: bool, n: usize, on: u32) -> Result<Lanes, Trap> {
    let mut v = [0; LANES];
    t.ints(s, n, on, &mut v)?;
    let mut out = [0; LANES];
    for i in 0..n {
        let x = if s.ty == Type::Uq { i128::from(low_u64(v[i])) } else { i128::from(v[i]) };
        let x = if s.mods.abs() { x.abs() } else { x };
        out[i] = match s.mods.neg() {
            true if logic => !x,
            true => -x,
            false => x,
        };
    }
    Ok(out)
}

fn bits(x: i128, ty: Type) -> u64 {
    match ty.bytes() {
        8 => low_u64(x),
        n => low_u64(x) & ((1 << (n * 8)) - 1),
    }
}

pub(super) fn run(t: &mut Thread, step: &Step, n: usize, on: u32, select: u32) -> Result<(), Trap> {
    let info = step.op.info();
    let [s0, s1, s2] = &step.src;
    let logic = info.logic || step.op == Op::Bfn;
    let a = load(t, s0, logic, n, on)?;
    let b = if info.srcs > 1 { load(t, s1, logic, n, on)? } else { [0; LANES] };
    let c = if info.srcs > 2 { load(t, s2, logic, n, on)? } else { [0; LANES] };
    let ty0 = s0.ty;
    // Six bits of a shift count matter where 64-bit values are shifted.
    let count = if s0.ty.bytes() == 8 || step.dst.ty.bytes() == 8 { 63 } else { 31 };
    let width = ty0.bytes() * 8;
    let mut r = [0i128; LANES];
    if matches!(step.op, Op::Cmp | Op::Cmpn) {
        let Some(cond) = step.cond else { return Err("a compare without a condition".into()) };
        let mut hits = 0;
        for i in 0..n {
            hits |= u32::from(holds(cond.cond, Some(a[i].cmp(&b[i])))) << i;
        }
        t.set_flag(&cond, step, on, hits);
        return truth(t, step, n, on, hits);
    }
    for i in 0..n {
        let (a, b, c) = (a[i], b[i], c[i]);
        let sh = low_u32(b & count);
        r[i] = match step.op {
            Op::Mov | Op::Smov => a,
            Op::Not => !a,
            Op::And => a & b,
            Op::Or => a | b,
            Op::Xor => a ^ b,
            Op::Add => a + b,
            Op::Add3 => a + b + c,
            Op::Mul => a.wrapping_mul(b),
            Op::Mad => a.wrapping_add(b.wrapping_mul(c)),
            Op::Avg => (a + b + 1) >> 1,
            Op::Shl => a << sh,
            Op::Shr => i128::from(bits(a, ty0) >> sh),
            Op::Asr => a >> sh,
            Op::Rol | Op::Ror => {
                let v = bits(a, ty0);
                let k = low_u32(b) & (width - 1);
                let left = if step.op == Op::Rol { k } else { (width - k) % width };
                if left == 0 { v.into() } else { i128::from(v << left | v >> (width - left)) }
            }
            Op::Sel => match step.cond {
                None if select >> i & 1 != 0 => a,
                None => b,
                Some(k) if holds(k.cond, Some(a.cmp(&b))) => a,
                Some(_) => b,
            },
            Op::Csel => {
                let cond = step.cond.map_or(Cond::Ne, |k| k.cond);
                if holds(cond, Some(c.cmp(&0))) { a } else { b }
            }
            Op::Bfn => i128::from(bfn(truth_table(step), low_i64(a), low_i64(b), low_i64(c))),
            Op::Cbit => i128::from(bits(a, ty0).count_ones()),
            Op::Lzd => i128::from(bits(a, ty0).leading_zeros()) - i128::from(64 - width),
            Op::Fbl => {
                let v = bits(a, ty0);
                if v == 0 { 0xffff_ffff } else { v.trailing_zeros().into() }
            }
            op => return Err(format!("{op} does not work on 64-bit integers").into()),
        };
    }
    store(t, step, n, on, &r)
}

/// The destination of a compare: all bits of a lane where it holds.
pub(super) fn truth(t: &mut Thread, step: &Step, n: usize, on: u32, hits: u32) -> Result<(), Trap> {
    if step.dst.what == crate::program::DestPlace::Null {
        return Ok(());
    }
    let mut out = [0; LANES];
    for (i, o) in out[..n].iter_mut().enumerate() {
        *o = if hits >> i & 1 != 0 { u64::MAX } else { 0 };
    }
    t.put(&step.dst, n, on, &out)
}

fn store(t: &mut Thread, step: &Step, n: usize, on: u32, r: &Lanes) -> Result<(), Trap> {
    let ty = step.dst.ty;
    let (min, max) = range(ty);
    let mode = t.mode.round;
    let mut out = [0; LANES];
    let mut hits = 0;
    for i in 0..n {
        out[i] = match ty {
            // From zero to one: nothing between them is an integer.
            _ if step.sat && !ty.is_int() => super::encode(f64::from(u8::from(r[i] > 0)), ty, t, false),
            Type::F => SINGLE.from_int(r[i], mode),
            Type::Hf => HALF.from_int(r[i], mode),
            Type::Bf => BF16.from_int(r[i], mode),
            Type::Df | Type::Nf => DOUBLE.from_int(r[i], mode),
            _ if step.sat => low_u64(r[i].clamp(min, max)),
            _ => low_u64(r[i]),
        };
        if let Some(c) = step.cond {
            let k = 64 - ty.bytes() * 8;
            let v = match ty {
                _ if !ty.is_int() => r[i],
                _ if ty.is_signed() => i128::from(low_i64(out[i]) << k >> k),
                _ => i128::from(out[i] << k >> k),
            };
            let hit = match c.cond {
                Cond::Ov => ty.is_int() && !(min..=max).contains(&r[i]),
                cond => holds(cond, Some(v.cmp(&0))),
            };
            hits |= u32::from(hit) << i;
        }
    }
    if let Some(c) = step.cond
        && !step.op.info().chooses
    {
        t.set_flag(&c, step, on, hits);
    }
    if step.acc_write || step.dst.acc && ty.bytes() < 8 {
        let mut low = [0; LANES];
        for i in 0..n {
            low[i] = low_i64(r[i]);
        }
        if step.acc_write {
            set_acc(t, n, on, &low, ty.bytes().max(2));
        } else {
            super::set_wide(t, step, n, on, &low, to_u8(ty.bytes()));
        }
    }
    t.put(&step.dst, n, on, &out)
}
