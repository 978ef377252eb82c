//! Shapes of operands that faults of the hardware forbid.

use gen_ir::{
    Dst, Src,
    rules::errata::{CHOSEN_WORDS, EVEN_WORDS, chooses_words, reads_under_predicate, reads_words_for_bytes},
};

use super::{
    legalizer::{Legalizer, Step},
    operand::Saturates,
};
use crate::build::VInst;

pub(super) fn rule(lx: &mut Legalizer<'_>, inst: &VInst) -> Step {
    let Dst::Direct { reg, horz, ty } = inst.dst else { return Step::Keep };
    if reads_under_predicate(lx.caps, inst) {
        return without_addresses(lx, inst);
    }
    if chooses_words(lx.caps, inst) && !lx.starts_at(reg, CHOSEN_WORDS) {
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
    if !reads_words_for_bytes(lx.caps, &spelled) || lx.starts_at(reg, EVEN_WORDS) {
        return Step::Keep;
    }
    let mut new = *inst;
    lx.copy_source(&mut new, 1, ty);
    lx.inst(new);
    Step::Replaced
}

/// What is read through an address is read for all channels first. (The operation keeps its predicate: by that it may write a
/// flag, too.)
fn without_addresses(lx: &mut Legalizer<'_>, inst: &VInst) -> Step {
    let mut new = *inst;
    for i in 0..3 {
        if let Src::Indirect { ty, .. } = inst.src[i] {
            lx.copy_source(&mut new, i, ty);
        }
    }
    lx.inst(new);
    Step::Replaced
}
