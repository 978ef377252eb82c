//! Every test kernel must compute what its source says: Intel's code, ours and the interpreter, judged by
//! values that ordinary Rust computed.
//!
//! Here every kernel runs once on Skylake and a sample of them on the other platforms;
//! `cargo run --release -p tests --bin survey -- PLATFORM --expected` runs all.

use platforms::Platform;
use tests::{
    data::{TestKernel, kernels},
    expected::{Judgement, judge},
};

/// Judges kernels, prints every disagreement, and gives the counts of kernels, of kernels nobody wrote
/// down, and of disagreements.
fn run<'a>(platform: Platform, kernels: impl Iterator<Item = &'a TestKernel>) -> [usize; 3] {
    let [mut judged, mut unknown, mut wrong] = [0; 3];
    for kernel in kernels {
        match judge(platform, kernel) {
            Err(why) => {
                unknown += 1;
                println!("{platform} {}: {why}", kernel.id());
            }
            Ok(verdict) => {
                judged += 1;
                for (way, judgement) in verdict.ways() {
                    if *judgement != Judgement::Agrees {
                        let (class, why) = judgement.parts();
                        wrong += 1;
                        println!("{platform} {}: {way} {class}: {why}", kernel.id());
                    }
                }
            }
        }
    }
    println!("{platform}: {judged} kernels judged, {unknown} without expected values, {wrong} disagreements");
    [judged, unknown, wrong]
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
    let [judged, _, wrong] = run(Platform::Skl, one_size_each(Platform::Skl));
    assert!(judged > 0);
    assert_eq!(wrong, 0);
}

#[test]
fn a_sample_on_the_other_platforms() {
    for platform in [Platform::Bdw, Platform::Icllp, Platform::Tgllp, Platform::Pvc] {
        let [judged, _, wrong] = run(platform, one_size_each(platform).skip(platform as usize).step_by(12));
        assert!(judged > 0);
        assert_eq!(wrong, 0, "{platform}");
    }
}
