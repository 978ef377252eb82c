//! Bits that no instruction reads, by the reference disassembler (`tests::unread`): which of them a word must not have here.
//!
//!     cargo run --release -p tests --bin unread -- [--platform P,...] [--record]
//!
//! Without arguments: all platforms. `--record` writes `tests/data/unread.tsv`. Exit status 1 when a word is refused for such a
//! bit.

use clap::Parser;
use platforms::Platform;
use std::process::ExitCode;
use tests::{
    oracle::Iga,
    unread::{ask, record, samples},
};

#[derive(Parser)]
struct Args {
    /// Platforms.
    #[arg(short, long, value_delimiter = ',', default_values_t = tests::data::devices(),
          value_parser = |s: &str| s.parse::<Platform>())]
    platform: Vec<Platform>,
    /// Write `tests/data/unread.tsv`.
    #[arg(long)]
    record: bool,
}

fn main() -> ExitCode {
    let Args { platform: platforms, record: is_recorded } = Args::parse();
    let Some(iga) = Iga::find() else {
        eprintln!("iga64 is not installed");
        return ExitCode::from(2);
    };
    let (mut filled, mut refused) = (Vec::new(), 0);
    for platform in platforms {
        let words = samples(platform);
        let mut unseen = 0;
        for word in &words {
            let answer = ask(&iga, platform, word);
            unseen += answer.unseen.len();
            refused += answer.refused.len();
            for (bit, why) in answer.refused {
                println!("  bit {bit}: {why}");
            }
            filled.extend(answer.filled);
        }
        println!("{platform}: {} kinds of words, {unseen} bits of theirs are not read", words.len());
    }
    if is_recorded && let Err(e) = record(&filled) {
        eprintln!("tests/data/unread.tsv: {e}");
        return ExitCode::from(2);
    }
    if refused == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
