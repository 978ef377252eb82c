//! The example that loads the library at run time, built by the machine's compiler and run; also under
//! valgrind. Where those are not installed, the checks count as ignored.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use tests::{
    c_programs, data,
    needs::{self, Need, check},
};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

fn main() {
    let cc = Need::Program("cc");
    needs::run(vec![
        check("a_runtime_loads_the_library", &[cc], a_runtime_loads_the_library_and_gets_code_or_a_message),
        check("valgrind", &[cc, Need::Program("valgrind")], valgrind_finds_no_leak_and_no_error),
        check("exports", &[Need::Program("nm")], the_library_exports_the_four_functions_of_the_header),
    ]);
}

fn build(dir: &Path) -> PathBuf {
    let (source, include) = (format!("{ROOT}/examples/load.c"), format!("-I{ROOT}/include"));
    let flags = ["-std=gnu11", "-g", "-Wall", "-Wextra", "-Werror", &source, &include, "-ldl"];
    c_programs::build("cc", &flags, &dir.join("load"))
}

/// The arguments of the example, for a kernel and platform.
fn arguments(kernel: &str, platform: &str) -> Vec<String> {
    let library = c_programs::libraries().join("libvisafinalize_jit.so");
    let object = data::workspace().join("examples/saxpy_skl.isa");
    let path = |p: PathBuf| p.to_string_lossy().into_owned();
    vec![path(library), path(object), kernel.to_owned(), platform.to_owned()]
}

/// A kernel that is there, one that is not, and a platform that is not: what they return, and a word of what
/// they say.
const CALLS: [(&str, &str, i32, &str); 3] = [
    ("saxpy", "SKL", 0, "bytes of code"),
    ("nobody", "SKL", 1, "the object has `saxpy`"),
    ("saxpy", "GEN7", 5, "GEN7"),
];

fn a_runtime_loads_the_library_and_gets_code_or_a_message() {
    let dir = tempfile::tempdir().unwrap();
    let program = build(dir.path());
    for (kernel, platform, status, word) in CALLS {
        let output = Command::new(&program).args(arguments(kernel, platform)).output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(status), "{said}");
        assert!(said.contains(word), "{said}");
        // What the example says, and nothing from the library.
        assert_eq!(said.lines().count(), 2, "{said}");
    }
}

fn valgrind_finds_no_leak_and_no_error() {
    let dir = tempfile::tempdir().unwrap();
    let program = build(dir.path());
    for (kernel, platform, status, _) in CALLS {
        let output = Command::new("valgrind")
            .args(["--leak-check=full", "--show-leak-kinds=definite,indirect,possible"])
            .args(["--errors-for-leak-kinds=definite,indirect,possible", "--error-exitcode=99"])
            .arg(&program)
            .args(arguments(kernel, platform))
            .output()
            .unwrap();
        let report = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(status), "{report}");
        assert!(report.contains("ERROR SUMMARY: 0 errors"), "{report}");
        let in_use = report.lines().find(|l| l.contains("in use at exit") || l.contains("lost:"));
        println!("{kernel} {platform}: {}", in_use.unwrap_or("nothing in use at exit"));
    }
}

fn the_library_exports_the_four_functions_of_the_header() {
    let header = std::fs::read_to_string(format!("{ROOT}/include/visa_finalize_jit.h")).unwrap();
    let library = c_programs::libraries().join("libvisafinalize_jit.so");
    let exported = c_programs::exported(&library);
    assert_eq!(exported, c_programs::declared(&header));
    assert_eq!(exported.len(), 4, "{exported:?}");
}
