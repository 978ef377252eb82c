//! Integer operations with constants that are simpler than they look: with a zero that change nothing or leave nothing (halves of 64-bit constants and of
//! widened values bring them), products with a factor that fits a word, and moves of packed vectors that hold one number eight times.

use gen_ir::{Dst, Op, Options, Payload, Src, SrcMod, Type};
use narrow::low_u16;

use crate::build::{VInst, VSrc, extend, with_type};

/// Makes a move of such an operation, or of what is moved a simpler source.
#[inline]
pub(crate) fn simplify(inst: &mut VInst) {
    let [a, b, _] = &inst.src;
    let concerned = match inst.op {
        Op::Add | Op::Or | Op::Xor | Op::Mul | Op::And => is_zero(a) || is_zero(b),
        Op::Shl | Op::Shr | Op::Asr => is_zero(b),
        Op::Mov => {
            if let Some(number) = one_number(a) {
                inst.src[0] = number;
            }
            false
        }
        _ => false,
    };
    if concerned {
        simplify_with_zero(inst);
    }
}

/// A packed vector of one number as that number, in words, which its elements are.
fn one_number(src: &VSrc) -> Option<VSrc> {
    let &Src::Imm { bits, ty } = src else { return None };
    let element = bits & 0xF;
    let same = bits == element * 0x1111_1111;
    match ty {
        // Signed numbers of four bits.
        Type::V if same => Some(Src::imm((element ^ 8).wrapping_sub(8), Type::W)),
        Type::Uv if same => Some(Src::imm(element, Type::Uw)),
        _ => None,
    }
}

fn simplify_with_zero(inst: &mut VInst) {
    let int = |s: &VSrc| s.ty().is_some_and(|t| !t.is_float() && t.bytes() <= 4);
    if inst.cond.is_some()
        // (Until its size is known, the mark of a frame is a sum with zero.)
        || inst.payload != Payload::None
        || inst.sat
        || inst.opts.has(Options::ACC_WR_EN)
        || matches!(inst.dst, Dst::Macro { .. })
        || inst.dst.reg().is_none_or(|r| r.var().is_none())
        || inst.dst.ty().is_none_or(|t| t.is_float() || t.bytes() > 4)
    {
        return;
    }
    let [a, b, _] = inst.src;
    let kept = match inst.op {
        Op::Add | Op::Or | Op::Xor if is_zero(&b) => a,
        Op::Add | Op::Or | Op::Xor if is_zero(&a) => b,
        Op::Shl | Op::Shr | Op::Asr if is_zero(&b) => a,
        Op::Mul | Op::And if is_zero(&a) || is_zero(&b) => Src::ud(0),
        _ => return,
    };
    if !int(&a) || !int(&b) {
        return;
    }
    // A sum is as wide as its wider operand; a move of the narrower one has to be extended the same way.
    let narrowed = kept.ty().is_some_and(|t| inst.dst.ty().is_some_and(|d| d.bytes() < t.bytes()));
    // What `-` means to a logical operation is something else than what it means to a move.
    let modified = kept.mods() != SrcMod::None && inst.op != Op::Add;
    if narrowed || modified {
        return;
    }
    // A logical shift right of what is narrower than its result, but signed, is left alone.
    if inst.op == Op::Shr && a.ty().is_some_and(|t| t.is_signed() && t.bytes() < 4) {
        return;
    }
    inst.op = Op::Mov;
    let same_size = kept.ty().zip(inst.dst.ty()).filter(|(k, d)| k.bytes() == d.bytes());
    let kept = match same_size {
        Some((_, d)) if !kept.is_imm() && !kept.mods().any() => with_type(kept, d),
        _ => kept,
    };
    inst.src = [kept, Src::None, Src::None];
}

fn is_zero(src: &VSrc) -> bool {
    matches!(src, Src::Imm { bits: 0, ty } if !ty.is_float())
}

/// Narrows a constant factor of a dword in a dword product.
#[inline]
pub(crate) fn narrow_factor(inst: &mut VInst) {
    let dword = |t: Option<Type>| t.is_some_and(Type::is_dword);
    if inst.op == Op::Mul
        && dword(inst.dst.ty())
        && dword(inst.src[0].ty())
        && !inst.src[0].is_imm()
        && let Some(narrow) = narrowed_factor(&inst.src[1])
    {
        inst.src[1] = narrow;
    }
}

/// A constant factor that fits a word is one.
pub(crate) fn narrowed_factor(src: &VSrc) -> Option<VSrc> {
    let Src::Imm { bits, ty } = *src else { return None };
    if ty.bytes() != 4 || ty.is_float() {
        return None;
    }
    let value = extend(bits, ty).cast_signed();
    if (0..=0xffff).contains(&value) {
        return Some(Src::uw(low_u16(value)));
    }
    (-0x8000..0).contains(&value).then(|| Src::imm(value.cast_unsigned(), Type::W))
}
