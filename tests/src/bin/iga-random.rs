//! Random instructions against the reference assembler and disassembler: for each platform, our listing of
//! our bytes must be `iga64 -d`'s, and our bytes for the listing must be `iga64 -a`'s.
//!
//!     cargo run --release -p tests --bin iga-random -- [--count 200000] [--seed 1] [--platform P,...]
//!
//! Without arguments: 200,000 instructions for each platform. Exit status 1 when anything differs.

use clap::Parser;
use platforms::Platform;
use std::process::ExitCode;
use tests::{
    iga::{IgaTally, compare},
    oracle::Iga,
};

#[derive(Parser)]
struct Args {
    /// Instructions a platform.
    #[arg(short, long, default_value_t = 200_000)]
    count: usize,
    /// What makes them.
    #[arg(short, long, default_value_t = 1)]
    seed: u64,
    /// Platforms.
    #[arg(short, long, value_delimiter = ',', default_values_t = tests::data::devices(),
          value_parser = |s: &str| s.parse::<Platform>())]
    platform: Vec<Platform>,
}

fn main() -> ExitCode {
    let Args { count, seed, platform: platforms } = Args::parse();
    let Some(iga) = Iga::find() else {
        eprintln!("iga64 is not installed");
        return ExitCode::from(2);
    };
    let mut clean = true;
    for platform in platforms {
        let mut tally = IgaTally::default();
        let mut batch = 0;
        while tally.compared < count {
            compare(&iga, platform, seed + batch * 1_000_003, &mut tally);
            batch += 1;
        }
        let refused: usize = tally.refused.values().map(|r| r.0).sum();
        println!("{platform}: {} instructions compared, {refused} more refused by iga64", tally.compared);
        for (why, (n, example)) in &tally.refused {
            println!("  refused {n}: {why}\n      {example}");
        }
        if let Some((n, example)) = &tally.lossy {
            println!("  iga64 -Xautocompact loses a field in {n} kernels, such as\n{example}");
        }
        for (what, (n, example)) in &tally.differing {
            println!("  differs {n}: {what}\n{example}");
        }
        clean &= tally.differing.is_empty();
    }
    if clean { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
