//! Writes machine code into a folder, for tools that read nothing else (`tests/tools/mesa-validator`).
//!
//! ```text
//! cargo run --release -p tests --bin codes -- DIR PLATFORM... [--random N]
//! ```
//!
//! `DIR/PLATFORM/ours` and `DIR/PLATFORM/intel` get a file for each test kernel; with `--random` also
//! `DIR/PLATFORM/random`, our code for N random programs.

use finalizer::{Finalizer, Options};
use platforms::Platform;
use std::path::{Path, PathBuf};
use tests::{
    data::kernels,
    differential::module,
    visa_random::{Settings, generate},
};

fn main() -> std::io::Result<()> {
    let mut words = std::env::args().skip(1);
    let dir = PathBuf::from(words.next().expect("a folder"));
    let (mut platforms, mut random) = (Vec::<Platform>::new(), 0);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--random" => random = words.next().and_then(|n| n.parse().ok()).expect("a number"),
            name => platforms.push(name.parse().expect("a platform")),
        }
    }
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
            let text = generate(Settings { platform }, seed).text();
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
