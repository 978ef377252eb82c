//! Arithmetic and logic: everything that reads registers and writes registers.
//!
//! An instruction loads its sources into lane arrays, computes lane by lane in the domain that its
//! operand types name (PRM volume 7, "Execution data types"), and stores lanes under the mask.

// Lane loops walk several arrays in step.
#![allow(clippy::needless_range_loop)]

pub(crate) mod dpas;
mod float;
mod int;
pub(crate) mod macros;
mod math;
mod wide;

use crate::{
    file,
    num::{self, BF16, HALF, SINGLE},
    program::{Domain, Extra, Operand, Program, Source, Step},
    thread::{LANES, State, Thread, Trap},
};
use gen_ir::{Cond, Op, Type};

/// Runs an ALU instruction.
pub(crate) fn run(t: &mut Thread, program: &Program, step: &Step) -> Result<(), Trap> {
    let enabled = t.enabled(step);
    let n = usize::from(step.lanes);
    let pred = step.pred.map(|p| t.predicate(&p, step));
    // `sel` without a condition chooses by its predicate instead of being masked by it.
    let (on, select) = match pred {
        Some(p) if step.op == Op::Sel && step.cond.is_none() => (enabled, p),
        Some(p) => (enabled & p, 0),
        None => (enabled, 0),
    };
    // A scattered move writes the channels that its second source names.
    let on = if step.op == Op::Smov { on & scatter_mask(step) } else { on };
    if on == 0 {
        return Ok(());
    }
    for s in &step.src {
        if let Operand::Direct { at, .. } = s.what
            && (file::CE..file::OTHER).contains(&at)
        {
            refresh(t, program, at);
        }
    }
    match step.op {
        Op::Mov | Op::Smov if raw_move(step) => {
            let mut v = [0; LANES];
            t.raw(&step.src[0], n, on, &mut v)?;
            t.put(&step.dst, n, on, &v)?;
            if step.dst.acc || step.src[0].acc {
                copy_wide(t, step, n, on, &v);
            }
        }
        Op::Sel if step.cond.is_none() && raw_select(step) => {
            let (mut a, mut b) = ([0; LANES], [0; LANES]);
            t.raw(&step.src[0], n, on, &mut a)?;
            t.raw(&step.src[1], n, on, &mut b)?;
            for i in 0..n {
                if select >> i & 1 == 0 {
                    a[i] = b[i];
                }
            }
            t.put(&step.dst, n, on, &a)?;
        }
        Op::Math => math::run(t, step, n, on)?,
        Op::Srnd => round_by_chance(t, step, n, on)?,
        Op::Madm => macros::madm(t, step, n, on)?,
        Op::Dpas | Op::Dpasw => dpas::run(t, program, step, on)?,
        Op::Movi => {
            let mut v = [0; LANES];
            t.raw(&step.src[0], n, on, &mut v)?;
            t.put(&step.dst, n, on, &v)?;
        }
        Op::Wait => {
            if t.signalled {
                t.state = State::AtBarrier;
            }
        }
        _ => match step.domain {
            Domain::Int if step.sat && matches!(step.op, Op::Mul | Op::Mad) => {
                wide::run(t, step, n, on, select)?
            }
            Domain::Int => int::run(t, step, n, on, select)?,
            Domain::Wide => wide::run(t, step, n, on, select)?,
            Domain::Half | Domain::Single | Domain::Double => float::run(t, step, n, on, select)?,
        },
    }
    if step.dst.control {
        t.mode = crate::thread::FloatMode::from_control(t.u32_at(file::CONTROL));
    }
    Ok(())
}

/// `srnd`: source 1 is the random number.
fn round_by_chance(t: &mut Thread, step: &Step, n: usize, on: u32) -> Result<(), Trap> {
    let format = match (step.src[0].ty, step.dst.ty) {
        (Type::F, Type::Hf) => HALF,
        (Type::Hf, Type::Bf8 | Type::Ub) => num::BF8,
        (from, to) => return Err(format!("srnd from {from} to {to}").into()),
    };
    let (mut v, mut random) = ([0; LANES], [0; LANES]);
    t.raw(&step.src[0], n, on, &mut v)?;
    t.raw(&step.src[1], n, on, &mut random)?;
    for i in 0..n {
        v[i] = num::stochastic(v[i], format, random[i]);
    }
    t.put(&step.dst, n, on, &v)
}

/// The channels of a scattered move.
pub(crate) fn scatter_mask(step: &Step) -> u32 {
    match step.src[1].what {
        Operand::Imm(bits) => bits as u32,
        _ => u32::MAX,
    }
}

/// Registers whose value is made when they are read.
fn refresh(t: &mut Thread, program: &Program, at: u32) {
    if at < file::STATE {
        t.set_u32(file::CE, t.active);
    } else if (file::IP..file::TIMESTAMP).contains(&at) {
        t.set_u32(file::IP, program.offset_of(t.pc));
    } else if at >= file::TIMESTAMP {
        // tm0.0 and tm0.1 count; modelled as four cycles an instruction.
        let cycles = t.executed.wrapping_mul(4);
        t.set_u32(file::TIMESTAMP, cycles as u32);
        t.set_u32(file::TIMESTAMP + 4, (cycles >> 32) as u32);
    }
}

fn raw_move(step: &Step) -> bool {
    let s = &step.src[0];
    let same =
        s.ty == step.dst.ty || s.ty.is_int() && step.dst.ty.is_int() && s.ty.bytes() == step.dst.ty.bytes();
    same && !s.mods.any() && !step.sat && step.cond.is_none()
}

fn raw_select(step: &Step) -> bool {
    let ty = step.dst.ty;
    let plain = |s: &Source| s.ty == ty && !s.mods.any();
    plain(&step.src[0]) && plain(&step.src[1]) && !step.sat
}

/// A move to or from an accumulator keeps what is wider than the type.
fn copy_wide(t: &mut Thread, step: &Step, n: usize, on: u32, v: &[u64; LANES]) {
    if !step.dst.acc {
        return;
    }
    let mut wide = [0; LANES];
    for i in 0..n {
        wide[i] = match step.dst.ty {
            Type::D => i64::from(v[i] as i32),
            Type::W => i64::from(v[i] as i16),
            _ => v[i] as i64,
        };
    }
    let kind = if step.dst.ty.is_int() { step.dst.ty.bytes() as u8 } else { 0 };
    set_wide(t, step, n, on, &wide, kind);
}

/// Notes the full value of integers written to an accumulator destination.
fn set_wide(t: &mut Thread, step: &Step, n: usize, on: u32, v: &[i64; LANES], size: u8) {
    let crate::program::DestPlace::Direct(at) = step.dst.what else { return };
    if at < file::ACC {
        return;
    }
    let first = (at - file::ACC) / 2;
    for i in 0..n {
        if on >> i & 1 != 0 {
            let k = (first + i as u32 * step.dst.stride / 2) as usize;
            if let (Some(w), Some(s)) = (t.acc_wide.get_mut(k), t.acc_size.get_mut(k)) {
                *w = v[i];
                *s = size;
            }
        }
    }
}

/// Writes the implicit accumulator.
fn set_acc(t: &mut Thread, n: usize, on: u32, v: &[i64; LANES], size: u32) {
    for i in 0..n {
        if on >> i & 1 == 0 {
            continue;
        }
        let at = (file::ACC + i as u32 * size) as usize;
        let bytes = v[i].to_le_bytes();
        let len = size.min(8) as usize;
        t.rf[at..at + len].copy_from_slice(&bytes[..len]);
        let k = (i as u32 * size / 2) as usize;
        t.acc_wide[k] = v[i];
        t.acc_size[k] = size as u8;
    }
}

/// Reads the implicit accumulator: the wide value where the visible bits are still its low part.
fn acc(t: &Thread, n: usize, size: u32, signed: bool) -> [i64; LANES] {
    let mut out = [0; LANES];
    for (i, o) in out[..n].iter_mut().enumerate() {
        let at = (file::ACC + i as u32 * size) as usize;
        let (low, low_bits) = if size == 2 {
            let v = u16::from_le_bytes([t.rf[at], t.rf[at + 1]]);
            (if signed { i64::from(v as i16) } else { v.into() }, 0xffff)
        } else {
            let v = t.u32_at(at as u32);
            (if signed { i64::from(v as i32) } else { v.into() }, 0xffff_ffff)
        };
        let k = (i as u32 * size / 2) as usize;
        let wide = t.acc_wide[k];
        *o = if u32::from(t.acc_size[k]) == size && (wide ^ low) & low_bits == 0 { wide } else { low };
    }
    out
}

/// Whether a condition holds for a value compared with zero.
fn holds(cond: Cond, order: Option<std::cmp::Ordering>) -> bool {
    use std::cmp::Ordering::{Equal, Greater, Less};
    match cond {
        Cond::Eq => order == Some(Equal),
        Cond::Ne => order != Some(Equal),
        Cond::Gt => order == Some(Greater),
        Cond::Ge => matches!(order, Some(Greater | Equal)),
        Cond::Lt => order == Some(Less),
        Cond::Le => matches!(order, Some(Less | Equal)),
        Cond::Un => order.is_none(),
        _ => false,
    }
}

/// The bits of a double in a type of the machine.
pub(crate) fn encode(x: f64, ty: Type, t: &Thread, sat: bool) -> u64 {
    let mode = t.mode.round;
    let x = if sat && ty.is_float() { saturate(x) } else { x };
    match ty {
        // Both are rounded to even; an 8-bit float keeps denormals, a TensorFloat has none (spec "FCVT").
        Type::Bf8 => num::BF8.from_f64(x, num::Round::Even),
        Type::Tf32 => num::TF32.flush(num::TF32.from_f64(x, num::Round::Even)) << 13,
        Type::F => {
            let bits =
                if x.is_nan() { SINGLE.from_f64(x, mode) } else { num::to_f32(x, mode).to_bits().into() };
            if t.mode.keep_f32 { bits } else { SINGLE.flush(bits) }
        }
        Type::Hf => {
            let bits = HALF.from_f64(x, mode);
            if t.mode.keep_f16 { bits } else { HALF.flush(bits) }
        }
        Type::Bf => BF16.from_f64(x, num::Round::Even),
        Type::Df | Type::Nf => {
            let bits = x.to_bits();
            if t.mode.keep_f64 { bits } else { num::DOUBLE.flush(bits) }
        }
        _ => {
            let (min, max) = range(ty);
            let round = if t.mode.round_int { mode } else { num::Round::Zero };
            num::to_int(x, round, min, max) as u64
        }
    }
}

fn saturate(x: f64) -> f64 {
    // NaN saturates to zero, and so does minus zero.
    if x > 0.0 { x.min(1.0) } else { 0.0 }
}

/// Smallest and largest integer of a type.
pub(crate) const fn range(ty: Type) -> (i128, i128) {
    let bits = ty.bytes() * 8;
    if ty.is_signed() { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) }
}

fn truth_table(step: &Step) -> u8 {
    match step.extra {
        Extra::Bfn(table) => table,
        _ => 0,
    }
}

/// `bfn`: bit `a | b << 1 | c << 2` of the table, for every bit of the sources.
fn bfn(table: u8, a: i64, b: i64, c: i64) -> i64 {
    let mut out = 0;
    for k in 0..8 {
        if table >> k & 1 != 0 {
            let pick = |v: i64, bit: u32| if k >> bit & 1 != 0 { v } else { !v };
            out |= pick(a, 0) & pick(b, 1) & pick(c, 2);
        }
    }
    out
}
