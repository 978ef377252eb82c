//! Our library and Intel's through the interface that runtimes load, `JITCompile`, in one program in C.
//!
//! ```text
//! cargo run --release -p benches --bin jit                 latencies and throughput, as ratios
//! cargo run --release -p benches --bin jit -- --compare    every object: size, GRFs, spills, microseconds
//! ```

use std::{
    fmt::Write,
    fs, io,
    path::{Path, PathBuf},
    process::{Command, ExitCode},
};

use clap::Parser;
use platforms::Platform;
use tests::{
    c_programs,
    data::{self, TestKernel},
    oracle,
};
// The library is this crate's dependency, so cargo has built the shared one too.
use visafinalize_jit as _;

#[derive(Parser)]
struct Args {
    /// Every object of the corpus and of our own (or every Nth), instead of the benchmarks.
    #[arg(long, num_args = 0..=1, default_missing_value = "1", value_name = "N")]
    compare: Option<usize>,
    /// Our library.
    #[arg(long)]
    ours: Option<PathBuf>,
    /// Intel's library; `-` for none.
    #[arg(long, default_value = c_programs::INTEL)]
    theirs: String,
}

fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(code) => code,
        Err(e) => {
            eprintln!("error: {e}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &Args) -> io::Result<ExitCode> {
    let dir = tempfile::tempdir()?;
    let source = data::workspace().join("jit/compare/compare.c");
    let source = source.to_string_lossy();
    let flags = ["-std=gnu11", "-O2", "-Wall", &source, "-ldl", "-lpthread"];
    let Some(program) = c_programs::build("cc", &flags, &dir.path().join("compare")) else {
        return Ok(ExitCode::FAILURE);
    };
    let ours = match &args.ours {
        Some(path) => path.clone(),
        None => c_programs::libraries().join("libvisafinalize_jit.so"),
    };
    let mut command = Command::new(program);
    if let Some(step) = args.compare {
        let (list, _) = c_programs::object_list(dir.path(), step.max(1))?;
        command.arg(ours).arg(&args.theirs).arg(list);
        command.args(oracle::Iga::find().map(|iga| iga.path()));
    } else {
        command.arg("--bench").arg(ours).arg(&args.theirs).arg(sizes(dir.path())?);
    }
    let status = command.status()?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// A small, a medium and a large kernel: nearest to 100, 1,500 and 13,000 vISA instructions.
fn sizes(dir: &Path) -> io::Result<PathBuf> {
    let mut list = String::new();
    for wanted in [100, 1_500, 13_000] {
        let whole = |k: &&TestKernel| k.whole.is_some();
        let kernels = data::kernels(Platform::Skl).iter().filter(whole);
        let Some(kernel) = kernels.min_by_key(|k| instructions(k).abs_diff(wanted)) else { continue };
        let path = dir.join(format!("{}_{}.isa", instructions(kernel), kernel.name));
        fs::write(&path, kernel.whole.as_deref().unwrap_or_default())?;
        let _ = writeln!(list, "SKL {}", path.display());
    }
    let path = dir.join("list");
    fs::write(&path, list)?;
    Ok(path)
}

/// Instructions of a kernel's text: lines that are neither labels, directives nor comments.
fn instructions(kernel: &TestKernel) -> usize {
    let line = |l: &&str| {
        let l = l.trim();
        !l.is_empty() && !l.starts_with(['.', '/']) && !l.ends_with(':')
    };
    kernel.visaasm.lines().filter(line).count()
}
