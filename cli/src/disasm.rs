//! `visa-finalize disasm`: machine code as text.

use narrow::to_index;
use std::process::ExitCode;

use encoder::decode_all;
use finalizer::{Diagnostic, Place, Refusal, Severity};
use iga::{JsonOptions, ListingOptions, disassemble, disassemble_json};
use platforms::Platform;
use serde_json::json;

use crate::{
    args::{DisasmArgs, DisasmEmit, MessageFormat},
    codes::{self, Piece},
    console,
    files::{Input, Sink, cannot_read, cannot_write},
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
    console::faults(&args.input, &faults, MessageFormat::Human);
    let is_refused = faults.iter().any(|d| d.severity == Severity::Error);
    if is_refused { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn disassembly(args: &DisasmArgs) -> Result<(String, Vec<Diagnostic>), Refusal> {
    let bytes = Input::open(&args.input).map_err(cannot_read)?;
    let pieces = pieces(args, &bytes)?;
    let faults = pieces.iter().flat_map(|p| odd_words(args.platform, p)).collect();
    let text = match args.emit {
        DisasmEmit::Asm => listings(args.platform, &pieces),
        DisasmEmit::Json => documents(args.platform, &pieces),
    };
    Ok((text, faults))
}

fn pieces(args: &DisasmArgs, bytes: &[u8]) -> Result<Vec<Piece>, Refusal> {
    let mut pieces = codes::machine_code(args.platform, bytes)?;
    if let [Piece { name: None, .. }] = pieces[..] {
        return Ok(pieces);
    }
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

/// A fault if some words of a piece are no instruction of the platform; a warning if some have bits that their instruction
/// does not read, which the listing cannot say.
fn odd_words(platform: Platform, piece: &Piece) -> Vec<Diagnostic> {
    let (mut words, mut unknown, mut filled) = (0, Vec::new(), Vec::new());
    // Zeros behind the code fill it up to a size; they need not end with an instruction.
    let end = piece.code.iter().rposition(|b| *b != 0).map_or(0, |last| to_index(last) + 1);
    for word in decode_all(platform, &piece.code).take_while(|word| word.offset < end) {
        words += 1;
        if word.inst.is_err() {
            unknown.push(word.offset);
        } else if !word.comes_back(platform, &piece.code) {
            filled.push(word.offset);
        }
    }
    let at_first = |fault: Diagnostic, found: &[u32]| {
        let fault = fault.at(Place::Offset((*found.first()?).into()));
        Some(match &piece.name {
            Some(name) => fault.in_kernel(name.as_str()),
            None => fault,
        })
    };
    let count = unknown.len();
    let message = format!("{count} of {words} words are no instruction of {platform}; this is the first");
    let fault = Diagnostic::error("UnknownInstruction", message);
    let count = filled.len();
    let message = format!(
        "{count} of {words} words have bits that their instruction does not read, which the listing leaves out: assembling it \
         gives them the usual values; this is the first"
    );
    let warning = Diagnostic::warning("UnreadBits", message);
    [at_first(fault, &unknown), at_first(warning, &filled)].into_iter().flatten().collect()
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
    sink.write(text.as_bytes()).map_err(|e| cannot_write(format_args!("{sink}: {e}")).into())
}

/// What an object has code for, for messages.
fn others(bytes: &[u8]) -> String {
    let Ok(module) = visa::read::read_declarations(bytes) else { return String::new() };
    let numbers: std::collections::BTreeSet<u8> =
        module.kernels.iter().flat_map(|k| &k.gen_binaries).map(|b| b.platform).collect();
    let names: Vec<_> = numbers.into_iter().map(finalizer::platform_name).collect();
    if names.is_empty() { String::new() } else { format!("; it has some for {}", names.join(", ")) }
}
