//! Machine code out of whatever holds some: objects, programs, raw code, listings, and vISA that is finalized first.

use narrow::low_u16;
use std::path::Path;

use encoder::decode_all;
use finalizer::{Binary, Diagnostic, Finalizer, Grf, Place, Refusal};
use iga::{AsmError, AsmOptions, assemble};
use platforms::Platform;
use visa::Module;

use crate::files::{Input, LONGEST_CODE, cannot_read};

/// Code and what it is called; raw code has no name.
pub struct Piece {
    /// The kernel.
    pub name: Option<String>,
    /// Its code.
    pub code: Vec<u8>,
    /// Bytes of the register file, from and to, that hold values at the start, if that is known.
    pub inputs: Option<Vec<(u32, u32)>>,
}

/// What there is of a platform's code in a file's bytes: embedded in an object, in a program, or raw code.
pub fn machine_code(platform: Platform, bytes: &[u8]) -> Result<Vec<Piece>, Refusal> {
    if visa::is_object(bytes) {
        Ok(embedded(platform, &finalizer::read_module(bytes)?))
    } else if zebin::is_elf(bytes) {
        of_program(bytes)
    } else {
        might_be_code(platform, bytes)?;
        Ok(vec![Piece { name: None, code: bytes.to_vec(), inputs: None }])
    }
}

/// The code of a file of any kind. An object or a compiled program gives the code that it carries for the platform; vISA
/// without such code is finalized, with so many registers; a listing is assembled.
pub fn any_code(platform: Platform, grf: Grf, path: &Path) -> Result<Vec<Piece>, Refusal> {
    let bytes = Input::open(path).map_err(cannot_read)?;
    if visa::is_object(&bytes) {
        let module = finalizer::read_module(&bytes)?;
        let carried = embedded(platform, &module);
        return if carried.is_empty() { finalized(platform, grf, &module) } else { Ok(carried) };
    }
    if bytes.len() <= LONGEST_CODE
        && !bytes.contains(&0)
        && let Ok(text) = std::str::from_utf8(&bytes)
    {
        let first = text.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with("//"));
        return match first {
            Some(line) if line.starts_with('.') => {
                finalized(platform, grf, &finalizer::read_text(&bytes, platform)?)
            }
            _ => assembled(platform, text, &AsmOptions::default())
                .map(|code| vec![Piece { name: None, code, inputs: None }]),
        };
    }
    machine_code(platform, &bytes)
}

/// What the kernels of a module become here.
pub fn finalized(platform: Platform, grf: Grf, module: &Module) -> Result<Vec<Piece>, Refusal> {
    let mut finalizer = Finalizer::new(finalizer::Options { grf, ..finalizer::Options::new(platform) });
    let piece = |b: Binary| {
        let inputs = Some(inputs(&b));
        Piece { name: Some(b.info.name), code: b.code, inputs }
    };
    Ok(finalizer.finalize_module(module)?.into_iter().map(piece).collect())
}

/// Bytes of the register file that a kernel's inputs fill.
pub fn inputs(binary: &Binary) -> Vec<(u32, u32)> {
    binary.info.inputs.iter().map(|i| (i.offset, i.offset.saturating_add(i.size))).collect()
}

/// A listing as code.
pub fn assembled(platform: Platform, text: &str, options: &AsmOptions) -> Result<Vec<u8>, Refusal> {
    assemble(platform, text, options).map_err(|errors| {
        let one = |e: AsmError| Diagnostic::bad_listing(e.line, e.column, &e.found, &e.allowed);
        Refusal(errors.into_iter().map(one).collect())
    })
}

/// The code that a module's kernels carry for a platform.
pub fn embedded(platform: Platform, module: &Module) -> Vec<Piece> {
    let of_kernel = |kernel: &visa::Kernel| {
        let name = kernel.name().into_owned();
        let inputs: Vec<(u32, u32)> = kernel
            .inputs
            .iter()
            .map(|i| (u32::from(low_u16(i.offset)), u32::from(low_u16(i.offset)) + u32::from(i.size)))
            .collect();
        let binaries = kernel.gen_binaries.iter();
        let of_platform = binaries.filter(move |b| Platform::from_gen_platform(b.platform) == Some(platform));
        let piece = |b: &visa::GenBinary| Piece {
            name: Some(name.clone()),
            code: b.code.clone(),
            inputs: Some(inputs.clone()),
        };
        of_platform.map(piece).collect::<Vec<_>>()
    };
    module.kernels.iter().flat_map(of_kernel).collect()
}

fn of_program(bytes: &[u8]) -> Result<Vec<Piece>, Refusal> {
    let bad = |e: zebin::Error| {
        let message = format!("found an ELF file that is no compiled program (zebin): {e}");
        Diagnostic::error("BadProgram", message).at(Place::Input)
    };
    let program = zebin::Program::read(bytes).map_err(bad)?;
    let piece = |name: &str| {
        let code = program.unit(name)?.code.clone();
        Some(Piece { name: Some(name.to_owned()), code, inputs: None })
    };
    Ok(program.kernels().filter_map(piece).collect())
}

/// Words that are looked at before the rest is.
const FIRST_WORDS: usize = 256;

/// Refuses what is too long for code, or of which nothing at the start is an instruction.
fn might_be_code(platform: Platform, bytes: &[u8]) -> Result<(), Refusal> {
    let refuse = |message: String| Err(Diagnostic::error("NotCode", message).at(Place::Input).into());
    if bytes.len() > LONGEST_CODE {
        let found = bytes.len();
        return refuse(format!(
            "found {found} bytes, more than {LONGEST_CODE}: no machine code is that long"
        ));
    }
    let words = || decode_all(platform, bytes).take(FIRST_WORDS);
    if bytes.len() > FIRST_WORDS * 16 && words().all(|word| word.inst.is_err()) {
        return refuse(format!("found no instruction of {platform} in the first {FIRST_WORDS} words"));
    }
    Ok(())
}
