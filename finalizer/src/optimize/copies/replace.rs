//! A source that reads a copy becomes one that reads what was copied, if it may.

use gen_ir::{Arf, Base, Class, Inst, Op, Reg, Region, Src, SrcMod, Type, Var, Virtual};
use platforms::Platform;

use super::known::{CopySource, KnownCopy};

pub(super) const fn is_packed(ty: Type) -> bool {
    matches!(ty, Type::V | Type::Uv | Type::Vf)
}

/// Whether a `mov` from `from` to `to` keeps every value: the same bits, or an integer widened.
pub(super) fn keeps_value(from: Type, to: Type) -> bool {
    if from == to {
        return true;
    }
    if from.is_float() || to.is_float() {
        return false;
    }
    if from.bytes() == to.bytes() {
        return true;
    }
    from.bytes() < to.bytes() && (!from.is_signed() || to.is_signed())
}

/// The bits of an integer immediate of type `from` as `to`.
pub(super) fn extend(bits: u64, from: Type, to: Type) -> u64 {
    let width = from.bytes() * 8;
    let value = if from.is_signed() && width < 64 {
        ((bits << (64 - width)).cast_signed() >> (64 - width)).cast_unsigned()
    } else {
        bits
    };
    match Src::<Virtual>::imm(value, to) {
        Src::Imm { bits, .. } => bits,
        _ => unreachable!("an immediate stays one"),
    }
}

/// The immediate as source `i`, if the instruction may have one there.
pub(super) fn place_immediate(
    inst: &Inst<Virtual>,
    i: usize,
    mods: SrcMod,
    read_as: Type,
    bits: u64,
    ty: Type,
) -> Option<Src<Virtual>> {
    let class = inst.op.info().class;
    let last = usize::from(inst.op.info().srcs) - 1;
    let swappable = i == 0 && commutes(inst) && !inst.src[1].is_imm();
    let fits = class == Class::Basic && read_as.bytes() <= 4 && read_as.bytes() >= 2;
    if mods.any() || !fits || !(i == last || swappable) || inst.src[..last].iter().any(Src::is_imm) {
        return None;
    }
    // Types of the same size differ in sign at most; the reader's own type says how to see the bits.
    debug_assert_eq!(read_as.bytes(), ty.bytes());
    Some(Src::Imm { bits, ty: read_as })
}

/// Moves an immediate from source 0 to source 1 where that means the same.
pub(super) fn commute_immediate(inst: &mut Inst<Virtual>) {
    if inst.src[0].is_imm() && !inst.src[1].is_imm() && commutes(inst) {
        inst.src.swap(0, 1);
    }
}

pub(super) fn commutes(inst: &Inst<Virtual>) -> bool {
    inst.cond.is_none_or(|_| inst.op != Op::Sel)
        && matches!(inst.op, Op::Add | Op::Mul | Op::And | Op::Or | Op::Xor)
}

/// The original register as source `i` of the reader.
pub(super) fn replace_register(
    inst: &Inst<Virtual>,
    i: usize,
    copy: &KnownCopy,
    (origin, origin_mods): (Reg<Virtual>, SrcMod),
    origin_ty: Type,
    origin_region: Region,
) -> Option<Src<Virtual>> {
    let Src::Direct { region, mods, ty, .. } = inst.src[i] else { return None };
    let ternary = inst.op.info().class == Class::Ternary;
    // A product of words, added to a dword, is exact, and so is a sum of three.
    let word = origin_ty.bytes() == 2 && inst.dst.ty().is_some_and(Type::is_int);
    let product =
        word && (inst.op == Op::Mad && i > 0 || inst.op == Op::Add3) || is_byte_factor(inst, i, origin_ty);
    let new_ty = if origin_ty.bytes() == copy.dst_ty.bytes() {
        ty
    } else {
        // A negative factor or summand is what it is of, extended, with the other sign.
        let negated = mods == SrcMod::Neg && inst.op == Op::Add && copy.dst_ty.bytes() == 4;
        if (ternary && !product)
            || (mods.any() && !negated)
            || ty.is_float()
            || (copy.dst_ty.bytes() > 4 && !widens_to_qword(inst, i, copy, origin_ty))
            || !reads_widened(inst, i, ty, copy, origin_ty)
        {
            return None;
        }
        origin_ty
    };
    let new_region = if origin_region.is_scalar() {
        Region::SCALAR
    } else if origin_region.one_by_one(copy.lanes) {
        if copy.horz == 1 { region } else { Region::PACKED }
    } else if (!ternary || product || lies_apart(inst, i, copy, origin_ty, origin_region))
        && inst.op.info().class != Class::Math
        && inst.exec.lanes() == copy.lanes
    {
        origin_region
    } else {
        return None;
    };
    let mods = if origin_mods.any() { modified(inst, i, origin_mods, mods)? } else { mods };
    Some(Src::Direct { reg: origin, region: new_region, mods, ty: new_ty })
}

/// Whether a ternary instruction on half floats may read source `i` where each has a dword of its own, as messages return
/// them (`mad (16) r11.0<1>:hf r12.0<4;2>:hf r119.0<4;2>:hf r4.0<0>:hf` in Intel's code).
fn lies_apart(inst: &Inst<Virtual>, i: usize, copy: &KnownCopy, origin_ty: Type, origin: Region) -> bool {
    copy.ternary_strides
        && i < 2
        && origin_ty == Type::Hf
        && inst.dst.ty() == Some(Type::Hf)
        && origin.stride(copy.lanes) == Some(2)
}

/// Whether source `i` is the factor of a dword in a sum of dwords, where bytes are read as words: what multiplies
/// dwords takes several instructions, or a longer one.
pub(super) fn is_byte_factor(inst: &Inst<Virtual>, i: usize, origin_ty: Type) -> bool {
    let dword = |s: &Src<Virtual>| matches!(s, Src::Direct { ty, .. } if ty.is_dword());
    let added = dword(&inst.src[0]) || matches!(inst.src[0], Src::Imm { ty, .. } if ty.is_dword());
    let sum = inst.op == Op::Mad && inst.dst.ty().is_some_and(Type::is_dword) && added;
    sum && i > 0 && dword(&inst.src[3 - i]) && origin_ty.is_int() && origin_ty.bytes() == 1
}

/// The modifier of source `i` when it reads what a copy has negated or made positive, `first`: of floats, which a
/// modifier changes by their sign alone, in operations that all take modifiers.
fn modified(inst: &Inst<Virtual>, i: usize, first: SrcMod, then: SrcMod) -> Option<SrcMod> {
    let takes = matches!(inst.op, Op::Mov | Op::Add | Op::Mul | Op::Mad | Op::Cmp | Op::Sel | Op::Math);
    let float = inst.src[i].ty().is_some_and(Type::is_float);
    let mods = first.then(then);
    // Without modifiers these copy bits: what was negated twice would keep its denormals.
    let copies = matches!(inst.op, Op::Mov | Op::Sel) && inst.cond.is_none() && !mods.any();
    (takes && float && !copies).then_some(mods)
}

/// [`replace_register`] where the instruction stays legal.
pub(super) fn replace_legally(
    inst: &mut Inst<Virtual>,
    i: usize,
    copy: &KnownCopy,
    platform: Platform,
    grf_bytes: u32,
    vars: &[Var],
) {
    let small = |t: Option<Type>| t.is_none_or(|t| t.bytes() <= 4);
    // Of quadwords only those are read elsewhere that stand there as they do here.
    let same = matches!(copy.origin, CopySource::Reg { ty, .. } if ty.bytes() == copy.dst_ty.bytes());
    // Carries and borrows lie in the accumulator by channel, wherever sources do (`addc r10.0<1>:ud r94.0<2;1,0>:ud` in Intel's
    // code on Gen9 and later).
    let simple = inst.op.info().class == Class::Basic
        && !inst.dst.reg().is_some_and(|r| matches!(r.base(), Base::Arf(Arf::Acc(_))))
        && (!inst.implicit_accumulator().writes || matches!(inst.op, Op::Addc | Op::Subb))
        && (same || small(inst.dst.ty()) && inst.src.iter().all(|s| small(s.ty())));
    if !simple {
        return;
    }
    let src = match copy.origin {
        CopySource::Reg { reg, region, ty, mods, .. } => {
            replace_register(inst, i, copy, (reg, mods), ty, region)
        }
        CopySource::Imm { bits, ty } => match inst.src[i] {
            Src::Direct { mods, ty: read_as, .. } => place_immediate(inst, i, mods, read_as, bits, ty),
            _ => None,
        },
    };
    let Some(src) = src else { return };
    let mut new = *inst;
    new.src[i] = src;
    commute_immediate(&mut new);
    if gen_ir::rules::allows(platform, &new, grf_bytes, vars) {
        *inst = new;
    }
}

/// Whether a sum or a left shift of 64 bits may read a word or dword instead of its extension; `or`, a comparison, a minimum
/// and a maximum a dword, as in Intel's code (`cmp null:q r12:ud r9.1:q`). (What `and` and `xor` read is mostly read again as
/// a quadword: both would stay alive. The walk over copies
/// allows all of that only where 64-bit integers are native, in any region.)
fn widens_to_qword(inst: &Inst<Virtual>, i: usize, copy: &KnownCopy, origin_ty: Type) -> bool {
    let shift = inst.op == Op::Shl && i == 0;
    let joined = inst.op == Op::Or && origin_ty == Type::Ud;
    let sum = matches!(origin_ty.bytes(), 2 | 4) && (inst.op == Op::Add || shift);
    let choice = inst.op == Op::Sel && inst.cond.is_some() && origin_ty.bytes() == 4;
    let compared = inst.op == Op::Cmp && origin_ty.bytes() == 4;
    copy.mixes_qwords && (sum || joined || choice || compared)
}

/// Whether an instruction computes the same when source `i`, widened by the copy, is read narrow.
///
/// The hardware computes integers of words and bytes in full precision for a dword destination; what
/// changes is how a comparison or a right shift sees the sign.
fn reads_widened(inst: &Inst<Virtual>, i: usize, ty: Type, copy: &KnownCopy, origin_ty: Type) -> bool {
    // A dword read of a zero-extended value is the value, whatever the sign of the types.
    let same_value = ty == copy.dst_ty || !origin_ty.is_signed();
    let dword_result = inst.dst.ty().is_some_and(|t| t.is_int() && t.bytes() >= copy.dst_ty.bytes());
    let wide_elsewhere = inst
        .src
        .iter()
        .enumerate()
        .any(|(j, s)| j != i && s.ty().is_some_and(|t| t.is_int() && t.bytes() >= copy.dst_ty.bytes()));
    let plain = inst.cond.is_none() && !inst.sat;
    same_value
        && match inst.op {
            Op::Mov => plain,
            Op::Sel if inst.cond.is_some() => {
                let signed = origin_ty.is_signed();
                let alike = ty.is_signed() == signed && inst.src.iter().all(|s| is_alike(s, signed));
                !inst.sat && dword_result && alike
            }
            Op::Add | Op::Add3 | Op::Mul | Op::Mad | Op::Sel => plain && dword_result,
            Op::And | Op::Or | Op::Xor => plain && dword_result && !origin_ty.is_signed(),
            // The shifted value; a shift count is read modulo the width.
            Op::Shl => plain && dword_result && i == 0,
            Op::Shr => plain && dword_result && i == 0 && !origin_ty.is_signed() && !ty.is_signed(),
            Op::Cmp if copy.dst_ty.bytes() > 4 => inst.src[1 - i].ty() == Some(ty),
            Op::Cmp => wide_elsewhere && origin_ty.bytes() <= 2,
            _ => false,
        }
}

/// Whether a source of a minimum or maximum is an integer that compares alike in any type that holds both sources, one
/// of which is `signed`.
fn is_alike(src: &Src<Virtual>, signed: bool) -> bool {
    match *src {
        Src::Imm { bits, ty } if ty.is_int() && !is_packed(ty) => {
            let value = extend(bits, ty, Type::Q).cast_signed();
            (0..=i64::from(i32::MAX)).contains(&value) || ty.is_signed() == signed
        }
        Src::Imm { .. } => false,
        _ => src.ty().is_none_or(|t| t.is_int() && t.is_signed() == signed),
    }
}
