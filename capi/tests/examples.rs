//! The examples in C and C++, built by the machine's compilers against the shared and the static library,
//! and run; the one in C also under valgrind. Where those are not installed, the checks count as ignored.

use std::{
    path::{Path, PathBuf},
    process::{Command, Output},
};

use tests::{
    c_programs, data,
    needs::{self, Need, check},
};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

const CC: Need = Need::Program("cc");

fn main() {
    needs::run(vec![
        check("the_example_in_c", &[CC], the_example_in_c_prints_what_a_launch_needs),
        check("the_example_in_cpp", &[Need::Program("c++")], the_example_in_cpp_prints_the_same_code_size),
        check("valgrind", &[CC, Need::Program("valgrind")], valgrind_finds_no_leak_and_no_error_in_c),
        check("the_tools_in_c", &[CC], the_tools_in_c_do_what_the_header_says),
        check("pkg_config", &[CC], an_installed_library_is_found_by_its_description),
        check(
            "exports",
            &[Need::Program("nm")],
            the_shared_library_exports_what_the_header_declares_and_no_more,
        ),
    ]);
}

fn object() -> PathBuf {
    data::workspace().join("examples/saxpy_skl.isa")
}

/// The libraries of this build, put in place as for users: what programs are linked with has the name inside.
fn installed(prefix: &Path) -> PathBuf {
    let install = Command::new("sh")
        .arg(format!("{ROOT}/install"))
        .arg(prefix)
        .arg(c_programs::libraries())
        .output()
        .unwrap();
    assert!(install.status.success(), "{}", text(&install.stderr));
    prefix.join("lib")
}

/// Builds an example against the shared library, or the static one.
fn build(compiler: &str, example: &str, shared: bool, dir: &Path) -> PathBuf {
    let standard = if compiler == "cc" { "-std=c11" } else { "-std=c++17" };
    let (source, include) = (format!("{ROOT}/examples/{example}"), format!("-I{ROOT}/include"));
    let libraries = installed(&dir.join("prefix"));
    let at = libraries.display();
    let mut args = vec![standard.to_owned(), "-g".into(), "-Wall".into(), "-Wextra".into(), "-Werror".into()];
    args.extend(["-pedantic".into(), source, include]);
    if shared {
        args.extend([
            format!("-L{at}"),
            "-lvisafinalize".into(),
            "-lpthread".into(),
            format!("-Wl,-rpath,{at}"),
        ]);
    } else {
        args.push(format!("{at}/libvisafinalize.a"));
        args.extend(["-lpthread", "-ldl", "-lm", "-lgcc_s", "-lutil", "-lrt"].map(String::from));
    }
    c_programs::build(compiler, &args, &dir.join(example.replace('.', "_")))
}

fn run(program: &Path, args: &[&str]) -> Output {
    Command::new(program).arg(object()).args(args).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn the_example_in_c_prints_what_a_launch_needs() {
    for shared in [true, false] {
        let dir = tempfile::tempdir().unwrap();
        let program = build("cc", "finalize.c", shared, dir.path());
        let output = run(&program, &["skl", "saxpy"]);
        let out = text(&output.stdout);
        assert!(output.status.success(), "{}", text(&output.stderr));
        assert!(out.starts_with("saxpy: SIMD16, ") && out.contains("payload offset 176"), "{out}");

        let refused = run(&program, &["skl", "missing"]);
        let said = text(&refused.stderr);
        assert_eq!((refused.status.code(), said.contains("[UnknownKernel]")), (Some(1), true), "{said}");
        let unknown = run(&program, &["gen7"]);
        assert!(text(&unknown.stderr).contains("unknown platform `gen7`"), "{}", text(&unknown.stderr));
    }
}

fn the_example_in_cpp_prints_the_same_code_size() {
    let dir = tempfile::tempdir().unwrap();
    let program = build("c++", "finalize.cpp", true, dir.path());
    let output = run(&program, &["skl"]);
    let out = text(&output.stdout);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(out.starts_with("saxpy: ") && out.trim_end().ends_with("bytes of code"), "{out}");
    let refused = run(&program, &["gen7"]);
    assert!(text(&refused.stderr).contains("UnknownPlatform"), "{}", text(&refused.stderr));
}

fn valgrind_finds_no_leak_and_no_error_in_c() {
    let dir = tempfile::tempdir().unwrap();
    let finalize = build("cc", "finalize.c", true, dir.path());
    let tools = build("cc", "tools.c", true, dir.path());
    let runs = [
        (&finalize, &["skl"][..]),
        (&finalize, &["skl", "missing"]),
        (&finalize, &["gen7"]),
        (&tools, &["skl"]),
    ];
    for (program, args) in runs {
        let output = Command::new("valgrind")
            .args(["--leak-check=full", "--show-leak-kinds=definite,indirect,possible"])
            .args(["--errors-for-leak-kinds=definite,indirect,possible", "--error-exitcode=99"])
            .arg(program)
            .arg(object())
            .args(args)
            .output()
            .unwrap();
        let report = text(&output.stderr);
        let summary: Vec<_> = report
            .lines()
            .filter(|l| l.contains("ERROR SUMMARY") || l.contains(" lost:") || l.contains("in use at exit"))
            .collect();
        println!("{args:?}: {}", summary.join("; "));
        assert_ne!(output.status.code(), Some(99), "{report}");
        assert!(report.contains("ERROR SUMMARY: 0 errors"), "{report}");
    }
}

fn the_tools_in_c_do_what_the_header_says() {
    let dir = tempfile::tempdir().unwrap();
    let program = build("cc", "tools.c", true, dir.path());
    let output = run(&program, &["tgllp"]);
    let out = text(&output.stdout);
    assert!(output.status.success(), "{out}{}", text(&output.stderr));
    for line in [
        "opt-level = 9: found `9` for the option `opt-level`, allowed: 0, 1, 2",
        "with 1,000 bytes: VF_MEMORY_LIMIT",
        "with 100 million: VF_OK",
        "version 4.1, 1 kernels",
        "  code for tgllp: ",
        "the listing assembles to the same code",
        "nonsense is refused at 1:1",
        "the worker ended with VF_CANCELLED",
        "after the reset: VF_OK",
    ] {
        assert!(out.lines().any(|l| l.starts_with(line)), "{line}: {out}");
    }
    assert!(out.contains("  input "), "{out}");
}

/// What the package description says to hand to a compiler; by `pkg-config`, or read here where that is not
/// installed.
fn flags(prefix: &Path) -> Vec<String> {
    let description = prefix.join("lib/pkgconfig/visafinalize.pc");
    let asked = Command::new("pkg-config").args(["--cflags", "--libs"]).arg(&description).output();
    if let Ok(output) = asked {
        assert!(output.status.success(), "{}", text(&output.stderr));
        return text(&output.stdout).split_whitespace().map(str::to_owned).collect();
    }
    let description = std::fs::read_to_string(description).unwrap();
    let values = description.lines().filter(|l| l.starts_with("Libs:") || l.starts_with("Cflags:"));
    let values = values.flat_map(|l| l.split_whitespace().skip(1)).map(|word| {
        let prefix = prefix.display().to_string();
        word.replace("${libdir}", &format!("{prefix}/lib"))
            .replace("${includedir}", &format!("{prefix}/include"))
    });
    values.collect()
}

fn an_installed_library_is_found_by_its_description() {
    let dir = tempfile::tempdir().unwrap();
    let prefix = dir.path().join("prefix");
    installed(&prefix);
    let description = std::fs::read_to_string(prefix.join("lib/pkgconfig/visafinalize.pc")).unwrap();
    let version = format!("Version: {}", env!("CARGO_PKG_VERSION"));
    assert!(description.contains(&version) && !description.contains('@'), "{description}");
    let mut args = vec![format!("{ROOT}/examples/finalize.c")];
    args.extend(flags(&prefix));
    args.push(format!("-Wl,-rpath,{}/lib", prefix.display()));
    let program = c_programs::build("cc", &args, &dir.path().join("finalize"));
    let output = run(&program, &["skl"]);
    assert!(
        output.status.success() && text(&output.stdout).starts_with("saxpy: "),
        "{}",
        text(&output.stderr)
    );
}

fn the_shared_library_exports_what_the_header_declares_and_no_more() {
    let header = std::fs::read_to_string(format!("{ROOT}/include/visa_finalize.h")).unwrap();
    let library = c_programs::libraries().join("libvisafinalize.so");
    let exported = c_programs::exported(&library);
    let declared = c_programs::declared(&header);
    assert_eq!(exported, declared);
    assert!(declared.len() >= 20 && declared.contains("vf_finalize"), "{declared:?}");
}
