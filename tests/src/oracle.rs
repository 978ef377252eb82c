//! Intel's own tools as referees, where `tests/tools/get-oracles` has installed them.
//!
//! A check that needs one is handed it by [`crate::needs`], which counts it as ignored where the tool is missing.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, Output},
    sync::OnceLock,
};

use platforms::Platform;

/// Text that a tool wrote: the result, and what it complained about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Standard output.
    pub text: String,
    /// Standard error: warnings.
    pub warnings: String,
}

/// Why a tool refused its input: its exit status and what it wrote to standard error and output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused(pub String);

/// `iga64`, the Gen assembler and disassembler.
#[derive(Clone, Copy, Debug)]
pub struct Iga {
    program: &'static Path,
}

impl Iga {
    /// The installed `iga64`, if there is one.
    pub fn find() -> Option<Iga> {
        static FOUND: OnceLock<Option<PathBuf>> = OnceLock::new();
        once("iga64", &FOUND).map(|program| Iga { program })
    }

    /// Where it is installed.
    pub fn path(&self) -> &'static Path {
        self.program
    }

    /// The release whose JSON output is version 2.0, if it is installed.
    pub fn find_json2() -> Option<Iga> {
        static FOUND: OnceLock<Option<PathBuf>> = OnceLock::new();
        once("iga64-json2", &FOUND).map(|program| Iga { program })
    }

    /// The listing of raw machine code, with every warning iga64 has. Labels are `L` and the byte offset.
    pub fn disassemble(&self, platform: Platform, code: &[u8]) -> Result<Answer, Refused> {
        self.run(platform, code, &["-d", "-Wall"])
    }

    /// The listing with further arguments, such as `-n` for numeric labels or `-Xprint-pc`.
    pub fn disassemble_with(
        &self,
        platform: Platform,
        code: &[u8],
        arguments: &[&str],
    ) -> Result<Answer, Refused> {
        self.run(platform, code, &[&["-d"], arguments].concat())
    }

    /// The listing of raw machine code, without warnings.
    pub fn disassemble_plainly(&self, platform: Platform, code: &[u8]) -> Result<String, Refused> {
        self.run(platform, code, &["-d"]).map(|answer| answer.text)
    }

    /// What it says of each word alone, without labels and spaces that only align: `None` where it complains. It does not
    /// survive some words; those before and behind them are asked again.
    pub fn disassemble_each(&self, platform: Platform, words: &[Vec<u8>]) -> Vec<Option<String>> {
        let directory = scratch();
        let (input, output) = (directory.path().join("in.krn"), directory.path().join("out.asm"));
        write(&input, &words.concat());
        let mut command = Command::new(self.program);
        command.args(["-d", "-n", "-Xprint-pc", "--output-on-fail"]).arg(platform_argument(platform));
        let said = start(command.arg(&input).arg("-o").arg(&output));
        let text = fs::read(&output).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        let lines: Vec<&str> = text.lines().filter(|line| line.starts_with("/* [")).collect();
        if lines.len() != words.len() || said.status.code().is_none() {
            let (first, rest) = words.split_at(words.len() / 2);
            if first.is_empty() {
                return vec![None; words.len()];
            }
            return [self.disassemble_each(platform, first), self.disassemble_each(platform, rest)].concat();
        }
        let warnings = String::from_utf8_lossy(&said.stderr);
        let wrong: Vec<&str> = warnings
            .lines()
            .filter_map(|line| line.strip_prefix("byte offset 0x")?.split_once(": error").map(|(at, _)| at))
            .collect();
        let mut offset = 0;
        let each = words.iter().zip(lines).map(|(word, line)| {
            let at = format!("{offset:x}");
            offset += word.len();
            let text = line.split_once("*/")?.1.split_whitespace().collect::<Vec<_>>().join(" ");
            (!wrong.contains(&at.as_str())).then_some(text)
        });
        each.collect()
    }

    /// The listing as JSON, with definitions and uses.
    pub fn json_defs(&self, platform: Platform, code: &[u8]) -> Result<String, Refused> {
        self.run(platform, code, &["-d", "-Xprint-json", "-Xprint-defs"]).map(|answer| answer.text)
    }

    /// The listing as JSON; of version 2.0 when `self` is from [`Iga::find_json2`].
    pub fn json(&self, platform: Platform, code: &[u8]) -> Result<String, Refused> {
        self.run(platform, code, &["-d", "-Xprint-json"]).map(|answer| answer.text)
    }

    /// Machine code of a listing; instructions are compacted only where the text says `{Compacted}`.
    pub fn assemble(&self, platform: Platform, listing: &str) -> Result<Vec<u8>, Refused> {
        self.assemble_with(platform, listing, &[])
    }

    /// Machine code of a listing, with further arguments, such as `-Xautocompact`.
    pub fn assemble_with(
        &self,
        platform: Platform,
        listing: &str,
        arguments: &[&str],
    ) -> Result<Vec<u8>, Refused> {
        let directory = scratch();
        let (input, output) = (directory.path().join("in.asm"), directory.path().join("out.krn"));
        write(&input, listing.as_bytes());
        let mut command = Command::new(self.program);
        command.arg("-a").arg(platform_argument(platform)).args(arguments);
        accepted(command.arg(&input).arg("-o").arg(&output))?;
        Ok(read(&output))
    }

    fn run(&self, platform: Platform, code: &[u8], arguments: &[&str]) -> Result<Answer, Refused> {
        let directory = scratch();
        let input = directory.path().join("in.krn");
        write(&input, code);
        let output = accepted(
            Command::new(self.program).args(arguments).arg(platform_argument(platform)).arg(&input),
        )?;
        Ok(Answer {
            text: String::from_utf8_lossy(&output.stdout).into_owned(),
            warnings: String::from_utf8_lossy(&output.stderr).into_owned(),
        })
    }
}

/// `GenX_IR`, Intel's finalizer. It reads vISA assembly.
#[derive(Clone, Copy, Debug)]
pub struct GenxIr {
    program: &'static Path,
}

/// What [`GenxIr::finalize`] made of a kernel.
#[derive(Clone, Debug)]
pub struct Finalized {
    /// Machine code.
    pub dat: Vec<u8>,
    /// Intel's listing of it.
    pub asm: String,
    /// A vISA object of the same kernel, written anew.
    pub isa: Vec<u8>,
    /// Debug information, if an option asks for it.
    pub dbg: Vec<u8>,
}

impl GenxIr {
    /// The installed `GenX_IR`, if there is one.
    pub fn find() -> Option<GenxIr> {
        static FOUND: OnceLock<Option<PathBuf>> = OnceLock::new();
        once("GenX_IR", &FOUND).map(|program| GenxIr { program })
    }

    /// The last release that knows all five platforms, if it is installed.
    pub fn find_new() -> Option<GenxIr> {
        static FOUND: OnceLock<Option<PathBuf>> = OnceLock::new();
        once("GenX_IR-new", &FOUND).map(|program| GenxIr { program })
    }

    /// The code of the only kernel of an object of version 3.x: what no text can say, an object can.
    pub fn finalize_object(
        &self,
        platform: Platform,
        isa: &[u8],
        options: &[&str],
    ) -> Result<Vec<u8>, Refused> {
        let directory = scratch();
        write(&directory.path().join("k.isa"), isa);
        let mut command = Command::new("timeout");
        command.arg("10").arg(self.program).current_dir(directory.path());
        command.args(["k.isa", "-platform", platform.caps().genx_name, "-binary", "-output"]);
        let output = start(command.args(options));
        let files = fs::read_dir(directory.path()).into_iter().flatten().flatten().map(|entry| entry.path());
        let code = files.into_iter().find(|path| path.file_name().is_some_and(|name| name == ".dat"));
        code.map(|path| read(&path)).ok_or_else(|| refusal(&output))
    }

    /// What it prints of each kernel of an object of version 3.x, as vISA assembly.
    pub fn dump_visaasm(&self, platform: Platform, isa: &[u8]) -> Vec<String> {
        let directory = scratch();
        write(&directory.path().join("k.isa"), isa);
        let mut command = Command::new(self.program);
        command.current_dir(directory.path()).args([
            "k.isa",
            "-platform",
            platform.caps().genx_name,
            "-dumpcommonisa",
            "-noschedule",
        ]);
        start(&mut command);
        let mut texts = Vec::new();
        for entry in fs::read_dir(directory.path()).into_iter().flatten().flatten() {
            if entry.path().extension().is_some_and(|e| e == "visaasm") {
                texts.push(String::from_utf8_lossy(&read(&entry.path())).into_owned());
            }
        }
        texts.sort();
        texts
    }

    /// Finalizes one kernel. It crashes on some valid input (one kernel in thirty, stack calls above all),
    /// and its exit code says nothing: what counts is the code it leaves.
    pub fn finalize(
        &self,
        platform: Platform,
        visaasm: &str,
        options: &[&str],
    ) -> Result<Finalized, Refused> {
        let directory = scratch();
        write(&directory.path().join("k.visaasm"), visaasm.as_bytes());
        // It never ends on some invalid input.
        let mut command = Command::new("timeout");
        command.arg("10").arg(self.program).current_dir(directory.path());
        command.args(["k.visaasm", "-platform", platform.caps().genx_name, "-binary", "-output"]);
        let output = start(command.args(options));
        let file = |extension: &str| directory.path().join("k").with_extension(extension);
        // After some complaints of its reader it goes on with something that the text does not say.
        let misread = [&output.stdout, &output.stderr]
            .into_iter()
            .any(|said| String::from_utf8_lossy(said).lines().any(|line| line.starts_with("near line ")));
        if misread || !file("dat").exists() {
            let Refused(mut said) = refusal(&output);
            said += &fs::read_to_string(directory.path().join("k.errors.txt")).unwrap_or_default();
            return Err(Refused(said));
        }
        Ok(Finalized {
            dat: read(&file("dat")),
            asm: String::from_utf8_lossy(&read(&file("asm"))).into_owned(),
            isa: fs::read(file("isa")).unwrap_or_default(),
            dbg: fs::read(file("dbg")).unwrap_or_default(),
        })
    }
}

/// Where `ocloc`, Intel's offline OpenCL compiler, is installed, if it is.
pub fn ocloc() -> Option<&'static Path> {
    static FOUND: OnceLock<Option<PathBuf>> = OnceLock::new();
    once("ocloc", &FOUND)
}

/// Looks a tool up once.
fn once(tool: &str, found: &'static OnceLock<Option<PathBuf>>) -> Option<&'static Path> {
    found.get_or_init(|| search(tool)).as_deref()
}

/// Whether a program is installed.
pub fn is_installed(tool: &str) -> bool {
    search(tool).is_some()
}

/// Looks in PATH, then where `tests/tools/get-oracles` puts the newer tools.
fn search(tool: &str) -> Option<PathBuf> {
    let cache = env::var_os("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .or_else(|| env::var_os("HOME").map(|home| Path::new(&home).join(".cache")));
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path)
        .chain(cache.map(|cache| cache.join("visa-finalize/oracles/bin")))
        .map(|directory| directory.join(tool))
        .find(|file| file.is_file())
}

fn platform_argument(platform: Platform) -> String {
    format!("-p={}", platform.caps().iga_name)
}

fn scratch() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary directory")
}

fn write(path: &Path, contents: &[u8]) {
    fs::write(path, contents).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
}

fn read(path: &Path) -> Vec<u8> {
    fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn start(command: &mut Command) -> Output {
    command.output().unwrap_or_else(|e| panic!("{command:?}: {e}"))
}

fn accepted(command: &mut Command) -> Result<Output, Refused> {
    let output = start(command);
    if output.status.success() { Ok(output) } else { Err(refusal(&output)) }
}

fn refusal(output: &Output) -> Refused {
    let (stderr, stdout) = (String::from_utf8_lossy(&output.stderr), String::from_utf8_lossy(&output.stdout));
    Refused(format!("{}\n{stderr}{stdout}", output.status))
}
