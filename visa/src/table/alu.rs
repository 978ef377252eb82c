//! Moves, arithmetic, logic, compares and address arithmetic.

use super::{plain_instructions, row::*};
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
    op(Addc,   &[EXEC, PRED, dst(TUD), dst(TUD).named("carry destination"), src(TUD), src(TUD)]),
    op(Subb,   &[EXEC, PRED, dst(TUD), dst(TUD).named("borrow destination"), src(TUD), src(TUD)]),
    op(Invm,   &[EXEC, PRED, dst(FLOAT.or(TDF)), PRED_DST, src(FLOAT), src(FLOAT)]),
    op(Rsqtm,  &[EXEC, PRED, dst(FLOAT.or(TDF)), PRED_DST, src(FLOAT)]),
    op(Fminmax, &[EXEC, u8("minimum or maximum"), dst(ANY), src(ANY), src(ANY)]),
    op(Bfn,    &[EXEC, PRED, dst(WD), src(WD), src(WD), src(WD), u8("boolean function")]).on(has!(ops.add3_bfn)),
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
