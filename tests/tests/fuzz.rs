//! Each fuzz target for a second, on mutants of the test data. `fuzz/` runs them for longer.
//!
//! `VISA_FUZZ_SECONDS=60 VISA_FUZZ_SEED=2` makes it longer and another run.

use std::{
    sync::Mutex,
    time::{Duration, Instant},
};

use platforms::Platform;
use tests::{fuzz, mutate, splitmix::SplitMix};

#[global_allocator]
static ALLOCATOR: peak_alloc::PeakAlloc = peak_alloc::PeakAlloc;

/// Memory is counted for the process: one at a time.
static ONE: Mutex<()> = Mutex::new(());

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|n| n.parse().ok())
}

/// Prints the input that made the body panic, so that it can become a test.
struct OnPanic<'a>(&'a str, &'a [u8]);

impl Drop for OnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let path = std::env::temp_dir().join(format!("fuzz-{}", self.0));
            let kept = std::fs::write(&path, self.1);
            eprintln!("{}: the input is in {} ({kept:?})", self.0, path.display());
        }
    }
}

fn second(name: &str) {
    let _one = ONE.lock().unwrap_or_else(|e| e.into_inner());
    let target = fuzz::target(name);
    let seeds = (target.seeds)();
    // Sessions of the socket are mostly zeros, which are ASCII.
    let is_text = |input: &[u8]| {
        name != "socket" && input.iter().filter(|b| b.is_ascii()).count() * 50 > input.len() * 49
    };
    let mut random = SplitMix::new(number("VISA_FUZZ_SEED").unwrap_or(1));
    let limit = Duration::from_secs(number("VISA_FUZZ_SECONDS").unwrap_or(1));
    let start = Instant::now();
    let mut runs = 0;
    while start.elapsed() < limit {
        let mut input = random.pick(&seeds).clone();
        if is_text(&input) {
            mutate::text(&mut input, &mut random);
        } else {
            mutate::bytes(&mut input, &mut random);
        }
        let kept = OnPanic(name, &input);
        (target.body)(&input);
        drop(kept);
        runs += 1;
    }
    println!("{name}: {runs} inputs from {} seeds", seeds.len());
    assert!(runs > 0);
}

macro_rules! targets {
    ($($name:ident)+) => {
        $(#[test] fn $name() { second(stringify!($name)); })+

        #[test]
        fn every_target_is_here() {
            let here = [$(stringify!($name)),+];
            assert_eq!(fuzz::TARGETS.map(|t| t.name), here);
            for name in here {
                let file = tests::data::workspace().join(format!("fuzz/fuzz_targets/{name}.rs"));
                assert!(file.exists(), "{} is missing", file.display());
            }
        }
    };
}

targets! { read_isa read_visaasm roundtrip verify finalize link retarget decode disasm asm emulate socket }

/// Trees of JSON were kept for a whole kernel: a thousand bytes and more for one of code.
#[test]
fn listings_are_not_many_times_as_large_as_the_code() {
    let _one = ONE.lock().unwrap_or_else(|e| e.into_inner());
    // The fuzz target's bounds hold for 160 kB of code as it is, and of words that mean nothing.
    let real = |platform| &tests::data::kernels(platform)[0].dat[..];
    for (platform, code) in [
        (Platform::Skl, real(Platform::Skl)),
        (Platform::Pvc, real(Platform::Pvc)),
        (Platform::Skl, &[0xf1; 8]),
        (Platform::Tgllp, &[0xf1; 8]),
    ] {
        let mut input = vec![platform as u8];
        input.extend(code.iter().cycle().take(160_000));
        fuzz::disasm(&input);
    }
}
