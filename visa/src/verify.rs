//! The verifier: every rule of the specification that a kernel's declarations and code can be held to
//! without running it.
//!
//! [`validate`] checks the rules that later stages rely on so as not to index out of bounds
//! ([`Rule::is_safety`]) and turns a [`Module`] into a [`ValidModule`]. [`verify`] checks all rules and
//! tells errors from warnings. Both report every fault they find.
//!
#![doc = include_str!("../RULES.md")]
//!
//! A new rule is a line of [`Rule`], a check, and a case in the tests, which refuse a rule without one.

mod alu;
mod checker;
mod code;
mod decl;
mod finding;
mod flow;
mod lsc;
mod message;
mod platform;
mod reach;
#[cfg(test)]
mod tests;
mod values;

pub use code::TAIL_REGISTERS;
pub use finding::{Finding, Rule, Severity, Subject, VerifyOptions};

use crate::model::{Kernel, Module};
use checker::{Checker, Root};

/// Checks all rules.
pub fn verify(module: &Module, options: VerifyOptions) -> Vec<Finding> {
    run(module, options, Scope::All)
}

/// A module that keeps the safety rules for registers of a certain size.
#[derive(Clone, PartialEq, Debug)]
pub struct ValidModule {
    module: Module,
    grf_bytes: u32,
}

impl ValidModule {
    /// Bytes of a register that operands were checked for.
    pub fn grf_bytes(&self) -> u32 {
        self.grf_bytes
    }

    /// Kernels that are known to be valid.
    pub fn kernels(&self) -> impl ExactSizeIterator<Item = ValidKernel<'_>> {
        self.module.kernels.iter().map(ValidKernel)
    }

    /// Functions that are known to be valid.
    pub fn functions(&self) -> impl ExactSizeIterator<Item = ValidKernel<'_>> {
        self.module.functions.iter().map(ValidKernel)
    }

    /// The module, no longer known to be valid once it is changed.
    pub fn into_inner(self) -> Module {
        self.module
    }
}

impl std::ops::Deref for ValidModule {
    type Target = Module;

    fn deref(&self) -> &Module {
        &self.module
    }
}

/// A kernel of a [`ValidModule`]: indices are in range, labels defined, aliases acyclic and in bounds,
/// operands inside their variables, control fields meaningful.
#[derive(Clone, Copy, Debug)]
pub struct ValidKernel<'a>(&'a Kernel);

impl<'a> ValidKernel<'a> {
    /// The kernel.
    pub fn get(self) -> &'a Kernel {
        self.0
    }
}

impl std::ops::Deref for ValidKernel<'_> {
    type Target = Kernel;

    fn deref(&self) -> &Kernel {
        self.0
    }
}

/// Checks the rules that later stages rely on.
///
/// # Errors
///
/// The module, and all rules that it breaks.
pub fn validate(module: Module, grf_bytes: u32) -> Result<ValidModule, (Box<Module>, Vec<Finding>)> {
    let findings = run(&module, VerifyOptions { platform: None, grf_bytes }, Scope::Safety);
    if !findings.iter().any(|f| f.rule.is_safety()) {
        Ok(ValidModule { module, grf_bytes })
    } else {
        Err((Box::new(module), findings))
    }
}

/// Checks all rules on one kernel.
pub fn verify_kernel(kernel: &Kernel, options: VerifyOptions) -> Vec<Finding> {
    Verifier::default().kernel(kernel, options)
}

/// Checks the safety rules of one kernel, for registers of `grf_bytes`.
pub fn verify_safety(kernel: &Kernel, grf_bytes: u32) -> Vec<Finding> {
    Verifier::default().safety(kernel, grf_bytes)
}

/// Checks kernels one after the other in the same memory.
#[derive(Debug, Default)]
pub struct Verifier {
    /// Where each variable's bytes are.
    roots: Vec<Root>,
    /// What operands are held against, by variable.
    reaches: Vec<checker::Reach>,
    decl: decl::DeclarationMemory,
    flow: flow::FlowMemory,
}

impl Verifier {
    /// [`verify_kernel`].
    pub fn kernel(&mut self, kernel: &Kernel, options: VerifyOptions) -> Vec<Finding> {
        let mut findings = Vec::new();
        run_kernel(kernel, options, Scope::All, &mut findings, self);
        findings
    }

    /// [`verify_safety`].
    pub fn safety(&mut self, kernel: &Kernel, grf_bytes: u32) -> Vec<Finding> {
        let mut findings = Vec::new();
        run_kernel(kernel, VerifyOptions { platform: None, grf_bytes }, Scope::Safety, &mut findings, self);
        findings
    }
}

/// Which rules are asked.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scope {
    /// All.
    All,
    /// Those without which later stages would read outside of tables.
    Safety,
}

fn run(module: &Module, options: VerifyOptions, scope: Scope) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut memory = Verifier::default();
    for kernels in [&module.kernels, &module.functions] {
        let mut names = std::collections::BTreeSet::new();
        for kernel in kernels {
            if scope == Scope::All && !names.insert(&kernel.header_name) {
                findings.push(Finding {
                    rule: Rule::KernelName,
                    kernel: kernel.name().into_owned(),
                    instruction: None,
                    places: kernel.places,
                    field: "name".to_owned(),
                    subject: None,
                    message: format!("`{}` is the name of another one, too", kernel.name()),
                });
            }
            let kernel = kernel.with_file_vars(&module.file_vars);
            run_kernel(&kernel, options, scope, &mut findings, &mut memory);
        }
    }
    findings
}

fn run_kernel(
    kernel: &Kernel,
    options: VerifyOptions,
    scope: Scope,
    findings: &mut Vec<Finding>,
    memory: &mut Verifier,
) {
    if kernel.quirks.no_body || kernel.quirks.stripped_code.is_some() {
        return;
    }
    let start = findings.len();
    let Verifier { roots, reaches, decl, flow } = memory;
    let mut checker = Checker {
        kernel,
        options,
        safety_only: scope == Scope::Safety,
        start,
        findings,
        roots,
        reaches,
        operand: None,
    };
    checker.declarations(decl);
    // Operands are looked up in the declarations: without those there is nothing to check against.
    if !checker.broken() {
        checker.code(&mut flow.marks);
        checker.flow(flow);
    }
}
