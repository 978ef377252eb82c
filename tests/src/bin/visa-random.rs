//! Random vISA programs: our code on the emulator beside the interpreter.
//!
//! ```text
//! cargo run --release -p tests --bin visa-random -- --platform skl,pvc [--count 20000] [--seed 1] [--keep]
//! ```
//!
//! Prints the first failing program of each kind, shrunk; with `--keep` of every seed that fails. `--print`
//! shows the program of one seed as it is made.

use clap::Parser;
use finalizer::Grf;
use platforms::Platform;
use std::collections::BTreeMap;
use tests::visa_random::{Kind, Settings, check, generate, shrink};

#[derive(Parser)]
struct Args {
    /// Platforms.
    #[arg(short, long, value_delimiter = ',', default_values_t = Platform::ALL,
          value_parser = |s: &str| s.parse::<Platform>())]
    platform: Vec<Platform>,
    /// Programs a platform.
    #[arg(short, long, default_value_t = 1000)]
    count: u64,
    /// The first program's seed; the next ones follow.
    #[arg(short, long, default_value_t = 1)]
    seed: u64,
    /// Registers of a thread: 128, 256 or auto.
    #[arg(long, default_value = "128")]
    grf: Grf,
    /// Registers of those that variables are not given.
    #[arg(long, default_value_t = 0)]
    reserve: u16,
    /// Programs call functions through the stack.
    #[arg(long)]
    functions: bool,
    /// Programs have small variables that share registers, many predicates, messages of all kinds.
    #[arg(long)]
    rooms: bool,
    /// Print every program that fails.
    #[arg(long)]
    keep: bool,
    /// Print programs as they are made.
    #[arg(long)]
    print: bool,
}

fn main() {
    let Args {
        platform: platforms,
        count,
        seed: first,
        grf,
        reserve: reserved,
        functions,
        rooms,
        keep,
        print,
    } = Args::parse();
    std::panic::set_hook(Box::new(|_| {}));
    let mut failed = false;
    for platform in platforms {
        let mut kinds: BTreeMap<Kind, (u64, u64)> = BTreeMap::new();
        let mut seen: BTreeMap<String, u64> = BTreeMap::new();
        for seed in first..first + count {
            let program = generate(Settings { platform, grf, reserved, functions, rooms }, seed);
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
                // What the generator did wrong is seen best in the program as it was made.
                let (small, failure) = match failure.kind {
                    Kind::Interpreter => (program, failure),
                    _ => shrink(&program, failure),
                };
                println!("{platform} seed {seed}: {failure}\n{}", small.text());
            }
        }
        let bad: u64 = kinds.values().map(|k| k.0).sum();
        failed |= bad > 0;
        println!("{platform}: {count} programs from seed {first}, {bad} fail {kinds:?}");
    }
    std::process::exit(i32::from(failed));
}
