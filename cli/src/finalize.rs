//! `visa-finalize INPUT... --platform P`: the main job.

use std::{
    io::{IsTerminal, Write},
    path::{Path, PathBuf},
    process::ExitCode,
};

use encoder::iga::{JsonOptions, ListingOptions, disassemble, disassemble_json};
use finalizer::{Binary, Diagnostic, Finalizer, Options, Place, Refusal, Severity};
use indicatif::{ProgressBar, ProgressStyle};
use platforms::Platform;
use visa::Module;

use crate::{
    args::{Emit, FinalizeArgs},
    files::{Input, write_atomically},
    report,
};

/// Kernels of one input below which progress would only flicker.
const WORTH_A_BAR: usize = 20;

/// Finalizes every input; each one that is refused is reported and the others still go on.
pub fn run(args: &FinalizeArgs) -> ExitCode {
    if let Err(message) = check_usage(args) {
        eprintln!("error: {message}");
        return ExitCode::from(2);
    }
    let mut finalizers: Vec<Finalizer> =
        args.platform.iter().map(|&p| Finalizer::new(options(args, p))).collect();
    let mut refused = false;
    for input in &args.inputs {
        if let Err(Refusal(faults)) = one_input(args, &mut finalizers, input) {
            report::faults(input, &faults, args.message_format);
            refused = true;
        }
    }
    if refused { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn options(args: &FinalizeArgs, platform: Platform) -> Options {
    let named = |name: &String| finalizer::PASSES.iter().copied().find(|p| p == name);
    let default = Options::new(platform);
    Options {
        compact: !args.no_compaction,
        verify: args.verify || default.verify,
        print_after: args.print_after.as_ref().and_then(named),
        ..default
    }
}

/// What the argument parser cannot know.
fn check_usage(args: &FinalizeArgs) -> Result<(), String> {
    let one_object = args.inputs.len() == 1 && args.emit == [Emit::Isa];
    let into_directory = args.output.as_ref().is_some_and(|o| o.is_dir());
    if args.output.is_some() && !one_object && !into_directory && args.inputs.len() > 1 {
        return Err("several inputs need --output to name an existing directory".into());
    }
    let registers = |p: &Platform| p.caps().regs.grf_bytes;
    if args.platform.iter().any(|p| registers(p) != registers(&args.platform[0])) {
        let text = args.inputs.iter().find(|i| i.extension().is_none_or(|e| e != "isa"));
        if let Some(text) = text {
            let why = "operands in text count registers, which are larger on pvc: name it alone";
            return Err(format!("{}: {why}", text.display()));
        }
    }
    let mut platforms = args.platform.clone();
    platforms.sort();
    platforms.dedup();
    if platforms.len() != args.platform.len() {
        return Err("--platform names a platform twice".into());
    }
    Ok(())
}

/// The results of one kernel, one a platform.
struct Done {
    kernel: usize,
    binary: Binary,
}

fn one_input(args: &FinalizeArgs, finalizers: &mut [Finalizer], path: &Path) -> Result<(), Refusal> {
    let bytes = Input::open(path).map_err(|e| io_error("CannotRead", &e))?;
    let mut module = finalizer::read_input(&bytes, args.platform[0])?;
    if let Some(version) = args.isa_version {
        module.set_version(version);
    }
    // Mere translation between text and object takes what cannot be finalized, too.
    let only_translates = args.emit.iter().all(|e| matches!(e, Emit::Visaasm | Emit::Object));
    let mut wanted = wanted_kernels(args, &module)?;
    check(args, path, &module, &wanted, only_translates)?;
    if only_translates && !args.stats && args.print_after.is_none() {
        wanted.clear();
    }
    let (done, module) = finalize_all(args, finalizers, module, &wanted, path)?;
    for d in &done {
        if args.stats {
            print(&report::stats(path, &d.binary));
        }
    }
    // Everything is in memory and nothing was refused: only now touch the file system.
    for (file, contents) in outputs(args, path, module, done)? {
        write_atomically(&file, &contents)
            .map_err(|e| Diagnostic::error("CannotWrite", format!("{}: {e}", file.display())))?;
    }
    Ok(())
}

/// Checks the rules of the specification for all platforms, prints warnings, and refuses what has no
/// meaning unless it is `lenient`.
fn check(
    args: &FinalizeArgs,
    path: &Path,
    module: &Module,
    wanted: &[usize],
    lenient: bool,
) -> Result<(), Refusal> {
    let is_wanted = |name: &str| {
        wanted.iter().any(|i| module.kernels[*i].name() == name)
            || module.functions.iter().any(|f| f.name() == name)
    };
    let mut findings: Vec<visa::Finding> = Vec::new();
    let mut seen = std::collections::HashSet::new();
    for platform in &args.platform {
        for finding in visa::verify(module, visa::VerifyOptions::for_platform(*platform)) {
            if is_wanted(&finding.kernel) && seen.insert(finding.to_string()) {
                findings.push(finding);
            }
        }
    }
    let mut warnings = Vec::new();
    let mut errors = Vec::new();
    for finding in findings {
        // The finalizer has sequences for some of what a platform lacks, and refuses the rest itself.
        let is_tried = finding.rule == visa::Rule::Availability;
        let allowed = lenient || is_tried || args.allow.contains(&finding.rule);
        let diagnostic = Diagnostic::from(finding);
        match diagnostic.severity {
            Severity::Error if !allowed => errors.push(diagnostic),
            _ => warnings.push(Diagnostic { severity: Severity::Warning, ..diagnostic }),
        }
    }
    report::faults(path, &warnings, args.message_format);
    if errors.is_empty() { Ok(()) } else { Err(Refusal(errors)) }
}

fn io_error(code: &'static str, e: &std::io::Error) -> Diagnostic {
    Diagnostic::error(code, e.to_string())
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
                let names: Vec<_> = module.kernels.iter().map(|k| format!("`{}`", k.name())).collect();
                let message = format!("found no kernel `{name}`; the object has {}", names.join(", "));
                faults.push(Diagnostic::error("UnknownKernel", message));
            }
        }
    }
    wanted.sort_unstable();
    wanted.dedup();
    if faults.is_empty() { Ok(wanted) } else { Err(Refusal(faults)) }
}

fn finalize_all(
    args: &FinalizeArgs,
    finalizers: &mut [Finalizer],
    module: Module,
    wanted: &[usize],
    path: &Path,
) -> Result<(Vec<Done>, Module), Refusal> {
    let bar = progress(wanted.len() * finalizers.len(), path);
    let mut faults = Vec::new();
    let mut done = Vec::new();
    for &kernel in wanted {
        for (finalizer, _) in finalizers.iter_mut().zip(&args.platform) {
            match finalizer.finalize_kernel(&module, kernel) {
                Ok(binary) => done.push(Done { kernel, binary }),
                Err(Refusal(more)) => faults.extend(more),
            }
            if let Some(text) = finalizer.take_printed() {
                print(&text);
            }
            bar.inc(1);
        }
    }
    bar.finish_and_clear();
    if faults.is_empty() { Ok((done, module)) } else { Err(Refusal(faults)) }
}

fn progress(steps: usize, path: &Path) -> ProgressBar {
    if steps < WORTH_A_BAR || !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{msg} [{bar:40}] {pos}/{len}").expect("a valid template");
    ProgressBar::new(steps as u64).with_style(style).with_message(path.display().to_string())
}

/// Prints to standard output; a closed pipe ends the talk, not the work.
fn print(text: &str) {
    let _ = anstream::stdout().write_all(text.as_bytes());
}

type File = (PathBuf, Vec<u8>);

fn outputs(
    args: &FinalizeArgs,
    input: &Path,
    mut module: Module,
    done: Vec<Done>,
) -> Result<Vec<File>, Refusal> {
    let mut files = Vec::new();
    let single = done.len() == 1 && args.emit.len() == 1;
    for &emit in &args.emit {
        match emit {
            Emit::Isa => {}
            Emit::Visaasm => {
                let grf_bytes = args.platform[0].caps().regs.grf_bytes.into();
                let text =
                    visa::text::print(&module, visa::text::TextOptions { grf_bytes, ..Default::default() });
                files.push((module_file(args, input, emit), text.into_bytes()));
            }
            Emit::Object => files.push((module_file(args, input, emit), object(&module)?)),
            Emit::Dat | Emit::Asm | Emit::Json => {
                for d in &done {
                    let file = match (&args.output, single) {
                        (Some(o), true) if !o.is_dir() => o.clone(),
                        _ => kernel_file(args, input, &d.binary, emit),
                    };
                    files.push((file, kernel_contents(&d.binary, emit)));
                }
            }
        }
    }
    if args.emit.contains(&Emit::Isa) {
        let mut faults = Vec::new();
        for d in done {
            let platform = d.binary.info.platform.caps().gen_platform;
            if let Err(e) = module.set_gen_binary(d.kernel, platform, d.binary.code) {
                faults.push(Diagnostic::error("CannotWrite", e.to_string()));
            }
        }
        if !faults.is_empty() {
            return Err(Refusal(faults));
        }
        let file = if args.in_place { input.to_owned() } else { module_file(args, input, Emit::Isa) };
        files.push((file, object(&module)?));
    }
    distinct(args, input, &files)?;
    Ok(files)
}

fn object(module: &Module) -> Result<Vec<u8>, Refusal> {
    visa::write(module).map_err(|e| Diagnostic::error("CannotWrite", e.to_string()).into())
}

/// No result may replace the input by accident, or another result.
fn distinct(args: &FinalizeArgs, input: &Path, files: &[File]) -> Result<(), Refusal> {
    let mut faults = Vec::new();
    for (i, (file, _)) in files.iter().enumerate() {
        if !args.in_place && same_file(file, input) {
            let message = format!("{} is the input; --in-place allows that", file.display());
            faults.push(Diagnostic::error("OutputIsInput", message).at(Place::Input));
        }
        if files[..i].iter().any(|(f, _)| f == file) {
            let message = format!("two results would go to {}", file.display());
            faults.push(Diagnostic::error("OutputTwice", message).at(Place::Input));
        }
    }
    if faults.is_empty() { Ok(()) } else { Err(Refusal(faults)) }
}

fn same_file(a: &Path, b: &Path) -> bool {
    match (a.canonicalize(), b.canonicalize()) {
        (Ok(a), Ok(b)) => a == b,
        _ => false,
    }
}

fn kernel_contents(b: &Binary, emit: Emit) -> Vec<u8> {
    let platform = b.info.platform;
    match emit {
        Emit::Asm => disassemble(platform, &b.code, &ListingOptions::default()).into_bytes(),
        Emit::Json => disassemble_json(platform, &b.code, &JsonOptions::default()).into_bytes(),
        _ => b.code.clone(),
    }
}

/// Where a result of the whole object goes.
fn module_file(args: &FinalizeArgs, input: &Path, emit: Emit) -> PathBuf {
    let name = format!("{}.{}", stem(input), emit.extension());
    match &args.output {
        Some(o) if o.is_dir() => o.join(name),
        Some(o) if args.emit.len() == 1 => o.clone(),
        _ => input.with_file_name(name),
    }
}

/// Where a result of one kernel goes.
fn kernel_file(args: &FinalizeArgs, input: &Path, b: &Binary, emit: Emit) -> PathBuf {
    let kernel: String =
        b.info.name.chars().map(|c| if c.is_alphanumeric() || "._-".contains(c) { c } else { '_' }).collect();
    let name = format!("{}.{kernel}.{}.{}", stem(input), b.info.platform, emit.extension());
    match &args.output {
        Some(o) if o.is_dir() => o.join(name),
        _ => input.with_file_name(name),
    }
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}
