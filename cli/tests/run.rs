//! `visa-finalize run` on the shipped example: `y = a * x + y` over `n` floats.

use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

const EXAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples");
const N: usize = 128;

fn run(dir: &Path, example: &str, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_visa-finalize"))
        .arg("run")
        .arg(format!("{EXAMPLES}/{example}"))
        .args(args)
        .current_dir(dir)
        .output()
        .expect("the command starts")
}

fn floats(f: impl Fn(usize) -> f32) -> Vec<u8> {
    (0..N).flat_map(|i| f(i).to_le_bytes()).collect()
}

fn inputs() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("x"), floats(|i| i as f32)).unwrap();
    fs::write(dir.path().join("y"), floats(|i| 100.0 + i as f32)).unwrap();
    dir
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn a_kernel_runs_on_every_platform_and_on_the_interpreter() {
    let dir = inputs();
    let arguments =
        ["--arg", "buf:y", "--arg", "buf:x", "--arg", "f32:2", "--arg", "u32:100", "--out", "0=out"];
    // Only the first hundred change.
    let expected = floats(|i| 100.0 + i as f32 + if i < 100 { 2.0 * i as f32 } else { 0.0 });
    let cases = [
        ("saxpy_skl.isa", "skl"),
        ("saxpy_skl.visaasm", "skl"),
        ("saxpy_skl.isa", "bdw"),
        ("saxpy_skl.isa", "icllp"),
        ("saxpy_tgllp.isa", "tgllp"),
    ];
    for (example, platform) in cases {
        for with in ["ours", "interpreter"] {
            let mut all = vec!["--platform", platform, "--global", "128", "--local", "32", "--with", with];
            all.extend(arguments);
            let out = run(dir.path(), example, &all);
            assert_eq!(out.status.code(), Some(0), "{example} {platform} {with}: {}", text(&out.stderr));
            assert!(fs::read(dir.path().join("out")).unwrap() == expected, "{example} {platform} {with}");
            assert!(text(&out.stdout).contains("4 groups, 8 threads"), "{}", text(&out.stdout));
        }
    }
}

#[test]
fn figures_traces_and_buffers_are_printed() {
    let dir = inputs();
    let args =
        "-p skl -g 128 --arg buf:y --arg buf:x --arg f32:2 --arg u32:128 --print 0:f32 --print 1 --trace";
    let out = run(dir.path(), "saxpy_skl.isa", &args.split(' ').collect::<Vec<_>>());
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    let stdout = text(&out.stdout);
    for part in [
        "instructions  ",
        "cycles  ",
        "opcodes  ",
        "load 16",
        "store 8",
        "eot 8",
        "  100 103 106",
        "] mad (16|M0)",
    ] {
        assert!(stdout.contains(part), "no `{part}` in\n{stdout}");
    }
    assert!(stdout.contains("argument 1, 512 bytes\n0x00000  00 00 00 00 00 00 80 3f"), "{stdout}");
}

#[test]
fn findings_are_reported_and_fail() {
    let dir = inputs();
    let args = "-p skl -g 128 --arg buf:64 --arg buf:x --arg f32:2 --arg u32:128";
    let out = run(dir.path(), "saxpy_skl.isa", &args.split(' ').collect::<Vec<_>>());
    assert_eq!(out.status.code(), Some(1));
    let stderr = text(&out.stderr);
    assert!(stderr.contains("out of bounds") && stderr.contains("send"), "{stderr}");
}

#[test]
fn what_does_not_fit_is_explained() {
    let dir = inputs();
    let cases = [
        ("-p skl -g 128 --arg buf:64", "give its .ze_info"),
        ("-p skl -g 128 --arg buf:512 --arg buf:512 --arg f32:2 --arg u16:1", "has 2 bytes"),
        (
            "-p skl -g 100 -l 64 --arg buf:512 --arg buf:512 --arg f32:2 --arg u32:1",
            "100 work items in groups of 64",
        ),
        ("-p skl -g 128 --arg buf:absent", "absent"),
        (
            "-p skl -g 128 --with intel --arg buf:512 --arg buf:512 --arg f32:2 --arg u32:1",
            "no code of saxpy",
        ),
        ("-p skl -g 128 --kernel other", "saxpy"),
        (
            "-p skl -g 128 --arg buf:512 --arg buf:512 --arg f32:2 --arg u32:128 --out 2=f",
            "argument 2 is no buffer",
        ),
        (
            "-p skl -g 128 --arg buf:512 --arg buf:512 --arg f32:2 --arg u32:128 --max-instructions 10",
            "stopped after 10",
        ),
    ];
    for (args, part) in cases {
        let out = run(dir.path(), "saxpy_skl.isa", &args.split(' ').collect::<Vec<_>>());
        assert_eq!(out.status.code(), Some(1), "{args}");
        assert!(text(&out.stderr).contains(part), "{args}: {}", text(&out.stderr));
    }
    let out = run(dir.path(), "saxpy_skl.isa", &["-p", "skl", "-g", "128", "--arg", "u8:256"]);
    assert_eq!(out.status.code(), Some(2));
    assert!(!dir.path().join("f").exists());
}
