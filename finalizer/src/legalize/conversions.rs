//! Conversions that do not exist in one step.
//!
//! Volume 2a, `mov`: no direct conversion between bytes and 64-bit types, nor between half and 64-bit
//! types.

use gen_ir::{
    Class, Dst, Op, Src, Type,
    rules::places::{converts_at_once, dword_of_half, half_of_float},
};
use narrow::{low_u16, low_u32, to_i32, whole};

use super::legalizer::{Legalizer, Step};
use crate::build::{self, VInst, int_type};
use crate::legalize::operand::Saturates;

pub(super) fn rule(lx: &mut Legalizer<'_>, inst: &VInst) -> Step {
    if inst.op == Op::Mov {
        let step = two_steps(lx, inst);
        if !matches!(step, Step::Keep) {
            return step;
        }
        return half_move(lx, inst);
    }
    let has = |ty: Type| inst.src.iter().filter_map(Src::ty).chain(inst.dst.ty()).any(|t| t == ty);
    if inst.is_mixed_float() {
        return Step::Keep;
    }
    if has(Type::Hf) && compares(inst) {
        return halves_beside_integers(lx, inst);
    }
    integers_into_half(lx, inst)
}

/// Whether an instruction compares integers with half floats.
fn compares(inst: &VInst) -> bool {
    let chooses = inst.op == Op::Sel && inst.cond.is_some();
    let types = || inst.src.iter().filter_map(Src::ty);
    (chooses || matches!(inst.op, Op::Cmp | Op::Cmpn))
        && types().any(Type::is_int)
        && types().any(Type::is_float)
}

/// Both become floats, as Intel's finalizer has it.
fn halves_beside_integers(lx: &mut Legalizer<'_>, inst: &VInst) -> Step {
    let mut new = *inst;
    for i in 0..2 {
        if inst.src[i].ty().is_some_and(|ty| ty.bytes() < 8 && ty != Type::F) {
            lx.stage_source(&mut new, i, Type::F, 1);
        }
    }
    if let Dst::Direct { reg, ty, .. } = &mut new.dst
        && reg.is_null()
    {
        *ty = Type::F;
    }
    lx.inst(new);
    Step::Replaced
}

/// Moves through an intermediate type.
fn two_steps(lx: &mut Legalizer<'_>, inst: &VInst) -> Step {
    let (Some(dst), Some(src)) = (inst.dst.ty(), inst.src[0].ty()) else { return Step::Keep };
    match inst.src[0] {
        // What becomes of a denormal is the hardware's to say, by the thread's mode.
        Src::Imm { bits, ty: Type::Hf } if dst.bytes() == 8 && bits & 0x7c00 == 0 && bits & 0x3ff != 0 => {
            return stage(lx, inst, 0);
        }
        Src::Imm { bits, ty: Type::Hf } if dst.bytes() == 8 => {
            let mut single = *inst;
            single.src[0] = Src::imm(u64::from(gen_ir::half_to_f32(low_u16(bits)).to_bits()), Type::F);
            lx.inst(single);
            return Step::Replaced;
        }
        Src::Imm { bits, ty: Type::Df } if dst.is_int() && dst.bytes() == 1 => {
            // Floats always saturate.
            let (least, most) = if dst.is_signed() { (-128, 127) } else { (0, 255) };
            let mut short = *inst;
            short.src[0] = Src::d(to_i32(whole(f64::from_bits(bits)).clamp(least, most)));
            short.sat = false;
            lx.inst(short);
            return Step::Replaced;
        }
        Src::Imm { ty, .. } if ty.bytes() == 8 && dst == Type::Hf => {}
        Src::Imm { bits, ty } if ty.bytes() == 8 && ty.is_int() && dst.is_int() && dst.bytes() == 1 => {
            // What saturates does so at the bounds of a dword, too.
            let (least, most) = if ty.is_signed() { (-(1 << 31), (1 << 31) - 1) } else { (0, 0xffff_ffff) };
            let exact = if ty.is_signed() { i128::from(bits.cast_signed()) } else { i128::from(bits) };
            let value = if inst.sat { exact.clamp(least, most) } else { exact };
            let mut short = *inst;
            short.src[0] = Src::imm(low_u32(value).into(), int_type(4, ty.is_signed()));
            lx.inst(short);
            return Step::Replaced;
        }
        Src::Imm { .. } => return Step::Keep,
        _ => {}
    }
    let signed_dword = |t: Type| if t.is_signed() || t.is_float() { Type::D } else { Type::Ud };
    let through = match (src, dst) {
        (Type::Hf, d) if d.is_int() && !lx.caps.regions.half_to_int => Type::F,
        (Type::Hf, Type::Bf) | (Type::Bf, Type::Hf) => Type::F,
        _ if converts_at_once(inst, src) => return Step::Keep,
        (Type::Hf, _) | (_, Type::Hf) => Type::F,
        // A negated byte is negative.
        (s, _) if s.bytes() == 1 && inst.src[0].mods().neg() => Type::D,
        (s, _) if s.bytes() == 1 => signed_dword(s),
        (_, d) => signed_dword(d),
    };
    let to_integer = dst.is_int() && through.is_int();
    if to_integer && dst.bytes() == 1 && (inst.sat || src.is_float()) {
        // Both steps saturate: the first loses what the second would look at; floats always saturate.
        let reg = lx.aligned_temp(inst.exec.lanes() * through.bytes());
        let first = VInst { dst: Dst::packed(reg, through), sat: true, ..*inst };
        lx.helper(first, inst);
        let mut last = *inst;
        (last.src[0], last.sat) = (Src::new(reg, build::strided(1, inst.exec), through), true);
        lx.inst(last);
        return Step::Replaced;
    }
    lx.stage_destination(inst, through, 1, Saturates::Move);
    Step::Replaced
}

/// Moves from and to half float.
fn half_move(lx: &mut Legalizer<'_>, inst: &VInst) -> Step {
    let (Some(dst), Some(src)) = (inst.dst.ty(), inst.src[0].ty()) else { return Step::Keep };
    let lanes = inst.exec.lanes();
    if inst.is_mixed_float() && matches!(inst.src[0], Src::Indirect { .. }) {
        return stage(lx, inst, 0);
    }
    if lanes == 1 || (dst == Type::Hf) == (src == Type::Hf) {
        return Step::Keep;
    }
    if inst.is_mixed_float() && matches!(inst.dst, Dst::Indirect { .. }) {
        // Where an address points may be no place for packed halves.
        lx.stage_destination(inst, dst, 1, Saturates::Operation);
        return Step::Replaced;
    }
    let (reg, horz) = match inst.dst {
        Dst::Direct { reg, horz, .. } => (Some(reg), u32::from(horz)),
        Dst::Indirect { horz, .. } => (None, u32::from(horz)),
        _ => return Step::Keep,
    };
    let aligned = |lx: &Legalizer<'_>, bytes| reg.is_none_or(|r| r.is_null() || lx.is_aligned(r, bytes));
    if dst == Type::Hf && src == Type::F {
        if half_of_float(lx.caps, horz, |bytes| aligned(lx, bytes)) {
            return Step::Keep;
        }
        let packed = horz == 1 && reg.is_some() && half_of_float(lx.caps, horz, |_| true);
        lx.stage_destination(inst, dst, if packed { 1 } else { 2 }, Saturates::Operation);
        return Step::Replaced;
    }
    if dst == Type::Hf || dst.is_int() {
        if dword_of_half(horz, dst, |bytes| aligned(lx, bytes)) {
            return Step::Keep;
        }
        lx.stage_destination(inst, dst, 4 / dst.bytes().min(4), Saturates::Operation);
        return Step::Replaced;
    }
    Step::Keep
}

fn stage(lx: &mut Legalizer<'_>, inst: &VInst, i: usize) -> Step {
    let mut new = *inst;
    let Some(ty) = inst.src[i].ty() else { return Step::Keep };
    lx.stage_source(&mut new, i, ty, 1);
    lx.inst(new);
    Step::Replaced
}

/// Arithmetic on integers with a half result, or on halves with an integer result: compute, then move.
fn integers_into_half(lx: &mut Legalizer<'_>, inst: &VInst) -> Step {
    if inst.op.info().class != Class::Basic {
        return Step::Keep;
    }
    let Some(dst) = inst.dst.ty() else { return Step::Keep };
    if inst.dst.reg().is_some_and(|r| r.is_null()) || matches!(inst.op, Op::Cmp | Op::Cmpn) {
        return Step::Keep;
    }
    let half_src = inst.src.iter().any(|s| s.ty() == Some(Type::Hf));
    let int_src = inst.src.iter().filter_map(Src::ty).all(Type::is_int);
    if dst == Type::Hf && int_src {
        lx.stage_destination(inst, Type::D, 1, Saturates::Move);
        return Step::Replaced;
    }
    if dst.is_int() && half_src && inst.exec.lanes() > 1 {
        lx.stage_destination(inst, Type::Hf, 1, Saturates::Move);
        return Step::Replaced;
    }
    Step::Keep
}
