//! Shapes of operands that faults of the hardware forbid ([`platforms::Errata`]).

use platforms::Caps;

use super::Cx;
use crate::{Dst, Inst, Op, PredCtrl, Space, Src, Type};

/// Bytes at which words begin that a `sel` of dwords may write.
pub const CHOSEN_WORDS: u32 = 8;
/// Bytes at which words begin that may be the second source of bytes.
pub const EVEN_WORDS: u32 = 4;

/// Whether an instruction reads through an address under a predicate, and what it read may count as read for other channels, too.
pub fn reads_under_predicate<S: Space>(caps: &Caps, inst: &Inst<S>) -> bool {
    let writes = inst.dst.reg().is_some_and(|r| !r.is_null());
    // One for all channels leaves none out.
    let chooses = inst.pred.is_some_and(|p| p.ctrl == PredCtrl::Seq);
    caps.errata.suppressed_addresses && chooses && writes && inst.reads_through_address()
}

/// Whether an instruction is a `sel` of dwords that gives words: these begin at [`CHOSEN_WORDS`].
pub fn chooses_words<S: Space>(caps: &Caps, inst: &Inst<S>) -> bool {
    let is_word = inst.dst.ty().is_some_and(Type::is_word) && inst.dst.reg().is_some_and(|r| !r.is_null());
    caps.errata.odd_words_of_sel
        && inst.op == Op::Sel
        && is_word
        && inst.exec_type().is_some_and(Type::is_dword)
}

/// Whether the second source of an instruction are words, and its results bytes that stand apart: the words begin at
/// [`EVEN_WORDS`].
pub fn reads_words_for_bytes<S: Space>(caps: &Caps, inst: &Inst<S>) -> bool {
    let apart = matches!(inst.dst, Dst::Direct { horz: 3.., ty, .. } if ty.bytes() == 1);
    let words = matches!(inst.src[1], Src::Direct { ty, .. } if ty.is_word());
    caps.errata.odd_words_to_bytes && apart && words
}

pub(super) fn check(cx: &mut Cx<'_>) {
    let (caps, inst) = (cx.caps, cx.inst);
    // (Where threads run in pairs, what ignores the mask gets a predicate last of all, in Intel's code, too.)
    if caps.errata.suppressed_addresses {
        cx.require(
            inst.no_mask || !reads_under_predicate(caps, inst),
            "predicated-read",
            "what writes registers of some channels under a predicate reads none through an address",
        );
    }
    let starts_at = |byte: Option<u32>, unit: u32| byte.is_some_and(|b| b.is_multiple_of(unit));
    if chooses_words(caps, inst) {
        let begins = starts_at(inst.dst.reg().map(|r| r.byte), CHOSEN_WORDS);
        cx.require(begins, "sel-words", "words that a `sel` of dwords gives begin at even dwords");
    }
    if reads_words_for_bytes(caps, inst) {
        let begins = starts_at(inst.src[1].reg().map(|r| r.byte), EVEN_WORDS);
        cx.require(
            begins,
            "byte-words",
            "the second source of bytes that stand apart are words from an even place on",
        );
    }
}
