//! Random kernels in which lanes part: their code before and after register allocation, lane by lane.
//!
//! ```text
//! cargo run --release -p tests --bin replay -- --platform skl,pvc [--count 20000] [--seed 1] [--room 60] [--keep]
//! ```
//!
//! Prints the first failing kernel of each sort, shrunk; with `--keep` every one that fails. `--print` shows the kernel of one
//! seed as it is made. `--file` judges a kernel in the form that `--print-after` prints instead, structured already.

use clap::Parser;
use gen_ir::Virtual;
use platforms::Platform;
use std::{
    collections::BTreeMap,
    error::Error,
    ops::Range,
    path::{Path, PathBuf},
};
use tests::replay::{
    Kept, ReplayOutcome, ReplaySettings, check, check_structured, generate, inputs_of, shrink,
};

#[derive(Parser)]
struct Args {
    /// Platforms.
    #[arg(short, long, value_delimiter = ',', default_values_t = Platform::ALL,
          value_parser = |s: &str| s.parse::<Platform>())]
    platform: Vec<Platform>,
    /// Kernels a platform.
    #[arg(short, long, default_value_t = 10_000)]
    count: u64,
    /// The first kernel's seed; the next ones follow.
    #[arg(short, long, default_value_t = 1)]
    seed: u64,
    /// Registers that variables are given, in percent of what they need together; any number if absent.
    #[arg(long)]
    room: Option<u32>,
    /// Print every kernel that fails.
    #[arg(long)]
    keep: bool,
    /// Print kernels as they are made.
    #[arg(long)]
    print: bool,
    /// A kernel to judge, for the first of the platforms.
    #[arg(long)]
    file: Option<PathBuf>,
}

/// Judges a kernel by itself, with as many inputs.
fn judge_file(path: &Path, platform: Platform, seeds: Range<u64>) -> Result<(), Box<dyn Error>> {
    let mut kernel = gen_ir::parse::<Virtual>(&std::fs::read_to_string(path)?, platform)?;
    // Text has no origins, by which instructions are known again.
    let insts = kernel.blocks.iter_mut().flat_map(|block| &mut block.insts);
    (0..).zip(insts).for_each(|(n, inst)| inst.origin = n);
    for seed in seeds {
        let judged = check_structured(&kernel, &inputs_of(&kernel, seed), false, &mut Kept::default());
        judged.map_err(|failure| failure.to_string())?;
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let Args { platform: platforms, count, seed: first, room, keep, print, file } = Args::parse();
    if let (Some(file), [platform, ..]) = (file, &platforms[..]) {
        return judge_file(&file, *platform, first..first + count);
    }
    std::panic::set_hook(Box::new(|_| {}));
    let mut failed = false;
    for platform in platforms {
        let mut kept = Kept::default();
        let mut sorts: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
        let (mut spilled, mut refused, mut senseless) = (0, 0, 0);
        for seed in first..first + count {
            let plan = generate(ReplaySettings { platform, room }, seed);
            if print {
                println!("{}", plan.kernel());
            }
            let failure = match check(&plan, &mut kept) {
                Ok(ReplayOutcome::Same(stats)) => {
                    spilled += u64::from(stats.spills + stats.fills > 0);
                    continue;
                }
                Ok(ReplayOutcome::Refused) => {
                    refused += 1;
                    continue;
                }
                Ok(ReplayOutcome::Senseless) => {
                    senseless += 1;
                    continue;
                }
                Err(failure) => failure,
            };
            let entry = sorts.entry(failure.sort).or_insert((0, seed));
            entry.0 += 1;
            if entry.0 == 1 || keep {
                let (_, failure) = shrink(&plan, failure);
                println!("{platform} seed {seed}: {failure}");
            }
        }
        failed |= !sorts.is_empty();
        println!(
            "{platform}: {count} kernels from seed {first}: {spilled} spill, {refused} need more registers, \
             {senseless} have no control flow that can be written; failed, and first seed: {sorts:?}"
        );
    }
    std::process::exit(i32::from(failed));
}
