//! Writes machine code into a folder, for tools that read nothing else (`tests/tools/mesa-validator`).
//!
//! ```text
//! cargo run --release -p tests --bin codes -- DIR PLATFORM... [--random N] [--programs FOLDER]
//! ```
//!
//! `DIR/PLATFORM/ours` and `DIR/PLATFORM/intel` get a file for each test kernel, and for each real program, that is not refused; with
//! `--random` also `DIR/PLATFORM/random`, our code for N random programs.

use clap::Parser;
use finalizer::{Finalizer, Options};
use std::path::{Path, PathBuf};
use tests::{
    data::kernels,
    differential::module,
    programs::Corpus,
    visa_random::{Settings, generate},
};

#[derive(Parser)]
struct Args {
    /// Folder to write into.
    dir: PathBuf,
    #[command(flatten)]
    corpus: Corpus,
    /// Random programs of each platform.
    #[arg(long, default_value_t = 0)]
    random: u64,
}

fn main() -> std::io::Result<()> {
    let Args { dir, corpus, random } = Args::parse();
    for &platform in &corpus.platforms {
        let dir = dir.join(platform.to_string());
        let mut finalizer = Finalizer::new(Options::new(platform));
        let mut refused = 0u64;
        let mut both = |id: &str, intel: &[u8], module: &visa::Module, index| {
            let Ok(binary) = finalizer.finalize_kernel(module, index) else {
                refused += 1;
                return Ok(());
            };
            let name = id.replace('/', "~");
            put(&dir.join("intel"), &name, intel)?;
            put(&dir.join("ours"), &name, &binary.code)
        };
        for kernel in kernels(platform) {
            let Ok(module) = module(platform, kernel) else { continue };
            both(&kernel.id(), &kernel.dat, &module, 0)?;
        }
        let mut failed = Ok(());
        corpus.each(platform, &mut |p| {
            if failed.is_ok() {
                failed = both(&p.id, &p.code, &p.module, p.index);
            }
        })?;
        failed?;
        for seed in 1..=random {
            let text = generate(Settings::new(platform), seed).text();
            let Ok(module) = finalizer::read_text(text.as_bytes(), platform) else { continue };
            match finalizer.finalize_kernel(&module, 0) {
                Ok(binary) => put(&dir.join("random"), &seed.to_string(), &binary.code)?,
                Err(_) => refused += 1,
            }
        }
        println!("{platform}: {refused} refused");
    }
    Ok(())
}

fn put(dir: &Path, name: &str, code: &[u8]) -> std::io::Result<()> {
    std::fs::create_dir_all(dir)?;
    std::fs::write(dir.join(name).with_extension("bin"), code)
}
