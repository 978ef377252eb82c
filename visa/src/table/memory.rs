//! Rows of the messages of `message`, and of those to the data port whose loads have a field that their stores have not.

use super::{message_instructions, row::*};
use crate::{opcode::Opcode, types::Type};

const MASK: Slot = u8("channel mask").text(Text::Channels);
const ATOMIC: Slot = u8("atomic operation").text(Text::Atomic);
const BLOCKS: Slot = u8("number of blocks").text(Text::Power);
const GLOBAL: Slot = scalar("global offset", Types::INT);
const OFFSETS: Slot = raw_src("offsets");
const U: Slot = raw_src("u offsets");
const V: Slot = raw_src("v offsets");
const R: Slot = raw_src("r offsets");
const LOD: Slot = raw_src("level of detail").when(When::Since(302));
const SRC0: Slot = raw_src("source 0");
const SRC1: Slot = raw_src("source 1");

const fn oword(data: Slot) -> [Slot; 5] {
    [u8("block size"), u8("modifier"), SURFACE, scalar("offset", Types::INT), data]
}

const SRC: Slot = raw_src("data");
const DST: Slot = raw_dst("data");

const fn data(store: bool) -> Slot {
    if store { SRC } else { DST }
}

const fn float(name: &'static str) -> Slot {
    scalar(name, Types::of(&[Type::F]))
}

pub(super) static TYPED4_OLD: &[Slot] = &[MASK, EXEC, SURFACE, U, V, R, LOD, SRC];

#[rustfmt::skip]
pub(super) static ODD: &[Row] = &[
    op(Opcode::OwordLd,          &oword(DST)),
    op(Opcode::OwordLdUnaligned, &oword(DST)),
    op(Opcode::OwordSt,          &[u8("block size"), SURFACE, scalar("offset", Types::INT), SRC]),
    op(Opcode::Gather,           &[u8("element size"), u8("modifier"), u8("number of elements"), SURFACE, GLOBAL, OFFSETS, DST]),
    op(Opcode::Scatter,          &[u8("element size"), u8("number of elements"), SURFACE, GLOBAL, OFFSETS, SRC]),
];

/// A row on the platforms that an entry says.
macro_rules! on {
    ($row:expr, (everywhere)) => {
        $row
    };
    ($row:expr, ($($has:ident).+)) => {
        $row.on(has!($($has).+))
    };
}

/// The row of one instruction. What its opcode says of the view is known where its fields are listed.
macro_rules! row {
    ($opcode:ident $(($sub:literal))? $name:literal $(($($said:ident = $value:literal),+))?
        { $($($slot:expr),+ $(=> ($($view:tt)*) $($code:ident)?)?;)+ }) => {{
        $($(
            #[allow(non_upper_case_globals, reason = "the field of the view")]
            const $said: bool = $value;
        )+)?
        const SLOTS: &[Slot] = &[$($($slot),+),+];
        Row { sub: number!($($sub)?), name: $name, ..op(Opcode::$opcode, SLOTS) }
    }};
}

/// A sub-opcode, if there is one.
macro_rules! number {
    () => {
        None
    };
    ($sub:literal) => {
        Some($sub)
    };
}

macro_rules! rows {
    ($(
        $(#[$doc:meta])*
        $view:ident $builder:ident($($exec:ident)?) $text:ident $(says ($($told:tt)+))? [
            $($opcode:ident $(= $byte:literal)? $(($sub:literal))? $name:literal $(($($said:tt)+))?),+
        ] on $has:tt $fields:tt
    )+) => {
        pub(super) static ROWS: &[Row] = &[$($(
            $text(on!(row!($opcode $(($sub))? $name $(($($said)+))? $fields), $has)),
        )+)+];
    };
}
message_instructions!(rows);
