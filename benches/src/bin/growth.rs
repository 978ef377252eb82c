//! How compile time grows with a kernel: generated kernels of 1,000 to 100,000 vISA instructions through
//! the whole finalizer, in this process. Ten times the instructions should take at most thirteen times as
//! long. What is measured is the time of the processor: others on the machine count for little.
//!
//! ```text
//! cargo run --release -p benches --bin growth
//! ```

use std::{process::ExitCode, time::Duration};

use benches::generated::{Shape, kernel};
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
                let text = kernel(platform, shape, size);
                if args.text {
                    print!("{text}");
                    return ExitCode::SUCCESS;
                }
                let runs = (args.runs * smallest / size.max(1)).max(3);
                let (time, binary) = match measure(platform, &text, runs) {
                    Ok(result) => result,
                    Err(e) => {
                        eprintln!("error: {platform} {} {size}: {e}", shape.name());
                        return ExitCode::FAILURE;
                    }
                };
                let insts = f64::from(binary.stats.visa_instructions);
                let seconds = time.as_secs_f64();
                print!(
                    "{platform:<6} {:<15} {insts:>7} instructions  {:>9.2} ms  {:>5.2} M/s  spills {:>6} fills {:>6} flags {:>6}",
                    shape.name(),
                    seconds * 1e3,
                    insts / seconds / 1e6,
                    binary.stats.spills,
                    binary.stats.fills,
                    binary.stats.flag_spills,
                );
                if let Some((n, t)) = last {
                    // Time for ten times the instructions, from the two sizes measured.
                    let growth = 10f64.powf((seconds / t).ln() / (insts / n).ln());
                    worst = worst.max(growth);
                    print!("  10x instructions: {growth:.1}x time");
                }
                println!();
                if args.passes {
                    passes(&binary);
                }
                last = Some((insts, seconds));
            }
        }
    }
    println!("worst growth: {worst:.1}x time for 10x instructions");
    ExitCode::SUCCESS
}

fn passes(binary: &Binary) {
    let all: Duration = binary.stats.times.iter().map(|t| t.time).sum();
    for pass in PASSES {
        let time: Duration = binary.stats.times.iter().filter(|t| t.pass == *pass).map(|t| t.time).sum();
        let share = 100.0 * time.as_secs_f64() / all.as_secs_f64();
        print!("  {pass} {:.2} ms ({share:.0} %)", time.as_secs_f64() * 1e3);
    }
    println!();
}

/// The fastest of some runs: reading the object and finalizing its kernel.
fn measure(platform: Platform, text: &str, runs: usize) -> Result<(Duration, Binary), String> {
    let module = finalizer::read_text(text.as_bytes(), platform).map_err(|e| e.to_string())?;
    let object = visa::write(&module).map_err(|e| e.to_string())?;
    let mut finalizer = Finalizer::new(Options { verify: false, ..Options::new(platform) });
    let mut best: Option<(Duration, Binary)> = None;
    for _ in 0..runs {
        let start = ThreadTime::now();
        let mut binaries = finalizer.finalize_object(&object).map_err(|e| e.to_string())?;
        let time = start.elapsed();
        if best.as_ref().is_none_or(|(t, _)| time < *t) {
            best = binaries.pop().map(|b| (time, b));
        }
    }
    best.ok_or_else(|| "no kernel".to_owned())
}
