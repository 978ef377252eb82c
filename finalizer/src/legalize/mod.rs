//! Legalization: every instruction gets operands, types, regions and a size that the platform encodes.
//!
//! Comes in: what lowering made of vISA, with its sizes and types. Goes out: the same meaning in
//! instructions that obey the platform's capability row. [`RULES`] is the table of contents: each rule
//! looks at one instruction and either leaves it alone or emits what replaces it, which goes through
//! all the rules again. A rule makes progress (smaller pieces, simpler types, operands in temporaries),
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
mod math;
mod modifiers;
mod multiply;
mod narrow;
mod opcodes;
mod operand;
mod places;
mod regions;
pub(crate) mod responses;
mod rounding;
mod saturate;
mod seen;
mod slice;
mod split;
mod ternary;
mod wide;

use std::fmt;

use gen_ir::{Class, Cond, CondMod, Dst, Kernel, Op, Pool, Src, Type, Var, VarClass, VarId, Virtual};
use platforms::Caps;

pub(crate) use slice::{overlaps, piece};

use crate::build::{self, Lanes, VInst, VReg};
use seen::{Seen, Spelling};

/// An instruction that has no encoding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LegalizeError {
    /// Index of the vISA instruction it came from.
    pub origin: u32,
    /// The instruction.
    pub inst: String,
    /// Why.
    pub reason: &'static str,
}

impl fmt::Display for LegalizeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "instruction {}: `{}`: {}", self.origin, self.inst, self.reason)
    }
}

impl std::error::Error for LegalizeError {}

/// What a rule did.
enum Step {
    /// Nothing: the rule does not apply.
    Keep,
    /// Emitted what stands for the instruction.
    Replaced,
    /// There is nothing to stand for it.
    Refuse(&'static str),
}

/// A rule: looks at an instruction, perhaps replaces it.
type Rule = fn(&mut Legalizer<'_>, &VInst) -> Step;

/// The rules in the order they are tried.
const RULES: &[Rule] = &[
    opcodes::rule,
    rounding::rule,
    int64::rule,
    multiply::rule,
    immediates::rule,
    modifiers::rule,
    bytes::rule,
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
    scratch: &mut Scratch,
    pool: &mut Pool<Virtual>,
) -> Result<(), Vec<LegalizeError>> {
    let caps = kernel.platform.caps();
    scratch.seen.start(kernel.platform);
    let mut legalizer = Legalizer {
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
pub(crate) struct Scratch {
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

/// Deeper rewriting than this is a mistake of ours.
const MAX_DEPTH: u32 = 24;

struct Legalizer<'a> {
    caps: &'a Caps,
    seen: Seen,
    vars: Vec<Var>,
    out: Vec<VInst>,
    errors: Vec<LegalizeError>,
    depth: u32,
    /// A rule has aligned a variable further.
    aligned: bool,
}

impl Legalizer<'_> {
    /// Legalizes one instruction.
    fn inst(&mut self, mut inst: VInst) {
        if self.settle(&mut inst) {
            self.out.push(inst);
        }
    }

    /// Legalizes one instruction where it is. Returns `false` if it cannot be: then what stands for it has
    /// been appended, or the error.
    fn settle(&mut self, inst: &mut VInst) -> bool {
        crate::identities::simplify(inst);
        multiply::narrow(inst);
        // Lowering has already brought macros into their one form.
        let is_macro = matches!(inst.dst, Dst::Macro { .. });
        let operates = matches!(inst.op.info().class, Class::Basic | Class::Math | Class::Ternary);
        if !operates || inst.op == Op::Wait || is_macro {
            return true;
        }
        if self.depth >= MAX_DEPTH {
            self.refuse(inst, "it cannot be rewritten into legal instructions");
            return false;
        }
        let shape = seen::shape(self, inst);
        if let Some(spelling) = shape.as_ref().and_then(|s| self.seen.spelling(s)) {
            if cfg!(debug_assertions) {
                self.assert_kept(inst, spelling);
            }
            spelling.give(inst);
            return true;
        }
        self.depth += 1;
        self.aligned = false;
        let step = RULES.iter().map(|rule| rule(self, inst)).find(|step| !matches!(step, Step::Keep));
        self.depth -= 1;
        match step {
            None | Some(Step::Keep) => {
                self.canonical(inst);
                // A rule that changes what is known of a variable has to be asked again.
                if let Some(shape) = shape
                    && !self.aligned
                {
                    self.seen.add(shape, Spelling::of(inst));
                }
                true
            }
            Some(Step::Replaced) => false,
            Some(Step::Refuse(reason)) => {
                self.refuse(inst, reason);
                false
            }
        }
    }

    /// Asks all rules about an instruction that they leave alone, and how it is spelled.
    fn assert_kept(&mut self, inst: &VInst, spelling: Spelling) {
        let shape = seen::shape(self, inst);
        let kept = RULES.iter().all(|rule| matches!(rule(self, inst), Step::Keep));
        assert!(kept, "a rule rewrites what was to be kept: {inst}");
        assert_eq!(seen::shape(self, inst), shape, "a rule changes a variable of it");
        let (mut given, mut asked) = (*inst, *inst);
        spelling.give(&mut given);
        self.canonical(&mut asked);
        assert_eq!(given, asked, "it is spelled otherwise");
    }

    fn refuse(&mut self, inst: &VInst, reason: &'static str) {
        self.errors.push(LegalizeError { origin: inst.origin, inst: inst.to_string(), reason });
    }

    fn grf(&self) -> u32 {
        u32::from(self.caps.regs.grf_bytes)
    }

    fn add_var(&mut self, var: Var) -> VarId {
        let id = VarId(u32::try_from(self.vars.len()).expect("more variables than an index holds"));
        self.vars.push(var);
        id
    }

    /// A general temporary: register aligned, or aligned to itself where it is smaller than 16 bytes.
    fn temp(&mut self, bytes: u32) -> VReg {
        let align = if bytes <= 16 { bytes.next_power_of_two() } else { self.grf() };
        VReg::var_at(self.add_var(build::general(bytes, align)), 0)
    }

    /// A register-aligned temporary.
    fn aligned_temp(&mut self, bytes: u32) -> VReg {
        let grf = self.grf();
        VReg::var_at(self.add_var(build::general(bytes, grf)), 0)
    }

    /// Appends a legal instruction as it is.
    fn push_raw(&mut self, mut inst: VInst) {
        self.canonical(&mut inst);
        self.out.push(inst);
    }

    /// A helper instruction of `inst`: same place in the program, legalized too.
    fn helper(&mut self, mut helper: VInst, of: &VInst) {
        helper.origin = of.origin;
        self.inst(helper);
    }

    /// Whether a piece of `step` channels would overwrite what a later piece still reads, through an
    /// address perhaps.
    fn overlaps(&self, inst: &VInst, step: u32) -> bool {
        let addressed = |v: VarId| self.vars[v.index()].address_taken;
        let reached = inst.dst.reg().and_then(|r| r.var()).is_some_and(addressed);
        let through_address = inst.src.iter().any(|s| matches!(s, Src::Indirect { .. }));
        let read = |s: &build::VSrc| s.reg().and_then(|r| r.var()).is_some_and(addressed);
        let anywhere = matches!(inst.dst, Dst::Indirect { .. });
        reached && through_address || anywhere && inst.src.iter().any(read) || overlaps(inst, step)
    }

    /// The instruction with a predicate over all its channels made one of each channel.
    fn spread_predicate(&mut self, inst: &VInst) -> VInst {
        let lanes = Lanes { no_mask: true, ..lanes_of(inst) };
        let packed = build::strided(1, inst.exec);
        let ones = self.aligned_temp(inst.exec.lanes() * 2);
        let to = Dst::packed(ones, Type::Uw);
        self.helper(build::mov(lanes, to, Src::uw(0)), inst);
        let mut set = build::mov(lanes, to, Src::uw(1));
        set.pred = inst.pred;
        self.helper(set, inst);
        let flag = self.add_var(build::flag(lanes));
        let from = Src::new(ones, packed, Type::Uw);
        let nowhere = Dst::null(Type::Uw);
        let mut cmp = build::op(Op::Cmp, lanes, nowhere, &[from, Src::uw(0)]);
        cmp.cond = Some(CondMod { cond: Cond::Ne, flag: VReg::var_at(flag, 0) });
        self.helper(cmp, inst);
        VInst { pred: Some(build::pred(flag, false)), ..*inst }
    }

    /// Whether a variable is of the general file.
    fn is_general(&self, reg: VReg) -> bool {
        reg.var().is_some_and(|v| self.vars[v.index()].class == VarClass::General)
    }
}

/// The channels of an instruction.
fn lanes_of(inst: &VInst) -> Lanes {
    Lanes::of(inst)
}
