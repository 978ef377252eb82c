//! Intel's machine code for the OpenCL test kernels on the emulator.
//!
//! Every kernel runs, on every platform and at every SIMD size, over the same generated inputs, with all
//! of the emulator's checks on. Nothing may be reported, and what the kernels leave in memory must agree
//! between the platforms: five generations of code from one source check each other and the emulator.

use emulator::{Arg, Buffer, Image, Launch, Memory, Options, Sampler, Texel, Wrap, zeinfo};
use platforms::Platform;
use std::collections::BTreeMap;
use tests::data::{self, TestKernel};

const BYTES: usize = 1 << 18;

/// Deterministic filler.
struct Rng(u64);

impl Rng {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}

/// Bytes of a buffer whose elements have a type: small numbers, so that most serve as indices too.
fn fill(type_name: &str, seed: u64) -> Vec<u8> {
    let mut rng = Rng(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let base = type_name.trim_end_matches(|c: char| c.is_ascii_digit());
    let mut out = Vec::with_capacity(BYTES);
    while out.len() < BYTES {
        let r = rng.next();
        let real = ((r & 0xff) as f64 - 128.0) / 16.0;
        let whole = if r >> 60 == 0 { r >> 8 & 0x1ff } else { r & 63 };
        match base {
            "float" => out.extend_from_slice(&(real as f32).to_le_bytes()),
            "double" => out.extend_from_slice(&real.to_le_bytes()),
            "half" => out.extend_from_slice(
                &emulator::num::f32_to_f16(real as f32, emulator::num::Round::Even).to_le_bytes(),
            ),
            "char" | "uchar" | "bool" => out.push(whole as u8),
            "short" | "ushort" => out.extend_from_slice(&(whole as u16).to_le_bytes()),
            "long" | "ulong" => out.extend_from_slice(&whole.to_le_bytes()),
            _ => out.extend_from_slice(&(whole as u32).to_le_bytes()),
        }
    }
    out.truncate(BYTES);
    out
}

fn launch(k: &TestKernel, memory: &mut Memory) -> Result<(Launch, Vec<Buffer>), emulator::Error> {
    let info = zeinfo::find(&k.ze_info, &k.name)?;
    let mut args = Vec::new();
    let mut buffers = Vec::new();
    for (i, a) in info.args.iter().enumerate() {
        let ty = a.type_name.split(';').next().unwrap_or_default();
        let size = info
            .payload
            .iter()
            .filter(|p| p.arg == Some(i as u32) && p.kind == "arg_byvalue")
            .map(|p| p.size + p.source_offset)
            .max()
            .unwrap_or(4);
        args.push(if a.space == "__local" {
            Arg::Local(4096)
        } else if ty == "sampler_t" {
            Arg::Sampler(Sampler { normalized: false, linear: false, wrap: Wrap::Edge })
        } else if ty.starts_with("image") {
            let b = memory.add(&a.name, fill("char", i as u64 + 1));
            buffers.push(b);
            let mut image = Image::new_2d(64, 64, 4, 1, Texel::Unorm);
            if ty.starts_with("image1d") {
                image = Image { dims: 1, height: 1, slice_pitch: image.row_pitch, ..image };
            }
            if ty.starts_with("image3d") || ty.contains("array") {
                image.depth = 4;
                image.dims = if ty.starts_with("image3d") { 3 } else { image.dims };
                image.array = ty.contains("array");
            }
            Arg::Image(b, image)
        } else if let Some(element) = ty.strip_suffix('*') {
            let mut bytes = fill(element, i as u64 + 1);
            if a.name == "b" {
                // Divisors: division by zero is undefined.
                bytes.iter_mut().filter(|b| **b == 0).for_each(|b| *b = 1);
            }
            let b = memory.add(&a.name, bytes);
            buffers.push(b);
            Arg::Buffer(b)
        } else {
            let mut bytes = vec![0; size.max(1) as usize];
            match ty {
                "float" => bytes = 1.5f32.to_le_bytes().to_vec(),
                "double" => bytes = 1.5f64.to_le_bytes().to_vec(),
                "half" => bytes = vec![0, 0x3e],
                _ => {
                    for b in bytes.iter_mut().step_by(4) {
                        *b = 5 + i as u8;
                    }
                }
            }
            Arg::Scalar(bytes)
        });
    }
    let mut local = [32, 1, 1];
    if info.required_group[0] != 0 {
        local = info.required_group;
    }
    let global = [local[0] * 4, local[1] * 2, local[2]];
    Ok((Launch { kernel: info, global, local, offset: [0; 3], args }, buffers))
}

struct Ran {
    memory: Result<Vec<Vec<u8>>, String>,
    findings: Vec<String>,
    instructions: u64,
}

fn run(k: &TestKernel) -> Ran {
    let mut memory = Memory::new();
    let options = Options { max_instructions: 20_000_000, ..Options::default() };
    let result = launch(k, &mut memory).and_then(|(launch, buffers)| {
        let r = emulator::run(k.platform, &k.dat, &launch, &mut memory, &options)?;
        Ok((r, buffers))
    });
    match result {
        Ok((r, buffers)) => Ran {
            memory: Ok(buffers.iter().map(|b| memory.bytes(*b).to_vec()).collect()),
            findings: r.reports.iter().map(ToString::to_string).collect(),
            instructions: r.instructions,
        },
        Err(e) => Ran { memory: Err(e.to_string()), findings: Vec::new(), instructions: 0 },
    }
}

#[test]
fn platforms_agree() {
    let only = std::env::var("KERNEL").unwrap_or_default();
    let platform = std::env::var("PLATFORM").unwrap_or_default();
    let verbose = std::env::var("VERBOSE").is_ok();
    // Per source, kernel and SIMD size: platform and outcome.
    let mut seen: BTreeMap<(String, String, u32), Vec<(Platform, Vec<Vec<u8>>)>> = BTreeMap::new();
    let (mut ran, mut failed, mut reported, mut instructions) = (0, 0, 0, 0);
    for p in Platform::ALL {
        if p == Platform::Bxt || !p.to_string().contains(&platform) {
            continue;
        }
        let (mut good, mut bad, mut noisy) = (0, 0, 0);
        for k in data::kernels(p)
            .iter()
            .filter(|k| !k.ze_info.is_empty() && k.variant != "vc" && k.id().contains(&only))
        {
            let r = run(k);
            ran += 1;
            instructions += r.instructions;
            if !r.findings.is_empty() {
                noisy += 1;
                reported += 1;
                println!("{p} {}: {} reports, first: {}", k.id(), r.findings.len(), r.findings[0]);
                if verbose {
                    r.findings.iter().skip(1).for_each(|f| println!("    {f}"));
                }
            }
            match r.memory {
                Ok(bytes) => {
                    good += 1;
                    seen.entry((k.source.clone(), k.name.clone(), k.simd)).or_default().push((p, bytes));
                }
                Err(e) => {
                    bad += 1;
                    failed += 1;
                    println!("{p} {}: {e}", k.id());
                }
            }
        }
        println!("{p}: {good} ran, {bad} failed, {noisy} with reports");
    }
    let mut differ = 0;
    for ((source, name, simd), outcomes) in &seen {
        let (first, bytes) = &outcomes[0];
        for (p, other) in &outcomes[1..] {
            if let Some(i) = (0..bytes.len()).find(|&i| other.get(i) != Some(&bytes[i])) {
                let at = (0..BYTES).find(|&at| bytes[i][at] != other[i][at]).unwrap_or(0);
                let word =
                    |b: &Vec<Vec<u8>>| u32::from_le_bytes(b[i][at & !3..(at & !3) + 4].try_into().unwrap());
                differ += 1;
                println!(
                    "{source} {name} simd{simd}: {first} and {p} differ in buffer {i} at {at}: {:#x} ({}) and {:#x} ({})",
                    word(bytes),
                    f32::from_bits(word(bytes)),
                    word(other),
                    f32::from_bits(word(other))
                );
            }
        }
    }
    println!(
        "{ran} ran, {failed} failed, {reported} with reports, {differ} differ, {instructions} instructions"
    );
    assert!(ran > 0);
    assert_eq!((failed, reported, differ), (0, 0, 0));
}
