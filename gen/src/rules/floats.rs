//! Half or bfloat16 beside single float.
//!
//! Volume 7, "Special Restrictions for Handling Mixed Mode Float Operations".

use super::{
    Cx,
    mixing::{bf16_place, is_arithmetic, is_broadcast, narrow_result, narrow_source},
    places::mixed_lanes,
};
use crate::{Direction, Dst, Op, Src, Type};

pub(super) fn check(cx: &mut Cx<'_>) {
    let (Some(dst), true) = (cx.dst_type(), cx.inst.is_mixed_float()) else { return };
    operands(cx);
    let lanes = cx.lanes();
    if cx.align16() {
        cx.require(lanes <= 8, "mixed-align16", "mixed float has at most eight channels in align16 mode");
        let acc = cx.operands().any(|(_, o)| o.is_acc());
        cx.require(!acc, "mixed-align16-accumulator", "mixed float reads no accumulator in align16 mode");
        return;
    }
    let indirect = cx.operands().any(|(_, o)| o.is_indirect());
    // On Xe-HPC halves mix in no other way than a conversion does, and Intel's compiler reads one behind an address.
    let mixes = cx.caps.regions.mixed_half.packs();
    cx.require(!(indirect && mixes), "mixed-indirect", "mixed float has no indirect sources");
    channels(cx, dst);
    let Some((stride, byte)) = cx.dst_layout() else { return };
    if dst == Type::Hf && stride == 1 && lanes > 1 {
        cx.require(
            byte.is_none_or(|b| b.is_multiple_of(16)),
            "mixed-packed",
            "packed half float output is 16-byte aligned",
        );
        let misaligned =
            cx.operands().any(|(_, o)| o.is_acc() && o.ty.is_float() && o.at.is_some_and(|(_, b)| b != 0));
        cx.require(
            !misaligned,
            "mixed-accumulator",
            "accumulator sources of packed half float output are aligned",
        );
    }
    if cx.inst.op == Op::Math {
        let packed = cx.operands().any(|(_, o)| o.ty == Type::Hf && !o.is_scalar() && o.stride() <= 2);
        cx.require(!packed || lanes == 1, "mixed-math", "half float sources of mixed math are strided");
    }
    let accumulates =
        matches!(cx.inst.op, Op::Mac | Op::Mach | Op::Sada2) || cx.operands().any(|(_, o)| o.is_acc());
    if dst == Type::Hf && accumulates {
        cx.require(
            stride == 2,
            "mixed-accumulator-stride",
            "half float results of accumulators have stride 2",
        );
    }
}

/// Three sources, where mixing is as in other arithmetic. In the align16 form operands are packed.
pub(super) fn check_ternary(cx: &mut Cx<'_>) {
    let (Some(dst), true) = (cx.dst_type(), cx.inst.is_mixed_float()) else { return };
    operands(cx);
    channels(cx, dst);
    if !cx.align16() || cx.lanes() == 1 {
        return;
    }
    let packed = (0..3).filter(|&i| cx.inst.src[i].ty() == Some(Type::Hf) && !is_broadcast(cx.inst, i));
    let sources = packed.filter_map(|i| cx.inst.src[i].reg());
    let result = cx.inst.dst.reg().filter(|_| dst == Type::Hf);
    let placed = sources.chain(result).all(|reg| reg.byte.is_multiple_of(16));
    cx.require(
        placed,
        "mixed-oword",
        "packed halves of the align16 form begin at 16 bytes and stay within them",
    );
}

/// Which operands of arithmetic are narrow.
fn operands(cx: &mut Cx<'_>) {
    // Of bfloat16 where there is none `no-bf16` says enough.
    let unknown = !cx.caps.ops.bf16 && cx.inst.types().any(|ty| ty == Type::Bf);
    if unknown || !is_arithmetic(cx.inst) {
        return;
    }
    let sources = (0..3).all(|i| narrow_source(cx.caps, cx.inst, i));
    cx.require(
        sources,
        "mixed-source",
        "arithmetic on single floats has narrow ones where the platform mixes them, from Xe on not as last factor",
    );
    // A comparison writes flags; the type of its `null` says what it computes in.
    let result = cx.dst_is_null() || narrow_result(cx.caps, cx.inst);
    cx.require(
        result,
        "mixed-result",
        "arithmetic on single floats gives narrow ones where the platform mixes them, but for selections",
    );
}

/// At most a register of single floats.
fn channels(cx: &mut Cx<'_>, dst: Type) {
    let fits = mixed_lanes(cx.caps, cx.inst).is_none_or(|most| cx.lanes() <= most);
    if dst == Type::F {
        cx.require(
            fits,
            "mixed-simd",
            "mixed float with a single float destination has at most a register of floats",
        );
        return;
    }
    let Some((stride, _)) = cx.dst_layout() else { return };
    if stride == 1 && cx.lanes() > 1 {
        cx.require(
            fits,
            "mixed-packed-simd",
            "packed half float output has at most as many channels as a register has floats",
        );
    }
}

/// bfloat16 beside single float.
pub(super) fn check_bf16(cx: &mut Cx<'_>) {
    // The result of a comparison does not count.
    let compares = matches!(cx.inst.op, Op::Cmp | Op::Cmpn);
    let written = if cx.dst_is_null() || compares { None } else { cx.dst_type() };
    let has = |ty| cx.inst.src.iter().filter_map(Src::ty).chain(written).any(|t| t == ty);
    if !cx.caps.ops.bf16 || !has(Type::Bf) {
        return;
    }
    let computes = is_arithmetic(cx.inst);
    if cx.inst.op == Op::Mov {
        let from = cx.inst.src[0].ty() == Some(Type::Bf);
        cx.require(!from, "bf16-move", "bfloat16 becomes single float by a shift, and is copied as a word");
    } else if computes {
        cx.require(
            has(Type::F),
            "bf16-alone",
            "arithmetic on bfloat16 has a single float among its operands",
        );
    } else {
        return;
    }
    let lanes = cx.lanes();
    let fits = mixed_lanes(cx.caps, cx.inst).is_none_or(|most| lanes <= most);
    cx.require(fits, "bf16-simd", "operations on bfloat16 have at most a register of single floats");
    if lanes == 1 {
        return;
    }
    let sources = (0..3).all(|i| match cx.inst.src[i] {
        Src::Direct { ty: Type::F, .. } if is_broadcast(cx.inst, i) => true,
        Src::Direct { reg, region, ty, .. } => {
            let stride = region.ternary_stride().or_else(|| region.stride(lanes));
            stride.is_some_and(|s| bf16_place(cx.caps, ty, Direction::Read, s, Some(reg.byte)))
        }
        _ => true,
    });
    let result = match cx.inst.dst {
        Dst::Direct { reg, horz, ty } if !reg.is_null() => {
            bf16_place(cx.caps, ty, Direction::Write, horz.into(), Some(reg.byte))
        }
        _ => true,
    };
    cx.require(
        sources && result,
        "bf16-place",
        "beside bfloat16 single floats are packed from a register's beginning on, bfloat16 also from its middle",
    );
}
