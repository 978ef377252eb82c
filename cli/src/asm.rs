//! `visa-finalize asm`: a listing back to machine code.

use iga::AsmOptions;
use narrow::to_u64;
use std::process::ExitCode;

use finalizer::{Diagnostic, Refusal};

use crate::{
    args::AsmArgs,
    codes, console,
    files::{self, Input, LONGEST_CODE, cannot_read, cannot_write},
};

/// Assembles one listing.
pub fn run(args: &AsmArgs) -> ExitCode {
    match code(args).and_then(|code| files::write(&args.output, &code).map_err(|e| cannot_write(e).into())) {
        Ok(()) => ExitCode::SUCCESS,
        Err(Refusal(faults)) => {
            console::faults(&args.input, &faults, args.message_format);
            ExitCode::FAILURE
        }
    }
}

fn code(args: &AsmArgs) -> Result<Vec<u8>, Refusal> {
    let bytes = Input::open(&args.input).map_err(cannot_read)?;
    if bytes.len() > LONGEST_CODE {
        let message =
            format!("found {} bytes, more than {LONGEST_CODE}: no listing is that long", bytes.len());
        return Err(Diagnostic::error("TooLong", message).into());
    }
    let text = std::str::from_utf8(&bytes).map_err(|e| Diagnostic::not_text(to_u64(e.valid_up_to())))?;
    codes::assembled(args.platform, text, &AsmOptions { compact: args.auto_compact })
}
