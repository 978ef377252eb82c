//! Programs with our code before Intel's validator: `ocloc validate`, the reader of the driver of that age.
//!
//! A compiled program is refused for the compiler's code, too, or for ours alone; only the second is a fault.

use std::{
    collections::BTreeMap,
    fmt, fs, io,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use finalizer::{Finalizer, Options};
use platforms::Platform;
use tbx::Driver;

/// The ages of the driver, as `tests/tools/get-neo` names them, oldest first.
pub const AGES: [&str; 3] = ["2243", "2435", "new"];

/// Which device the compiler of which age makes a zebin for.
pub const COMPILED: [(&str, &str); 9] = [
    ("2243", "bdw"),
    ("2243", "skl"),
    ("2243", "icllp"),
    ("2243", "tgllp"),
    ("2243", "pvc"),
    ("2435", "skl"),
    ("2435", "icllp"),
    ("new", "tgllp"),
    ("new", "pvc"),
];

/// Seconds until a tool is stopped.
const PATIENCE: &str = "300";

/// `ocloc` of an age.
#[derive(Clone, Debug)]
pub struct Ocloc {
    age: &'static str,
    driver: Driver,
    program: PathBuf,
}

impl Ocloc {
    /// The one that `tests/tools/get-neo` installed, if it has.
    pub fn find(age: &'static str) -> Option<Ocloc> {
        let driver = Driver::installed(age)?;
        let programs = fs::read_dir(driver.tree()?.join("usr/bin")).ok()?.flatten();
        let is_ocloc = |p: &PathBuf| p.file_name().is_some_and(|n| n.to_string_lossy().starts_with("ocloc"));
        let program = programs.map(|e| e.path()).filter(is_ocloc).min()?;
        Some(Ocloc { age, driver, program })
    }

    /// All of [`AGES`], if they are installed.
    pub fn all() -> Option<Vec<Ocloc>> {
        AGES.into_iter().map(Ocloc::find).collect()
    }

    /// Its age, one of [`AGES`].
    pub fn age(&self) -> &'static str {
        self.age
    }

    fn command(&self, place: &Path) -> io::Result<Command> {
        let own = self.driver.command(&self.program, None, None).map_err(io::Error::other)?;
        let mut command = Command::new("timeout");
        command.arg(PATIENCE).arg(own.get_program()).args(own.get_args()).current_dir(place);
        command.stdin(Stdio::null());
        Ok(command)
    }

    /// Compiles a source to a program that holds its vISA; `None` if the compiler refuses it, or writes no zebin.
    pub fn compile(&self, source: &Source, device: &str) -> io::Result<Option<Vec<u8>>> {
        let place = tempfile::tempdir()?;
        let mut command = self.command(place.path())?;
        command.args(["compile", "-file"]).arg(&source.path).args(["-device", device]);
        command.args(["-internal_options", "-ze-emit-zebin-visa-sections"]);
        command.args(["-options", &source.options, "-out_dir", "out", "-output", "k"]);
        // What the oldest asks for to write a zebin; the others do.
        command.env("IGC_EnableZEBinary", "1").envs(source.environment.iter().cloned());
        if !command.output()?.status.success() {
            return Ok(None);
        }
        for entry in fs::read_dir(place.path().join("out"))? {
            let path = entry?.path();
            if path.extension().is_some_and(|e| e == "bin") {
                let program = fs::read(path)?;
                return Ok(program.starts_with(b"\x7fELF").then_some(program).filter(|p| holds_visa(p)));
            }
        }
        Ok(None)
    }

    /// Compiles a source to SPIR-V.
    ///
    /// # Errors
    ///
    /// The compiler refuses it, or cannot be started.
    pub fn spirv(&self, source: &Path, device: &str) -> io::Result<Vec<u8>> {
        let place = tempfile::tempdir()?;
        let mut command = self.command(place.path())?;
        command.args(["compile", "-spv_only", "-file"]).arg(source).args(["-device", device]);
        let output = command.args(["-out_dir", "out"]).output()?;
        let made = files_below(&place.path().join("out"), &["spv"]).unwrap_or_default();
        match made.first() {
            Some(path) if output.status.success() => fs::read(path),
            _ => Err(io::Error::other(String::from_utf8_lossy(&output.stdout).into_owned())),
        }
    }

    /// Reads a program as the driver of this age does: what it says, if it refuses it.
    pub fn validate(&self, program: &[u8]) -> io::Result<Result<(), String>> {
        let place = tempfile::tempdir()?;
        fs::write(place.path().join("k.bin"), program)?;
        let output = self.command(place.path())?.args(["validate", "-file", "k.bin"]).output()?;
        let said = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
        // The status alone does not do: the validator is a program that may also end early.
        if output.status.success() && said.contains("Binary is VALID") {
            return Ok(Ok(()));
        }
        Ok(Err(format!("{}: {}", output.status, said.trim())))
    }
}

fn holds_visa(program: &[u8]) -> bool {
    rewriter::visa_of(program).is_ok_and(|texts| !texts.is_empty())
}

/// A source in OpenCL C, and how it is compiled.
#[derive(Clone, Debug)]
pub struct Source {
    /// Its name and variant: `saxpy.cl/16`.
    pub id: String,
    path: PathBuf,
    options: String,
    environment: Vec<(String, String)>,
    /// Devices that it is written for; all, if none is named.
    devices: Vec<String>,
}

impl Source {
    /// The variants of a test kernel's source: the header words that `tests/kernels/compile` reads, too.
    pub fn of_test(path: &Path) -> io::Result<Vec<Source>> {
        let text = fs::read_to_string(path)?;
        let options = header(&text, "options").join(" ");
        let environment: Vec<_> = header(&text, "env").into_iter().filter_map(assignment).collect();
        let mut sizes = header(&text, "simd");
        if sizes.is_empty() {
            sizes.push("any");
        }
        let variant = |size: &str| {
            let defines = match size {
                "any" => "-DSIMD=".to_owned(),
                _ => format!("-DSG={size} -DSIMD=__attribute__((intel_reqd_sub_group_size({size})))"),
            };
            Source {
                id: format!("{}/{size}", name(path)),
                path: path.to_owned(),
                options: format!("{options} {defines}"),
                environment: environment.clone(),
                devices: Vec::new(),
            }
        };
        Ok(sizes.into_iter().map(variant).collect())
    }

    /// A source of somebody else's: it may include what stands beside it or in a folder above, up to `top`.
    pub fn of_others(top: &Path, path: &Path) -> Source {
        let folders = path.ancestors().skip(1).take_while(|f| f.starts_with(top));
        let options = folders.map(|f| format!("-I{}", f.display())).collect::<Vec<_>>().join(" ");
        let id = path.strip_prefix(top).unwrap_or(path).display().to_string();
        Source { id, path: path.to_owned(), options, environment: Vec::new(), devices: Vec::new() }
    }

    /// The sources of a list, as `tests/tools/get-sources` writes it.
    ///
    /// # Errors
    ///
    /// It cannot be read, or a line is none.
    pub fn of_list(list: &Path) -> io::Result<Vec<Source>> {
        let text = fs::read_to_string(list)?;
        let lines = text.lines().enumerate().filter(|(_, line)| !line.starts_with('#'));
        let place = list.parent().unwrap_or(Path::new(""));
        lines
            .map(|(i, line)| {
                Source::of_line(place, line).ok_or_else(|| {
                    let want = "name, path, options, environment and devices between tabs";
                    io::Error::other(format!("{}:{}: `{line}`, allowed: {want}", list.display(), i + 1))
                })
            })
            .collect()
    }

    fn of_line(place: &Path, line: &str) -> Option<Source> {
        let parts: Vec<_> = line.split('\t').collect();
        let &[id, path, options, environment, devices] = parts.as_slice() else { return None };
        let environment = environment.split_whitespace().map(assignment).collect::<Option<_>>()?;
        let devices = devices.split_whitespace().map(str::to_owned).collect();
        Some(Source {
            id: id.to_owned(),
            path: place.join(path),
            options: options.replace("{place}", &place.display().to_string()),
            environment,
            devices,
        })
    }

    /// Whether it is written for a device.
    pub fn is_for(&self, device: &str) -> bool {
        self.devices.is_empty() || self.devices.iter().any(|d| d == device)
    }
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// `NAME=VALUE`.
fn assignment(word: &str) -> Option<(String, String)> {
    word.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned()))
}

/// The words after `key:` in the comment lines that open the source.
fn header<'a>(text: &'a str, key: &str) -> Vec<&'a str> {
    let lines = text.lines().take(12).filter_map(|l| l.strip_prefix("//"));
    let mut found = lines.filter_map(|l| l.trim_start().strip_prefix(key)?.strip_prefix(':'));
    found.next().map(|words| words.split_whitespace().collect()).unwrap_or_default()
}

/// How many programs of a platform a validator took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// With our code.
    pub accepted: usize,
    /// With the compiler's code, but not with ours.
    pub ours_alone: usize,
    /// Neither.
    pub both: usize,
}

/// What all validators said of the programs of a run.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// By validator's age and platform.
    pub counts: BTreeMap<(&'static str, Platform), Count>,
    /// Refusals of our code alone, in words.
    pub faults: Vec<String>,
    /// Programs that got no code of ours, each with the first reason.
    pub not_finalized: Vec<String>,
}

impl Table {
    /// Puts our code into a program, and asks every validator.
    pub fn add(&mut self, validators: &[Ocloc], id: &str, program: &[u8]) -> io::Result<()> {
        let Ok(Some(platform)) = rewriter::platform_of(program) else {
            self.not_finalized.push(format!("{id}: for no platform of ours"));
            return Ok(());
        };
        let mut finalizer = Finalizer::new(Options::new(platform));
        let ours = match rewriter::finalize(program, &mut finalizer, rewriter::Options::default()) {
            Ok(made) => made.bytes,
            Err(why) => {
                let first = why.0.first().map(ToString::to_string).unwrap_or_default();
                self.not_finalized.push(format!("{id} on {platform}: not finalized: {first}"));
                return Ok(());
            }
        };
        for validator in validators {
            let count = self.counts.entry((validator.age(), platform)).or_default();
            let Err(why) = validator.validate(&ours)? else {
                count.accepted += 1;
                continue;
            };
            if validator.validate(program)?.is_err() {
                count.both += 1;
                continue;
            }
            count.ours_alone += 1;
            self.faults.push(format!("{id} on {platform}: refused by {}: {why}", validator.age()));
        }
        Ok(())
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:<8} {:<8} {:>8} {:>10} {:>5}", "age", "platform", "accepted", "ours alone", "both")?;
        for ((age, platform), c) in &self.counts {
            let platform = platform.to_string();
            writeln!(f, "{age:<8} {platform:<8} {:>8} {:>10} {:>5}", c.accepted, c.ours_alone, c.both)?;
        }
        self.not_finalized.iter().try_for_each(|program| writeln!(f, "{program}"))?;
        self.faults.iter().try_for_each(|fault| writeln!(f, "{fault}"))
    }
}

/// Every file with one of these extensions below a folder, sorted.
pub fn files_below(folder: &Path, extensions: &[&str]) -> io::Result<Vec<PathBuf>> {
    let (mut open, mut found) = (vec![folder.to_owned()], Vec::new());
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(directory)? {
            let entry = entry?;
            let path = entry.path();
            if entry.file_type()?.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|e| extensions.iter().any(|x| e == *x)) {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}
