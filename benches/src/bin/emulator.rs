//! How fast the emulator runs: Intel's code of some of the longest-running test kernels, on one thread.
//!
//! ```text
//! cargo run --release -p benches --bin emulator -- [PLATFORM...]
//! ```
//!
//! Processor time of the thread counts, not the clock on the wall. "running" is without checks, "judging"
//! with all of them.

use cpu_time::ThreadTime;
use emulator::{Dispatch, Options, Program, run_program};
use platforms::Platform;
use tests::{
    data::{devices, kernels},
    launches::Setup,
};

/// Seconds for each figure.
const SECONDS: f64 = 1.5;
/// The kernels that take the most instructions to run, so many of them.
const LONGEST: usize = 24;

fn main() {
    let named: Vec<Platform> = std::env::args().skip(1).map(|a| a.parse().expect("a platform")).collect();
    let all = if named.is_empty() { devices() } else { named };
    for platform in all {
        let mut subjects: Vec<(u64, Program, Setup)> = Vec::new();
        for kernel in kernels(platform) {
            let Ok(setup) = Setup::new(kernel, 1) else { continue };
            let Ok(code) = setup.intel(kernel) else { continue };
            let program = Program::load(platform, &code).expect("the code loads");
            let options = Options { max_instructions: 1_000_000, ..Options::fast() };
            if let Some(n) = run(&program, &setup, &options) {
                subjects.push((n, program, setup));
            }
        }
        subjects.sort_by_key(|(n, ..)| std::cmp::Reverse(*n));
        subjects.truncate(LONGEST);
        let (fast, strict) = (measure(&subjects, &Options::fast()), measure(&subjects, &Options::default()));
        println!("{platform}: {fast:.1} M instructions/s running, {strict:.1} M judging");
    }
}

fn run(program: &Program, setup: &Setup, options: &Options) -> Option<u64> {
    let mut memory = setup.memory.clone();
    let dispatch = Dispatch::new(program.platform(), &setup.launch, &mut memory).ok()?;
    run_program(program, &dispatch, &mut memory, options).ok().map(|r| r.instructions)
}

/// Millions of instructions a second of processor time, copies of the memory included.
fn measure(subjects: &[(u64, Program, Setup)], options: &Options) -> f64 {
    let start = ThreadTime::now();
    let mut instructions = 0;
    loop {
        for (_, program, setup) in subjects {
            instructions += run(program, setup, options).unwrap_or(0);
        }
        let spent = start.elapsed().as_secs_f64();
        if spent > SECONDS {
            return instructions as f64 / spent / 1e6;
        }
    }
}
