//! Kernels of foreign objects, launched with a payload made up for them: our code beside the vISA interpreter.
//!
//! Nobody says what such a kernel expects of its inputs, so they are guessed from their types (`argument`): numbers are
//! small, scalar qwords are addresses of buffers, rows of words are local ids, surfaces are images of one kind. A kernel
//! that asks for more than the interpreter has or that reads what nobody wrote counts as one that cannot be launched,
//! with the reason. Motion estimation and what samplers do are black boxes ([`emulator::Options::opaque`]): both sides
//! have to ask them the same.

use std::collections::BTreeSet;

use emulator::{
    Fault, Image, Memory, Options as RunOptions, RawLaunch, Report, Sampler, Surface, Texel, Wrap,
    link::Loaded, visa as interpreter,
};
use encoder::{Decoded, decode_all};
use finalizer::{Binary, ThreadPairs};
use gen_ir::{Arf, Base, Inst, Op, Physical, Reg, Src};
use messages::Sfid;
use platforms::Platform;
use visa::{GeneralVar, InputVar, Module, Opcode, Type};
use zebin::{Data, Program, Unit};

use crate::splitmix::SplitMix;

/// Texels along each side of a surface, of a byte each.
const SIDE: u32 = 256;
/// Different surfaces of a media kernel; binding table indices name them in turn.
const MEDIA_SURFACES: usize = 4;
/// Different surfaces of another kernel, and as many buffers behind addresses: compilers rely on it that arguments do not
/// share memory.
const SURFACES: usize = 32;
const SAMPLER: Sampler = Sampler { normalized: false, linear: false, wrap: Wrap::Edge };
/// Bytes of a constant or variable of the program.
const SYMBOL: u32 = 1 << 13;
/// What a launch is made of, and how long it may take.
#[derive(Clone, Copy, Debug)]
pub struct Choices {
    /// Inputs and memory are made of this number.
    pub seed: u64,
    /// vISA instructions that the interpreter may take; machine code may take 20 times as many.
    pub limit: u64,
    /// Code that goes by what nobody wrote is wrong, whatever comes of it.
    pub strict: bool,
}

impl Default for Choices {
    fn default() -> Self {
        Choices { seed: 1, limit: 400_000, strict: true }
    }
}

/// What became of a launch.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Launched {
    /// Our code leaves the memory that the interpreter leaves, and nothing is reported of it.
    Agrees,
    /// The interpreter does not come to an end, or reads what is undefined: nothing to compare with.
    Cannot(String),
    /// Our code does not come to an end, a finding of the emulator, or other memory.
    Wrong(String),
}

/// What a kernel is launched with, and the memory behind its surfaces.
fn launch(kernel: &visa::Kernel, grf: u32, seed: u64) -> (RawLaunch, Memory) {
    let mut numbers = SplitMix::new(seed);
    let mut random = || (numbers.bits() >> 33) as u32;
    let mut memory = Memory::new();
    let image = Image::new_2d(SIDE, SIDE, 1, 1, Texel::Uint);
    let (surfaces, addresses) = if kernel.is_cm() { (MEDIA_SURFACES, 0) } else { (SURFACES, SURFACES) };
    let mut buffer = |i: usize| {
        let bytes = match kernel.is_cm() {
            true => (0..SIDE * SIDE).map(|_| random() as u8).collect(),
            // Numbers that may be indices, or floats.
            false if seed % 2 == 1 => {
                (0..SIDE * SIDE / 4).flat_map(|_| (random() & 0x1f).to_le_bytes()).collect()
            }
            false => {
                (0..SIDE * SIDE / 4).flat_map(|_| ((random() & 0xff) as f32 / 16.0).to_le_bytes()).collect()
            }
        };
        let name = if i < surfaces { format!("surface {i}") } else { format!("buffer {}", i - surfaces) };
        let buffer = memory.add(name, bytes);
        memory.address(buffer)
    };
    let buffers: Vec<u64> = (0..surfaces + addresses).map(&mut buffer).collect();
    let (surfaces, addresses) = buffers.split_at(surfaces);
    let surface = |i: usize| {
        let base = surfaces[i % surfaces.len()];
        Some(Surface { base, size: u64::from(SIDE * SIDE), image: Some(image.clone()) })
    };
    let payload = payload(kernel, grf, addresses, &mut random);
    let launch = RawLaunch {
        simd: kernel.attr_int("SimdSize").filter(|_| !kernel.is_cm()).map_or(1, |n| n.max(1) as u32),
        groups: [1; 3],
        threads: 1,
        payload: vec![payload],
        surfaces: (0..256).map(surface).collect(),
        samplers: vec![Some(SAMPLER); 16],
        scratch: 1 << 18,
        slm: 1 << 16,
        ..RawLaunch::default()
    };
    (launch, memory)
}

/// The registers that a thread starts with, from the first on: arguments, and indices of surfaces and samplers in a row.
fn payload(kernel: &visa::Kernel, grf: u32, addresses: &[u64], random: &mut impl FnMut() -> u32) -> Vec<u8> {
    let end = kernel.inputs.iter().map(|i| i.offset.max(0) as u32 + u32::from(i.size)).max().unwrap_or(0);
    let mut payload = vec![0; end.saturating_sub(grf).next_multiple_of(grf) as usize];
    let mut next = 0;
    for input in &kernel.inputs {
        let Some(at) = (input.offset.max(0) as u32).checked_sub(grf).map(|at| at as usize) else { continue };
        let bytes = &mut payload[at..at + usize::from(input.size)];
        match input.var {
            InputVar::General(id) => {
                let Some(var) = id.declared().and_then(|i| kernel.vars.get(i)) else { continue };
                if kernel.is_cm() {
                    bytes.chunks_mut(2).for_each(|word| word[0] = random() as u8 & 0xf);
                    continue;
                }
                argument(var, bytes, addresses[next as usize % addresses.len()], random);
                next += u32::from(is_address(var));
            }
            InputVar::Surface(_) | InputVar::Sampler(_) => {
                for element in bytes.chunks_exact_mut(4) {
                    element.copy_from_slice(&u32::to_le_bytes(next));
                    next += 1;
                }
            }
        }
    }
    payload
}

/// Whether an argument is taken for an address.
fn is_address(var: &GeneralVar) -> bool {
    var.num_elements == 1 && matches!(var.ty, Type::UQ | Type::Q)
}

/// Makes up an argument: what its type suggests that a host would pass.
fn argument(var: &GeneralVar, bytes: &mut [u8], address: u64, random: &mut impl FnMut() -> u32) {
    match var.ty {
        _ if is_address(var) => bytes.copy_from_slice(&address.to_le_bytes()[..bytes.len()]),
        // The local ids of a row of lanes.
        Type::W | Type::UW if var.num_elements >= 8 => {
            for (lane, id) in (0u16..).zip(bytes.chunks_exact_mut(2)) {
                id.copy_from_slice(&lane.to_le_bytes());
            }
        }
        Type::F => {
            for value in bytes.chunks_exact_mut(4) {
                value.copy_from_slice(&((random() & 0x3f) as f32 / 8.0).to_le_bytes());
            }
        }
        // Sizes and offsets.
        ty => bytes.chunks_mut(ty.bytes() as usize).for_each(|number| number[0] = random() as u8 & 0xc),
    }
}

/// What a message says without the place.
fn reason(message: &str) -> String {
    let line = message.lines().next().unwrap_or_default();
    let place = line.split_once(": ").filter(|(place, _)| place.starts_with("0x"));
    let line = place.map_or(line, |(_, what)| what);
    line.split(", at 0x").next().unwrap_or_default().to_owned()
}

/// What a report finds that makes a comparison worthless, or our code wrong. Nobody promised that the made up offsets stay
/// inside the surfaces; what is outside reads as zero, for both.
fn finding(reports: &[Report]) -> Option<String> {
    let outside = |r: &Report| matches!(r.fault, Fault::OutOfBounds | Fault::NoMemory);
    reports.iter().find(|r| r.fault.is_error() && !outside(r)).map(ToString::to_string)
}

/// Whether a kernel asks for powers or quotients where the math unit has none: the interpreter rounds the exact result, a
/// formula need not give that.
fn is_inexact(platform: Platform, kernel: &visa::Kernel) -> bool {
    let formula = |opcode| matches!(opcode, Opcode::Pow | Opcode::Div);
    !platform.caps().ops.fdiv_pow && kernel.code.iter().any(|inst| formula(inst.opcode))
}

/// Whether code reads the timestamp register. In the emulator it goes by instructions, in the interpreter by those of vISA.
fn reads_clock(platform: Platform, code: &[u8]) -> bool {
    let is_clock =
        |src: &Src<Physical>| src.reg().is_some_and(|reg| matches!(reg.base(), Base::Arf(Arf::Timestamp(_))));
    decode_all(platform, code).filter_map(|d| d.inst.ok()).any(|inst| inst.src.iter().any(is_clock))
}

/// Questions whatever their order: our code may send messages in another.
fn sorted(mut asked: Vec<u64>) -> Vec<u64> {
    asked.sort_unstable();
    asked
}

/// Our code as a linker takes it. The inputs are in registers already, as where hardware loads them.
fn linkable(binary: &Binary) -> Unit {
    let start = binary.info.skip_cross_thread_load.max(binary.info.skip_per_thread_load);
    let mut unit = rewriter::unit(binary);
    unit.code.drain(..start as usize);
    unit.relocations.iter_mut().for_each(|r| r.offset -= start);
    unit.functions.iter_mut().for_each(|(_, offset)| *offset -= start);
    unit
}

/// Constants and variables of the program, of which the code has names only: what they hold is made up.
fn data(unit: &Unit, random: &mut impl FnMut() -> u32) -> Program {
    let names: BTreeSet<&String> = unit.relocations.iter().map(|r| &r.symbol).collect();
    let is_data = |name: &&String| unit.functions.iter().all(|(function, _)| function != *name);
    let made_up = |name: &String| Data {
        name: name.clone(),
        bytes: (0..SYMBOL).map(|_| random() as u8).collect(),
        relocations: Vec::new(),
        symbols: vec![(name.clone(), 0)],
    };
    Program { data: names.into_iter().filter(is_data).map(made_up).collect(), ..Program::default() }
}

/// Runs a kernel's vISA and our code of it over the same payload and memory.
pub fn run(platform: Platform, module: &Module, index: usize, binary: &Binary, choices: Choices) -> Launched {
    run_unit(platform, module, index, &linkable(binary), choices)
}

/// The bytes that a compiler's code begins with to load the inputs, where hardware does not: they work in the last register of a
/// thread, which the kernel leaves alone until it has its inputs; where threads may enter behind a part, `nop`s fill it up.
fn prologue(platform: Platform, code: &[u8]) -> usize {
    let last = |reg: Reg<Physical>| reg.grf_number().is_some_and(|n| n.number() % 128 == 127);
    let loads = |inst: &Inst<Physical>| {
        inst.dst.reg().is_some_and(last) || inst.src.iter().filter_map(Src::reg).any(last)
    };
    let is_part = |d: &Decoded| d.inst.as_ref().is_ok_and(|i| i.op == Op::Nop || loads(i));
    let prologue = decode_all(platform, code).take_while(is_part);
    prologue
        .last()
        .filter(|_| platform.caps().thread.payload_prologue)
        .map_or(0, |d| d.offset as usize + usize::from(d.len))
}

/// Runs a kernel's vISA and code that a compiler made of it, after what loads the inputs.
pub fn run_theirs(
    platform: Platform,
    module: &Module,
    index: usize,
    code: &[u8],
    choices: Choices,
) -> Launched {
    let code = code[prologue(platform, code)..].to_vec();
    run_unit(platform, module, index, &Unit { code, ..Unit::default() }, choices)
}

/// Runs a kernel's vISA and any code of it that finds the inputs in registers.
fn run_unit(
    platform: Platform,
    module: &Module,
    index: usize,
    unit: &Unit,
    Choices { seed, limit, strict }: Choices,
) -> Launched {
    let grf = platform.caps().regs.grf_bytes.into();
    let (launch, mut memory) = launch(&module.kernels[index], grf, seed);
    let mut numbers = SplitMix::new(!seed);
    let program = data(unit, &mut || numbers.bits() as u32);
    let linked = Loaded::new(&program, &mut memory).and_then(|loaded| Ok((loaded.link(unit, &[])?, loaded)));
    let (code, loaded) = match linked {
        Ok(linked) => linked,
        Err(why) => return Launched::Wrong(why.to_string()),
    };
    let mut opaque = vec![Sfid::Vme, Sfid::Cre, Sfid::Sampler];
    if module.kernels[index].is_cm() {
        // Media kernels have messages among threads; others have barriers alone, which are modelled.
        opaque.push(Sfid::Gateway);
    }
    let pairs = ThreadPairs::Auto.of(module.kernels[index].is_cm());
    let options = RunOptions { max_instructions: limit, pairs, opaque, strict, ..RunOptions::default() };
    let interpret = |strict, memory: &Memory| {
        let options = RunOptions { strict, ..options.clone() };
        interpret(platform, module, index, (&loaded, &launch), memory, &options)
    };
    let wanted = match interpret(strict, &memory) {
        Ok(wanted) => wanted,
        Err(why) => return Launched::Cannot(why),
    };
    let launched = run_code(platform, module, index, &code, (&launch, memory.clone()), (&wanted, &options));
    // Another run has other numbers where nobody wrote any.
    match launched {
        Launched::Wrong(_) if interpret(!strict, &memory).as_ref() != Ok(&wanted) => {
            Launched::Cannot("reads what is undefined".into())
        }
        launched => launched,
    }
}

/// What the interpreter leaves.
#[derive(Debug)]
struct Interpreted {
    memory: Memory,
    /// What it asks of what is not modelled.
    questions: Vec<u64>,
    /// Stores what nobody wrote.
    undefined: bool,
}

impl PartialEq for Interpreted {
    fn eq(&self, other: &Interpreted) -> bool {
        self.questions == other.questions && self.memory.buffers().eq(other.memory.buffers())
    }
}

/// Interprets a kernel, over a memory that is as it is.
fn interpret(
    platform: Platform,
    module: &Module,
    index: usize,
    (loaded, launch): (&Loaded, &RawLaunch),
    memory: &Memory,
    options: &RunOptions,
) -> Result<Interpreted, String> {
    let mut memory = memory.clone();
    let run = interpreter::run_raw_linked(platform, module, index, loaded, launch, &mut memory, options);
    let report = run.map_err(|e| reason(&e.to_string()))?;
    match finding(&report.reports) {
        Some(text) => Err(reason(&text)),
        None => Ok(Interpreted {
            memory,
            questions: sorted(report.asked),
            undefined: report.reports.iter().any(|r| r.fault == Fault::UndefinedData),
        }),
    }
}

/// Runs code, and compares what it leaves.
fn run_code(
    platform: Platform,
    module: &Module,
    index: usize,
    code: &[u8],
    (launch, mut found): (&RawLaunch, Memory),
    (wanted, options): (&Interpreted, &RunOptions),
) -> Launched {
    let options =
        RunOptions { max_instructions: options.max_instructions.saturating_mul(20), ..options.clone() };
    match emulator::run_raw(platform, code, launch, &mut found, &options) {
        Err(e) => return Launched::Wrong(e.to_string()),
        Ok(report) => {
            if let Some(text) = finding(&report.reports) {
                return Launched::Wrong(text);
            }
            let (asked, questions) = (report.asked.len(), wanted.questions.len());
            if sorted(report.asked) != wanted.questions {
                return Launched::Wrong(format!(
                    "{asked} questions to what is not modelled, not {questions}, or others"
                ));
            }
        }
    }
    let differs = wanted.memory.buffers().zip(found.buffers()).find(|(a, b)| a.2 != b.2);
    match differs {
        None => Launched::Agrees,
        Some(_) if wanted.undefined => Launched::Cannot("what is stored was never written".into()),
        Some(_) if is_inexact(platform, &module.kernels[index]) => {
            Launched::Cannot("powers or quotients that are formulas".into())
        }
        Some(_) if reads_clock(platform, code) => {
            Launched::Cannot("the clock, which counts instructions".into())
        }
        Some(((_, name, a), (_, _, b))) => {
            let at = a.iter().zip(b).position(|(a, b)| a != b).unwrap_or(0);
            Launched::Wrong(format!("{name} at byte {at:#x}: {:#x}, not {:#x}", b[at], a[at]))
        }
    }
}
