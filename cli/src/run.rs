//! `visa-finalize run`: a kernel on the emulator.

use narrow::as_index;
use std::{fmt::Write as _, io::Write, path::Path, process::ExitCode};

use emulator::{Arg, Launch, Memory, Options, RunReport, SendKind, Unfilled, infer, link::Loaded};
use finalizer::{Diagnostic, Finalizer, Grf, Place, Refusal, ThreadPairs};
use platforms::Platform;
use serde_json::{Map, Value, json};
use visa::Module;
use zebin::{KernelInfo, Program, Unit};

use crate::{
    args::{MessageFormat, RunArgs, With},
    console,
    element::Element,
    files::{self, Input},
    launch,
};

/// Elements of a printed line.
const ROW: usize = 8;

/// Runs a kernel; what the emulator has to report goes to standard error and makes the exit code 1.
pub fn run(args: &RunArgs) -> ExitCode {
    let mut others = OtherFiles::default();
    match execute(args, &mut others) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(Refusal(faults)) => {
            let (own, elsewhere): (Vec<_>, Vec<_>) =
                faults.into_iter().partition(|d| others.file_of(d).is_none());
            let elsewhere = elsewhere.chunk_by(|a, b| others.file_of(a) == others.file_of(b));
            for faults in std::iter::once(&*own).chain(elsewhere).filter(|f| !f.is_empty()) {
                let file = others.file_of(&faults[0]).unwrap_or(&args.input);
                console::faults(file, faults, args.message_format);
            }
            ExitCode::FAILURE
        }
    }
}

/// What comes from other files than the input.
#[derive(Default)]
struct OtherFiles<'a> {
    /// The one that is being read.
    reading: Option<&'a Path>,
    /// Files and functions in them.
    functions: Vec<(&'a Path, String)>,
}

impl<'a> OtherFiles<'a> {
    /// The file in which a fault stands, if that is not the input.
    fn file_of(&self, d: &Diagnostic) -> Option<&'a Path> {
        let of_function = || {
            let name = d.kernel.as_ref()?;
            self.functions.iter().find(|f| f.1 == *name).map(|f| f.0)
        };
        self.reading.or_else(of_function)
    }
}

fn refuse(code: &'static str, message: impl Into<String>) -> Refusal {
    Diagnostic::error(code, message).at(Place::Input).into()
}

fn io_error(path: &Path, e: &std::io::Error) -> Refusal {
    files::cannot_read(format_args!("{}: {e}", path.display())).into()
}

/// What the input holds: vISA, or a program without any.
enum RunSource {
    Visa(Module, usize),
    Program,
}

fn execute<'a>(args: &'a RunArgs, others: &mut OtherFiles<'a>) -> Result<bool, Refusal> {
    let bytes = Input::open_visa(&args.input).map_err(|e| io_error(&args.input, &e))?;
    let (source, program) = read(args, &bytes, others)?;
    let name = match &source {
        RunSource::Visa(module, index) => module.kernels[*index].name().into_owned(),
        RunSource::Program => kernel_of_program(args, program.as_ref())?,
    };
    let mut memory = Memory::new();
    let work_items = args.global.iter().map(|n| as_index(*n)).fold(1, usize::saturating_mul);
    let arguments =
        launch::place(&args.args, work_items, &mut memory).map_err(|why| refuse("BadArgument", why))?;
    let emulator = |e: emulator::Error| refuse("CannotRun", e.to_string());
    let loaded = match &program {
        Some(program) => Loaded::new(program, &mut memory).map_err(emulator)?,
        None => Loaded::default(),
    };
    let info = layout(args, &source, program.as_ref(), &name, &arguments)?;
    let unfilled = match &source {
        RunSource::Visa(module, index) if args.ze_info.is_some() || program.is_some() => {
            emulator::unfilled(args.platform, &module.kernels[*index], &info)
        }
        _ => Vec::new(),
    };
    let mut launch = Launch {
        local: args.local.unwrap_or_else(|| infer::group(args.global, &info)),
        global: args.global,
        offset: args.offset,
        dimensions: args.work_dim,
        kernel: info,
        args: arguments,
    };
    let pairs = pairs_of(&source, program.is_some());
    let options = Options {
        trace: args.trace,
        pairs: pairs == ThreadPairs::Always,
        max_instructions: args.max_instructions,
        ..if args.fast { Options::fast() } else { Options::default() }
    };
    let done = match (&source, args.with) {
        (RunSource::Visa(module, index), With::Interpreter) => {
            emulator::visa::run_linked(args.platform, module, *index, &loaded, &launch, &mut memory, &options)
        }
        _ => {
            let unit = unit((args, pairs), &source, &loaded, &name, &mut launch)?;
            let code = loaded.link(&unit, &[]).map_err(emulator)?;
            emulator::run(args.platform, &code, &launch, &mut memory, &options)
        }
    }
    .map_err(emulator)?;
    match args.message_format {
        MessageFormat::Human => print(&shown(args, &name, &launch, &done, &memory)?)?,
        MessageFormat::Json => {
            print(&format!("{:#}\n", as_json(args, &name, &launch, &done, &memory, &unfilled)?))?
        }
    }
    write_buffers(args, &launch, &memory)?;
    if args.message_format == MessageFormat::Human {
        warn(&unfilled, &done.reports);
    }
    Ok(!done.reports.iter().any(|r| r.fault.is_error()))
}

/// Tells of inputs that nothing fills, and of what the emulator found.
fn warn(unfilled: &[Unfilled], findings: &[emulator::Report]) {
    for input in unfilled {
        let (name, bytes, offset) = (&input.name, input.bytes, input.offset);
        eprintln!("warning: nothing fills the input {name}, {bytes} bytes at byte {offset} of the registers");
    }
    findings.iter().for_each(|finding| eprintln!("{finding}"));
}

/// Whether threads run as pairs: the compute runtime, which has the program, starts them so.
fn pairs_of(source: &RunSource, has_program: bool) -> ThreadPairs {
    match source {
        RunSource::Visa(module, index) if !has_program && module.kernels[*index].is_cm() => {
            ThreadPairs::Never
        }
        _ => ThreadPairs::Always,
    }
}

/// Buffers that the user wants as files, as the kernel left them.
fn write_buffers(args: &RunArgs, launch: &Launch, memory: &Memory) -> Result<(), Refusal> {
    for (index, path) in &args.out {
        let bytes = buffer(&launch.args, *index, memory)?;
        files::write(path, bytes)
            .map_err(|e| files::cannot_write(format_args!("{}: {e}", path.display())))?;
    }
    Ok(())
}

/// Trace, figures and buffers as text.
fn shown(
    args: &RunArgs,
    name: &str,
    launch: &Launch,
    done: &RunReport,
    memory: &Memory,
) -> Result<String, Refusal> {
    let mut text = done.trace.join("\n");
    if !text.is_empty() {
        text.push('\n');
    }
    text += &figures(name, args, launch, done);
    for (index, element) in &args.print {
        text += &show(*index, *element, buffer(&launch.args, *index, memory)?);
    }
    Ok(text)
}

/// The same as one document, with what was found.
fn as_json(
    args: &RunArgs,
    name: &str,
    launch: &Launch,
    done: &RunReport,
    memory: &Memory,
    unfilled: &[Unfilled],
) -> Result<Value, Refusal> {
    let findings = done.reports.iter().map(|r| {
        json!({
            "severity": if r.fault.is_error() { "error" } else { "warning" },
            "fault": r.fault.to_string(),
            "offset": r.pc,
            "instruction": r.inst,
            "detail": r.detail,
            "group": r.group,
            "thread": r.thread,
            "count": r.count,
        })
    });
    let inputs = unfilled.iter().map(|i| json!({ "name": i.name, "offset": i.offset, "bytes": i.bytes }));
    let mut buffers = Vec::new();
    for (index, element) in &args.print {
        let element = element.unwrap_or(Element::Unsigned(1));
        let bytes = buffer(&launch.args, *index, memory)?;
        let values: Vec<Value> = bytes.chunks_exact(element.bytes()).map(|e| element.json(e)).collect();
        buffers.push(json!({ "argument": index, "bytes": bytes.len(), "values": values }));
    }
    let messages: Map<String, Value> =
        done.sends.iter().map(|(kind, n)| (kind_name(*kind).to_owned(), (*n).into())).collect();
    let mut out = json!({
        "kernel": name,
        "platform": args.platform.to_string(),
        "code": whose(args),
        "global": launch.global,
        "local": launch.local,
        "offset": launch.offset,
        "threads": done.threads,
        "instructions": done.instructions,
        "cycles": done.cycles,
        "opcodes": done.opcodes,
        "messages": messages,
        "buffers": buffers,
        "findings": findings.collect::<Vec<_>>(),
        "unfilled": inputs.collect::<Vec<_>>(),
    });
    if args.trace {
        out["trace"] = json!(done.trace);
    }
    Ok(out)
}

fn print(text: &str) -> Result<(), Refusal> {
    match std::io::stdout().lock().write_all(text.as_bytes()) {
        // The reader has seen enough.
        Err(e) if e.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        done => done.map_err(|e| files::cannot_write(e).into()),
    }
}

/// The input, and the compiled program if there is one.
fn read<'a>(
    args: &'a RunArgs,
    bytes: &[u8],
    others: &mut OtherFiles<'a>,
) -> Result<(RunSource, Option<Program>), Refusal> {
    let zebin = |bytes: &[u8]| Program::read(bytes).map_err(|e| refuse("BadProgram", e.to_string()));
    if bytes.starts_with(b"\x7fELF") {
        return Ok((RunSource::Program, Some(zebin(bytes)?)));
    }
    let mut module = finalizer::read_input(bytes, args.platform)?;
    for path in &args.link {
        let bytes = Input::open(path).map_err(|e| io_error(path, &e))?;
        others.reading = Some(path);
        let more = finalizer::read_input(&bytes, args.platform)?;
        others.reading = None;
        others.functions.extend(more.functions.iter().map(|f| (path.as_path(), f.name().into_owned())));
        module.link_functions(more);
    }
    let program = match &args.program {
        Some(path) => Some(zebin(&Input::open(path).map_err(|e| io_error(path, &e))?)?),
        None => None,
    };
    let names = || module.kernels.iter().map(|k| k.name().into_owned()).collect::<Vec<_>>().join(", ");
    let index = match &args.kernel {
        Some(name) => module.kernels.iter().position(|k| k.name() == name.as_str()),
        None if module.kernels.len() == 1 => Some(0),
        None => {
            return Err(refuse(
                "WhichKernel",
                format!("the input has several kernels, name one: {}", names()),
            ));
        }
    };
    let index = index.ok_or_else(|| {
        refuse("UnknownKernel", format!("the input has no such kernel; it has {}", names()))
    })?;
    Ok((RunSource::Visa(module, index), program))
}

fn kernel_of_program(args: &RunArgs, program: Option<&Program>) -> Result<String, Refusal> {
    let kernels: Vec<&str> = program.map(|p| p.kernels().collect()).unwrap_or_default();
    let found = match &args.kernel {
        Some(name) => kernels.iter().find(|k| **k == name.as_str()),
        None if kernels.len() == 1 => kernels.first(),
        None => None,
    };
    let found = found.map(|k| (*k).to_owned());
    found.ok_or_else(|| {
        refuse("WhichKernel", format!("name one kernel of the program: {}", kernels.join(", ")))
    })
}

/// Where the arguments go.
fn layout(
    args: &RunArgs,
    source: &RunSource,
    program: Option<&Program>,
    name: &str,
    arguments: &[Arg],
) -> Result<KernelInfo, Refusal> {
    let fault = |e: zebin::Error| refuse("NoLayout", e.to_string());
    if let Some(path) = &args.ze_info {
        let text = std::fs::read_to_string(path).map_err(|e| io_error(path, &e))?;
        return zebin::info::find(&text, name).map_err(fault);
    }
    match (program, source) {
        (Some(program), _) => zebin::info::find(&program.ze_info, name).map_err(fault),
        (None, RunSource::Visa(module, index)) => {
            infer::kernel_info(&module.kernels[*index], args.platform, arguments)
                .map_err(|e| refuse("NoLayout", e.to_string()))
        }
        (None, RunSource::Program) => Err(refuse("NoLayout", "the program has no .ze_info")),
    }
}

/// The code that runs.
fn unit(
    (args, pairs): (&RunArgs, ThreadPairs),
    source: &RunSource,
    loaded: &Loaded,
    name: &str,
    launch: &mut Launch,
) -> Result<Unit, Refusal> {
    if let Some(path) = &args.code {
        let code = Input::open(path).map_err(|e| io_error(path, &e))?.to_vec();
        return Ok(Unit { code, ..Unit::default() });
    }
    match (args.with, source) {
        (With::Ours, RunSource::Visa(module, index)) => {
            let asked = u16::try_from(launch.kernel.grf_count).ok().filter(|n| *n > 0).map(Grf::Count);
            let grf = args.grf.or(asked).unwrap_or_default();
            let inline_payload = launch.kernel.inline_data > 0;
            let options =
                finalizer::Options { grf, pairs, inline_payload, ..finalizer::Options::new(args.platform) };
            let mut finalizer = Finalizer::new(options);
            let binary = finalizer.finalize_kernel(module, *index)?;
            launch.kernel.scratch = launch.kernel.scratch.max(binary.info.scratch_bytes);
            launch.kernel.grf_count = binary.info.grf_count.into();
            Ok(rewriter::unit(&binary))
        }
        (With::Ours | With::Interpreter, _) => {
            Err(refuse("NoVisa", "a compiled program has no vISA: run it with --with intel"))
        }
        (With::Intel, source) => {
            if let Some(unit) = loaded.unit(name) {
                return Ok(unit.clone());
            }
            embedded(args.platform, source, name).map(|code| Unit { code, ..Unit::default() })
        }
    }
}

fn embedded(platform: Platform, source: &RunSource, name: &str) -> Result<Vec<u8>, Refusal> {
    let code = match source {
        RunSource::Visa(module, index) => module.kernels[*index].gen_binaries.iter().find_map(|b| {
            (Platform::from_gen_platform(b.platform) == Some(platform)).then(|| b.code.clone())
        }),
        RunSource::Program => None,
    };
    code.ok_or_else(|| {
        refuse("NoCode", format!("the input has no code of {name} for {platform}: give --code FILE"))
    })
}

fn buffer<'a>(args: &[Arg], index: usize, memory: &'a Memory) -> Result<&'a [u8], Refusal> {
    match args.get(index) {
        Some(Arg::Buffer(b) | Arg::Image(b, _)) => Ok(memory.bytes(*b)),
        Some(_) => Err(refuse("BadArgument", format!("argument {index} is no buffer"))),
        None => Err(refuse("BadArgument", format!("there is no argument {index}; there are {}", args.len()))),
    }
}

/// Whose code ran.
fn whose(args: &RunArgs) -> String {
    match (&args.code, args.with) {
        (Some(path), _) => path.display().to_string(),
        (None, With::Ours) => "our code".to_owned(),
        (None, With::Intel) => "Intel's code".to_owned(),
        (None, With::Interpreter) => "interpreted".to_owned(),
    }
}

/// Counts of a run.
fn figures(name: &str, args: &RunArgs, launch: &Launch, done: &RunReport) -> String {
    let whose = whose(args);
    let groups: u32 = (0..3).map(|d| launch.global[d] / launch.local[d].max(1)).product();
    let mut out = format!(
        "{name} on {}, {whose}: {groups} {}, {} {}\n",
        args.platform,
        noun(groups.into(), "group"),
        done.threads,
        noun(done.threads, "thread")
    );
    let _ = writeln!(out, "instructions  {}", done.instructions);
    let _ = writeln!(out, "cycles        {}", done.cycles);
    let mut opcodes: Vec<_> = done.opcodes.iter().collect();
    opcodes.sort_by_key(|(name, n)| (std::cmp::Reverse(**n), **name));
    let list: Vec<String> = opcodes.iter().map(|(name, n)| format!("{name} {n}")).collect();
    let _ = writeln!(out, "opcodes       {}", list.join(", "));
    let list: Vec<String> = done.sends.iter().map(|(kind, n)| format!("{} {n}", kind_name(*kind))).collect();
    let _ = writeln!(out, "messages      {}", list.join(", "));
    out
}

/// A word for so many.
fn noun(count: u64, one: &str) -> String {
    if count == 1 { one.to_owned() } else { format!("{one}s") }
}

fn kind_name(kind: SendKind) -> &'static str {
    match kind {
        SendKind::Load => "load",
        SendKind::Store => "store",
        SendKind::Atomic => "atomic",
        SendKind::Scratch => "scratch",
        SendKind::Slm => "slm",
        SendKind::Sampler => "sampler",
        SendKind::Fence => "fence",
        SendKind::Gateway => "gateway",
        SendKind::Eot => "eot",
    }
}

/// A buffer's contents, eight elements (or 16 bytes) a line behind the byte offset of the first.
fn show(index: usize, element: Option<Element>, bytes: &[u8]) -> String {
    let mut out = format!("argument {index}, {} bytes\n", bytes.len());
    let size = element.map_or(1, Element::bytes);
    let row = if element.is_some() { ROW * size } else { 2 * ROW };
    for (i, line) in bytes.chunks(row).enumerate() {
        let _ = write!(out, "{:#07x} ", i * row);
        for e in line.chunks_exact(size) {
            let _ = match element {
                Some(element) => write!(out, " {}", element.show(e)),
                None => write!(out, " {:02x}", e[0]),
            };
        }
        out.push('\n');
    }
    out
}
