//! What a page shows of a kernel: its vISA, our code with the vISA instruction of each instruction, another code.

use narrow::as_index;
use std::{
    collections::{BTreeMap, HashMap, btree_map::Entry},
    path::Path,
};

use finalizer::{Binary, Diagnostic, Origin, PASSES, Place, Refusal};
use platforms::Platform;
use report::{
    Code,
    page::{Kernel, Line},
};
use visa::Module;

use crate::{
    args::FinalizeArgs,
    codes::{self, Piece},
};

/// What `--beside` calls the code that the input carries.
const CARRIED: &str = "intel";

/// The kernels of an input, for the page. Nothing if no page was asked for.
pub fn of<'a>(
    args: &FinalizeArgs,
    file: &Path,
    module: Option<&Module>,
    done: impl Iterator<Item = (usize, &'a Binary)>,
) -> Result<Vec<Kernel>, Refusal> {
    if args.report.is_none() {
        return Ok(Vec::new());
    }
    let mut others = BTreeMap::new();
    let mut kernels = Vec::new();
    for (number, binary) in done {
        let platform = binary.info.platform;
        if let (Some(other), Entry::Vacant(unread)) = (&args.beside, others.entry(platform)) {
            unread.insert(others_of(args, other, module, platform)?);
        }
        let beside = others.get(&platform).and_then(|pieces| named(pieces, &binary.info.name));
        kernels.push(kernel(args, file, module, number, binary, beside));
    }
    Ok(kernels)
}

fn kernel(
    args: &FinalizeArgs,
    file: &Path,
    module: Option<&Module>,
    number: usize,
    binary: &Binary,
    beside: Option<&Piece>,
) -> Kernel {
    let (info, stats) = (&binary.info, &binary.stats);
    let inputs = codes::inputs(binary);
    let code = Code::new(info.platform, &binary.code, Some(&inputs));
    let source = module.map(|m| SourceText::new(m, number, binary)).unwrap_or_default();
    let about = |name: &str| PASSES.iter().find(|p| p.name == name).map_or("", |p| p.about).to_owned();
    let passes = stats.times.iter().map(|t| (t.pass.to_owned(), about(t.pass), t.time)).collect();
    let other = args.beside.as_deref().unwrap_or(Path::new(""));
    let beside = beside.map(|piece| (label(other), Code::new(info.platform, &piece.code, Some(&inputs))));
    Kernel {
        file: file.display().to_string(),
        name: info.name.clone(),
        simd: info.simd.into(),
        grf_count: info.grf_count.into(),
        origins: binary.origins.iter().map(|o| source.at.get(&key(o)?).copied()).collect(),
        visa: source.lines,
        visa_instructions: stats.visa_instructions,
        spill_bytes: info.spill_bytes,
        code,
        passes,
        beside,
    }
}

/// vISA as text, and the line of each instruction.
#[derive(Default)]
struct SourceText {
    lines: Vec<Line>,
    at: HashMap<(Option<u32>, u32), usize>,
}

fn key(origin: &Origin) -> Option<(Option<u32>, u32)> {
    origin.instruction.map(|n| (origin.function, n))
}

impl SourceText {
    /// A kernel and the functions that its code holds.
    fn new(module: &Module, kernel: usize, binary: &Binary) -> SourceText {
        let mut source = SourceText::default();
        let grf_bytes = binary.info.platform.caps().regs.grf_bytes.into();
        let mut functions: Vec<u32> = binary.origins.iter().filter_map(|o| o.function).collect();
        functions.dedup();
        let functions =
            functions.into_iter().filter_map(|n| Some((Some(n), module.functions.get(as_index(n))?)));
        let kernel = module.kernels.get(kernel).map(|k| (None, k));
        for (number, routine) in kernel.into_iter().chain(functions) {
            let options = visa::text::TextOptions { grf_bytes, ..Default::default() };
            source.add(number, routine.code.len(), &visa::text::print_kernel(module, routine, options));
        }
        source
    }

    fn add(&mut self, function: Option<u32>, count: usize, text: &str) {
        // Comments name variables that every kernel has.
        for line in text.lines().filter(|l| !l.starts_with("//")) {
            // The printer ends an instruction with its number.
            let (text, number) = match line.rsplit_once(" /// $") {
                Some((text, number)) => (text, number.parse::<u32>().ok().filter(|n| as_index(*n) < count)),
                None => (line, None),
            };
            if let Some(number) = number {
                self.at.insert((function, number), self.lines.len());
            }
            self.lines.push(Line { number, text: text.trim_end().to_owned() });
        }
    }
}

fn label(other: &Path) -> String {
    let name = other.file_name().unwrap_or_default().to_string_lossy();
    if other.as_os_str() == CARRIED { "embedded".to_owned() } else { name.into_owned() }
}

/// The other code of the kernels of an input.
fn others_of(
    args: &FinalizeArgs,
    other: &Path,
    module: Option<&Module>,
    platform: Platform,
) -> Result<Vec<Piece>, Refusal> {
    if other.as_os_str() != CARRIED {
        return codes::any_code(platform, args.grf.unwrap_or_default(), other);
    }
    let carried = module.map(|m| codes::embedded(platform, m)).unwrap_or_default();
    if carried.is_empty() {
        let message = format!("found no code for {platform} in the input to show beside ours");
        return Err(Diagnostic::error("NoCode", message).at(Place::Input).into());
    }
    Ok(carried)
}

/// The code of a kernel; raw code, which has no name, is that of any.
fn named<'a>(pieces: &'a [Piece], name: &str) -> Option<&'a Piece> {
    pieces.iter().find(|p| p.name.as_deref().is_none_or(|n| n == name))
}
