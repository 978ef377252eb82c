//! Immediates: where they may stand and which types they may have.
//!
//! Volume 7, "Immediate": the last source only; no byte types; 64 bits only in moves; vectors only
//! into 16-byte aligned destinations of the right stride.

use gen_ir::{
    Class, Cond, Dst, Op, Payload, Src, Type,
    rules::places::{VECTOR_BYTES, vector_step},
};
use narrow::{low_u16, to_u8};

use super::{
    legalizer::{Legalizer, Step},
    operand::is_scalar,
};
use crate::build::{self, Lanes, VInst, VSrc, extend};

pub(super) fn rule(lx: &mut Legalizer<'_>, inst: &VInst) -> Step {
    if !inst.src.iter().any(|s| s.is_imm() || matches!(s, Src::AddrOf { .. })) {
        return Step::Keep;
    }
    let mut new = *inst;
    let mut changed = spell(&mut new);
    if changed && packed_bytes(&new) {
        return broadcast_byte(lx, &new);
    }
    if inst.op.info().class == Class::Ternary {
        return replaced(lx, new, changed);
    }
    let sources = usize::from(inst.op.info().srcs).min(if matches!(inst.src[1], Src::None) { 1 } else { 2 });
    if sources == 2 {
        changed |= constant_last(lx, &mut new);
    }
    if let Some(count) = narrow_count(&new) {
        new.src[1] = count;
        changed = true;
    }
    if sources == 2 {
        changed |= of_32_bits(lx, &mut new);
    }
    let Some(last) = sources.checked_sub(1) else { return Step::Keep };
    if let Src::Imm { ty, .. } = new.src[last]
        && let Some(step) = vector_step(ty)
        && !vector_fits(lx, &new, step)
    {
        return stage_vector(lx, &new, last, ty.of_elements());
    }
    if matches!(inst.payload, Payload::Math(_)) {
        for i in 0..2 {
            if let Src::Imm { ty, .. } = new.src[i]
                && !(i == 1 && fits_math(&new, ty))
            {
                lx.stage_source(&mut new, i, ty.of_elements(), 1);
                changed = true;
            }
        }
    }
    replaced(lx, new, changed)
}

/// The instruction instead of the old one, if it is another.
fn replaced(lx: &mut Legalizer<'_>, new: VInst, changed: bool) -> Step {
    if !changed {
        return Step::Keep;
    }
    lx.inst(new);
    Step::Replaced
}

/// Vectors of which one element is read as that element, and bytes as words. Whether anything was changed.
fn spell(inst: &mut VInst) -> bool {
    let mut changed = false;
    for src in &mut inst.src {
        if inst.exec.lanes() == 1
            && let Some(first) = first_of_vector(*src)
        {
            *src = first;
            changed = true;
        }
        if let Some(wider) = widened_byte(*src) {
            *src = wider;
            changed = true;
        }
    }
    changed
}

/// Has a constant stand last of two sources. Whether anything was changed.
fn constant_last(lx: &mut Legalizer<'_>, inst: &mut VInst) -> bool {
    if !is_constant(&inst.src[0]) {
        return false;
    }
    if !is_constant(&inst.src[1]) && swap(inst) {
        return true;
    }
    let Some(ty) = inst.src[0].ty() else { return false };
    lx.stage_source(inst, 0, ty.of_elements(), 1);
    true
}

/// Has an immediate beside another source fit into 32 bits. Whether anything was changed.
fn of_32_bits(lx: &mut Legalizer<'_>, inst: &mut VInst) -> bool {
    let Src::Imm { bits, ty } = inst.src[1] else { return false };
    if ty.bytes() != 8 {
        return false;
    }
    match narrowed(bits, ty, wraps(inst)) {
        Some(small) => inst.src[1] = small,
        None => lx.stage_source(inst, 1, ty, 1),
    }
    true
}

/// Whether the math unit reads an immediate as source 1: of 32 bits, from Gen8 on (Mesa, `gfx6_math`; Intel's
/// compilers divide by immediates, of floats and of integers).
fn fits_math(inst: &VInst, ty: Type) -> bool {
    matches!(ty, Type::F | Type::D | Type::Ud) && inst.dst.ty().is_some_and(|d| d.bytes() == 4)
}

/// The count of a shift as a word, where a word or byte is shifted: Intel's finalizer writes no wider one beside them.
fn narrow_count(inst: &VInst) -> Option<VSrc> {
    let narrow = inst.src[0].ty().is_some_and(|ty| ty.is_int() && ty.bytes() < 4);
    match inst.src[1] {
        Src::Imm { bits, ty: Type::D | Type::Ud }
            if narrow && matches!(inst.op, Op::Shl | Op::Shr | Op::Asr) =>
        {
            (bits <= 0x7fff).then(|| Src::imm(bits, Type::W))
        }
        _ => None,
    }
}

/// What one channel sees of a packed vector.
fn first_of_vector(src: VSrc) -> Option<VSrc> {
    match src {
        Src::Imm { bits, ty: Type::V } => {
            Some(Src::imm(((bits << 60).cast_signed() >> 60).cast_unsigned() & 0xffff, Type::W))
        }
        Src::Imm { bits, ty: Type::Uv } => Some(Src::uw(low_u16(bits) & 15)),
        _ => None,
    }
}

fn is_constant(src: &VSrc) -> bool {
    matches!(src, Src::Imm { .. } | Src::AddrOf { .. })
}

/// Byte immediates do not exist.
fn widened_byte(src: VSrc) -> Option<VSrc> {
    match src {
        Src::Imm { bits, ty: Type::B } => Some(Src::imm(extend(bits, Type::B), Type::W)),
        Src::Imm { bits, ty: Type::Ub } => Some(Src::imm(bits, Type::Uw)),
        _ => None,
    }
}

fn packed_bytes(inst: &VInst) -> bool {
    let packed = matches!(inst.dst, Dst::Direct { horz: 1, ty: Type::B | Type::Ub, .. });
    packed && inst.op == Op::Mov && inst.exec.lanes() > 1 && !inst.sat
}

/// Packed bytes are only written by raw moves: the constant comes from a register.
fn broadcast_byte(lx: &mut Legalizer<'_>, inst: &VInst) -> Step {
    let Some(ty) = inst.dst.ty() else { return Step::Keep };
    let reg = lx.temp(2);
    lx.helper(build::mov(Lanes::SCALAR, Dst::Direct { reg, horz: 2, ty }, inst.src[0]), inst);
    let mut copy = *inst;
    copy.src[0] = Src::scalar(reg, ty);
    lx.inst(copy);
    Step::Replaced
}

/// Exchanges the sources, where that keeps or can keep the meaning.
fn swap(inst: &mut VInst) -> bool {
    match inst.op {
        Op::Add | Op::Mul | Op::And | Op::Or | Op::Xor | Op::Avg => {}
        Op::Sel => match (&mut inst.pred, inst.cond) {
            (Some(pred), _) => pred.inv = !pred.inv,
            // Minimum and maximum do not care, but for which of two zeros comes out.
            (None, Some(c)) if matches!(c.cond, Cond::Ge | Cond::Lt) => {}
            _ => return false,
        },
        Op::Cmp => {
            let Some(cond) = &mut inst.cond else { return false };
            cond.cond = match cond.cond {
                Cond::Gt => Cond::Lt,
                Cond::Ge => Cond::Le,
                Cond::Lt => Cond::Gt,
                Cond::Le => Cond::Ge,
                same => same,
            };
        }
        _ => return false,
    }
    inst.src.swap(0, 1);
    true
}

/// Whether an instruction computes in as many bits as its result has, so that a large unsigned number and the negative
/// number of the same bits are one operand to it: nothing saturates and no condition looks at the exact result.
fn wraps(inst: &VInst) -> bool {
    let low_bits = matches!(inst.op, Op::Add | Op::Mul | Op::And | Op::Or | Op::Xor | Op::Sel);
    low_bits && !inst.sat && inst.cond.is_none() && inst.dst.ty().is_some_and(Type::is_int)
}

/// A 64-bit integer constant as a dword of the same value; where the instruction `wraps`, as one that extends to its bits.
fn narrowed(bits: u64, ty: Type, wraps: bool) -> Option<VSrc> {
    if ty == Type::Df {
        return None;
    }
    if let Ok(unsigned) = u32::try_from(bits) {
        return Some(i32::try_from(unsigned).map_or(Src::ud(unsigned), Src::d));
    }
    let signed = ty == Type::Q || wraps;
    i32::try_from(bits.cast_signed()).ok().filter(|_| signed).map(Src::d)
}

/// Whether a destination has the elements of an immediate vector where the vector has them.
fn vector_fits(lx: &Legalizer<'_>, inst: &VInst, step: u32) -> bool {
    match inst.dst {
        Dst::Direct { reg, horz, ty } => {
            !reg.is_null() && u32::from(horz) * ty.bytes() == step && lx.is_aligned(reg, VECTOR_BYTES)
        }
        _ => false,
    }
}

fn stage_vector(lx: &mut Legalizer<'_>, inst: &VInst, i: usize, element: Type) -> Step {
    let count = VECTOR_BYTES / element.bytes();
    let lanes = inst.exec.lanes();
    let mut new = *inst;
    // The vector repeats after its elements.
    let filled = lanes.min(count);
    let exec = gen_ir::ExecSize::from_lanes(filled).unwrap_or(gen_ir::ExecSize::S8);
    let reg = lx.aligned_temp(filled.max(count) * element.bytes());
    lx.helper(build::mov(Lanes::all(exec), Dst::packed(reg, element), inst.src[i]), inst);
    let region =
        if lanes > count { gen_ir::Region::new(0, to_u8(count), 1) } else { build::strided(1, inst.exec) };
    new.src[i] = Src::new(reg, region, element);
    debug_assert!(!is_scalar(&new.src[i], lanes) || lanes == 1);
    lx.inst(new);
    Step::Replaced
}
