//! Rows of the messages of `message`.

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

const SRC: Slot = raw_src("data");
const DST: Slot = raw_dst("data");

const fn data(store: bool) -> Slot {
    if store { SRC } else { DST }
}

const fn float(name: &'static str) -> Slot {
    scalar(name, Types::of(&[Type::F]))
}

pub(super) static TYPED4_OLD: &[Slot] = &[MASK, EXEC, SURFACE, U, V, R, LOD, SRC];

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
        { $($($slot:expr),+ $(=> ($($view:tt)*) $($code:ident)? $(unless $lacks:ident)?)?;)* }) => {{
        $($(
            #[allow(non_upper_case_globals, dead_code, reason = "the field of the view; few ask it")]
            const $said: bool = $value;
        )+)?
        const GROUPS: &[&[Slot]] = &[$(group!([$($slot),+] $($($lacks)?)?)),*];
        const SLOTS: &[Slot] = &joined::<{ count(GROUPS) }>(GROUPS);
        Row { sub: number!($($sub)?), name: $name, ..op(Opcode::$opcode, SLOTS) }
    }};
}

/// Fields that belong together, unless the instruction has none of them.
macro_rules! group {
    ($slots:tt) => {
        &$slots
    };
    ($slots:tt $lacks:ident) => {
        if $lacks { &[] } else { &$slots }
    };
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
