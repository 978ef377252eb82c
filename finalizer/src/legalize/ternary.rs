//! Three-source instructions: the align16 form of Gen8 and Gen9, the align1 form from Gen11 on.
//!
//! Volume 7, "Instruction Format", three-source formats. Align16: operands are packed and 16-byte
//! aligned, or one replicated element at a dword (doubles cannot be replicated); no immediates; 1, 4, 8 or 16
//! channels. Align1: small sets of strides; the last source packed or scalar; 16-bit immediates ([`TernaryImm`]).

mod align1;
mod align16;
mod shape;

pub(crate) use shape::shape as ternary_region;

use gen_ir::{Class, Cond, Dst, Op, Src, Type};
use platforms::TernaryImm;

use self::{
    align1::align1,
    align16::align16,
    shape::{is_ternary_region, separate_condition},
};
use super::{
    legalizer::{Legalizer, Step, lanes_of},
    not_legal::NotLegal,
    operand::{Saturates, is_scalar},
};
use crate::build::{self, VInst, VSrc, extend};

pub(super) fn rule(lx: &mut Legalizer<'_>, inst: &VInst) -> Step {
    if inst.op.info().class != Class::Ternary {
        return Step::Keep;
    }
    if is_ternary_region(&inst.src[1]) || is_ternary_region(&inst.src[0]) {
        return Step::Keep; // Shaped already.
    }
    if let Some(step) = packed_constants(lx, inst) {
        return step;
    }
    if inst.op == Op::Mad
        && let Some(step) = integer_mad(lx, inst)
    {
        return step;
    }
    if let Some(step) = types(lx, inst) {
        return step;
    }
    // Overflow shows in the sum alone.
    if inst.cond.is_some_and(|c| c.cond != Cond::Ov) && !lx.caps.words.ternary_cond {
        return separate_condition(lx, inst);
    }
    if lx.caps.words.ternary_align16 { align16(lx, inst) } else { align1(lx, inst) }
}

/// Constants of several elements are none of a scalar: they go through variables as wide as the result, with the sign that they
/// have themselves.
fn packed_constants(lx: &mut Legalizer<'_>, inst: &VInst) -> Option<Step> {
    let ty = inst.dst.ty()?;
    let wide = |of: Type| if ty.is_float() { ty } else { build::int_type(ty.bytes(), of.is_signed()) };
    let new = lx.expand_vectors(inst, wide)?;
    lx.inst(new);
    Some(Step::Replaced)
}

/// `mad` on integers: native with a narrow factor from Gen11 on, else a product and a sum.
fn integer_mad(lx: &mut Legalizer<'_>, inst: &VInst) -> Option<Step> {
    let ty = inst.dst.ty()?;
    if inst.src.iter().filter_map(Src::ty).any(Type::is_float) {
        return None;
    }
    let narrow = |s: &VSrc| match *s {
        Src::Imm { bits, ty } => {
            let v = extend(bits, ty).cast_signed();
            match lx.caps.words.ternary_imm {
                TernaryImm::None => false,
                TernaryImm::LastWord => (-0x8000..=0x7fff).contains(&v),
                TernaryImm::FirstAndLast => (-0x8000..=0xffff).contains(&v),
            }
        }
        ref other => other.ty().is_some_and(|t| t.bytes() == 2),
    };
    let wide = inst.src.iter().filter_map(Src::ty).chain([ty]).any(|t| t.bytes() == 8 || t.bytes() == 1);
    let native = !lx.caps.words.ternary_align16 && !wide && !inst.sat;
    if native && (narrow(&inst.src[1]) || narrow(&inst.src[2])) {
        let mut new = *inst;
        if !narrow(&inst.src[2]) {
            new.src.swap(1, 2);
        }
        // The last source has no region of its own: words have to lie as dwords do.
        let lanes = inst.exec.lanes();
        let lies_apart = |s: &VSrc| match *s {
            Src::Direct { region, .. } => !is_scalar(s, lanes) && region.stride(lanes) != Some(2),
            _ => !s.is_imm(),
        };
        if ty.bytes() == 4 && lies_apart(&new.src[2]) && narrow(&new.src[1]) {
            new.src.swap(1, 2);
        }
        if ty.bytes() == 4 && lies_apart(&new.src[2]) {
            return Some(product_and_sum(lx, inst, ty));
        }
        // The dword factor is source 1, the word source 2.
        if let Src::Imm { bits, ty } = new.src[2] {
            let v = extend(bits, ty).cast_signed();
            let signed = v < 0 || lx.caps.words.ternary_imm == TernaryImm::LastWord;
            new.src[2] = Src::imm(v.cast_unsigned(), if signed { Type::W } else { Type::Uw });
        }
        if new == *inst {
            return None;
        }
        lx.inst(new);
        return Some(Step::Replaced);
    }
    Some(product_and_sum(lx, inst, ty))
}

/// A product, then a sum. One that saturates is of the exact product, or of one that is further from zero than the
/// destination goes.
pub(super) fn product_and_sum(lx: &mut Legalizer<'_>, inst: &VInst, ty: Type) -> Step {
    let [_, a, b] = &inst.src;
    let factors = || [a, b].into_iter().filter_map(Src::ty);
    let turned = a.mods().neg() != b.mods().neg();
    let signed = factors().any(Type::is_signed) || turned;
    let has = |bytes: u32| factors().any(|t| t.bytes() == bytes);
    // The negative of two words without signs has 33 bits.
    let words = turned && factors().all(|t| t == Type::Uw);
    let summand = inst.src[0].ty();
    let wide_ty = match ty.bytes() {
        _ if inst.sat && has(8) => return Step::Refuse(NotLegal::ModifiedQwordProduct),
        8 if inst.sat && !signed => Type::Uq,
        8 if !inst.sat => ty,
        8 => Type::Q,
        _ if has(8) || summand.is_some_and(|t| t.bytes() == 8) => Type::Q,
        _ if inst.sat && (has(4) || words) => {
            if signed || summand.is_some_and(Type::is_signed) {
                Type::Q
            } else {
                Type::Uq
            }
        }
        _ if inst.sat && !signed => Type::Ud,
        _ => Type::D,
    };
    let lanes = inst.exec.lanes();
    let product = lx.aligned_temp(lanes * wide_ty.bytes());
    let mut mul =
        build::op(Op::Mul, lanes_of(inst), Dst::packed(product, wide_ty), &[inst.src[1], inst.src[2]]);
    (mul.pred, mul.sat) = (inst.pred, inst.sat && wide_ty.bytes() == 8);
    lx.helper(mul, inst);
    let mut add = *inst;
    add.op = Op::Add;
    add.src = [Src::new(product, build::strided(1, inst.exec), wide_ty), inst.src[0], Src::None];
    lx.inst(add);
    Step::Replaced
}

/// Operands of one type, where the instruction asks for that.
fn types(lx: &mut Legalizer<'_>, inst: &VInst) -> Option<Step> {
    let dst = inst.dst.ty()?;
    let want = match inst.op {
        Op::Bfe | Op::Bfi2 => {
            // The destination says whether the field has a sign (spec `BFE`).
            if dst.is_signed() { Type::D } else { Type::Ud }
        }
        // Made what the platform mixes before (`mixing`).
        Op::Mad if inst.is_mixed_float() => return None,
        // What is computed in single float is rounded at its end alone.
        Op::Lrp | Op::Csel if dst.is_float() && inst.is_mixed_float() => Type::F,
        Op::Mad | Op::Lrp | Op::Csel if dst.is_float() => dst,
        Op::Mad | Op::Lrp if inst.src.iter().filter_map(Src::ty).any(Type::is_float) => Type::F,
        _ => return None,
    };
    let mut new = *inst;
    let mut changed = false;
    for i in 0..3 {
        let Some(ty) = inst.src[i].ty() else { continue };
        let same = ty == want || (want.is_int() && ty.bytes() == 4);
        if let Src::Imm { bits, .. } = inst.src[i]
            && want.is_int()
        {
            new.src[i] = Src::imm(extend(bits, ty), want);
            changed |= new.src[i] != inst.src[i];
        } else if !same {
            lx.stage_source(&mut new, i, want, 1);
            changed = true;
        } else if ty != want && want.is_int() {
            new.src[i] = build::with_type(inst.src[i], want);
            changed = true;
        }
    }
    let same_dst = dst == want || (want.is_int() && dst.bytes() == 4);
    if !same_dst {
        lx.stage_destination(&new, want, 1, Saturates::Move);
        return Some(Step::Replaced);
    }
    if dst != want {
        new.dst = match new.dst {
            Dst::Direct { reg, horz, .. } => Dst::Direct { reg, horz, ty: want },
            other => other,
        };
        changed = true;
    }
    if changed {
        lx.inst(new);
        return Some(Step::Replaced);
    }
    None
}
