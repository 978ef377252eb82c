//! Interprets a program, runs our code for it, compares.

use super::{BUFFER, RandomProgram, SLM};
use crate::splitmix::SplitMix;
use emulator::{Buffer, Memory, Options as RunOptions, RawLaunch, Surface};
use finalizer::{Finalizer, Level, Options, ThreadPairs};
use platforms::Platform;

/// What went wrong.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Kind {
    /// The generator made text that does not parse, or a program that breaks a rule of the specification.
    Illegal,
    /// The interpreter does not run it, or reports something.
    Interpreter,
    /// The finalizer refuses it.
    Refused,
    /// The finalizer panics.
    Panic,
    /// Our code does not finish.
    Fails,
    /// The emulator reports something about our code.
    Reported,
    /// Our code leaves other memory than the interpreter.
    Differs,
}

/// A program that does not do what it should.
#[derive(Clone, Debug)]
pub struct Failure {
    /// What went wrong.
    pub kind: Kind,
    /// How it was seen.
    pub detail: String,
}

impl Failure {
    /// Whether another program fails as this one does: where a rule is named (`... [rule]`), by the same one.
    pub fn is_like(&self, other: &Failure) -> bool {
        let rule =
            |f: &Failure| f.detail.strip_suffix(']').and_then(|d| d.rsplit_once('[')).map(|r| r.1.to_owned());
        self.kind == other.kind && (self.kind == Kind::Differs || rule(self) == rule(other))
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}: {}", self.kind, self.detail)
    }
}

fn fail<T>(kind: Kind, detail: impl std::fmt::Display) -> Result<T, Failure> {
    Err(Failure { kind, detail: detail.to_string() })
}

/// Most instructions that a program may take. (Threads of a pair run much of it while none of their channels is on.)
const LIMIT: u64 = 4_000_000;

/// Numbers to compute with: small ones, edges, floats of all kinds.
fn contents(seed: u64) -> Vec<u8> {
    let mut random = SplitMix::new(seed);
    let mut next = || random.bits();
    let mut out = Vec::with_capacity(BUFFER as usize);
    while out.len() < BUFFER as usize {
        let (a, r) = (next() >> 32, next());
        let word = match a % 8 {
            0 => (r >> 40) as u32 & 0x1f,
            1 => ((r >> 48) as i16 >> 8) as i32 as u32,
            2 => (((r >> 40) as i32 as f32) / 4096.0 - 1000.0).to_bits(),
            3 => {
                [0x8000_0000, 0x7fff_ffff, 0xffff_ffff, 0x7f80_0000, 0x3f80_0000, 1, 0x8000_7fff, 0x3c00_bc00]
                    [(r >> 60) as usize & 7]
            }
            4 => (((r >> 33) as u16) as u32) << 16 | (r >> 20) as u16 as u32,
            _ => (r >> 32) as u32,
        };
        out.extend_from_slice(&word.to_le_bytes());
    }
    out
}

/// Judges a program; a panic is a failure too.
///
/// # Errors
///
/// What went wrong.
pub fn check(program: &RandomProgram) -> Result<(), Failure> {
    // Every seventh with less optimization.
    let level = match program.seed % 14 {
        5 => Level::O0,
        12 => Level::O1,
        _ => Level::O2,
    };
    match std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| judge(program, level))) {
        Ok(result) => result,
        Err(e) => {
            let text = e.downcast_ref::<String>().cloned();
            let text = text.or_else(|| e.downcast_ref::<&str>().map(|s| (*s).to_owned())).unwrap_or_default();
            fail(Kind::Panic, text)
        }
    }
}

/// Judges a program.
///
/// # Errors
///
/// What went wrong.
pub fn judge(program: &RandomProgram, level: Level) -> Result<(), Failure> {
    let platform = program.platform;
    let text = program.text();
    let module = match finalizer::read_text(text.as_bytes(), platform) {
        Ok(m) => m,
        Err(e) => return fail(Kind::Illegal, e.0.first().map_or(String::new(), |d| d.to_string())),
    };
    let options = visa::VerifyOptions::for_platform(platform);
    let findings = visa::verify(&module, options);
    if let Some(f) = findings.iter().find(|f| f.rule.severity() != visa::Severity::Warning) {
        return fail(Kind::Illegal, f);
    }
    let Launch { launch, memory, input, output } = launch_of(program, contents(program.seed));
    let options = RunOptions { max_instructions: LIMIT, ..RunOptions::default() };
    let mut wanted = memory.clone();
    let taken = match emulator::visa::run_raw(platform, &module, 0, &launch, &mut wanted, &options) {
        // Functions that call each other in loops may run for very long: such a program is left out.
        Err(emulator::Error::Limit { .. }) if !program.functions.is_empty() => return Ok(()),
        Err(e) => return fail(Kind::Interpreter, e),
        Ok(report) => {
            if let Some(r) = report.reports.iter().find(|r| r.fault.is_error()) {
                return fail(Kind::Interpreter, r);
            }
            report.instructions
        }
    };
    let options = Options {
        verify: true,
        grf: program.grf,
        reserved_registers: program.reserved,
        pairs: ThreadPairs::Always,
        ..Options::with_level(platform, level)
    };
    let mut finalizer = Finalizer::new(options);
    let binary = match finalizer.finalize_kernel(&module, 0) {
        Ok(b) => b,
        Err(e) => return fail(Kind::Refused, e.0.first().map_or(String::new(), |d| d.to_string())),
    };
    let mut found = memory;
    let options = RunOptions { max_instructions: 20 * taken.max(LIMIT / 20), ..RunOptions::default() };
    let launch = RawLaunch { registers: binary.info.grf_count.into(), ..launch };
    // Functions that are called by address are behind the kernel.
    let code = match emulator::link::Loaded::default().link(&rewriter::unit(&binary), &[]) {
        Ok(code) => code,
        Err(e) => return fail(Kind::Fails, e),
    };
    match emulator::run_raw(platform, &code, &launch, &mut found, &options) {
        Err(e) => return fail(Kind::Fails, e),
        Ok(report) => {
            if let Some(r) = report.reports.iter().find(|r| r.fault.is_error()) {
                return fail(Kind::Reported, r);
            }
        }
    }
    let same = compare(program, wanted.bytes(input), found.bytes(input), "buffer")
        .and_then(|()| compare_variables(program, wanted.bytes(output), found.bytes(output)));
    same.map_err(|difference| {
        undefined(program, &module, &wanted).map_or(difference.clone(), |f| Failure {
            detail: format!("{}: {}", f.detail, difference.detail),
            ..f
        })
    })
}

/// What is wrong with a program whose results hang on what registers hold before it begins, as one may that has been cut
/// down.
fn undefined(program: &RandomProgram, module: &visa::Module, wanted: &Memory) -> Option<Failure> {
    let Launch { launch, mut memory, input, output } = launch_of(program, contents(program.seed));
    let options = RunOptions {
        max_instructions: LIMIT,
        strict: !RunOptions::default().strict,
        ..RunOptions::default()
    };
    emulator::visa::run_raw(program.platform, module, 0, &launch, &mut memory, &options).ok()?;
    let same = [input, output].iter().all(|b| memory.bytes(*b) == wanted.bytes(*b));
    (!same).then(|| Failure { kind: Kind::Interpreter, detail: "reads what is undefined".into() })
}

/// What a program is launched with: the buffer that it reads and writes, and the one of its variables.
#[derive(Clone, Debug)]
pub struct Launch {
    /// One thread; registers are the code's.
    pub launch: RawLaunch,
    /// The two buffers.
    pub memory: Memory,
    /// What the program reads and writes.
    pub input: Buffer,
    /// What it leaves of its variables.
    pub output: Buffer,
}

/// The launch of a program over a buffer with this in it.
pub fn launch_of(program: &RandomProgram, contents: Vec<u8>) -> Launch {
    let mut memory = Memory::new();
    let input = memory.add("buffer", contents);
    let output = memory.add("variables", vec![0; program.output_bytes() as usize]);
    let surface =
        |b| Some(Surface { base: memory.address(b), size: memory.bytes(b).len() as u64, image: None });
    let surfaces = vec![surface(input), surface(output)];
    let launch = RawLaunch {
        simd: program.simd,
        groups: [1; 3],
        threads: 1,
        surfaces,
        slm: SLM,
        scratch: 1 << 18,
        ..RawLaunch::default()
    };
    Launch { launch, memory, input, output }
}

fn compare(_program: &RandomProgram, wanted: &[u8], found: &[u8], what: &str) -> Result<(), Failure> {
    match wanted.iter().zip(found).position(|(a, b)| a != b) {
        None => Ok(()),
        Some(at) => {
            let near = at & !7..(at & !7) + 8;
            fail(
                Kind::Differs,
                format_args!(
                    "{what} at byte {at:#x}: interpreter {:02x?}, ours {:02x?}",
                    &wanted[near.clone()],
                    &found[near]
                ),
            )
        }
    }
}

fn compare_variables(program: &RandomProgram, wanted: &[u8], found: &[u8]) -> Result<(), Failure> {
    let mut start = 0;
    for v in program.stored() {
        let size = v.ty.bytes() as usize;
        for i in 0..v.elements as usize {
            let range = start + i * size..start + (i + 1) * size;
            let (a, b) = (&wanted[range.clone()], &found[range]);
            if a != b && !(v.float && is_nan(a) && is_nan(b)) {
                return fail(
                    Kind::Differs,
                    format_args!("{} element {i}: interpreter {a:02x?}, ours {b:02x?}", v.name),
                );
            }
        }
        start += v.bytes() as usize;
    }
    let end = start + 64;
    compare(program, &wanted[start..end], &found[start..end], "flags")
}

/// Whether the bytes of a float of any size are a NaN.
fn is_nan(bytes: &[u8]) -> bool {
    let mut wide = [0; 8];
    wide[..bytes.len()].copy_from_slice(bytes);
    let bits = u64::from_le_bytes(wide);
    let format = match bytes.len() {
        2 => emulator::num::HALF,
        4 => emulator::num::SINGLE,
        _ => emulator::num::DOUBLE,
    };
    format.to_f64(bits).is_nan()
}

/// Platforms that programs are made for.
pub const PLATFORMS: [Platform; Platform::ALL.len()] = Platform::ALL;
