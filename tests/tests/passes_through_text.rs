//! The printed form of a kernel says all that there is to say: written as text and read again between all passes,
//! every test kernel becomes the same code. The passes find nothing of analyses then, so this also holds what they
//! work out themselves beside what the walks before them have counted along.

use finalizer::{Alone, PASSES, Pass, Refusal};
use platforms::Platform;
use tests::data::{self, TestKernel};

/// Every so many kernels are looked at; all sizes and sources come by.
const STEP: usize = 7;

/// The passes from lowering to the last that works on one routine.
fn passes(platform: Platform) -> impl Iterator<Item = &'static Pass> {
    let after = |name| PASSES.iter().position(|p| p.name == name).expect("a pass of the list");
    let range = after("lower")..=after("take-symbols");
    PASSES[range].iter().filter(move |p| p.needless_on(platform.caps()).is_none())
}

/// A kernel through the passes, as a whole and by way of text.
fn both_ways(platform: Platform, kernel: &TestKernel) -> Result<(), Refusal> {
    let first = passes(platform).next().expect("a first pass");
    let mut whole = Alone::new(first, &kernel.visaasm, platform)?;
    let mut text = kernel.visaasm.clone();
    for pass in passes(platform) {
        // What concerns other code is looked up in the vISA kernel, which text does not have.
        let outside = text.lines().next().is_some_and(|head| head.contains(", outside"));
        if outside && pass.name == "expand-calls" {
            break;
        }
        whole.run(pass)?;
        let mut piece = Alone::new(pass, &text, platform)?;
        piece.run(pass)?;
        text = piece.to_string();
        assert_eq!(text, whole.to_string(), "{platform} {}: after {}", kernel.id(), pass.name);
    }
    Ok(())
}

#[test]
fn kernels_go_through_text_between_all_passes() {
    for platform in Platform::ALL {
        let mut count = 0;
        for kernel in data::kernels(platform).iter().step_by(STEP) {
            both_ways(platform, kernel).unwrap_or_else(|e| panic!("{platform} {}: {e}", kernel.id()));
            count += 1;
        }
        assert!(count > 50, "{platform}: {count} kernels");
    }
}
