//! Functions that random programs call through the stack: `fcall`, `ifcall`, `fret` (spec "Subroutine and Function Calls").

use super::{BUFFER, Emitter, Node, RandomProgram, Variable};
use std::fmt::Write;

/// A function: variables of its own, which it loads when it starts. All functions of a program take as many arguments and
/// give as many results, a dword a lane each.
#[derive(Clone, Debug)]
pub struct RandomFunction {
    /// Its variables.
    pub vars: Vec<Variable>,
    /// Helper variables, which are not loaded.
    pub helpers: Vec<Variable>,
    /// Instructions after the variables are loaded.
    pub init: Vec<String>,
    /// What it does, its last return included.
    pub body: Vec<Node>,
    /// Its subroutines.
    pub subs: Vec<Vec<Node>>,
}

/// Arguments and results of the functions of a program.
#[derive(Clone, Copy, Debug)]
pub struct Signature {
    /// Arguments. The first says how deep a function may call itself.
    pub arguments: u32,
    /// Results.
    pub results: u32,
}

/// A call of a function.
#[derive(Clone, Debug)]
pub struct FunctionCall {
    /// Instructions before its arguments are written.
    pub before: Vec<String>,
    /// Guard with parentheses, or nothing.
    pub guard: String,
    /// Makes the address, if it is called by one.
    pub address: Vec<String>,
    /// Which, if it is called by name.
    pub function: usize,
    /// Its arguments: operands.
    pub arguments: Vec<String>,
    /// Where its results go: operands.
    pub results: Vec<String>,
}

/// Lanes return from a function.
#[derive(Clone, Debug)]
pub struct GivenBack {
    /// Makes the predicate.
    pub lines: Vec<String>,
    /// Guard with parentheses, or nothing.
    pub guard: String,
    /// Whether the results are written under the guard, too.
    pub guarded: bool,
    /// The results: operands.
    pub results: Vec<String>,
}

/// The variable that holds the address of a function.
pub const TARGET: &str = "target";

impl RandomProgram {
    /// Registers of a dword a lane.
    fn registers(&self) -> u32 {
        let grf = u32::from(self.platform.caps().regs.grf_bytes);
        (4 * self.simd).div_ceil(grf)
    }

    /// Declarations of the views of arguments and results.
    pub(super) fn declare_exchange(&self, out: &mut String) {
        let Some(signature) = self.signature else { return };
        let grf = u32::from(self.platform.caps().regs.grf_bytes);
        for (name, of, count) in [("arg", "%arg", signature.arguments), ("ret", "%retval", signature.results)]
        {
            for i in 0..count {
                let (at, simd) = (i * self.registers() * grf, self.simd);
                let _ = writeln!(
                    out,
                    ".decl {name}{i} v_type=G type=d num_elts={simd} align=GRF alias=<{of}, {at}>"
                );
            }
        }
        let _ = writeln!(out, ".decl {TARGET} v_type=G type=uq num_elts=2 align=GRF");
    }

    /// Registers of arguments and of results.
    pub(super) fn exchanged(&self) -> [u32; 2] {
        let Some(signature) = self.signature else { return [0; 2] };
        [signature.arguments, signature.results].map(|n| n * self.registers())
    }

    /// Functions, behind the kernel.
    pub(super) fn put_functions(&self, e: &mut Emitter) {
        let [arguments, results] = self.exchanged();
        for (i, function) in self.functions.iter().enumerate() {
            let _ = writeln!(e.out, ".global_function \"f{i}\"");
            self.declarations(&mut e.out, &function.vars, &function.helpers);
            let _ = writeln!(e.out, ".kernel_attr ArgSize={arguments}\n.kernel_attr RetValSize={results}");
            let _ = writeln!(e.out, ".function \"f{i}_0\"\nf{i}_0:");
            e.load(&function.vars, i as u32 * 1024 % BUFFER);
            e.lines(&function.init);
            e.nodes(&function.body);
            e.subroutines(&function.subs);
        }
    }
}

impl Emitter {
    pub(super) fn function_call(&mut self, call: &FunctionCall) {
        let (simd, [arguments, results]) = (self.simd, self.exchanged);
        self.lines(&call.before);
        for (i, argument) in call.arguments.iter().enumerate() {
            self.line(&format!("mov (M1, {simd}) arg{i}(0,0)<1> {argument}"));
        }
        self.lines(&call.address);
        let FunctionCall { guard, function, .. } = call;
        if call.address.is_empty() {
            self.line(&format!("{guard} fcall (M1, {simd}) f{function} {arguments} {results}"));
        } else {
            self.line(&format!("{guard} ifcall (M1, {simd}) {TARGET}(0,0)<0;1,0> {arguments} {results}"));
        }
        for (i, result) in call.results.iter().enumerate() {
            self.line(&format!("{guard} mov (M1, {simd}) {result} ret{i}(0,0)<1;1,0>"));
        }
    }

    pub(super) fn give_back(&mut self, given: &GivenBack) {
        let simd = self.simd;
        self.lines(&given.lines);
        let guard = if given.guarded { given.guard.as_str() } else { "" };
        for (i, result) in given.results.iter().enumerate() {
            self.line(&format!("{guard} mov (M1, {simd}) ret{i}(0,0)<1> {result}"));
        }
        self.line(&format!("{} fret (M1, {simd})", given.guard));
    }
}
