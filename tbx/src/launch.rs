//! Starts a program on Intel's driver, on a GPU of this crate.

use std::{
    env,
    ffi::{OsStr, OsString},
    fs, io,
    path::{Path, PathBuf},
    process::{Command, ExitStatus},
};

use tempfile::TempDir;

use crate::{Config, Device, Findings, Server};

/// The library that puts our code into programs.
pub const LIBRARY: &str = "libvisafinalize_neo.so";
/// The library that has threads of a program take turns at the driver's socket.
pub const TURNS: &str = "libvisafinalize_turns.so";
/// The variable in which it finds how programs are started: the loader and its options, one a line.
const LOADER: &str = "VISA_FINALIZE_TURNS_LOADER";
/// The compiler that [`LIBRARY`] stands in front of.
const COMPILER: &str = "libigc.so.1";
/// Names that the driver's part for Level Zero has had.
const LEVEL_ZERO: [&str; 2] = ["libze_intel_gpu.so.1", "libze_intel_gpu_legacy1.so.1"];

/// Why a program cannot be started.
#[derive(Debug, thiserror::Error)]
pub enum LaunchError {
    /// A file or the port.
    #[error("{what}: {why}")]
    Io {
        /// Which.
        what: String,
        /// The system's word.
        why: io::Error,
    },
    /// There is nothing of this name.
    #[error("{what}: found no {missing}")]
    Missing {
        /// Where it was looked for.
        what: String,
        /// What.
        missing: &'static str,
    },
}

fn io_error(what: impl Into<String>) -> impl FnOnce(io::Error) -> LaunchError {
    let what = what.into();
    move |why| LaunchError::Io { what, why }
}

fn missing(what: &Path, missing: &'static str) -> LaunchError {
    LaunchError::Missing { what: what.display().to_string(), missing }
}

/// Intel's driver: one that `tests/tools/get-neo` installed, or the system's.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Driver {
    tree: Option<PathBuf>,
}

impl Driver {
    /// A driver that was installed to a directory.
    ///
    /// # Errors
    ///
    /// There is none.
    pub fn of_tree(tree: &Path) -> Result<Driver, LaunchError> {
        let whole = fs::canonicalize(tree).map_err(io_error(tree.display().to_string()))?;
        match whole.join("loader").exists() {
            true => Ok(Driver { tree: Some(whole) }),
            false => Err(missing(tree, "driver that get-neo installed")),
        }
    }

    /// The driver of this name in get-neo's own place.
    pub fn installed(name: &str) -> Option<Driver> {
        let cache = env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
        let cache = cache.or_else(|| Some(PathBuf::from(env::var_os("HOME")?).join(".cache")))?;
        Driver::of_tree(&cache.join("visa-finalize/neo").join(name)).ok()
    }

    /// The system's.
    pub fn of_system() -> Driver {
        Driver::default()
    }

    /// Where it was installed to.
    pub fn tree(&self) -> Option<&Path> {
        self.tree.as_deref()
    }

    fn compiler(&self) -> Option<PathBuf> {
        let system = ["/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib", "/usr/local/lib"];
        match &self.tree {
            Some(tree) => Some(tree.join("libraries").join(COMPILER)),
            None => system.iter().map(|d| Path::new(d).join(COMPILER)).find(|p| p.exists()),
        }
    }

    /// A program on this driver, with a directory of libraries that come first, and a library that is loaded before all.
    ///
    /// # Errors
    ///
    /// There is no such program.
    pub fn command(
        &self,
        program: &Path,
        first: Option<&Path>,
        preload: Option<&Path>,
    ) -> Result<Command, LaunchError> {
        let Program { file, before } = Program::find(program)?;
        let first = first.map(Path::as_os_str);
        let others = env::var_os("LD_LIBRARY_PATH").filter(|o| !o.is_empty());
        let Some(tree) = &self.tree else {
            let mut command = Command::new(file);
            command.env_remove(LOADER);
            if first.is_some() {
                command.env("LD_LIBRARY_PATH", joined([first, others.as_deref()]));
            }
            if let Some(preload) = preload {
                let others = env::var_os("LD_PRELOAD").filter(|o| !o.is_empty());
                command.env("LD_PRELOAD", joined([Some(preload.as_os_str()), others.as_deref()]));
            }
            command.args(before);
            return Ok(command);
        };
        let libraries = tree.join("libraries");
        let mut command = Command::new(tree.join("loader"));
        // A loader that is told where to look does not ask the environment.
        command.arg("--library-path").arg(joined([first, Some(libraries.as_os_str()), others.as_deref()]));
        if let Some(preload) = preload {
            command.arg("--preload").arg(preload);
            // What the program starts by name is to be started so, too: the library that is loaded first sees to it.
            let words = [command.get_program()].into_iter().chain(command.get_args());
            let lines = words.collect::<Vec<_>>().join(OsStr::new("\n"));
            command.env(LOADER, lines);
        }
        command.arg(file).args(before);
        command.env("OCL_ICD_VENDORS", tree.join("vendors")).env_remove("OCL_ICD_FILENAMES");
        // Level Zero's loader looks at the system's places, too, and does not know all names.
        if let Some(driver) = LEVEL_ZERO.iter().map(|name| libraries.join(name)).find(|p| p.exists()) {
            command.env("ZE_ENABLE_ALT_DRIVERS", driver);
        }
        Ok(command)
    }
}

fn joined<'a>(parts: impl IntoIterator<Item = Option<&'a OsStr>>) -> OsString {
    parts.into_iter().flatten().collect::<Vec<_>>().join(OsStr::new(":"))
}

/// What is started: a program, or a script's interpreter.
struct Program {
    file: PathBuf,
    before: Vec<OsString>,
}

impl Program {
    fn find(name: &Path) -> Result<Program, LaunchError> {
        let file = on_path(name).ok_or_else(|| missing(name, "such program"))?;
        let head = fs::read(&file).map_err(io_error(file.display().to_string()))?;
        let Some(line) = head.strip_prefix(b"#!") else { return Ok(Program { file, before: Vec::new() }) };
        let line = String::from_utf8_lossy(line.split(|b| *b == b'\n').next().unwrap_or_default());
        let mut words = line.split_whitespace().skip_while(|w| w.ends_with("/env")).map(OsString::from);
        let interpreter = words.next().and_then(|w| on_path(Path::new(&w)));
        let interpreter = interpreter.ok_or_else(|| missing(&file, "interpreter"))?;
        let before = words.chain([file.into_os_string()]).collect();
        Ok(Program { file: interpreter, before })
    }
}

fn on_path(name: &Path) -> Option<PathBuf> {
    if name.components().count() > 1 {
        return fs::canonicalize(name).ok();
    }
    env::split_paths(&env::var_os("PATH")?).map(|d| d.join(name)).find(|p| p.is_file())
}

/// A file that the compiler leaves in the current directory when it puts vISA into programs.
struct Left {
    is_new: bool,
}

impl Left {
    const NAME: &str = "kernel.visaasm";

    fn look() -> Left {
        Left { is_new: !Path::new(Left::NAME).exists() }
    }

    /// Removes it, unless a user's of this name was there before.
    fn remove(self) {
        if self.is_new {
            // It may not be there, or be of nobody's business.
            let _ = fs::remove_file(Left::NAME);
        }
    }
}

/// A program to run on a GPU.
#[derive(Clone, Debug)]
pub struct Launch {
    /// The device that the driver is made to believe in.
    pub device: Device,
    /// The driver.
    pub driver: Driver,
    /// [`LIBRARY`]: without it the compiler's code runs, and nobody knows the names of kernels.
    pub library: Option<PathBuf>,
    /// [`TURNS`]: without it, a program of which two threads wait at a time may wait for ever.
    pub turns: Option<PathBuf>,
    /// Run the compiler's code all the same.
    pub intel_code: bool,
    /// The GPU; programs are kept in a place of the launch's own.
    pub config: Config,
}

impl Launch {
    /// Runs a program to its end and says how it ended and what was found. `set` may change how it is started.
    ///
    /// # Errors
    ///
    /// It cannot be started.
    pub fn run<T>(
        &self,
        program: &Path,
        arguments: &[OsString],
        set: impl FnOnce(&mut Command) -> io::Result<T>,
    ) -> Result<(T, Findings), LaunchError> {
        let work = TempDir::new().map_err(io_error("temporary directory"))?;
        let config = Config { programs: Some(work.path().to_owned()), ..self.config.clone() };
        let server = Server::start(config).map_err(io_error(format!("port {}", self.config.port)))?;
        let front = self.front(work.path())?;
        let mut command = self.driver.command(program, front.as_deref(), self.turns.as_deref())?;
        command.args(arguments);
        for (name, value) in self.device.environment(server.port()) {
            // What a user says goes before, but for who the device is and where.
            if env::var_os(name).is_none() || matches!(name, "TbxPort" | "ProductFamilyOverride") {
                command.env(name, value);
            }
        }
        // A GPU's memory comes from the kernel, and the driver leaves it as it is where a program's variables begin with 0.
        // Here it comes from malloc, which that library has return 0; else this fills what it gives with 0 (mallopt(3): the
        // complement), touching all of it.
        if self.turns.is_none() && env::var_os("MALLOC_PERTURB_").is_none() {
            command.env("MALLOC_PERTURB_", "255");
        }
        if let Some(compiler) = self.driver.compiler() {
            command.env("VISA_FINALIZE_NEO_COMPILER", compiler);
        }
        command.env("VISA_FINALIZE_NEO_KEEP", work.path());
        if self.intel_code {
            command.env("VISA_FINALIZE_NEO_MODE", "off");
        }
        let left = Left::look();
        let done = set(&mut command).map_err(io_error(program.display().to_string()))?;
        left.remove();
        Ok((done, server.stop()))
    }

    /// Runs a program on this process's own terminal.
    ///
    /// # Errors
    ///
    /// It cannot be started.
    pub fn status(
        &self,
        program: &Path,
        arguments: &[OsString],
    ) -> Result<(ExitStatus, Findings), LaunchError> {
        self.run(program, arguments, Command::status)
    }

    /// A directory with our library under the compiler's name.
    fn front(&self, work: &Path) -> Result<Option<PathBuf>, LaunchError> {
        let Some(library) = &self.library else { return Ok(None) };
        if self.driver.compiler().is_none() {
            return Err(missing(Path::new("system"), "libigc.so.1: tests/tools/get-neo installs the driver"));
        }
        let front = work.join("front");
        let made = fs::create_dir(&front).and_then(|()| fs::copy(library, front.join(COMPILER)));
        made.map_err(io_error(library.display().to_string()))?;
        Ok(Some(front))
    }
}
