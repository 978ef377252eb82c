//! A program in C opens our library and Intel's, finalizes the same objects with both, and looks at what
//! comes out.
//!
//! Every twentieth of our objects and the whole corpus here; all of them with optimized code by
//! `cargo run --release -p benches --bin jit`.

use std::process::Command;

use tests::{
    c_programs,
    needs::{self, Need, check},
    oracle::Iga,
};

fn main() {
    let cc = Need::Program("cc");
    needs::run(vec![
        check("our_library_alone", &[cc], || gives_code("-", None)),
        needs::iga64("our_library_gives_code_wherever_intels_does", &[cc, Need::Libigc], |iga| {
            gives_code(c_programs::INTEL, Some(iga));
        }),
    ]);
}

/// Our library beside `theirs` (`-`: alone), with the tool that reads what comes out.
fn gives_code(theirs: &str, iga: Option<Iga>) {
    let dir = tempfile::tempdir().unwrap();
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/compare/compare.c");
    let args = ["-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", source, "-ldl", "-lpthread"];
    let program = c_programs::build("cc", &args, &dir.path().join("compare"));
    let ours = c_programs::libraries().join("libvisafinalize_jit.so");
    let (list, objects) = c_programs::object_list(dir.path(), 20).unwrap();
    let mut command = Command::new(program);
    command.arg(ours).arg(theirs).arg(list).args(iga.map(|iga| iga.path()));
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    for line in
        text.lines().filter(|l| l.contains("WORSE") || l.contains("ours alone") || l.contains("faster"))
    {
        println!("{line}");
    }
    assert!(output.status.success(), "{}\n{errors}", text.lines().last().unwrap_or_default());
    assert!(objects >= 100 && text.lines().count() > objects, "{objects} objects: {text}");
}
