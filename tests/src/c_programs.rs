//! Programs in C and C++: compiling them with the machine's compiler, and the objects they are run on.

use std::{
    collections::BTreeSet,
    ffi::OsStr,
    fmt::Write,
    fs, io,
    path::{Path, PathBuf},
    process::Command,
};

use platforms::Platform;

use crate::data;

/// Intel's finalizer as a library, where its package is installed.
pub const INTEL: &str = "libigc.so.1";

/// Builds a program with `cc` or `c++`.
///
/// # Panics
///
/// There is no such compiler, or it refuses the program.
pub fn build<S: AsRef<OsStr>>(compiler: &str, args: &[S], to: &Path) -> PathBuf {
    let mut command = Command::new(compiler);
    command.args(args).arg("-o").arg(to);
    let output = command.output().unwrap_or_else(|e| panic!("{compiler}: {e}"));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {said}");
    to.to_owned()
}

/// The directory that cargo puts the libraries of this build in.
pub fn libraries() -> PathBuf {
    let program = std::env::current_exe().expect("a running program has a path");
    let directory = program.parent().expect("in a directory");
    // Tests and benches are in `deps` themselves, commands one above.
    if directory.ends_with("deps") { directory.to_owned() } else { directory.join("deps") }
}

/// The names that a shared library exports, from `nm`.
///
/// # Panics
///
/// `nm` is not installed, or refuses the library.
pub fn exported(library: &Path) -> BTreeSet<String> {
    let output = Command::new("nm").args(["-D", "--defined-only"]).arg(library).output();
    let output = output.unwrap_or_else(|e| panic!("nm: {e}"));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines().filter_map(|l| l.split_whitespace().nth(2)).map(str::to_owned).collect()
}

/// The functions that a generated header declares: what stands before the parenthesis of each declaration.
pub fn declared(header: &str) -> BTreeSet<String> {
    let mut comment = false;
    let code = header.lines().filter(|line| {
        comment |= line.trim_start().starts_with("/*");
        let keep = !comment && !line.starts_with('#');
        comment &= !line.contains("*/");
        keep
    });
    let name = |line: &str| {
        let before = line.split_once('(')?.0;
        let start = before.rfind(|c: char| !c.is_alphanumeric() && c != '_')? + 1;
        (!line.starts_with(' ') && start < before.len()).then(|| before[start..].to_owned())
    };
    code.filter_map(name).collect()
}

/// Writes our own objects of version 3.6, every `step`th of each platform, and the corpus's objects to a
/// list of lines `PLATFORM PATH` in `dir`. Gives the list's path and its length.
///
/// # Errors
///
/// A file cannot be written.
pub fn object_list(dir: &Path, step: usize) -> io::Result<(PathBuf, usize)> {
    let mut list = String::new();
    let mut count = 0;
    for path in data::corpus() {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let Some(platform) = corpus_platform(&name) else { continue };
        let _ = writeln!(list, "{platform} {}", path.display());
        count += 1;
    }
    for platform in [Platform::Bdw, Platform::Skl, Platform::Icllp, Platform::Tgllp] {
        for (i, kernel) in data::kernels(platform).iter().enumerate().step_by(step) {
            let Some(whole) = &kernel.whole else { continue };
            let path = dir.join(format!("{platform}_{i}_{}.isa", kernel.name));
            fs::write(&path, whole)?;
            let _ = writeln!(list, "{} {}", platform.to_string().to_uppercase(), path.display());
            count += 1;
        }
    }
    let path = dir.join("list");
    fs::write(&path, list)?;
    Ok((path, count))
}

/// The platform that a file of the corpus is for, by its name, as a runtime writes it.
fn corpus_platform(name: &str) -> Option<&'static str> {
    const GENERATIONS: [(&str, &str); 5] = [
        ("_gen8", "BDW"),
        ("_gen9", "SKL"),
        ("_gen11lp", "ICLLP"),
        ("_gen11", "ICLLP"),
        ("_gen12lp", "TGLLP"),
    ];
    GENERATIONS.iter().find(|g| name.contains(g.0)).map(|g| g.1)
}
