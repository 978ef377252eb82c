//! Execution size: no operand spans more than two registers, and what else limits the channels.
//!
//! Volume 7, "Region Alignment Rules": a source or destination touches at most two adjacent registers;
//! a destination in two registers has half of its elements in each (Broadwell).

use gen_ir::{
    Class, Dst, Op, Options, Region, Src, SrcMod, Type,
    rules::places::{Walk, divides_evenly, mixed_lanes, rows_inside, span_fits},
};

use super::{
    legalizer::{Legalizer, Step},
    not_legal::NotLegal,
    operand::{Saturates, is_group_predicate, is_scalar},
    places::spreads_halves,
    slice::slice,
};
use crate::build::{self, VInst};

pub(super) fn rule(lx: &mut Legalizer<'_>, inst: &VInst) -> Step {
    let lanes = inst.exec.lanes();
    if lanes == 1 || fits(lx, inst) {
        return Step::Keep;
    }
    if is_group_predicate(inst) {
        let by_channel = lx.predicate_by_channel(inst);
        lx.inst(by_channel);
        return Step::Replaced;
    }
    let accumulates = inst.opts.has(Options::ACC_WR_EN) || matches!(inst.op, Op::Addc | Op::Subb);
    if accumulates && lanes <= most_lanes(lx, inst) {
        // All channels write the accumulator together.
        let mut staged = *inst;
        let mut changed = false;
        for i in 0..3 {
            if let (false, Some(ty)) = (source_fits(lx, inst, i), inst.src[i].ty()) {
                lx.copy_source(&mut staged, i, ty);
                changed = true;
            }
        }
        if changed {
            lx.inst(staged);
            return Step::Replaced;
        }
    }
    let half = lanes / 2;
    let masked = !inst.no_mask || inst.pred.is_some() || inst.cond.is_some();
    let granule = if lx.caps.words.nibble_offset { 4 } else { 8 };
    if masked && half < granule || half < channels_together(inst.op) {
        return narrow(lx, inst);
    }
    if lx.overlaps(inst, half) {
        let Some(ty) = inst.dst.ty() else { return Step::Refuse(NotLegal::NoDestination) };
        lx.stage_destination(inst, ty, 1, Saturates::Operation);
        return Step::Replaced;
    }
    lx.inst(slice(inst, 0, half));
    lx.inst(slice(inst, half, half));
    Step::Replaced
}

/// Channels that one instruction has to have together: a dot product is of four, a sum of differences of two, and the
/// accumulator that is added to such a sum is for slices not where it is for all.
const fn channels_together(op: Op) -> u32 {
    match op {
        Op::Dp2 | Op::Dp3 | Op::Dp4 | Op::Dph => 4,
        Op::Sad2 => 2,
        Op::Sada2 => 16,
        _ => 1,
    }
}

/// Fewer masked channels than a channel offset can name, or no more than have to be together: operands go through
/// aligned temporaries.
fn narrow(lx: &mut Legalizer<'_>, inst: &VInst) -> Step {
    let mut staged = *inst;
    let mut changed = false;
    for i in 0..3 {
        if let (Src::Direct { .. } | Src::Indirect { .. }, Some(ty)) = (inst.src[i], inst.src[i].ty())
            && !is_scalar(&inst.src[i], inst.exec.lanes())
            && !source_fits(lx, inst, i)
        {
            // Copy all channels, whether enabled or not, so that single ones can be moved.
            let reg = lx.aligned_temp(inst.exec.lanes() * ty.bytes());
            let lanes = Legalizer::whole(inst, inst.exec);
            let src = super::operand::without_modifiers(inst.src[i]);
            lx.helper(build::mov(build::Lanes { chan: 0, ..lanes }, Dst::packed(reg, ty), src), inst);
            staged.src[i] =
                Src::Direct { reg, region: build::strided(1, inst.exec), mods: inst.src[i].mods(), ty };
            changed = true;
        }
    }
    if !destination_fits(lx, inst) {
        let Some(ty) = inst.dst.ty() else { return Step::Refuse(NotLegal::NoDestination) };
        // A masked move to an odd place cannot be split: merge in a temporary, then copy all of it.
        let lanes = build::Lanes { chan: 0, ..Legalizer::whole(inst, inst.exec) };
        let reg = lx.aligned_temp(inst.exec.lanes() * ty.bytes());
        let old = match inst.dst {
            Dst::Direct { reg, horz, .. } => Src::new(reg, build::strided(horz, inst.exec), ty),
            Dst::Indirect { addr, imm, horz, .. } => {
                let region = build::strided(horz, inst.exec);
                Src::Indirect { addr, imm, region, mods: SrcMod::None, ty }
            }
            _ => return Step::Refuse(NotLegal::NoDestination),
        };
        lx.helper(build::mov(lanes, Dst::packed(reg, ty), old), inst);
        let mut op = staged;
        op.dst = Dst::packed(reg, ty);
        lx.helper(op, inst);
        let merged = Src::new(reg, build::strided(1, inst.exec), ty);
        lx.helper(build::mov(lanes, inst.dst, merged), inst);
        return Step::Replaced;
    }
    if !changed {
        return Step::Refuse(NotLegal::Channels);
    }
    lx.inst(staged);
    Step::Replaced
}

fn fits(lx: &Legalizer<'_>, inst: &VInst) -> bool {
    let lanes = inst.exec.lanes();
    lanes <= most_lanes(lx, inst) && destination_fits(lx, inst) && (0..3).all(|i| source_fits(lx, inst, i))
}

/// Limits that do not come from spans.
pub(super) fn most_lanes(lx: &Legalizer<'_>, inst: &VInst) -> u32 {
    let qwords = |ty: Option<Type>| ty.is_some_and(|t| t.bytes() == 8);
    if inst.exec.lanes() * 8 > 2 * lx.grf()
        && (qwords(inst.dst.ty()) || inst.src.iter().any(|s| qwords(s.ty())))
    {
        // Channels times the largest element are two registers at most, even where nothing is written and each
        // source is one element ("General Restrictions Based on Operand Types", quoted by Mesa's validator).
        return 2 * lx.grf() / 8;
    }
    // Halves that are packed before are any number.
    if !spreads_halves(lx, inst)
        && let Some(most) = mixed_lanes(lx.caps, inst)
    {
        return most;
    }
    match inst.op {
        op if op.info().class == Class::Ternary => lx.caps.words.ternary_lanes.into(),
        Op::Line | Op::Pln => 16,
        Op::Sada2 | Op::Sad2 => 16,
        _ => 32,
    }
}

/// Whether a destination stays in a register, or goes over into the next in a way that the platform has.
pub(super) fn destination_fits(lx: &Legalizer<'_>, inst: &VInst) -> bool {
    let (lanes, grf) = (inst.exec.lanes(), lx.grf());
    let (reg, horz, ty) = match inst.dst {
        Dst::Direct { reg, horz, ty } => (reg, horz, ty),
        // Where an address points is not known: no more than two registers from an aligned start.
        Dst::Indirect { horz, ty, .. } => return span_fits(walk(lanes, 0, horz, ty).end(), grf),
        _ => return true,
    };
    if reg.is_null() {
        return true;
    }
    if !lx.is_general(reg) {
        // Accumulators: a register's worth, or two.
        return span_fits(walk(lanes, 0, horz, ty).end(), grf);
    }
    let Some(offset) = lx.offset_in_grf(reg) else {
        // A variable smaller than a register never crosses one.
        return walk(lanes, 0, horz, ty).end() <= grf;
    };
    let walk = walk(lanes, offset, horz, ty);
    // From Skylake on, what two sources make may go over unevenly; Intel's finalizer leaves `mov`, `add` and `shl` so there,
    // and cuts them on Broadwell. Of three sources, and of channels that belong together, nobody knows.
    let evenly =
        |class| divides_evenly(lx.caps, class) || class == Class::Ternary || channels_together(inst.op) != 1;
    let end = walk.end();
    end <= grf || span_fits(end, grf) && (walk.is_halved(grf) || !evenly(inst.op.info().class))
}

/// The way of a destination over registers from a byte on.
fn walk(lanes: u32, start: u32, horz: u8, ty: Type) -> Walk {
    Walk { lanes, start, step: u32::from(horz) * ty.bytes(), size: ty.bytes() }
}

pub(super) fn source_fits(lx: &Legalizer<'_>, inst: &VInst, i: usize) -> bool {
    let (lanes, grf) = (inst.exec.lanes(), lx.grf());
    match inst.src[i] {
        Src::Direct { reg, region, ty, .. } => {
            if is_scalar(&inst.src[i], lanes) || reg.is_null() {
                return true;
            }
            let span = gen_ir::region_span(region, ty, lanes);
            if !lx.is_general(reg) {
                return span_fits(span, grf);
            }
            let Some(offset) = lx.offset_in_grf(reg) else { return span <= grf };
            span_fits(offset + span, grf)
                && (offset + span <= grf || !lx.caps.regions.even_writes || owords_fit(lx, inst))
                && (region.stride(lanes).is_some_and(|s| s <= Region::WIDEST)
                    || rows_inside(region, ty, offset, lanes, grf))
        }
        Src::Indirect { region, ty, .. } if region.vert != Region::VXH => {
            // Where an address points is not known: stay inside one register from an aligned start.
            is_scalar(&inst.src[i], lanes)
                || span_fits(gen_ir::region_span(region, ty, lanes), grf)
                    && (region.stride(lanes).is_some_and(|s| s <= Region::WIDEST)
                        || rows_inside(region, ty, 0, lanes, grf))
        }
        Src::Indirect { region, ty, .. } => {
            // At most eight addresses of a0's sixteen are read at once, each row in one register.
            lanes / u32::from(region.width.max(1)) <= 16 && u32::from(region.width) * ty.bytes() <= grf
        }
        _ => true,
    }
}

/// Whether a destination fits beside a source in two registers: see [`platforms::Caps::even_writes`].
fn owords_fit(lx: &Legalizer<'_>, inst: &VInst) -> bool {
    let Dst::Direct { reg, horz, ty } = inst.dst else { return true };
    if reg.is_null() || !lx.is_general(reg) {
        return true;
    }
    let (lanes, oword) = (inst.exec.lanes(), lx.grf() / 2);
    let at = match lx.offset_in_grf(reg) {
        Some(offset) => offset,
        // Somewhere in a register; where in the oword is known from its alignment.
        None if lx.is_aligned(reg, oword) => 0,
        None => {
            let bytes = lanes * u32::from(horz) * ty.bytes();
            return lx.is_aligned(reg, bytes.next_power_of_two()) && bytes <= oword;
        }
    };
    let walk = walk(lanes, at, horz, ty);
    walk.end() > lx.grf() || walk.is_halved_or_whole(oword)
}
