//! Integer operations with constants that are simpler than they look: with a zero that change nothing or leave nothing (halves of 64-bit constants and of
//! widened values bring them), and moves of packed vectors that hold one number eight times.

use gen_ir::{Op, Options, Src, SrcMod, Type};

use crate::build::{VInst, VSrc, with_type};

/// Makes a move of such an operation, or of what is moved a simpler source.
#[inline]
pub(crate) fn simplify(inst: &mut VInst) {
    let [a, b, _] = &inst.src;
    let kept = match inst.op {
        Op::Add | Op::Or | Op::Xor | Op::Shl | Op::Shr | Op::Asr if is_zero(b) => *a,
        Op::Mul | Op::And if is_zero(b) => Src::ud(0),
        Op::Mov => {
            if let Some(number) = one_number(a) {
                inst.src[0] = number;
            }
            return;
        }
        _ => return,
    };
    keep(inst, kept);
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

/// Makes a move of one operand of an operation with a zero, if that gives what the operation does.
fn keep(inst: &mut VInst, kept: VSrc) {
    if inst.cond.is_some()
        || inst.sat
        || inst.opts.has(Options::ACC_WR_EN)
        || inst.dst.reg().is_none_or(|r| r.var().is_none())
    {
        return;
    }
    let (Some(from), Some(to)) = (kept.ty(), inst.dst.ty()) else { return };
    // Of a wider operand not all may be left.
    let fits = !from.is_float() && !to.is_float() && from.bytes() <= to.bytes() && to.bytes() <= 4;
    // What `-` means to a logical operation is something else than what it means to a move.
    let modified = kept.mods() != SrcMod::None && inst.op != Op::Add;
    // A logical shift right of what is signed is left alone: it may be narrower than its result.
    let shifted = inst.op == Op::Shr && from.is_signed();
    if !fits || modified || shifted {
        return;
    }
    let alike = from.bytes() == to.bytes() && !kept.is_imm() && !kept.mods().any();
    inst.op = Op::Mov;
    inst.src = [if alike { with_type(kept, to) } else { kept }, Src::None, Src::None];
}

fn is_zero(src: &VSrc) -> bool {
    matches!(src, Src::Imm { bits: 0, ty } if !ty.is_float())
}
