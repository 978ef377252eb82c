//! One input: read, checked, finalized. Nothing is written here and nothing printed.

use std::{collections::HashSet, fmt::Write};

use finalizer::{Diagnostic, Finalizer, Refusal, Severity};
use indicatif::ProgressBar;
use platforms::Platform;
use visa::Module;

use super::{
    inputs::Job,
    outputs::{self, Done, Product, Source},
};
use crate::{
    args::{FinalizeArgs, MessageFormat},
    console,
    files::{Input, cannot_read},
    pages,
};

/// What became of an input.
#[derive(Default)]
pub struct Outcome {
    /// Errors and warnings.
    pub faults: Vec<Diagnostic>,
    /// What is to be written: nothing if the input was refused.
    pub products: Vec<Product>,
    /// Figures and kernels that were asked for, as text.
    pub talk: String,
    /// What the page shows, if one was asked for.
    pub pages: Vec<report::page::Kernel>,
}

/// Takes an input through the finalizers, one a platform.
pub fn finalize(
    args: &FinalizeArgs,
    finalizers: &mut [Finalizer],
    job: &Job,
    bar: impl FnOnce(usize) -> ProgressBar,
) -> Outcome {
    let mut outcome = Outcome::default();
    if let Err(Refusal(faults)) = fill(args, finalizers, job, bar, &mut outcome) {
        outcome.faults.extend(faults);
        outcome.products.clear();
        outcome.pages.clear();
    }
    outcome
}

fn fill(
    args: &FinalizeArgs,
    finalizers: &mut [Finalizer],
    job: &Job,
    bar: impl FnOnce(usize) -> ProgressBar,
    outcome: &mut Outcome,
) -> Result<(), Refusal> {
    let bytes = Input::open_visa(&job.path).map_err(cannot_read)?;
    if zebin::is_elf(&bytes) {
        return program(args, finalizers, job, &bytes, outcome);
    }
    one_register_size(args, &bytes)?;
    let mut module = finalizer::read_input(&bytes, outputs::text_platform(args, None))?;
    if let Some(version) = args.isa_version {
        module.set_version(version);
    }
    let mut wanted = wanted_kernels(args, &module)?;
    outcome.faults = check(args, &module, &wanted)?;
    if args.only_translates() && !args.stats && args.print_after.is_empty() {
        wanted.clear();
    }
    let bar = bar(wanted.len() * finalizers.len());
    let (mut done, mut faults) = (Vec::new(), Vec::new());
    for &kernel in &wanted {
        for finalizer in &mut *finalizers {
            match finalizer.finalize_kernel(&module, kernel) {
                Ok(binary) => done.push(Done { kernel, binary }),
                Err(Refusal(more)) => faults.extend(more),
            }
            outcome.talk += &finalizer.take_printed().unwrap_or_default();
            bar.inc(1);
        }
    }
    bar.finish_and_clear();
    let goes_on = args.keep_going && !done.is_empty();
    if !faults.is_empty() && !goes_on {
        return Err(Refusal(faults));
    }
    outcome.faults.extend(faults);
    outcome.talk += &stats(args, job, &done);
    outcome.pages =
        pages::of(args, job.path.as_path(), Some(&module), done.iter().map(|d| (d.kernel, &d.binary)))?;
    outcome.products = outputs::products(args, job, Source::Module(Box::new(module)), done)?;
    Ok(())
}

/// The figures that were asked for.
fn stats(args: &FinalizeArgs, job: &Job, done: &[Done]) -> String {
    let one = |d: &Done| match args.message_format {
        MessageFormat::Human => console::stats(&job.path, &d.binary),
        MessageFormat::Json => console::stats_json(&job.path, &d.binary),
    };
    if args.stats { done.iter().map(one).collect() } else { String::new() }
}

/// A compiled program: all of its kernels, for the one platform that it was compiled for.
fn program(
    args: &FinalizeArgs,
    finalizers: &mut [Finalizer],
    job: &Job,
    bytes: &[u8],
    outcome: &mut Outcome,
) -> Result<(), Refusal> {
    let refuse = |message: &str| Err(Diagnostic::error("UnsupportedProgram", message).into());
    let [finalizer] = finalizers else {
        return refuse("found a compiled program, which is for one platform: name it alone");
    };
    if !args.kernel.is_empty() {
        return refuse("found a compiled program, of which all kernels are finalized: leave out --kernel");
    }
    let options = rewriter::Options { keep_refused: args.keep_going };
    let made = rewriter::finalize(bytes, finalizer, options);
    outcome.talk += &finalizer.take_printed().unwrap_or_default();
    let program = made?;
    outcome.faults.extend(program.warnings);
    outcome.faults.extend(program.notes);
    let number = |(kernel, binary)| Done { kernel, binary };
    let done: Vec<Done> = program.binaries.into_iter().enumerate().map(number).collect();
    outcome.talk += &stats(args, job, &done);
    outcome.pages = pages::of(args, job.path.as_path(), None, done.iter().map(|d| (d.kernel, &d.binary)))?;
    outcome.products = outputs::products(args, job, Source::Program(program.bytes), done)?;
    Ok(())
}

/// Operands in text count registers, so text is for platforms whose registers have one size.
fn one_register_size(args: &FinalizeArgs, bytes: &[u8]) -> Result<(), Refusal> {
    let size = |p: &Platform| p.caps().regs.grf_bytes;
    if visa::is_object(bytes) || args.platform.windows(2).all(|pair| size(&pair[0]) == size(&pair[1])) {
        return Ok(());
    }
    let sizes: Vec<String> = args.platform.iter().map(|p| format!("{p} {} bytes", size(p))).collect();
    let message = format!(
        "operands in text count registers, whose size differs ({}): finalize for one size at a time",
        sizes.join(", ")
    );
    Err(Diagnostic::error("RegisterSizes", message).into())
}

/// Checks the rules of the specification for all platforms. What has no meaning is refused unless the input is
/// merely translated; the rest are warnings.
fn check(args: &FinalizeArgs, module: &Module, wanted: &[usize]) -> Result<Vec<Diagnostic>, Refusal> {
    let is_wanted = |name: &str| {
        wanted.iter().any(|i| module.kernels[*i].name() == name)
            || module.functions.iter().any(|f| f.name() == name)
    };
    let asked = if args.platform.is_empty() {
        &[outputs::text_platform(args, Some(module))][..]
    } else {
        &args.platform[..]
    };
    let mut findings: Vec<visa::Finding> = Vec::new();
    let mut seen = HashSet::new();
    let mut errors = Vec::new();
    for platform in asked {
        if !args.only_translates()
            && let Some(fault) = finalizer::compiled_for_other_registers(module, *platform)
        {
            errors.push(fault);
            continue;
        }
        for finding in visa::verify(module, visa::VerifyOptions::for_platform(*platform)) {
            if is_wanted(&finding.kernel) && seen.insert(finding.to_string()) {
                findings.push(finding);
            }
        }
    }
    let mut warnings = Vec::new();
    for finding in findings {
        let allowed = args.only_translates() || args.allow.contains(&finding.rule);
        let diagnostic = Diagnostic::from(finding);
        match diagnostic.severity {
            _ if args.strict && !args.only_translates() => {
                errors.push(Diagnostic { severity: Severity::Error, ..diagnostic });
            }
            Severity::Error if !allowed => errors.push(diagnostic),
            _ => warnings.push(Diagnostic { severity: Severity::Warning, ..diagnostic }),
        }
    }
    if errors.is_empty() {
        return Ok(warnings);
    }
    warnings.extend(errors);
    Err(Refusal(warnings))
}

fn wanted_kernels(args: &FinalizeArgs, module: &Module) -> Result<Vec<usize>, Refusal> {
    let known = |name: &String| module.kernels.iter().position(|k| k.name() == name.as_str());
    if args.kernel.is_empty() {
        return Ok((0..module.kernels.len()).collect());
    }
    let mut faults = Vec::new();
    let mut wanted = Vec::new();
    for name in &args.kernel {
        match known(name) {
            Some(i) => wanted.push(i),
            None => {
                let mut message = format!("found no kernel `{name}`; the object has ");
                for (i, kernel) in module.kernels.iter().enumerate() {
                    let _ = write!(message, "{}`{}`", if i > 0 { ", " } else { "" }, kernel.name());
                }
                faults.push(Diagnostic::error("UnknownKernel", message));
            }
        }
    }
    wanted.sort_unstable();
    wanted.dedup();
    if faults.is_empty() { Ok(wanted) } else { Err(Refusal(faults)) }
}
