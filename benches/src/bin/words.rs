//! Encoder and decoder in instructions a second, and beside Intel's `iga64`: the code that Intel's compiler
//! wrote for the test kernels of each platform.
//!
//! ```text
//! cargo build --release && cargo run --release -p benches --bin words
//! ```
//!
//! The first columns are the library in this process; the ratios are whole processes, disassembling raw
//! code to a listing and assembling that listing with compaction, start and files included.

use std::{
    fs,
    hint::black_box,
    io,
    path::{Path, PathBuf},
    process::ExitCode,
    time::{Duration, Instant},
};

use benches::process;
use clap::Parser;
use encoder::{Decoded, compact, decode_all, encode};
use platforms::Platform;
use tests::data::kernels;

/// Bytes of code to run over: more than the caches near a core hold.
const BYTES: usize = 1 << 20;

#[derive(Parser)]
struct Args {
    /// Platforms to measure.
    #[arg(short, long, value_delimiter = ',', default_values_t = Platform::ALL,
          value_parser = |s: &str| s.parse::<Platform>())]
    platform: Vec<Platform>,
    /// Runs, of which the fastest counts.
    #[arg(long, default_value_t = 20)]
    runs: usize,
    /// The other assembler.
    #[arg(long, default_value = "iga64")]
    peer: PathBuf,
    /// Leave the other assembler out.
    #[arg(long)]
    alone: bool,
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let result = match words.split_first() {
        Some((first, rest)) if first == process::MEASURE => process::measure_here(rest),
        _ => run(&Args::parse()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("error: {e}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &Args) -> io::Result<()> {
    println!("million instructions a second; times faster than {}, whole process", args.peer.display());
    for &platform in &args.platform {
        let mut code = Vec::new();
        // Intel's Broadwell code holds a few words that are not Broadwell's; kernels with such stay out.
        let whole = |code: &[u8]| decode_all(platform, code).all(|d| d.inst.is_ok());
        for kernel in kernels(platform).iter().filter(|k| whole(&k.dat)) {
            if code.len() > BYTES {
                break;
            }
            code.extend_from_slice(&kernel.dat);
        }
        let insts: Vec<_> = decode_all(platform, &code).filter_map(|d| d.inst.ok()).collect();
        let rate = |time: Duration| insts.len() as f64 / time.as_secs_f64() / 1e6;
        let decode = fastest(args.runs, || {
            let (mut all, mut item) = (decode_all(platform, black_box(&code)), Decoded::default());
            while all.next_into(&mut item) {
                black_box(&item.inst);
            }
        });
        let mut bytes = Vec::with_capacity(code.len() * 2);
        let encode = fastest(args.runs, || {
            bytes.clear();
            for inst in black_box(&insts) {
                let Ok(word) = encode(platform, inst) else { continue };
                match compact(platform, word) {
                    Some(small) => bytes.extend_from_slice(&small.to_le_bytes()),
                    None => bytes.extend_from_slice(&word.to_le_bytes()),
                }
            }
        });
        print!(
            "{platform:<6} {:>7} instructions  decode {:>5.1}  encode and compact {:>5.1}",
            insts.len(),
            rate(decode),
            rate(encode)
        );
        if !args.alone {
            let (dis, asm) = beside(args, platform, &code)?;
            print!("  disassemble {dis:.1}x  assemble {asm:.1}x");
        }
        println!();
    }
    Ok(())
}

fn fastest(runs: usize, mut f: impl FnMut()) -> Duration {
    let once = |_| {
        let start = Instant::now();
        f();
        start.elapsed()
    };
    (0..runs.max(1)).map(once).min().unwrap_or_default()
}

/// How many times faster our whole process is: disassembling, assembling.
fn beside(args: &Args, platform: Platform, code: &[u8]) -> io::Result<(f64, f64)> {
    let ours = std::env::current_exe()?.with_file_name("visa-finalize");
    if !ours.is_file() {
        return Err(io::Error::other(format!("{} is missing: cargo build --release", ours.display())));
    }
    let dir = tempfile::tempdir()?;
    fs::write(dir.path().join("code.dat"), code)?;
    let number = format!("-p={}", platform.caps().iga_name);
    let to = platform.to_string();
    let time = |program: &Path, words: &[&str], result: &str| -> io::Result<f64> {
        let run = process::measure(program, words, dir.path(), 3)?;
        if !dir.path().join(result).is_file() {
            return Err(io::Error::other(format!("{} {}: no result", program.display(), words.join(" "))));
        }
        Ok(run.wall.as_secs_f64())
    };
    let a = time(&ours, &["disasm", "code.dat", "--platform", &to, "-o", "ours.asm"], "ours.asm")?;
    let b = time(&args.peer, &["-d", &number, "code.dat", "-o", "peer.asm"], "peer.asm")?;
    let c = time(&ours, &["asm", "peer.asm", "--platform", &to, "-o", "ours.dat"], "ours.dat")?;
    let d = time(&args.peer, &["-a", &number, "-Xautocompact", "peer.asm", "-o", "peer.dat"], "peer.dat")?;
    Ok((b / a, d / c))
}
