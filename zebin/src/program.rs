//! A program's kernels: which code, which vISA, for which platform.

use finalizer::{Binary, Diagnostic, Finalizer, Refusal, Severity};
use platforms::Platform;
use visa::Module;

use crate::{
    elf::{Elf, bad},
    rewrite,
    ze_info::ZeInfo,
};

/// Type of sections with vISA (`SHT_ZEBIN_VISAASM`).
const VISAASM: u32 = 0xff00_0013;
/// Type of the description of the kernels (`SHT_ZEBIN_ZEINFO`).
const ZE_INFO: u32 = 0xff00_0011;
/// The section that says what the program was compiled for.
const COMPAT: &str = ".note.intelgt.compat";
/// Type of the note there that names the product (`NT_INTELGT_PRODUCT_FAMILY`).
const PRODUCT_FAMILY: u32 = 1;

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
}

/// A piece of code and the vISA that it was made from.
struct Piece<'a> {
    name: String,
    /// The number of its section.
    section: usize,
    /// The kernel's text, then those of its functions.
    texts: Vec<&'a [u8]>,
}

/// The platform that a program was compiled for, as its notes say; `None` if they name a product that this
/// finalizer writes no code for.
///
/// # Errors
///
/// The file is no compiled program, or does not say.
pub fn platform_of(program: &[u8]) -> Result<Option<Platform>, Refusal> {
    let elf = Elf::read(program).map_err(|e| Refusal(vec![*e]))?;
    let product = product(&elf).ok_or_else(|| bad(format!("found no product family in {COMPAT}")))?;
    Ok(Platform::from_product(product))
}

fn product(elf: &Elf) -> Option<u32> {
    let section = elf.sections.iter().find(|s| s.name == COMPAT)?;
    let mut rest = section.data.as_slice();
    let word = |bytes: &[u8], at: usize| Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?));
    loop {
        let (name, size, kind) = (word(rest, 0)? as usize, word(rest, 4)? as usize, word(rest, 8)?);
        let value = 12 + name.checked_next_multiple_of(4)?;
        if kind == PRODUCT_FAMILY {
            return word(rest, value);
        }
        rest = rest.get(value.checked_add(size.checked_next_multiple_of(4)?)?..)?;
    }
}

/// Makes new code for every kernel of a program, on the finalizer's platform.
///
/// # Errors
///
/// The file is no compiled program, is for another platform, or has no vISA; what a kernel's vISA is refused for
/// (unless [`Options::keep_refused`]).
pub fn finalize(program: &[u8], finalizer: &mut Finalizer, options: Options) -> Result<Program, Refusal> {
    let mut elf = Elf::read(program).map_err(|e| Refusal(vec![*e]))?;
    let platform = finalizer.options().platform;
    if let Some(found) = product(&elf).filter(|p| Platform::from_product(*p) != Some(platform)) {
        let what = Platform::from_product(found).map_or(format!("product {found}"), |p| p.to_string());
        return Err(bad(format!("found a program compiled for {what}, allowed: {platform}")).into());
    }
    let source = Elf::read(program).map_err(|e| Refusal(vec![*e]))?;
    let pieces = pieces(&source)?;
    let description = elf.of_kind(ZE_INFO).next().ok_or_else(|| bad("found no section .ze_info"))?;
    let mut info = ZeInfo::new(&String::from_utf8_lossy(&elf.sections[description].data));
    let (mut binaries, mut warnings, mut faults) = (Vec::new(), Vec::new(), Vec::new());
    for piece in pieces {
        match finalize_piece(&piece, finalizer, &info) {
            Ok(binary) => {
                rewrite::replace(&mut elf, piece.section, &binary, &mut info)
                    .map_err(|e| e.in_kernel(&*piece.name))?;
                binaries.push(binary);
            }
            Err(Refusal(why)) if options.keep_refused => {
                warnings.extend(why.into_iter().map(|d| Diagnostic { severity: Severity::Warning, ..d }));
            }
            Err(Refusal(why)) => faults.extend(why),
        }
    }
    if !faults.is_empty() {
        return Err(Refusal(faults));
    }
    elf.sections[description].data = info.text().into_bytes();
    Ok(Program { bytes: elf.write(), binaries, warnings })
}

/// The code sections, each with its vISA. Texts stand in the order of the code; those of functions follow the
/// kernel whose section has their code.
fn pieces(elf: &Elf) -> Result<Vec<Piece<'_>>, Refusal> {
    let mut pieces: Vec<Piece<'_>> = Vec::new();
    for (section, s) in elf.sections.iter().enumerate() {
        if let Some(name) = s.name.strip_prefix(".text.") {
            pieces.push(Piece { name: name.to_owned(), section, texts: Vec::new() });
        }
    }
    let mut kernels = 0;
    for section in elf.of_kind(VISAASM) {
        let text = elf.sections[section].data.as_slice();
        let text = text.strip_suffix(&[0]).unwrap_or(text);
        kernels += usize::from(is_kernel(text));
        let Some(piece) = kernels.checked_sub(1).and_then(|i| pieces.get_mut(i)) else {
            let message = format!("found vISA of {kernels} kernels or more, code of {}", pieces.len());
            return Err(bad(message).into());
        };
        piece.texts.push(text);
    }
    if kernels == pieces.len() {
        return Ok(pieces);
    }
    let message = match kernels {
        0 => {
            "found no vISA in the program: compile it with -ze-emit-zebin-visa-sections (an internal option)"
                .to_owned()
        }
        _ => format!("found vISA of {kernels} kernels and code of {}", pieces.len()),
    };
    Err(Diagnostic::error("NoVisa", message).into())
}

fn is_kernel(text: &[u8]) -> bool {
    let mut lines = text.split(|b| *b == b'\n');
    lines.any(|l| l.trim_ascii_start().starts_with(b".kernel "))
}

fn finalize_piece(piece: &Piece<'_>, finalizer: &mut Finalizer, info: &ZeInfo) -> Result<Binary, Refusal> {
    let name = piece.name.as_str();
    let named = |Refusal(faults): Refusal| Refusal(faults.into_iter().map(|d| d.in_kernel(name)).collect());
    // The compiler's code reads its data at an offset that the driver puts in when it hands over implicit arguments.
    if info.has_argument(name, "implicit_arg_buffer") {
        let message = "found an implicit_arg_buffer argument, for which the driver changes the code itself";
        return Err(named(Diagnostic::error("UnsupportedProgram", message).into()));
    }
    let platform = finalizer.options().platform;
    let mut texts = piece.texts.iter().map(|text| finalizer::read_text(text, platform));
    let mut module: Module = match texts.next() {
        Some(module) => module.map_err(named)?,
        None => return Err(named(Diagnostic::error("NoVisa", "found no vISA of this code").into())),
    };
    for function in texts {
        module.link(function.map_err(named)?);
    }
    let mut binary = finalizer.finalize_kernel(&module, 0).map_err(named)?;
    // Some compilers call every kernel `kernel` in its text.
    if let Some(symbol) = binary.symbols.first_mut() {
        symbol.name = name.to_owned();
    }
    binary.info.name = name.to_owned();
    Ok(binary)
}
