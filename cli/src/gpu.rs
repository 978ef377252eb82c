//! `visa-finalize gpu`: an OpenCL or Level Zero program on Intel's driver, its kernels on the emulator.

use narrow::as_index;
use std::{
    env,
    path::PathBuf,
    process::{ExitCode, ExitStatus},
};

use emulator::Options;
use tbx::{Config, Driver, Findings, LIBRARY, Launch, TURNS};

use crate::args::GpuArgs;

/// Runs a program; what the emulator found goes to standard error. The exit status is the program's, or 1 if that is 0
/// and something was found that no correct program does.
pub fn run(args: &GpuArgs) -> ExitCode {
    let (status, findings) = match execute(args) {
        Ok(done) => done,
        Err(why) => {
            eprintln!("error: {why}");
            return ExitCode::FAILURE;
        }
    };
    if !args.quiet || findings.is_error() {
        eprint!("{findings}");
    }
    match code(status) {
        0 => ExitCode::from(u8::from(findings.is_error())),
        other => ExitCode::from(other),
    }
}

fn execute(args: &GpuArgs) -> Result<(ExitStatus, Findings), String> {
    let driver = match &args.driver {
        Some(tree) => Driver::of_tree(tree).map_err(|e| e.to_string())?,
        None => Driver::installed(args.device.driver).unwrap_or_else(Driver::of_system),
    };
    let library = args.library.clone().or_else(|| beside(LIBRARY));
    if library.is_none() && !args.intel_code {
        return Err(format!(
            "found no {LIBRARY} beside this command (`cargo build --release -p visa-finalize-neo` makes it); \
             --library names it, --intel-code does without"
        ));
    }
    let mut config = Config {
        port: args.port,
        options: Options {
            strict: !args.fast,
            scoreboard: !args.fast,
            max_instructions: args.max_instructions,
            ..Options::default()
        },
        ..Config::new(args.device.platform)
    };
    if let Some(threads) = args.threads {
        config.threads = as_index(threads);
    }
    let launch = Launch {
        device: args.device,
        driver,
        library,
        turns: beside(TURNS),
        intel_code: args.intel_code,
        config,
    };
    launch.status(&args.program, &args.arguments).map_err(|e| e.to_string())
}

/// A library that was built or installed with this command.
fn beside(name: &str) -> Option<PathBuf> {
    let command = env::current_exe().ok()?;
    let directory = command.parent()?;
    let places = [directory.join(name), directory.join("../lib").join(name)];
    places.into_iter().find(|p| p.exists())
}

/// A status as shells have it.
fn code(status: ExitStatus) -> u8 {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return u8::try_from(128 + signal).unwrap_or(u8::MAX);
    }
    status.code().map_or(1, |c| u8::try_from(c).unwrap_or(u8::MAX))
}
