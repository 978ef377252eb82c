//! Objects of other people: what becomes of each kernel on every platform whose registers it was compiled for,
//! with all checks of ours, and how its code runs beside the vISA interpreter.
//!
//! ```text
//! cargo run --release -p tests --bin corpus -- [--folder FOLDER] [PART-OF-PATH]
//! ```

use std::{collections::BTreeMap, path::PathBuf};

use clap::Parser;
use finalizer::{Finalizer, Options};
use platforms::Platform;
use tests::{
    data,
    foreign::{self, Launched},
};

/// Finalizes and launches the kernels of foreign objects on every platform whose registers they were compiled for.
#[derive(Parser)]
struct Args {
    /// Only objects whose path contains this.
    #[arg(default_value = "")]
    only: String,
    /// Objects below this folder.
    #[arg(long)]
    folder: Option<PathBuf>,
    /// Inputs and memory are made of this number.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Print each launch that is no comparison, too.
    #[arg(long)]
    reasons: bool,
}

#[derive(Default)]
struct Counts {
    kernels: usize,
    finalized: usize,
    agree: usize,
    cannot: BTreeMap<String, (usize, String)>,
    wrong: Vec<String>,
    refused: BTreeMap<String, (usize, String)>,
}

fn note(list: &mut BTreeMap<String, (usize, String)>, reason: String, example: &str) {
    list.entry(reason).or_insert_with(|| (0, example.to_owned())).0 += 1;
}

/// Platforms with registers of the size that the object's code was compiled for.
fn platforms(module: &visa::Module) -> Vec<Platform> {
    let of = |b: &visa::GenBinary| Platform::from_gen_platform(b.platform);
    let known = module.kernels.iter().flat_map(|k| &k.gen_binaries).find_map(of);
    let bytes = |p: Platform| p.caps().regs.grf_bytes;
    let size = bytes(known.unwrap_or(Platform::Skl));
    Platform::ALL.into_iter().filter(|p| bytes(*p) == size).collect()
}

fn main() {
    let args = Args::parse();
    let mut all: BTreeMap<Platform, Counts> = BTreeMap::new();
    let folder = args.folder.clone().unwrap_or_else(data::corpus_folder);
    for path in data::objects_below(&folder).iter().filter(|p| p.to_string_lossy().contains(&args.only)) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let Ok(bytes) = std::fs::read(path) else { continue };
        let module = match finalizer::read_module(&bytes) {
            Ok(module) => module,
            Err(e) => {
                println!("{name}: not read: {}", e.0.first().map_or(String::new(), ToString::to_string));
                continue;
            }
        };
        for platform in platforms(&module) {
            let counts = all.entry(platform).or_default();
            for (index, kernel) in module.kernels.iter().enumerate() {
                let example = format!("{name} {}", kernel.name());
                counts.kernels += 1;
                let options = Options { verify: true, ..Options::new(platform) };
                let binary = match Finalizer::new(options).finalize_kernel(&module, index) {
                    Ok(binary) => binary,
                    Err(faults) => {
                        let first = faults.0.first().map_or(String::new(), |d| d.message.clone());
                        note(&mut counts.refused, first, &example);
                        continue;
                    }
                };
                counts.finalized += 1;
                match foreign::run(platform, &module, index, &binary, args.seed) {
                    Launched::Agrees => counts.agree += 1,
                    Launched::Cannot(why) => note(&mut counts.cannot, why, &example),
                    Launched::Wrong(what) => counts.wrong.push(format!("{example}: {what}")),
                }
            }
        }
    }
    let mut bad = 0;
    for (platform, counts) in &all {
        let cannot: usize = counts.cannot.values().map(|c| c.0).sum();
        println!(
            "{platform}: {} kernels, {} finalized and verified, {} launched as the interpreter, {cannot} not to be launched, {} wrong",
            counts.kernels,
            counts.finalized,
            counts.agree,
            counts.wrong.len()
        );
        bad += counts.wrong.len();
        counts.wrong.iter().for_each(|line| println!("    wrong: {line}"));
        counts.refused.iter().for_each(|(why, (n, e))| println!("    refused {n}: {why} ({e})"));
        if args.reasons {
            counts.cannot.iter().for_each(|(why, (n, e))| println!("    not launched {n}: {why} ({e})"));
        }
    }
    std::process::exit(i32::from(bad > 0));
}
