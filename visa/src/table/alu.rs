//! Moves, arithmetic, logic, compares and address arithmetic.

use super::{plain_instructions, row::*};
use crate::{
    opcode::Opcode::*,
    types::Type::{B, BF, D, DF, F, HF, Q, UB, UD, UQ, UW, W},
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
/// Integers that are rotated: no bytes (specification, ROL).
const WDQ: Types = Types::of(&[UQ, Q, UD, D, UW, W]);
const TUD: Types = Types::of(&[UD]);
const TDF: Types = Types::of(&[DF]);
const TF: Types = Types::of(&[F]);
const FLOATS: Saturates = Saturates::Floats;

const fn dst_p(types: Types) -> Slot {
    dst_u(types).classes(Classes::DST.or(Classes::PREDICATE))
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

const PRED_DST: Slot = dst_u(ANY).classes(Classes::PREDICATE).named("predicate destination");
const CMP_DST: Slot = dst_u(ANY).classes(Classes::PREDICATE.or(Classes::GENERAL));
const STATE: Classes = Classes::STATE.or(Classes::GENERAL).or(Classes::INDIRECT);

macro_rules! rows {
    ($($opcode:ident = $byte:literal $name:literal $builder:ident($($src:ident),+) $kind:ident $same:literal
        [$($slot:expr),+] $(if $($has:ident).+)?;)+) => {
        /// The plain instructions.
        pub(super) static PLAIN: &[Row] = &[
            $(alu($opcode, $same, &[$($slot),+])$(.on(has!($($has).+)))?),+
        ];

        const _: () = {
            $(assert!(sources(&[$($slot),+]) == [$(stringify!($src)),+].len(), "sources of the builder's function");)+
        };
    };
}
plain_instructions!(rows);

const fn sources(slots: &[Slot]) -> usize {
    let (mut i, mut count) = (0, 0);
    while i < slots.len() {
        count += if matches!(slots[i].role, Role::Src) { 1 } else { 0 };
        i += 1;
    }
    count
}

#[rustfmt::skip]
pub(super) static OTHER: &[Row] = &[
    op(Addc,   &[EXEC, PRED, dst_u(TUD), dst_u(TUD).named("carry destination"), src_u(TUD), src_u(TUD)]),
    op(Subb,   &[EXEC, PRED, dst(TUD), dst(TUD).named("borrow destination"), src_u(TUD), src_u(TUD)]),
    op(Invm,   &[EXEC, PRED, dst_u(FLOAT.or(TDF)), PRED_DST, src(FLOAT), src(FLOAT)]),
    op(Rsqtm,  &[EXEC, PRED, dst_u(FLOAT.or(TDF)), PRED_DST, src(FLOAT)]),
    op(Fminmax, &[EXEC, u8("minimum or maximum"), dst(ANY), src(ANY), src(ANY)]),
    op(Bfn,    &[EXEC, PRED, dst_u(WD), src_u(WD), src_u(WD), src_u(WD), u8("boolean function")]).on(has!(ops.add3_bfn)),
    op(Cmp,    &[EXEC, u8("relation"), CMP_DST, src(ANY), src(ANY)]),
    op(Setp,   &[EXEC, PRED_DST, src_u(I32)]),
    op(Movs,   &[EXEC, dst_u(ANY).classes(STATE), src_u(ANY).classes(STATE.or(Classes::IMMEDIATE))]),
    op(AddrAdd, &[
        EXEC,
        dst_u(ANY).classes(Classes::ADDRESS),
        src(ANY).classes(Classes::GENERAL.or(Classes::ADDRESS).or(Classes::STATE)),
        src(Types::of(&[UW, W, D, UD])),
    ]),
];
