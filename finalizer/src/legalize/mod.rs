//! Legalization: every instruction gets operands, types, regions and a size that the platform encodes.
//!
//! Comes in: what lowering made of vISA, with its sizes and types. Goes out: the same meaning in
//! instructions that obey the platform's capability row. [`RULES`] is the table of contents: each rule
//! looks at one instruction and either leaves it alone or emits what replaces it, which goes through
//! all the rules again. A rule makes progress (smaller slices, simpler types, operands in temporaries),
//! so this ends; a depth limit turns a mistake of ours into an error.
//!
//! ```text
//! the rules, in the order in which they are tried
//!   opcodes        operations that the platform lacks become others
//!   rounding       stochastic rounding, small floats
//!   int64          64-bit integers in 32 bits
//!   multiply       products of dwords and quadwords
//!   immediates     where they may stand, and their types
//!   modifiers      source modifiers where an instruction does not have them
//!   bytes          bytes where only words are
//!   mixing         half floats and bfloat16 beside single floats
//!   conversions    conversions of more than one step
//!   math           the math unit's types, sizes and operands
//!   ternary        instructions of three sources
//!   split          execution size: operands of at most two registers
//!   destination    destinations narrower than the execution type
//!   addresses      what an operation may not read or write through an address
//!   places         channels that have to lie where the destination's lie
//!   regions        the shape of regions
//!   narrow_types   words and bytes packed from elements farther apart
//!   errata         shapes that faults of the hardware forbid
//!   two_registers  the first register written must not be read for the second
//! what they work with
//!   legalizer      takes an instruction through the rules; temporaries, staged operands
//!   not_legal      why nothing stands for an operation
//!   shape          shapes of instructions that no rule changes
//!   operand        questions about operands
//!   slice          an instruction as slices of fewer channels
//!   qwords         which types have 64 bits, and their dwords
//!   wide           comparisons, choices and shifts of 64 bits, for `int64`
//!   negatives      quadwords that take 65 bits, for `int64`
//!   saturate       saturation of 64 bits, for `int64`
//! a pass of its own
//!   payloads       payloads of a message that must not meet
//! ```
//!
//! A rule that rewrites gives each instruction that stands for its own to `Legalizer::inst` and answers `Step::Replaced`;
//! `stage_source` and `stage_destination` put an operand into a temporary first.
//!
//! Where a new rule stands: behind the rules that make what it looks at simpler. Those that change operations and types come
//! first, then `split`, then those that look at the places of operands, which only have a meaning for the final size.
//!
//! Facts: Programmer's Reference Manual volume 7, "Register Region Restrictions", "Accumulator
//! Restrictions"; volume 2a, the pages of the instructions.

mod addresses;
mod bytes;
mod conversions;
mod destination;
mod errata;
mod immediates;
mod int64;
mod legalizer;
mod math;
mod mixing;
mod modifiers;
mod multiply;
mod narrow_types;
mod negatives;
mod not_legal;
mod opcodes;
mod operand;
pub(crate) mod payloads;
mod places;
mod qwords;
mod regions;
mod rounding;
mod saturate;
mod shape;
mod slice;
mod split;
mod ternary;
mod two_registers;
mod wide;

use gen_ir::{Kernel, Pool, Virtual};

pub use legalizer::LegalizeError;
pub use not_legal::NotLegal;
pub(crate) use qwords::dwords_at;
pub(crate) use slice::{overlaps, slice};
pub(crate) use ternary::ternary_region;

use crate::build::VInst;
use legalizer::{Legalizer, Rule};
use shape::Kept;

/// The rules in the order they are tried.
const RULES: &[Rule] = &[
    places::state,
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
    narrow_types::rule,
    errata::rule,
    two_registers::rule,
];

/// Rewrites a kernel so that each instruction has an encoding on its platform. `memory` is kept from one kernel to the next.
///
/// # Errors
///
/// The instructions that cannot be rewritten, all of them.
pub(crate) fn legalize(
    kernel: &mut Kernel<Virtual>,
    memory: &mut LegalizeMemory,
    pool: &mut Pool<Virtual>,
) -> Result<(), Vec<LegalizeError>> {
    let caps = kernel.platform.caps();
    memory.kept.of(kernel.platform).make_room(kernel.inst_count());
    let mut legalizer = Legalizer {
        rules: RULES,
        caps,
        kept: std::mem::take(&mut memory.kept),
        vars: std::mem::take(&mut kernel.vars),
        out: std::mem::take(&mut memory.out),
        errors: Vec::new(),
        depth: 0,
        aligned: false,
    };
    for block in &mut kernel.blocks {
        legalizer.out.clear();
        memory.replaced.clear();
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
                memory.replaced.push((i, legalizer.out.len()));
            }
        }
        if !memory.replaced.is_empty() {
            splice(&mut block.insts, &memory.replaced, &legalizer.out, pool);
        }
    }
    kernel.vars = legalizer.vars;
    memory.out = legalizer.out;
    memory.kept = legalizer.kept;
    if legalizer.errors.is_empty() { Ok(()) } else { Err(legalizer.errors) }
}

/// Memory for [`legalize`].
#[derive(Debug, Default)]
pub(crate) struct LegalizeMemory {
    /// What stands for instructions of a block that did not stay.
    out: Vec<VInst>,
    /// Such instructions: the place in the block, and where what stands for it ends in `out`.
    replaced: Vec<(usize, usize)>,
    kept: Kept,
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
