//! Our code beside Intel's: both run on the emulator over the same data and must leave the same memory.

use emulator::{Launch, Options as RunOptions, RunReport};
use finalizer::{Diagnostic, Finalizer, Options};
use platforms::Platform;

use crate::{
    data::{SYMBOL_TABLE, TestKernel, kernels},
    launches::{NoLaunch, Setup},
};

/// Instructions that a run may take; the longest test kernel needs a tenth of it.
pub const MAX_INSTRUCTIONS: u64 = 3_000_000;
/// Scratch memory that our code may use where Intel's has less.
pub const SCRATCH: u32 = 1 << 16;

/// What became of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Both leave the same memory, and nothing is reported on ours.
    Agrees,
    /// The finalizer refused the kernel.
    Refused(Vec<Diagnostic>),
    /// There is no launch for this kernel (no OpenCL source, or one without arguments we can make up).
    NoLaunch(String),
    /// Intel's code does not finish on these data.
    IntelFails(String),
    /// Ours does not finish, or breaks a rule of the machine that Intel's keeps.
    OursFails(String),
    /// The memory differs.
    Differs(String),
    /// The memory differs, and the vISA reads variables that nothing writes: any result is right.
    Undefined(String),
}

impl Outcome {
    /// Short name of the kind.
    pub fn class(&self) -> &'static str {
        match self {
            Outcome::Agrees => "agrees",
            Outcome::Refused(_) => "refused",
            Outcome::NoLaunch(_) => "no launch",
            Outcome::IntelFails(_) => "Intel's code fails",
            Outcome::OursFails(_) => "our code fails",
            Outcome::Differs(_) => "differs",
            Outcome::Undefined(_) => "undefined",
        }
    }
}

/// The kernel that holds the functions which a kernel calls by address.
pub fn symbol_table(kernel: &TestKernel) -> Option<&'static TestKernel> {
    let calls = kernel.visaasm.contains("ifcall");
    kernels(kernel.platform).iter().find(|k| {
        calls
            && k.name == SYMBOL_TABLE
            && (&k.source, &k.variant, k.simd) == (&kernel.source, &kernel.variant, kernel.simd)
    })
}

/// A kernel and its functions, read from their texts.
pub fn module(platform: Platform, kernel: &TestKernel) -> Result<visa::Module, finalizer::Refusal> {
    let mut module = finalizer::read_text(kernel.visaasm.as_bytes(), platform)?;
    for function in &kernel.functions {
        module.link(finalizer::read_text(function.as_bytes(), platform)?);
    }
    Ok(module)
}

/// Finalizes a kernel from its text, with every check of ours on.
pub fn finalize(platform: Platform, kernel: &TestKernel) -> Result<finalizer::Binary, Vec<Diagnostic>> {
    finalize_with(Options::new(platform), kernel)
}

/// The same with options.
pub fn finalize_with(options: Options, kernel: &TestKernel) -> Result<finalizer::Binary, Vec<Diagnostic>> {
    let module = module(options.platform, kernel).map_err(|e| e.0)?;
    let inline_payload = kernel.inline_payload();
    let mut finalizer = Finalizer::new(Options { verify: true, inline_payload, ..options });
    finalizer.finalize_kernel(&module, 0).map_err(|e| e.0)
}

/// Finalizes a kernel and runs it beside Intel's code.
pub fn compare(platform: Platform, kernel: &TestKernel) -> Outcome {
    let binary = match finalize(platform, kernel) {
        Ok(b) => b,
        Err(faults) => return Outcome::Refused(faults),
    };
    let setup = match Setup::new(kernel, 1) {
        Ok(s) => s,
        Err(NoLaunch(why)) => return Outcome::NoLaunch(why),
    };
    let table = match symbol_table(kernel).map(|t| finalize(platform, t)).transpose() {
        Ok(table) => table,
        Err(faults) => return Outcome::Refused(faults),
    };
    let (theirs, mine) = match (setup.intel(kernel), setup.ours(&binary, table.as_ref())) {
        (Ok(a), Ok(b)) => (a, b),
        (Err(e), _) => return Outcome::IntelFails(e.to_string()),
        (_, Err(e)) => return Outcome::OursFails(e.to_string()),
    };
    let strict = RunOptions { max_instructions: MAX_INSTRUCTIONS, ..RunOptions::default() };
    let fast = RunOptions { max_instructions: MAX_INSTRUCTIONS, ..RunOptions::fast() };
    let mut launch = setup.launch;
    let run = |code: &[u8], launch: &Launch, options: &RunOptions| {
        let mut memory = setup.memory.clone();
        emulator::run(platform, code, launch, &mut memory, options).map(|report| (report, memory))
    };
    let (intel, after_intel) = match run(&theirs, &launch, &strict) {
        Ok(done) => done,
        Err(e) => return Outcome::IntelFails(e.to_string()),
    };
    if let Some(r) = intel.reports.iter().find(|r| r.fault == emulator::Fault::NoMemory) {
        return Outcome::IntelFails(r.to_string());
    }
    // Bytes that change with what registers hold at the start (padding of structures) are nobody's.
    let Ok((_, intel_again)) = run(&theirs, &launch, &fast) else {
        return Outcome::IntelFails("only with other register contents".into());
    };
    launch.kernel.scratch = launch.kernel.scratch.max(SCRATCH).max(binary.info.scratch_bytes);
    let (ours, after_ours) = match run(&mine, &launch, &strict) {
        Ok(done) => done,
        Err(e) => return Outcome::OursFails(e.to_string()),
    };
    let buffers = after_intel.buffers().zip(intel_again.buffers());
    for (((_, name, a), (.., a2)), (.., b)) in buffers.zip(after_ours.buffers()) {
        let differs = |&i: &usize| a[i] != b[i] && a[i] == a2[i];
        if let Some(at) = (0..a.len()).find(differs) {
            let near = at & !7..((at & !7) + 8).min(a.len());
            let (a, b) = (&a[near.clone()], &b[near]);
            let what = format!("buffer {name} at byte {at}: Intel {a:02x?} ours {b:02x?}");
            let undefined = reads_unwritten(platform, kernel);
            return if undefined { Outcome::Undefined(what) } else { Outcome::Differs(what) };
        }
    }
    match unshared(&intel, &ours) {
        Some(finding) => Outcome::OursFails(finding),
        None => Outcome::Agrees,
    }
}

/// Whether the kernel reads a general variable that nothing writes and no input fills: what the compiler
/// leaves of operations that the platform does not have, such as sampling on Xe-HPC.
fn reads_unwritten(platform: Platform, kernel: &TestKernel) -> bool {
    let Ok(module) = finalizer::read_text(kernel.visaasm.as_bytes(), platform) else { return false };
    let k = &module.kernels[0];
    let declared = |var: visa::VarId| k.resolve_alias(var).0.declared();
    let (mut read, mut written) = (vec![false; k.vars.len()], vec![false; k.vars.len()]);
    let mut note = |to_dst: bool, var: visa::VarId| {
        if let Some(i) = declared(var) {
            if to_dst { written[i] = true } else { read[i] = true }
        }
    };
    for input in &k.inputs {
        if let visa::InputVar::General(var) = input.var {
            note(true, var);
        }
    }
    for record in &k.code {
        let Some(row) = record.row() else { continue };
        // A list of operands ends a row.
        let last = row.operand_slots().last();
        let slots = row.operand_slots().chain(last.into_iter().cycle());
        for (operand, slot) in k.operands_of(record).iter().zip(slots) {
            let var = match operand {
                visa::Operand::Raw(raw) => raw.var,
                visa::Operand::Vector(visa::VectorOperand::General(g)) => g.var,
                // An address may lead anywhere.
                visa::Operand::Vector(visa::VectorOperand::Address(_)) => return false,
                _ => continue,
            };
            note(slot.role == visa::table::Role::Dst, var);
        }
    }
    read.iter().zip(written).any(|(read, written)| *read && !written)
}

/// A kind of finding on our code that Intel's code does not have on the same data (reading past a
/// buffer may be what the kernel and the data ask for).
fn unshared(intel: &RunReport, ours: &RunReport) -> Option<String> {
    // What is stored of undefined registers is compared as memory; calls save registers whole.
    let known =
        |r: &emulator::Report| !r.fault.is_error() || intel.reports.iter().any(|i| i.fault == r.fault);
    ours.reports.iter().find(|r| !known(r)).map(|r| format!("{r:?}"))
}
