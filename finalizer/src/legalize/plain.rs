//! Instructions that no rule has anything to say about, recognised at a glance: most are.

use gen_ir::{Dst, Op, Options, Payload, Region, Src, SrcMod, Type, VarClass};

use super::Legalizer;
use crate::build::{VInst, VReg, VSrc};

/// Whether an instruction is one of those for which all rules would look for faults in vain: plain
/// arithmetic on dwords, words and single floats in packed registers and scalars. Then its regions are
/// spelled as [`Legalizer::canonical`] would. (Builds with debug assertions ask it and the rules, too.)
#[inline]
pub(super) fn settle(lx: &Legalizer<'_>, inst: &mut VInst) -> bool {
    let Some((first, second)) = regions(lx, inst) else { return false };
    for (src, spelled) in inst.src.iter_mut().zip([first, second]) {
        if let Src::Direct { region, .. } = src {
            *region = spelled;
        }
    }
    true
}

/// The regions of the sources of a plain instruction; of any kind for what is no register.
fn regions(lx: &Legalizer<'_>, inst: &VInst) -> Option<(Region, Region)> {
    let Dst::Direct { reg: dst, horz: 1, ty } = inst.dst else { return None };
    let [a, b, c] = &inst.src;
    let unary = match inst.op {
        Op::Mov | Op::Not => true,
        Op::Add | Op::And | Op::Or | Op::Xor | Op::Shl | Op::Asr | Op::Cmp | Op::Sel => false,
        Op::Shr if !a.ty().is_some_and(Type::is_signed) => false,
        Op::Mul if ty == Type::F && a.ty() == Some(Type::F) && b.ty() == Some(Type::F) => false,
        // A dword times a word.
        Op::Mul if ty != Type::F && inst.cond.is_none() => {
            a.ty().zip(b.ty()).filter(|(a, b)| a.is_int() && a.bytes() == 4 && is_word(*b))?;
            false
        }
        _ => return None,
    };
    let lanes = inst.exec.lanes();
    let strange = !is_dword(ty)
        || inst.sat
        || inst.opts != Options::NONE
        || lanes * 4 > 2 * lx.grf()
        || !matches!(inst.payload, Payload::None)
        || !matches!(c, Src::None);
    let dst_fits = || dst.is_null() || if lanes == 1 { lx.is_general(dst) } else { starts_register(lx, dst) };
    if strange || !dst_fits() {
        return None;
    }
    let apart = |s: &VSrc| match *s {
        Src::Direct { reg, region, ty, .. } => {
            !reg.is_in(dst) || reg == dst && !region.is_scalar() && is_dword(ty)
        }
        _ => true,
    };
    if lanes * 4 > lx.grf() && lx.caps.regions.halves_apart && !(apart(a) && apart(b)) {
        return None;
    }
    // Where channels of floats stay in place, words are brought to dwords first.
    let words = lx.caps.regions.float_regions || ty != Type::F;
    let source = |s: &VSrc| match *s {
        Src::Direct { reg, region, mods: SrcMod::None, ty } if is_dword(ty) || words && is_word(ty) => {
            if lanes == 1 || region.is_scalar() {
                return Some(Region::SCALAR);
            }
            if !region.is_packed() || !starts_register(lx, reg) {
                return None;
            }
            let row = lanes.min(lx.grf() / ty.bytes()).min(16) as u8;
            Some(if lx.caps.regions.float_regions { Region::new(row, row, 1) } else { Region::PACKED })
        }
        _ => None,
    };
    let last = |s: &VSrc| match *s {
        Src::Imm { ty, .. } if is_dword(ty) || is_word(ty) => Some(Region::SCALAR),
        _ => source(s),
    };
    match (unary, b) {
        (true, Src::None) => Some((last(a)?, Region::SCALAR)),
        (true, _) => None,
        (false, b) => Some((source(a)?, last(b)?)),
    }
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
