//! Every vISA text through reader, printer, verifier, writer and finalizer: the test kernels, or what lies
//! below the directories named.
//!
//! ```text
//! cargo run --release -p tests --bin texts                   the test kernels of all platforms
//! cargo run --release -p tests --bin texts -- skl DIR...     texts written for Skylake
//! ```

use std::{error::Error, path::Path, process::ExitCode};

use platforms::Platform;
use tests::texts::{self, Tally};

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut clean = true;
    let mut run = |name: &str, platform, sources: Vec<texts::Source>| {
        let mut tally = Tally::default();
        for source in &sources {
            tally.add(source, platform, true);
        }
        println!("{name}: {} kernels, {tally}", sources.len());
        clean &= tally.faults.is_empty();
    };
    match arguments.split_first() {
        None => {
            for platform in Platform::ALL.into_iter().filter(|p| *p != Platform::Bxt) {
                run(&platform.to_string(), platform, texts::test_kernels(platform));
            }
        }
        Some((platform, directories)) => {
            let platform: Platform = platform.parse()?;
            for directory in directories {
                run(directory, platform, texts::below(Path::new(directory))?);
            }
        }
    }
    Ok(if clean { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
