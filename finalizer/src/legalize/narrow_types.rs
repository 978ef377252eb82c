//! Xe-HPC: words and bytes packed from elements farther apart take two steps.
//!
//! What packs otherwise than [`narrow_fits`] knows is computed into dwords, one element each, and packed from there;
//! and if only the destination's place is in the way, in a register's beginning, to be moved on from there.

use gen_ir::{
    Dst, Op, Region, Src, Type,
    rules::{Narrow, NarrowSource, narrow_fits, places::computes_in_floats},
};

use super::{
    legalizer::{Legalizer, Step, lanes_of},
    operand::{Saturates, is_scalar, linear_region},
};
use crate::build::{self, VInst, VReg};

pub(super) fn rule(lx: &mut Legalizer<'_>, inst: &VInst) -> Step {
    let (reg, horz, ty) = match inst.dst {
        Dst::Direct { reg, horz, ty } => (Some(reg), u32::from(horz), ty),
        Dst::Indirect { horz, ty, .. } => (None, u32::from(horz), ty),
        _ => return Step::Keep,
    };
    let restricted = lx.caps.regions.narrow_packs_restricted && inst.exec.lanes() > 1;
    if !restricted || horz * ty.bytes() >= 4 || computes_in_floats(inst) {
        return Step::Keep;
    }
    if let Some(null) = reg.filter(|r| r.is_null()) {
        return by_dwords(lx, inst, null, ty);
    }
    let at = |place| Narrow { bytes: ty.bytes(), stride: horz, place };
    let mut fits = |dst| (0..2).all(|i| reads(lx, inst, i, dst));
    if fits(at(None)) {
        return Step::Keep;
    }
    let anywhere = fits(at(Some(0)));
    if let Some((byte, unit)) = reg.and_then(|r| place_in_32(lx, r)) {
        let mut places = (0..32 / unit).map(|k| at(Some(byte + k * unit)));
        if places.all(|dst| (0..2).all(|i| reads(lx, inst, i, dst))) {
            return Step::Keep;
        }
    }
    if anywhere {
        lx.stage_destination(inst, ty, horz, Saturates::Operation);
    } else if ty.bytes() == 1 && !inst.sat {
        through_dwords(lx, inst, ty);
    } else {
        lx.stage_destination(inst, ty, 4 / ty.bytes(), Saturates::Operation);
    }
    Step::Replaced
}

/// Computes bytes into whole dwords (the hardware need not merge them with what is there), then packs them.
fn through_dwords(lx: &mut Legalizer<'_>, inst: &VInst, ty: Type) {
    let lanes = inst.exec.lanes();
    let dwords = lx.aligned_temp(4 * lanes);
    let mut op = *inst;
    op.dst = Dst::packed(dwords, if ty.is_signed() { Type::D } else { Type::Ud });
    lx.helper(op, inst);
    let region = linear_region(4, lanes).unwrap_or(Region::PACKED);
    let mut copy = build::mov(lanes_of(inst), inst.dst, Src::new(dwords, region, ty));
    copy.pred = if inst.op == Op::Sel { None } else { inst.pred };
    lx.helper(copy, inst);
}

/// The hardware looks at the stride of `null` too: one dword a channel.
fn by_dwords(lx: &mut Legalizer<'_>, inst: &VInst, null: VReg, ty: Type) -> Step {
    let words = if ty.is_signed() { Type::W } else { Type::Uw };
    lx.inst(VInst { dst: Dst::Direct { reg: null, horz: 2, ty: words }, ..*inst });
    Step::Replaced
}

/// Whether source `i` can be read for a destination.
fn reads(lx: &mut Legalizer<'_>, inst: &VInst, i: usize, dst: Narrow) -> bool {
    let lanes = inst.exec.lanes();
    let (region, ty, reg) = match inst.src[i] {
        Src::Direct { reg, region, ty, .. } => (region, ty, Some(reg)),
        // Each element by an address of its own.
        Src::Indirect { region, .. } if region.vert == Region::VXH && region.width == 1 => return true,
        Src::Indirect { region, ty, .. } => (region, ty, None),
        _ => return true,
    };
    if is_scalar(&inst.src[i], lanes) || reg.is_some_and(|r| !lx.is_general(r)) {
        return true;
    }
    let grf = lx.grf();
    let place = reg.and_then(|r| place(lx, r, grf));
    let fixed_words = i == 1 && lx.caps.errata.swizzled_words_to_bytes;
    narrow_fits(dst, NarrowSource { bytes: ty.bytes(), region, place, fixed_words }, lanes)
}

/// The byte modulo 32, or at least modulo 16, with that unit: where only the latter is known, both halves must do.
fn place_in_32(lx: &mut Legalizer<'_>, reg: VReg) -> Option<(u32, u32)> {
    [32, 16].into_iter().find_map(|unit| Some((place(lx, reg, unit)?, unit)))
}

/// The byte of a register modulo `unit`, if it is known. A variable that lies at such multiples anyway says so from
/// now on.
fn place(lx: &mut Legalizer<'_>, reg: VReg, unit: u32) -> Option<u32> {
    if let Some(at) = lx.offset_modulo(reg, unit) {
        return Some(at);
    }
    let var = reg.var()?;
    if lx.vars[var.index()].bytes >= unit {
        lx.raise_alignment(reg, unit);
    }
    lx.offset_modulo(reg, unit)
}
