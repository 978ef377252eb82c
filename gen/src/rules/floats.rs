//! Mixed half and single float.
//!
//! Volume 7, "Special Restrictions for Handling Mixed Mode Float Operations".

use super::{Cx, places::mixed_lanes};
use crate::{Op, Type};

pub(super) fn check(cx: &mut Cx<'_>) {
    let (Some(dst), true) = (cx.dst_type(), cx.inst.is_mixed_float()) else { return };
    if cx.align16() {
        return;
    }
    let lanes = cx.lanes();
    let indirect = cx.operands().any(|(_, o)| o.is_indirect());
    cx.require(!indirect, "mixed-indirect", "mixed float has no indirect sources");
    let fits = mixed_lanes(cx.caps, cx.inst).is_none_or(|most| lanes <= most);
    if dst == Type::F {
        cx.require(
            fits,
            "mixed-simd",
            "mixed float with a single float destination has at most a register of floats",
        );
    }
    let Some((stride, byte)) = cx.dst_layout() else { return };
    if dst == Type::Hf && stride == 1 && lanes > 1 {
        cx.require(
            byte.is_none_or(|b| b.is_multiple_of(16)),
            "mixed-packed",
            "packed half float output is 16-byte aligned",
        );
        cx.require(
            fits,
            "mixed-packed-simd",
            "packed half float output has at most as many channels as a register has floats",
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
