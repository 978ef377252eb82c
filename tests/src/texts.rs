//! vISA assembly as Intel's compilers print it, through reader, printer, writer, verifier and finalizer.

use std::{collections::BTreeMap, fmt, fs, path::Path};

use finalizer::{Finalizer, Options};
use platforms::Platform;
use visa::{
    Module, Severity, VerifyOptions, Version,
    text::{self, TextOptions},
};

use crate::{coverage, data, messages};

/// Tokens of a text, comments left out.
pub fn tokens(text: &str) -> Vec<&str> {
    let code = |line| match str::find(line, "//") {
        Some(comment) => &line[..comment],
        None => line,
    };
    text.lines().flat_map(|line| code(line).split_whitespace()).collect()
}

/// How texts for a platform are read.
pub fn options(platform: Platform) -> TextOptions {
    TextOptions { grf_bytes: platform.caps().regs.grf_bytes.into(), ..TextOptions::default() }
}

/// The program alone: lines and byte offsets are of the file.
pub fn without_places(mut module: Module) -> Module {
    module.layout.clear();
    for kernel in module.kernels.iter_mut().chain(&mut module.functions) {
        kernel.places = Default::default();
        for record in &mut kernel.code {
            record.place = 0;
        }
    }
    module
}

/// A kernel as text, with the functions that it calls through the stack.
#[derive(Clone, Debug)]
pub struct SourceText {
    /// Where it is from.
    pub id: String,
    /// The kernel.
    pub text: String,
    /// The functions.
    pub functions: Vec<String>,
}

/// Every test kernel of a platform.
pub fn test_kernels(platform: Platform) -> Vec<SourceText> {
    let source = |k: &data::TestKernel| SourceText {
        id: k.id(),
        text: k.visaasm.clone(),
        functions: k.functions.clone(),
    };
    data::kernels(platform).iter().map(source).collect()
}

/// Every kernel below a directory: `k.visaasm`, with its functions in `k.f0.visaasm` or `k_f0.visaasm`.
///
/// # Errors
///
/// A directory or file cannot be read.
pub fn below(directory: &Path) -> std::io::Result<Vec<SourceText>> {
    let (mut open, mut files) = (vec![directory.to_owned()], Vec::new());
    while let Some(at) = open.pop() {
        for entry in fs::read_dir(at)? {
            let path = entry?.path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|e| e == "visaasm") {
                files.push(path);
            }
        }
    }
    files.sort();
    let mut sources = Vec::new();
    for path in files {
        let stem = path.with_extension("").to_string_lossy().into_owned();
        let number = stem.rfind(['.', '_']).map_or("", |at| &stem[at + 1..]);
        if number.strip_prefix('f').is_some_and(|n| n.parse::<u32>().is_ok()) {
            continue;
        }
        let functions = (0..)
            .map_while(|i| {
                let named = |mark| fs::read_to_string(format!("{stem}{mark}f{i}.visaasm")).ok();
                named('.').or_else(|| named('_'))
            })
            .collect();
        sources.push(SourceText {
            id: path.display().to_string(),
            text: fs::read_to_string(&path)?,
            functions,
        });
    }
    Ok(sources)
}

/// Texts of the forms of all instructions.
pub fn forms(platform: Platform) -> Vec<SourceText> {
    let grf = u32::from(platform.caps().regs.grf_bytes);
    let messages = messages::forms::forms().into_iter().filter(|f| messages::asked(platform, f));
    let messages = messages.map(|f| (messages::forms::program(&f.line, grf), f.line));
    let others = coverage::forms::forms().into_iter().map(|f| (coverage::program(&f.line), f.line));
    let source = |(text, line): (String, String)| {
        // A text holds one kernel; functions have their own.
        let (text, functions) = match text.find(".global_function") {
            Some(at) => (text[..at].to_owned(), vec![format!(".version 4.1\n{}", &text[at..])]),
            None => (text, Vec::new()),
        };
        SourceText { id: line.replace('\n', "; "), text, functions }
    };
    messages.chain(others).map(source).collect()
}

/// What became of many texts.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Only objects are of interest: the texts break rules on purpose, and are not as our printer writes them.
    pub objects_only: bool,
    /// Texts of kernels and functions.
    pub texts: usize,
    /// Their instructions.
    pub instructions: usize,
    /// Kernels whose object reads as the same program and is written as the same bytes.
    pub objects: usize,
    /// Kernels whose text and objects of versions 4.1 and 3.6 finalize to the same bytes.
    pub same_code: usize,
    /// Kernels that all three ways refuse.
    pub refused: usize,
    /// Warnings of the verifier by rule, with the first one.
    pub warnings: BTreeMap<&'static str, (usize, String)>,
    /// What should not be, by kind, with the first few places.
    pub faults: BTreeMap<String, (usize, Vec<String>)>,
}

impl Tally {
    fn fault(&mut self, kind: impl Into<String>, id: &str, detail: impl fmt::Display) {
        let (count, examples) = self.faults.entry(kind.into()).or_default();
        *count += 1;
        if examples.len() < 3 {
            examples.push(format!("{id}: {detail}"));
        }
    }

    /// Reads one text; its print has the same tokens, and the verifier has no objection.
    fn read(&mut self, id: &str, source: &str, platform: Platform) -> Option<Module> {
        let options = options(platform);
        self.texts += 1;
        let module = match text::parse(source, options) {
            Ok(module) => module,
            Err(faults) => {
                self.fault("not read", id, faults);
                return None;
            }
        };
        if self.objects_only {
            return Some(module);
        }
        let printed = text::print(&module, options);
        let (theirs, ours) = (tokens(source), tokens(&printed));
        if theirs != ours {
            let at = theirs.iter().zip(&ours).position(|(a, b)| a != b).unwrap_or_default();
            let show = |tokens: &[&str]| {
                tokens[at.min(tokens.len())..].iter().take(4).fold(String::new(), |a, t| a + " " + t)
            };
            self.fault("other tokens", id, format!("theirs{}, ours{}", show(&theirs), show(&ours)));
        }
        for finding in visa::verify(&module, VerifyOptions::for_platform(platform)) {
            if finding.rule.severity() == Severity::Warning {
                let (count, example) = self.warnings.entry(finding.rule.id()).or_default();
                *count += 1;
                if *count == 1 {
                    *example = format!("{id}: {finding}");
                }
            } else {
                let what = finding.instruction.map_or("declaration", |i| i.1);
                self.fault(format!("breaks {}: {what}, {}", finding.rule.id(), finding.field), id, finding);
            }
        }
        Some(module)
    }

    /// Takes one kernel through everything.
    pub fn add(&mut self, source: &SourceText, platform: Platform, finalize: bool) {
        let id = format!("{platform} {}", source.id);
        let Some(mut module) = self.read(&id, &source.text, platform) else { return };
        for function in &source.functions {
            if let Some(function) = self.read(&id, function, platform) {
                module.link(function);
            }
        }
        self.instructions +=
            module.kernels.iter().chain(&module.functions).map(|k| k.insts().len()).sum::<usize>();
        let mut finalizer = Finalizer::new(Options::new(platform));
        let from_text = finalize.then(|| finalizer.finalize_kernel(&module, 0));
        let mut same = true;
        for version in [Version::V4_1, Version::V3_6] {
            module.set_version(version);
            let read = visa::write(&module)
                .map_err(|e| e.to_string())
                .and_then(|object| Ok((visa::read(&object).map_err(|e| e.to_string())?, object)));
            let (mut read, object) = match read {
                Ok(read) => read,
                Err(e) => {
                    self.fault(format!("no object of version {version}"), &id, e);
                    same = false;
                    continue;
                }
            };
            read.declared_functions = module.declared_functions.clone();
            if !visa::write(&read).is_ok_and(|again| again == object) {
                self.fault(format!("object of version {version} is written differently"), &id, "");
            } else if without_places(module.clone()) != without_places(read.clone()) {
                self.fault(format!("object of version {version} is another program"), &id, "");
            } else if version == Version::V4_1 {
                self.objects += 1;
            }
            let Some(from_text) = &from_text else { continue };
            match (from_text, finalizer.finalize_kernel(&read, 0)) {
                (Ok(a), Ok(b)) if a.code == b.code => {}
                (Err(_), Err(_)) => same = false,
                (_, other) => {
                    let what = other.map_or_else(|e| e.to_string(), |_| "other code".into());
                    self.fault(format!("other code from version {version}"), &id, what);
                    same = false;
                }
            }
        }
        match from_text {
            Some(Ok(_)) => self.same_code += usize::from(same),
            Some(Err(_)) => self.refused += 1,
            None => {}
        }
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} texts of {} instructions; objects: {}; same code from text and objects: {}, refused: {}",
            self.texts, self.instructions, self.objects, self.same_code, self.refused
        )?;
        for (rule, (count, example)) in &self.warnings {
            write!(f, "\n{count:>5} warnings of {rule}\n        {example}")?;
        }
        for (kind, (count, examples)) in &self.faults {
            write!(f, "\n{count:>5} {kind}\n        {}", examples.join("\n        "))?;
        }
        Ok(())
    }
}
