//! Random vISA programs: our code on the emulator leaves what the interpreter leaves.
//!
//! A few hundred here; any number by `--bin visa-random`, which also shrinks what fails.

use platforms::Platform;
use tests::visa_random::{Kind, Settings, check, generate, shrink};

/// Programs for each platform.
const COUNT: u64 = 60;

fn run(platform: Platform) {
    let mut refused = 0;
    for seed in 1..=COUNT {
        let program = generate(Settings { platform }, seed);
        match check(&program) {
            Ok(()) => {}
            // What the finalizer does not do yet, it says.
            Err(f) if f.kind == Kind::Refused => refused += 1,
            Err(f) => {
                let (small, f) = shrink(&program, f);
                panic!("{platform} seed {seed}: {f}\n{}", small.text());
            }
        }
    }
    println!("{platform}: {COUNT} programs, {refused} refused");
    assert!(refused * 2 <= COUNT, "{platform}: {refused} of {COUNT} refused");
}

#[test]
fn broadwell() {
    run(Platform::Bdw);
}

#[test]
fn skylake() {
    run(Platform::Skl);
}

#[test]
fn ice_lake() {
    run(Platform::Icllp);
}

#[test]
fn tiger_lake() {
    run(Platform::Tgllp);
}

#[test]
fn ponte_vecchio() {
    run(Platform::Pvc);
}

#[test]
fn a_program_is_the_same_each_time() {
    let settings = Settings { platform: Platform::Skl };
    assert_eq!(generate(settings, 7).text(), generate(settings, 7).text());
    assert_ne!(generate(settings, 7).text(), generate(settings, 8).text());
}
