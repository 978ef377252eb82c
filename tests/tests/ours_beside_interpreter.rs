//! Test kernels through our finalizer, beside the vISA interpreter.
//!
//! One kernel in [`STEP`] of each platform runs here; all of them by `--bin interpreter`.

use std::collections::BTreeMap;

use platforms::Platform;
use tests::{
    data::kernels,
    interpreted::{InterpretedOutcome, compare},
};

/// Of so many kernels one is run.
const STEP: usize = 9;

fn run(platform: Platform) {
    // Images on Ponte Vecchio: the compiler leaves reads of what it never wrote, so any result is right.
    let settled = |k: &&tests::data::TestKernel| platform != Platform::Pvc || !k.source.starts_with("image_");
    let some: Vec<_> = kernels(platform).iter().filter(settled).step_by(STEP).collect();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut faults = Vec::new();
    for kernel in &some {
        let outcome = compare(platform, kernel);
        *counts.entry(outcome.class()).or_default() += 1;
        match outcome {
            InterpretedOutcome::Differs(_)
            | InterpretedOutcome::OursFails(_)
            | InterpretedOutcome::Reported(_) => {
                faults.push(format!("{}: {}: {}", kernel.id(), outcome.class(), outcome.detail()));
            }
            _ => {}
        }
    }
    println!("{platform}: {counts:?}");
    assert!(faults.is_empty(), "{platform}:\n{}", faults.join("\n"));
    let agree = counts.get("agrees").copied().unwrap_or(0);
    assert!(agree * 10 >= some.len() * 8, "{platform}: {counts:?}");
}

tests::on_each_platform!(run);
