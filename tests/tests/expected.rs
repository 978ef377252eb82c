//! Every test kernel must compute what its source says: Intel's code, ours and the interpreter, judged by
//! values that ordinary Rust computed.
//!
//! Here every kernel runs once on Skylake and a sample of them on the other platforms;
//! `cargo run --release -p tests --bin survey -- PLATFORM --expected` runs all.

use std::collections::BTreeSet;

use platforms::Platform;
use tests::{
    data::{SYMBOL_TABLE, TestKernel, kernels},
    expected::{Judgement, cases, judge},
};

/// Judges kernels and prints every disagreement, of which there may be none.
fn run<'a>(platform: Platform, kernels: impl Iterator<Item = &'a TestKernel>) {
    let [mut judged, mut without, mut wrong] = [0; 3];
    for kernel in kernels {
        match judge(platform, kernel) {
            Err(why) => {
                without += 1;
                println!("{platform} {}: {why}", kernel.id());
            }
            Ok(verdict) => {
                judged += 1;
                for (way, judgement) in verdict.ways() {
                    if !matches!(judgement, Judgement::Agrees | Judgement::Unfit(_)) {
                        let (class, why) = judgement.parts();
                        wrong += 1;
                        println!("{platform} {}: {way} {class}: {why}", kernel.id());
                    }
                }
            }
        }
    }
    println!("{platform}: {judged} kernels judged, {without} without values, {wrong} disagreements");
    assert!(judged > 0);
    assert_eq!(wrong, 0, "{platform}");
}

/// Each kernel at one SIMD size; which one changes from kernel to kernel.
fn one_size_each(platform: Platform) -> impl Iterator<Item = &'static TestKernel> {
    let all = kernels(platform);
    let same = |a: &TestKernel, b: &TestKernel| a.source == b.source && a.name == b.name;
    let mut sizes: Vec<Vec<&TestKernel>> = Vec::new();
    for kernel in all {
        match sizes.iter_mut().find(|s| same(s[0], kernel)) {
            Some(sizes) => sizes.push(kernel),
            None => sizes.push(vec![kernel]),
        }
    }
    sizes.into_iter().enumerate().map(|(i, sizes)| sizes[i % sizes.len()])
}

#[test]
fn every_kernel_computes_what_its_source_says() {
    run(Platform::Skl, one_size_each(Platform::Skl));
}

#[test]
fn every_kernel_has_expected_values() {
    let missing: BTreeSet<String> = kernels(Platform::Skl)
        .iter()
        .filter(|k| k.name != SYMBOL_TABLE && cases(Platform::Skl, k).is_err())
        .map(|k| format!("{} {}", k.source, k.name))
        .collect();
    assert_eq!(missing, BTreeSet::new());
}

#[test]
fn a_sample_on_the_other_platforms() {
    for platform in Platform::ALL.into_iter().filter(|p| *p != Platform::Skl) {
        run(platform, one_size_each(platform).skip(platform as usize).step_by(12));
    }
}
