//! Half floats and bfloat16 beside single floats.
//!
//! Volume 7, "Special Restrictions for Handling Mixed Mode Float Operations". Which operands of arithmetic may be narrow, and
//! where the sources for that are: [`gen_ir::rules::mixing`].

use gen_ir::{
    Class, Direction, Dst, Op, Src, Type,
    rules::{
        mixing::{bf16_place, is_arithmetic, is_broadcast, narrow_result, narrow_source, turned},
        places::{half_of_float, is_narrowed},
    },
};
use narrow::low_u16;

use super::{
    legalizer::{Legalizer, Step},
    not_legal::NotLegal,
};
use crate::build::{VInst, VSrc, strided, with_type};
use crate::legalize::operand::Saturates;

pub(super) fn rule(lx: &mut Legalizer<'_>, inst: &VInst) -> Step {
    let has = |ty: Type| inst.types().any(|t| t == ty);
    if inst.op == Op::Mov {
        return if has(Type::Bf) { bf16_move(lx, inst) } else { Step::Keep };
    }
    if !is_arithmetic(inst) {
        return Step::Keep;
    }
    if has(Type::Bf) && has(Type::Hf) {
        return Step::Refuse(NotLegal::NarrowFloats);
    }
    if has(Type::Bf) {
        return bf16(lx, inst);
    }
    if has(Type::Hf) && matches!(inst.op, Op::Frc | Op::Rndd | Op::Rnde | Op::Rndu | Op::Rndz) {
        return rounding(lx, inst);
    }
    if inst.is_mixed_float() { halves(lx, inst) } else { Step::Keep }
}

/// Roundings and fractions are of single floats alone: what they make of a half is one, too.
fn rounding(lx: &mut Legalizer<'_>, inst: &VInst) -> Step {
    let mut new = *inst;
    match inst.src[0] {
        Src::Imm { bits, ty: Type::Hf } => new.src[0] = half_as_single(bits),
        src if src.ty() == Some(Type::Hf) => lx.stage_source(&mut new, 0, Type::F, 1),
        _ => {}
    }
    if new.dst.ty() == Some(Type::Hf) {
        lx.stage_destination(&new, Type::F, 1, Saturates::Operation);
    } else {
        lx.inst(new);
    }
    Step::Replaced
}

fn half_as_single(bits: u64) -> VSrc {
    Src::imm(gen_ir::half_to_f32(low_u16(bits)).to_bits().into(), Type::F)
}

/// Half and single float in arithmetic.
fn halves(lx: &mut Legalizer<'_>, inst: &VInst) -> Step {
    if let Some(new) = turned(lx.caps, inst) {
        lx.inst(new);
        return Step::Replaced;
    }
    let ternary = is_ternary(inst);
    let math = inst.op.info().class == Class::Math;
    let mut new = *inst;
    let mut changed = false;
    for i in 0..3 {
        let (Src::Direct { .. } | Src::Indirect { .. }, Some(Type::Hf)) = (inst.src[i], inst.src[i].ty())
        else {
            continue;
        };
        let indirect = matches!(inst.src[i], Src::Indirect { .. });
        if !narrow_source(lx.caps, inst, i) || math || indirect {
            lx.stage_source(&mut new, i, Type::F, 1);
            changed = true;
        }
    }
    for src in &mut new.src {
        if let Src::Imm { bits, ty: Type::Hf } = *src {
            *src = half_as_single(bits);
            changed = true;
        }
    }
    let half_dst = new.dst.ty() == Some(Type::Hf);
    if half_dst {
        let placed = match new.dst {
            Dst::Direct { reg, horz, .. } => {
                half_of_float(lx.caps, horz.into(), |bytes| reg.is_null() || lx.is_aligned(reg, bytes))
            }
            _ => false,
        };
        let scalar = inst.exec.lanes() == 1;
        // The last of three sources lies as the result does in the align1 form.
        let apart = ternary && !lx.caps.words.ternary_align16;
        if !narrow_result(lx.caps, inst) || apart || math || !(placed || scalar) {
            lx.stage_destination(&new, Type::F, 1, Saturates::Operation);
            return Step::Replaced;
        }
    }
    if new.is_mixed_float() {
        // What stays mixed has no sources behind addresses.
        for i in 0..3 {
            if let Src::Indirect { ty, .. } = new.src[i] {
                lx.stage_source(&mut new, i, ty, 1);
                changed = true;
            }
        }
    }
    if changed {
        lx.inst(new);
        return Step::Replaced;
    }
    Step::Keep
}

/// Moves of bfloat16: to single float a shift, copies are of words. (Intel's finalizer, `fixBFMove`.)
fn bf16_move(lx: &mut Legalizer<'_>, inst: &VInst) -> Step {
    let (Some(to), Some(from)) = (inst.dst.ty(), inst.src[0].ty()) else { return Step::Keep };
    let plain = !inst.sat && inst.cond.is_none() && !inst.src[0].mods().any();
    let mut new = *inst;
    match (to, from, inst.src[0]) {
        (_, Type::Bf, Src::Imm { bits, .. }) => {
            new.src[0] = Src::imm(u64::from(low_u16(bits)) << 16, Type::F);
        }
        (Type::Bf, Type::Bf, _) if plain => {
            new.dst = with_dst_type(inst.dst, Type::Uw);
            new.src[0] = with_type(inst.src[0], Type::Uw);
        }
        (Type::F, Type::Bf, _) if plain => {
            new.op = Op::Shl;
            new.dst = with_dst_type(inst.dst, Type::Ud);
            new.src = [with_type(inst.src[0], Type::Uw), Src::imm(16, Type::Uw), Src::None];
        }
        (_, Type::Bf, _) => lx.copy_source(&mut new, 0, Type::F),
        (Type::Bf, Type::F, _) if !plain => {
            lx.stage_destination(inst, Type::F, 1, Saturates::Operation);
            return Step::Replaced;
        }
        (Type::Bf, Type::F, _) if inst.pred.is_some() => {
            // The conversion itself has no predicate.
            let whole = VInst { pred: None, ..*inst };
            let reg = lx.aligned_temp(inst.exec.lanes() * Type::Bf.bytes());
            lx.helper(VInst { dst: Dst::packed(reg, Type::Bf), ..whole }, inst);
            new.src[0] = Src::new(reg, strided(1, inst.exec), Type::Bf);
        }
        (Type::Bf, Type::F, _) => return bf16_places(lx, inst),
        _ => return Step::Keep,
    }
    lx.inst(new);
    Step::Replaced
}

fn is_ternary(inst: &VInst) -> bool {
    inst.op.info().class == Class::Ternary
}

fn with_dst_type(dst: Dst<gen_ir::Virtual>, to: Type) -> Dst<gen_ir::Virtual> {
    match dst {
        Dst::Direct { reg, horz, .. } => Dst::Direct { reg, horz, ty: to },
        Dst::Indirect { addr, imm, horz, .. } => Dst::Indirect { addr, imm, horz, ty: to },
        other => other,
    }
}

/// bfloat16 in arithmetic.
fn bf16(lx: &mut Legalizer<'_>, inst: &VInst) -> Step {
    if let Some(new) = turned(lx.caps, inst) {
        lx.inst(new);
        return Step::Replaced;
    }
    let mut new = *inst;
    for i in 0..3 {
        match new.src[i] {
            Src::Imm { bits, ty: Type::Bf } => {
                new.src[i] = Src::imm(u64::from(low_u16(bits)) << 16, Type::F);
            }
            Src::Direct { ty: Type::Bf, .. } if narrow_source(lx.caps, inst, i) => {}
            Src::Direct { ty: Type::Bf, .. } | Src::Indirect { ty: Type::Bf, .. } => {
                lx.copy_source(&mut new, i, Type::F);
            }
            _ => {}
        }
    }
    if let Dst::Direct { reg, horz, ty: Type::Bf } = new.dst
        && reg.is_null()
    {
        new.dst = Dst::Direct { reg, horz, ty: Type::F };
    }
    // The result of a comparison does not count.
    let writes = !matches!(inst.op, Op::Cmp | Op::Cmpn);
    let result = new.dst.ty().filter(|_| writes);
    let single = new.src.iter().filter_map(Src::ty).chain(result).any(|ty| ty == Type::F);
    if let (false, Some(last)) = (single, new.src.iter().rposition(|s| s.ty() == Some(Type::Bf))) {
        lx.copy_source(&mut new, last, Type::F);
    }
    if writes && new.dst.ty() == Some(Type::Bf) && !narrow_result(lx.caps, inst) {
        lx.stage_destination(&new, Type::F, 1, Saturates::Operation);
        return Step::Replaced;
    }
    if new != *inst {
        lx.inst(new);
        return Step::Replaced;
    }
    bf16_places(lx, inst)
}

/// Operands beside bfloat16 go where they have to lie.
fn bf16_places(lx: &mut Legalizer<'_>, inst: &VInst) -> Step {
    let lanes = inst.exec.lanes();
    if lanes == 1 || lanes > u32::from(lx.caps.regs.native_lanes()) {
        return Step::Keep; // Any place, or split first.
    }
    let mut new = *inst;
    for i in 0..3 {
        let fits = match inst.src[i] {
            Src::Direct { ty: Type::F, .. } if is_broadcast(inst, i) => true,
            Src::Direct { reg, region, ty, .. } => region.stride(lanes).is_some_and(|stride| {
                lx.place_in_grf(reg, if ty == Type::F { 0 } else { reg.byte % lx.grf() });
                bf16_place(lx.caps, ty, Direction::Read, stride, lx.offset_in_grf(reg))
            }),
            Src::Indirect { .. } => false,
            _ => true,
        };
        if let (false, Some(ty)) = (fits, inst.src[i].ty()) {
            lx.copy_source(&mut new, i, ty);
        }
    }
    let placed = match inst.dst {
        Dst::Direct { reg, .. } if reg.is_null() => true,
        Dst::Direct { reg, horz, ty } => {
            let at = lx.offset_in_grf(reg);
            let starts = is_ternary(inst) && is_narrowed(inst) && !is_broadcast(inst, 2);
            bf16_place(lx.caps, ty, Direction::Write, horz.into(), at) && (!starts || at == Some(0))
        }
        _ => false,
    };
    if let (false, Some(ty)) = (placed, inst.dst.ty()) {
        lx.stage_destination(&new, ty, 1, Saturates::Operation);
        return Step::Replaced;
    }
    if new != *inst {
        lx.inst(new);
        return Step::Replaced;
    }
    Step::Keep
}
