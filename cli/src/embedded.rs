//! `visa-finalize strip` and `extract`: the machine code that an object carries.

use std::{collections::BTreeMap, fs, path::Path, process::ExitCode};

use finalizer::{Diagnostic, Place, Refusal};
use platforms::Platform;
use visa::Module;

use crate::{
    args::{ExtractArgs, MessageFormat, StripArgs},
    console,
    files::{Input, Sink, cannot_read, cannot_write},
    names,
};

/// Takes code out of an object.
pub fn strip(args: &StripArgs) -> ExitCode {
    ended(&args.input, args.quiet, stripped(args))
}

/// Writes the code that an object carries to files of its own.
pub fn extract(args: &ExtractArgs) -> ExitCode {
    ended(&args.input, args.quiet, extracted(args))
}

fn ended(input: &Path, quiet: bool, done: Result<String, Refusal>) -> ExitCode {
    match done {
        Ok(said) => {
            if !quiet {
                eprintln!("{said}");
            }
            ExitCode::SUCCESS
        }
        Err(Refusal(faults)) => {
            console::faults(input, &faults, MessageFormat::Human);
            ExitCode::FAILURE
        }
    }
}

fn module(path: &Path) -> Result<Module, Refusal> {
    let bytes = Input::open_visa(path).map_err(cannot_read)?;
    finalizer::read_module(&bytes)
}

fn stripped(args: &StripArgs) -> Result<String, Refusal> {
    let mut module = module(&args.input)?;
    let count = |m: &Module| m.kernels.iter().map(|k| k.gen_binaries.len()).sum::<usize>();
    let before = count(&module);
    if args.platform.is_empty() {
        module.remove_gen_binaries(None);
    }
    let is_named =
        |number: &u8| Platform::from_gen_platform(*number).is_some_and(|p| args.platform.contains(&p));
    for number in (0..=u8::MAX).filter(is_named) {
        module.remove_gen_binaries(Some(number));
    }
    let bytes = visa::write(&module).map_err(cannot_write)?;
    let sink = match (&args.output, args.in_place) {
        (Some(path), _) => Sink::new(path),
        (None, true) => Sink::new(&args.input),
        (None, false) => {
            let message = "found no place for the result: give --output or --in-place";
            return Err(Diagnostic::error("NoOutput", message).at(Place::Input).into());
        }
    };
    sink.write(&bytes).map_err(|e| cannot_write(format_args!("{sink}: {e}")))?;
    let out = before - count(&module);
    let size = console::bytes(bytes.len());
    Ok(format!("wrote {sink} ({size}): {out} of {before} pieces of code taken out"))
}

/// What a file carries for one kernel, and the end of the name of the file that gets it.
struct Carried {
    kernel: String,
    platform: Option<Platform>,
    end: String,
    bytes: Vec<u8>,
}

fn extracted(args: &ExtractArgs) -> Result<String, Refusal> {
    let bytes = Input::open_visa(&args.input).map_err(cannot_read)?;
    let carried = if zebin::is_elf(&bytes) { of_program(&bytes)? } else { of_object(&bytes)? };
    let is_wanted = |c: &Carried| {
        (args.kernel.is_empty() || args.kernel.contains(&c.kernel))
            && (args.platform.is_empty() || c.platform.is_some_and(|p| args.platform.contains(&p)))
    };
    let stem = names::stem(&args.input);
    let mut files = BTreeMap::new();
    for one in carried.into_iter().filter(is_wanted) {
        let file = format!("{stem}.{}.{}", names::of_kernel(&one.kernel), one.end);
        if let Some(kernel) = files.insert(file, one.bytes).map(|_| one.kernel) {
            let message = format!("two results for kernel `{kernel}` would go to one file");
            return Err(Diagnostic::error("OutputTwice", message).at(Place::Input).into());
        }
    }
    if files.is_empty() {
        return Err(Diagnostic::error("NoCode", "the file has no such code").at(Place::Input).into());
    }
    let directory = match &args.output {
        Some(directory) => directory.clone(),
        None => args.input.with_file_name(""),
    };
    let mut said = Vec::new();
    for (file, bytes) in files {
        let path = directory.join(file);
        let made = path.parent().map_or(Ok(()), fs::create_dir_all);
        let sink = Sink::File(path);
        made.and_then(|()| sink.write(&bytes)).map_err(|e| cannot_write(format_args!("{sink}: {e}")))?;
        said.push(format!("wrote {sink} ({})", console::bytes(bytes.len())));
    }
    Ok(said.join("\n"))
}

/// The codes of an object.
fn of_object(bytes: &[u8]) -> Result<Vec<Carried>, Refusal> {
    let module = finalizer::read_module(bytes)?;
    let mut all = Vec::new();
    for kernel in &module.kernels {
        for binary in &kernel.gen_binaries {
            let platform = Platform::from_gen_platform(binary.platform);
            let name = platform.map_or_else(|| format!("platform{}", binary.platform), |p| p.to_string());
            let (kernel, end) = (kernel.name().into_owned(), format!("{name}.dat"));
            all.push(Carried { kernel, platform, end, bytes: binary.code.clone() });
        }
    }
    Ok(all)
}

/// The codes of a compiled program, and the vISA that they were made from, if it is there.
fn of_program(bytes: &[u8]) -> Result<Vec<Carried>, Refusal> {
    let bad = |e: zebin::Error| Diagnostic::error("BadProgram", e.to_string()).at(Place::Input);
    let program = zebin::Program::read(bytes).map_err(bad)?;
    let platform = rewriter::platform_of(bytes)?;
    let name = platform.map_or_else(|| "code".to_owned(), |p| p.to_string());
    let codes = program.kernels().filter_map(|kernel| {
        let (end, bytes) = (format!("{name}.dat"), program.unit(kernel)?.code.clone());
        Some(Carried { kernel: kernel.to_owned(), platform, end, bytes })
    });
    let mut all: Vec<Carried> = codes.collect();
    for rewriter::KernelVisa { kernel, texts } in rewriter::visa_of(bytes)? {
        for (number, bytes) in texts.into_iter().enumerate() {
            // The kernel itself, then functions that it calls.
            let end = if number == 0 { "visaasm".to_owned() } else { format!("function{number}.visaasm") };
            all.push(Carried { kernel: kernel.clone(), platform, end, bytes });
        }
    }
    Ok(all)
}
