//! Arithmetic and logic: everything that reads registers and writes registers.
//!
//! An instruction loads its sources into lane arrays, computes lane by lane in the domain that its
//! operand types name (PRM volume 7, "Execution data types"), and stores lanes under the mask.

// Lane loops walk several arrays in step.
#![allow(clippy::needless_range_loop)]

pub(crate) mod dpas;
mod float;
mod int;
mod lanes;
pub(crate) mod macros;
mod math;
mod wide;

use lanes::{encode, range, set_wide};
use narrow::{low_i16, low_i32, low_i64, low_u32, to_u8};

use crate::{
    file,
    num::{self, HALF},
    program::{Domain, Operand, Program, Source, Step},
    thread::{LANES, Thread, Trap},
};
use gen_ir::{Op, Type};

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
        Op::Sel if step.cond.is_none() && step.src[..2].iter().any(|s| copies_bits(step, s)) => {
            select_bits(t, step, n, on, select)?;
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
        Op::Wait => t.turn.wait(0),
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

/// A choice of which one source is only copied.
fn select_bits(t: &mut Thread, step: &Step, n: usize, on: u32, select: u32) -> Result<(), Trap> {
    // What has no modifier is copied, denormals too, beside what has one: compilers (Mesa, Intel's finalizer)
    // let a choice take the sign of one source without a look at the other.
    let (mut v, mut copied) = ([0; LANES], 0);
    for (source, chosen) in step.src[..2].iter().zip([select, !select]) {
        if copies_bits(step, source) {
            t.raw(source, n, on & chosen, &mut v)?;
            copied = on & chosen;
        }
    }
    match step.domain {
        Domain::Int => int::run(t, step, n, on, select)?,
        Domain::Wide => wide::run(t, step, n, on, select)?,
        _ => float::run(t, step, n, on, select)?,
    }
    t.put(&step.dst, n, copied, &v)
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
        Operand::Imm(bits) => low_u32(bits),
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
        t.set_u32(file::TIMESTAMP, low_u32(cycles));
        t.set_u32(file::TIMESTAMP + 4, low_u32(cycles >> 32));
    }
}

fn raw_move(step: &Step) -> bool {
    let s = &step.src[0];
    let same =
        s.ty == step.dst.ty || s.ty.is_int() && step.dst.ty.is_int() && s.ty.bytes() == step.dst.ty.bytes();
    same && !s.mods.any() && !step.sat && step.cond.is_none()
}

fn raw_select(step: &Step) -> bool {
    step.src[..2].iter().all(|s| copies_bits(step, s))
}

/// Whether a choice of a source leaves its bits as they are.
fn copies_bits(step: &Step, source: &Source) -> bool {
    source.ty == step.dst.ty && !source.mods.any() && !step.sat
}

/// A move to or from an accumulator keeps what is wider than the type.
fn copy_wide(t: &mut Thread, step: &Step, n: usize, on: u32, v: &[u64; LANES]) {
    if !step.dst.acc {
        return;
    }
    let mut wide = [0; LANES];
    for i in 0..n {
        wide[i] = match step.dst.ty {
            Type::D => i64::from(low_i32(v[i])),
            Type::W => i64::from(low_i16(v[i])),
            _ => low_i64(v[i]),
        };
    }
    let kind = if step.dst.ty.is_int() { to_u8(step.dst.ty.bytes()) } else { 0 };
    set_wide(t, step, n, on, &wide, kind);
}
