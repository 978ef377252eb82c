//! Byte operands where only words are.

use gen_ir::{Op, Src, SrcMod, Type, rules::places::converts_at_once};

use super::{
    legalizer::{Legalizer, Step},
    operand::is_scalar,
};
use crate::build::VInst;

/// From Gen11 on only source 0 reads bytes; Xe-HPC converts no scalar byte to float; bytes do not become
/// 64 bits in one step (moves: `conversions`).
pub(super) fn rule(lx: &mut Legalizer<'_>, inst: &VInst) -> Step {
    let is_byte = |s: &Src<_>| !s.is_imm() && s.ty().is_some_and(|t| t.bytes() == 1);
    // A division has dwords, whose sign follows from both operands as they are (`math`).
    let division = inst.op == Op::Math && inst.dst.ty().is_some_and(Type::is_int);
    if !inst.src.iter().any(is_byte) || inst.op == Op::Dp4a || division {
        return Step::Keep;
    }
    let mut new = *inst;
    let mut changed = false;
    if !lx.caps.regions.byte_sources && is_byte(&inst.src[1]) && commutes(inst) {
        new.src.swap(0, 1);
        changed = true;
    }
    let inst = &VInst { ..new };
    for i in 0..3 {
        if !is_byte(&inst.src[i]) {
            continue;
        }
        let second = i > 0 && !lx.caps.regions.byte_sources;
        let to_float = inst.dst.ty().is_some_and(Type::is_float)
            && !lx.caps.regions.byte_to_float
            && is_scalar(&inst.src[i], inst.exec.lanes());
        // A negated byte is negative; in bitwise operations it stays to be negated.
        let negated = inst.src[i].mods().neg() && !inst.op.info().logic;
        let signed = negated || inst.src[i].ty().is_some_and(Type::is_signed);
        let wide = inst.op != Op::Mov && inst.src[i].ty().is_some_and(|from| !converts_at_once(inst, from));
        if second || to_float || wide {
            let ty = if signed { Type::W } else { Type::Uw };
            let stride = if i > 0 && multiplies_dword(lx, inst, i) { 2 } else { 1 };
            lx.stage_source(&mut new, i, ty, stride);
            changed = true;
        }
    }
    if changed {
        lx.inst(new);
        return Step::Replaced;
    }
    Step::Keep
}

/// Whether source `i` is the factor of a dword in a sum of dwords that is one instruction: its words lie as the dwords do
/// (`ternary`; so Intel's code has them).
fn multiplies_dword(lx: &Legalizer<'_>, inst: &VInst, i: usize) -> bool {
    let dword = |ty: Option<Type>| ty.is_some_and(Type::is_dword);
    let sum = inst.op == Op::Mad && !inst.sat && dword(inst.dst.ty()) && dword(inst.src[0].ty());
    sum && !lx.caps.words.ternary_align16 && !inst.src[3 - i].is_imm() && dword(inst.src[3 - i].ty())
}

/// Whether an instruction computes the same with its sources swapped, and may have them so: source 0 reads bytes.
/// (Of a product, the second factor is the narrower one.)
fn commutes(inst: &VInst) -> bool {
    let other = matches!(inst.src[0], Src::Direct { ty, .. } if ty.bytes() > 1);
    let direct = matches!(inst.src[1], Src::Direct { mods: SrcMod::None, .. });
    other && direct && matches!(inst.op, Op::Add | Op::And | Op::Or | Op::Xor)
}
