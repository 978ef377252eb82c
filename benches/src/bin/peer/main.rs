//! Side by side with Intel's finalizer (`GenX_IR`) on the test kernels: whole-process time, peak memory,
//! instructions, bytes; a row a kernel and the geometric means.
//!
//! ```text
//! cargo build --release && cargo run --release -p benches --bin peer -- --platform skl --min 500
//! ```
//!
//! The peer reads each kernel's `.visaasm`, the only input it handles; ours reads what a runtime has, an
//! object (written from that text), or with `--text` the same `.visaasm`. With `--code` only the code is
//! compared, in this process, with what the test data keeps of Intel's; `--programs FOLDER` takes real
//! programs instead.

mod annotations;
mod code;
mod kept;
mod offline;

use std::{
    fs, io,
    path::{Path, PathBuf},
    process::ExitCode,
};

use benches::process::{self, Run};
use clap::Parser;
use finalizer::PassSet;
use platforms::Platform;
use tests::data::{TestKernel, devices, kernels};

#[derive(Clone, Parser)]
struct Args {
    /// Platforms to compare on.
    #[arg(short, long, value_delimiter = ',', default_values_t = devices(),
          value_parser = |s: &str| s.parse::<Platform>())]
    platform: Vec<Platform>,
    /// Leave out kernels with fewer vISA instructions.
    #[arg(long, default_value_t = 0)]
    min: usize,
    /// Only kernels whose id contains this.
    #[arg(long, default_value = "")]
    only: String,
    /// Counted runs of each program.
    #[arg(long, default_value_t = 3)]
    runs: usize,
    /// Give our program the text, too.
    #[arg(long)]
    text: bool,
    /// The peer's program.
    #[arg(long, default_value = "GenX_IR")]
    peer: PathBuf,
    /// Only the means.
    #[arg(long)]
    summary: bool,
    /// Compare the code alone, with what Intel's compiler made of the test kernels: takes seconds.
    #[arg(long)]
    code: bool,
    /// With `--code`: compare with what the peer's program gives for the same vISA, test kernels or programs. It is kept
    /// in this directory, which serves the next time, too.
    #[arg(long)]
    kept: Option<PathBuf>,
    /// With `--code`: compare on the kernels of this folder instead, which have Intel's code with them: vISA
    /// assembly beside `.dat` files (`FOLDER/<platform>/...` or any), and objects with code inside.
    #[arg(long, requires = "code")]
    programs: Option<PathBuf>,
    /// With `--code`: the kernels with most instructions and scratch messages beside Intel's.
    #[arg(long, default_value_t = 0, requires = "code")]
    worst: usize,
    /// With `--code`: how often each opcode stands in both sides' code.
    #[arg(long)]
    opcodes: bool,
    /// With `--code`: a pass that ours leaves out.
    #[arg(long, value_name = "PASS", requires = "code", value_parser = pass_named)]
    skip_pass: Option<PassSet>,
    /// Raw code of one platform: each instruction with the modelled cycles that pass before the next one.
    #[arg(long, value_name = "FILE")]
    waits: Option<PathBuf>,
}

fn pass_named(name: &str) -> Result<PassSet, String> {
    PassSet::named(name).ok_or_else(|| "no such pass".to_owned())
}

/// One side's result on one kernel.
struct Side {
    run: Run,
    instructions: u32,
    syncs: u32,
    bytes: usize,
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let result = match words.split_first() {
        Some((first, rest)) if first == process::MEASURE => process::measure_here(rest),
        _ => {
            let args = Args::parse();
            match &args.waits {
                Some(file) => waits(&args.platform, file),
                None if args.code => offline::compare(&args),
                None => compare(&args),
            }
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("error: {e}");
            ExitCode::FAILURE
        }
    }
}

/// Prints where the modelled cycles of some code go.
fn waits(platforms: &[Platform], file: &Path) -> io::Result<()> {
    let &[platform] = platforms else { return Err(io::Error::other("waits are those of one platform: -p")) };
    print!("{}", code::waits(platform, &fs::read(file)?));
    Ok(())
}

fn compare(args: &Args) -> io::Result<()> {
    let ours = std::env::current_exe()?.with_file_name("visa-finalize");
    if !ours.is_file() {
        return Err(io::Error::other(format!("{} is missing: cargo build --release", ours.display())));
    }
    for &platform in &args.platform {
        println!("\n{platform}: processor time in ms, memory in MB, ours / peer");
        let mut means = Means::default();
        for kernel in kernels(platform) {
            let visa = visa_instructions(kernel);
            if visa < args.min || !kernel.id().contains(&args.only) {
                continue;
            }
            let dir = tempfile::tempdir()?;
            let (a, b) = (
                our_side(args, &ours, platform, kernel, dir.path())?,
                peer_side(args, platform, kernel, dir.path())?,
            );
            match (a, b) {
                (Some(a), Some(b)) => {
                    means.add(&a, &b);
                    if !args.summary {
                        row(kernel, visa, &a, &b);
                    }
                }
                (a, b) => {
                    means.failed(a.is_none(), b.is_none());
                    if args.summary {
                        continue;
                    }
                    println!("{:<58} {visa:>6}  ours {}  peer {}", kernel.id(), done(&a), done(&b));
                }
            }
        }
        means.print(platform);
    }
    Ok(())
}

fn done(side: &Option<Side>) -> &'static str {
    if side.is_some() { "done" } else { "no result" }
}

/// Instructions of a kernel's text: lines in the body that are neither labels, directives nor comments.
fn visa_instructions(kernel: &TestKernel) -> usize {
    let line = |l: &&str| {
        let l = l.trim();
        !l.is_empty() && !l.starts_with(['.', '/']) && !l.ends_with(':')
    };
    kernel.visaasm.lines().filter(line).count()
}

fn our_side(
    args: &Args,
    program: &Path,
    platform: Platform,
    kernel: &TestKernel,
    dir: &Path,
) -> io::Result<Option<Side>> {
    let (name, input) = match args.text {
        true => ("ours.visaasm", kernel.visaasm.clone().into_bytes()),
        false => ("ours.isa", object(platform, kernel)?),
    };
    fs::write(dir.join(name), input)?;
    let to = platform.to_string();
    let run = process::measure(
        program,
        &[name, "--platform", &to, "--emit", "dat", "-o", "ours.dat"],
        dir,
        args.runs,
    )?;
    side(platform, run, &dir.join("ours.dat"))
}

fn object(platform: Platform, kernel: &TestKernel) -> io::Result<Vec<u8>> {
    let module = finalizer::read_text(kernel.visaasm.as_bytes(), platform).map_err(io::Error::other)?;
    visa::write(&module).map_err(io::Error::other)
}

fn peer_side(args: &Args, platform: Platform, kernel: &TestKernel, dir: &Path) -> io::Result<Option<Side>> {
    fs::write(dir.join("peer.visaasm"), &kernel.visaasm)?;
    let module = finalizer::read_text(kernel.visaasm.as_bytes(), platform).map_err(io::Error::other)?;
    let words = kept::words(platform, "peer.visaasm", &module);
    let run = process::measure(&args.peer, &words, dir, args.runs)?;
    side(platform, run, &dir.join("peer.dat"))
}

fn side(platform: Platform, run: Run, code: &Path) -> io::Result<Option<Side>> {
    if !code.is_file() {
        return Ok(None);
    }
    let bytes = fs::read(code)?;
    let code::Counts { instructions, syncs, .. } = code::count(platform, &bytes, |_| ());
    Ok(Some(Side { run, instructions, syncs, bytes: bytes.len() }))
}

fn row(kernel: &TestKernel, visa: usize, a: &Side, b: &Side) {
    let ms = |s: &Side| s.run.cpu.as_secs_f64() * 1e3;
    let mb = |s: &Side| s.run.peak_bytes as f64 / 1e6;
    println!(
        "{:<58} {visa:>6}  time {:>7.2} / {:>8.2} = {:>5.1}x  memory {:>5.1} / {:>5.1}  instructions {:>6} / {:>6} = {:.2}  bytes {:>7} / {:>7}",
        kernel.id(),
        ms(a),
        ms(b),
        ms(b) / ms(a),
        mb(a),
        mb(b),
        a.instructions,
        b.instructions,
        ratio(a.instructions, b.instructions),
        a.bytes,
        b.bytes,
    );
}

fn ratio(a: u32, b: u32) -> f64 {
    f64::from(a) / f64::from(b.max(1))
}

/// Sums of logarithms, for geometric means.
#[derive(Default)]
struct Means {
    kernels: u32,
    time: f64,
    cpu: f64,
    memory: f64,
    instructions: f64,
    bytes: f64,
    least: f64,
    syncs: [u32; 2],
    ours_failed: u32,
    peer_failed: u32,
}

impl Means {
    fn add(&mut self, a: &Side, b: &Side) {
        self.kernels += 1;
        let times = b.run.cpu.as_secs_f64() / a.run.cpu.as_secs_f64().max(1e-9);
        self.cpu += times.ln();
        self.least = if self.kernels == 1 { times } else { self.least.min(times) };
        self.syncs[0] += a.syncs;
        self.syncs[1] += b.syncs;
        self.time += (b.run.wall.as_secs_f64() / a.run.wall.as_secs_f64()).ln();
        self.memory += (b.run.peak_bytes as f64 / a.run.peak_bytes as f64).ln();
        self.instructions += ratio(a.instructions, b.instructions).ln();
        self.bytes += (a.bytes as f64 / b.bytes.max(1) as f64).ln();
    }

    fn failed(&mut self, ours: bool, peer: bool) {
        self.ours_failed += u32::from(ours);
        self.peer_failed += u32::from(peer);
    }

    fn print(&self, platform: Platform) {
        let mean = |sum: f64| (sum / f64::from(self.kernels.max(1))).exp();
        println!(
            "{platform}: {} kernels, geometric means: {:.1}x faster, {:.1}x less processor time (at least {:.1}x), {:.1}x less memory, instructions {:.3}, bytes {:.3}; sync {} / {}; \
             without result: ours {}, peer {}",
            self.kernels,
            mean(self.time),
            mean(self.cpu),
            self.least,
            mean(self.memory),
            mean(self.instructions),
            mean(self.bytes),
            self.syncs[0],
            self.syncs[1],
            self.ours_failed,
            self.peer_failed,
        );
    }
}
