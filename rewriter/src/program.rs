//! A program's kernels: which code, which vISA, for which platform.

use std::collections::BTreeSet;

use finalizer::{Binary, Diagnostic, Finalizer, Grf, PAYLOAD_OFFSET, Refusal, Severity, ThreadPairs};
use platforms::Platform;
use visa::Module;
use zebin::{Elf, Error, Section, ZeInfo};

use crate::{
    piece::{Piece, Symbols},
    sections,
};

/// Type of sections with vISA (`SHT_ZEBIN_VISAASM`).
const VISAASM: u32 = 0xff00_0013;
/// Type of the description of the kernels (`SHT_ZEBIN_ZEINFO`).
const ZE_INFO: u32 = 0xff00_0011;

/// Choices of the caller.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Keep the compiler's code of kernels that cannot be finalized, with a warning, instead of refusing the program.
    pub keep_refused: bool,
}

/// A program with new code.
#[derive(Debug)]
pub struct Program {
    /// The file.
    pub bytes: Vec<u8>,
    /// What was made, in the order of the file.
    pub binaries: Vec<Binary>,
    /// Kernels that kept the compiler's code, and why.
    pub warnings: Vec<Diagnostic>,
    /// Sections that had to go, because they tell of code that is no longer there.
    pub notes: Vec<Diagnostic>,
}

/// A piece of code and the vISA that it was made from.
struct Source {
    name: String,
    /// The number of its section.
    section: usize,
    /// The numbers of the sections with the kernel's text, then with those of its functions.
    texts: Vec<usize>,
}

fn refused(why: impl ToString) -> Refusal {
    Diagnostic::error("BadProgram", why.to_string()).into()
}

/// The platform that a program was compiled for, as its notes say; `None` if they name a product that this
/// finalizer writes no code for.
///
/// # Errors
///
/// The file is no compiled program, or does not say.
pub fn platform_of(program: &[u8]) -> Result<Option<Platform>, Refusal> {
    Elf::read(program).and_then(|elf| zebin::platform_of(&elf)).map_err(refused)
}

/// Makes new code for every kernel of a program, on the finalizer's platform.
///
/// # Errors
///
/// The file is no compiled program, is for another platform, or has no vISA; what a kernel's vISA is refused for
/// (unless [`Options::keep_refused`]).
pub fn finalize(program: &[u8], finalizer: &mut Finalizer, options: Options) -> Result<Program, Refusal> {
    let mut elf = Elf::read(program).map_err(refused)?;
    check_platform(&elf, finalizer.options().platform)?;
    let sources = sources(&elf)?;
    let description = elf.of_kind(ZE_INFO).next().ok_or_else(|| refused("found no section .ze_info"))?;
    let mut info = ZeInfo::new(&String::from_utf8_lossy(&elf.sections[description].data));
    let mut symbols = Symbols::read(&elf).map_err(refused)?;
    let (mut binaries, mut warnings, mut faults) = (Vec::new(), Vec::new(), Vec::new());
    let wanted = finalizer.options().clone();
    // Whatever language they were written in: the compute runtime starts threads as pairs.
    let pairs = if wanted.pairs == ThreadPairs::Auto { ThreadPairs::Always } else { wanted.pairs };
    let debug_info = wanted.debug_info || sections::has_any(&elf);
    for source in &sources {
        let mut replace = || {
            let registers = info.environment(&source.name, "grf_count");
            let registers =
                registers.and_then(|n| u16::try_from(n).ok()).filter(|_| wanted.grf == Grf::Kernel);
            let inline = info.environment(&source.name, "inline_data_payload_size").unwrap_or(0);
            let can_be = u32::from(wanted.platform.caps().thread.inline_bytes);
            if inline != 0 && inline != can_be {
                return Err(refused(format!(
                    "found {inline} bytes of payload in a register, allowed: {can_be}"
                )));
            }
            *finalizer.options_mut() = finalizer::Options {
                inline_payload: inline > 0,
                pairs,
                debug_info,
                grf: registers.map_or(wanted.grf, Grf::Count),
                // Where the compiler's code makes room for implicit arguments, the runtime counts on it.
                relocate_payload: symbols.is_named_in(&elf, PAYLOAD_OFFSET, source.section),
                ..wanted.clone()
            };
            let binary = source.finalize(&elf, finalizer)?;
            let piece = Piece::new(source.section, &binary, &symbols, &info).map_err(refused)?;
            piece.put(&mut elf, &mut symbols, &mut info).map_err(refused)?;
            Ok(binary)
        };
        match replace() {
            Ok(binary) => binaries.push(binary),
            Err(Refusal(why)) => {
                let named = why.into_iter().map(|d| d.in_kernel(source.name.as_str()));
                match options.keep_refused {
                    true => {
                        warnings.extend(named.map(|d| Diagnostic { severity: Severity::Warning, ..d }));
                    }
                    false => faults.extend(named),
                }
            }
        }
    }
    let wants_debug_info = wanted.debug_info;
    *finalizer.options_mut() = wanted;
    if !faults.is_empty() {
        return Err(Refusal(faults));
    }
    symbols.write(&mut elf);
    elf.sections[description].data = info.text().into_bytes();
    let mut notes = Vec::new();
    notes.extend(remove_untrue(&mut elf, &binaries).map_err(refused)?);
    notes.extend(sections::renew(&mut elf, &binaries, wants_debug_info).map_err(refused)?);
    Ok(Program { bytes: elf.write(), binaries, warnings, notes })
}

fn check_platform(elf: &Elf, platform: Platform) -> Result<(), Refusal> {
    match zebin::product(elf) {
        Some(found) if Platform::from_product(found) != Some(platform) => {
            let what = Platform::from_product(found).map_or(format!("product {found}"), |p| p.to_string());
            Err(refused(format!("found a program compiled for {what}, allowed: {platform}")))
        }
        _ => Ok(()),
    }
}

/// Takes away where instrumentation may use which register of the compiler's code. Returns a warning if there was any.
fn remove_untrue(elf: &mut Elf, made: &[Binary]) -> Result<Option<Diagnostic>, Error> {
    let kernels: BTreeSet<&str> = made.iter().map(|b| b.info.name.as_str()).collect();
    let is_untrue = |section: &Section| match section.name.strip_prefix(".gtpin_info") {
        Some(kernel) => kernel.strip_prefix('.').map_or(!made.is_empty(), |name| kernels.contains(name)),
        None => false,
    };
    let gone: Vec<&str> = elf.sections.iter().filter(|s| is_untrue(s)).map(|s| s.name.as_str()).collect();
    let note = (!gone.is_empty()).then(|| {
        let message =
            format!("removed {}, which tell of the registers of the compiler's code", gone.join(", "));
        Diagnostic::warning("InstrumentationSections", message)
    });
    elf.remove(is_untrue)?;
    Ok(note)
}

/// The code sections, each with its vISA. Texts stand in the order of the code; those of functions follow the
/// kernel whose section has their code.
fn sources(elf: &Elf) -> Result<Vec<Source>, Refusal> {
    let mut sources: Vec<Source> = Vec::new();
    for (section, s) in elf.sections.iter().enumerate() {
        if let Some(name) = s.name.strip_prefix(".text.") {
            sources.push(Source { name: name.to_owned(), section, texts: Vec::new() });
        }
    }
    let mut kernels = 0;
    for section in elf.of_kind(VISAASM) {
        kernels += usize::from(is_kernel(text(elf, section)));
        let Some(source) = kernels.checked_sub(1).and_then(|i| sources.get_mut(i)) else {
            let message = format!("found vISA of {kernels} kernels or more, code of {}", sources.len());
            return Err(refused(message));
        };
        source.texts.push(section);
    }
    if kernels == sources.len() {
        return Ok(sources);
    }
    let message = match kernels {
        0 => {
            "found no vISA in the program: compile it with -ze-emit-zebin-visa-sections (an internal option)"
                .to_owned()
        }
        _ => format!("found vISA of {kernels} kernels and code of {}", sources.len()),
    };
    Err(Diagnostic::error("NoVisa", message).into())
}

/// vISA that a program holds for one kernel.
#[derive(Clone, Debug)]
pub struct KernelVisa {
    /// The kernel's name.
    pub kernel: String,
    /// Its text, then those of functions that its code holds.
    pub texts: Vec<Vec<u8>>,
}

/// The vISA that a program holds; nothing if it was compiled without.
///
/// # Errors
///
/// No ELF file, or one whose texts are not those of its code.
pub fn visa_of(program: &[u8]) -> Result<Vec<KernelVisa>, Refusal> {
    let elf = Elf::read(program).map_err(refused)?;
    if elf.of_kind(VISAASM).next().is_none() {
        return Ok(Vec::new());
    }
    let texts = |s: Source| KernelVisa {
        kernel: s.name,
        texts: s.texts.into_iter().map(|section| text(&elf, section).to_vec()).collect(),
    };
    Ok(sources(&elf)?.into_iter().map(texts).collect())
}

/// The vISA of a section.
fn text(elf: &Elf, section: usize) -> &[u8] {
    let text = elf.sections[section].data.as_slice();
    text.strip_suffix(&[0]).unwrap_or(text)
}

fn is_kernel(text: &[u8]) -> bool {
    let mut lines = text.split(|b| *b == b'\n');
    lines.any(|l| l.trim_ascii_start().starts_with(b".kernel "))
}

impl Source {
    /// Code for the kernel and its functions.
    fn finalize(&self, elf: &Elf, finalizer: &mut Finalizer) -> Result<Binary, Refusal> {
        let platform = finalizer.options().platform;
        let mut texts = self.texts.iter().map(|t| finalizer::read_text(text(elf, *t), platform));
        let mut module: Module = match texts.next() {
            Some(module) => module?,
            None => return Err(Diagnostic::error("NoVisa", "found no vISA of this code").into()),
        };
        for function in texts {
            module.link(function?);
        }
        let mut binary = finalizer.finalize_kernel(&module, 0)?;
        // Some compilers call every kernel `kernel` in its text.
        if let Some(symbol) = binary.symbols.first_mut() {
            symbol.name.clone_from(&self.name);
        }
        binary.info.name.clone_from(&self.name);
        Ok(binary)
    }
}
