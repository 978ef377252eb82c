//! `visa-finalize info`: what a file holds.

use narrow::{as_index, to_u64, to_usize};
use std::{fmt::Write, path::Path, process::ExitCode};

use encoder::decode_all;
use finalizer::{Diagnostic, Refusal};
use platforms::Platform;
use serde::Serialize;
use visa::{InputVar, Kernel, SimpleVar};

use crate::{
    args::{InfoArgs, MessageFormat},
    console::{self, with_commas},
    files::{Input, LONGEST_CODE, Sink, cannot_read},
};

/// Prints what each file holds; those that cannot be read make the exit status 1.
pub fn run(args: &InfoArgs) -> ExitCode {
    let mut refused = false;
    let mut text = String::new();
    for path in &args.inputs {
        match contents(args, path) {
            Ok(file) => text += &shown(args, &file),
            Err(Refusal(faults)) => {
                console::faults(path, &faults, args.message_format);
                refused = true;
            }
        }
    }
    // A reader that has seen enough is no fault.
    let _ = Sink::Standard.write(text.as_bytes());
    if refused { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn shown(args: &InfoArgs, file: &File) -> String {
    match args.message_format {
        MessageFormat::Human => file.to_string(),
        // Strings and numbers alone: nothing in it can fail to become JSON.
        MessageFormat::Json => serde_json::to_string(file).map(|line| line + "\n").unwrap_or_default(),
    }
}

/// What a file holds.
#[derive(Serialize)]
struct File {
    file: String,
    /// `vISA object`, `vISA assembly`, `compiled program` or `code`.
    kind: &'static str,
    bytes: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<String>,
    kernels: Vec<Routine>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    functions: Vec<Routine>,
}

/// A kernel or function.
#[derive(Default, Serialize)]
struct Routine {
    #[serde(skip_serializing_if = "String::is_empty")]
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    visa_instructions: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    variables: Option<Variables>,
    inputs: Vec<Argument>,
    attributes: Vec<Attribute>,
    code: Vec<EmbeddedCode>,
}

/// Declared variables by kind.
#[derive(Serialize)]
struct Variables {
    general: usize,
    address: usize,
    predicate: usize,
    sampler: usize,
    surface: usize,
}

/// An input and its place in the payload.
#[derive(Serialize)]
struct Argument {
    name: String,
    kind: &'static str,
    /// What fills it.
    provenance: String,
    /// Bytes from the start of the register file, or of the payload of a compiled program.
    offset: i64,
    bytes: u32,
}

#[derive(Serialize)]
struct Attribute {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<String>,
}

/// Machine code.
#[derive(Serialize)]
struct EmbeddedCode {
    /// A platform's name, or the number that the object gives it.
    platform: String,
    bytes: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    instructions: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    simd: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    grf_count: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    scratch_bytes: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    slm_bytes: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    barriers: Option<u32>,
}

impl EmbeddedCode {
    fn new(platform: Option<Platform>, number: Option<u8>, code: &[u8]) -> EmbeddedCode {
        let unknown = || number.map_or_else(|| "unknown".to_owned(), |n| format!("platform {n}"));
        EmbeddedCode {
            platform: platform.map_or_else(unknown, |p| p.to_string()),
            bytes: code.len(),
            instructions: platform.map(|p| decode_all(p, code).filter(|word| word.inst.is_ok()).count()),
            simd: None,
            grf_count: None,
            scratch_bytes: None,
            slm_bytes: None,
            barriers: None,
        }
    }
}

fn contents(args: &InfoArgs, path: &Path) -> Result<File, Refusal> {
    let bytes = Input::open(path).map_err(cannot_read)?;
    let file = path.display().to_string();
    if bytes.starts_with(b"\x7fELF") {
        let program =
            zebin::Program::read(&bytes).map_err(|e| Diagnostic::error("BadProgram", e.to_string()))?;
        // A product that no platform stands for, and a file that names none, leave the code unread.
        let platform = args.platform.or_else(|| rewriter::platform_of(&bytes).ok().flatten());
        let kernels = of_program(platform, &program);
        return Ok(File {
            file,
            kind: "compiled program",
            bytes: bytes.len(),
            version: None,
            kernels,
            functions: Vec::new(),
        });
    }
    let is_object = visa::is_object(&bytes);
    let platform = args.platform.unwrap_or(Platform::Skl);
    let module = match finalizer::read_input(&bytes, platform) {
        Ok(module) => module,
        // What is neither may be code, if somebody says whose.
        Err(fault) => match args.platform {
            Some(platform)
                if !is_object && bytes.len() <= LONGEST_CODE && std::str::from_utf8(&bytes).is_err() =>
            {
                let code = vec![EmbeddedCode::new(Some(platform), None, &bytes)];
                let kernels = vec![Routine { code, ..Routine::default() }];
                return Ok(File {
                    file,
                    kind: "code",
                    bytes: bytes.len(),
                    version: None,
                    kernels,
                    functions: Vec::new(),
                });
            }
            _ => return Err(fault),
        },
    };
    Ok(File {
        file,
        kind: if is_object { "vISA object" } else { "vISA assembly" },
        bytes: bytes.len(),
        version: Some(module.version.to_string()),
        kernels: module.kernels.iter().map(routine).collect(),
        functions: module.functions.iter().map(routine).collect(),
    })
}

fn routine(kernel: &Kernel) -> Routine {
    let code = |b: &visa::GenBinary| {
        EmbeddedCode::new(Platform::from_gen_platform(b.platform), Some(b.platform), &b.code)
    };
    Routine {
        name: kernel.name().into_owned(),
        visa_instructions: Some(as_index(finalizer::instructions(kernel))),
        variables: Some(Variables {
            general: kernel.vars.len(),
            address: kernel.addrs.len(),
            predicate: kernel.preds.len(),
            sampler: kernel.samplers.len(),
            surface: kernel.surfaces.len(),
        }),
        inputs: kernel.inputs.iter().map(|i| argument(kernel, i)).collect(),
        attributes: attributes(kernel),
        code: kernel.gen_binaries.iter().map(code).collect(),
    }
}

fn argument(kernel: &Kernel, input: &visa::Input) -> Argument {
    let declared = |list: &[SimpleVar], at: Option<usize>| {
        at.and_then(|i| list.get(i)).map_or_else(String::new, |v| kernel.str(v.name).into_owned())
    };
    let (kind, name) = match input.var {
        InputVar::General(v) => ("general", kernel.var_name(v).into_owned()),
        InputVar::Sampler(s) => ("sampler", declared(&kernel.samplers, Some(s.index()))),
        InputVar::Surface(s) => ("surface", declared(&kernel.surfaces, s.declared())),
    };
    let provenance = match input.provenance {
        visa::Provenance::EXPLICIT => "argument".to_owned(),
        visa::Provenance::LOCAL_SIZE => "local size".to_owned(),
        visa::Provenance::GROUP_COUNT => "group count".to_owned(),
        visa::Provenance::LOCAL_ID => "local id".to_owned(),
        visa::Provenance::PSEUDO_INPUT => "pseudo input".to_owned(),
        visa::Provenance(n) => format!("kind {n}"),
    };
    Argument { name, kind, provenance, offset: input.offset.into(), bytes: input.size.into() }
}

fn attributes(kernel: &Kernel) -> Vec<Attribute> {
    let one = |(name, value): (visa::StrId, &[u8])| {
        let number = visa::attr_value(value).map(|n| n.to_string());
        let text = || std::str::from_utf8(value).ok().filter(|t| !t.is_empty()).map(str::to_owned);
        Attribute { name: kernel.str(name).into_owned(), value: number.or_else(text) }
    };
    kernel.attr_table.range(kernel.attrs).map(one).collect()
}

fn of_program(platform: Option<Platform>, program: &zebin::Program) -> Vec<Routine> {
    let one = |name: &str| {
        let info = zebin::info::find(&program.ze_info, name).ok();
        let code = program.unit(name).map(|unit| {
            let code = EmbeddedCode::new(platform, None, &unit.code);
            match &info {
                Some(i) => EmbeddedCode {
                    simd: Some(i.simd),
                    grf_count: Some(i.grf_count),
                    scratch_bytes: Some(i.scratch),
                    slm_bytes: Some(i.slm),
                    barriers: Some(i.barriers),
                    ..code
                },
                None => code,
            }
        });
        let payload = info.iter().flat_map(|i| &i.payload).map(|p| Argument {
            name: p.arg.map_or_else(String::new, |n| format!("argument {n}")),
            kind: "payload",
            provenance: p.kind.clone(),
            offset: p.offset.into(),
            bytes: p.size,
        });
        Routine {
            name: name.to_owned(),
            inputs: payload.collect(),
            code: code.into_iter().collect(),
            ..Routine::default()
        }
    };
    program.kernels().map(one).collect()
}

impl std::fmt::Display for File {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.file, self.kind)?;
        if let Some(version) = &self.version {
            write!(f, " {version}")?;
        }
        write!(f, ", {} bytes", with_commas(self.bytes))?;
        let count = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
        write!(f, ", {}", count(self.kernels.len(), "kernel"))?;
        if !self.functions.is_empty() {
            write!(f, ", {}", count(self.functions.len(), "function"))?;
        }
        writeln!(f)?;
        for (what, list) in [("kernel", &self.kernels), ("function", &self.functions)] {
            for routine in list {
                write!(f, "\n{what} {}{}", routine.name, routine)?;
            }
        }
        Ok(())
    }
}

impl std::fmt::Display for Routine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(n) = self.visa_instructions {
            write!(f, ": {} vISA instructions", with_commas(n))?;
        }
        writeln!(f)?;
        if let Some(v) = &self.variables {
            let kinds = [
                (v.general, "general"),
                (v.address, "address"),
                (v.predicate, "predicate"),
                (v.sampler, "sampler"),
                (v.surface, "surface"),
            ];
            let there: Vec<String> =
                kinds.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}")).collect();
            writeln!(f, "  variables   {}", there.join(", "))?;
        }
        for a in &self.attributes {
            writeln!(
                f,
                "  attribute   {}{}",
                a.name,
                a.value.as_ref().map_or(String::new(), |v| format!(" {v}"))
            )?;
        }
        for i in &self.inputs {
            writeln!(
                f,
                "  input       byte {:>5}, {:>4} bytes  {:<8} {:<13} {}",
                i.offset, i.bytes, i.kind, i.provenance, i.name
            )?;
        }
        for c in &self.code {
            writeln!(f, "  code        {}", c.text())?;
        }
        Ok(())
    }
}

impl EmbeddedCode {
    fn text(&self) -> String {
        let mut text = format!("{:<6} {} bytes", self.platform, with_commas(self.bytes));
        let facts = [
            (self.instructions.map(to_u64), "instructions"),
            (self.simd.map(u64::from), "channels"),
            (self.grf_count.map(u64::from), "registers"),
            (self.scratch_bytes.map(u64::from).filter(|n| *n > 0), "bytes of scratch memory"),
            (self.slm_bytes.map(u64::from).filter(|n| *n > 0), "bytes of local memory"),
            (self.barriers.map(u64::from).filter(|n| *n > 0), "barriers"),
        ];
        for (value, what) in facts {
            if let Some(value) = value {
                let _ = write!(text, ", {} {what}", with_commas(to_usize(value)));
            }
        }
        text
    }
}
