//! Rows of the messages of `message` and of `structs`.

use super::{message_instructions, row::*, struct_instructions};
use crate::{
    Access,
    lsc::LscOp,
    op::{BlockAlignment, SampleKind},
    opcode::Opcode,
    types::Type,
};

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

const fn data(access: Access) -> Slot {
    match access {
        Access::Load => DST,
        Access::Store => SRC,
    }
}

const fn float(name: &'static str) -> Slot {
    scalar(name, Types::of(&[Type::F]))
}

const SAMPLE_OP: Slot = Slot::new("operation", Enc::SampleOp, Role::Control);
const TEXEL_OFFSETS: Slot =
    Slot { classes: Classes::SRC, scalar: true, ..Slot::new("texel offsets", Enc::Aoffimmi, Role::Src) };
const PARAMETERS: Slot = Slot::new("parameters", Enc::RawList, Role::Src);

const SFID: Slot = u8("shared function");
const L1: Slot = u8("L1 cache control");
const L3: Slot = u8("L3 cache control");
const SIZE: Slot = u8("data size");
const ORDER: Slot = u8("data order");
const ELEMENTS: Slot = u8("data elements");
/// Channels of the operations that have a mask of them.
const QUAD_MASK: Slot = u8("channel mask");
const BASE: Slot =
    scalar("surface", Types::ANY).classes(Classes::GENERAL.or(Classes::IMMEDIATE).or(Classes::ADDRESS));
const INDEX: Slot = u32("surface index").when(When::SurfaceIndex);

const fn int(name: &'static str) -> Slot {
    scalar(name, Types::INT)
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
    ($opcode:ident $(($sub:literal))? $name:literal $(($($said:ident = $kind:ident::$value:ident),+))?
        { $($fields:tt)* }) => {{
        $($(
            #[allow(non_upper_case_globals, dead_code, reason = "the field of the view; few ask it")]
            const $said: $kind = $kind::$value;
        )+)?
        Row { sub: number!($($sub)?), name: $name, ..op(Opcode::$opcode, slots!({ $($fields)* })) }
    }};
}

/// The fields of one instruction.
macro_rules! slots {
    ({ $($($slot:expr),+ $(=> ($($view:tt)*) $($code:ident)? $(unless $lacks:tt)?)?;)* }) => {{
        const GROUPS: &[&[Slot]] = &[$(group!([$($slot),+] $($($lacks)?)?)),*];
        const SLOTS: &[Slot] = &joined::<{ count(GROUPS) }>(GROUPS);
        SLOTS
    }};
}

/// Fields that belong together, unless the instruction has none of them.
macro_rules! group {
    ($slots:tt) => {
        &$slots
    };
    ($slots:tt $lacks:tt) => {
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

macro_rules! struct_rows {
    (
        structs { $(
            $(#[$doc:meta])*
            $view:ident $(<$life:lifetime>)? $builder:ident $(says ($($told:tt)+))?
            [$($opcode:ident = $byte:literal $name:literal $(($($said:tt)+))?),+] on $has:tt $fields:tt
        )+ }
        lsc { $(
            $(#[$lsc_doc:meta])*
            $lsc:ident $(<$lsc_life:lifetime>)? $lsc_builder:ident $lsc_opcode:ident($lsc_op:ident) [$($operation:ident),+] on $lsc_has:tt $lsc_fields:tt
        )+ }
    ) => {
        /// Messages whose views are structs.
        pub(super) static STRUCTS: &[Row] = &[
            $($(on!(row!($opcode $name $(($($said)+))? $fields), $has),)+)+
            $($(on!({
                #[allow(non_upper_case_globals, reason = "the field of the view")]
                const $lsc_op: LscOp = LscOp::$operation;
                sub(Opcode::$lsc_opcode, $lsc_op.raw(), $lsc_op.name(), slots!($lsc_fields))
            }, $lsc_has),)+)+
        ];
    };
}
struct_instructions!(struct_rows);
