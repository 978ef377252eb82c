//! Shapes of operands that faults of the hardware forbid.

use super::{
    legalizer::{Legalizer, Step, lanes_of},
    operand::Saturates,
};
use crate::build::{self, VInst, VReg};
use gen_ir::{
    Dst, Op, Src,
    rules::errata::{CHOSEN_WORDS, EVEN_WORDS, chooses_words, reads_under_predicate, reads_words_for_bytes},
};

pub(super) fn rule(lx: &mut Legalizer<'_>, inst: &VInst) -> Step {
    let Dst::Direct { reg, horz, ty } = inst.dst else { return Step::Keep };
    if reads_under_predicate(lx.caps, inst) {
        return without_predicate(lx, inst);
    }
    if chooses_words(lx.caps, inst) && !starts_at(lx, reg, CHOSEN_WORDS) {
        lx.stage_destination(inst, ty, horz.into(), Saturates::Operation);
        return Step::Replaced;
    }
    if ty.bytes() == 1 && lx.caps.errata.odd_words_to_bytes {
        return even_words(lx, inst);
    }
    Step::Keep
}

/// The second source of bytes that stand apart goes to an even place.
fn even_words(lx: &mut Legalizer<'_>, inst: &VInst) -> Step {
    // One channel is written at a stride, too.
    let mut spelled = *inst;
    lx.canonical(&mut spelled);
    let Src::Direct { reg, ty, .. } = inst.src[1] else { return Step::Keep };
    if !reads_words_for_bytes(lx.caps, &spelled) || starts_at(lx, reg, EVEN_WORDS) {
        return Step::Keep;
    }
    let mut new = *inst;
    lx.copy_source(&mut new, 1, ty);
    lx.inst(new);
    Step::Replaced
}

/// What is read through an address is read for all channels, and the predicate chooses behind.
fn without_predicate(lx: &mut Legalizer<'_>, inst: &VInst) -> Step {
    let mut new = *inst;
    if inst.op == Op::Sel {
        for i in 0..2 {
            if let (Src::Indirect { .. }, Some(ty)) = (inst.src[i], inst.src[i].ty()) {
                lx.copy_source(&mut new, i, ty);
            }
        }
        lx.inst(new);
        return Step::Replaced;
    }
    let Dst::Direct { horz, ty, .. } = inst.dst else { return Step::Keep };
    let bytes = inst.exec.lanes() * u32::from(horz) * ty.bytes();
    let to = lx.aligned_temp(bytes);
    new.dst = Dst::Direct { reg: to, horz, ty };
    new.pred = None;
    lx.helper(new, inst);
    let region = super::operand::linear_region(horz.into(), inst.exec.lanes());
    let from = Src::new(to, region.unwrap_or(gen_ir::Region::PACKED), ty);
    let mut copy = build::mov(lanes_of(inst), inst.dst, from);
    copy.pred = inst.pred;
    lx.helper(copy, inst);
    Step::Replaced
}

/// Whether an operand starts at such multiples; a variable that may, does from now on.
fn starts_at(lx: &mut Legalizer<'_>, reg: VReg, bytes: u32) -> bool {
    if lx.offset_modulo(reg, bytes).is_none() && reg.byte.is_multiple_of(bytes) {
        lx.raise_alignment(reg, bytes);
    }
    lx.offset_modulo(reg, bytes) == Some(0)
}
