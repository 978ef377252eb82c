//! Legalization: every instruction gets operands, types, regions and a size that the platform encodes.
//!
//! Comes in: what lowering made of vISA, with its sizes and types. Goes out: the same meaning in
//! instructions that obey the platform's capability row. [`RULES`] is the table of contents: each rule
//! looks at one instruction and either leaves it alone or emits what replaces it, which goes through
//! all the rules again. A rule makes progress (smaller slices, simpler types, operands in temporaries),
//! so this ends; a depth limit turns a mistake of ours into an error.
//!
//! Facts: Programmer's Reference Manual volume 7, "Register Region Restrictions", "Accumulator
//! Restrictions"; volume 2a, the pages of the instructions.

mod addresses;
mod bytes;
mod conversions;
mod destination;
mod halves;
mod immediates;
mod int64;
mod legalizer;
mod math;
mod mixing;
mod modifiers;
mod multiply;
mod narrow;
mod negatives;
mod opcodes;
mod operand;
pub(crate) mod payloads;
mod places;
mod qwords;
mod regions;
mod rounding;
mod saturate;
mod seen;
mod slice;
mod split;
mod ternary;
mod wide;

use gen_ir::{Kernel, Pool, Virtual};

pub use legalizer::LegalizeError;
pub(crate) use qwords::half;
pub(crate) use slice::{overlaps, slice};
pub(crate) use ternary::ternary_region;

use crate::build::VInst;
use legalizer::{Legalizer, Rule};
use seen::Seen;

/// The rules in the order they are tried.
const RULES: &[Rule] = &[
    opcodes::rule,
    rounding::rule,
    int64::rule,
    multiply::rule,
    immediates::rule,
    modifiers::rule,
    bytes::rule,
    mixing::rule,
    conversions::rule,
    math::rule,
    ternary::rule,
    split::rule,
    destination::rule,
    addresses::rule,
    places::rule,
    regions::rule,
    narrow::rule,
    halves::rule,
];

/// Rewrites a kernel so that each instruction has an encoding on its platform.
///
/// # Errors
///
/// The instructions that cannot be rewritten, all of them.
///
/// `scratch` is memory to work in.
pub(crate) fn legalize(
    kernel: &mut Kernel<Virtual>,
    scratch: &mut LegalizeMemory,
    pool: &mut Pool<Virtual>,
) -> Result<(), Vec<LegalizeError>> {
    let caps = kernel.platform.caps();
    scratch.seen.start(kernel.platform);
    let mut legalizer = Legalizer {
        rules: RULES,
        caps,
        seen: std::mem::take(&mut scratch.seen),
        vars: std::mem::take(&mut kernel.vars),
        out: std::mem::take(&mut scratch.out),
        errors: Vec::new(),
        depth: 0,
        aligned: false,
    };
    for block in &mut kernel.blocks {
        legalizer.out.clear();
        scratch.replaced.clear();
        for (i, inst) in block.insts.iter_mut().enumerate() {
            let first = legalizer.out.len();
            if legalizer.settle(inst) {
                continue;
            }
            if legalizer.out.len() == first + 1
                && let Some(only) = legalizer.out.pop()
            {
                *inst = only;
            } else {
                scratch.replaced.push((i, legalizer.out.len()));
            }
        }
        if !scratch.replaced.is_empty() {
            splice(&mut block.insts, &scratch.replaced, &legalizer.out, pool);
        }
    }
    kernel.vars = legalizer.vars;
    scratch.out = legalizer.out;
    scratch.seen = legalizer.seen;
    if legalizer.errors.is_empty() { Ok(()) } else { Err(legalizer.errors) }
}

/// Memory for [`legalize`].
#[derive(Debug, Default)]
pub(crate) struct LegalizeMemory {
    /// What stands for instructions of a block that did not stay.
    out: Vec<VInst>,
    /// Such instructions: the place in the block, and where what stands for it ends in `out`.
    replaced: Vec<(usize, usize)>,
    seen: Seen,
}

/// Puts what stands for instructions in their places.
fn splice(insts: &mut Vec<VInst>, replaced: &[(usize, usize)], instead: &[VInst], pool: &mut Pool<Virtual>) {
    let mut whole = pool.list(insts.len() - replaced.len() + instead.len());
    let (mut from, mut first) = (0, 0);
    for &(at, end) in replaced {
        whole.extend_from_slice(&insts[from..at]);
        whole.extend_from_slice(&instead[first..end]);
        (from, first) = (at + 1, end);
    }
    whole.extend_from_slice(&insts[from..]);
    pool.keep(std::mem::replace(insts, whole));
}
