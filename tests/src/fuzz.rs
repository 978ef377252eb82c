//! Bodies of the fuzz targets: bytes from anywhere go through a part of the program, which may refuse them
//! but not panic, hang or eat memory.
//!
//! `fuzz/` runs them under libFuzzer; `tests/tests/fuzz.rs` runs each for a second on mutants of the test
//! data. A program that calls them installs [`peak_alloc::PeakAlloc`] as its allocator, or memory is not
//! measured.

mod socket;

use std::time::Duration;

use cpu_time::ThreadTime;
use emulator::RawLaunch;
use finalizer::{Finalizer, Options, Place, Refusal};
use iga::{AsmOptions, JsonOptions, ListingOptions, assemble, disassemble, disassemble_json};
use peak_alloc::PeakAlloc;
use platforms::Platform;
use visa::{
    Module, VerifyOptions,
    text::{self, TextOptions},
};

pub use self::socket::socket;
use crate::{
    data,
    visa_random::{self, Settings},
};

/// A part of the program that takes bytes.
#[derive(Clone, Copy, Debug)]
pub struct FuzzTarget {
    /// Name of the target in `fuzz/`.
    pub name: &'static str,
    /// Feeds it one input.
    pub body: fn(&[u8]),
    /// Inputs to start from, made of the test data.
    pub seeds: fn() -> Vec<Vec<u8>>,
}

/// All targets.
#[rustfmt::skip]
pub const TARGETS: [FuzzTarget; 12] = [
    FuzzTarget { name: "read_isa",     body: read_isa,     seeds: objects },
    FuzzTarget { name: "read_visaasm", body: read_visaasm, seeds: texts },
    FuzzTarget { name: "roundtrip",    body: roundtrip,    seeds: texts },
    FuzzTarget { name: "verify",       body: verify,       seeds: modules },
    FuzzTarget { name: "finalize",     body: finalize,     seeds: modules },
    FuzzTarget { name: "link",         body: link,         seeds: pairs },
    FuzzTarget { name: "retarget",     body: retarget,     seeds: objects_for_others },
    FuzzTarget { name: "decode",       body: decode,       seeds: code },
    FuzzTarget { name: "disasm",       body: disasm,       seeds: code },
    FuzzTarget { name: "asm",          body: asm,          seeds: listings },
    FuzzTarget { name: "emulate",      body: emulate,      seeds: code },
    FuzzTarget { name: "socket",       body: socket,       seeds: socket::sessions },
];

/// The target of that name.
///
/// # Panics
///
/// There is none.
pub fn target(name: &str) -> &'static FuzzTarget {
    TARGETS.iter().find(|t| t.name == name).unwrap_or_else(|| panic!("no fuzz target `{name}`"))
}

/// Processor time for each 100 kB of input, begun ones included.
const TIME: Duration = Duration::from_secs(1);
/// Bytes of memory per byte of input.
const MEMORY: usize = 100;
/// Memory that does not depend on the input: tables, buffers of a first size.
const BASE: usize = 4 << 20;

/// Runs `body` and holds it to its bounds of time and memory.
///
/// # Panics
///
/// It took more of either.
pub fn bounded(name: &str, input: &[u8], body: impl FnOnce()) {
    let before = PeakAlloc.current_usage();
    PeakAlloc.reset_peak_usage();
    let start = ThreadTime::now();
    body();
    let time = start.elapsed();
    let memory = PeakAlloc.peak_usage().saturating_sub(before);
    let bytes = input.len();
    let limit = TIME * (bytes / 100_000 + 1) as u32;
    assert!(time <= limit, "{name}: {bytes} bytes took {time:?}, allowed: {limit:?}");
    let limit = BASE + MEMORY * bytes;
    assert!(memory <= limit, "{name}: {bytes} bytes took {memory} bytes of memory, allowed: {limit}");
}

/// The first byte chooses the platform.
fn split(input: &[u8]) -> Option<(Platform, &[u8])> {
    let (first, rest) = input.split_first()?;
    Some((Platform::ALL[usize::from(*first) % Platform::ALL.len()], rest))
}

fn joined(platform: Platform, rest: &[u8]) -> Vec<u8> {
    let mut input = vec![platform as u8];
    input.extend_from_slice(rest);
    input
}

fn text_options(platform: Platform) -> TextOptions {
    TextOptions { grf_bytes: platform.caps().regs.grf_bytes.into(), ..TextOptions::default() }
}

/// An object: refused with places inside it, or written back byte for byte and printed.
pub fn read_isa(input: &[u8]) {
    bounded("read_isa", input, || match visa::read(input) {
        Ok(module) => {
            assert!(visa::write(&module).expect("what was read has an object") == input, "other bytes");
            for kernel in module.kernels.iter().chain(&module.functions) {
                for i in 0..kernel.code.len() {
                    let _ = kernel.try_inst(i);
                }
            }
            let _ = text::print(&module, TextOptions::default());
        }
        Err(errors) => {
            assert!(!errors.0.is_empty());
            assert!(errors.0.iter().all(|e| e.offset <= input.len()), "{errors}");
        }
    });
}

/// A text: refused with places inside it, or a module.
pub fn read_visaasm(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    bounded("read_visaasm", input, || {
        if let Err(faults) = text::parse(&text, TextOptions::default()) {
            assert!(!faults.0.is_empty());
            for f in &faults.0 {
                let inside = f.span.end <= text.len() && f.line >= 1 && f.column >= 1;
                assert!(inside && !f.message.is_empty(), "{f}");
            }
        }
    });
}

/// A text that is accepted prints as one that is accepted and means the same, and so does its object.
pub fn roundtrip(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let options = TextOptions::default();
    let Ok(module) = text::parse(&text, options) else { return };
    let printed = text::print(&module, options);
    let again = text::parse(&printed, options).unwrap_or_else(|e| panic!("{e}\n{printed}"));
    // Comments tell original names, which are gone after one round.
    let code = |text: &str| {
        text.lines().map(|l| l.split("///").next().unwrap_or(l).trim_end().to_owned()).collect::<Vec<_>>()
    };
    assert!(code(&text::print(&again, options)) == code(&printed), "another text:\n{printed}");
    if let Ok(object) = visa::write(&module) {
        let read = visa::read(&object).unwrap_or_else(|e| panic!("{e}\n{printed}"));
        assert!(
            visa::write(&read).expect("what was read has an object") == object,
            "other bytes:\n{printed}"
        );
    }
}

fn module(platform: Platform, input: &[u8]) -> Option<Module> {
    finalizer::read_input(input, platform).ok()
}

/// The verifier, on whatever can be read: findings name what they are about; what it lets pass is valid.
pub fn verify(input: &[u8]) {
    let Some((platform, input)) = split(input) else { return };
    let Some(module) = module(platform, input) else { return };
    bounded("verify", input, || {
        let options = VerifyOptions::for_platform(platform);
        let findings = visa::verify(&module, options);
        for f in &findings {
            assert!(!f.message.is_empty() && !f.field.is_empty(), "{f}");
        }
        let safe = findings.iter().all(|f| !f.rule.is_safety());
        assert_eq!(visa::validate(module, options.grf_bytes).is_ok(), safe);
    });
}

/// The whole pipeline with all checks: code of whole instructions, or a refusal with messages.
pub fn finalize(input: &[u8]) {
    let Some((platform, input)) = split(input) else { return };
    bounded("finalize", input, || {
        let Some(module) = module(platform, input) else { return };
        finalize_all(platform, &module, input);
    });
}

fn finalize_all(platform: Platform, module: &Module, input: &[u8]) {
    let mut finalizer = Finalizer::new(Options::new(platform));
    for kernel in 0..module.kernels.len() {
        match finalizer.finalize_kernel(module, kernel) {
            Ok(binary) => {
                assert!(binary.code.len() % 8 == 0 && !binary.code.is_empty());
                let all = encoder::decode_all(platform, &binary.code);
                for d in all {
                    assert!(d.inst.is_ok(), "{:#x}: {}", d.offset, d.inst.unwrap_err());
                }
            }
            Err(refusal) => told(&refusal, input),
        }
    }
}

/// A refusal says what is wrong, at places that there are.
fn told(refusal: &Refusal, input: &[u8]) {
    assert!(!refusal.0.is_empty());
    for d in &refusal.0 {
        assert!(!d.message.is_empty() && !d.code.is_empty(), "{d}");
        if let Place::Offset(at) = d.place {
            assert!(at <= input.len() as u64, "{d}");
        }
    }
}

/// Stands between a kernel and what is linked to it.
const BETWEEN: &[u8] = b"\n--link--\n";

/// A kernel and the functions of another text or object: refused by itself, or finalized together.
pub fn link(input: &[u8]) {
    let Some((platform, both)) = split(input) else { return };
    let at = both.windows(BETWEEN.len()).position(|w| w == BETWEEN).unwrap_or(both.len());
    let (own, rest) = both.split_at(at);
    let other = rest.get(BETWEEN.len()..).unwrap_or_default();
    bounded("link", input, || {
        let Some(mut linked) = module(platform, own) else { return };
        if let Some(other) = module(platform, other) {
            linked.link_functions(other);
        }
        finalize_all(platform, &linked, input);
    });
}

/// An object gets code for one more platform: it can be read again, and has it.
pub fn retarget(input: &[u8]) {
    let Some((platform, input)) = split(input) else { return };
    bounded("retarget", input, || {
        let mut finalizer = Finalizer::new(Options::new(platform));
        match rewriter::retarget(input, &mut finalizer) {
            // Compiled programs are none.
            Ok(program) if zebin::is_elf(&program) => {}
            Ok(object) => {
                let module = visa::read(&object).expect("an object of ours can be read");
                for kernel in &module.kernels {
                    assert!(!kernel.gen_binaries.is_empty(), "{}: no code", kernel.name());
                }
            }
            Err(refusal) => told(&refusal, input),
        }
    });
}

/// Words: what has a meaning is encoded to a word of the same meaning.
pub fn decode(input: &[u8]) {
    let Some((platform, code)) = split(input) else { return };
    bounded("decode", input, || {
        for d in encoder::decode_all(platform, code) {
            let Ok(inst) = d.inst else { continue };
            let Ok(word) = encoder::encode(platform, &inst) else { continue };
            let mut again = encoder::decode(platform, word)
                .unwrap_or_else(|e| panic!("{platform} {:#x}: {inst}: {e}", d.offset));
            again.opts = inst.opts;
            assert_eq!(again.to_string(), inst.to_string(), "{platform} {:#x}", d.offset);
            if let Some(small) = encoder::compact(platform, word) {
                assert_eq!(encoder::expand(platform, small), Ok(word), "{platform} {:#x}", d.offset);
            }
        }
    });
}

/// Listings of any bytes, as text and as JSON.
pub fn disasm(input: &[u8]) {
    let Some((platform, code)) = split(input) else { return };
    bounded("disasm", input, || {
        let text = disassemble(platform, code, &ListingOptions::default());
        assert!(code.is_empty() || !text.is_empty());
        drop(text);
        let json = disassemble_json(platform, code, &JsonOptions::default());
        serde_json::from_str::<serde::de::IgnoredAny>(&json).expect("JSON");
    });
}

/// Listings to code: refused with lines, or whole instructions that can be listed.
pub fn asm(input: &[u8]) {
    let Some((platform, rest)) = split(input) else { return };
    let text = String::from_utf8_lossy(rest);
    bounded("asm", input, || match assemble(platform, &text, &AsmOptions { compact: input[0] & 128 != 0 }) {
        Ok(code) => {
            assert!(code.len() % 8 == 0);
            let _ = disassemble(platform, &code, &ListingOptions::default());
        }
        Err(errors) => {
            assert!(!errors.is_empty() && errors.iter().all(|e| e.line >= 1 && e.column >= 1));
        }
    });
}

/// Any bytes as code on the emulator.
pub fn emulate(input: &[u8]) {
    let Some((platform, code)) = split(input) else { return };
    let launch = RawLaunch {
        simd: 8,
        groups: [1; 3],
        threads: 1,
        payload: vec![vec![1; 256]],
        surfaces: Vec::new(),
        states: Vec::new(),
        samplers: Vec::new(),
        slm: 1024,
        scratch: 1024,
        registers: 0,
    };
    let options = emulator::Options { max_instructions: 2000, ..emulator::Options::default() };
    bounded("emulate", input, || {
        let mut memory = emulator::Memory::new();
        let _ = emulator::run_raw(platform, code, &launch, &mut memory, &options);
    });
}

/// Every `step`-th of the kernels whose text is short enough to be mutated often.
fn some_kernels() -> impl Iterator<Item = &'static data::TestKernel> {
    Platform::ALL
        .into_iter()
        .flat_map(|p| data::kernels(p).iter().filter(|k| k.visaasm.len() < 8_000).step_by(9))
}

fn texts() -> Vec<Vec<u8>> {
    let kernels = some_kernels().map(|k| k.visaasm.clone().into_bytes());
    kernels.chain(calls().map(|(_, text)| text.into_bytes())).collect()
}

/// Programs with functions: a few random ones for each platform.
fn calls() -> impl Iterator<Item = (Platform, String)> {
    Platform::ALL.into_iter().flat_map(|platform| {
        let settings = Settings { functions: true, ..Settings::new(platform) };
        (0..3).map(move |seed| (platform, visa_random::generate(settings, seed).text()))
    })
}

/// The same, with the functions apart from the kernel.
fn pairs() -> Vec<Vec<u8>> {
    let apart = |(platform, text): (Platform, String)| {
        let (kernel, functions) = text.split_at(text.find(".global_function")?);
        let functions = format!(".version 4.1\n{functions}");
        Some(joined(platform, &[kernel.as_bytes(), BETWEEN, functions.as_bytes()].concat()))
    };
    calls().filter_map(apart).collect()
}

/// Objects, some with code for several platforms, each with one to get more code for.
fn objects_for_others() -> Vec<Vec<u8>> {
    let with_code = |k: &data::TestKernel| {
        let mut object = k.visaasm.clone().into_bytes();
        for platform in Platform::ALL {
            let mut finalizer = Finalizer::new(Options::new(platform));
            object = rewriter::retarget(&object, &mut finalizer).unwrap_or(object);
        }
        joined(k.platform, &object)
    };
    let fat = some_kernels().step_by(8).map(with_code);
    let others = objects().into_iter().enumerate();
    let others = others.map(|(i, object)| joined(Platform::ALL[i % Platform::ALL.len()], &object));
    fat.chain(others).collect()
}

fn objects() -> Vec<Vec<u8>> {
    let whole = some_kernels().filter_map(|k| k.whole.clone());
    let ours = some_kernels().step_by(2).filter_map(|k| {
        let module = text::parse(&k.visaasm, text_options(k.platform)).ok()?;
        visa::write(&module).ok()
    });
    let foreign = data::corpus().into_iter().filter_map(|path| std::fs::read(path).ok());
    whole.step_by(2).chain(ours).chain(foreign.filter(|b| b.len() < 20_000)).collect()
}

fn modules() -> Vec<Vec<u8>> {
    some_kernels()
        .enumerate()
        .map(|(i, k)| match text::parse(&k.visaasm, text_options(k.platform)) {
            Ok(module) if i % 2 == 0 => visa::write(&module).map_or_else(
                |_| joined(k.platform, k.visaasm.as_bytes()),
                |object| joined(k.platform, &object),
            ),
            _ => joined(k.platform, k.visaasm.as_bytes()),
        })
        .chain(calls().map(|(platform, text)| joined(platform, text.as_bytes())))
        .collect()
}

fn code() -> Vec<Vec<u8>> {
    some_kernels().map(|k| joined(k.platform, &k.dat)).collect()
}

fn listings() -> Vec<Vec<u8>> {
    some_kernels()
        .step_by(2)
        .map(|k| {
            let listing = disassemble(k.platform, &k.dat, &ListingOptions::default());
            joined(k.platform, listing.as_bytes())
        })
        .collect()
}
