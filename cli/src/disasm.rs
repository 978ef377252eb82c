//! `visa-finalize disasm`: machine code as text.

use std::{io::Write, process::ExitCode};

use encoder::iga::{JsonOptions, ListingOptions, disassemble, disassemble_json};
use finalizer::{Diagnostic, Place, Refusal};

use crate::{
    args::{DisasmArgs, DisasmEmit, MessageFormat},
    files::{Input, write_atomically},
    report,
};

/// Disassembles raw code, or the code that an object carries for the platform.
pub fn run(args: &DisasmArgs) -> ExitCode {
    match text(args).and_then(|text| deliver(args, &text)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(Refusal(faults)) => {
            report::faults(&args.input, &faults, MessageFormat::Human);
            ExitCode::FAILURE
        }
    }
}

fn text(args: &DisasmArgs) -> Result<String, Refusal> {
    let bytes = Input::open(&args.input).map_err(|e| Diagnostic::error("CannotRead", e.to_string()))?;
    if !visa::is_object(&bytes) {
        return Ok(one(args, &bytes));
    }
    let module = finalizer::read_module(&bytes)?;
    let mut text = String::new();
    let mut found = false;
    for kernel in &module.kernels {
        if !args.kernel.is_empty() && !args.kernel.iter().any(|k| kernel.name() == k.as_str()) {
            continue;
        }
        for binary in &kernel.gen_binaries {
            if platforms::Platform::from_gen_platform(binary.platform) != Some(args.platform) {
                continue;
            }
            found = true;
            if args.emit == DisasmEmit::Asm && module.kernels.len() > 1 {
                text += &format!("// kernel {}\n", kernel.name());
            }
            text += &one(args, &binary.code);
        }
    }
    if found {
        return Ok(text);
    }
    let message = match args.kernel.is_empty() {
        true => format!("the object has no code for {}", args.platform),
        false => format!("the object has no code for {} in {}", args.platform, args.kernel.join(", ")),
    };
    Err(Diagnostic::error("NoCode", message).at(Place::Input).into())
}

fn one(args: &DisasmArgs, code: &[u8]) -> String {
    match args.emit {
        DisasmEmit::Asm => disassemble(args.platform, code, &ListingOptions::default()),
        DisasmEmit::Json => disassemble_json(args.platform, code, &JsonOptions::default()),
    }
}

fn deliver(args: &DisasmArgs, text: &str) -> Result<(), Refusal> {
    let done = match &args.output {
        Some(path) => write_atomically(path, text.as_bytes()),
        None => std::io::stdout().lock().write_all(text.as_bytes()),
    };
    match done {
        // The reader has seen enough.
        Err(e) if e.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        done => done.map_err(|e| Diagnostic::error("CannotWrite", e.to_string()).into()),
    }
}
