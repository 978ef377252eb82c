//! Carries and borrows are added from the accumulator in which they come.
//!
//! `addc l, acc0 = a, b; mov c = acc0; add s = x, y; add h = c, s` becomes `addc l, acc0 = a, b; add s = x, y; add h =
//! acc0, s`: compilers add integers of 64 bits so. Channels find in the accumulator what the move found there if both are of
//! the same ones and nothing writes it in between; nobody else may read the copy. (Intel's finalizer writes `add r,
//! acc0, r` and `add r, -acc0, r`, with the accumulator as the first source, of one channel or as many as it holds, on
//! Ice Lake and Tiger Lake, which add no quadwords.)

use gen_ir::{Arf, Base, Dst, Inst, Kernel, Op, Options, Reg, Src, SrcMod, Type, Virtual, rules};

use super::{locality::Locality, use_counts::UseCounts};
use crate::build::ACC0;

/// How far behind the move its reader may be: the next carry has to wait for it.
const REACH: usize = 16;

/// Whether an instruction may put a carry into the accumulator.
pub(super) fn carries(inst: &Inst<Virtual>) -> bool {
    matches!(inst.op, Op::Addc | Op::Subb)
}

/// Folds such moves in legal code. Returns whether there were any.
pub(super) fn fold(
    kernel: &mut Kernel<Virtual>,
    locality: &Locality,
    use_counts: &UseCounts,
    grf_bytes: u32,
) -> bool {
    let Kernel { platform, vars, blocks, .. } = kernel;
    let mut any = false;
    for (b, block) in blocks.iter_mut().enumerate() {
        let insts = &mut block.insts;
        for i in 0..insts.len() {
            let Some(copy) = copied(&insts[i]) else { continue };
            let alone = copy.var().is_some_and(|v| {
                locality.only_in(v, b) && use_counts.vars[v.index()].is_plain() && use_counts.reads(v) == 1
            });
            if !alone {
                continue;
            }
            let behind = insts[i + 1..].iter().take(REACH);
            let reader = behind.enumerate().find(|(_, inst)| reads(inst, copy) || writes_accumulator(inst));
            let Some((at, reader)) = reader else { continue };
            let new = added(&insts[i], reader, copy, grf_bytes);
            if let Some(new) = new.filter(|new| rules::allows(*platform, new, grf_bytes, vars)) {
                insts[i + 1 + at] = new;
                insts[i] = Inst::new(Op::Nop, insts[i].exec);
                any = true;
            }
        }
    }
    any
}

/// Where a move puts a carry, one dword behind another.
fn copied(inst: &Inst<Virtual>) -> Option<Reg<Virtual>> {
    let carry =
        matches!(inst.src[0], Src::Direct { reg, mods: SrcMod::None, ty: Type::Ud, .. } if reg == ACC0);
    match inst.dst {
        Dst::Direct { reg, horz: 1, ty }
            if inst.op == Op::Mov && carry && inst.is_plain() && ty.is_dword() =>
        {
            Some(reg)
        }
        _ => None,
    }
}

/// Whether an instruction reads the variable of a carry.
fn reads(inst: &Inst<Virtual>, copy: Reg<Virtual>) -> bool {
    let mut any = false;
    inst.for_each_read(|reg| any |= reg.var() == copy.var());
    any
}

fn writes_accumulator(inst: &Inst<Virtual>) -> bool {
    inst.implicit_accumulator().writes
        || inst.opts.has(Options::ACC_WR_EN)
        || inst.dst.reg().is_some_and(|reg| matches!(reg.base(), Base::Arf(Arf::Acc(_))))
}

/// The addition with the carry from the accumulator, of the channels of the move.
fn added(
    copy: &Inst<Virtual>,
    reader: &Inst<Virtual>,
    carry: Reg<Virtual>,
    grf_bytes: u32,
) -> Option<Inst<Virtual>> {
    let lanes = reader.exec.lanes();
    let k = reader.src.iter().position(|s| s.reg() == Some(carry))?;
    let Src::Direct { reg, region, mods, ty } = reader.src[k] else { return None };
    let Dst::Direct { horz: 1, ty: to, .. } = reader.dst else { return None };
    let whole = lanes == 1 || lanes * Type::Ud.bytes() == grf_bytes;
    let dwords = whole && reg == carry && ty.is_dword() && to.is_dword() && region.one_by_one(lanes);
    if !(reader.op == Op::Add && dwords && reader.same_channels(copy) && !writes_accumulator(reader)) {
        return None;
    }
    let Src::Direct { region, .. } = copy.src[0] else { return None };
    let mut new = *reader;
    new.src[1] = reader.src[1 - k];
    new.src[0] = Src::Direct { reg: ACC0, region, mods, ty };
    Some(new)
}
