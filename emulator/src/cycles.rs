//! A simple cycle model: what an instruction costs its thread when nothing else runs.
//!
//! An EU moves 32 bytes (64 on Xe-HPC) through each of its pipes a cycle and takes two cycles for what
//! is wider than that; extended math has a quarter of the width. Messages cost their issue and a share of
//! their latency. The figures order versions of the same kernel; they do not predict a device.

use crate::program::{Program, Step};
use gen_ir::{Class, Op};

/// Cycles of one execution.
pub(crate) fn of(program: &Program, step: &Step) -> u64 {
    let bytes = step.src.iter().map(|s| s.ty.bytes()).chain([step.dst.ty.bytes()]).max().unwrap_or(4);
    let width = (u64::from(step.lanes) * u64::from(bytes)).div_ceil(program.grf.into()).max(1);
    match step.op.info().class {
        Class::Branch => 4,
        Class::Send => 20,
        Class::Math => 4 * width,
        Class::Dpas => 8,
        Class::Sync | Class::Nullary => 1,
        _ if matches!(step.op, Op::Mul | Op::Mad | Op::Mach) && bytes >= 4 && step.dst.ty.is_int() => {
            2 * width
        }
        _ => width,
    }
}
