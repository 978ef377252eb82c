//! What `--version` says: the version, and the commit that the command is built from.
//!
//! Git is asked only if it keeps this very file: a source package has none, and may lie in somebody else's tree.

use std::{path::Path, process::Command};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let version = env!("CARGO_PKG_VERSION");
    let version = match commit() {
        Some(commit) => format!("{version} ({commit})"),
        None => version.to_owned(),
    };
    println!("cargo::rustc-env=VISA_FINALIZE_VERSION={version}");
}

/// The commit and its day.
fn commit() -> Option<String> {
    git(&["ls-files", "--error-unmatch", "build.rs"])?;
    // A line is added to the log for each commit and checkout.
    for file in ["HEAD", "logs/HEAD"] {
        match git(&["rev-parse", "--git-path", file]) {
            Some(path) if Path::new(&path).exists() => println!("cargo::rerun-if-changed={path}"),
            _ => {}
        }
    }
    git(&["log", "-1", "--format=%h %cs", "--abbrev=10"])
}

/// What Git answers; nothing if there is no Git, or it refuses.
fn git(args: &[&str]) -> Option<String> {
    let done = Command::new("git").args(args).output().ok().filter(|done| done.status.success())?;
    let text = String::from_utf8(done.stdout).ok()?.trim().to_owned();
    (!text.is_empty()).then_some(text)
}
