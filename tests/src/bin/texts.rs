//! Every vISA text through reader, printer, verifier, writer and finalizer: the test kernels, or what lies
//! below the directories named.
//!
//! ```text
//! cargo run --release -p tests --bin texts                   the test kernels of all platforms
//! cargo run --release -p tests --bin texts -- skl DIR...     texts written for Skylake
//! cargo run --release -p tests --bin texts -- --forms        the forms of all instructions (`--bin states`)
//! ```

use clap::Parser;
use std::{error::Error, path::PathBuf, process::ExitCode};

use platforms::Platform;
use tests::{
    data,
    texts::{self, Tally},
};

#[derive(Parser)]
struct Args {
    /// The platform that the texts are written for.
    #[arg(value_parser = |s: &str| s.parse::<Platform>())]
    platform: Option<Platform>,
    /// Folders with texts.
    directories: Vec<PathBuf>,
    /// The forms of all instructions instead.
    #[arg(long)]
    forms: bool,
}

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let Args { platform, directories, forms } = Args::parse();
    let mut clean = true;
    let mut run = |name: &str, platform, sources: Vec<texts::SourceText>| {
        let mut tally = Tally { objects_only: forms, ..Tally::default() };
        for source in &sources {
            tally.add(source, platform, true);
        }
        println!("{name}: {} kernels, {tally}", sources.len());
        clean &= tally.faults.is_empty();
    };
    match platform {
        _ if forms => {
            for platform in Platform::ALL.into_iter().filter(|p| platform.is_none_or(|named| named == *p)) {
                run(&platform.to_string(), platform, texts::forms(platform));
            }
        }
        None => {
            for platform in data::devices() {
                run(&platform.to_string(), platform, texts::test_kernels(platform));
            }
        }
        Some(platform) => {
            for directory in directories {
                run(&directory.display().to_string(), platform, texts::below(&directory)?);
            }
        }
    }
    Ok(if clean { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
