//! Operands whose channels must lie where the destination's lie.
//!
//! Xe-HPC: float and 64-bit operations (and dword multiplication) read each channel from the byte of
//! the register where its result goes, but for scalars; so do operations on floats with integer results. Broxton:
//! 64-bit operations, and strides are multiples of a qword. Moves of dwords and words are free, so operands are
//! brought into place by them.

use gen_ir::{
    Arf, Base, Dst, Op, Options, Region, Src, SrcMod, Type,
    rules::places::{Channels, keeps_channels, spreads_evenly},
};
use narrow::{every, to_i16, to_u8};

use super::{
    legalizer::{Legalizer, Step, lanes_of},
    operand::{Saturates, exec_bytes, is_scalar, linear_region},
    slice::slice,
};
use crate::build::{self, VDst, VInst, VReg, VSrc};

/// Only a first source can be of the thread's state: words have no bits that say so of others.
pub(super) fn state(lx: &mut Legalizer<'_>, inst: &VInst) -> Step {
    let is_of_state = |i: &usize| inst.src[*i].reg().is_some_and(is_state);
    let Some((i, ty)) = (1..3).find(is_of_state).and_then(|i| Some((i, inst.src[i].ty()?))) else {
        return Step::Keep;
    };
    let mut new = *inst;
    lx.stage_source(&mut new, i, ty, 1);
    lx.inst(new);
    Step::Replaced
}

pub(super) fn rule(lx: &mut Legalizer<'_>, inst: &VInst) -> Step {
    let lanes = inst.exec.lanes();
    if !keeps_channels(lx.caps, inst) {
        return Step::Keep;
    }
    if let Some(state) = inst.src.iter().position(|s| s.reg().is_some_and(is_state))
        && let (false, Some(ty)) = (lx.caps.regions.float_regions, inst.src[state].ty())
    {
        // An operation on floats cannot read it from there, one on integers can.
        let mut new = *inst;
        lx.stage_source(&mut new, state, ty, 1);
        lx.inst(new);
        return Step::Replaced;
    }
    if lanes == 1 {
        return Step::Keep;
    }
    let (dst, horz, ty) = match inst.dst {
        Dst::Direct { reg, horz, ty } => (reg, u32::from(horz), ty),
        _ => return Step::Keep,
    };
    if dst.is_null() {
        return nowhere(lx, inst, dst, ty);
    }
    if ty.bytes() == 8 && horz > 2 {
        return far_apart(lx, inst);
    }
    let step = horz * ty.bytes();
    let wide = exec_bytes(inst).max(ty.bytes()) == 8;
    let at = lx.offset_in_grf(dst);
    if wide && step < 8 {
        if inst.is_raw_move() {
            return Step::Keep;
        }
        lx.stage_destination(inst, ty, 8 / ty.bytes(), Saturates::Operation);
        return Step::Replaced;
    }
    let Some(at) = at else { return in_known_place(lx, inst, dst, (horz, ty)) };
    let to = Channels { step: Some(step), place: Some(at) };
    if inst.is_raw_move() && (ty.bytes() == 8 || ty.is_float()) {
        return raw(lx, inst, to);
    }
    if at == 0 && spreads_halves(lx, inst) {
        if packed_halves(lx, inst) {
            return Step::Keep;
        }
        let mut new = *inst;
        bring(lx, &mut new, 0, 1);
        lx.inst(new);
        return Step::Replaced;
    }
    to_destination(lx, inst, (horz, ty), to)
}

/// Has the result go to a known byte of a register: by aligning its variable, or by a temporary.
fn in_known_place(lx: &mut Legalizer<'_>, inst: &VInst, dst: VReg, (horz, ty): (u32, Type)) -> Step {
    lx.align_to_register(dst);
    if lx.offset_in_grf(dst).is_some() {
        lx.inst(*inst);
    } else {
        lx.stage_destination(inst, ty, horz, Saturates::Operation);
    }
    Step::Replaced
}

/// Brings sources to the byte and the stride of the destination, whose place is known; or the other way round.
fn to_destination(lx: &mut Legalizer<'_>, inst: &VInst, (horz, ty): (u32, Type), to: Channels) -> Step {
    if goes_one_by_one(lx, inst, to) {
        [0, 1].into_iter().for_each(|channel| lx.inst(slice(inst, channel, 1)));
        return Step::Replaced;
    }
    let step = horz * ty.bytes();
    let (mut new, lanes) = (*inst, inst.exec.lanes());
    let mut changed = false;
    for i in 0..2 {
        let Src::Direct { reg, ty: src_ty, .. } = inst.src[i] else { continue };
        if is_scalar(&inst.src[i], lanes) || !lx.is_general(reg) {
            continue;
        }
        if lx.src_channels(inst, i).is_some_and(|from| from.lie_as(to)) {
            continue;
        }
        if to.place != Some(0) {
            // Copies start at a register: so must the result.
            lx.stage_destination(inst, ty, horz, Saturates::Operation);
            return Step::Replaced;
        }
        if step < src_ty.bytes() || !step.is_multiple_of(src_ty.bytes()) {
            // Half results of single operands: the result waits in the wider stride.
            lx.stage_destination(inst, ty, src_ty.bytes() / ty.bytes(), Saturates::Operation);
            return Step::Replaced;
        }
        bring_or_widen(lx, &mut new, i, step, src_ty);
        changed = true;
    }
    if changed {
        lx.inst(new);
        return Step::Replaced;
    }
    Step::Keep
}

/// Whether an operation on two channels, each on its own wherever its operands are, takes no more instructions than moves that
/// bring the operands into place: two for quadwords, and one more where the result has to wait.
fn goes_one_by_one(lx: &mut Legalizer<'_>, inst: &VInst, to: Channels) -> bool {
    let masked = !inst.no_mask || inst.pred.is_some() || inst.cond.is_some();
    let accumulates = inst.opts.has(Options::ACC_WR_EN) || inst.implicit_accumulator().writes;
    if inst.exec.lanes() != 2 || masked || accumulates || lx.overlaps(inst, 1) {
        return false;
    }
    let apart = |i: usize| match inst.src[i] {
        Src::Direct { reg, ty, .. } if lx.is_general(reg) && !is_scalar(&inst.src[i], 2) => {
            let there = lx.src_channels(inst, i).is_some_and(|from| from.lie_as(to));
            if there { 0 } else { ty.bytes().div_ceil(4) }
        }
        _ => 0,
    };
    let moves: u32 = (0..2).map(apart).sum();
    moves > 0 && moves + u32::from(to.place != Some(0)) >= 2
}

/// Whether an instruction turns halves, which do not lie where the floats will, into floats: the conversion itself spreads
/// packed ones, of as many channels as two registers of floats have (Intel's finalizer writes `mov (32|M0) r2.0<1>:f
/// r1.0<1;1,0>:hf` on Ponte Vecchio).
pub(super) fn spreads_halves(lx: &Legalizer<'_>, inst: &VInst) -> bool {
    let lanes = inst.exec.lanes();
    let floats = matches!(inst.dst, Dst::Direct { horz: 1, ty: Type::F, .. });
    let Src::Direct { reg, region, ty: Type::Hf, .. } = inst.src[0] else { return false };
    let in_place = region.stride(lanes) == Some(2) && lx.offset_in_grf(reg) == Some(0);
    let moves = inst.op == Op::Mov && !lx.caps.regions.float_regions && lanes > 1;
    moves && floats && !in_place && lx.is_general(reg) && !is_scalar(&inst.src[0], lanes)
}

/// Whether a source is halves side by side in a register, from its start or its middle.
fn packed_halves(lx: &Legalizer<'_>, inst: &VInst) -> bool {
    let (Some(from), Some(ty)) = (lx.src_channels(inst, 0), inst.src[0].ty()) else { return false };
    let to = Channels { step: Some(Type::F.bytes()), place: Some(0) };
    let inside = from.place.is_some_and(|at| at + inst.exec.lanes() * ty.bytes() <= lx.grf());
    inside && spreads_evenly((Type::F, to), (ty, from), lx.grf())
}

/// The hardware looks at stride and place of `null` too: they become the sources', which become alike.
fn nowhere(lx: &mut Legalizer<'_>, inst: &VInst, null: VReg, ty: Type) -> Step {
    let lanes = inst.exec.lanes();
    let mut sources = (0..3).filter_map(|i| match inst.src[i] {
        Src::Direct { reg, .. } if !is_scalar(&inst.src[i], lanes) && lx.is_general(reg) => {
            lx.src_channels(inst, i)
        }
        _ => None,
    });
    let Some(first) = sources.next() else { return Step::Keep };
    let alike = sources.all(|s| s.lie_as(first));
    let fits = |step: u32| step.is_multiple_of(ty.bytes()) && matches!(step / ty.bytes(), 1 | 2 | 4);
    if let (true, Channels { step: Some(step), place: Some(at) }) =
        (alike && first.step.is_some_and(fits), first)
    {
        let dst = Dst::Direct { reg: null.at(at), horz: to_u8(step / ty.bytes()), ty };
        if dst == inst.dst {
            return Step::Keep;
        }
        lx.inst(VInst { dst, ..*inst });
        return Step::Replaced;
    }
    let step = exec_bytes(inst).max(ty.bytes());
    let to = Channels { step: Some(step), place: Some(0) };
    let mut new = *inst;
    for i in 0..2 {
        let Src::Direct { reg, ty: src, .. } = inst.src[i] else { continue };
        let there = lx.src_channels(inst, i).is_some_and(|from| from.lie_as(to));
        if is_scalar(&inst.src[i], lanes) || !lx.is_general(reg) || there {
            continue;
        }
        bring(lx, &mut new, i, step / src.bytes());
    }
    lx.inst(new);
    Step::Replaced
}

/// Whether a register is one of the thread's state.
fn is_state(reg: VReg) -> bool {
    matches!(reg.base(), Base::Arf(arf) if !matches!(arf, Arf::Null | Arf::Acc(_)))
}

/// A copy of bits: done in integers of at most four bytes, which go anywhere.
fn raw(lx: &mut Legalizer<'_>, inst: &VInst, to: Channels) -> Step {
    let lanes = inst.exec.lanes();
    let (Src::Direct { reg, region, ty, .. }, Dst::Direct { reg: dst, horz, .. }) = (inst.src[0], inst.dst)
    else {
        return Step::Keep;
    };
    if is_scalar(&inst.src[0], lanes) {
        return Step::Keep;
    }
    if lx.src_channels(inst, 0).is_some_and(|from| from.lie_as(to)) {
        return Step::Keep;
    }
    let units = if ty.bytes() == 8 { 2 } else { 1 };
    let unit = Type::unsigned(ty.bytes() / units).unwrap_or(Type::Ud);
    let Some(region) = in_units(region, lanes, units) else {
        let mut new = *inst;
        bring(lx, &mut new, 0, 1);
        lx.inst(new);
        return Step::Replaced;
    };
    for k in 0..units {
        let mut part = *inst;
        let offset = k * unit.bytes();
        part.src[0] = Src::new(reg.plus(offset), region, unit);
        part.dst = Dst::Direct { reg: dst.plus(offset), horz: horz * to_u8(units), ty: unit };
        lx.inst(part);
    }
    Step::Replaced
}

/// A region of elements as one of their halves (2 units) or of themselves, if there is one.
pub(super) fn in_units(region: Region, lanes: u32, units: u32) -> Option<Region> {
    match region.stride(lanes) {
        Some(stride) => linear_region(stride * units, lanes),
        None if units == 1 => Some(region),
        None if region.vert <= 16 && region.horz <= 2 => {
            Some(Region::new(region.vert * 2, region.width, region.horz * 2))
        }
        None => None,
    }
}

/// Copies source `i` to a register-aligned temporary of the given stride, as plain bits.
fn bring(lx: &mut Legalizer<'_>, inst: &mut VInst, i: usize, stride: u32) {
    let Src::Direct { reg, region, mods, ty } = inst.src[i] else { return };
    let lanes = inst.exec.lanes();
    let copy = lx.aligned_temp(lanes * stride * ty.bytes());
    let units = if ty.bytes() == 8 { 2 } else { 1 };
    let unit = Type::unsigned(ty.bytes() / units).unwrap_or(Type::Ud);
    match in_units(region, lanes, units) {
        Some(from) => {
            for k in 0..units {
                let offset = k * unit.bytes();
                let source = Src::new(reg.plus(offset), from, unit);
                let dst = Dst::Direct { reg: copy.plus(offset), horz: to_u8(stride * units), ty: unit };
                lx.helper(build::mov(lanes_of(inst), dst, source), inst);
            }
        }
        // No region steps so far.
        None => copy_elements(lx, inst, ty, |lane, offset, unit| {
            let to = copy.plus(lane * stride * ty.bytes() + offset);
            let from = reg.plus(region.element(lane) * ty.bytes() + offset);
            (Dst::packed(to, unit), Src::new(from, Region::SCALAR, unit))
        }),
    }
    let region = linear_region(stride, lanes).unwrap_or(Region::PACKED);
    inst.src[i] = Src::Direct { reg: copy, region, mods, ty };
}

/// The same for a step in bytes. Strides end at four elements: wider elements first.
fn bring_or_widen(lx: &mut Legalizer<'_>, inst: &mut VInst, i: usize, step: u32, ty: Type) {
    if step / ty.bytes() <= 4 {
        return bring(lx, inst, i, step / ty.bytes());
    }
    let wider = match (ty.is_float(), step) {
        (true, _) => Type::F,
        (_, ..=8) => Type::W,
        _ => Type::D,
    };
    lx.stage_source(inst, i, wider, 1);
}

/// Elements that lie farther apart than halves of them can be written: made together, over what is there, then copied
/// one by one.
pub(super) fn far_apart(lx: &mut Legalizer<'_>, inst: &VInst) -> Step {
    let (horz, ty) = match inst.dst {
        Dst::Direct { horz, ty, .. } | Dst::Indirect { horz, ty, .. } => (u32::from(horz), ty),
        _ => return Step::Keep,
    };
    let packed = lx.aligned_temp(inst.exec.lanes() * ty.bytes());
    let place = |lane: u32, offset: u32| lane * horz * ty.bytes() + offset;
    let here = |lane: u32, offset: u32| packed.plus(lane * ty.bytes() + offset);
    if !inst.no_mask || (inst.pred.is_some() && inst.op != Op::Sel) {
        copy_elements(lx, inst, ty, |lane, offset, ty| {
            let (at, region) = (place(lane, offset), Region::SCALAR);
            let old = match inst.dst {
                Dst::Indirect { addr, imm, .. } => {
                    Src::Indirect { addr, imm: imm + to_i16(at), region, mods: SrcMod::None, ty }
                }
                Dst::Direct { reg, .. } => Src::new(reg.plus(at), region, ty),
                _ => Src::None,
            };
            (Dst::packed(here(lane, offset), ty), old)
        });
    }
    lx.inst(VInst { dst: Dst::packed(packed, ty), ..*inst });
    copy_elements(lx, inst, ty, |lane, offset, ty| {
        let at = place(lane, offset);
        let to = match inst.dst {
            Dst::Indirect { addr, imm, .. } => Dst::Indirect { addr, imm: imm + to_i16(at), horz: 1, ty },
            Dst::Direct { reg, .. } => Dst::packed(reg.plus(at), ty),
            other => other,
        };
        (to, Src::new(here(lane, offset), Region::SCALAR, ty))
    });
    Step::Replaced
}

/// Copies one element for each channel of `inst`, whether the channel runs or not, as plain bits. `places`
/// says where to and where from, for a channel, a byte of its element and the type of a slice of that.
pub(super) fn copy_elements(
    lx: &mut Legalizer<'_>,
    inst: &VInst,
    ty: Type,
    places: impl Fn(u32, u32, Type) -> (VDst, VSrc),
) {
    let units = if ty.bytes() == 8 { 2 } else { 1 };
    let unit = Type::unsigned(ty.bytes() / units).unwrap_or(Type::Ud);
    let lanes = build::Lanes { chan: 0, ..Legalizer::whole(inst, gen_ir::ExecSize::S1) };
    for lane in 0..inst.exec.lanes() {
        for offset in every(0..ty.bytes(), unit.bytes()) {
            let (to, from) = places(lane, offset, unit);
            lx.helper(build::mov(lanes, to, from), inst);
        }
    }
}
