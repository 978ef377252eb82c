//! Which types an operation has: volume 2a, the type tables on the pages of the instructions. The pages of vISA's
//! instructions state the same as "Supported Types", and Intel's finalizer refuses what has others, but for short
//! integers of operations on bits, which it takes.

use platforms::HalfMath;

use super::{Cx, mixing::is_broadcast, places::factors_have_modifiers};
use crate::{MathFn, Op, Payload, Physical, Src, Type};

pub(super) fn check(cx: &mut Cx<'_>) {
    let all = |cx: &Cx<'_>, has: fn(Type) -> bool| cx.inst.types().all(has);
    match cx.inst.op {
        op if op.info().logic || matches!(op, Op::Shl | Op::Shr | Op::Asr | Op::Avg) => {
            let ints = all(cx, Type::is_int);
            cx.require(ints, "integer-operation", "logic, shifts and averages are of integers");
        }
        Op::Rol | Op::Ror => {
            let fits = all(cx, |t| t.is_int() && t.bytes() > 1);
            cx.require(fits, "rotate-type", "rotations are of integers of 16 bits and more");
        }
        Op::Fbh | Op::Fbl | Op::Cbit | Op::Bfrev | Op::Bfi1 | Op::Bfn | Op::Mach | Op::Macl => {
            let short = all(cx, |t| t.is_int() && t.bytes() < 8);
            cx.require(short, "short-integers", "the operation is of integers of up to 32 bits");
        }
        Op::Lzd | Op::Subb | Op::Dp4a => {
            // Constants of three sources are words.
            let word = |ty: Type| cx.inst.op == Op::Dp4a && ty.is_int() && ty.bytes() == 2;
            let fits = |s: &Src<Physical>| s.ty().is_none_or(|ty| ty.is_dword() || s.is_imm() && word(ty));
            let dwords = cx.inst.src.iter().all(fits) && cx.dst_type().is_none_or(Type::is_dword);
            cx.require(dwords, "dword-operation", "the operation is of dwords");
        }
        Op::Addc => {
            // Intel's compilers add words to dwords.
            let first = cx.inst.src[0].ty().into_iter().chain(cx.dst_type()).all(Type::is_dword);
            let second = cx.inst.src[1].ty().is_none_or(|t| t.is_int() && matches!(t.bytes(), 2 | 4));
            cx.require(first && second, "carry-type", "addc adds dwords or words to dwords");
        }
        Op::Sad2 | Op::Sada2 => {
            // There are no constants of a byte.
            let bytes =
                cx.inst.src.iter().take(2).all(|s| s.is_imm() || s.ty().is_none_or(|t| t.bytes() == 1));
            let words = cx.dst_type().is_none_or(|t| t.is_int() && t.bytes() == 2);
            cx.require(bytes && words, "sad-type", "sums of differences are words, of bytes");
        }
        Op::Frc | Op::Rndd | Op::Rndu | Op::Rnde | Op::Rndz => {
            let floats = all(cx, |t| matches!(t, Type::F | Type::Vf));
            cx.require(floats, "round-type", "fractions and roundings are of single floats");
        }
        Op::Dp2 | Op::Dp3 | Op::Dp4 | Op::Dph | Op::Line | Op::Pln | Op::Lrp => {
            let single = all(cx, |t| matches!(t, Type::F | Type::Vf));
            cx.require(single, "single-float", "the operation is of single floats");
        }
        Op::Mad => {
            one_family(cx);
            let modified = cx.inst.src[1..].iter().filter(|s| s.mods().any()).filter_map(Src::ty);
            let fits = modified.into_iter().all(|ty| factors_have_modifiers(cx.caps, cx.inst, ty));
            cx.require(
                fits,
                "mad-modifier",
                "the factors of a multiply-add that are dwords have no modifiers",
            );
        }
        Op::Add | Op::Mul | Op::Mac => one_family(cx),
        Op::Math => function(cx),
        _ => {}
    }
    if cx.caps.ops.bf16 && cx.inst.op != Op::Sel && cx.inst.types().any(|t| t == Type::Bf) {
        let fits = all(cx, |t| matches!(t, Type::Bf | Type::F | Type::Vf));
        cx.require(fits, "bf16-types", "beside bfloat16 stand only bfloat16 and single floats");
    }
}

/// Sums and products are of integers alone, or of floats alone.
fn one_family(cx: &mut Cx<'_>) {
    let mut types = cx.inst.types();
    let float = types.next().is_some_and(Type::is_float);
    let alike = types.all(|t| t.is_float() == float);
    cx.require(alike, "mixed-sum", "sums and products are of integers alone or of floats alone");
}

/// Functions of the math unit.
fn function(cx: &mut Cx<'_>) {
    let Payload::Math(function) = cx.inst.payload else { return };
    let mut types = cx.inst.types();
    let fits = match function {
        MathFn::Idivmod | MathFn::Iqot | MathFn::Irem => types.all(Type::is_dword),
        MathFn::Invm | MathFn::Rsqtm => types.all(|t| matches!(t, Type::F | Type::Df)),
        _ => types.all(|t| matches!(t, Type::F | Type::Hf | Type::Vf)),
    };
    cx.require(
        fits,
        "math-type",
        "math functions are of floats of up to 32 bits, integer division of dwords",
    );
    let half_math = cx.caps.ops.half_math;
    let known = half_math != HalfMath::None || cx.inst.types().all(|t| t != Type::Hf);
    cx.require(known, "half-math", "the platform's math functions have no halves");
    let halves = cx.inst.types().all(|t| t == Type::Hf);
    cx.require(
        !halves || cx.lanes() == u32::from(cx.caps.regs.native_lanes()),
        "half-math-lanes",
        "math on halves that gives halves works on eight channels, on Xe-HPC on sixteen",
    );
    let inside = cx.dst_layout().and_then(|(_, byte)| byte).is_some_and(|byte| byte != 0);
    cx.require(
        !halves || half_math != HalfMath::FromStart || !inside,
        "half-math-start",
        "halves that the math unit of Xe-HPC gives start at a register",
    );
    let one_for_all = (0..2).any(|i| is_broadcast(cx.inst, i));
    cx.require(
        !halves || half_math != HalfMath::FromStart || !one_for_all,
        "half-math-broadcast",
        "no source of math on halves is one half for all channels on Xe-HPC",
    );
}
