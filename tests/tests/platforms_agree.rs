//! Intel's machine code for the OpenCL test kernels on the emulator, on every platform.
//!
//! Every kernel runs at every SIMD size over the same inputs, with all of the emulator's checks on.
//! Nothing may be reported, and what the kernels leave in memory must agree between the platforms: five
//! generations of code from one source check each other and the emulator.
//!
//! `KERNEL` and `PLATFORM` in the environment narrow the run to identifiers that contain them.

use emulator::{Error, Fault, Options, Report};
use platforms::Platform;
use std::collections::BTreeMap;
use tests::{
    data::{self, TestKernel},
    launches::Setup,
};

/// A kernel and what it left in its buffers.
type Left<'a> = (&'a TestKernel, Vec<Vec<u8>>);

/// Kernels whose results depend on the platform: approximate math in different steps, and images, which
/// Xe-HPC has no sampler for.
fn may_differ(k: &TestKernel) -> bool {
    k.source.starts_with("math_")
        || k.source.starts_with("image_") && k.platform == Platform::Pvc
        || k.source == "mandelbrot.cl"
        // Printed floats are doubles where the platform has them.
        || k.source == "print.cl" && k.name == "values"
        // Divides by zero where the generated radius leaves no pixels.
        || k.name == "box"
}

/// What the emulator has no launch for: endless loops on generated inputs, BDW code with an instruction
/// that BDW does not have.
fn cannot_run(k: &TestKernel, error: &Error) -> bool {
    let foreign = k.platform == Platform::Bdw && error.to_string().contains("Opcode is 0x33");
    foreign || matches!(error, Error::Limit { .. })
}

#[test]
fn intels_code_agrees_on_all_platforms() {
    let only = std::env::var("KERNEL").unwrap_or_default();
    let platform = std::env::var("PLATFORM").unwrap_or_default();
    let mut seen: BTreeMap<(String, String, u32), Vec<Left<'_>>> = BTreeMap::new();
    let (mut failed, mut reported, mut differ) = (0, 0, 0);
    for p in data::devices().into_iter().filter(|p| p.to_string().contains(&platform)) {
        let (mut ran, mut skipped, mut instructions) = (0, 0, 0);
        for k in data::kernels(p).iter().filter(|k| k.variant != "vc" && k.id().contains(&only)) {
            let Ok(setup) = Setup::new(k, 1) else {
                skipped += 1;
                continue;
            };
            let code = setup.intel(k).unwrap_or_else(|e| panic!("{p} {}: {e}", k.id()));
            let (launch, mut memory) = (setup.launch, setup.memory);
            let options = Options { max_instructions: 3_000_000, ..Options::default() };
            match emulator::run(p, &code, &launch, &mut memory, &options) {
                // Generated inputs may send a kernel anywhere; the code is not to blame.
                Ok(r) if r.reports.iter().any(|r| r.fault == Fault::NoMemory) => skipped += 1,
                Ok(r) => {
                    ran += 1;
                    instructions += r.instructions;
                    // Generated inputs may send a kernel out of its buffers; the code is not to blame. And
                    // kernels store the padding of structures, and registers whole where they call.
                    let harmless = |r: &Report| matches!(r.fault, Fault::OutOfBounds | Fault::UndefinedData);
                    if let Some(first) = r.reports.iter().find(|r| !harmless(r)) {
                        reported += 1;
                        println!("{p} {}: {} reports, first {first}", k.id(), r.reports.len());
                    }
                    let bytes = memory.buffers().map(|(_, _, bytes)| bytes.to_vec()).collect();
                    seen.entry((k.source.clone(), k.name.clone(), k.simd)).or_default().push((k, bytes));
                }
                Err(e) if cannot_run(k, &e) => skipped += 1,
                Err(e) => {
                    failed += 1;
                    println!("{p} {}: {e}", k.id());
                }
            }
        }
        println!("{p}: {ran} kernels ran, {skipped} skipped, {instructions} instructions");
    }
    for outcomes in seen.values() {
        let (first, bytes) = &outcomes[0];
        for (k, other) in outcomes[1..].iter().filter(|(k, _)| !may_differ(k)) {
            if let Some(i) = (0..bytes.len()).find(|&i| other.get(i) != Some(&bytes[i])) {
                let at = (0..bytes[i].len()).find(|&at| other[i].get(at) != Some(&bytes[i][at])).unwrap_or(0);
                differ += 1;
                println!("{} {} and {} differ in buffer {i} at {at}", k.id(), first.platform, k.platform);
            }
        }
    }
    println!("{failed} failed, {reported} with reports, {differ} differ");
    assert_eq!((failed, reported, differ), (0, 0, 0));
}
