//! The views, a row each: which opcode (and sub-opcode) a view stands for, and its fields in the order in which they are
//! stored. A row is the way there and back. For messages that have an entry in `table/message.rs`, the entry is the row.
//!
//! `a b: Code` are fields that one [code](super::codes) holds, all others are stored as their types say. In brackets stand
//! fields that the opcode says.

use super::{
    codes::*,
    fields::{Fault, Field, Put, Take},
    *,
};
use crate::{opcode::Opcode, table::message_instructions};

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
    ($($(($said:ident = $value:literal))+)?) => {
        $($(
            #[allow(non_upper_case_globals, dead_code, reason = "the field of the view; few ask it")]
            const $said: bool = $value;
        )+)?
    };
}

/// Takes a field, unless the instruction has none.
macro_rules! taken {
    ($t:ident, [$($code:ident)?]) => {
        <code!($($code)?) as Code<'_, _>>::take($t)?
    };
    ($t:ident, [$($code:ident)?] $lacks:ident) => {
        if $lacks { Default::default() } else { taken!($t, [$($code)?]) }
    };
}

/// Puts a field, unless the instruction has none.
macro_rules! put_field {
    ($p:ident, ($($f:ident),*), [$($code:ident)?]) => {
        #[allow(unused_parens, reason = "one field or several")]
        <code!($($code)?) as Code<'_, _>>::put(($($f),*), $p);
    };
    ($p:ident, $fields:tt, [$($code:ident)?] $lacks:ident) => {
        if !$lacks {
            put_field!($p, $fields, [$($code)?]);
        }
    };
}

/// Takes what the entry of a message says, of which its view is made.
macro_rules! take_entry {
    ($t:ident, $view:ident $(($($said:ident = $value:literal),+))?
        { $($($slot:expr),+ $(=> ($($f:ident: $type:tt $doc:literal),*) $($code:ident)? $(unless $lacks:ident)?)?;)* }) => {{
        says!($($(($said = $value))+)?);
        $($(
            #[allow(unused_parens, reason = "one field or several")]
            let ($($f),*) = taken!($t, [$($code)?] $($lacks)?);
        )?)*
        Ok(Op::$view { $($($said: $value,)+)? $($($($f,)*)?)* })
    }};
}

/// The pattern of the view of a message.
macro_rules! entry {
    ($view:ident $(($($said:ident = $value:literal),+))?
        { $($($slot:expr),+ $(=> ($($f:ident: $type:tt $doc:literal),*) $($code:ident)? $(unless $lacks:ident)?)?;)* }) => {
        Op::$view { $($($said: $value,)+)? $($($($f,)*)?)* }
    };
}

/// Puts what the entry of a message says.
macro_rules! put_entry {
    ($p:ident $(($($said:ident = $value:literal),+))?
        { $($($slot:expr),+ $(=> ($($f:ident: $type:tt $doc:literal),*) $($code:ident)? $(unless $lacks:ident)?)?;)* }) => {
        says!($($(($said = $value))+)?);
        $($(put_field!($p, ($($f),*), [$($code)?] $($lacks)?);)?)*
    };
}

macro_rules! views {
    ({
        fields { $(
            $own:ident => $own_view:ident { $($($own_field:ident)* $(: $own_code:ident)?),+ };
        )+ }
        families { $(
            $($member:ident)|+ => $family:ident { $($($family_field:ident)* $(: $family_code:ident)?),+ };
        )+ }
        structs { $(
            $struct_of:ident => $struct_view:ident($struct:ident) $([$($struct_told:ident = $struct_telling:tt),+])?
            { $($($struct_field:ident)* $(: $struct_code:ident)?),+ };
        )+ }
        lsc { $(
            $lsc_of:ident($operation:pat) => $lsc:ident $([$($lsc_told:ident = $lsc_telling:expr),+])?
            { $($($lsc_field:ident)* $(: $lsc_code:ident)?),+ };
        )+ }
        one { $($one_of:ident => $one:ident;)+ }
        none { $($none_of:ident => $none:ident;)+ }
        untyped { $($untyped:ident)+ }
    }
    $(
        $(#[$doc:meta])*
        $message_view:ident $builder:ident($($exec:ident)?) $text:ident $(says ($($opcode_says:tt)+))? [
            $($message:ident $(= $byte:literal)? $(($message_sub:literal))? $name:literal $(($($said:tt)+))?),+
        ] on $has:tt $entry_fields:tt
    )+) => {
        impl<'a> Op<'a> {
            /// The view of an instruction. Each row makes the result as it is given back: to move views on costs more than
            /// to take their fields.
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
                        $message_view $(($($said)+))? $entry_fields
                    ),)+)+
                    $((Opcode::$struct_of, _) => take!(
                        t,
                        Op::$struct_view($struct {
                            $($($struct_told: $struct_telling,)+)?
                            $($($struct_field,)*)+
                        }),
                        $($($struct_field)* $(: $struct_code)?),+
                    ),)+
                    (Opcode::LscUntyped | Opcode::LscTyped, sub) => {
                        let op = LscOp::from_raw(sub).ok_or(("sub-opcode", u32::from(sub)))?;
                        match (opcode, op) {
                            $((Opcode::$lsc_of, $operation) => take!(
                                t,
                                Op::$lsc($lsc {
                                    op,
                                    $($($lsc_told: $lsc_telling,)+)?
                                    $($($lsc_field,)*)+
                                }),
                                $($($lsc_field)* $(: $lsc_code)?),+
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
                    $($(entry!($message_view $(($($said)+))? $entry_fields) => {
                        put_entry!(p $(($($said)+))? $entry_fields);
                        (Opcode::$message, number!($($message_sub)?))
                    })+)+
                    $(Op::$struct_view($struct {
                        $($($struct_told: _,)+)?
                        $($($struct_field,)*)+
                    }) => {
                        put!(p, $($($struct_field)* $(: $struct_code)?),+);
                        (Opcode::$struct_of, 0)
                    })+
                    $(Op::$lsc($lsc {
                        op: op @ $operation,
                        $($($lsc_told: _,)+)?
                        $($($lsc_field,)*)+
                    }) => {
                        put!(p, $($($lsc_field)* $(: $lsc_code)?),+);
                        (Opcode::$lsc_of, op.raw())
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
    views {
        fields {
            Fminmax => MinMax { max: Which, dst, srcs };
            Bfn => Bfn { dst, srcs: ThreeSources, function };
            Cmp => Cmp { cond nan_variant: Relation, dst, srcs };
            Setp => Setp { dst, src };
            Movs => Movs { dst, src };
            AddrAdd => AddrAdd { dst, base, offset };
            Fcall => Fcall { function, arg_size, return_size };
            Ifcall => Ifcall { uniform no_return: TwoFlags, address, arg_size, return_size };
            Faddr => Faddr { symbol, dst };
            Switchjmp => SwitchJmp { index, labels };
            Lifetime => Lifetime { end var: Life };
        }
        families {
            Addc | Subb => Carry { dst, carry, srcs };
            Invm | Rsqtm => MacroMath { dst, flag, srcs };
            Dpas | Dpasw => Dpas { dst, srcs, src2, weight activation depth repeat: MatrixShape };
        }
        structs {
            Sample3d => Sample(Sample) {
                op pixel_null_mask cps non_uniform_sampler: SampleWord,
                channels, aoffimmi, sampler: Given, surface, dst, paired, params
            };
            Load3d => Load3d(Sample)[sampler = None] {
                op pixel_null_mask cps non_uniform_sampler: SampleWord,
                channels, aoffimmi, surface, dst, paired, params
            };
            Gather43d => Gather4(Sample) {
                op pixel_null_mask cps non_uniform_sampler: SampleWord,
                channels, aoffimmi, sampler: Given, surface, dst, paired, params
            };
            RtWrite3d => RtWrite(RtWrite) {
                mode, surface, header, sample_index, counter, target, alpha0, output_mask, color, depth, stencil
            };
        }
        lsc {
            LscUntyped(LscOp::LoadBlock2d | LscOp::StoreBlock2d) => LscBlock2d
                { sfid, cache, size, order, blocks, width, height, vnni, dst, addr, src1 };
            LscUntyped(LscOp::ApndctrAtomicAdd | LscOp::ApndctrAtomicSub) => LscAppend
                { sfid, cache, addr_type, shape: Shape, surface, surface_index, dst, src1 };
            LscUntyped(LscOp::LoadStrided | LscOp::StoreStrided) => Lsc[src2 = RawOperand::NULL] {
                sfid, cache, addr_type, addr_scale, addr_offset, addr_size, shape: Shape,
                surface, surface_index, dst, addr, pitch: Pitch, src1
            };
            LscUntyped(_) => Lsc[pitch = None] {
                sfid, cache, addr_type, addr_scale, addr_offset, addr_size, shape: Shape,
                surface, surface_index, dst, addr, src1, src2
            };
            LscTyped(LscOp::LoadBlock2d | LscOp::StoreBlock2d) => LscTypedBlock2d
                { cache, addr_type, width, height, surface, surface_index, dst, offsets, src1 };
            LscTyped(_) => LscTyped {
                cache, addr_type, addr_size, shape: Shape, surface, surface_index, dst,
                coords offsets: Coordinates, src1, src2
            };
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
        untyped { Va VaSklPlus RawSendg ShflIdx4 }
    }
}
