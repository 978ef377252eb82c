//! Runs a command as a whole process: wall time and peak memory, as the operating system counts them.

use std::{
    io,
    path::Path,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use wait4::Wait4;

/// One finished run.
#[derive(Clone, Copy, Debug)]
pub struct Run {
    pub wall: Duration,
    pub peak_bytes: u64,
}

/// Median wall time and largest peak of `runs` runs, after one run that is not counted.
pub fn measure(program: &Path, args: &[&str], dir: &Path, runs: usize) -> io::Result<Run> {
    once(program, args, dir)?;
    let mut all = (0..runs).map(|_| once(program, args, dir)).collect::<io::Result<Vec<_>>>()?;
    all.sort_by_key(|r| r.wall);
    let peak_bytes = all.iter().map(|r| r.peak_bytes).max().unwrap_or(0);
    Ok(Run { wall: all[all.len() / 2].wall, peak_bytes })
}

/// The exit status is not looked at: the peer returns 1 for kernels that it spills, and what counts is
/// whether a result was written.
fn once(program: &Path, args: &[&str], dir: &Path) -> io::Result<Run> {
    let start = Instant::now();
    let mut child = Command::new(program)
        .args(args)
        .current_dir(dir)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    let usage = child.wait4()?;
    Ok(Run { wall: start.elapsed(), peak_bytes: usage.rusage.maxrss })
}
