//! What all rules work with: the legalizer, which takes instructions through the rules, and what a rule answers.

use std::fmt;

use gen_ir::{Class, Dst, Op, Var, VarClass, VarId};
use platforms::Caps;

use super::{
    not_legal::NotLegal,
    shape::{self, Kept, Spelling},
};
use crate::build::{self, Lanes, VInst, VReg};

/// An instruction that has no encoding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LegalizeError {
    /// Index of the vISA instruction it came from.
    pub origin: u32,
    /// The instruction.
    pub inst: String,
    /// Why.
    pub reason: NotLegal,
}

impl fmt::Display for LegalizeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "instruction {}: `{}`: {}", self.origin, self.inst, self.reason)
    }
}

impl std::error::Error for LegalizeError {}

/// What a rule did.
pub(super) enum Step {
    /// Nothing: the rule does not apply.
    Keep,
    /// Emitted what stands for the instruction.
    Replaced,
    /// There is nothing to stand for it.
    Refuse(NotLegal),
}

/// A rule: looks at an instruction, perhaps replaces it.
pub(super) type Rule = fn(&mut Legalizer<'_>, &VInst) -> Step;

/// Deeper rewriting than this is a mistake of ours.
const MAX_DEPTH: u32 = 24;

/// The instructions of a kernel on their way through the rules.
pub(super) struct Legalizer<'a> {
    /// All rules, in the order they are tried. (Handed in, for each of them uses this.)
    pub(super) rules: &'static [Rule],
    pub(super) caps: &'a Caps,
    pub(super) kept: Kept,
    pub(super) vars: Vec<Var>,
    /// What stands for instructions that did not stay.
    pub(super) out: Vec<VInst>,
    pub(super) errors: Vec<LegalizeError>,
    pub(super) depth: u32,
    /// A rule has aligned a variable further.
    pub(super) aligned: bool,
}

impl Legalizer<'_> {
    /// Legalizes one instruction.
    pub(super) fn inst(&mut self, mut inst: VInst) {
        if self.settle(&mut inst) {
            self.out.push(inst);
        }
    }

    /// Legalizes one instruction where it is. Returns `false` if it cannot be: then what stands for it has
    /// been appended, or the error.
    pub(super) fn settle(&mut self, inst: &mut VInst) -> bool {
        crate::identities::simplify(inst);
        crate::identities::narrow_factor(inst);
        // Lowering has already brought macros into their one form.
        let is_macro = matches!(inst.dst, Dst::Macro { .. });
        let operates = matches!(inst.op.info().class, Class::Basic | Class::Math | Class::Ternary);
        if !operates || inst.op == Op::Wait || is_macro {
            return true;
        }
        if self.depth >= MAX_DEPTH {
            self.refuse(inst, NotLegal::Endless);
            return false;
        }
        let shape = shape::of(&self.vars, inst);
        if let Some(spelling) = shape.as_ref().and_then(|s| self.kept.get(s)) {
            if cfg!(debug_assertions) {
                self.assert_kept(inst, spelling);
            }
            spelling.give(inst);
            return true;
        }
        self.depth += 1;
        self.aligned = false;
        let step = self.rules.iter().map(|rule| rule(self, inst)).find(|step| !matches!(step, Step::Keep));
        self.depth -= 1;
        match step {
            None | Some(Step::Keep) => {
                self.canonical(inst);
                // A rule that changes what is known of a variable has to be asked again.
                if let Some(shape) = shape
                    && !self.aligned
                {
                    self.kept.add(shape, Spelling::of(inst));
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
    pub(super) fn assert_kept(&mut self, inst: &VInst, spelling: Spelling) {
        let shape = shape::of(&self.vars, inst);
        let kept = self.rules.iter().all(|rule| matches!(rule(self, inst), Step::Keep));
        assert!(kept, "a rule rewrites what was to be kept: {inst}");
        assert_eq!(shape::of(&self.vars, inst), shape, "a rule changes a variable of it");
        let (mut given, mut asked) = (*inst, *inst);
        spelling.give(&mut given);
        self.canonical(&mut asked);
        assert_eq!(given, asked, "it is spelled otherwise");
    }

    pub(super) fn refuse(&mut self, inst: &VInst, reason: NotLegal) {
        self.errors.push(LegalizeError { origin: inst.origin, inst: inst.to_string(), reason });
    }

    pub(super) fn grf(&self) -> u32 {
        u32::from(self.caps.regs.grf_bytes)
    }

    pub(super) fn add_var(&mut self, var: Var) -> VarId {
        gen_ir::push_var(&mut self.vars, var)
    }

    /// A general temporary: register aligned, or aligned to itself where it is smaller than 16 bytes.
    pub(super) fn temp(&mut self, bytes: u32) -> VReg {
        let align = if bytes <= 16 { bytes.next_power_of_two() } else { self.grf() };
        VReg::var_at(self.add_var(build::general(bytes, align)), 0)
    }

    /// A register-aligned temporary.
    pub(super) fn aligned_temp(&mut self, bytes: u32) -> VReg {
        let grf = self.grf();
        VReg::var_at(self.add_var(build::general(bytes, grf)), 0)
    }

    /// Appends a legal instruction as it is.
    pub(super) fn push_raw(&mut self, mut inst: VInst) {
        self.canonical(&mut inst);
        self.out.push(inst);
    }

    /// A helper instruction of `inst`: same place in the program, legalized too.
    pub(super) fn helper(&mut self, mut helper: VInst, of: &VInst) {
        helper.origin = of.origin;
        self.inst(helper);
    }

    /// The instruction with a predicate over all its channels (`any`, `all`) made one of each channel.
    pub(super) fn predicate_by_channel(&mut self, inst: &VInst) -> VInst {
        let Some(pred) = inst.pred else { return *inst };
        let lanes = lanes_of(inst);
        let (words, flag) = (self.aligned_temp(inst.exec.lanes() * 2), self.add_var(build::flag(lanes)));
        for helper in build::by_channel(lanes, pred, words, flag) {
            self.helper(helper, inst);
        }
        VInst { pred: Some(build::pred(flag)), ..*inst }
    }

    /// Whether a variable is of the general file.
    pub(super) fn is_general(&self, reg: VReg) -> bool {
        reg.var().is_some_and(|v| self.vars[v.index()].class == VarClass::General)
    }
}

/// The channels of an instruction.
pub(super) fn lanes_of(inst: &VInst) -> Lanes {
    Lanes::of(inst)
}
