//! Quadwords: which types are, and their halves.

use gen_ir::{Dst, Op, Region, Src, Type};
use narrow::{low_u32, to_i16};

use super::{
    legalizer::{Legalizer, lanes_of},
    operand::{is_scalar, linear_region, linear_stride},
};
use crate::build::{self, VInst, VSrc, extend};

/// Why an operation on doubles is refused where there are none.
pub(super) const NO_DOUBLES: &str = "double precision, which the platform does not have";

/// Types of 64 bits.
pub(super) const fn is_wide(t: Type) -> bool {
    matches!(t, Type::Q | Type::Uq | Type::Df)
}

/// Low and high dword of a destination.
pub(super) fn halves_of_dst(inst: &VInst) -> Option<[Dst<gen_ir::Virtual>; 2]> {
    match inst.dst {
        Dst::Direct { reg, horz, .. } if horz <= 2 || inst.exec.lanes() == 1 => {
            Some([0, 4].map(|at| Dst::Direct { reg: reg.plus(at), horz: 2 * horz.min(2), ty: Type::Ud }))
        }
        Dst::Indirect { addr, imm, horz, .. } if horz <= 2 || inst.exec.lanes() == 1 => {
            Some([0, 4].map(|at| Dst::Indirect { addr, imm: imm + at, horz: 2 * horz.min(2), ty: Type::Ud }))
        }
        _ => None,
    }
}

/// Low and high dword of a source; a narrower one is extended.
pub(super) fn halves_of_src(lx: &mut Legalizer<'_>, inst: &VInst, i: usize) -> Option<[VSrc; 2]> {
    let lanes = inst.exec.lanes();
    match inst.src[i] {
        Src::Imm { bits, ty } => {
            let value = extend(bits, ty);
            Some([Src::ud(low_u32(value)), Src::ud(low_u32(value >> 32))])
        }
        src @ (Src::Direct { region, ty, .. } | Src::Indirect { region, ty, .. }) if ty.bytes() == 8 => {
            let region = if is_scalar(&src, lanes) {
                linear_region(0, lanes)?
            } else if let Some(stride) = linear_stride(region, lanes) {
                linear_region(stride * 2, lanes)?
            } else if region.vert <= 16 && region.horz <= 2 {
                Region::new(region.vert * 2, region.width, region.horz * 2)
            } else {
                return None;
            };
            Some([0u32, 4].map(|at| match src {
                Src::Direct { reg, mods, .. } => {
                    Src::Direct { reg: reg.plus(at), region, mods, ty: Type::Ud }
                }
                Src::Indirect { addr, imm, mods, .. } => {
                    Src::Indirect { addr, imm: imm + to_i16(at), region, mods, ty: Type::Ud }
                }
                other => other,
            }))
        }
        src => {
            let ty = src.ty()?;
            let mut staged = *inst;
            let dword = if ty.is_signed() { Type::D } else { Type::Ud };
            lx.stage_source(&mut staged, i, dword, 1);
            if !ty.is_signed() {
                return Some([staged.src[i], Src::ud(0)]);
            }
            let high = lx.aligned_temp(lanes * 4);
            let sign =
                build::op(Op::Asr, lanes_of(inst), Dst::packed(high, Type::D), &[staged.src[i], Src::uw(31)]);
            lx.helper(sign, inst);
            let low = build::with_type(staged.src[i], Type::Ud);
            Some([low, Src::new(high, build::strided(1, inst.exec), Type::Ud)])
        }
    }
}

/// Whether a shift repeats the sign: that of an unsigned value has none.
pub(super) fn is_arithmetic(inst: &VInst) -> bool {
    inst.op == Op::Asr && inst.src[0].ty().is_some_and(Type::is_signed)
}
