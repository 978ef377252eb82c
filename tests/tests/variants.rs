//! Valid variants of the test kernels: our code on the emulator leaves what the interpreter leaves.
//!
//! A few here; any number, and of any kernels, by `--bin variants`, which also shrinks what goes wrong.

use finalizer::Grf;
use platforms::Platform;
use tests::{
    data,
    foreign::Choices,
    interpreted,
    splitmix::SplitMix,
    variants::{draw, judge, settings},
};

/// Kernels of a platform, and variants of each.
const KERNELS: u64 = 40;
const OF_EACH: u64 = 4;
/// Kernels of more instructions take their time.
const LARGEST: usize = 400;

fn run(platform: Platform) {
    let kernels = data::kernels(platform);
    let choices = Choices { limit: 10_000, ..Choices::default() };
    let mut compared = 0;
    for number in 0..KERNELS {
        let kernel = &kernels[SplitMix::new(number).below(kernels.len())];
        let Ok(module) = interpreted::module(platform, kernel) else { continue };
        if module.kernels.first().is_none_or(|k| k.code.len() > LARGEST) {
            continue;
        }
        for seed in number * OF_EACH..(number + 1) * OF_EACH {
            let Some(variant) = draw(platform, &module, 0, seed) else { continue };
            let judged = judge(&variant, &settings(platform, Grf::Kernel, seed), choices);
            assert!(!judged.is_wrong(), "{platform} {} seed {seed}: {judged:?}", kernel.id());
            compared += u64::from(judged.agrees());
        }
    }
    assert!(compared > KERNELS, "{platform}: only {compared} variants come to an end");
}

tests::on_each_platform!(run);

#[test]
fn a_variant_is_the_same_each_time() {
    let module = interpreted::module(Platform::Skl, &data::kernels(Platform::Skl)[0]).expect("a kernel");
    let kernel = |seed| draw(Platform::Skl, &module, 0, seed).expect("a variant").kernel();
    assert_eq!(kernel(1), kernel(1));
    assert_ne!(kernel(1), kernel(2));
}
