//! What we say to a form.

use std::panic::{AssertUnwindSafe, catch_unwind};

use finalizer::{Binary, Finalizer, Options, Refusal, RelocationKind};
use platforms::Platform;
use visa::{Module, Severity};

use super::{forms::Form, program::program};

/// Reads a text as the command does, which goes on where no rule is broken that leaves no meaning.
///
/// # Errors
///
/// The first fault.
pub fn read(platform: Platform, text: &str) -> Result<Module, String> {
    let module = finalizer::read_text(text.as_bytes(), platform).map_err(first)?;
    meaningless(platform, &module).map_or(Ok(module), Err)
}

/// What leaves a text without a meaning.
pub fn meaningless(platform: Platform, module: &Module) -> Option<String> {
    let findings = visa::verify(module, visa::VerifyOptions::for_platform(platform));
    findings
        .into_iter()
        .find(|f| f.rule.severity() == Severity::Error)
        .map(|f| format!("{}: {}", f.field, f.message))
}

fn first(refusal: Refusal) -> String {
    refusal.0.first().map_or(String::new(), |d| d.message.clone())
}

/// Whether a form breaks no rule of the specification.
pub fn is_plain(platform: Platform, form: &Form) -> bool {
    let module = finalizer::read_text(program(&form.line).as_bytes(), platform);
    module.is_ok_and(|m| {
        visa::verify::verify(&m, visa::verify::VerifyOptions::for_platform(platform)).is_empty()
    })
}

/// Why we refuse a line, if we do.
pub fn refusal(platform: Platform, line: &str) -> Option<String> {
    finalized(platform, line).err()
}

/// Our code of a form, if we have it.
pub fn code(platform: Platform, form: &Form) -> Option<Vec<u8>> {
    finalized(platform, &form.line).ok().map(|b| b.code)
}

fn finalized(platform: Platform, line: &str) -> Result<Binary, String> {
    let module = read(platform, &program(line))?;
    Finalizer::new(Options::new(platform)).finalize_kernel(&module, 0).map_err(first)
}

/// Code whose functions have their addresses where it is put at the start of the address space.
pub(super) fn linked(binary: &Binary) -> Vec<u8> {
    let mut code = binary.code.clone();
    for r in &binary.relocations {
        let Some(symbol) = binary.symbols.iter().find(|s| s.name == r.symbol) else { continue };
        let value = if r.kind == RelocationKind::AddressLow { symbol.offset } else { 0 };
        code[r.offset as usize..][..4].copy_from_slice(&value.to_le_bytes());
    }
    code
}

/// Whether we refuse a form.
pub(super) fn refuses(platform: Platform, form: &Form) -> bool {
    matches!(catch_unwind(AssertUnwindSafe(|| finalized(platform, &form.line))), Ok(Err(_)))
}
