//! Passes one by one, from text to text: for tests, benches and tools.

use narrow::as_index;
use std::fmt::{self, Write};

use encoder::CodeBuffer;
use gen_ir::{Kernel, Physical, Space};
use platforms::Platform;
use visa::Module;

use crate::{
    Diagnostic, Options, PASSES, Pass, Refusal,
    driver::{
        pass::{Code, PassBody, verify},
        registers::Registers,
        routine::run,
        whole::{BinaryLists, Whole},
        workspace::{Context, Job, Routine, Workspace},
    },
    optimize::AnalysisSet,
};

/// A kernel between passes. It prints as the kernel that it is now, with the vISA instruction that each
/// instruction came from; behind it the symbols that its instructions name, once they are taken. Encoded, it prints as
/// its words, an instruction a line.
///
/// ```
/// use finalizer::{Alone, Pass};
/// use platforms::Platform;
///
/// let text = "V0: 32 bytes, live out
/// B0:
///     or (8|M0) V0(0)<1>:d V0(0)<1;1,0>:d 0:d
///     (W) send.ts (8|M0) _ r127.0<8;8,1>:ud 0x0 0x2000010 {EOT} wr:1+0 rd:0";
/// let pass = Pass::named("legalize").unwrap();
/// let mut kernel = Alone::new(pass, text, Platform::Skl)?;
/// kernel.run(pass)?;
/// println!("{kernel}");
/// # Ok::<(), finalizer::Refusal>(())
/// ```
pub struct Alone {
    options: Options,
    module: Module,
    work: Workspace,
    code: Code,
    /// Functions that go with the kernel.
    functions: Vec<Kernel<Physical>>,
    words: Option<String>,
}

impl Alone {
    /// Reads what pass `first` works on: vISA assembly for `check` and `lower`, else Gen IR in the form that it
    /// prints in; for passes over whole binaries several kernels, the first with the others as its functions.
    ///
    /// # Errors
    ///
    /// The text is not that.
    pub fn new(first: &Pass, text: &str, platform: Platform) -> Result<Alone, Refusal> {
        let mut module = Module::default();
        let mut functions = Vec::new();
        let code = match first.step {
            PassBody::Source(_) | PassBody::Lower(_) => {
                module = crate::read_text(text.as_bytes(), platform)?;
                Code::Source
            }
            PassBody::Virtual(_) | PassBody::Allocate(_) => Code::Virtual(kernel(text, platform)?),
            PassBody::Physical(_) => Code::Physical(kernel(text, platform)?),
            PassBody::Binary(..) => {
                let mut kernels = kernels(text, platform)?.into_iter();
                let Some(code) = kernels.next() else {
                    return Err(Diagnostic::error("BadText", "no kernel").into());
                };
                functions = kernels.collect();
                Code::Physical(code)
            }
        };
        if module.kernels.is_empty() {
            // A function goes through the passes as a kernel does.
            module.kernels.push(module.functions.pop().unwrap_or_default());
        }
        // What was not counted has to be: nothing is known of code that comes from outside.
        let mut work = Workspace::default();
        work.analyses.keep(AnalysisSet::NONE);
        let options = Options { verify: true, ..Options::new(platform) };
        Ok(Alone { options, module, work, code, functions, words: None })
    }

    /// Runs a pass, whether or not the platform needs it, and checks what it leaves.
    ///
    /// # Errors
    ///
    /// What the pass refuses; what its result breaks of the rules that hold from it on.
    pub fn run(&mut self, pass: &Pass) -> Result<(), Refusal> {
        if let PassBody::Binary(step, _) = pass.step {
            return self.run_whole(step);
        }
        let source = &self.module.kernels[0];
        let registers = Registers::of(&self.options, source)?.count;
        let cx = Context { options: &self.options, module: &self.module, registers };
        let mut job = Job::new(cx, source, None);
        run(pass, &mut self.code, &mut job, &mut self.work)?;
        if self.options.verify { verify(pass, &self.code) } else { Ok(()) }
    }

    fn run_whole(&mut self, step: fn(&mut Whole<'_>) -> Result<(), Refusal>) -> Result<(), Refusal> {
        let Code::Physical(code) = std::mem::replace(&mut self.code, Code::Source) else {
            return Err(Diagnostic::error("WrongStage", "the code has no registers yet").into());
        };
        let (mut lists, mut buffer) = (BinaryLists::default(), CodeBuffer::new());
        lists.routines =
            std::iter::once(code).chain(self.functions.drain(..)).zip(0..).map(routine).collect();
        let done = step(&mut Whole { options: &self.options, lists: &mut lists, buffer: &mut buffer });
        let mut codes = lists.routines.into_iter().map(|routine| routine.code);
        self.code = codes.next().map_or(Code::Source, Code::Physical);
        self.functions.extend(codes.filter(|code| !code.blocks.is_empty()));
        self.words = (!buffer.bytes().is_empty()).then(|| words(&buffer));
        done
    }

    /// The options that the passes go by.
    pub fn options(&mut self) -> &mut Options {
        &mut self.options
    }

    /// From here on nothing is checked: for measurements.
    pub fn do_not_check(&mut self) {
        self.options.verify = false;
    }

    /// Forgets the analyses that passes have kept, so that the next pass computes what it needs.
    pub fn forget_analyses(&mut self) {
        self.work.analyses.keep(AnalysisSet::NONE);
    }
}

impl fmt::Display for Alone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.words, &self.code) {
            (Some(words), _) => return f.write_str(words),
            (None, Code::Source) => {}
            (None, Code::Virtual(kernel)) => write!(f, "{kernel:#}")?,
            (None, Code::Physical(kernel)) => write!(f, "{kernel:#}")?,
        }
        let source = &self.module.kernels[0];
        self.work.symbols.iter().try_for_each(|symbol| symbol.describe(source, f))
    }
}

impl fmt::Debug for Alone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The kernels of a text that has several.
fn kernels(text: &str, platform: Platform) -> Result<Vec<Kernel<Physical>>, Refusal> {
    let mut texts: Vec<String> = Vec::new();
    for line in text.lines() {
        match texts.last_mut() {
            Some(text) if !line.starts_with("kernel ") => {
                text.push_str(line);
                text.push('\n');
            }
            _ => texts.push(format!("{line}\n")),
        }
    }
    texts.iter().map(|text| kernel(text, platform)).collect()
}

/// Code as a routine that has been through the passes.
fn routine((code, number): (Kernel<Physical>, u32)) -> Routine {
    Routine {
        // The kernel has none; its functions are numbered from 0.
        number: number.saturating_sub(1),
        rank: number,
        insts: code.inst_count(),
        code,
        allocation: Default::default(),
        symbols: (0, 0),
        calls: Default::default(),
        frame: 0,
        entries: Default::default(),
        warnings: Vec::new(),
        places: Vec::new(),
    }
}

/// The words of instructions: qwords in hexadecimal, the lower one first.
fn words(buffer: &CodeBuffer) -> String {
    let mut text = String::from("words\n");
    let starts = buffer.inst_offsets();
    let ends = starts.iter().skip(1).map(|end| as_index(*end)).chain([buffer.bytes().len()]);
    for (&start, end) in starts.iter().zip(ends) {
        text.push_str("   ");
        for qword in buffer.bytes().get(as_index(start)..end).unwrap_or_default().chunks(8) {
            text.push(' ');
            for byte in qword.iter().rev() {
                let _ = write!(text, "{byte:02x}");
            }
        }
        text.push('\n');
    }
    text
}

fn kernel<S: Space>(text: &str, platform: Platform) -> Result<Kernel<S>, Refusal> {
    gen_ir::parse(text, platform).map_err(|e| Diagnostic::error("BadText", e.to_string()).into())
}

impl Pass {
    /// The pass of that name.
    pub fn named(name: &str) -> Option<&'static Pass> {
        PASSES.iter().find(|p| p.name == name)
    }
}
