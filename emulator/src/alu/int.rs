//! Integers of up to 32 bits, computed in 64.

use super::lanes::{acc, bfn, holds, range, set_acc, set_wide, truth_table};
use crate::{
    num::{BF16, DOUBLE, HALF, Round, SINGLE},
    program::{Source, Step},
    thread::{LANES, Thread, Trap},
};
use gen_ir::{Cond, Op, Type};
use narrow::{low_i8, low_i32, low_i64, low_u8, low_u32, low_u64, to_f32, to_u8};

type Lanes = [i64; LANES];

fn load(t: &Thread, s: &Source, logic: bool, n: usize, on: u32) -> Result<Lanes, Trap> {
    let mut v = [0; LANES];
    t.ints(s, n, on, &mut v)?;
    if s.mods.any() {
        for x in &mut v[..n] {
            if s.mods.abs() {
                *x = x.wrapping_abs();
            }
            if s.mods.neg() {
                *x = if logic { !*x } else { x.wrapping_neg() };
            }
        }
    }
    Ok(v)
}

/// The bits a source's type has, as a number without sign.
fn unsigned(x: i64, ty: Type) -> u64 {
    let bits = ty.bytes() * 8;
    if bits >= 64 { low_u64(x) } else { low_u64(x) & ((1 << bits) - 1) }
}

#[inline(always)]
fn map1(n: usize, a: &Lanes, f: impl Fn(i64) -> i64) -> Lanes {
    let mut r = [0; LANES];
    for i in 0..n {
        r[i] = f(a[i]);
    }
    r
}

#[inline(always)]
fn map2(n: usize, a: &Lanes, b: &Lanes, f: impl Fn(i64, i64) -> i64) -> Lanes {
    let mut r = [0; LANES];
    for i in 0..n {
        r[i] = f(a[i], b[i]);
    }
    r
}

#[inline(always)]
fn map3(n: usize, a: &Lanes, b: &Lanes, c: &Lanes, f: impl Fn(i64, i64, i64) -> i64) -> Lanes {
    let mut r = [0; LANES];
    for i in 0..n {
        r[i] = f(a[i], b[i], c[i]);
    }
    r
}

pub(super) fn run(t: &mut Thread, step: &Step, n: usize, on: u32, select: u32) -> Result<(), Trap> {
    let info = step.op.info();
    let [s0, s1, s2] = &step.src;
    let logic = info.logic || step.op == Op::Bfn;
    // Pairs are read together even where only the first channel runs.
    let pairs = matches!(step.op, Op::Sad2 | Op::Sada2);
    let reads = if pairs { on | (on & 0x5555_5555) << 1 } else { on };
    let a = load(t, s0, logic, n, reads)?;
    let b = if info.srcs > 1 { load(t, s1, logic, n, reads)? } else { [0; LANES] };
    let c = if info.srcs > 2 { load(t, s2, logic, n, on)? } else { [0; LANES] };
    let ty0 = s0.ty;
    let width0 = ty0.bytes() * 8;
    let signed = ty0.is_signed() || s1.ty.is_signed() && info.srcs > 1;
    let wide_size = |ty: Type| if ty.bytes() <= 2 { 2 } else { 4 };
    let r = match step.op {
        Op::Mov | Op::Smov => a,
        Op::Not => map1(n, &a, |a| !a),
        Op::And => map2(n, &a, &b, |a, b| a & b),
        Op::Or => map2(n, &a, &b, |a, b| a | b),
        Op::Xor => map2(n, &a, &b, |a, b| a ^ b),
        Op::Add => map2(n, &a, &b, |a, b| a + b),
        Op::Add3 => map3(n, &a, &b, &c, |a, b, c| a + b + c),
        Op::Mul => map2(n, &a, &b, i64::wrapping_mul),
        Op::Mad => map3(n, &a, &b, &c, |a, b, c| a.wrapping_add(b.wrapping_mul(c))),
        Op::Avg => map2(n, &a, &b, |a, b| (a + b + 1) >> 1),
        Op::Shl => map2(n, &a, &b, |a, b| a << (b & 31)),
        Op::Shr => map2(n, &a, &b, |a, b| low_i64(unsigned(a, ty0) >> (b & 31))),
        Op::Asr => map2(n, &a, &b, |a, b| a >> (b & 31)),
        Op::Rol | Op::Ror => map2(n, &a, &b, |a, b| {
            let v = unsigned(a, ty0);
            let k = low_u32(low_u64(b) & u64::from(width0 - 1));
            let left = if step.op == Op::Rol { k } else { (width0 - k) % width0 };
            if left == 0 { low_i64(v) } else { low_i64(v << left | v >> (width0 - left)) }
        }),
        Op::Cmp | Op::Cmpn => {
            return compare(t, step, n, on, &a, &b);
        }
        Op::Sel => match step.cond {
            None => map_select(n, &a, &b, select),
            Some(c) => map2(n, &a, &b, |a, b| if holds(c.cond, Some(a.cmp(&b))) { a } else { b }),
        },
        Op::Csel => {
            let cond = step.cond.map_or(Cond::Ne, |c| c.cond);
            let r = map3(n, &a, &b, &c, |a, b, c| if holds(cond, Some(c.cmp(&0))) { a } else { b });
            return store(t, step, n, on, &r);
        }
        Op::Bfn => map3(n, &a, &b, &c, |a, b, c| bfn(truth_table(step), a, b, c)),
        Op::Addc | Op::Subb => carried(t, step.op, n, on, [&a, &b]),
        Op::Mac => {
            // The accumulator's elements have the destination's type.
            let size = wide_size(step.dst.ty);
            let k = acc(t, n, size, signed);
            map3(n, &a, &b, &k, |a, b, k| k.wrapping_add(a.wrapping_mul(b)))
        }
        Op::Mach | Op::Macl => {
            let k = acc(t, n, 4, signed);
            let r = product_part(t, step, n, on, [&a, &b, &k]);
            return store(t, step, n, on, &r);
        }
        Op::Sad2 | Op::Sada2 => {
            // The second channel of a pair gets something undefined (volume 2a, `sad2`): here zero.
            let k = if step.op == Op::Sada2 { acc(t, n, 2, signed) } else { [0; LANES] };
            let mut r = [0; LANES];
            for i in (0..n).step_by(2) {
                r[i] = (a[i] - b[i]).abs() + (a[i + 1] - b[i + 1]).abs() + k[i];
            }
            r
        }
        Op::Dp4a => map3(n, &a, &b, &c, |sum, x, y| {
            (0..4).fold(sum, |sum, i| sum + byte_of(x, i, s1.ty) * byte_of(y, i, s2.ty))
        }),
        op => bits(op, n, [&a, &b, &c], [ty0, s2.ty])?,
    };
    if step.acc_write && !matches!(step.op, Op::Addc | Op::Subb) {
        set_acc(t, n, on, &r, wide_size(step.dst.ty));
    }
    store(t, step, n, on, &r)
}

/// Byte `i` of a value, as a type of its sign.
fn byte_of(v: i64, i: i64, ty: Type) -> i64 {
    let v = low_u8(v >> (8 * i));
    if ty.is_signed() { i64::from(low_i8(v)) } else { i64::from(v) }
}

/// Bits that are counted, found, turned round, taken out and put in; `types` are those of the first and the last source.
fn bits(op: Op, n: usize, [a, b, c]: [&Lanes; 3], types: [Type; 2]) -> Result<Lanes, Trap> {
    let [ty0, ty2] = types;
    Ok(match op {
        Op::Bfrev => map1(n, a, |a| i64::from(low_u32(a).reverse_bits())),
        Op::Bfe => map3(n, a, b, c, |width, offset, v| field(width, offset, v, ty2.is_signed())),
        Op::Bfi1 => map2(n, a, b, |width, offset| {
            let (w, o) = (width & 31, offset & 31);
            i64::from(low_u32(((1u64 << w) - 1) << o))
        }),
        Op::Bfi2 => map3(n, a, b, c, |mask, insert, base| {
            let m = low_u32(mask);
            let shift = if m == 0 { 0 } else { m.trailing_zeros() };
            i64::from((low_u32(insert) << shift) & m | low_u32(base) & !m)
        }),
        Op::Fbh => map1(n, a, |a| {
            let v = low_i32(a);
            if !ty0.is_signed() {
                return if v == 0 { 0xffff_ffff } else { i64::from(low_u32(v).leading_zeros()) };
            }
            let other = if v < 0 { !v } else { v };
            if other == 0 { 0xffff_ffff } else { i64::from(other.leading_zeros()) }
        }),
        Op::Fbl => map1(n, a, |a| {
            let v = low_u32(a);
            if v == 0 { 0xffff_ffff } else { i64::from(v.trailing_zeros()) }
        }),
        Op::Cbit => map1(n, a, |a| i64::from(unsigned(a, ty0).count_ones())),
        Op::Lzd => map1(n, a, |a| i64::from(low_u32(a).leading_zeros())),
        op => return Err(format!("{op} does not work on integers").into()),
    })
}

/// Half of a product of dwords. The accumulator `k` holds src0 * src1.low16; this adds src0 * src1.high16 << 16.
fn product_part(t: &mut Thread, step: &Step, n: usize, on: u32, [a, b, k]: [&Lanes; 3]) -> Lanes {
    let full = map3(n, a, b, k, |a, b, k| k.wrapping_add(a.wrapping_mul(b >> 16) << 16));
    if step.acc_write {
        set_acc(t, n, on, &full, 4);
    }
    let high = step.op == Op::Mach;
    map1(n, &full, |v| if high { v >> 32 } else { i64::from(low_i32(v)) })
}

/// A sum or difference of dwords; what is carried or borrowed goes to the accumulator.
fn carried(t: &mut Thread, op: Op, n: usize, on: u32, [a, b]: [&Lanes; 2]) -> Lanes {
    let low = |v: i64| v & 0xffff_ffff;
    let (r, carry) = if op == Op::Addc {
        let r = map2(n, a, b, |a, b| low(a) + low(b));
        (r, map1(n, &r, |r| r >> 32 & 1))
    } else {
        let r = map2(n, a, b, |a, b| low(a) - low(b));
        (r, map1(n, &r, |r| i64::from(r < 0)))
    };
    set_acc(t, n, on, &carry, 4);
    map1(n, &r, low)
}

fn map_select(n: usize, a: &Lanes, b: &Lanes, select: u32) -> Lanes {
    let mut r = [0; LANES];
    for i in 0..n {
        r[i] = if select >> i & 1 != 0 { a[i] } else { b[i] };
    }
    r
}

/// `bfe`: the field of `width` bits at `offset`.
fn field(width: i64, offset: i64, value: i64, signed: bool) -> i64 {
    let (w, o, v) = (width & 31, offset & 31, low_u32(value));
    if w == 0 {
        return 0;
    }
    if o + w < 32 {
        let up = v << (32 - o - w);
        if signed { i64::from(low_i32(up) >> (32 - w)) } else { i64::from(up >> (32 - w)) }
    } else if signed {
        i64::from(low_i32(v) >> o)
    } else {
        i64::from(v >> o)
    }
}

fn compare(t: &mut Thread, step: &Step, n: usize, on: u32, a: &Lanes, b: &Lanes) -> Result<(), Trap> {
    let Some(c) = step.cond else { return Err("a compare without a condition".into()) };
    let mut bits = 0u32;
    match c.cond {
        Cond::Eq => (0..n).for_each(|i| bits |= u32::from(a[i] == b[i]) << i),
        Cond::Ne => (0..n).for_each(|i| bits |= u32::from(a[i] != b[i]) << i),
        Cond::Gt => (0..n).for_each(|i| bits |= u32::from(a[i] > b[i]) << i),
        Cond::Ge => (0..n).for_each(|i| bits |= u32::from(a[i] >= b[i]) << i),
        Cond::Lt => (0..n).for_each(|i| bits |= u32::from(a[i] < b[i]) << i),
        Cond::Le => (0..n).for_each(|i| bits |= u32::from(a[i] <= b[i]) << i),
        _ => {}
    }
    t.set_flag(&c, step, on, bits);
    super::wide::truth(t, step, n, on, bits)
}

/// Writes integer results and the condition flag.
fn store(t: &mut Thread, step: &Step, n: usize, on: u32, r: &Lanes) -> Result<(), Trap> {
    let ty = step.dst.ty;
    let mut out = [0u64; LANES];
    let (min, max) = range(ty);
    if ty.is_int() {
        if step.sat {
            let (min, max) = (low_i64(min), low_i64(max.min(i64::MAX.into())));
            for i in 0..n {
                out[i] = low_u64(r[i].clamp(min, max));
            }
        } else {
            for i in 0..n {
                out[i] = low_u64(r[i]);
            }
        }
    } else {
        let mode = t.mode.round;
        for i in 0..n {
            let x = i128::from(r[i]);
            out[i] = match ty {
                Type::F if mode == Round::Even => to_f32(r[i]).to_bits().into(),
                Type::F => SINGLE.from_int(x, mode),
                Type::Hf => HALF.from_int(x, mode),
                Type::Bf => BF16.from_int(x, mode),
                _ => DOUBLE.from_int(x, mode),
            };
        }
        if step.sat {
            for i in 0..n {
                let one = super::encode(1.0, ty, t, false);
                out[i] = if r[i] > 0 { one } else { 0 };
            }
        }
    }
    if let Some(c) = step.cond
        && !step.op.info().chooses
    {
        let mut bits = 0;
        for i in 0..n {
            let v = if !ty.is_int() {
                r[i]
            } else {
                let k = 64 - ty.bytes() * 8;
                if ty.is_signed() { low_i64(out[i]) << k >> k } else { low_i64(out[i] << k >> k) }
            };
            let hit = match c.cond {
                Cond::Ov => ty.is_int() && !(min..=max).contains(&r[i].into()),
                cond => holds(cond, Some(v.cmp(&0))),
            };
            bits |= u32::from(hit) << i;
        }
        t.set_flag(&c, step, on, bits);
    }
    t.put(&step.dst, n, on, &out)?;
    if step.dst.acc {
        set_wide(t, step, n, on, r, if ty.is_int() && ty.bytes() < 8 { to_u8(ty.bytes()) } else { 0 });
    }
    Ok(())
}
