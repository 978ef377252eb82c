//! Memory, sampler and raw messages.

use super::{KernelBuilder, Source};
use crate::{
    Access,
    ids::*,
    lsc::*,
    op::*,
    opcode::Opcode,
    operand::{RawOperand, VectorOperand},
    table::{message_instructions, struct_instructions},
    types::{AtomicOp, ChannelMask, Exec, ExecSize},
};

/// A scalar operand of a message.
fn scalar(source: impl Into<Source>) -> VectorOperand {
    source.into().operand(ExecSize::S1)
}

/// What a caller gives for a field of a view.
macro_rules! given {
    (RawOperand) => { impl Into<RawOperand> };
    (Scalar) => { impl Into<Source> };
    ([Scalar; $count:literal]) => { [Source; $count] };
    ((Option<$type:tt>)) => { Option<$type> };
    ($type:tt) => { $type };
}

/// The field made of what was given.
macro_rules! made {
    ($given:ident RawOperand) => {
        $given.into()
    };
    ($given:ident Scalar) => {
        &scalar($given)
    };
    ($given:ident [Scalar; $count:literal]) => {
        $given.map(scalar).each_ref()
    };
    ($given:ident $type:tt) => {
        $given
    };
}

/// Lanes that a caller gives, or a single one.
macro_rules! lanes {
    () => {
        Exec::SCALAR
    };
    ($exec:ident) => {
        $exec
    };
}

macro_rules! functions {
    ($(
        $(#[$doc:meta])*
        $view:ident $builder:ident($($exec:ident)? $(; $($lanes:tt)+)?) $text:ident
        $(says ($($told:ident: $told_type:ident $told_doc:literal),+))? [$opcode:ident $($opcodes:tt)+] on $has:tt
        { $($($slot:expr),+ $(=> ($($field:ident: $type:tt $field_doc:literal),*) $($code:ident)? $(unless $lacks:tt)? $(: $holds:expr)?)?;)* }
    )+) => {
        impl KernelBuilder {
            $(
                $(#[$doc])*
                #[doc = concat!("See [`Op::", stringify!($view), "`] for the fields.")]
                #[allow(clippy::too_many_arguments, reason = "the instruction has as many operands")]
                pub fn $builder(
                    &mut self,
                    $($exec: Exec,)?
                    $($($told: $told_type,)+)?
                    $($($($field: given!($type),)*)?)*
                ) {
                    let exec = lanes!($($exec)?);
                    self.op(Opcode::$opcode, exec, Op::$view { $($($told,)+)? $($($($field: made!($field $type),)*)?)* });
                }
            )+
        }
    };
}
message_instructions!(functions);

macro_rules! struct_functions {
    (
        structs { $(
            $(#[$doc:meta])*
            $view:ident $(<$life:lifetime>)? $builder:ident $(says ($($told:tt)+))? [$opcode:ident $($opcodes:tt)+] on $has:tt $fields:tt
        )+ }
        lsc { $(
            $(#[$lsc_doc:meta])*
            $lsc:ident $(<$lsc_life:lifetime>)? $lsc_builder:ident $lsc_opcode:ident($lsc_op:ident) [$($operation:ident),+] on $lsc_has:tt $lsc_fields:tt
        )+ }
    ) => {
        impl KernelBuilder {
            $(
                $(#[$doc])*
                pub fn $builder$(<$life>)?(&mut self, exec: Exec, view: $view$(<$life>)?) {
                    self.op(Opcode::$opcode, exec, Op::$view(view));
                }
            )+
            $(
                $(#[$lsc_doc])*
                pub fn $lsc_builder$(<$lsc_life>)?(&mut self, exec: Exec, view: $lsc$(<$lsc_life>)?) {
                    self.op(Opcode::$lsc_opcode, exec, Op::$lsc(view));
                }
            )+
        }
    };
}
struct_instructions!(struct_functions);

impl KernelBuilder {
    /// An LSC load of one datum a lane from a 64-bit address each, caches as the surface says.
    pub fn lsc_load(
        &mut self,
        exec: Exec,
        size: LscDataSize,
        elems: LscElems,
        addresses: impl Into<RawOperand>,
        data: impl Into<RawOperand>,
    ) {
        let flat = scalar(0u32);
        self.lsc(exec, Lsc { dst: data.into(), ..flat_access(LscOp::Load, size, elems, addresses, &flat) });
    }

    /// An LSC store of one datum a lane to a 64-bit address each, caches as the surface says.
    pub fn lsc_store(
        &mut self,
        exec: Exec,
        size: LscDataSize,
        elems: LscElems,
        addresses: impl Into<RawOperand>,
        data: impl Into<RawOperand>,
    ) {
        let flat = scalar(0u32);
        self.lsc(exec, Lsc { src1: data.into(), ..flat_access(LscOp::Store, size, elems, addresses, &flat) });
    }
}

fn flat_access(
    op: LscOp,
    size: LscDataSize,
    elems: LscElems,
    addresses: impl Into<RawOperand>,
    surface: &VectorOperand,
) -> Lsc<'_> {
    Lsc {
        op,
        sfid: LscSfid::Ugm,
        cache: [LscCache::Default; 2],
        addr_type: LscAddrType::Flat,
        addr_scale: 1,
        addr_offset: 0,
        addr_size: LscAddrSize::A64,
        shape: LscShape { size, order: LscOrder::NonTranspose, elems, channels: None },
        surface,
        surface_index: 0,
        dst: RawOperand::NULL,
        addr: addresses.into(),
        pitch: None,
        src1: RawOperand::NULL,
        src2: RawOperand::NULL,
    }
}
