//! The math unit: its types, sizes and plain operands.
//!
//! Volume 2a, `math`: integer division works on dwords, eight channels (a register's worth); operands
//! are packed and start at the same place of a register, or are scalar.

use gen_ir::{Dst, ExecSize, MathFn, Op, Payload, Region, Src, SrcMod, Type};
use narrow::low_u16;
use platforms::HalfMath;

use super::{
    legalizer::{Legalizer, Step},
    not_legal::NotLegal,
    operand::{Saturates, is_group_predicate, is_scalar},
    slice::slice,
};
use crate::build::{self, Lanes, VInst, VReg, VSrc, division_type, with_type};

/// The half-float infinity, for channels whose results nobody reads.
const INFINITY: u16 = 0x7c00;

pub(super) fn rule(lx: &mut Legalizer<'_>, inst: &VInst) -> Step {
    let (Op::Math, Payload::Math(function)) = (inst.op, inst.payload) else { return Step::Keep };
    if matches!(inst.dst, Dst::Macro { .. }) {
        return Step::Keep;
    }
    let division = matches!(function, MathFn::Iqot | MathFn::Irem | MathFn::Idivmod);
    if division && !lx.caps.ops.int_div {
        return Step::Refuse(NotLegal::IntegerDivision);
    }
    if let Some(step) = if division { dwords(lx, inst) } else { types(lx, inst) } {
        return step;
    }
    let lanes = inst.exec.lanes();
    let half = inst.dst.ty() == Some(Type::Hf) || inst.src[0].ty() == Some(Type::Hf);
    let native = u32::from(lx.caps.regs.native_lanes());
    let most = if division || half { native } else { 2 * native };
    if lanes > most {
        if is_group_predicate(inst) {
            let by_channel = lx.predicate_by_channel(inst);
            lx.inst(by_channel);
            return Step::Replaced;
        }
        if lx.overlaps(inst, lanes / 2) {
            let Some(ty) = inst.dst.ty() else { return Step::Refuse(NotLegal::NoDestination) };
            lx.stage_destination(inst, ty, 1, Saturates::Operation);
            return Step::Replaced;
        }
        lx.inst(slice(inst, 0, lanes / 2));
        lx.inst(slice(inst, lanes / 2, lanes / 2));
        return Step::Replaced;
    }
    places(lx, inst)
}

/// Integers are divided as dwords of one type without modifiers.
fn dwords(lx: &mut Legalizer<'_>, inst: &VInst) -> Option<Step> {
    let mut new = *inst;
    let want = division_type(&inst.src);
    for i in 0..2 {
        let src = inst.src[i];
        match src.ty() {
            Some(ty) if ty.bytes() == 8 => return Some(Step::Refuse(NotLegal::QwordDivision)),
            Some(ty) if ty.bytes() == 4 && !src.mods().any() => new.src[i] = with_type(src, want),
            Some(_) => lx.stage_source(&mut new, i, want, 1),
            None => {}
        }
    }
    match inst.dst.ty() {
        // What saturation looks at has the sign of the operands.
        Some(ty) if ty.bytes() < 4 || inst.sat && ty != want => {
            lx.stage_destination(&new, want, 1, Saturates::Move)
        }
        _ if new != *inst => lx.inst(new),
        _ => return None,
    }
    Some(Step::Replaced)
}

/// Operands of types that the math unit does not have.
fn types(lx: &mut Legalizer<'_>, inst: &VInst) -> Option<Step> {
    let mut new = *inst;
    let mut changed = false;
    let to_float = lx.caps.ops.half_math == HalfMath::None;
    for i in 0..2 {
        match inst.src[i].ty() {
            Some(Type::Hf) if to_float && !inst.src[i].is_imm() => {
                lx.stage_source(&mut new, i, Type::F, 1);
                changed = true;
            }
            Some(Type::Df) => return Some(Step::Refuse(NotLegal::MathOfDoubles)),
            // As Intel's finalizer has it: an integer's root is that of the float it is.
            Some(ty) if ty.is_int() => {
                lx.stage_source(&mut new, i, Type::F, 1);
                changed = true;
            }
            _ => {}
        }
    }
    let integer = inst.dst.ty().is_some_and(Type::is_int);
    if integer || to_float && inst.dst.ty() == Some(Type::Hf) {
        lx.stage_destination(&new, Type::F, 1, Saturates::Move);
        return Some(Step::Replaced);
    }
    if changed {
        lx.inst(new);
        return Some(Step::Replaced);
    }
    None
}

/// Packed operands at the same place of a register.
fn places(lx: &mut Legalizer<'_>, inst: &VInst) -> Step {
    let lanes = inst.exec.lanes();
    let Some(ty) = inst.dst.ty() else { return Step::Keep };
    if let Some(step) = addresses(lx, inst, ty) {
        return step;
    }
    if let Some(step) = halves(lx, inst) {
        return step;
    }
    if lanes == 1 {
        return Step::Keep;
    }
    if let Dst::Direct { reg, horz: 1, .. } = inst.dst {
        lx.place_in_grf(reg, reg.byte % lx.grf());
    }
    let at = match inst.dst {
        Dst::Direct { reg, horz: 1, .. } => lx.offset_in_grf(reg),
        _ => None,
    };
    // Eight or more lanes fill their registers; fewer stay inside one.
    let at = at.filter(|a| a % (lanes * ty.bytes()).min(lx.grf()) == 0);
    let Some(at) = at else {
        lx.stage_destination(inst, ty, 1, Saturates::Operation);
        return Step::Replaced;
    };
    let mut new = *inst;
    let mut changed = false;
    for i in 0..2 {
        if matches!(inst.src[i], Src::None) || is_scalar(&inst.src[i], lanes) {
            continue;
        }
        let fits = match inst.src[i] {
            Src::Direct { reg, region, ty: src_ty, .. } => {
                lx.place_in_grf(reg, at);
                region.stride(lanes) == Some(1)
                    && src_ty.bytes() == ty.bytes()
                    && lx.offset_in_grf(reg) == Some(at)
            }
            _ => false,
        };
        if !fits {
            let src_ty = inst.src[i].ty().unwrap_or(ty);
            if at != 0 {
                // The copy starts at a register: so must the result.
                lx.stage_destination(inst, ty, 1, Saturates::Operation);
                return Step::Replaced;
            }
            lx.stage_source(&mut new, i, src_ty, 1);
            changed = true;
            if src_ty.bytes() != ty.bytes() {
                return Step::Refuse(NotLegal::MathSizes);
            }
        }
    }
    if changed {
        lx.inst(new);
        return Step::Replaced;
    }
    Step::Keep
}

/// Functions of halves that give halves work on as many channels as the platform has for them, no fewer; on Xe-HPC no
/// source is one half for all channels. (Intel's finalizer, `fixMathInst`: "For packed HF math, it must be simd8/simd16",
/// and `hasHFMathSrcBroadCast`; its compilers write nothing else.)
fn halves(lx: &mut Legalizer<'_>, inst: &VInst) -> Option<Step> {
    let half = |ty: Option<Type>| ty.is_none_or(|t| t == Type::Hf);
    if inst.dst.ty() != Some(Type::Hf) || !inst.src.iter().all(|s| half(s.ty())) {
        return None;
    }
    let lanes = inst.exec.lanes();
    let native = u32::from(lx.caps.regs.native_lanes());
    if lanes < native {
        return Some(in_all_channels(lx, inst, ExecSize::from_lanes(native)?));
    }
    if lx.caps.ops.half_math != HalfMath::FromStart {
        return None;
    }
    if inst.src.iter().any(|s| is_one_for_all(s, lanes)) {
        return Some(copy_to_channels(lx, inst, ExecSize::from_lanes(native)?));
    }
    from_the_start(lx, inst)
}

/// Whether a source is one half for all channels.
fn is_one_for_all(src: &VSrc, lanes: u32) -> bool {
    src.is_imm() || !matches!(src, Src::None) && is_scalar(src, lanes)
}

/// Every channel gets its own copy of what is one half for all.
fn copy_to_channels(lx: &mut Legalizer<'_>, inst: &VInst, exec: ExecSize) -> Step {
    let mut new = *inst;
    for src in new.src.iter_mut().filter(|s| is_one_for_all(s, inst.exec.lanes())) {
        let Some(copy) = broadcast(lx, inst, src, exec) else { return Step::Refuse(NotLegal::MathSource) };
        *src = copy;
    }
    lx.inst(new);
    Step::Replaced
}

/// The same on all channels that the hardware has: what the others get are infinities, and nobody reads what they give.
fn in_all_channels(lx: &mut Legalizer<'_>, inst: &VInst, exec: ExecSize) -> Step {
    let mut whole = VInst { exec, chan: 0, no_mask: true, pred: None, cond: None, sat: false, ..*inst };
    for src in whole.src.iter_mut().filter(|s| !matches!(s, Src::None)) {
        let copy = match is_one_for_all(src, inst.exec.lanes()) {
            true if lx.caps.ops.half_math != HalfMath::FromStart => {
                if let Src::Direct { region, .. } = src {
                    *region = Region::SCALAR;
                }
                continue;
            }
            true => broadcast(lx, inst, src, exec),
            false => filled(lx, inst, src, exec),
        };
        let Some(copy) = copy else { return Step::Refuse(NotLegal::MathSource) };
        *src = copy;
    }
    let result = lx.aligned_temp(exec.lanes() * Type::Hf.bytes());
    whole.dst = Dst::packed(result, Type::Hf);
    lx.inst(whole);
    let given = Src::new(result, build::strided(1, inst.exec), Type::Hf);
    let mov = build::mov(Lanes::of(inst), inst.dst, given);
    lx.helper(VInst { pred: inst.pred, cond: inst.cond, sat: inst.sat, ..mov }, inst);
    Step::Replaced
}

/// A source that is one half for all channels, side by side for each.
fn broadcast(lx: &mut Legalizer<'_>, inst: &VInst, src: &VSrc, exec: ExecSize) -> Option<VSrc> {
    let bits = match bits_of(src)? {
        Src::Direct { reg, ty, .. } => Src::scalar(reg, ty),
        imm => imm,
    };
    let copy = lx.aligned_temp(exec.lanes() * Type::Hf.bytes());
    lx.helper(build::mov(Lanes::all(exec), Dst::packed(copy, Type::Uw), bits), inst);
    Some(packed_halves(copy, exec, src))
}

/// A source with infinities in the channels that do not run.
fn filled(lx: &mut Legalizer<'_>, inst: &VInst, src: &VSrc, exec: ExecSize) -> Option<VSrc> {
    let bits = bits_of(src)?;
    let copy = lx.aligned_temp(exec.lanes() * Type::Hf.bytes());
    let to = Dst::packed(copy, Type::Uw);
    lx.helper(build::mov(Lanes::all(exec), to, Src::uw(INFINITY)), inst);
    lx.helper(build::mov(Lanes::of(inst), to, bits), inst);
    Some(packed_halves(copy, exec, src))
}

/// The bits of halves in a register or an immediate.
fn bits_of(src: &VSrc) -> Option<VSrc> {
    match *src {
        Src::Direct { reg, region, .. } => {
            Some(Src::Direct { reg, region, mods: SrcMod::None, ty: Type::Uw })
        }
        Src::Imm { bits, .. } => Some(Src::uw(low_u16(bits))),
        _ => None,
    }
}

/// Copies of a source's bits, with its modifiers.
fn packed_halves(copy: VReg, exec: ExecSize, src: &VSrc) -> VSrc {
    Src::Direct { reg: copy, region: build::strided(1, exec), mods: src.mods(), ty: Type::Hf }
}

/// On Xe-HPC halves that the math unit gives start at a register. (So do those of Intel's code, which copies what does not.)
fn from_the_start(lx: &mut Legalizer<'_>, inst: &VInst) -> Option<Step> {
    let Dst::Direct { reg, horz: 1, ty } = inst.dst else { return None };
    lx.place_in_grf(reg, reg.byte % lx.grf());
    if lx.offset_in_grf(reg) == Some(0) {
        return None;
    }
    lx.stage_destination(inst, ty, 1, Saturates::Operation);
    Some(Step::Replaced)
}

/// The words of a math function have no bits for addresses (iga64 does not decode any).
fn addresses(lx: &mut Legalizer<'_>, inst: &VInst, ty: Type) -> Option<Step> {
    if matches!(inst.dst, Dst::Indirect { .. }) {
        lx.stage_destination(inst, ty, 1, Saturates::Operation);
        return Some(Step::Replaced);
    }
    let mut new = *inst;
    let mut changed = false;
    for i in 0..2 {
        if let (Src::Indirect { .. }, Some(ty)) = (inst.src[i], inst.src[i].ty()) {
            lx.stage_source(&mut new, i, ty, 1);
            changed = true;
        }
    }
    changed.then(|| {
        lx.inst(new);
        Step::Replaced
    })
}
