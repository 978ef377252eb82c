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

/// Runs all kernels of a platform. At most one in twenty may be refused; as many again may be out of
/// the emulator's reach (code that waits for a linker, endless loops on made-up data).
fn run(platform: Platform) {
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
    let few = |class: &str| counts.get(class).copied().unwrap_or(0) * 20 <= all.len();
    assert!(few("refused") && few("Intel's code fails"), "{platform}: {counts:?}");
    assert!(counts["agrees"] * 10 >= all.len() * 8, "{platform}: {counts:?}");
}

tests::on_each_platform!(run);
