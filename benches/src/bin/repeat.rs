//! One object finalized again and again, for profilers and for comparing two builds: the fastest run,
//! whole and, if asked, by pass (reading the clock so often takes a microsecond of a small kernel's ten).
//!
//! ```text
//! cargo run --release -p benches --bin repeat -- --platform skl --runs 200 --passes kernel.isa
//! ```

use std::{fs, path::PathBuf, process::ExitCode, time::Duration};

use clap::Parser;
use cpu_time::ThreadTime;
use finalizer::{Finalizer, Level, Options, PASSES};
use platforms::Platform;

#[derive(Parser)]
struct Args {
    /// Platform to finalize for.
    #[arg(short, long, default_value = "skl", value_parser = |s: &str| s.parse::<Platform>())]
    platform: Platform,
    /// How often.
    #[arg(short, long, default_value_t = 100)]
    runs: usize,
    /// The time of each pass, too.
    #[arg(long)]
    passes: bool,
    /// How much is done for better code.
    #[arg(short = 'O', value_name = "LEVEL", default_value = "2")]
    level: Level,
    /// Objects.
    #[arg(required = true)]
    objects: Vec<PathBuf>,
}

fn main() -> ExitCode {
    let args = Args::parse();
    for path in &args.objects {
        let measured = fs::read(path).map_err(|e| e.to_string()).and_then(|object| measure(&args, &object));
        match measured {
            Ok(line) => println!("{}  {line}", path.display()),
            Err(e) => {
                eprintln!("error: {}: {e}", path.display());
                return ExitCode::FAILURE;
            }
        }
    }
    ExitCode::SUCCESS
}

fn measure(args: &Args, object: &[u8]) -> Result<String, String> {
    let options =
        Options { verify: false, timings: args.passes, ..Options::with_level(args.platform, args.level) };
    let mut finalizer = Finalizer::new(options);
    let mut whole = Duration::MAX;
    let mut passes = vec![Duration::MAX; PASSES.len()];
    for _ in 0..args.runs.max(1) {
        let start = ThreadTime::now();
        let binaries = finalizer.finalize_object(object).map_err(|e| e.to_string())?;
        whole = whole.min(start.elapsed());
        for (pass, fastest) in PASSES.iter().zip(&mut passes) {
            let times = binaries.iter().flat_map(|b| &b.stats.times).filter(|t| t.pass == pass.name);
            *fastest = (*fastest).min(times.map(|t| t.time).sum());
        }
    }
    let micros = |d: Duration| d.as_secs_f64() * 1e6;
    if !args.passes {
        return Ok(format!("{:.1} us", micros(whole)));
    }
    let each = PASSES.iter().zip(&passes).filter(|(_, d)| !d.is_zero());
    let each: Vec<String> = each.map(|(pass, d)| format!("{} {:.0}", pass.name, micros(*d))).collect();
    let rest = micros(whole) - passes.iter().map(|d| micros(*d)).sum::<f64>();
    Ok(format!("{:.0} us: read {rest:.0} {}", micros(whole), each.join(" ")))
}
