//! The typed view of an instruction: what it does, with names instead of positions.

mod codes;
mod fields;
mod holds;
mod parts;
mod payloads;
mod sampler;
pub(crate) mod stored;
mod views;

pub use holds::{Holds, PerLane, block2d_rows, media_pitch, sampled_channels};
pub use parts::*;
pub use payloads::{LaneGroup, LaneMessage, LaneOperand, LaneTarget, Payload};
pub use sampler::*;

use crate::{
    Access,
    ids::*,
    lsc::*,
    operand::*,
    table::{message_instructions, struct_instructions},
    types::{AtomicOp, ChannelMask, CondMod},
};

/// The type of a view's field by its word in the table.
macro_rules! field {
    (Scalar) => {
        &'a VectorOperand
    };
    ([Scalar; $count:literal]) => {
        [&'a VectorOperand; $count]
    };
    ((Option<Scalar>)) => {
        Option<&'a VectorOperand>
    };
    ((Option<$type:tt>)) => {
        Option<$type>
    };
    ((Raws)) => {
        Raws<'a>
    };
    ($type:tt) => {
        $type
    };
}

macro_rules! with_structs {
    ($($messages:tt)+) => {
        struct_instructions!(op { $($messages)+ });
    };
}

macro_rules! op {
    ({ $(
        $(#[$doc:meta])*
        $view:ident $builder:ident($($exec:ident)? $(; $($lanes:tt)+)?) $text:ident
        $(says ($($told:ident: $told_type:ident $told_doc:literal),+))? [$($opcodes:tt)+] on $has:tt
        { $($($slot:expr),+ $(=> ($($field:ident: $type:tt $field_doc:literal),*) $($code:ident)? $(unless $lacks:tt)? $(: $holds:expr)?)?;)* }
    )+ }
    structs { $(
        $(#[$struct_doc:meta])*
        $struct:ident $(<$life:lifetime>)? $struct_builder:ident $(says ($($struct_told:ident: $struct_told_type:ident $struct_told_doc:literal),+))?
        [$($struct_opcodes:tt)+] on $struct_has:tt
        { $($($struct_slot:expr),+ $(=> ($($struct_field:ident: $struct_type:tt $struct_field_doc:literal),*) $($struct_code:ident)? $(unless $struct_lacks:tt)? $(: $struct_holds:expr)?)?;)* }
    )+ }
    lsc { $(
        $(#[$lsc_doc:meta])*
        $lsc:ident $(<$lsc_life:lifetime>)? $lsc_builder:ident $lsc_opcode:ident($lsc_op:ident) [$($operation:ident),+] on $lsc_has:tt
        { $($($lsc_slot:expr),+ $(=> ($($lsc_field:ident: $lsc_type:tt $lsc_field_doc:literal),*) $($lsc_code:ident)? $(unless $lsc_lacks:tt)? $(: $lsc_holds:expr)?)?;)* }
    )+ }) => {
        $(
            $(#[$struct_doc])*
            #[derive(Clone, Copy, Debug)]
            pub struct $struct$(<$life>)? {
                $($(#[doc = $struct_told_doc] pub $struct_told: $struct_told_type,)+)?
                $($($(#[doc = $struct_field_doc] pub $struct_field: field!($struct_type),)*)?)*
            }
        )+
        $(
            $(#[$lsc_doc])*
            #[derive(Clone, Copy, Debug)]
            pub struct $lsc$(<$lsc_life>)? {
                /// Operation.
                pub $lsc_op: LscOp,
                $($($(#[doc = $lsc_field_doc] pub $lsc_field: field!($lsc_type),)*)?)*
            }
        )+

        impl Op<'_> {
            /// The operation of the load/store cache, if it is one.
            pub(crate) fn lsc_op(&self) -> Option<LscOp> {
                match *self {
                    $(Op::$lsc($lsc { $lsc_op, .. }) => Some($lsc_op),)+
                    _ => None,
                }
            }
        }

        /// What an instruction does. [`crate::Inst::opcode`] tells apart the members of a family (`add`/`mul`,
        /// gather/scatter); execution size and predicate are in [`crate::Inst`].
        #[derive(Clone, Copy, Debug)]
        pub enum Op<'a> {
            // Messages, each an entry of `table/structs.rs` or `table/message.rs`.
            $(
                $(#[$struct_doc])*
                $struct($struct$(<$life>)?),
            )+
            $(
                $(#[$lsc_doc])*
                $lsc($lsc$(<$lsc_life>)?),
            )+
            $(
                $(#[$doc])*
                $view {
                    $($(#[doc = $told_doc] $told: $told_type,)+)?
                    $($($(#[doc = $field_doc] $field: field!($type),)*)?)*
                },
            )+
            /// `dst = opcode(srcs...)`: moves, arithmetic, math, logic, shifts. Saturation is the modifier of
            /// `dst`; `sel` takes its choice from the guard predicate.
            Alu {
                /// Destination.
                dst: &'a VectorOperand,
                /// Sources.
                srcs: Srcs<'a>,
            },
            /// `addc`, `subb`: result and carry or borrow.
            Carry {
                /// Result.
                dst: &'a VectorOperand,
                /// Carry or borrow.
                carry: &'a VectorOperand,
                /// Sources.
                srcs: Srcs<'a>,
            },
            /// `invm`, `rsqtm`: result and a predicate for early out.
            MacroMath {
                /// Result.
                dst: &'a VectorOperand,
                /// Early-out predicate.
                flag: &'a VectorOperand,
                /// Sources.
                srcs: Srcs<'a>,
            },
            /// `min`, `max`.
            MinMax {
                /// Which of them.
                which: Extreme,
                /// Destination.
                dst: &'a VectorOperand,
                /// The two sources.
                srcs: Srcs<'a>,
            },
            /// `bfn`: bitwise function of three sources given by its truth table.
            Bfn {
                /// Truth table.
                function: u8,
                /// Destination.
                dst: &'a VectorOperand,
                /// The three sources.
                srcs: Srcs<'a>,
            },
            /// `cmp`: destination is a predicate, or a general variable that gets all ones or zero.
            Cmp {
                /// Relation.
                cond: CondMod,
                /// Bit 7 of the relation byte, the old `cmpn`.
                nan_variant: bool,
                /// Destination.
                dst: &'a VectorOperand,
                /// The two sources.
                srcs: Srcs<'a>,
            },
            /// `setp`: predicate from an integer's bits.
            Setp {
                /// The predicate.
                dst: &'a VectorOperand,
                /// The bits.
                src: &'a VectorOperand,
            },
            /// `movs`: move of surface or sampler handles.
            Movs {
                /// Destination.
                dst: &'a VectorOperand,
                /// Source.
                src: &'a VectorOperand,
            },
            /// `addr_add`: `dst = &base + offset`, or address plus offset.
            AddrAdd {
                /// Address variable.
                dst: &'a VectorOperand,
                /// A general or state operand (its address is meant) or an address operand.
                base: &'a VectorOperand,
                /// Bytes.
                offset: &'a VectorOperand,
            },

            /// A block label.
            Label(LabelId),
            /// A subroutine label.
            Subroutine(LabelId),
            /// `jmp`: scalar jump.
            Jmp(LabelId),
            /// `goto`: per-lane jump.
            Goto(LabelId),
            /// `call` of a subroutine.
            Call(LabelId),
            /// `ret` from a subroutine, or the end of the kernel in its first one.
            Ret,
            /// `fret` from a function.
            Fret,
            /// `fcall`: stack call by name.
            Fcall {
                /// Name.
                function: StrId,
                /// Argument registers.
                arg_size: u8,
                /// Return value registers.
                return_size: u8,
            },
            /// `ifcall`: stack call by address.
            Ifcall {
                /// Who is called.
                callee: Callee,
                /// The callee does not return.
                no_return: bool,
                /// Address.
                address: &'a VectorOperand,
                /// Argument registers.
                arg_size: u8,
                /// Return value registers.
                return_size: u8,
            },
            /// `faddr`: address of a symbol.
            Faddr {
                /// Name.
                symbol: StrId,
                /// Destination.
                dst: &'a VectorOperand,
            },
            /// `switchjmp`: scalar jump through a table.
            SwitchJmp {
                /// Index.
                index: &'a VectorOperand,
                /// Targets.
                labels: Labels<'a>,
            },

            /// `dpas`, `dpasw`.
            Dpas {
                /// Precision of source 1 (weights), as the hardware numbers them.
                weight: Precision,
                /// Precision of source 2 (activations).
                activation: Precision,
                /// Systolic depth.
                depth: u8,
                /// Repeat count.
                repeat: u8,
                /// Destination.
                dst: RawOperand,
                /// Accumulator, weights.
                srcs: [RawOperand; 2],
                /// Activations.
                src2: &'a VectorOperand,
            },
            /// `shfl_idx4`: packed numbers of four bits, looked up in a table.
            ShflIdx4 {
                /// What is found.
                dst: RawOperand,
                /// The table.
                table: &'a VectorOperand,
                /// Packed numbers.
                indices: &'a VectorOperand,
            },
            /// `va`, `va_skl_plus`: operands in table order.
            Other(&'a [Operand]),

            /// `lifetime.start`, `lifetime.end`.
            Lifetime {
                /// Start or end.
                mark: LifetimeMark,
                /// The variable.
                var: LifetimeVar,
            },
            /// Source file of what follows.
            File(StrId),
            /// Source line of what follows.
            Loc(u32),
        }
    };
}
message_instructions!(with_structs);
