//! The hardware's rules on one physical instruction.
//!
//! [`check`] says which rules an instruction breaks. It is used on everything we emit in tests, and it
//! must stay silent on everything Intel's compilers emit; a report on their code is a fault of ours.
//! The rules come from the Programmer's Reference Manuals: volume 7 (Skylake: "3D Media GPGPU",
//! chapters "Register Region Restrictions" and "Accumulator Restrictions") and volume 2a (the pages of
//! the instructions). Each rule names its chapter.
//!
//! To add a rule:
//!
//! - write a check of one instruction, and call it in `every_rule` for the classes of opcodes that it is about. Where
//!   platforms differ, it asks a field of their row;
//! - give it a row in `rules.tsv`: what the platforms have or lack that have it, its source, an instruction that obeys it, one
//!   that breaks it. All other platforms have to be silent there;
//! - whatever it asks of an instruction has to be part of the shape that `seen` makes;
//! - if lowering or a pass can break it, write a rewriting for `RULES` of `finalizer::legalize`. If the rule is one of places,
//!   both ask the same function of [`places`]. What the rewriting asks has to be part of the shape that `legalize::shape`
//!   makes: builds with debug assertions ask the rules all the same, and stop where they disagree;
//! - run `tests/tests/rules_on_intel_code.rs`, which says whether Intel's compilers ever break it.

mod anywhere;
mod branches;
pub mod errata;
mod floats;
mod instruction;
pub mod mixing;
mod narrow_types;
mod opcodes;
mod operations;
pub mod places;
mod regions;
mod seen;
mod sends;
mod systolic;
mod two_registers;
mod types;
mod wide;

pub use anywhere::allows;
pub use instruction::Broken;
pub use narrow_types::{Narrow, NarrowSource, narrow_fits};
pub use seen::Seen;
pub use sends::stays_inside;

use platforms::Platform;

use crate::{Class, Inst, Physical};
use instruction::{Cx, Operand};

/// The rules that an instruction breaks on a platform; empty for a legal one. The thread has as many registers as the
/// platform can give it.
pub fn check(platform: Platform, inst: &Inst<Physical>) -> Vec<Broken> {
    check_in(platform, largest(platform), inst)
}

/// The same for a thread with so many general registers.
pub fn check_in(platform: Platform, grfs: u16, inst: &Inst<Physical>) -> Vec<Broken> {
    let mut broken = Vec::new();
    every_rule(platform, grfs, inst, Told::Broken, &mut |b, _| {
        if !broken.contains(&b) {
            broken.push(b);
        }
    });
    broken
}

/// Tells of each question that the rules ask about an instruction, perhaps several times: the rule, and whether it
/// holds. Some rules ask nothing of most instructions.
pub fn each(platform: Platform, inst: &Inst<Physical>, told: &mut dyn FnMut(&'static str, bool)) {
    every_rule(platform, largest(platform), inst, Told::All, &mut |b, holds| told(b.rule, holds));
}

/// Whether an instruction breaks no rule on a platform. Cheaper than [`check`]; of many instructions, [`Seen`] is asked.
pub fn is_legal(platform: Platform, inst: &Inst<Physical>) -> bool {
    let mut legal = true;
    every_rule(platform, largest(platform), inst, Told::Broken, &mut |_, _| legal = false);
    legal
}

/// Which rules are told of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Told {
    /// Those that are broken.
    Broken,
    /// Those that hold, too.
    All,
}

fn largest(platform: Platform) -> u16 {
    platform.caps().regs.largest_file().grfs
}

fn every_rule(
    platform: Platform,
    grfs: u16,
    inst: &Inst<Physical>,
    which: Told,
    told: &mut dyn FnMut(Broken, bool),
) {
    let mut cx = Cx { caps: platform.caps(), inst, grfs, all: which == Told::All, told };
    match inst.op.info().class {
        Class::Send => sends::check(&mut cx),
        Class::Basic if inst.op == crate::Op::Srnd => {
            regions::check(&mut cx);
            opcodes::check(&mut cx);
        }
        Class::Basic | Class::Math => {
            types::check(&mut cx);
            regions::check(&mut cx);
            floats::check(&mut cx);
            floats::check_bf16(&mut cx);
            wide::check(&mut cx);
            opcodes::check(&mut cx);
            operations::check(&mut cx);
            two_registers::check(&mut cx);
            narrow_types::check(&mut cx);
            errata::check(&mut cx);
        }
        Class::Ternary => {
            types::check(&mut cx);
            regions::check_ternary(&mut cx);
            floats::check_ternary(&mut cx);
            floats::check_bf16(&mut cx);
            opcodes::check(&mut cx);
            operations::check(&mut cx);
            two_registers::check(&mut cx);
            narrow_types::check(&mut cx);
            errata::check(&mut cx);
        }
        Class::Dpas => systolic::check(&mut cx),
        Class::Branch => branches::check(&mut cx),
        Class::Sync | Class::Nullary => {}
    }
    common(&mut cx);
}

/// Rules for every instruction.
fn common(cx: &mut Cx<'_>) {
    let (chan, lanes) = (u32::from(cx.inst.chan), cx.lanes());
    cx.require(chan + lanes <= 32, "channel-range", "channel offset plus execution size reach at most 32");
    if cx.caps.words.offset_by_size {
        cx.require(
            chan % lanes == 0,
            "channel-offset",
            "the channel offset is a multiple of the execution size",
        );
    }
    if !cx.caps.words.ternary_align16 {
        cx.require(!cx.inst.opts.has(crate::Options::ALIGN16), "align16", "the platform has no align16 mode");
    }
}

#[cfg(test)]
mod tests;
