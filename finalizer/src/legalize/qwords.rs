//! Quadwords: which types are, and their dwords.

use gen_ir::{Dst, Op, Region, Src, SrcMod, Type};
use narrow::{low_u32, to_i16};

use super::{
    legalizer::Legalizer,
    operand::{dword_for, with_modifiers, without_modifiers},
    places::{copy_elements, in_units},
    slice::slice_source,
};
use crate::build::{self, VInst, VSrc, extend};

/// Types of 64 bits.
pub(super) const fn is_wide(t: Type) -> bool {
    matches!(t, Type::Q | Type::Uq | Type::Df)
}

/// Low and high dword of a destination.
pub(super) fn dwords_of_dst(inst: &VInst) -> Option<[Dst<gen_ir::Virtual>; 2]> {
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

/// The instruction with sources whose elements have dwords: vectors of constants as numbers, and what no region of dwords
/// reads copied element by element.
pub(super) fn with_dwords(lx: &mut Legalizer<'_>, inst: &VInst) -> Option<VInst> {
    let mut new = *inst;
    for i in 0..3 {
        match inst.src[i] {
            Src::Imm { ty: Type::V, .. } => lx.stage_source(&mut new, i, Type::D, 1),
            Src::Imm { ty: Type::Uv, .. } => lx.stage_source(&mut new, i, Type::Ud, 1),
            src if src.ty().is_some_and(is_wide)
                && !src.is_imm()
                && dwords_at(src, inst.exec.lanes(), 0).is_none() =>
            {
                copy_quadwords(lx, &mut new, i);
            }
            _ => {}
        }
    }
    (new != *inst).then_some(new)
}

/// Low and high dword of a source; a narrower one is extended.
pub(super) fn dwords_of_src(lx: &mut Legalizer<'_>, inst: &VInst, i: usize) -> Option<[VSrc; 2]> {
    let lanes = inst.exec.lanes();
    match inst.src[i] {
        Src::Imm { bits, ty } => {
            let value = extend(bits, ty);
            Some([Src::ud(low_u32(value)), Src::ud(low_u32(value >> 32))])
        }
        src if src.ty()?.bytes() == 8 => Some([dwords_at(src, lanes, 0)?, dwords_at(src, lanes, 4)?]),
        src => {
            let ty = src.ty()?;
            let mut staged = *inst;
            // In bitwise operations modifiers say `not`.
            let dword = dword_for(&if inst.op.info().logic { without_modifiers(src) } else { src });
            // The high half is written before a dword is read again for it.
            let apart = match (inst.dst, src) {
                (Dst::Direct { reg: to, .. }, Src::Direct { reg: from, .. }) => to.base() != from.base(),
                _ => false,
            };
            if ty.bytes() < 4 || !apart {
                lx.stage_source(&mut staged, i, dword, 1);
            }
            // What is left of modifiers is the `not` of bitwise operations, of all 64 bits.
            let not = staged.src[i].mods();
            let low = without_modifiers(staged.src[i]);
            let high = if dword.is_signed() {
                let sign = lx.dwords(inst, Op::Asr, Type::D, &[low, Src::uw(31)]);
                with_modifiers(Src::new(sign, build::strided(1, inst.exec), Type::Ud), not)
            } else {
                Src::ud(if not.any() { u32::MAX } else { 0 })
            };
            Some([with_modifiers(build::with_type(low, Type::Ud), not), high])
        }
    }
}

/// The units of type `unit` at byte `offset` of each element of a source, of `units` in each.
pub(super) fn part(src: VSrc, lanes: u32, units: u32, offset: u32, unit: Type) -> Option<VSrc> {
    let in_parts = |region: Region| match region.vert {
        Region::VXH if units == 1 || region.width == 1 => Some(region),
        Region::VXH => None,
        _ => in_units(region, lanes, units),
    };
    match src {
        Src::Direct { reg, region, .. } => Some(Src::new(reg.plus(offset), in_parts(region)?, unit)),
        Src::Indirect { addr, imm, region, .. } => {
            let (imm, region) = (imm + to_i16(offset), in_parts(region)?);
            Some(Src::Indirect { addr, imm, region, mods: SrcMod::None, ty: unit })
        }
        _ => None,
    }
}

/// The dwords at byte 0 or 4 of each quadword of a source in registers, under its modifiers, if there is such a region.
pub(crate) fn dwords_at(src: VSrc, lanes: u32, offset: u32) -> Option<VSrc> {
    part(src, lanes, 2, offset, Type::Ud).map(|half| with_modifiers(half, src.mods()))
}

/// Puts source `i`, of quadwords, into a packed temporary, element by element, and makes `inst` read that.
pub(super) fn copy_quadwords(lx: &mut Legalizer<'_>, inst: &mut VInst, i: usize) {
    let src = inst.src[i];
    let (Some(ty), lanes) = (src.ty(), inst.exec.lanes()) else { return };
    let copy = lx.aligned_temp(lanes * ty.bytes());
    let element = |lane: u32, offset: u32, unit: Type| match slice_source(src, lanes, lane, 1) {
        Src::Indirect { addr, imm, .. } => Src::Indirect {
            addr,
            imm: imm.saturating_add(to_i16(offset)),
            region: Region::SCALAR,
            mods: SrcMod::None,
            ty: unit,
        },
        Src::Direct { reg, .. } => Src::scalar(reg.plus(offset), unit),
        other => other,
    };
    copy_elements(lx, inst, ty, |lane, offset, unit| {
        (Dst::packed(copy.plus(lane * ty.bytes() + offset), unit), element(lane, offset, unit))
    });
    inst.src[i] = Src::Direct { reg: copy, region: build::strided(1, inst.exec), mods: src.mods(), ty };
}

/// Whether a shift repeats the sign: that of an unsigned value has none.
pub(super) fn is_arithmetic(inst: &VInst) -> bool {
    inst.op == Op::Asr && inst.src[0].ty().is_some_and(Type::is_signed)
}
