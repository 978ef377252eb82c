//! Damaged objects through the whole pipeline: a result or a refusal with a place, never a panic.
//!
//! `VISA_BAD_INPUTS=100000 cargo test --release -p tests --test finalize_bad_input` is the long form.

use finalizer::{Finalizer, Options};
use platforms::Platform;
use tests::data::kernels;

/// splitmix64.
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[test]
fn flipped_bytes_are_finalized_or_refused() {
    let count: usize = std::env::var("VISA_BAD_INPUTS").ok().and_then(|n| n.parse().ok()).unwrap_or(2000);
    let platforms = [Platform::Skl, Platform::Tgllp, Platform::Bdw, Platform::Icllp];
    let objects: Vec<Vec<u8>> = kernels(Platform::Skl)
        .iter()
        .filter(|k| k.visaasm.len() < 12_000)
        .step_by(17)
        .map(|k| {
            let module =
                finalizer::read_text(k.visaasm.as_bytes(), Platform::Skl).expect("a test kernel reads");
            visa::write(&module).expect("a test kernel has an object")
        })
        .collect();
    let mut finalizers: Vec<Finalizer> = platforms.map(|p| Finalizer::new(Options::new(p))).into();
    let (mut done, mut refused) = (0, 0);
    let mut seed = 7;
    for i in 0..count {
        let mut object = objects[i % objects.len()].clone();
        for _ in 0..1 + next(&mut seed) % 3 {
            let at = next(&mut seed) as usize % object.len();
            object[at] ^= (next(&mut seed) % 255 + 1) as u8;
        }
        let finalizer = &mut finalizers[i % platforms.len()];
        match finalizer.finalize_object(&object) {
            Ok(_) => done += 1,
            Err(refusal) => {
                refused += 1;
                assert!(!refusal.0.is_empty() && refusal.0.iter().all(|d| !d.message.is_empty()));
            }
        }
    }
    println!("{count} damaged objects: {done} finalized, {refused} refused");
    assert!(done > 0 && refused > 0);
}
