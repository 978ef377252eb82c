//! Rows of the messages of `message` and of `structs`.

use super::{fields::*, message_instructions, row::*, struct_instructions};
use crate::{
    Access,
    lsc::LscOp,
    op::{BlockAlignment, RtReadMode, RtWriteMode, SampleKind, SamplerOp},
    opcode::Opcode,
};

pub(super) static TYPED4_OLD: &[Slot] = &[MASK, EXEC, SURFACE, U, V, R, LOD, data_of(Access::Store)];

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
    ({ $($($slot:expr),+ $(=> ($($view:tt)*) $($code:ident)? $(unless $lacks:tt)? $(: $holds:expr)?)?;)* }) => {{
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
        $view:ident $builder:ident($($exec:ident)? $(; $($lanes:tt)+)?) $text:ident $(says ($($told:tt)+))? [
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
