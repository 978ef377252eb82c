//! What both forms of three-source instructions ask and make of operands.

use gen_ir::{CondMod, Dst, Region, Src, Type};
use narrow::to_u8;

use crate::{
    build::{self, VInst, VSrc},
    legalize::{
        legalizer::{Legalizer, Step, lanes_of},
        split,
    },
};

pub(in crate::legalize) fn is_ternary_region(src: &VSrc) -> bool {
    matches!(src, Src::Direct { region, .. } if region.width == Region::ABSENT)
}

/// The condition moves to a comparison of the result with zero.
pub(in crate::legalize) fn separate_condition(lx: &mut Legalizer<'_>, inst: &VInst) -> Step {
    let (Some(CondMod { cond, flag }), Some(ty)) = (inst.cond, inst.dst.ty()) else { return Step::Keep };
    let reg = lx.aligned_temp(inst.exec.lanes() * ty.bytes());
    let mut op = *inst;
    op.cond = None;
    op.dst = Dst::packed(reg, ty);
    lx.helper(op, inst);
    let mut copy = build::mov(lanes_of(inst), inst.dst, Src::new(reg, build::strided(1, inst.exec), ty));
    copy.pred = inst.pred;
    copy.cond = Some(CondMod { cond, flag });
    lx.helper(copy, inst);
    Step::Replaced
}

/// Two registers at most for each operand, and as many channels as the form takes.
pub(in crate::legalize) fn spans_fit(lx: &Legalizer<'_>, inst: &VInst) -> bool {
    let bytes = |ty: Option<Type>| inst.exec.lanes() * ty.map_or(0, Type::bytes);
    let grf = lx.grf();
    (0..3).all(|i| split::source_fits(lx, inst, i))
        && bytes(inst.dst.ty()) <= 2 * grf
        && split::destination_fits(lx, inst)
        && inst.exec.lanes() <= split::most_lanes(lx, inst)
}

/// The region of an align16 or align1 ternary source with a stride.
pub(crate) fn shape(i: usize, stride: u32, unit: u8) -> Region {
    if i == 2 {
        return Region::ternary_last(to_u8(stride));
    }
    match stride {
        0 => Region::ternary(0, 0),
        1 => Region::ternary(if unit == 1 { 1 } else { unit }, if unit == 1 { 0 } else { 1 }),
        2 => Region::ternary(4, 2),
        _ => Region::ternary(8, 4),
    }
}

/// Through a temporary destination.
pub(in crate::legalize) fn through(lx: &mut Legalizer<'_>, inst: &VInst, reg: build::VReg, ty: Type) -> Step {
    let mut op = *inst;
    op.dst = Dst::packed(reg, ty);
    lx.helper(op, inst);
    copy_out(lx, inst, reg, ty)
}

/// The result goes from a temporary, where it lies packed, to its destination.
pub(super) fn copy_out(lx: &mut Legalizer<'_>, inst: &VInst, reg: build::VReg, ty: Type) -> Step {
    let mut copy = build::mov(lanes_of(inst), inst.dst, Src::new(reg, build::strided(1, inst.exec), ty));
    copy.pred = inst.pred;
    lx.helper(copy, inst);
    Step::Replaced
}
