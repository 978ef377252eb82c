//! Runs a command as a whole process: wall time and peak memory, as the operating system counts them.
//!
//! The system counts a process's memory from its fork on, and a fork starts as large as its parent. So
//! the measuring is done by a small process of its own: this program, started anew.

use std::{
    io,
    path::Path,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use wait4::Wait4;

/// First argument of the process that measures.
pub const MEASURE: &str = "--measure";

/// One finished run.
#[derive(Clone, Copy, Debug)]
pub struct Run {
    /// Wall-clock time.
    pub wall: Duration,
    /// Time on the processor, of the program and of the system for it: the same on a busy machine.
    pub cpu: Duration,
    /// Peak memory.
    pub peak_bytes: u64,
}

/// Median times and largest peak of `runs` runs, after one run that is not counted.
pub fn measure(program: &Path, args: &[&str], dir: &Path, runs: usize) -> io::Result<Run> {
    let output = Command::new(std::env::current_exe()?)
        .arg(MEASURE)
        .arg(runs.to_string())
        .arg(program)
        .args(args)
        .current_dir(dir)
        .output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let mut numbers = text.split_whitespace().map(str::parse::<u64>);
    match (numbers.next(), numbers.next(), numbers.next()) {
        (Some(Ok(wall)), Some(Ok(cpu)), Some(Ok(peak_bytes))) => {
            Ok(Run { wall: Duration::from_nanos(wall), cpu: Duration::from_nanos(cpu), peak_bytes })
        }
        _ => Err(io::Error::other(format!(
            "{}: {}",
            program.display(),
            String::from_utf8_lossy(&output.stderr)
        ))),
    }
}

/// What the measuring process does: prints the median times in nanoseconds and the peak in bytes.
pub fn measure_here(args: &[String]) -> io::Result<()> {
    let [runs, program, args @ ..] = args else {
        return Err(io::Error::other("runs and a program are expected"));
    };
    let runs: usize = runs.parse().map_err(io::Error::other)?;
    once(program, args)?;
    let mut all = (0..runs.max(1)).map(|_| once(program, args)).collect::<io::Result<Vec<_>>>()?;
    all.sort_by_key(|r| r.wall);
    let peak = all.iter().map(|r| r.peak_bytes).max().unwrap_or(0);
    let wall = all[all.len() / 2].wall;
    all.sort_by_key(|r| r.cpu);
    println!("{} {} {peak}", wall.as_nanos(), all[all.len() / 2].cpu.as_nanos());
    Ok(())
}

/// The exit status is not looked at: the peer returns 1 for kernels that it spills, and what counts is
/// whether a result was written.
fn once(program: &str, args: &[String]) -> io::Result<Run> {
    let start = Instant::now();
    let mut child = Command::new(program)
        .args(args)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    let usage = child.wait4()?;
    let cpu = usage.rusage.utime + usage.rusage.stime;
    Ok(Run { wall: start.elapsed(), cpu, peak_bytes: usage.rusage.maxrss })
}
