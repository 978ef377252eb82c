//! `visa-finalize gpu`: an OpenCL program on Intel's driver, its kernels on the emulator.

use std::{
    env,
    ffi::OsString,
    fs, io,
    path::{Path, PathBuf},
    process::{self, ExitCode},
};

use emulator::Options;
use tbx::{Config, Findings, Server};

use crate::args::GpuArgs;

/// The library that puts our code into programs.
const LIBRARY: &str = "libvisafinalize_neo.so";
/// The compiler that it stands in front of.
const COMPILER: &str = "libigc.so.1";

/// Runs a program; what the emulator found goes to standard error. The exit status is the program's, or 1 if that is 0
/// and something was found that no correct program does.
pub fn run(args: &GpuArgs) -> ExitCode {
    match execute(args) {
        Ok((status, findings)) => {
            if !args.quiet || findings.is_error() {
                eprint!("{}", summary(&findings));
            }
            match status {
                0 => ExitCode::from(u8::from(findings.is_error())),
                other => ExitCode::from(other),
            }
        }
        Err(why) => {
            eprintln!("error: {why}");
            ExitCode::FAILURE
        }
    }
}

fn summary(findings: &Findings) -> String {
    let (dispatches, instructions) = (findings.dispatches(), findings.instructions());
    format!("{findings}gpu: {dispatches} dispatches, {instructions} instructions\n")
}

fn execute(args: &GpuArgs) -> Result<(u8, Findings), String> {
    let fault = |what: &str| {
        let what = what.to_owned();
        move |e: io::Error| format!("{what}: {e}")
    };
    let driver = Driver::find(args)?;
    let program = Program::find(&args.program)?;
    let work = tempfile::tempdir().map_err(fault("temporary directory"))?;
    let config = Config {
        port: args.port,
        threads: args.threads.map_or(Config::new(args.device.platform).threads, |n| n as usize),
        options: Options {
            strict: !args.fast,
            scoreboard: !args.fast,
            max_instructions: args.max_instructions,
            ..Options::default()
        },
        programs: Some(work.path().to_owned()),
        ..Config::new(args.device.platform)
    };
    let server = Server::start(config).map_err(fault(&format!("port {}", args.port)))?;
    let front = front(args, &driver, work.path())?;
    let mut command = driver.command(&program, front.as_deref());
    command.args(&args.arguments);
    for (name, value) in args.device.environment(server.port()) {
        // What a user sets goes before.
        if env::var_os(name).is_none() || matches!(name, "TbxPort" | "ProductFamilyOverride") {
            command.env(name, value);
        }
    }
    command.env("VISA_FINALIZE_NEO_KEEP", work.path());
    if args.intel_code {
        command.env("VISA_FINALIZE_NEO_MODE", "off");
    }
    let status = command.status().map_err(fault(&args.program.display().to_string()))?;
    Ok((code(status), server.stop()))
}

/// A status as shells have it.
fn code(status: process::ExitStatus) -> u8 {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return 128 + signal as u8;
    }
    status.code().map_or(1, |c| c as u8)
}

/// Intel's driver: one that `tests/tools/get-neo` installed, or the system's.
struct Driver {
    tree: Option<PathBuf>,
}

impl Driver {
    fn find(args: &GpuArgs) -> Result<Driver, String> {
        let is_tree = |tree: &Path| tree.join("loader").exists();
        if let Some(tree) = &args.driver {
            let tree = fs::canonicalize(tree).map_err(|e| format!("{}: {e}", tree.display()))?;
            return match is_tree(&tree) {
                true => Ok(Driver { tree: Some(tree) }),
                false => Err(format!("{}: found no driver that get-neo installed", tree.display())),
            };
        }
        let cache = env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
        let cache = cache.or_else(|| Some(PathBuf::from(env::var_os("HOME")?).join(".cache")));
        let tree = cache.map(|c| c.join("visa-finalize/neo").join(args.device.driver));
        Ok(Driver { tree: tree.filter(|t| is_tree(t)) })
    }

    fn compiler(&self) -> Option<PathBuf> {
        let system = ["/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib", "/usr/local/lib"];
        match &self.tree {
            Some(tree) => Some(tree.join("libraries").join(COMPILER)),
            None => system.iter().map(|d| Path::new(d).join(COMPILER)).find(|p| p.exists()),
        }
    }

    /// The program on this driver, with libraries that come first.
    fn command(&self, program: &Program, front: Option<&Path>) -> process::Command {
        let mut command = match &self.tree {
            Some(tree) => {
                let mut libraries = OsString::new();
                for directory in front.into_iter().chain([tree.join("libraries").as_path()]) {
                    libraries.push(directory);
                    libraries.push(":");
                }
                let mut command = process::Command::new(tree.join("loader"));
                command.arg("--library-path").arg(libraries).arg(&program.file);
                command.env("OCL_ICD_VENDORS", tree.join("vendors")).env_remove("OCL_ICD_FILENAMES");
                command
            }
            None => {
                let mut command = process::Command::new(&program.file);
                if let Some(front) = front {
                    let mut libraries = front.as_os_str().to_owned();
                    if let Some(others) = env::var_os("LD_LIBRARY_PATH") {
                        libraries.push(":");
                        libraries.push(others);
                    }
                    command.env("LD_LIBRARY_PATH", libraries);
                }
                command
            }
        };
        command.args(&program.before);
        if let Some(compiler) = self.compiler() {
            command.env("VISA_FINALIZE_NEO_COMPILER", compiler);
        }
        command
    }
}

/// A directory with our library under the compiler's name. Without the library, Intel's code can run, but nobody knows
/// the kernels' names.
fn front(args: &GpuArgs, driver: &Driver, work: &Path) -> Result<Option<PathBuf>, String> {
    let beside = || {
        let command = env::current_exe().ok()?;
        let directory = command.parent()?;
        let places = [directory.join(LIBRARY), directory.join("../lib").join(LIBRARY)];
        places.into_iter().find(|p| p.exists())
    };
    let library = match &args.library {
        Some(library) => Some(library.clone()),
        None => beside(),
    };
    match (library, driver.compiler()) {
        (Some(library), Some(_)) => {
            let front = work.join("front");
            let made = fs::create_dir(&front).and_then(|()| fs::copy(&library, front.join(COMPILER)));
            made.map_err(|e| format!("{}: {e}", library.display()))?;
            Ok(Some(front))
        }
        _ if args.intel_code => Ok(None),
        (None, _) => Err(format!(
            "found no {LIBRARY} beside this command (`cargo build --release -p visa-finalize-neo` makes it); \
             --library names it, --intel-code does without"
        )),
        (_, None) => Err(format!("found no {COMPILER}: tests/tools/get-neo installs Intel's driver")),
    }
}

/// What is started: a program, or a script's interpreter.
struct Program {
    file: PathBuf,
    before: Vec<OsString>,
}

impl Program {
    fn find(name: &Path) -> Result<Program, String> {
        let file = on_path(name).ok_or_else(|| format!("{}: found no such program", name.display()))?;
        let head = fs::read(&file).map_err(|e| format!("{}: {e}", file.display()))?;
        let Some(line) = head.strip_prefix(b"#!") else { return Ok(Program { file, before: Vec::new() }) };
        let line = line.split(|b| *b == b'\n').next().unwrap_or_default();
        let line = String::from_utf8_lossy(line).into_owned();
        let mut words = line.split_whitespace().skip_while(|w| w.ends_with("/env")).map(OsString::from);
        let found = words.next().and_then(|w| on_path(Path::new(&w)));
        let interpreter = found.ok_or_else(|| format!("{}: found no interpreter", file.display()))?;
        let before = words.chain([file.into_os_string()]).collect();
        Ok(Program { file: interpreter, before })
    }
}

fn on_path(name: &Path) -> Option<PathBuf> {
    if name.components().count() > 1 {
        return fs::canonicalize(name).ok();
    }
    let path = env::var_os("PATH")?;
    env::split_paths(&path).map(|d| d.join(name)).find(|p| p.is_file())
}
