//! Source modifiers where an instruction does not have them.

use gen_ir::{Class, Op, Src, SrcMod, Type, rules::places::factors_have_modifiers};

use super::{
    legalizer::{Legalizer, Step},
    operand::{with_modifiers, without_modifiers},
};
use crate::build::{VInst, extend};

pub(super) fn rule(lx: &mut Legalizer<'_>, inst: &VInst) -> Step {
    if !inst.src.iter().any(|s| s.mods().any()) {
        return Step::Keep;
    }
    let mut new = *inst;
    let mut changed = false;
    for i in 0..3 {
        let mods = inst.src[i].mods();
        if !mods.any() || allowed(lx, inst, i, mods) {
            continue;
        }
        let Some(ty) = inst.src[i].ty() else { continue };
        changed = true;
        if mods == SrcMod::Neg && turn_constant(&mut new, i) {
            continue;
        }
        lx.stage_source(&mut new, i, widened(inst.op, ty, mods), 1);
        if inst.op.info().logic && new.src[i].mods().abs() {
            new.src[i] = with_modifiers(new.src[i], SrcMod::neg_if(new.src[i].mods().neg()));
        }
    }
    if changed {
        lx.inst(new);
        return Step::Replaced;
    }
    Step::Keep
}

/// Gives the sign of factor `i` to a constant that it is multiplied by, if that stays a word: of the product, the lowest
/// 32 bits are the same.
fn turn_constant(inst: &mut VInst, i: usize) -> bool {
    let other = match (inst.op, i) {
        (Op::Mul, 0) | (Op::Mad, 2) => 1,
        (Op::Mad, 1) => 2,
        _ => return false,
    };
    let low = inst.dst.ty().is_some_and(|t| t.is_int() && t.bytes() <= 4);
    let Src::Imm { bits, ty } = inst.src[other] else { return false };
    let scalar = matches!(ty, Type::W | Type::Uw | Type::D | Type::Ud);
    if !low || !scalar || inst.sat || inst.cond.is_some() {
        return false;
    }
    let turned = extend(bits, ty).cast_signed().wrapping_neg();
    if !(-0x8000..=0x7fff).contains(&turned) {
        return false;
    }
    inst.src[other] = Src::imm(turned.cast_unsigned(), Type::W);
    inst.src[i] = without_modifiers(inst.src[i]);
    true
}

/// The type that has room for the modified value, where the instruction would see all of it.
const fn widened(op: Op, ty: Type, mods: SrcMod) -> Type {
    let multiplies = matches!(op, Op::Mul | Op::Mulh | Op::Mad);
    match (ty, mods.abs(), mods.neg()) {
        (Type::B | Type::Ub, ..) => Type::W,
        (Type::W, true, false) if multiplies => Type::Uw,
        (Type::W, false, true) | (Type::Uw, _, true) if multiplies => Type::D,
        _ => ty,
    }
}

fn allowed(lx: &Legalizer<'_>, inst: &VInst, i: usize, mods: SrcMod) -> bool {
    let ty = inst.src[i].ty().unwrap_or(Type::Ud);
    match inst.op {
        op if op.info().logic => !mods.abs(),
        Op::Mul if ty.is_int() => factors_have_modifiers(lx.caps, inst, ty),
        Op::Mulh => i == 0 && lx.caps.ops.mul_source_mods,
        Op::Bfe
        | Op::Bfi1
        | Op::Bfi2
        | Op::Bfn
        | Op::Bfrev
        | Op::Cbit
        | Op::Fbl
        | Op::Fbh
        | Op::Lzd
        | Op::Rol
        | Op::Ror
        | Op::Dp4a
        | Op::Addc
        | Op::Subb => false,
        Op::Mad if inst.op.info().class == Class::Ternary && ty.is_int() => {
            // Where there is only align16, integers become a product and a sum.
            let fits = lx.caps.words.ternary_align16 || factors_have_modifiers(lx.caps, inst, ty);
            // Beside a dword a narrow factor has none on Tiger Lake and later, as in a product.
            let dword = || inst.src[1..].iter().filter_map(Src::ty).any(Type::is_dword);
            i == 0 || fits && (lx.caps.ops.mul_source_mods || !dword())
        }
        // An unsigned value's negation is not in its range. (Of math, see there.)
        _ => true,
    }
}
