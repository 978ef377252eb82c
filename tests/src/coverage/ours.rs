//! What we say to a form.

use std::panic::{AssertUnwindSafe, catch_unwind};

use finalizer::{Finalizer, Options};
use platforms::Platform;

use super::{forms::Form, program::program};

/// Whether a form breaks no rule of the specification.
pub fn is_plain(platform: Platform, form: &Form) -> bool {
    let module = finalizer::read_text(program(&form.line).as_bytes(), platform);
    module.is_ok_and(|m| {
        visa::verify::verify(&m, visa::verify::VerifyOptions::for_platform(platform)).is_empty()
    })
}

/// Why we refuse a line, if we do.
pub fn refusal(platform: Platform, line: &str) -> Option<String> {
    let first = |e: finalizer::Refusal| e.0.first().map_or(String::new(), |d| d.message.clone());
    let module = match finalizer::read_text(program(line).as_bytes(), platform) {
        Ok(module) => module,
        Err(e) => return Some(first(e)),
    };
    Finalizer::new(Options::new(platform)).finalize_kernel(&module, 0).err().map(first)
}

/// Our code of a form, if we have it.
pub fn code(platform: Platform, form: &Form) -> Option<Vec<u8>> {
    let module = finalizer::read_text(program(&form.line).as_bytes(), platform).ok()?;
    Finalizer::new(Options::new(platform)).finalize_kernel(&module, 0).ok().map(|b| b.code)
}

/// Whether we refuse a form.
pub(super) fn refuses(platform: Platform, form: &Form) -> bool {
    let text = program(&form.line);
    let done = catch_unwind(AssertUnwindSafe(|| {
        let module = finalizer::read_text(text.as_bytes(), platform).ok()?;
        Finalizer::new(Options::new(platform)).finalize_kernel(&module, 0).ok()
    }));
    matches!(done, Ok(None))
}
