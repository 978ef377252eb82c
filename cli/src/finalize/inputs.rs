//! Inputs as they are named become a list of files.

use std::path::{Path, PathBuf};

use crate::files::is_standard;

/// One input.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Job {
    /// The file; `-` for standard input.
    pub path: PathBuf,
    /// Where its results go below the output directory: what lies between a directory that was named and the file.
    pub below: PathBuf,
}

impl Job {
    fn file(path: &Path) -> Job {
        Job { path: path.to_owned(), below: PathBuf::new() }
    }
}

/// The files that the command line names: of a directory, the objects and texts below it that are no results of
/// ours, in the order of their names; of a pattern that is no file's name, what fits it.
///
/// # Errors
///
/// A directory without any, a pattern that nothing fits.
pub fn expand(named: &[PathBuf]) -> Result<Vec<Job>, String> {
    let mut jobs = Vec::new();
    for path in named {
        let before = jobs.len();
        if path.is_dir() {
            directory(path, &mut jobs)?;
        } else if is_standard(path) || path.exists() {
            jobs.push(Job::file(path));
        } else {
            pattern(path, &mut jobs)?;
        }
        if jobs.len() == before {
            return Err(format!("{}: found no .isa or .visaasm file", path.display()));
        }
    }
    Ok(jobs)
}

fn directory(root: &Path, jobs: &mut Vec<Job>) -> Result<(), String> {
    for entry in walkdir::WalkDir::new(root).sort_by_file_name() {
        let entry = entry.map_err(|e| e.to_string())?;
        let path = entry.path();
        // Links to files count; pipes, which may never end, do not.
        if path.is_file() && is_input(path) {
            let parent = path.parent().unwrap_or(root);
            let below = parent.strip_prefix(root).unwrap_or(Path::new("")).to_owned();
            jobs.push(Job { path: path.to_owned(), below });
        }
    }
    Ok(())
}

fn is_input(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    (name.ends_with(".isa") && !name.ends_with(".gen.isa")) || name.ends_with(".visaasm")
}

fn pattern(path: &Path, jobs: &mut Vec<Job>) -> Result<(), String> {
    let text = path.to_string_lossy();
    if !text.contains(['*', '?', '[']) {
        // No such file: the reader says so, with its reason.
        jobs.push(Job::file(path));
        return Ok(());
    }
    for found in glob::glob(&text).map_err(|e| format!("{text}: {e}"))? {
        let found = found.map_err(|e| e.to_string())?;
        if found.is_file() {
            jobs.push(Job::file(&found));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn directories_and_patterns_become_files() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("sub")).unwrap();
        for name in ["b.isa", "a.visaasm", "a.gen.isa", "notes.txt", "sub/c.isa"] {
            fs::write(dir.path().join(name), "").unwrap();
        }
        let names = |named: &[PathBuf]| -> Vec<String> {
            let jobs = expand(named).unwrap();
            jobs.iter().map(|j| j.path.strip_prefix(dir.path()).unwrap().display().to_string()).collect()
        };
        assert_eq!(names(&[dir.path().to_owned()]), ["a.visaasm", "b.isa", "sub/c.isa"]);
        assert_eq!(names(&[dir.path().join("*.isa")]), ["a.gen.isa", "b.isa"]);
        assert_eq!(expand(&[dir.path().to_owned()]).unwrap()[2].below, Path::new("sub"));
        assert!(expand(&[dir.path().join("*.dat")]).is_err());
        assert_eq!(expand(&["absent.isa".into()]).unwrap().len(), 1);
    }
}
