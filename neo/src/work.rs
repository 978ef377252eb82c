//! A program in, a program and a log out.

use std::{
    cell::RefCell,
    fmt::Write as _,
    fs::{self, OpenOptions},
    io::{self, Write as _},
    path::Path,
    process,
    sync::atomic::{AtomicUsize, Ordering::Relaxed},
};

use boundary::guard;
use finalizer::{Diagnostic, Finalizer, Options, Refusal};
use rewriter::Program;

use crate::settings::{Mode, Settings};

/// What became of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The program with our code, or `None` where it stays as it is.
    pub program: Option<Vec<u8>>,
    /// The build goes on.
    pub ok: bool,
    /// What the build log gets, line by line.
    pub log: String,
}

thread_local! {
    /// The finalizer of this thread's last build.
    static KEPT: RefCell<Option<Finalizer>> = const { RefCell::new(None) };
}

/// Puts our code into a program.
pub fn finalize(program: &[u8], settings: &Settings) -> Outcome {
    let outcome = finalize_unkept(program, settings);
    if let Some(directory) = settings.keep.as_ref().filter(|_| outcome.ok) {
        keep(directory, outcome.program.as_deref().unwrap_or(program));
    }
    outcome
}

/// Puts a program into the user's directory, under a name that is not taken; it appears there only when it is complete. As
/// with the log, a build does not fail because of a file that cannot be written.
fn keep(directory: &Path, program: &[u8]) {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let name = format!("{}-{:06}", process::id(), COUNT.fetch_add(1, Relaxed));
    let part = directory.join(&name).with_extension("part");
    let _ = fs::write(&part, program).and_then(|()| fs::rename(&part, part.with_extension("bin")));
}

fn finalize_unkept(program: &[u8], settings: &Settings) -> Outcome {
    if settings.mode == Mode::Off {
        return Outcome { ok: true, ..Outcome::default() };
    }
    let made = match guard(|| try_finalize(program, settings)) {
        Ok(made) => made,
        // What the fault has left of the finalizer is thrown away with it.
        Err(bug) => Err(Diagnostic::error("InternalError", bug.to_string()).into()),
    };
    let outcome = outcome(made.as_ref(), settings);
    write_log(program.len(), made.as_ref(), settings);
    // A program of which nothing is new stays as it is, to the byte.
    let new = made.ok().filter(|p| outcome.ok && !p.binaries.is_empty());
    Outcome { program: new.map(|p| p.bytes), ..outcome }
}

fn try_finalize(program: &[u8], settings: &Settings) -> Result<Program, Refusal> {
    let no_platform = |message: String| Refusal::from(Diagnostic::error("BadProgram", message));
    if !zebin::is_elf(program) {
        let message =
            "found a program that is no zebin (drivers of 2022 make them with IGC_EnableZEBinary=1)";
        return Err(no_platform(message.into()));
    }
    let platform = rewriter::platform_of(program)?.ok_or_else(|| {
        no_platform("found a program for a device that the finalizer writes no code for".into())
    })?;
    let options = match settings.level {
        Some(level) => Options::with_level(platform, level),
        None => Options::new(platform),
    };
    let kept = KEPT.take().filter(|f| *f.options() == options);
    let mut finalizer = kept.unwrap_or_else(|| Finalizer::new(options));
    let keep_refused = settings.mode != Mode::Strict;
    let made = rewriter::finalize(program, &mut finalizer, rewriter::Options { keep_refused });
    KEPT.set(Some(finalizer));
    made
}

fn outcome(made: Result<&Program, &Refusal>, settings: &Settings) -> Outcome {
    let (faults, ok) = match made {
        Ok(program) => (program.warnings.as_slice(), true),
        Err(refusal) => (refusal.0.as_slice(), settings.mode != Mode::Strict),
    };
    let level = if ok { "warning" } else { "error" };
    let mut log = String::new();
    for wrong in &settings.wrong {
        let _ = writeln!(log, "visa-finalize: warning: {wrong}");
    }
    for fault in faults {
        let _ = writeln!(log, "visa-finalize: {level}: {fault}");
    }
    if ok && !faults.is_empty() {
        let _ = writeln!(log, "visa-finalize: warning: the compiler's code is kept there");
    }
    Outcome { program: None, ok, log }
}

/// A line of the user's log. A log that cannot be written is no reason for a build to fail.
fn write_log(bytes: usize, made: Result<&Program, &Refusal>, settings: &Settings) {
    let Some(path) = &settings.log else { return };
    let mut line = format!("program of {bytes} bytes: ");
    let _ = match made {
        Ok(made) => {
            let code: usize = made.binaries.iter().map(|b| b.code.len()).sum();
            let kernels = made.binaries.len();
            write!(line, "{kernels} kernels with {code} bytes of our code, {} bytes", made.bytes.len())
        }
        Err(_) => write!(line, "kept"),
    };
    let why = match made {
        Ok(program) => &program.warnings,
        Err(refusal) => &refusal.0,
    };
    let notes = made.map_or(&[][..], |program| &program.notes);
    for fault in why.iter().chain(notes) {
        let _ = write!(line, "; {}", fault.to_string().replace('\n', " "));
    }
    line.push('\n');
    // One write a line, so that lines of builds that run at the same time do not mix.
    let _ = match path.as_os_str().as_encoded_bytes() {
        b"-" => io::stderr().lock().write_all(line.as_bytes()),
        _ => OpenOptions::new()
            .create(true)
            .append(true)
            .open(path)
            .and_then(|mut f| f.write_all(line.as_bytes())),
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(name: &str) -> Vec<u8> {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../rewriter/tests/data/");
        fs::read(format!("{path}{name}.bin")).unwrap()
    }

    fn settings(mode: Mode) -> Settings {
        Settings { mode, ..Settings::default() }
    }

    #[test]
    fn programs_get_our_code() {
        let bytes = program("plain_new_tgllp");
        let made = finalize(&bytes, &settings(Mode::Keep));
        assert!(made.ok && made.log.is_empty(), "{}", made.log);
        let made = zebin::Program::read(&made.program.unwrap()).unwrap();
        let old = zebin::Program::read(&bytes).unwrap();
        assert_ne!(made.unit("saxpy").unwrap().code, old.unit("saxpy").unwrap().code);
        assert_eq!(finalize(&bytes, &settings(Mode::Off)), Outcome { ok: true, ..Outcome::default() });
    }

    #[test]
    fn what_is_refused_is_kept_and_told_or_fails() {
        // The second one's vISA names an instruction that nobody knows.
        let mut unknown = program("implicit_2435_skl");
        let at = unknown.windows(5).position(|w| w == b"fcall").unwrap();
        unknown[at] = b'g';
        for bytes in [b"CTNI patch tokens".to_vec(), unknown] {
            let kept = finalize(&bytes, &settings(Mode::Keep));
            assert!(kept.ok && kept.log.contains("visa-finalize: warning: "), "{}", kept.log);
            let failed = finalize(&bytes, &settings(Mode::Strict));
            assert!(!failed.ok && failed.program.is_none());
            assert!(failed.log.contains("visa-finalize: error: "), "{}", failed.log);
        }
    }

    #[test]
    fn programs_are_kept_as_the_runtime_gets_them() {
        let dir = tempfile::tempdir().unwrap();
        let keep = |mode| Settings { keep: Some(dir.path().to_owned()), ..settings(mode) };
        let old = program("plain_new_tgllp");
        let new = finalize(&old, &keep(Mode::Keep)).program.unwrap();
        finalize(&old, &keep(Mode::Off));
        finalize(b"", &keep(Mode::Strict));
        let files = fs::read_dir(dir.path()).unwrap().map(|f| f.unwrap().path());
        let mut kept: Vec<Vec<u8>> = files.map(|f| fs::read(f).unwrap()).collect();
        kept.sort_by_key(|k| *k == old);
        assert_eq!(kept, [new, old], "what fails is not kept");
    }

    #[test]
    fn a_line_of_the_log_for_each_build() {
        let dir = tempfile::tempdir().unwrap();
        let log = dir.path().join("log");
        let settings = Settings { log: Some(log.clone()), ..Settings::default() };
        finalize(&program("plain_new_tgllp"), &settings);
        finalize(b"", &settings);
        let text = fs::read_to_string(log).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines.len() == 2 && lines[0].contains("2 kernels") && lines[1].contains("kept"), "{text}");
    }
}
