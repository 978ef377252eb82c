//! `visa-finalize strip` and `extract`: the machine code that an object carries.

use std::{collections::BTreeSet, path::Path, process::ExitCode};

use finalizer::{Diagnostic, Place, Refusal};
use platforms::Platform;
use visa::Module;

use crate::{
    args::{ExtractArgs, MessageFormat, StripArgs},
    console,
    files::{Input, Sink},
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
    let bytes = Input::open(path).map_err(|e| Diagnostic::error("CannotRead", e.to_string()))?;
    finalizer::read_module(&bytes)
}

fn cannot_write(sink: &Sink, e: &std::io::Error) -> Diagnostic {
    Diagnostic::error("CannotWrite", format!("{sink}: {e}"))
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
    let bytes = visa::write(&module).map_err(|e| Diagnostic::error("CannotWrite", e.to_string()))?;
    let sink = match (&args.output, args.in_place) {
        (Some(path), _) => Sink::new(path),
        (None, true) => Sink::File(args.input.clone()),
        (None, false) => {
            let message = "found no place for the result: give --output or --in-place";
            return Err(Diagnostic::error("NoOutput", message).at(Place::Input).into());
        }
    };
    sink.write(&bytes).map_err(|e| cannot_write(&sink, &e))?;
    Ok(format!("wrote {sink} ({} bytes): {} of {before} codes are out", bytes.len(), before - count(&module)))
}

fn extracted(args: &ExtractArgs) -> Result<String, Refusal> {
    let module = module(&args.input)?;
    let mut said = Vec::new();
    let mut files = BTreeSet::new();
    for kernel in &module.kernels {
        let name = kernel.name();
        if !args.kernel.is_empty() && !args.kernel.iter().any(|k| *k == name) {
            continue;
        }
        for binary in &kernel.gen_binaries {
            let platform = Platform::from_gen_platform(binary.platform);
            if !args.platform.is_empty() && platform.is_none_or(|p| !args.platform.contains(&p)) {
                continue;
            }
            let platform = platform.map_or_else(|| format!("platform{}", binary.platform), |p| p.to_string());
            let file = format!("{}.{}.{platform}.dat", names::stem(&args.input), names::of_kernel(&name));
            if !files.insert(file.clone()) {
                let message = format!("two codes of the object would go to {file}: name a kernel");
                return Err(Diagnostic::error("OutputTwice", message).at(Place::Input).into());
            }
            let sink = Sink::File(match &args.output {
                Some(directory) => directory.join(file),
                None => args.input.with_file_name(file),
            });
            sink.write(&binary.code).map_err(|e| cannot_write(&sink, &e))?;
            said.push(format!("wrote {sink} ({} bytes)", binary.code.len()));
        }
    }
    match said.is_empty() {
        true => Err(Diagnostic::error("NoCode", "the object has no such code").at(Place::Input).into()),
        false => Ok(said.join("\n")),
    }
}
