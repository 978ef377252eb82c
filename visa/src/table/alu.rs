//! Moves, arithmetic, logic, compares and address arithmetic.

use super::*;
use crate::{
    opcode::Opcode::*,
    types::Type::{B, BF, D, DF, F, HF, UB, UD, UW, W},
};

const INT: Types = Types::INT;
const FLOAT: Types = Types::FLOAT;
const FALL: Types = Types::FLOAT_ALL;
const NUM: Types = Types::INT.or(Types::FLOAT_ALL);
/// Integers of up to 32 bits.
const I32: Types = Types::of(&[UD, D, UW, W, UB, B]);
const HALF: Types = Types::of(&[F, HF]);
const ANY: Types = Types::ANY;
const DW: Types = Types::DWORD;
const WD: Types = Types::WORD_DWORD;
const TUD: Types = Types::of(&[UD]);
const TDF: Types = Types::of(&[DF]);
const TF: Types = Types::of(&[F]);

const fn dst_p(types: Types) -> Slot {
    dst(types).classes(Classes::DST.or(Classes::PREDICATE))
}

const fn src_p(types: Types) -> Slot {
    src(types).classes(Classes::SRC.or(Classes::PREDICATE))
}

const fn dst_a(types: Types) -> Slot {
    dst(types).classes(Classes::DST.or(Classes::ADDRESS))
}

const fn src_a(types: Types) -> Slot {
    src(types).classes(Classes::SRC.or(Classes::ADDRESS))
}

const PRED_DST: Slot = dst(ANY).classes(Classes::PREDICATE).named("predicate destination");
const CMP_DST: Slot = dst(ANY).classes(Classes::PREDICATE.or(Classes::GENERAL));
const STATE: Classes = Classes::STATE.or(Classes::GENERAL).or(Classes::INDIRECT);

#[rustfmt::skip]
pub(super) static ROWS: &[Row] = &[
    alu(Add,   true,  &[EXEC, PRED, dst(NUM), src(NUM), src(NUM)]),
    alu(Avg,   true,  &[EXEC, PRED, dst(I32), src(I32), src(I32)]),
    alu(Div,   true,  &[EXEC, PRED, dst(I32.or(FALL)), src(I32.or(FALL)), src(I32.or(FALL))]),
    alu(Dp2,   true,  &[EXEC, PRED, dst(FLOAT), src(FLOAT), src(FLOAT)]),
    alu(Dp3,   true,  &[EXEC, PRED, dst(FLOAT), src(FLOAT), src(FLOAT)]),
    alu(Dp4,   true,  &[EXEC, PRED, dst(FLOAT), src(FLOAT), src(FLOAT)]),
    alu(Dph,   true,  &[EXEC, PRED, dst(FLOAT), src(FLOAT), src(FLOAT)]),
    alu(Exp,   true,  &[EXEC, PRED, dst(HALF), src(HALF)]),
    alu(Frc,   true,  &[EXEC, PRED, dst(HALF), src(HALF)]),
    // The hardware interpolates single floats (volume 2a, "line"); the specification has no page for it.
    alu(Line,  true,  &[EXEC, PRED, dst(TF), src(TF), src(TF)]),
    alu(Log,   true,  &[EXEC, PRED, dst(HALF), src(HALF)]),
    alu(Mad,   true,  &[EXEC, PRED, dst(I32.or(FALL)), src(I32.or(FALL)), src(I32.or(FALL)), src(I32.or(FALL))]),
    alu(Mulh,  true,  &[EXEC, PRED, dst(DW), src(DW), src(DW)]),
    alu(Lrp,   true,  &[EXEC, PRED, dst(FLOAT), src(FLOAT), src(FLOAT), src(FLOAT)]),
    alu(Mod,   true,  &[EXEC, PRED, dst(I32), src(I32), src(I32)]),
    alu(Mul,   true,  &[EXEC, PRED, dst(NUM), src(NUM), src(NUM)]),
    alu(Pow,   true,  &[EXEC, PRED, dst(HALF), src(HALF), src(HALF)]),
    alu(Rndd,  true,  &[EXEC, PRED, dst(HALF), src(HALF)]),
    alu(Rndu,  true,  &[EXEC, PRED, dst(HALF), src(HALF)]),
    alu(Rnde,  true,  &[EXEC, PRED, dst(HALF), src(HALF)]),
    alu(Rndz,  true,  &[EXEC, PRED, dst(HALF), src(HALF)]),
    alu(Sad2,  true,  &[EXEC, PRED, dst(Types::of(&[W, UW])), src(Types::of(&[B, UB])), src(Types::of(&[B, UB]))]),
    alu(Sin,   true,  &[EXEC, PRED, dst(HALF), src(HALF)]),
    alu(Cos,   true,  &[EXEC, PRED, dst(HALF), src(HALF)]),
    alu(Sqrt,  true,  &[EXEC, PRED, dst(HALF), src(HALF)]),
    alu(Rsqrt, true,  &[EXEC, PRED, dst(HALF), src(HALF)]),
    alu(Inv,   true,  &[EXEC, PRED, dst(FALL), src(FALL)]),
    alu(Fcvt,  false, &[EXEC, dst(Types::of(&[UB, B, UD, HF, F])), src(Types::of(&[UB, B, UD, HF, F]))]),
    alu(Srnd,  false, &[EXEC, dst(Types::of(&[UB, B, HF])), src(Types::of(&[HF, BF, F])), src(Types::of(&[UB, UW, HF, F]))]),
    alu(Lzd,   true,  &[EXEC, PRED, dst(TUD), src(TUD)]),
    alu(And,   true,  &[EXEC, PRED, dst_p(INT), src_p(INT), src_p(INT)]),
    alu(Or,    true,  &[EXEC, PRED, dst_p(INT), src_p(INT), src_p(INT)]),
    alu(Xor,   true,  &[EXEC, PRED, dst_p(INT), src_p(INT), src_p(INT)]),
    alu(Not,   true,  &[EXEC, PRED, dst_p(INT), src_p(INT)]),
    alu(Shl,   false, &[EXEC, PRED, dst(INT), src(INT), src(INT)]),
    alu(Shr,   false, &[EXEC, PRED, dst(INT), src(INT), src(INT)]),
    alu(Asr,   false, &[EXEC, PRED, dst(INT), src(INT), src(INT)]),
    alu(Cbit,  false, &[EXEC, PRED, dst(DW), src(I32)]),
    alu(Fbl,   false, &[EXEC, PRED, dst(TUD), src(I32)]),
    alu(Fbh,   false, &[EXEC, PRED, dst(TUD), src(DW)]),
    alu(Rol,   true,  &[EXEC, PRED, dst(INT), src(INT), src(INT)]),
    alu(Ror,   true,  &[EXEC, PRED, dst(INT), src(INT), src(INT)]),
    alu(Bfe,   false, &[EXEC, PRED, dst(DW), src(DW), src(DW), src(DW)]),
    alu(Bfi,   false, &[EXEC, PRED, dst(DW), src(DW), src(DW), src(DW), src(DW)]),
    alu(Bfrev, false, &[EXEC, PRED, dst(DW), src(DW)]),
    alu(Mov,   false, &[EXEC, PRED, dst_a(ANY), src_a(ANY).classes(Classes(0x3f))]),
    alu(Sel,   false, &[EXEC, PRED, dst(ANY), src(ANY), src(ANY)]),
    alu(Sad2add, true, &[EXEC, PRED, dst(Types::of(&[W, UW])), src(Types::of(&[B, UB])), src(Types::of(&[B, UB])), src(Types::of(&[W, UW]))]),
    alu(Plane, true,  &[EXEC, PRED, dst(TF), src(TF), src(TF)]),
    alu(Sqrtm, true,  &[EXEC, PRED, dst(FLOAT), src(FLOAT)]),
    alu(Divm,  true,  &[EXEC, PRED, dst(FLOAT), src(FLOAT), src(FLOAT)]),
    alu(Dp4a,  true,  &[EXEC, PRED, dst(DW), src(DW), src(DW), src(DW)]),
    alu(Add3,  true,  &[EXEC, PRED, dst(WD), src(WD), src(WD), src(WD)]),
    alu(Add3o, true,  &[EXEC, PRED, dst(WD), src(WD), src(WD), src(WD)]),
    alu(Madw,  true,  &[EXEC, PRED, dst(DW), src(DW), src(DW), src(DW)]),
    alu(Tanh,  true,  &[EXEC, PRED, dst(HALF), src(HALF)]),
    alu(Sigm,  true,  &[EXEC, PRED, dst(HALF), src(HALF)]),
    op(Addc,   &[EXEC, PRED, dst(TUD), dst(TUD).named("carry destination"), src(TUD), src(TUD)]),
    op(Subb,   &[EXEC, PRED, dst(TUD), dst(TUD).named("borrow destination"), src(TUD), src(TUD)]),
    op(Invm,   &[EXEC, PRED, dst(FLOAT.or(TDF)), PRED_DST, src(FLOAT), src(FLOAT)]),
    op(Rsqtm,  &[EXEC, PRED, dst(FLOAT.or(TDF)), PRED_DST, src(FLOAT)]),
    op(Fminmax, &[EXEC, u8("minimum or maximum"), dst(ANY), src(ANY), src(ANY)]),
    op(Bfn,    &[EXEC, PRED, dst(WD), src(WD), src(WD), src(WD), u8("boolean function")]),
    op(Cmp,    &[EXEC, u8("relation"), CMP_DST, src(ANY), src(ANY)]),
    op(Setp,   &[EXEC, PRED_DST, src(I32)]),
    op(Movs,   &[EXEC, dst(ANY).classes(STATE), src(ANY).classes(STATE.or(Classes::IMMEDIATE))]),
    op(AddrAdd, &[
        EXEC,
        dst(ANY).classes(Classes::ADDRESS),
        src(ANY).classes(Classes::GENERAL.or(Classes::ADDRESS).or(Classes::STATE)),
        src(Types::of(&[UW, W, D, UD])),
    ]),
];
