//! Random vISA programs: our code on the emulator leaves what the interpreter leaves.
//!
//! A few hundred here; any number by `--bin visa-random`, which also shrinks what fails.

use finalizer::Grf;
use platforms::Platform;
use tests::visa_random::{Failure, Kind, RandomProgram, Settings, check, generate, shrink};

/// Programs for each platform.
const COUNT: u64 = 60;

/// Programs that something of ours once got wrong: predicates over groups, calls that some lanes make,
/// vectors and accumulators in pieces, predicates combined with themselves, words with modifiers, results
/// far apart, operands behind addresses, results that are read for their second register, or that lie across two.
#[rustfmt::skip]
const ONCE_WRONG: [(Platform, &[u64]); 6] = [
    (Platform::Bdw, &[317_618]),
    (Platform::Skl, &[200_003, 200_068, 200_197, 201_811, 201_948, 204_744, 205_853, 211_257, 2_008_209]),
    (Platform::Bxt, &[2_008_209]),
    (Platform::Icllp, &[235, 446, 200_016, 207_290, 207_794, 51_004_742]),
    (Platform::Tgllp, &[161, 368, 1234, 205_709, 207_549, 218_483, 999_429]),
    (Platform::Pvc, &[208, 1278, 200_008, 200_230, 201_943, 204_548, 1_700_428]),
];

/// Judges the program of a seed; one that fails is shown in its smallest form.
fn passes(settings: Settings, seed: u64) {
    let program = generate(settings, seed);
    if let Err(f) = check(&program) {
        fails(&program, f);
    }
}

fn fails(program: &RandomProgram, failure: Failure) -> ! {
    let (small, failure) = shrink(program, failure);
    panic!("{} seed {}: {failure}\n{}", program.platform, program.seed, small.text());
}

fn run(platform: Platform) {
    let known = ONCE_WRONG.iter().find(|(p, _)| *p == platform).map_or(&[][..], |(_, seeds)| *seeds);
    for seed in (1..=COUNT).chain(known.iter().copied()) {
        passes(Settings::new(platform), seed);
    }
}

platforms::test_on_each!(run);

#[test]
fn ponte_vecchio_with_256_registers() {
    for seed in 1..=COUNT {
        passes(Settings { grf: Grf::Count(256), ..Settings::new(Platform::Pvc) }, seed);
    }
}

/// Programs with functions that something of ours once got wrong: lanes of a function read what was written for others, too.
const FUNCTIONS_ONCE_WRONG: [(Platform, &[u64]); 2] =
    [(Platform::Skl, &[254]), (Platform::Icllp, &[201, 216, 221, 282])];

/// Calls through the stack, by name and by address, that some lanes make, and functions from which some return early.
#[test]
fn functions() {
    for platform in Platform::ALL {
        let known =
            FUNCTIONS_ONCE_WRONG.iter().find(|(p, _)| *p == platform).map_or(&[][..], |(_, seeds)| *seeds);
        for seed in (1..=COUNT / 6).chain(known.iter().copied()) {
            passes(Settings { functions: true, ..Settings::new(platform) }, seed);
        }
    }
}

/// Small variables that share registers, halves, quadwords of dwords, many predicates, messages of all kinds.
#[test]
fn rooms() {
    for platform in Platform::ALL {
        for seed in 1..=COUNT / 6 {
            passes(Settings { rooms: true, ..Settings::new(platform) }, seed);
        }
    }
}

/// Programs for which code for few registers was wrong once: what spilling had loaded was written over in front of a guarded message.
const FEW_ONCE_WRONG: [(Platform, u16, u64); 1] = [(Platform::Tgllp, 70, 9551)];

#[test]
fn few_registers_once_wrong() {
    for (platform, reserved, seed) in FEW_ONCE_WRONG {
        passes(Settings { reserved, ..Settings::new(platform) }, seed);
    }
}

/// With few registers, variables that are accessed through addresses go to memory, too. Not all programs find room.
#[test]
fn few_registers() {
    for (platform, reserved) in
        [(Platform::Skl, 84), (Platform::Bdw, 70), (Platform::Tgllp, 84), (Platform::Pvc, 96)]
    {
        let mut refused = 0;
        for seed in 1..=COUNT / 2 {
            let program = generate(Settings { reserved, ..Settings::new(platform) }, seed);
            match check(&program) {
                Ok(()) => {}
                Err(f) if f.kind == Kind::Refused && f.to_string().contains("CannotAllocate") => refused += 1,
                Err(f) => fails(&program, f),
            }
        }
        assert!(refused < COUNT / 4, "{platform}: {refused} refused");
    }
}

#[test]
fn a_program_is_the_same_each_time() {
    let settings = Settings::new(Platform::Skl);
    assert_eq!(generate(settings, 7).text(), generate(settings, 7).text());
    assert_ne!(generate(settings, 7).text(), generate(settings, 8).text());
}
