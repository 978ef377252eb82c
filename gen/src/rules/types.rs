//! Which types a platform has, and how a destination follows the execution type.
//!
//! Volume 7, "General Restrictions Based on Operand Types"; volume 2a, `mov`.

use super::{
    Cx,
    places::{
        VECTOR_BYTES, converts_at_once, dword_of_half, half_of_float, starts_with, strides_with, vector_step,
    },
};
use crate::{Class, Dst, Op, Src, Type};

pub(super) fn check(cx: &mut Cx<'_>) {
    available(cx);
    bytes(cx);
    if cx.inst.op.info().class != Class::Ternary && !cx.align16() {
        immediate_vectors(cx);
        conversions(cx);
        destination(cx);
    }
}

/// The platform must have the operands' types.
fn available(cx: &mut Cx<'_>) {
    let inst = cx.inst;
    let types = || inst.src.iter().filter_map(Src::ty).chain(inst.dst.ty());
    let has = |ty: Type| types().any(|t| t == ty);
    if !cx.caps.ops.fp64 {
        cx.require(!has(Type::Df), "no-fp64", "the platform has no double type");
    }
    if !cx.caps.ops.int64 && !cx.caps.ops.mov64 {
        cx.require(!has(Type::Q) && !has(Type::Uq), "no-int64", "the platform has no 64-bit integer type");
    }
    if !cx.caps.ops.int64_logic && (inst.op.info().logic || matches!(inst.op, Op::Cmp | Op::Sel)) {
        let why = "the platform's logic, comparisons and choices have no 64-bit integer type";
        cx.require(!has(Type::Q) && !has(Type::Uq), "int64-logic", why);
    }
    if !cx.caps.ops.bf16 {
        cx.require(!has(Type::Bf), "no-bf16", "the platform has no bfloat16 type");
    }
}

/// From Gen11 on only source 0 reads bytes.
fn bytes(cx: &mut Cx<'_>) {
    if cx.caps.regions.byte_sources || matches!(cx.inst.op, Op::Dp4a | Op::Sad2 | Op::Sada2) {
        return;
    }
    let narrow = cx.inst.src.iter().skip(1).filter_map(Src::ty).any(|t| t.bytes() == 1);
    cx.require(!narrow, "byte-source", "sources 1 and 2 have no byte type");
}

/// "When an immediate vector is used", volume 7.
fn immediate_vectors(cx: &mut Cx<'_>) {
    let Some(step) = cx.inst.src.iter().filter(|s| s.is_imm()).filter_map(Src::ty).find_map(vector_step)
    else {
        return;
    };
    let Dst::Direct { reg, horz, ty } = cx.inst.dst else { return };
    cx.require(
        reg.byte.is_multiple_of(VECTOR_BYTES),
        "vector-alignment",
        "an immediate vector needs a 16-byte aligned destination",
    );
    // Element i of the vector lies in word i (`:vf`: dword i) of 16 bytes, from which channels read at the
    // destination's stride. The manual names the stride of one element, and we write no other. Intel's finalizer also makes `(2|M0)
    // <1>:ud ... 0x400:uv` of two dwords that add 0x40:uv: every other element counts then.
    let stride = u32::from(horz) * ty.bytes();
    let within = stride.is_multiple_of(step) && cx.lanes() * stride <= VECTOR_BYTES;
    cx.require(
        stride == step || within,
        "vector-stride",
        "the destination strides over the elements of an immediate vector, within its 16 bytes",
    );
}

/// Conversions that do not exist directly.
fn conversions(cx: &mut Cx<'_>) {
    let Some(dst) = cx.dst_type() else { return };
    let apart = |half: bool| {
        let steps = |from: Type| !converts_at_once(cx.inst, from) && half == [dst, from].contains(&Type::Hf);
        // The manual's sentence on bytes is one of moves, and Intel's finalizer writes `or q, q, ub` before Xe-HPC.
        (half || cx.inst.op == Op::Mov) && cx.src_types().any(steps)
    };
    let (bytes, halves) = (apart(false), apart(true));
    cx.require(!bytes, "byte-64", "there is no direct conversion between bytes and 64-bit types");
    cx.require(!halves, "half-64", "there is no direct conversion between half float and 64-bit types");
    if cx.lanes() == 1 {
        return;
    }
    let src_is = |cx: &Cx<'_>, ty: Type| cx.src_types().any(|t| t == ty);
    let int_src = cx.src_types().any(Type::is_int);
    let Some((stride, byte)) = cx.dst_layout() else { return };
    if (dst == Type::Hf && int_src) || (dst.is_int() && src_is(cx, Type::Hf)) {
        cx.require(
            dword_of_half(stride, dst, |n| byte.is_none_or(|b| b.is_multiple_of(n))),
            "half-integer",
            "a conversion between integer and half float writes whole dwords",
        );
    } else if dst == Type::Hf && src_is(cx, Type::F) {
        cx.require(
            half_of_float(cx.caps, stride, |n| byte.is_none_or(|b| b.is_multiple_of(n))),
            "half-float",
            "a conversion to half float writes every other word, or packed words from a 16-byte boundary",
        );
    }
}

/// A destination narrower than the execution type is strided to it and aligned to it.
fn destination(cx: &mut Cx<'_>) {
    let (Some(dst), Some(exec)) = (cx.dst_type(), cx.inst.exec_type()) else { return };
    let Some((stride, byte)) = cx.dst_layout() else { return };
    if cx.dst_is_null() || cx.converts_bf8() {
        return;
    }
    // One channel has no stride. (Intel's finalizer aligns its destination, too: `fixDstAlignment`.)
    let one = cx.lanes() == 1;
    if !one && dst.bytes() == 1 && stride == 1 {
        let raw = cx.inst.is_raw_move();
        cx.require(raw, "packed-byte", "only a raw mov writes packed bytes");
        return;
    }
    // One channel that becomes a half may be any word from Skylake on (Intel's `fixDstAlignment` lets it be, and its
    // compiler packs halves so).
    let half = cx.inst.op == Op::Mov && dst == Type::Hf && cx.caps.regions.mixed_half.packs();
    if cx.inst.is_mixed_float() && (!one || half) || exec.bytes() <= dst.bytes() {
        return;
    }
    if !(one || dst.bytes() == 1 && cx.inst.is_raw_move()) {
        cx.require(
            strides_with(dst, stride * dst.bytes(), exec.bytes()),
            "destination-stride",
            "the destination stride is the ratio of execution type to destination type",
        );
    }
    let Some(byte) = byte else { return };
    cx.require(
        starts_with(dst, byte % exec.bytes()),
        "destination-alignment",
        "the destination is aligned to the execution type",
    );
}
