//! Every test kernel must compute what its source says: Intel's code, ours and the interpreter, judged by
//! values that ordinary Rust computed.
//!
//! Here every kernel runs once on Skylake and a sample of them on the other platforms;
//! `cargo run --release -p tests --bin survey -- PLATFORM --expected` runs all.

use std::collections::BTreeSet;

use finalizer::Grf;
use platforms::Platform;
use tests::{
    data::{SYMBOL_TABLE, TestKernel, kernels},
    differential,
    expected::{Judgement, cases, judge, judge_with},
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

/// Those that spill without, and some that call functions: both sides then keep to another convention.
#[test]
fn a_sample_with_256_registers() {
    let spills = |k: &&TestKernel| {
        differential::finalize(Platform::Pvc, k).is_ok_and(|binary| binary.stats.spills > 0)
    };
    let mut found = 0;
    for kernel in kernels(Platform::Pvc).iter().filter(spills).take(6) {
        found += 1;
        let verdict = judge_with(Platform::Pvc, kernel, Grf::Auto).unwrap();
        assert!(verdict.agrees(), "{}: {:?}", kernel.id(), verdict.ways().collect::<Vec<_>>());
    }
    assert_eq!(found, 6);
    let calls = |k: &&TestKernel| !k.functions.is_empty() && k.name != SYMBOL_TABLE;
    for kernel in kernels(Platform::Pvc).iter().filter(calls).step_by(2) {
        found += 1;
        let verdict = judge_with(Platform::Pvc, kernel, Grf::Count(256)).unwrap();
        assert!(verdict.agrees(), "{}: {:?}", kernel.id(), verdict.ways().collect::<Vec<_>>());
    }
    assert!(found >= 8, "{found}");
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
