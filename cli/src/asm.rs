//! `visa-finalize asm`: a listing back to machine code.

use std::process::ExitCode;

use finalizer::{Diagnostic, Place, Refusal};
use iga::{AsmOptions, assemble};

use crate::{
    args::AsmArgs,
    files::{self, Input},
    report,
};

/// Assembles one listing.
pub fn run(args: &AsmArgs) -> ExitCode {
    match code(args).and_then(|code| {
        files::write(&args.output, &code).map_err(|e| Diagnostic::error("CannotWrite", e.to_string()).into())
    }) {
        Ok(()) => ExitCode::SUCCESS,
        Err(Refusal(faults)) => {
            report::faults(&args.input, &faults, args.message_format);
            ExitCode::FAILURE
        }
    }
}

fn code(args: &AsmArgs) -> Result<Vec<u8>, Refusal> {
    let bytes = Input::open(&args.input).map_err(|e| Diagnostic::error("CannotRead", e.to_string()))?;
    let text = std::str::from_utf8(&bytes).map_err(|e| {
        let place = Place::Offset(e.valid_up_to() as u64);
        Diagnostic::error("NotText", "a listing is UTF-8 text").at(place)
    })?;
    assemble(args.platform, text, &AsmOptions { compact: args.auto_compact }).map_err(|errors| {
        let one = |e: iga::AsmError| {
            Diagnostic::error("BadListing", format!("found {}, allowed: {}", e.found, e.allowed))
                .at(Place::Line { line: e.line, column: e.column })
        };
        Refusal(errors.into_iter().map(one).collect())
    })
}
