//! Code with flipped bits on the emulator: whatever it does, it ends, and without a panic.

use emulator::Options;
use platforms::Platform;
use tests::{data::kernels, launches::Setup, splitmix::SplitMix};

fn flipped(platform: Platform, seed: u64) {
    let mut random = SplitMix::new(seed);
    let options = Options { max_instructions: 20_000, ..Options::default() };
    let all: Vec<_> = kernels(platform).iter().filter(|k| k.variant != "vc" && k.dat.len() < 8000).collect();
    let (mut ended, mut refused) = (0, 0);
    for _ in 0..150 {
        let k = random.pick(&all);
        let Ok(Setup { launch, mut memory, .. }) = Setup::new(k, 1) else { continue };
        let mut code = k.dat.clone();
        for _ in 0..=random.below(3) {
            let bit = random.below(code.len() * 8);
            code[bit / 8] ^= 1 << (bit % 8);
        }
        match emulator::run(platform, &code, &launch, &mut memory, &options) {
            Ok(_) => ended += 1,
            Err(_) => refused += 1,
        }
    }
    println!("{platform}: {ended} ended, {refused} stopped with an error");
    assert!(ended > 0 && refused > 0);
}

#[test]
fn flipped_bits_do_not_panic() {
    let seed = std::env::var("SEED").ok().and_then(|s| s.parse().ok()).unwrap_or(7);
    for platform in Platform::ALL {
        flipped(platform, seed);
    }
}

#[test]
fn random_bytes_do_not_panic() {
    let mut state = 99u64;
    for platform in Platform::ALL {
        let k = &kernels(platform)[0];
        let Ok(Setup { launch, mut memory, .. }) = Setup::new(k, 1) else { continue };
        for _ in 0..200 {
            let code: Vec<u8> = (0..256)
                .map(|_| {
                    state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                    (state >> 33) as u8
                })
                .collect();
            let options = Options { max_instructions: 1000, ..Options::default() };
            let _ = emulator::run(platform, &code, &launch, &mut memory, &options);
        }
    }
}
