//! `visa-finalize disasm`: machine code as text.

use std::process::ExitCode;

use encoder::decode_all;
use finalizer::{Diagnostic, Place, Refusal, Severity};
use iga::{JsonOptions, ListingOptions, disassemble, disassemble_json};
use platforms::Platform;
use serde_json::json;

use crate::{
    args::{DisasmArgs, DisasmEmit, MessageFormat},
    files::{Input, Sink},
    report,
};

/// Disassembles raw code, or the code that an object or a compiled program carries for the platform. Words that
/// are no instruction are listed as such, and make the exit status 1.
pub fn run(args: &DisasmArgs) -> ExitCode {
    let faults = match disassembly(args) {
        Ok((text, faults)) => match deliver(args, &text) {
            Ok(()) => faults,
            Err(Refusal(faults)) => faults,
        },
        Err(Refusal(faults)) => faults,
    };
    report::faults(&args.input, &faults, MessageFormat::Human);
    let is_refused = faults.iter().any(|d| d.severity == Severity::Error);
    if is_refused { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// Code and what it is called; raw code has no name.
struct Piece {
    name: Option<String>,
    code: Vec<u8>,
}

fn disassembly(args: &DisasmArgs) -> Result<(String, Vec<Diagnostic>), Refusal> {
    let bytes = Input::open(&args.input).map_err(|e| Diagnostic::error("CannotRead", e.to_string()))?;
    let pieces = pieces(args, &bytes)?;
    let faults = pieces.iter().filter_map(|p| unknown_words(args.platform, p)).collect();
    let text = match args.emit {
        DisasmEmit::Asm => listings(args.platform, &pieces),
        DisasmEmit::Json => documents(args.platform, &pieces),
    };
    Ok((text, faults))
}

fn pieces(args: &DisasmArgs, bytes: &[u8]) -> Result<Vec<Piece>, Refusal> {
    let mut pieces = if visa::is_object(bytes) {
        embedded(args.platform, &finalizer::read_module(bytes)?)
    } else if bytes.starts_with(b"\x7fELF") {
        of_program(bytes)?
    } else {
        return Ok(vec![Piece { name: None, code: bytes.to_vec() }]);
    };
    if !args.kernel.is_empty() {
        pieces.retain(|p| args.kernel.iter().any(|k| p.name.as_ref() == Some(k)));
    }
    if !pieces.is_empty() {
        return Ok(pieces);
    }
    let within = match args.kernel.is_empty() {
        true => String::new(),
        false => format!(" in {}", args.kernel.join(", ")),
    };
    let message = format!("found no code for {}{within}{}", args.platform, others(bytes));
    Err(Diagnostic::error("NoCode", message).at(Place::Input).into())
}

fn embedded(platform: Platform, module: &visa::Module) -> Vec<Piece> {
    let of_kernel = |kernel: &visa::Kernel| {
        let name = kernel.name().into_owned();
        let binaries = kernel.gen_binaries.iter();
        let ours = binaries.filter(move |b| Platform::from_gen_platform(b.platform) == Some(platform));
        ours.map(|b| Piece { name: Some(name.clone()), code: b.code.clone() }).collect::<Vec<_>>()
    };
    module.kernels.iter().flat_map(of_kernel).collect()
}

fn of_program(bytes: &[u8]) -> Result<Vec<Piece>, Refusal> {
    let bad = |e: zebin::Error| {
        let message = format!("found an ELF file that is no compiled program (zebin): {e}");
        Diagnostic::error("BadProgram", message).at(Place::Input)
    };
    let program = zebin::Program::read(bytes).map_err(bad)?;
    let piece =
        |name: &str| Some(Piece { name: Some(name.to_owned()), code: program.unit(name)?.code.clone() });
    Ok(program.kernels().filter_map(piece).collect())
}

/// A fault if some words of a piece are no instruction of the platform.
fn unknown_words(platform: Platform, piece: &Piece) -> Option<Diagnostic> {
    let (mut words, mut unknown, mut first) = (0, 0, None);
    // Zeros behind the code fill it up to a size; they need not end with an instruction.
    let end = piece.code.iter().rposition(|b| *b != 0).map_or(0, |last| last as u32 + 1);
    for word in decode_all(platform, &piece.code).take_while(|word| word.offset < end) {
        words += 1;
        if word.inst.is_err() {
            unknown += 1;
            first.get_or_insert(word.offset);
        }
    }
    let place = Place::Offset(first?.into());
    let message = format!("{unknown} of {words} words are no instruction of {platform}; this is the first");
    let fault = Diagnostic::error("UnknownInstruction", message).at(place);
    Some(match &piece.name {
        Some(name) => fault.in_kernel(name.as_str()),
        None => fault,
    })
}

fn listings(platform: Platform, pieces: &[Piece]) -> String {
    let mut text = String::new();
    for piece in pieces {
        if let (Some(name), true) = (&piece.name, pieces.len() > 1) {
            text += &format!("// kernel {name}\n");
        }
        text += &disassemble(platform, &piece.code, &ListingOptions::default());
    }
    text
}

/// One document: the listing itself for one piece, else named listings. The listings are IGA's JSON, whose writer
/// makes text; they are put in as they are.
fn documents(platform: Platform, pieces: &[Piece]) -> String {
    let listing = |piece: &Piece| disassemble_json(platform, &piece.code, &JsonOptions::default());
    if let [piece] = pieces {
        return listing(piece);
    }
    let named = |p: &Piece| format!("{{\"kernel\":{},\"listing\":{}}}", json!(p.name), listing(p).trim_end());
    let kernels: Vec<String> = pieces.iter().map(named).collect();
    format!("{{\"platform\":{},\"kernels\":[\n{}\n]}}\n", json!(platform.to_string()), kernels.join(",\n"))
}

fn deliver(args: &DisasmArgs, text: &str) -> Result<(), Refusal> {
    let sink = args.output.as_deref().map_or(Sink::Standard, Sink::new);
    sink.write(text.as_bytes()).map_err(|e| Diagnostic::error("CannotWrite", format!("{sink}: {e}")).into())
}

/// What an object has code for, for messages.
fn others(bytes: &[u8]) -> String {
    let Ok(module) = visa::read::read_declarations(bytes) else { return String::new() };
    let numbers: std::collections::BTreeSet<u8> =
        module.kernels.iter().flat_map(|k| &k.gen_binaries).map(|b| b.platform).collect();
    let names: Vec<_> = numbers.into_iter().map(finalizer::platform_name).collect();
    if names.is_empty() { String::new() } else { format!("; it has some for {}", names.join(", ")) }
}
