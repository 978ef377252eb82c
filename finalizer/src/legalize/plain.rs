//! Instructions that no rule has anything to say about, recognised at a glance: most are.

use gen_ir::{Dst, Op, Options, Payload, Src, SrcMod, Type, VarClass};

use super::{Legalizer, operand::is_scalar};
use crate::build::{VInst, VReg, VSrc};

/// Whether an instruction is one of those for which all rules would look for faults in vain: plain
/// arithmetic on dwords, words and single floats in packed registers and scalars. (Builds with debug
/// assertions ask the rules, too.)
pub(super) fn is_plain(lx: &Legalizer<'_>, inst: &VInst) -> bool {
    let lanes = inst.exec.lanes();
    if inst.payload != Payload::None || inst.sat || inst.opts != Options::NONE || lanes * 4 > 2 * lx.grf() {
        return false;
    }
    let (dst, ty) = match inst.dst {
        Dst::Direct { reg, horz: 1, ty } if is_dword(ty) => (reg, ty),
        _ => return false,
    };
    let [a, b, c] = &inst.src;
    let last = match inst.op {
        Op::Mov | Op::Not => a,
        Op::Add | Op::And | Op::Or | Op::Xor | Op::Shl | Op::Asr | Op::Cmp | Op::Sel => b,
        Op::Shr if !a.ty().is_some_and(Type::is_signed) => b,
        Op::Mul if ty == Type::F && a.ty() == Some(Type::F) && b.ty() == Some(Type::F) => b,
        // A dword times a word.
        Op::Mul if ty != Type::F && inst.cond.is_none() => {
            let factors = a.ty().zip(b.ty()).filter(|(a, b)| a.is_int() && a.bytes() == 4 && is_word(*b));
            if factors.is_none() {
                return false;
            }
            b
        }
        _ => return false,
    };
    // Where channels of floats stay in place, words are brought to dwords first.
    let words = lx.caps.float_regions || ty != Type::F;
    let source = |s: &VSrc| match *s {
        Src::Direct { reg, region, mods: SrcMod::NONE, ty } => {
            (is_dword(ty) || words && is_word(ty))
                && (is_scalar(s, lanes) || region.is_packed() && starts_register(lx, reg))
        }
        _ => false,
    };
    let constant = matches!(*last, Src::Imm { ty, .. } if is_dword(ty) || is_word(ty));
    let unary = std::ptr::eq(last, a);
    let dst_fits = dst.is_null() || if lanes == 1 { lx.is_general(dst) } else { starts_register(lx, dst) };
    dst_fits
        && (unary || source(a))
        && (constant || source(last))
        && (!unary || matches!(b, Src::None))
        && matches!(c, Src::None)
}

const fn is_dword(ty: Type) -> bool {
    matches!(ty, Type::D | Type::Ud | Type::F)
}

const fn is_word(ty: Type) -> bool {
    matches!(ty, Type::W | Type::Uw)
}

/// Whether an operand starts with a register, wherever its variable comes to be.
fn starts_register(lx: &Legalizer<'_>, reg: VReg) -> bool {
    let Some(var) = reg.var().map(|v| &lx.vars[v.index()]) else { return false };
    let grf = lx.grf();
    let placed = match var.fixed {
        Some(at) => at & (grf - 1) == 0,
        None => var.align & (grf - 1) == 0,
    };
    var.class == VarClass::General && placed && reg.byte & (grf - 1) == 0
}
