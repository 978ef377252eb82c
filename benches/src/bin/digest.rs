//! A digest of all code that we make: the test kernels on every platform, and generated ones. Two versions
//! that print the same make the same code, byte for byte; that is how work on speed alone is checked.
//!
//! ```text
//! cargo run --release -p benches --bin digest              one line a platform
//! cargo run --release -p benches --bin digest -- --list    one line a kernel, to compare with diff
//! cargo run --release -p benches --bin digest -- --programs FOLDER    the texts of real programs instead
//! ```

use benches::generated::{SEED, Shape, kernel};
use clap::Parser;
use finalizer::{Binary, Finalizer, Options};
use platforms::Platform;
use std::{fs, io, path::PathBuf};
use tests::{data, programs};

#[derive(Parser)]
struct Args {
    /// Platforms.
    #[arg(short, long, value_delimiter = ',', default_values_t = Platform::ALL,
          value_parser = |s: &str| s.parse::<Platform>())]
    platform: Vec<Platform>,
    /// Every kernel by itself.
    #[arg(long)]
    list: bool,
    /// With checks after every pass, and proof of the register allocation.
    #[arg(long)]
    verify: bool,
    /// Instead of the test kernels, the vISA assembly of a folder, as `peer --programs` finds it.
    #[arg(long)]
    programs: Option<PathBuf>,
    /// Sizes of the generated kernels, in vISA instructions.
    #[arg(long, value_delimiter = ',', default_values_t = [300, 3_000, 20_000])]
    sizes: Vec<usize>,
}

/// What is summed up over kernels.
#[derive(Default)]
struct Sum {
    hash: u64,
    kernels: usize,
    refused: usize,
    bytes: usize,
    instructions: u64,
    spills: u64,
    fills: u64,
    flags: u64,
}

impl Sum {
    /// FNV-1a.
    fn hash(&mut self, bytes: &[u8]) {
        for &b in bytes {
            self.hash = (self.hash ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn add(&mut self, result: Result<&Binary, &str>) {
        self.kernels += 1;
        let binary = match result {
            Ok(binary) => binary,
            Err(fault) => {
                self.refused += 1;
                return self.hash(fault.as_bytes());
            }
        };
        self.hash(&binary.code);
        self.hash(format!("{:?}", binary.info).as_bytes());
        self.hash(format!("{:?}{:?}", binary.relocations, binary.symbols).as_bytes());
        self.bytes += binary.code.len();
        self.instructions += u64::from(binary.stats.gen_instructions);
        self.spills += u64::from(binary.stats.spills);
        self.fills += u64::from(binary.stats.fills);
        self.flags += u64::from(binary.stats.flag_spills);
    }

    fn print(&self, platform: Platform, what: &str) {
        println!(
            "{platform:<6} {:016x} {:>5} kernels {:>3} refused {:>9} bytes {:>8} instructions {:>6} spills {:>6} fills {:>6} flags  {what}",
            self.hash,
            self.kernels,
            self.refused,
            self.bytes,
            self.instructions,
            self.spills,
            self.fills,
            self.flags
        );
    }
}

fn main() -> io::Result<()> {
    let args = Args::parse();
    for &platform in &args.platform {
        if let Some(folder) = &args.programs {
            let mut files = programs::files(folder, platform)?;
            files.retain(|f| f.extension().is_some_and(|e| e == "visaasm"));
            let texts = files.iter().map(|f| Ok((f.display().to_string(), fs::read_to_string(f)?)));
            let texts: Vec<_> = texts.collect::<io::Result<_>>()?;
            run(&args, platform, texts.into_iter(), "real programs");
            continue;
        }
        let tests = data::kernels(platform).iter().map(|k| (k.id(), k.visaasm.clone()));
        run(&args, platform, tests, "test kernels");
        let shapes = Shape::ALL.into_iter().flat_map(|s| args.sizes.iter().map(move |&n| (s, n)));
        let made = shapes.map(|(s, n)| (format!("{} {n}", s.name()), kernel(platform, s, n, SEED)));
        run(&args, platform, made, "generated kernels");
    }
    Ok(())
}

fn run(args: &Args, platform: Platform, kernels: impl Iterator<Item = (String, String)>, what: &str) {
    // What one kernel leaves in a finalizer must not show in the next.
    let mut finalizer = Finalizer::new(Options { verify: args.verify, ..Options::new(platform) });
    let mut all = Sum::default();
    for (name, text) in kernels {
        let result = finalizer.finalize_text(&text).map_err(|e| e.to_string());
        if let Err(fault) = &result {
            eprintln!("{name}: {fault}");
        }
        let binary = result.as_ref().map_err(String::as_str).map(|b| &b[0]);
        all.add(binary);
        if args.list {
            let mut one = Sum::default();
            one.add(binary);
            one.print(platform, &name);
        }
    }
    all.print(platform, what);
}
