//! Every test kernel through our finalizer, run beside Intel's code on the emulator.
//!
//! The memory must be the same and nothing may be reported on our code. A kernel that the finalizer
//! refuses must be refused with the instruction at fault; how many may be is stated per platform.

use std::collections::BTreeMap;

use platforms::Platform;
use tests::{
    data::kernels,
    differential::{Outcome, compare},
};

/// Runs all kernels of a platform; at most `refused` percent of them may be refused.
fn run(platform: Platform, refused: usize) {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut faults = Vec::new();
    let all = kernels(platform);
    for kernel in all {
        let outcome = compare(platform, kernel);
        *counts.entry(outcome.class()).or_default() += 1;
        match &outcome {
            Outcome::OursFails(_) | Outcome::Differs(_) => {
                faults.push(format!("{}: {outcome:?}", kernel.id()))
            }
            Outcome::Refused(why) => {
                assert!(why.iter().all(|d| d.kernel.is_some()), "{}: refused without a place", kernel.id());
                println!("{}: refused: {}", kernel.id(), why[0]);
            }
            _ => {}
        }
    }
    println!("{platform}: {} kernels: {counts:?}", all.len());
    assert!(faults.is_empty(), "{platform}: {}\n{}", faults.len(), faults.join("\n"));
    let share = |class: &str| counts.get(class).copied().unwrap_or(0) * 100 / all.len();
    assert!(share("refused") <= refused, "{platform}: {counts:?}");
    assert!(share("Intel's code fails") <= 1 && share("no launch") <= 6, "{platform}: {counts:?}");
}

#[test]
fn broadwell() {
    run(Platform::Bdw, 8);
}

#[test]
fn skylake() {
    run(Platform::Skl, 5);
}

#[test]
fn ice_lake() {
    run(Platform::Icllp, 8);
}

#[test]
fn tiger_lake() {
    run(Platform::Tgllp, 8);
}
