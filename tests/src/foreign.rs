//! Kernels of foreign objects, launched with a payload made up for them: our code beside the vISA interpreter.
//!
//! Nobody says what such a kernel expects of its inputs. So numbers are small, surfaces are images of one kind, and
//! a kernel that asks for more than the interpreter has or that reads what
//! nobody wrote counts as one that cannot be launched, with the reason. Motion estimation and what samplers do with blocks are
//! black boxes ([`emulator::Options::opaque`]): both sides have to ask them the same.

use emulator::{Image, Memory, Options as RunOptions, RawLaunch, Report, Surface, Texel};
use finalizer::Binary;
use messages::Sfid;
use platforms::Platform;
use visa::{InputVar, Module};

/// Texels along each side of a surface, of a byte each.
const SIDE: u32 = 256;
/// Different surfaces; binding table indices name them in turn.
const SURFACES: usize = 4;
/// Instructions that a run may take.
const LIMIT: u64 = 2_000_000;

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
    let mut state = seed | 1;
    let mut random = move || {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (state >> 33) as u32
    };
    let mut memory = Memory::new();
    let image = Image::new_2d(SIDE, SIDE, 1, 1, Texel::Uint);
    let buffers: Vec<_> = (0..SURFACES)
        .map(|i| memory.add(format!("surface {i}"), (0..SIDE * SIDE).map(|_| random() as u8).collect()))
        .collect();
    let surface = |i: usize| {
        let base = memory.address(buffers[i % SURFACES]);
        Some(Surface { base, size: u64::from(SIDE * SIDE), image: Some(image.clone()) })
    };
    let end = kernel.inputs.iter().map(|i| i.offset.max(0) as u32 + u32::from(i.size)).max().unwrap_or(0);
    let mut payload = vec![0; end.saturating_sub(grf).next_multiple_of(grf) as usize];
    let mut next = 0;
    for input in &kernel.inputs {
        let Some(at) = (input.offset.max(0) as u32).checked_sub(grf).map(|at| at as usize) else { continue };
        let bytes = &mut payload[at..at + usize::from(input.size)];
        match input.var {
            InputVar::General(_) => bytes.chunks_mut(2).for_each(|word| word[0] = random() as u8 & 0xf),
            InputVar::Surface(_) | InputVar::Sampler(_) => {
                for element in bytes.chunks_exact_mut(4) {
                    element.copy_from_slice(&u32::to_le_bytes(next));
                    next += 1;
                }
            }
        }
    }
    let launch = RawLaunch {
        simd: 1,
        groups: [1; 3],
        threads: 1,
        payload: vec![payload],
        surfaces: (0..256).map(surface).collect(),
        scratch: 1 << 18,
        slm: 1 << 16,
        ..RawLaunch::default()
    };
    (launch, memory)
}

/// What a message says without the place.
fn reason(message: &str) -> String {
    let line = message.lines().next().unwrap_or_default();
    let place = line.split_once(": ").filter(|(place, _)| place.starts_with("0x"));
    let line = place.map_or(line, |(_, what)| what);
    line.split(", at 0x").next().unwrap_or_default().to_owned()
}

fn finding(reports: &[Report]) -> Option<String> {
    reports.iter().find(|r| r.fault.is_error()).map(ToString::to_string)
}

/// Questions whatever their order: our code may send messages in another.
fn sorted(mut asked: Vec<u64>) -> Vec<u64> {
    asked.sort_unstable();
    asked
}

/// Runs a kernel's vISA and its code over the same payload and memory.
pub fn run(platform: Platform, module: &Module, index: usize, binary: &Binary, seed: u64) -> Launched {
    let grf = platform.caps().regs.grf_bytes.into();
    let (launch, memory) = launch(&module.kernels[index], grf, seed);
    let opaque = vec![Sfid::Vme, Sfid::Cre, Sfid::Sampler, Sfid::Gateway];
    let options = RunOptions { max_instructions: LIMIT, opaque, ..RunOptions::default() };
    let (mut wanted, mut found) = (memory.clone(), memory);
    let questions = match emulator::visa::run_raw(platform, module, index, &launch, &mut wanted, &options) {
        Err(e) => return Launched::Cannot(reason(&e.to_string())),
        Ok(report) => {
            if let Some(text) = finding(&report.reports) {
                return Launched::Cannot(reason(&text));
            }
            sorted(report.asked)
        }
    };
    let options = RunOptions { max_instructions: 20 * LIMIT, ..options };
    match emulator::run_raw(platform, &binary.code, &launch, &mut found, &options) {
        Err(e) => return Launched::Wrong(e.to_string()),
        Ok(report) => {
            if let Some(text) = finding(&report.reports) {
                return Launched::Wrong(text);
            }
            let (asked, wanted) = (report.asked.len(), questions.len());
            if sorted(report.asked) != questions {
                return Launched::Wrong(format!(
                    "{asked} questions to what is not modelled, not {wanted}, or others"
                ));
            }
        }
    }
    let differs = wanted.buffers().zip(found.buffers()).find(|(a, b)| a.2 != b.2);
    match differs {
        None => Launched::Agrees,
        Some(((_, name, a), (_, _, b))) => {
            let at = a.iter().zip(b).position(|(a, b)| a != b).unwrap_or(0);
            Launched::Wrong(format!("{name} at byte {at:#x}: {:#x}, not {:#x}", b[at], a[at]))
        }
    }
}
