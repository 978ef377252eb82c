//! The views, a row each: which opcode (and sub-opcode) a view stands for, and its fields in the order in which they are
//! stored. A row is the way there and back. For messages that have an entry in `table/message.rs` or
//! `table/structs.rs`, the entry is the row.
//!
//! `a b: Code` are fields that one [code](super::codes) holds, all others are stored as their types say.

use super::{
    codes::*,
    fields::{Fault, Field, Put, Take},
    *,
};
use crate::{
    opcode::Opcode,
    table::{message_instructions, struct_instructions},
};

/// A code's type.
macro_rules! code {
    () => {
        Plain
    };
    ($code:ident) => {
        $code
    };
}

/// The pattern of a sub-opcode.
macro_rules! sub {
    () => {
        _
    };
    ($sub:literal) => {
        $sub
    };
}

/// A sub-opcode's number.
macro_rules! number {
    () => {
        0
    };
    ($sub:literal) => {
        $sub
    };
}

/// Takes fields, of which the view is made.
macro_rules! take {
    ($t:ident, $made:expr, $($($f:ident)* $(: $code:ident)?),+) => {{
        $(
            #[allow(unused_parens, reason = "one field or several")]
            let ($($f),*) = <code!($($code)?) as Code<'_, _>>::take($t)?;
        )+
        Ok($made)
    }};
}

/// Puts fields.
macro_rules! put {
    ($p:ident, $($($f:ident)* $(: $code:ident)?),+) => {
        $(
            #[allow(unused_parens, reason = "one field or several")]
            <code!($($code)?) as Code<'_, _>>::put(($($f),*), $p);
        )+
    };
}

/// What an instruction says of its view, known where its fields are.
macro_rules! says {
    ($($(($said:ident = $kind:ident::$value:ident))+)?) => {
        $($(
            #[allow(non_upper_case_globals, dead_code, reason = "the field of the view; few ask it")]
            const $said: $kind = $kind::$value;
        )+)?
    };
}

/// Takes a field, unless the instruction has none.
macro_rules! taken {
    ($t:ident, [$($code:ident)?]) => {
        <code!($($code)?) as Code<'_, _>>::take($t)?
    };
    ($t:ident, [$($code:ident)?] $lacks:tt) => {
        if $lacks { Default::default() } else { taken!($t, [$($code)?]) }
    };
}

/// Puts a field, unless the instruction has none.
macro_rules! put_field {
    ($p:ident, ($($f:ident),*), [$($code:ident)?]) => {
        #[allow(unused_parens, reason = "one field or several")]
        <code!($($code)?) as Code<'_, _>>::put(($($f),*), $p);
    };
    ($p:ident, $fields:tt, [$($code:ident)?] $lacks:tt) => {
        if !$lacks {
            put_field!($p, $fields, [$($code)?]);
        }
    };
}

/// The view of a message, or its pattern. In brackets stands a field that the sub-opcode says.
macro_rules! entry {
    ([$($view:tt)+] $(($($said:ident = $kind:ident::$value:ident),+))? $([$($sub:tt)+])?
        { $($($slot:expr),+ $(=> ($($f:ident: $type:tt $doc:literal),*) $($code:ident)? $(unless $lacks:tt)? $(: $holds:expr)?)?;)* }) => {
        $($view)+ { $($($said: $kind::$value,)+)? $($($sub)+,)? $($($($f,)*)?)* }
    };
}

/// Takes what the entry of a message says, of which its view is made; a struct is in a variant of its name.
macro_rules! take_entry {
    ($t:ident, $($variant:path)? => $view:tt $(($($said:ident = $kind:ident::$value:ident),+))? $([$sub:ident])?
        { $($($slot:expr),+ $(=> ($($f:ident: $type:tt $doc:literal),*) $($code:ident)? $(unless $lacks:tt)? $(: $holds:expr)?)?;)* }) => {{
        says!($($(($said = $kind::$value))+)?);
        $($(
            #[allow(unused_parens, reason = "one field or several")]
            let ($($f),*) = taken!($t, [$($code)?] $($lacks)?);
        )?)*
        Ok($($variant)? (entry!($view $(($($said = $kind::$value),+))? $([$sub])?
            { $($($slot),+ $(=> ($($f: $type $doc),*) $($code)? $(unless $lacks)?)?;)* })))
    }};
}

/// Puts what the entry of a message says.
macro_rules! put_entry {
    ($p:ident $(($($said:ident = $kind:ident::$value:ident),+))?
        { $($($slot:expr),+ $(=> ($($f:ident: $type:tt $doc:literal),*) $($code:ident)? $(unless $lacks:tt)? $(: $holds:expr)?)?;)* }) => {
        says!($($(($said = $kind::$value))+)?);
        $($(put_field!($p, ($($f),*), [$($code)?] $($lacks)?);)?)*
    };
}

macro_rules! with_structs {
    ($($before:tt)+) => {
        struct_instructions!(views { $($before)+ });
    };
}

macro_rules! views {
    ({ {
        fields { $(
            $own:ident => $own_view:ident { $($($own_field:ident)* $(: $own_code:ident)?),+ };
        )+ }
        families { $(
            $($member:ident)|+ => $family:ident { $($($family_field:ident)* $(: $family_code:ident)?),+ };
        )+ }
        one { $($one_of:ident => $one:ident;)+ }
        none { $($none_of:ident => $none:ident;)+ }
        untyped { $($untyped:ident)+ }
    }
    $(
        $(#[$doc:meta])*
        $message_view:ident $builder:ident($($exec:ident)? $(; $($lanes:tt)+)?) $text:ident $(says ($($opcode_says:tt)+))? [
            $($message:ident $(= $byte:literal)? $(($message_sub:literal))? $name:literal $(($($said:tt)+))?),+
        ] on $has:tt $entry_fields:tt
    )+ }
    structs { $(
        $(#[$struct_doc:meta])*
        $struct:ident $(<$life:lifetime>)? $struct_builder:ident $(says ($($struct_says:tt)+))?
        [$($struct_of:ident = $struct_byte:literal $struct_name:literal $(($($struct_said:tt)+))?),+]
        on $struct_has:tt $struct_fields:tt
    )+ }
    lsc { $(
        $(#[$lsc_doc:meta])*
        $lsc:ident $(<$lsc_life:lifetime>)? $lsc_builder:ident $lsc_of:ident($lsc_op:ident) [$($operation:ident),+] on $lsc_has:tt $lsc_fields:tt
    )+ }) => {
        impl<'a> Op<'a> {
            /// The view of an instruction. Each row makes the result as it is given back: to move views on costs more than
            /// to take their fields.
            #[allow(unused_parens, reason = "one operation or several")]
            pub(super) fn take(opcode: Opcode, t: &mut Take<'a>) -> Result<Op<'a>, Fault> {
                match (opcode, t.sub) {
                    $((Opcode::$own, _) => take!(
                        t,
                        Op::$own_view { $($($own_field,)*)+ },
                        $($($own_field)* $(: $own_code)?),+
                    ),)+
                    $(($(Opcode::$member)|+, _) => take!(
                        t,
                        Op::$family { $($($family_field,)*)+ },
                        $($($family_field)* $(: $family_code)?),+
                    ),)+
                    $($((Opcode::$message, sub!($($message_sub)?)) => take_entry!(
                        t,
                        => [Op::$message_view] $(($($said)+))? $entry_fields
                    ),)+)+
                    $($((Opcode::$struct_of, _) => take_entry!(
                        t,
                        Op::$struct => [$struct] $(($($struct_said)+))? $struct_fields
                    ),)+)+
                    (Opcode::LscUntyped | Opcode::LscTyped, sub) => {
                        let op = LscOp::from_raw(sub).ok_or(("sub-opcode", u32::from(sub)))?;
                        match (opcode, op) {
                            $((Opcode::$lsc_of, $lsc_op @ ($(LscOp::$operation)|+)) => take_entry!(
                                t,
                                Op::$lsc => [$lsc] [$lsc_op] $lsc_fields
                            ),)+
                            _ => Err(("sub-opcode", u32::from(sub))),
                        }
                    }
                    $((Opcode::$one_of, _) => Ok(Op::$one(Field::take(t)?)),)+
                    $((Opcode::$none_of, _) => Ok(Op::$none),)+
                    $((Opcode::$untyped, _) => Ok(Op::Other(t.rest())),)+
                    (Opcode::Svm, sub) => Err(("sub-opcode", u32::from(sub))),
                    // A destination computed from sources.
                    _ => Ok(Op::Alu { dst: t.next().vector(), srcs: Srcs(t.rest()) }),
                }
            }

            /// Puts the fields of a view and gives its opcode and sub-opcode. `opcode` tells apart the members of a
            /// family.
            #[inline]
            #[allow(clippy::redundant_pattern, reason = "a row for all other messages")]
            #[allow(unused_parens, reason = "one operation or several")]
            pub(super) fn put(self, opcode: Opcode, p: &mut Put<'_>) -> (Opcode, u8) {
                match self {
                    $(Op::$own_view { $($($own_field,)*)+ } => {
                        put!(p, $($($own_field)* $(: $own_code)?),+);
                        (Opcode::$own, 0)
                    })+
                    $(Op::$family { $($($family_field,)*)+ } => {
                        put!(p, $($($family_field)* $(: $family_code)?),+);
                        (opcode, 0)
                    })+
                    $($(entry!([Op::$message_view] $(($($said)+))? $entry_fields) => {
                        put_entry!(p $(($($said)+))? $entry_fields);
                        (Opcode::$message, number!($($message_sub)?))
                    })+)+
                    $($(Op::$struct(entry!([$struct] $(($($struct_said)+))? $struct_fields)) => {
                        put_entry!(p $(($($struct_said)+))? $struct_fields);
                        (Opcode::$struct_of, 0)
                    })+)+
                    $(Op::$lsc(entry!([$lsc] [$lsc_op: $lsc_op @ ($(LscOp::$operation)|+)] $lsc_fields)) => {
                        put_entry!(p $lsc_fields);
                        (Opcode::$lsc_of, $lsc_op.raw())
                    })+
                    $(Op::$one(one) => {
                        one.put(p);
                        (Opcode::$one_of, 0)
                    })+
                    $(Op::$none => (Opcode::$none_of, 0),)+
                    Op::Other(operands) => {
                        p.operands.extend_from_slice(operands);
                        (opcode, 0)
                    }
                    Op::Alu { dst, srcs } => {
                        dst.put(p);
                        srcs.put(p);
                        (opcode, 0)
                    }
                    // A message that its view does not have: the table refuses what has no operands.
                    _ => (opcode, 0),
                }
            }
        }
    };
}

#[rustfmt::skip]
message_instructions! {
    with_structs {
        fields {
            Fminmax => MinMax { which: Which, dst, srcs };
            Bfn => Bfn { dst, srcs: ThreeSources, function };
            Cmp => Cmp { cond nan_variant: Relation, dst, srcs };
            Setp => Setp { dst, src };
            Movs => Movs { dst, src };
            AddrAdd => AddrAdd { dst, base, offset };
            Fcall => Fcall { function, arg_size, return_size };
            Ifcall => Ifcall { callee no_return: CallFlags, address, arg_size, return_size };
            Faddr => Faddr { symbol, dst };
            Switchjmp => SwitchJmp { index, labels };
            ShflIdx4 => ShflIdx4 { dst, table, indices };
            Lifetime => Lifetime { mark var: Life };
        }
        families {
            Addc | Subb => Carry { dst, carry, srcs };
            Invm | Rsqtm => MacroMath { dst, flag, srcs };
            Dpas | Dpasw => Dpas { dst, srcs, src2, weight activation depth repeat: MatrixShape };
        }
        one {
            Goto => Goto;
            Label => Label;
            Jmp => Jmp;
            Call => Call;
            Subroutine => Subroutine;
            File => File;
            Loc => Loc;
        }
        none {
            Ret => Ret;
            Fret => Fret;
        }
        untyped { Va VaSklPlus }
    }
}
