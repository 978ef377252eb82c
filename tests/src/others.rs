//! OpenCL programs that others wrote: where `tests/tools/get-others` puts them, and the table of `tests/tools/others`.

use std::{
    env, fs, io,
    path::{Path, PathBuf},
};

const TABLE: &str = include_str!("../tools/others.tsv");

/// Where the programs are, if they are installed.
pub fn installed() -> Option<PathBuf> {
    let cache = env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let cache = cache.or_else(|| Some(PathBuf::from(env::var_os("HOME")?).join(".cache")))?;
    let programs = cache.join("visa-finalize/others/programs");
    programs.join("usr/bin/clinfo").exists().then_some(programs)
}

/// The words of the command that the table has for a program.
///
/// # Panics
///
/// The table has no such program.
pub fn command(name: &str, programs: &Path) -> Vec<String> {
    let row = TABLE.lines().map(|l| l.split('\t').collect::<Vec<_>>()).find(|r| r[0] == name);
    let row = row.unwrap_or_else(|| panic!("others.tsv has no {name}"));
    let command =
        row.last().expect("a line has a part").replace("{programs}", &programs.display().to_string());
    command.split_whitespace().map(str::to_owned).collect()
}

/// Makes a driver's tree in an empty directory, with the programs' libraries behind the driver's own.
///
/// # Errors
///
/// Files cannot be read or made.
pub fn tree(driver: &Path, programs: &Path, place: &Path) -> io::Result<()> {
    for name in ["loader", "vendors"] {
        link(&driver.join(name), &place.join(name))?;
    }
    let libraries = place.join("libraries");
    fs::create_dir(&libraries)?;
    for from in [driver, programs] {
        for library in fs::read_dir(from.join("libraries"))? {
            let library = library?;
            let to = libraries.join(library.file_name());
            if to.symlink_metadata().is_err() {
                link(&library.path(), &to)?;
            }
        }
    }
    Ok(())
}

#[cfg(unix)]
fn link(from: &Path, to: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(from, to)
}

#[cfg(not(unix))]
fn link(from: &Path, to: &Path) -> io::Result<()> {
    fs::copy(from, to).map(|_| ())
}
