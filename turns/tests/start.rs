//! What a program starts by name has the loader and the library that the program has.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use std::{
    fs,
    io::ErrorKind,
    os::unix::{
        fs::PermissionsExt,
        process::{CommandExt, ExitStatusExt},
    },
    path::{Path, PathBuf},
    process::Command,
};

/// The system's own loader stands for a driver's.
const LOADER: &str = "/lib64/ld-linux-x86-64.so.2";
/// The variable of the library.
const LINES: &str = "VISA_FINALIZE_TURNS_LOADER";
/// Set in this program as it is started by the loader.
const INNER: &str = "TURNS_TEST_INNER";

/// The library, which cargo built beside this test. (It is built because of this line.)
fn library() -> PathBuf {
    use visafinalize_turns as _;
    let program = std::env::current_exe().unwrap();
    let place = program.ancestors().find(|p| p.join("libvisafinalize_turns.so").exists());
    place.expect("the library is beside this test").join("libvisafinalize_turns.so")
}

fn words() -> Vec<String> {
    // A program that a loader started is that loader, if it asks the system.
    if let Ok(lines) = std::env::var(LINES) {
        return lines.lines().map(String::from).collect();
    }
    vec![LOADER.into(), "--preload".into(), library().display().to_string()]
}

/// A program, started by the loader.
fn loaded(program: &Path, arguments: &[&str]) -> Command {
    let words = words();
    let mut command = Command::new(LOADER);
    command.args(&words[1..]).arg(program).args(arguments);
    command.env(LINES, words.join("\n"));
    command
}

fn said(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let all = String::from_utf8_lossy(&[&output.stdout[..], &output.stderr].concat()).into_owned();
    assert!(output.status.success(), "{}: {all}", output.status);
    String::from_utf8(output.stdout).unwrap().replace('\0', "\n")
}

/// How `cat` says it was started that looks at its own command line.
fn of_cat(name: &str) -> String {
    let cat = fs::canonicalize("/bin/cat").unwrap();
    let own = ["--argv0", name, cat.to_str().unwrap(), "/proc/self/cmdline", ""];
    [words(), own.map(String::from).into()].concat().join("\n")
}

#[test]
fn a_shells_programs_have_the_loader() {
    let shell = Path::new("/bin/sh");
    let seen = said(&mut loaded(shell, &["-c", "/usr/bin/cat /proc/self/cmdline; true"]));
    assert_eq!(seen, of_cat("/usr/bin/cat"));
    // The other way, by `env`, which looks for the name.
    let seen =
        said(loaded(shell, &["-c", "env -u NONE cat /proc/self/cmdline"]).env("PATH", "/none:/usr/bin"));
    assert_eq!(seen, of_cat("cat"));
    // Without the variable the system's loader starts it.
    let seen = said(loaded(shell, &["-c", "/usr/bin/cat /proc/self/cmdline"]).env_remove(LINES));
    assert_eq!(seen, "/usr/bin/cat\n/proc/self/cmdline\n");
}

#[test]
fn a_scripts_interpreter_has_the_loader() {
    let script = std::env::temp_dir().join(format!("turns-script-{}", std::process::id()));
    fs::write(&script, "#!/usr/bin/cat -u\n").unwrap();
    fs::set_permissions(&script, PermissionsExt::from_mode(0o755)).unwrap();
    let name = script.to_str().unwrap();
    // `cat` says the script, then what it was told.
    let seen = said(&mut loaded(Path::new("/bin/sh"), &["-c", &format!("{name} /proc/self/cmdline")]));
    let command = [
        words(),
        ["--argv0", "/usr/bin/cat", "/usr/bin/cat", "-u", name, "/proc/self/cmdline"]
            .map(String::from)
            .into(),
    ]
    .concat();
    assert_eq!(seen, format!("#!/usr/bin/cat -u\n{}\n", command.join("\n")));
    fs::remove_file(script).unwrap();
}

/// This program, started by the loader, starts others in the ways that Rust has (`posix_spawnp`, `fork` and `execvp`).
#[test]
fn programs_are_started_in_all_ways() {
    if std::env::var_os(INNER).is_none() {
        let own = std::env::current_exe().unwrap();
        let mut inner = loaded(&own, &["--exact", "programs_are_started_in_all_ways"]);
        said(inner.env(INNER, "1"));
        return;
    }
    let mut cat = Command::new("cat");
    cat.arg("/proc/self/cmdline").env("PATH", "/usr/bin");
    assert_eq!(said(&mut cat), of_cat("cat"));
    // SAFETY: it does nothing.
    #[allow(unsafe_code)]
    unsafe {
        cat.pre_exec(|| Ok(()));
    }
    assert_eq!(said(&mut cat), of_cat("cat"));
    // More words than the stack has room for.
    let many: Vec<String> = (0..3000).map(|i| i.to_string()).collect();
    assert_eq!(said(Command::new("/bin/echo").args(&many)), many.join(" ") + "\n");

    let absent = Command::new("no such program").output().unwrap_err();
    assert_eq!(absent.kind(), ErrorKind::NotFound);
    let forbidden = Command::new("/etc/passwd").output().unwrap_err();
    assert_eq!(forbidden.kind(), ErrorKind::PermissionDenied);
    let ended = Command::new("sh").args(["-c", "kill -9 $$"]).status().unwrap();
    assert_eq!(ended.signal(), Some(9));
}
