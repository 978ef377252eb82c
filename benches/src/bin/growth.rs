//! How compile time grows with a kernel: generated kernels of 1,000 to 100,000 vISA instructions through
//! the whole finalizer, in this process. Ten times the instructions should take at most thirteen times as
//! long. What is measured is the time of the processor: others on the machine count for little. Each size is
//! several kernels, whose times are added up: one alone may be lucky (an order of its instructions that spills
//! less costs another placing), and then tells of that instead of its size.
//!
//! ```text
//! cargo run --release -p benches --bin growth
//! ```

use std::{process::ExitCode, time::Duration};

use benches::generated::{SEED, Shape, kernel};
use clap::Parser;
use cpu_time::ThreadTime;
use finalizer::{Binary, Finalizer, Options, PASSES};
use platforms::Platform;

#[derive(Parser)]
struct Args {
    /// Platforms to measure on.
    #[arg(short, long, value_delimiter = ',', default_values = ["skl", "tgllp", "pvc"],
          value_parser = |s: &str| s.parse::<Platform>())]
    platform: Vec<Platform>,
    /// Sizes in vISA instructions.
    #[arg(short, long, value_delimiter = ',', default_values_t = [1_000, 10_000, 100_000])]
    sizes: Vec<usize>,
    /// Only shapes whose name contains this.
    #[arg(long, default_value = "")]
    only: String,
    /// Runs of the smallest size, of which the fastest counts; larger sizes take proportionally fewer.
    #[arg(long, default_value_t = 40)]
    runs: usize,
    /// Kernels of each size.
    #[arg(long, default_value_t = 3)]
    kernels: u64,
    /// The share of each pass, too.
    #[arg(long)]
    passes: bool,
    /// Print the text of the first kernel and stop.
    #[arg(long)]
    text: bool,
}

fn main() -> ExitCode {
    let args = Args::parse();
    let smallest = args.sizes.iter().copied().min().unwrap_or(1).max(1);
    let mut worst = 0f64;
    for &platform in &args.platform {
        for shape in Shape::ALL.into_iter().filter(|s| s.name().contains(&args.only)) {
            let mut last: Option<(f64, f64)> = None;
            for &size in &args.sizes {
                if args.text {
                    print!("{}", kernel(platform, shape, size, SEED));
                    return ExitCode::SUCCESS;
                }
                let runs = (args.runs * smallest / size.max(1)).max(5);
                let mut sum = Sum::default();
                for seed in SEED..SEED + args.kernels.max(1) {
                    let text = kernel(platform, shape, size, seed);
                    if let Err(e) = measure(platform, &text, runs, args.passes, &mut sum) {
                        eprintln!("error: {platform} {} {size}: {e}", shape.name());
                        return ExitCode::FAILURE;
                    }
                }
                let Sum { insts, seconds, spills, fills, flags, .. } = sum;
                print!(
                    "{platform:<6} {:<15} {insts:>7} instructions  {:>9.2} ms  {:>5.2} M/s  spills {spills:>6} fills {fills:>6} flags {flags:>6}",
                    shape.name(),
                    seconds * 1e3,
                    insts / seconds / 1e6,
                );
                if let Some((n, t)) = last {
                    // Time for ten times the instructions, from the two sizes measured.
                    let growth = 10f64.powf((seconds / t).ln() / (insts / n).ln());
                    worst = worst.max(growth);
                    print!("  10x instructions: {growth:.1}x time");
                }
                println!();
                if args.passes {
                    sum.print_passes();
                }
                last = Some((insts, seconds));
            }
        }
    }
    println!("worst growth: {worst:.1}x time for 10x instructions");
    ExitCode::SUCCESS
}

/// What the kernels of one size take, each at its fastest.
#[derive(Default)]
struct Sum {
    insts: f64,
    seconds: f64,
    spills: u32,
    fills: u32,
    flags: u32,
    /// By pass.
    passes: Vec<Duration>,
}

impl Sum {
    fn add(&mut self, time: Duration, binary: &Binary) {
        self.insts += f64::from(binary.stats.visa_instructions);
        self.seconds += time.as_secs_f64();
        self.spills += binary.stats.spills;
        self.fills += binary.stats.fills;
        self.flags += binary.stats.flag_spills;
        self.passes.resize(PASSES.len(), Duration::ZERO);
        for (sum, pass) in self.passes.iter_mut().zip(PASSES) {
            *sum +=
                binary.stats.times.iter().filter(|t| t.pass == pass.name).map(|t| t.time).sum::<Duration>();
        }
    }

    fn print_passes(&self) {
        let all: Duration = self.passes.iter().sum();
        for (pass, time) in PASSES.iter().zip(&self.passes) {
            let share = 100.0 * time.as_secs_f64() / all.as_secs_f64();
            print!("  {} {:.2} ms ({share:.0} %)", pass.name, time.as_secs_f64() * 1e3);
        }
        println!();
    }
}

/// Adds the fastest of some runs: reading the object and finalizing its kernel.
fn measure(platform: Platform, text: &str, runs: usize, timings: bool, sum: &mut Sum) -> Result<(), String> {
    let module = finalizer::read_text(text.as_bytes(), platform).map_err(|e| e.to_string())?;
    let object = visa::write(&module).map_err(|e| e.to_string())?;
    let options = Options { verify: false, timings, ..Options::new(platform) };
    let mut finalizer = Finalizer::new(options);
    let mut best: Option<(Duration, Binary)> = None;
    for _ in 0..runs {
        let start = ThreadTime::now();
        let mut binaries = finalizer.finalize_object(&object).map_err(|e| e.to_string())?;
        let time = start.elapsed();
        if best.as_ref().is_none_or(|(t, _)| time < *t) {
            best = binaries.pop().map(|b| (time, b));
        }
    }
    let (time, binary) = best.ok_or("no kernel")?;
    sum.add(time, &binary);
    Ok(())
}
