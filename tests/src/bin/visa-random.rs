//! Random vISA programs: our code on the emulator beside the interpreter.
//!
//! ```text
//! cargo run --release -p tests --bin visa-random -- --platform skl [--count 20000] [--seed 1] [--keep]
//! ```
//!
//! Prints the first failing program of each kind, shrunk; with `--keep` of every seed that fails. `--print`
//! shows the program of one seed as it is made.

use platforms::Platform;
use std::collections::BTreeMap;
use tests::visa_random::{Kind, Settings, check, generate, shrink};

fn main() {
    let mut platforms = vec![Platform::Skl];
    let (mut count, mut first, mut keep, mut print) = (1000u64, 1u64, false, false);
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut value = || words.next().unwrap_or_else(|| panic!("{word} needs a value"));
        match word.as_str() {
            "--platform" => {
                let name = value();
                platforms = match name.as_str() {
                    "all" => tests::visa_random::PLATFORMS.to_vec(),
                    _ => vec![name.parse().expect("a platform")],
                };
            }
            "--count" => count = value().parse().expect("a number"),
            "--seed" => first = value().parse().expect("a number"),
            "--keep" => keep = true,
            "--print" => print = true,
            other => panic!("unknown option {other}"),
        }
    }
    std::panic::set_hook(Box::new(|_| {}));
    let mut failed = false;
    for platform in platforms {
        let mut kinds: BTreeMap<Kind, (u64, u64)> = BTreeMap::new();
        let mut seen: BTreeMap<String, u64> = BTreeMap::new();
        for seed in first..first + count {
            let program = generate(Settings { platform }, seed);
            if print {
                println!("{}", program.text());
            }
            let Err(failure) = check(&program) else { continue };
            let entry = kinds.entry(failure.kind).or_insert((0, seed));
            entry.0 += 1;
            // One of each sort: the same words, whatever the numbers in them.
            let sort: String = failure.to_string().chars().filter(|c| !c.is_ascii_digit()).take(60).collect();
            let times = seen.entry(sort).or_insert(0);
            *times += 1;
            if *times == 1 || keep {
                let (small, failure) = shrink(&program, failure);
                println!("{platform} seed {seed}: {failure}\n{}", small.text());
            }
        }
        let bad: u64 = kinds.values().map(|k| k.0).sum();
        failed |= bad > 0;
        println!("{platform}: {count} programs from seed {first}, {bad} fail {kinds:?}");
    }
    std::process::exit(i32::from(failed));
}
