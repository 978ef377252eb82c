//! Objects and text in.

use std::borrow::Cow;

use narrow::{to_index, to_u64};
use platforms::Platform;
use visa::{Module, text::TextOptions};

use crate::{Diagnostic, Place, Refusal, Unsupported};

/// Reads a vISA object.
///
/// # Errors
///
/// Every fault that the reader found, with its byte offset.
pub fn read_module(object: &[u8]) -> Result<Module, Refusal> {
    visa::read(object).map_err(refusal)
}

/// Reads one kernel of a vISA object and all functions; of the other kernels, the names. Gives the
/// module and the kernel's number in it.
///
/// # Errors
///
/// There is no such kernel; every fault that the reader found, with its byte offset.
pub fn read_kernel(object: &[u8], name: &str) -> Result<(Module, usize), Refusal> {
    let (module, kernel) = visa::read_kernel(object, name.as_bytes()).map_err(refusal)?;
    let kernel = kernel.ok_or_else(|| unknown_kernel(&module, name))?;
    Ok((module, kernel))
}

pub(crate) fn refusal(errors: visa::Errors) -> Refusal {
    Refusal(errors.0.into_iter().map(Diagnostic::from).collect())
}

/// The number of the kernel of that name.
///
/// # Errors
///
/// There is none.
pub fn kernel_named(module: &Module, name: &str) -> Result<usize, Refusal> {
    let found = module.kernels.iter().position(|k| k.name() == name);
    found.ok_or_else(|| unknown_kernel(module, name).into())
}

/// There is no kernel of that name.
pub(crate) fn unknown_kernel(module: &Module, name: &str) -> Diagnostic {
    let names: Vec<_> = module.kernels.iter().map(|k| format!("`{}`", k.name())).collect();
    let message = format!("found no kernel `{name}`; the object has {}", names.join(", "));
    Diagnostic::error("UnknownKernel", message)
}

/// A zero byte among so many tells binary data from text, without reading all of it.
const BEGINNING: usize = 1 << 16;
/// The longest text that is read: the statements of one take many times its memory. The longest that Intel's
/// compiler made of some 1,700 real kernels has two million bytes.
const LONGEST_TEXT: usize = 128 << 20;

fn not_visa(offset: usize) -> Refusal {
    let message = "found neither a vISA object (which starts with CISA) nor vISA assembly";
    Diagnostic::error("NotVisa", message).at(Place::Offset(to_u64(offset))).into()
}

/// Reads vISA assembly written for a platform: rows of operands count its registers. Bytes that are no UTF-8
/// (names of files in another encoding) read as U+FFFD.
///
/// # Errors
///
/// Every statement at fault, with line and column.
pub fn read_text(text: &[u8], platform: Platform) -> Result<Module, Refusal> {
    if let Some(at) = text.iter().take(BEGINNING).position(|b| *b == 0) {
        return Err(not_visa(at));
    }
    if text.len() > LONGEST_TEXT {
        let message = format!("found text of {} bytes; allowed: {LONGEST_TEXT}", text.len());
        return Err(Diagnostic::error("TooLong", message).into());
    }
    let is_assembly =
        || [&b".kernel"[..], b".global_function"].iter().any(|d| text.windows(d.len()).any(|w| w == *d));
    let text = match std::str::from_utf8(text) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) if !text.contains(&0) && is_assembly() => String::from_utf8_lossy(text),
        Err(e) => return Err(not_visa(e.valid_up_to())),
    };
    let options = TextOptions { grf_bytes: platform.caps().regs.grf_bytes.into(), ..TextOptions::default() };
    visa::text::parse(&text, options).map_err(|faults| {
        let one = |f: visa::text::Fault| {
            let place = Place::Line { line: f.line, column: f.column };
            let length = Some(to_index(f.span.len()));
            Diagnostic { length, ..Diagnostic::error("BadText", f.message).at(place) }
        };
        Refusal(faults.0.into_iter().map(one).collect())
    })
}

/// Reads an object, recognized by its first bytes, or else text.
///
/// # Errors
///
/// As [`read_module`] and [`read_text`].
pub fn read_input(bytes: &[u8], platform: Platform) -> Result<Module, Refusal> {
    if visa::is_object(bytes) { read_module(bytes) } else { read_text(bytes, platform) }
}

/// Why there is nothing to finalize in a kernel: whoever shipped its object left only machine code in it.
pub(crate) fn no_code(kernel: &visa::Kernel) -> Option<Diagnostic> {
    kernel.quirks.stripped_code?;
    let names: Vec<_> = kernel.gen_binaries.iter().map(|b| platform_name(b.platform)).collect();
    let has = match names.is_empty() {
        true => String::new(),
        false => format!("; it has machine code for {}", names.join(", ")),
    };
    let message = format!("its vISA code was taken out of the object{has}");
    Some(Diagnostic::error("NoVisaCode", message).in_kernel(kernel.name()))
}

/// The platform that a number in an object's header stands for, for messages.
pub fn platform_name(number: u8) -> String {
    match Platform::from_gen_platform(number) {
        Some(platform) => platform.to_string(),
        None => format!("platform number {number}, which is not known here"),
    }
}

/// Whether an object was compiled for a platform whose registers have another size: one fault in place of
/// hundreds, since its operands count rows in them.
pub fn compiled_for_other_registers(module: &Module, platform: Platform) -> Option<Diagnostic> {
    module.kernels.iter().find_map(|k| other_registers(k, platform)).map(|d| Diagnostic { kernel: None, ..d })
}

/// Inputs stand where the platform's threads have their header, which is one register: in objects that were
/// compiled for smaller ones.
pub(crate) fn inputs_in_header(kernel: &visa::Kernel, platform: Platform) -> bool {
    let header = i32::from(platform.caps().regs.grf_bytes);
    kernel.places == visa::PlaceKind::Offset
        && kernel.inputs.iter().any(|i| (1..header).contains(&i32::from(i.offset)))
}

/// The same for a kernel. Text is read for the registers of its platform, whatever it was written for.
pub(crate) fn other_registers(kernel: &visa::Kernel, platform: Platform) -> Option<Diagnostic> {
    let fits = |p: Platform| {
        let size = p.caps().regs.grf_bytes.into();
        !inputs_in_header(kernel, p) && !visa::verify_safety(kernel, size).iter().any(|f| f.rule.is_safety())
    };
    if kernel.places != visa::PlaceKind::Offset || fits(platform) {
        return None;
    }
    let own = platform.caps().regs.grf_bytes;
    let size = |p: Platform| p.caps().regs.grf_bytes;
    let size = Platform::ALL.into_iter().filter(|&p| size(p) != own).find(|&p| fits(p)).map(size)?;
    let message = format!(
        "the object was compiled for a platform with registers of {size} bytes: only with those do its operands \
         stay in their variables and its inputs behind the thread's header; {platform} has registers of {own} bytes"
    );
    Some(Diagnostic::error("RegisterSize", message).in_kernel(kernel.name()))
}

impl From<visa::Error> for Diagnostic {
    fn from(e: visa::Error) -> Diagnostic {
        let mut d = Diagnostic::error(e.kind.name(), e.kind.to_string()).about(e.field);
        d.place = Place::Offset(to_u64(e.offset));
        d.kernel = e.kernel;
        d.instruction = e.instruction.map(|name| (None, name.to_owned()));
        d
    }
}

impl From<visa::Finding> for Diagnostic {
    fn from(f: visa::Finding) -> Diagnostic {
        let mut d = Diagnostic::error(f.rule.id(), f.message).about(f.field).in_kernel(f.kernel);
        d.subject = f.subject;
        if f.rule.severity() != visa::Severity::Error {
            d.severity = crate::Severity::Warning;
        }
        let Some((index, opcode, place)) = f.instruction else { return d };
        let place = match f.places {
            visa::PlaceKind::Offset => Place::Offset(place.into()),
            visa::PlaceKind::Line => Place::Line { line: place, column: 1 },
        };
        d.at(place).at_instruction(index, opcode)
    }
}

impl From<crate::lower::LowerError> for Diagnostic {
    fn from(e: crate::lower::LowerError) -> Diagnostic {
        Diagnostic::from(e.reason)
            .at(Place::Offset(u64::from(e.place)))
            .in_kernel(e.kernel)
            .at_instruction(e.index, e.opcode)
    }
}

impl From<crate::legalize::LegalizeError> for Diagnostic {
    fn from(e: crate::legalize::LegalizeError) -> Diagnostic {
        Diagnostic::from(Unsupported::Operation(e.reason)).at_instruction(e.origin, e.inst)
    }
}
