//! Writes machine code into a folder, for tools that read nothing else (`tests/tools/mesa-validator`).
//!
//! ```text
//! cargo run --release -p tests --bin codes -- DIR PLATFORM... [--random N]
//! ```
//!
//! `DIR/PLATFORM/ours` and `DIR/PLATFORM/intel` get a file for each test kernel; with `--random` also
//! `DIR/PLATFORM/random`, our code for N random programs.

use clap::Parser;
use finalizer::{Finalizer, Options};
use platforms::Platform;
use std::path::{Path, PathBuf};
use tests::{
    data::kernels,
    differential::module,
    visa_random::{Settings, generate},
};

#[derive(Parser)]
struct Args {
    /// Folder to write into.
    dir: PathBuf,
    /// Platforms.
    #[arg(required = true, value_parser = |s: &str| s.parse::<Platform>())]
    platforms: Vec<Platform>,
    /// Random programs of each platform.
    #[arg(long, default_value_t = 0)]
    random: u64,
}

fn main() -> std::io::Result<()> {
    let Args { dir, platforms, random } = Args::parse();
    for platform in platforms {
        let dir = dir.join(platform.to_string());
        let mut finalizer = Finalizer::new(Options::new(platform));
        let mut refused = 0u64;
        for kernel in kernels(platform) {
            let name = kernel.id().replace('/', "~");
            put(&dir.join("intel"), &name, &kernel.dat)?;
            let Ok(module) = module(platform, kernel) else { continue };
            match finalizer.finalize_kernel(&module, 0) {
                Ok(binary) => put(&dir.join("ours"), &name, &binary.code)?,
                Err(_) => refused += 1,
            }
        }
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
