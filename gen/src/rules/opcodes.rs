//! Rules of single opcodes: volume 2a, the pages of the instructions.

use super::{
    Cx,
    places::{factors_have_modifiers, only_count_is_long},
};
use crate::{Arf, Base, Dst, MathFn, Op, Payload, Physical, Src, Type};

pub(super) fn check(cx: &mut Cx<'_>) {
    let null = cx.inst.src.iter().any(|src| src.reg().is_some_and(|reg| reg.is_null()));
    cx.require(!null, "null-source", "no source is null");
    match cx.inst.op {
        Op::Cmp | Op::Cmpn => {
            cx.require(cx.inst.cond.is_some(), "cmp-condition", "a comparison has a condition");
        }
        Op::Sel => cx.require(
            cx.inst.cond.is_some() != cx.inst.pred.is_some(),
            "sel-choice",
            "sel has either a predicate or a condition",
        ),
        Op::Csel => compare_and_select(cx),
        Op::Mul => multiply(cx),
        Op::Shl | Op::Shr | Op::Asr => {
            cx.require(
                !only_count_is_long(cx.inst) || cx.caps.ops.shift_by_qword,
                "shift-count",
                "only a quadword is shifted by a quadword",
            );
        }
        Op::Math => divide(cx),
        Op::Srnd => round(cx),
        Op::Mov => convert(cx),
        op if op.info().logic => {
            let abs = cx.operands().any(|(_, o)| o.mods.abs());
            cx.require(!abs, "logic-abs", "a bitwise operation has no absolute value");
            let acc = cx.operands().any(|(_, o)| o.is_acc() && o.mods.any());
            cx.require(
                !acc,
                "logic-accumulator",
                "accumulator sources of bitwise operations have no modifier",
            );
        }
        Op::Add3 => {
            let odd = |t: Type| !t.is_int() || !matches!(t.bytes(), 2 | 4);
            let types = cx.inst.types().any(odd);
            cx.require(!types, "add3-type", "add3 works on words and dwords");
            let wide = cx.inst.src.iter().any(|s| s.is_imm() && s.ty().is_some_and(|t| t.bytes() != 2));
            cx.require(!wide, "add3-immediate", "an immediate of add3 is a word");
        }
        Op::Dp4a => {
            let both = cx.operands().filter(|(i, o)| *i < 2 && o.is_acc()).count() == 2;
            cx.require(!both, "dp4a-accumulator", "at most one of sources 0 and 1 of dp4a is an accumulator");
        }
        Op::Line | Op::Pln => {
            let scalar = cx.operands().next().is_some_and(|(_, o)| o.region.vert == 0);
            cx.require(scalar, "plane-source", "plane coefficients are replicated");
            let modified = cx.inst.op == Op::Pln && cx.operands().any(|(_, o)| o.mods.any());
            cx.require(!modified, "plane-modifier", "the sources of pln have no modifiers");
        }
        _ => {}
    }
    if cx.caps.words.ternary_align16 && matches!(cx.inst.op, Op::Bfe | Op::Bfi2) {
        let types = cx.src_types().all(Type::is_dword);
        cx.require(types, "bitfield-type", "bit field operations work on dwords");
    }
}

/// `csel` compares its third source with zero: the condition is what it chooses by, and flags are neither read nor written.
/// (Mesa asks for a condition, too; Intel's finalizer writes instructions without one on Xe-HPC, to fill time.)
fn compare_and_select(cx: &mut Cx<'_>) {
    cx.require(cx.inst.pred.is_none(), "csel-predicate", "csel has no predicate");
    let Some(dst) = cx.dst_type() else { return };
    let alike = cx.src_types().all(|ty| ty.is_float() == dst.is_float() && ty.bytes() == dst.bytes());
    cx.require(
        alike && (2..=4).contains(&dst.bytes()),
        "csel-type",
        "csel has operands of one type of 16 or 32 bits",
    );
}

fn multiply(cx: &mut Cx<'_>) {
    let ty = |i: usize| cx.inst.src[i].ty();
    let int = |i: usize, bytes: u32| ty(i).is_some_and(|t| t.is_int() && t.bytes() == bytes);
    let narrow = |i: usize| ty(i).is_some_and(|t| t.is_int() && t.bytes() < 4);
    let dword_second = narrow(0) && int(1, 4);
    cx.require(!dword_second, "mul-order", "the dword of a mixed multiplication is source 0");
    let long = cx.dst_type().is_some_and(|t| t.is_int() && t.bytes() == 8);
    cx.require(!(long && narrow(0) && !int(1, 8)), "mul-qword", "a product of words is a dword at most");
    let acc = cx.operands().any(|(_, o)| o.is_acc() && o.ty.is_int());
    cx.require(!acc, "mul-accumulator", "integer factors are not accumulators");
    let both = cx.operands().filter(|(_, o)| o.is_acc()).count() == 2;
    cx.require(!both, "mul-accumulators", "at most one factor is an accumulator");
    let to_acc =
        matches!(cx.inst.dst, Dst::Direct { reg, .. } if matches!(reg.base(), Base::Arf(Arf::Acc(_))));
    cx.require(
        !(int(0, 4) && int(1, 4) && to_acc) || cx.caps.ops.mul_dword_to_acc,
        "mul-dword-accumulator",
        "a product of dwords does not go to an accumulator",
    );
    let dword = int(0, 4) || int(1, 4);
    let low = cx.dst_type().is_some_and(|t| t.is_int() && matches!(t.bytes(), 2 | 4));
    let tested = cx.inst.sat || cx.inst.cond.is_some();
    cx.require(
        !(dword && low && tested),
        "mul-flags",
        "a dword multiplication has neither saturation nor condition",
    );
    let modified = |s: &&Src<Physical>| s.mods().any();
    let mut types = cx.inst.src.iter().filter(modified).filter_map(Src::ty);
    let fits = types.all(|ty| ty.is_float() || factors_have_modifiers(cx.caps, cx.inst, ty));
    cx.require(fits, "mul-modifier", "the factors of a product with a dword have no modifiers");
}

/// Stochastic rounding: Intel's finalizer, `fixSrnd`, which writes no other.
fn round(cx: &mut Cx<'_>) {
    let (to, from) = (cx.dst_type(), cx.inst.src[0].ty());
    let known = matches!((from, to), (Some(Type::F), Some(Type::Hf)) | (Some(Type::Hf), Some(Type::Bf8)));
    cx.require(known, "srnd-types", "srnd is from :f to :hf and from :hf to :bf8");
    cx.require(
        cx.inst.src[1].ty() == from,
        "srnd-random",
        "the random bits of srnd have the type of its value",
    );
    let packed = packed_from_start(cx) && cx.operands().count() == 2;
    cx.require(
        packed,
        "srnd-place",
        "srnd has packed results and operands in registers, from their start on",
    );
    let one = to == Some(Type::Bf8) && cx.lanes() == 1;
    cx.require(!one, "srnd-one", "srnd to :bf8 has two channels or more");
}

/// Conversions to and from 8-bit floats: Intel's finalizer, `fixFcvt`, which writes no other.
fn convert(cx: &mut Cx<'_>) {
    if !cx.converts_bf8() {
        return;
    }
    let halves = [cx.dst_type(), cx.inst.src[0].ty()].contains(&Some(Type::Hf));
    cx.require(halves, "bf8-types", "8-bit floats are converted from :hf and to :hf");
    let packed = packed_from_start(cx) && cx.operands().count() == 1;
    cx.require(packed, "bf8-place", "conversions of 8-bit floats are packed, from a register's start on");
    cx.require(cx.lanes() != 1, "bf8-one", "a conversion of 8-bit floats has two channels or more");
}

/// Whether the destination is packed and all operands begin with a register.
fn packed_from_start(cx: &Cx<'_>) -> bool {
    let start = |at: Option<u32>| at.is_some_and(|byte| byte % cx.grf() == 0);
    matches!(cx.inst.dst, Dst::Direct { reg, horz: 1, .. } if start(Some(reg.byte)))
        && cx.operands().all(|(_, o)| start(o.at.map(|(_, byte)| byte)))
}

fn divide(cx: &mut Cx<'_>) {
    let Payload::Math(function) = cx.inst.payload else { return };
    let direct = !matches!(cx.inst.dst, Dst::Indirect { .. }) && !cx.inst.reads_through_address();
    cx.require(direct, "math-indirect", "a math function has no operands behind addresses");
    if matches!(function, MathFn::Idivmod | MathFn::Iqot | MathFn::Irem) {
        let modified = cx.operands().any(|(_, o)| o.mods.any());
        cx.require(!modified, "idiv-modifier", "integer division has no source modifiers");
        let alike = cx.inst.src[0].ty() == cx.inst.src[1].ty();
        cx.require(alike, "idiv-types", "integers of one type are divided");
        cx.require(cx.caps.ops.int_div, "idiv-missing", "the platform has no integer division");
    }
}
