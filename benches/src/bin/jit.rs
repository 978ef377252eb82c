//! Our library and Intel's through the interface that runtimes load, `JITCompile`, in one program in C.
//!
//! ```text
//! cargo run --release -p benches --bin jit                 latencies and throughput, as ratios
//! cargo run --release -p benches --bin jit -- --compare    every object: size, GRFs, spills, microseconds
//! cargo run --release -p benches --bin jit -- --compare --opt 0    the same, ours with `-O0`, theirs as ever
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
use visa::{
    Access, Align, ChannelMask, CondMod, Exec, ExecSize, LabelId, Module, Type, Version,
    builder::{General, KernelBuilder},
};
use visafinalize_jit as _;

#[derive(Parser)]
struct Args {
    /// Every object of the corpus and of our own (or every Nth), instead of the benchmarks.
    #[arg(long, num_args = 0..=1, default_missing_value = "1", value_name = "N")]
    compare: Option<usize>,
    /// How much work ours puts into good code: 0, 1 or 2. (Intel's library has no such argument.)
    #[arg(long, value_name = "LEVEL", value_parser = ["0", "1", "2"])]
    opt: Option<String>,
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
    let program = c_programs::build("cc", &flags, &dir.path().join("compare"));
    let ours = match &args.ours {
        Some(path) => path.clone(),
        None => c_programs::libraries().join("libvisafinalize_jit.so"),
    };
    let mut command = Command::new(program);
    command.args(args.opt.as_ref().map(|level| format!("-O{level}")));
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

/// A small and a medium test kernel, nearest to 100 and 1,500 vISA instructions, and a large one of
/// 13,000, which is made here: the test kernels end at 3,320.
fn sizes(dir: &Path) -> io::Result<PathBuf> {
    let mut list = String::new();
    for wanted in [100, 1_500] {
        let whole = |k: &&TestKernel| k.whole.is_some();
        let kernels = data::kernels(Platform::Skl).iter().filter(whole);
        let Some(kernel) = kernels.min_by_key(|k| instructions(k).abs_diff(wanted)) else { continue };
        let path = dir.join(format!("{}_{}.isa", instructions(kernel), kernel.name));
        fs::write(&path, kernel.whole.as_deref().unwrap_or_default())?;
        let _ = writeln!(list, "SKL {}", path.display());
    }
    let path = dir.join("13000_made.isa");
    fs::write(&path, large(13_000)?)?;
    let _ = writeln!(list, "SKL {}", path.display());
    let path = dir.join("list");
    fs::write(&path, list)?;
    Ok(path)
}

/// An object of one SIMD16 kernel: arithmetic on twenty values, comparisons with branches over the next
/// few instructions, loads and stores.
fn large(instructions: usize) -> io::Result<Vec<u8>> {
    let mut b = KernelBuilder::new("made", Platform::Skl);
    let (exec, surface) = (Exec::masked(ExecSize::S16), b.surface("memory"));
    let values: Vec<General> =
        (0..20).map(|i| b.general(&format!("v{i}"), Type::D, 16, Align::Grf)).collect();
    b.attr_int("SimdSize", 16);
    let mut seed = 1u32;
    let mut random = |n: usize| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (seed >> 16) as usize % n
    };
    for (i, v) in values.iter().enumerate() {
        b.mov(exec, *v, i as u32);
    }
    b.movs(Exec::no_mask(ExecSize::S1), surface, 0u32);
    let mut pending: Option<(LabelId, usize)> = None;
    while b.kernel().code.len() + 4 < instructions {
        let [d, x, y] = [(); 3].map(|()| values[random(values.len())]);
        match random(40) {
            0 if pending.is_none() => {
                let n = b.kernel().code.len();
                let (p, label) = (b.predicate(&format!("p{n}"), 16), b.label(&format!("l{n}")));
                b.cmp(CondMod::Lt, exec, p, x, y);
                b.when(p).goto(exec, label);
                pending = Some((label, n + 12));
            }
            1 => b.scaled4(exec, Access::Load, ChannelMask(1), surface, 0u32, x, d),
            2 => b.scaled4(exec, Access::Store, ChannelMask(1), surface, 0u32, x, y),
            3..12 => b.mul(exec, d, x, 3i32),
            12..20 => b.xor(exec, d, x, y),
            20..28 => b.shl(exec, d, x, 1i32),
            _ => b.add(exec, d, x, y),
        }
        if let Some((label, from)) = pending
            && b.kernel().code.len() >= from
        {
            b.place(label);
            pending = None;
        }
    }
    if let Some((label, _)) = pending {
        b.place(label);
    }
    b.scaled4(exec, Access::Store, ChannelMask(1), surface, 0u32, values[0], values[1]);
    b.ret();
    let module = b.finish().map_err(io::Error::other)?;
    visa::write(&Module { version: Version::V3_6, ..module }).map_err(io::Error::other)
}

/// Instructions of a kernel's text: lines that are neither labels, directives nor comments.
fn instructions(kernel: &TestKernel) -> usize {
    let line = |l: &&str| {
        let l = l.trim();
        !l.is_empty() && !l.starts_with(['.', '/']) && !l.ends_with(':')
    };
    kernel.visaasm.lines().filter(line).count()
}
