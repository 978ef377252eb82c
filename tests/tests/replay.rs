//! Allocated code does what code over variables does, lane by lane, where lanes part and registers are few.
//!
//! A few hundred kernels a platform here; any number by `--bin replay`, which also shrinks what fails.

use platforms::Platform;
use tests::replay::{Kept, ReplayOutcome, ReplaySettings, check, generate, shrink};

/// Kernels for each platform.
const COUNT: u64 = 300;

/// Those for which code was wrong once: what other lanes had made was computed again, or not kept for a message of some channels
/// or of all; a fill was gone with the instruction in front of which it stood.
const ONCE_WRONG: [(Platform, &[u64]); 4] = [
    (Platform::Skl, &[252, 3139, 4234, 1411]),
    (Platform::Bdw, &[458, 1332, 6648]),
    (Platform::Tgllp, &[252, 3139, 4234, 1411]),
    (Platform::Pvc, &[719, 183, 1842, 7069]),
];

/// The same where registers are few: a value was computed again from one that had gone to memory with it.
const FEW_ONCE_WRONG: [(Platform, u32, u64); 1] = [(Platform::Tgllp, 45, 1_008_372)];

fn run(platform: Platform) {
    let known = ONCE_WRONG.iter().find(|(p, _)| *p == platform).map_or(&[][..], |(_, seeds)| *seeds);
    let (mut kept, mut spilled) = (Kept::default(), 0);
    for seed in (1..=COUNT).chain(known.iter().copied()) {
        let plan = generate(ReplaySettings { platform, room: None }, seed);
        match check(&plan, &mut kept) {
            Ok(ReplayOutcome::Same(stats)) => spilled += u64::from(stats.spills + stats.fills > 0),
            Ok(ReplayOutcome::Refused | ReplayOutcome::Senseless) => {}
            Err(failure) => {
                let (_, failure) = shrink(&plan, failure);
                panic!("{platform} seed {seed}: {failure}");
            }
        }
    }
    assert!(spilled > COUNT / 5, "{platform}: only {spilled} of {COUNT} kernels spill");
}

platforms::test_on_each!(run);

#[test]
fn few_registers_once_wrong() {
    for (platform, room, seed) in FEW_ONCE_WRONG {
        let plan = generate(ReplaySettings { platform, room: Some(room) }, seed);
        if let Err(failure) = check(&plan, &mut Kept::default()) {
            panic!("{platform} seed {seed}: {failure}");
        }
    }
}

#[test]
fn a_kernel_is_the_same_each_time() {
    let settings = ReplaySettings { platform: Platform::Skl, room: None };
    let text = |seed| generate(settings, seed).kernel().to_string();
    assert_eq!(text(7), text(7));
    assert_ne!(text(7), text(8));
}
